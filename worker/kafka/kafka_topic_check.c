/* Compares topics with what the protocol needs: see kafka_topic_check.h. */
#include "worker/kafka/kafka_topic_check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "producer/base/clock.h"

enum {
    REQUESTS = 0, /* places in arrays of topics */
    RESULTS,
    DEAD_LETTERS,
};

/* ---- lines ---- */

static void USHER_PRINTF(3, 0)
    print_line(FILE *out, const char *word, const char *format, va_list arguments)
{
    fprintf(out, "%s ", word);
    vfprintf(out, format, arguments);
    fputc('\n', out);
}

void topic_good(struct topic_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(report->out, "ok", format, arguments);
    va_end(arguments);
}

static void USHER_PRINTF(2, 3) topic_note(struct topic_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(report->out, "note", format, arguments);
    va_end(arguments);
}

void topic_wrong(struct topic_report *report, enum usher_exit exit_code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(report->out, "wrong", format, arguments);
    va_end(arguments);
    if (report->result == USHER_EXIT_DONE)
        report->result = exit_code;
}

void topic_needs(const struct topic_report *report, struct topic_need needs[TOPIC_COUNT])
{
    needs[REQUESTS] = (struct topic_need){report->names.requests, 1100000};
    needs[RESULTS] = (struct topic_need){report->names.results, 1100000};
    needs[DEAD_LETTERS] = (struct topic_need){report->names.dead_letters, 1200000};
}

void topic_set_timeouts(const struct topic_report *report, rd_kafka_AdminOptions_t *options)
{
    char text[128];
    int timeout_ms = report->plan->timeout_ms;
    rd_kafka_resp_err_t code =
        rd_kafka_AdminOptions_set_request_timeout(options, timeout_ms, text, sizeof(text));
    assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
    /* Describing has no operation of its own to wait for. */
    (void)rd_kafka_AdminOptions_set_operation_timeout(options, timeout_ms, text, sizeof(text));
}

/* ---- partition counts ---- */

static enum usher_status count_partitions(struct topic_report *report, const char *topic,
                                          bool fresh, int32_t *count, struct usher_error *err)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    int64_t deadline = clock_ms() + report->plan->timeout_ms;
    enum usher_status status =
        kafka_partition_count(report->kafka, topic, report->plan->timeout_ms, count, err);
    while (fresh && status != USHER_OK && clock_ms() < deadline) {
        nanosleep(&pause, NULL);
        status = kafka_partition_count(report->kafka, topic, report->plan->timeout_ms, count, err);
    }
    return status;
}

/* False where a topic is not to be had: then there is nothing more to compare. */
static bool count_all(struct topic_report *report, const struct topic_need *needs, bool fresh,
                      int32_t *counts)
{
    struct usher_error error;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        if (count_partitions(report, needs[i].name, fresh, &counts[i], &error) == USHER_OK)
            continue;
        topic_wrong(report, error.exit_code, "topics: %s", error.text);
    }
    return report->result == USHER_EXIT_DONE;
}

static void compare_counts(struct topic_report *report, const struct topic_need *needs,
                           const int32_t *counts)
{
    int32_t planned = report->plan->partitions;
    if (counts[RESULTS] != counts[REQUESTS])
        topic_wrong(report, USHER_EXIT_CONFIG,
                    "topic \"%s\": has %" PRId32 " partitions, \"%s\" has %" PRId32
                    ": they must be equal, delete the one that is empty and make it anew",
                    needs[RESULTS].name, counts[RESULTS], needs[REQUESTS].name, counts[REQUESTS]);
    if (planned > 0 && counts[REQUESTS] != planned)
        topic_wrong(report, USHER_EXIT_CONFIG,
                    "topic \"%s\": has %" PRId32 " partitions, expected %" PRId32
                    ": keys are hashed with that count, so it can only be changed by setting up "
                    "topics with a new prefix (USHER_TOPIC_PREFIX) and an empty database",
                    needs[REQUESTS].name, counts[REQUESTS], planned);
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
                         const char *name, const char *needed)
{
    const char *value = setting(resource, name);
    if (value != NULL && strcmp(value, needed) == 0)
        return;
    topic_wrong(report, USHER_EXIT_CONFIG, "topic \"%s\": %s is \"%s\": set it to \"%s\"",
                rd_kafka_ConfigResource_name(resource), name, value != NULL ? value : "", needed);
}

static void compare_size(struct topic_report *report, const rd_kafka_ConfigResource_t *resource,
                         int needed)
{
    const char *value = setting(resource, "max.message.bytes");
    if (value != NULL && strtoll(value, NULL, 10) >= needed)
        return;
    topic_wrong(report, USHER_EXIT_CONFIG,
                "topic \"%s\": max.message.bytes is \"%s\": set it to %d or more",
                rd_kafka_ConfigResource_name(resource), value != NULL ? value : "", needed);
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
    compare_text(report, resource, "cleanup.policy", "delete");
    compare_text(report, resource, "message.timestamp.type", "LogAppendTime");
    compare_size(report, resource, need->message_size);
}

static void describe_good(struct topic_report *report, const rd_kafka_ConfigResource_t *resource,
                          int32_t partitions)
{
    const char *retention = setting(resource, "retention.ms");
    const char *in_sync = setting(resource, "min.insync.replicas");
    int64_t hours = retention == NULL ? -1 : strtoll(retention, NULL, 10) / 3600000;
    char kept[40];
    if (hours <= 0)
        snprintf(kept, sizeof(kept), "%s ms", retention != NULL ? retention : "?");
    else
        snprintf(kept, sizeof(kept), "%" PRId64 " hours", hours);
    bool for_ever = retention != NULL && strcmp(retention, "-1") == 0;
    topic_good(report, "topic \"%s\": %" PRId32 " partitions, kept %s, min.insync.replicas %s",
               rd_kafka_ConfigResource_name(resource), partitions, for_ever ? "for ever" : kept,
               in_sync != NULL ? in_sync : "?");
    if (in_sync != NULL && strcmp(in_sync, "1") == 0)
        report->one_copy = true;
}

static void compare_described(struct topic_report *report, rd_kafka_event_t *event,
                              const struct topic_need *needs, const int32_t *counts)
{
    enum usher_exit exit_code;
    rd_kafka_resp_err_t code =
        event == NULL ? RD_KAFKA_RESP_ERR__TIMED_OUT : rd_kafka_event_error(event);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        (void)kafka_status(code, &exit_code);
        topic_wrong(report, exit_code, "topics: could not read their settings: %s",
                    rd_kafka_err2str(code));
        return;
    }
    size_t count;
    const rd_kafka_ConfigResource_t **resources = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    assert(count == TOPIC_COUNT);
    for (size_t i = 0; i < count; i++)
        compare_settings(report, resources[i], &needs[i]);
    for (size_t i = 0; i < count && report->result == USHER_EXIT_DONE; i++)
        describe_good(report, resources[i], counts[i]);
    if (report->one_copy)
        topic_note(report, "topics: what only one broker has is lost with it: for production "
                           "replicate three times and set min.insync.replicas=2");
}

static void check_settings(struct topic_report *report, const struct topic_need *needs,
                           const int32_t *counts)
{
    rd_kafka_ConfigResource_t *resources[TOPIC_COUNT];
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        resources[i] = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, needs[i].name);

    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(report->kafka, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    topic_set_timeouts(report, options);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(report->kafka);
    rd_kafka_DescribeConfigs(report->kafka, resources, TOPIC_COUNT, options, queue);
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, report->plan->timeout_ms + 1000);
    compare_described(report, event, needs, counts);

    if (event != NULL)
        rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_ConfigResource_destroy_array(resources, TOPIC_COUNT);
}

void topic_check(struct topic_report *report, bool fresh)
{
    struct topic_need needs[TOPIC_COUNT];
    int32_t counts[TOPIC_COUNT];
    topic_needs(report, needs);
    if (!count_all(report, needs, fresh, counts))
        return;
    compare_counts(report, needs, counts);
    check_settings(report, needs, counts);
}
