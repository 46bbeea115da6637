/* Compares topics with what the protocol requires: see kafka_topic_check.h. */
#include "worker/kafka/kafka_topic_check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/kafka/kafka_errors.h"

enum {
    REQUESTS = 0, /* indexes of topics */
    RESULTS,
};

const struct topic_setting topic_settings[] = {
    {"cleanup.policy", "delete"},
    {"message.timestamp.type", "LogAppendTime"},
};
const size_t topic_setting_count = sizeof topic_settings / sizeof *topic_settings;

/* ---- findings ---- */

enum {
    TEXT_SIZE = 1024
};

static void USHER_PRINTF(3, 0) tell(const struct topic_report *report, enum finding_level level,
                                    const char *format, va_list arguments)
{
    char text[TEXT_SIZE];
    vsnprintf(text, sizeof text, format, arguments);
    report->findings->tell(report->findings->context, level, text);
}

void topic_good(struct topic_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(report, FINDING_GOOD, format, arguments);
    va_end(arguments);
}

static void USHER_PRINTF(2, 3) topic_note(struct topic_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(report, FINDING_NOTE, format, arguments);
    va_end(arguments);
}

void topic_wrong(struct topic_report *report, enum usher_exit exit_code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(report, FINDING_WRONG, format, arguments);
    va_end(arguments);
    if (report->result == USHER_EXIT_DONE)
        report->result = exit_code;
}

rd_kafka_AdminOptions_t *topic_admin_options(const struct topic_report *report,
                                             rd_kafka_admin_op_t operation)
{
    char text[128];
    rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new(report->kafka, operation);
    rd_kafka_resp_err_t code =
        rd_kafka_AdminOptions_set_request_timeout(options, report->timeout_ms, text, sizeof text);
    assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
    /* Refused where the broker has nothing to wait for, as when it describes. */
    (void)rd_kafka_AdminOptions_set_operation_timeout(options, report->timeout_ms, text,
                                                      sizeof text);
    return options;
}

bool topic_answered(struct topic_report *report, rd_kafka_event_t *event, const char *what)
{
    enum usher_exit exit_code;
    rd_kafka_resp_err_t code = event ? rd_kafka_event_error(event) : RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        return true;
    (void)kafka_status(code, &exit_code);
    topic_wrong(report, exit_code, "topics: could not %s: %s", what, rd_kafka_err2str(code));
    return false;
}

/* ---- partition counts ---- */

static enum usher_status count_partitions(struct topic_report *report, const char *topic,
                                          bool created, int32_t *count, struct usher_error *err)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    int64_t deadline = clock_ms() + report->timeout_ms;
    enum usher_status status =
        kafka_partition_count(report->kafka, topic, report->timeout_ms, count, err);
    while (created && status != USHER_OK && clock_ms() < deadline) {
        nanosleep(&pause, NULL);
        status = kafka_partition_count(report->kafka, topic, report->timeout_ms, count, err);
    }
    return status;
}

/* False: a topic is missing, so there is nothing more to compare. */
static bool count_all(struct topic_report *report, bool created, int32_t *counts)
{
    struct usher_error error;
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        if (count_partitions(report, report->needs[i].name, created, &counts[i], &error) !=
            USHER_OK)
            topic_wrong(report, error.exit_code, "topics: %s", error.text);
    return report->result == USHER_EXIT_DONE;
}

/* Partitions cannot be taken away from a topic: it is replaced, as in deploy/recovery.md. */
static void compare_count(struct topic_report *report, const int32_t *counts, size_t topic,
                          int32_t expected)
{
    if (counts[topic] != expected)
        topic_wrong(report, USHER_EXIT_CONFIG,
                    "topic \"%s\": has %" PRId32 " partition%s, expected %" PRId32
                    ": keys are hashed with that count; with all workers stopped, delete this "
                    "topic, run `usher-worker topics create --partitions %" PRId32
                    "`, then `usher-worker partition accept-topic --topic %s`; another count takes "
                    "topics with a new prefix (USHER_TOPIC_PREFIX) and an empty database",
                    report->needs[topic].name, counts[topic], PLURAL(counts[topic]), expected,
                    expected, topic == REQUESTS ? "requests" : "results");
}

static void compare_counts(struct topic_report *report, const int32_t *counts, int32_t expected)
{
    if (expected > 0) {
        compare_count(report, counts, REQUESTS, expected);
        compare_count(report, counts, RESULTS, expected);
    } else if (counts[RESULTS] != counts[REQUESTS]) {
        topic_wrong(report, USHER_EXIT_CONFIG,
                    "topic \"%s\": has %" PRId32 " partition%s, \"%s\" has %" PRId32
                    ": they must be equal, and as they were at setup: `usher-worker topics check "
                    "--partitions N` with that count says what to do",
                    report->names.results, counts[RESULTS], PLURAL(counts[RESULTS]),
                    report->names.requests, counts[REQUESTS]);
    }
}

/* ---- settings of a topic ---- */

static const char *setting(const rd_kafka_ConfigResource_t *resource, const char *name)
{
    size_t count;
    const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(resource, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rd_kafka_ConfigEntry_name(entries[i]), name) == 0)
            return rd_kafka_ConfigEntry_value(entries[i]);
    return NULL;
}

static void compare_text(struct topic_report *report, const rd_kafka_ConfigResource_t *resource,
                         const char *name, const char *required)
{
    const char *value = setting(resource, name);
    if (value && strcmp(value, required) == 0)
        return;
    topic_wrong(report, USHER_EXIT_CONFIG,
                "topic \"%s\": %s is \"%s\": set it to \"%s\" (kafka-configs.sh --alter --topic %s "
                "--add-config %s=%s)",
                rd_kafka_ConfigResource_name(resource), name, value ? value : "", required,
                rd_kafka_ConfigResource_name(resource), name, required);
}

static void compare_size(struct topic_report *report, const rd_kafka_ConfigResource_t *resource,
                         int required)
{
    const char *value = setting(resource, "max.message.bytes");
    if (value && strtoll(value, NULL, 10) >= required)
        return;
    topic_wrong(report, USHER_EXIT_CONFIG,
                "topic \"%s\": max.message.bytes is \"%s\": set it to %d or more",
                rd_kafka_ConfigResource_name(resource), value ? value : "", required);
}

/* What a batch unpacks to counts against no limit before: see deploy/README.md. */
static void advise_size(struct topic_report *report, const rd_kafka_ConfigResource_t *resource,
                        const struct topic_need *need)
{
    const char *value = setting(resource, "max.message.bytes");
    if (value && strtoll(value, NULL, 10) > need->message_size)
        topic_note(
            report,
            "topic \"%s\": max.message.bytes is %s: no request needs more than %d, and a worker "
            "needs as much memory as the largest batch unpacks to: set it to %d",
            need->name, value, need->message_size, need->message_size);
}

static void compare_settings(struct topic_report *report, const rd_kafka_ConfigResource_t *resource,
                             const struct topic_need *need)
{
    enum usher_exit exit_code;
    rd_kafka_resp_err_t code = rd_kafka_ConfigResource_error(resource);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        (void)kafka_status(code, &exit_code);
        topic_wrong(report, exit_code, "topic \"%s\": could not read its settings: %s", need->name,
                    rd_kafka_err2str(code));
        return;
    }
    for (size_t i = 0; i < topic_setting_count; i++)
        compare_text(report, resource, topic_settings[i].name, topic_settings[i].value);
    compare_size(report, resource, need->message_size);
}

static void describe(struct topic_report *report, const rd_kafka_ConfigResource_t *resource,
                     int32_t partitions)
{
    const char *retention = setting(resource, "retention.ms");
    const char *in_sync = setting(resource, "min.insync.replicas");
    int64_t ms = retention ? strtoll(retention, NULL, 10) : 0;
    char text[40];
    if (ms >= 86400000 && ms % 86400000 == 0)
        snprintf(text, sizeof text, "%" PRId64 " day%s", ms / 86400000, PLURAL(ms / 86400000));
    else if (ms >= 3600000)
        snprintf(text, sizeof text, "%" PRId64 " hour%s", ms / 3600000, PLURAL(ms / 3600000));
    else if (ms < 0)
        snprintf(text, sizeof text, "unlimited");
    else
        snprintf(text, sizeof text, "%s ms", retention ? retention : "?");
    topic_good(report,
               "topic \"%s\": %" PRId32 " partition%s, retention %s, min.insync.replicas %s",
               rd_kafka_ConfigResource_name(resource), partitions, PLURAL(partitions), text,
               in_sync ? in_sync : "?");
    if (in_sync && strcmp(in_sync, "1") == 0)
        report->single_copy = true;
}

static void compare_described(struct topic_report *report, rd_kafka_event_t *event,
                              const int32_t *counts)
{
    size_t count;
    const rd_kafka_ConfigResource_t **resources = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    assert(count == TOPIC_COUNT);
    for (size_t i = 0; i < count; i++)
        compare_settings(report, resources[i], &report->needs[i]);
    for (size_t i = 0; i < count && report->result == USHER_EXIT_DONE; i++)
        describe(report, resources[i], counts[i]);
    advise_size(report, resources[REQUESTS], &report->needs[REQUESTS]);
    if (report->single_copy)
        topic_note(report, "topics: records that only one broker has are lost with it: in "
                           "production use a replication factor of 3 and min.insync.replicas=2");
}

static void check_settings(struct topic_report *report, const int32_t *counts)
{
    rd_kafka_ConfigResource_t *resources[TOPIC_COUNT];
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        resources[i] = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, report->needs[i].name);

    rd_kafka_AdminOptions_t *options =
        topic_admin_options(report, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(report->kafka);
    rd_kafka_DescribeConfigs(report->kafka, resources, TOPIC_COUNT, options, queue);
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, report->timeout_ms + 1000);
    if (topic_answered(report, event, "read their settings"))
        compare_described(report, event, counts);

    if (event)
        rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_ConfigResource_destroy_array(resources, TOPIC_COUNT);
}

void topic_check(struct topic_report *report, int32_t partitions, bool created)
{
    int32_t counts[TOPIC_COUNT];
    if (!count_all(report, created, counts))
        return;
    compare_counts(report, counts, partitions);
    check_settings(report, counts);
}
