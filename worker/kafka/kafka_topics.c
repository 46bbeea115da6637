/*
 * Creates the topics as the protocol requires, and tells what is wrong with existing ones. For
 * `topics create|check` and `check`; knows nothing of options.
 */
#include "worker/kafka/kafka_topics.h"

#include <assert.h>
#include <inttypes.h>
#include <librdkafka/rdkafka.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/kafka/kafka_errors.h"

/* ---- what the protocol requires ---- */

enum {
    TOPIC_COUNT = 3
};

/* A topic, and the size of the messages that it must accept (protocol, "sizes"). */
struct topic_need {
    const char *name;
    int message_size;
};

/* A setting that every topic must have. */
struct topic_setting {
    const char *name, *value;
};

/* Where the findings go, and the exit code that follows from them. */
struct topic_report {
    struct topic_need needs[TOPIC_COUNT]; /* requests, results, dead letters */
    struct usher_topic_names names;
    int timeout_ms; /* deadline of each request to Kafka */
    struct kafka_log log;
    rd_kafka_t *kafka;
    const struct findings *findings;
    bool single_copy;       /* a topic acknowledges what only one broker has */
    enum usher_exit result; /* DONE until something is wrong, then the exit code of the first */
};

enum {
    REQUESTS = 0, /* indexes of topics */
    RESULTS,
};

static const struct topic_setting topic_settings[] = {
    {"cleanup.policy", "delete"},
    {"message.timestamp.type", "LogAppendTime"},
};

static const size_t topic_setting_count = sizeof topic_settings / sizeof *topic_settings;

/* ---- findings ---- */

enum {
    TEXT_SIZE = 1024
};

static void USHER_PRINTF(3, 0)
    report_finding(const struct topic_report *report, enum finding_level level, const char *format,
                   va_list arguments)
{
    char text[TEXT_SIZE];
    vsnprintf(text, sizeof text, format, arguments);
    report->findings->report(report->findings->context, level, text);
}

static void USHER_PRINTF(2, 3) topic_good(struct topic_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_finding(report, FINDING_GOOD, format, arguments);
    va_end(arguments);
}

static void USHER_PRINTF(2, 3) topic_note(struct topic_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_finding(report, FINDING_NOTE, format, arguments);
    va_end(arguments);
}

static void USHER_PRINTF(2, 3) topic_warning(struct topic_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_finding(report, FINDING_WARNING, format, arguments);
    va_end(arguments);
}

static void USHER_PRINTF(3, 4)
    topic_wrong(struct topic_report *report, enum usher_exit exit_code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_finding(report, FINDING_WRONG, format, arguments);
    va_end(arguments);
    if (report->result == USHER_EXIT_DONE)
        report->result = exit_code;
}

/* Returns the options of an admin request with the report's deadline; owned by the caller. */
static rd_kafka_AdminOptions_t *topic_admin_options(const struct topic_report *report,
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

/* Whether an admin request was answered; if not, reports that it could not `what`. */
static bool topic_answered(struct topic_report *report, rd_kafka_event_t *event, const char *what)
{
    enum usher_exit exit_code;
    rd_kafka_resp_err_t code = event ? rd_kafka_event_error(event) : RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        return true;
    (void)kafka_status(code, &exit_code);
    topic_wrong(report, exit_code, "topics: could not %s: %s", what, rd_kafka_err2str(code));
    return false;
}

/* Waits until a broker may know a topic that was just created. */
static void topic_pause(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
}

/* ---- partition counts ---- */

static enum usher_status count_partitions(struct topic_report *report, const char *topic,
                                          bool created, int32_t *count, struct usher_error *err)
{
    int64_t deadline = clock_ms() + report->timeout_ms;
    enum usher_status status =
        kafka_partition_count(report->kafka, topic, report->timeout_ms, count, err);
    while (created && status != USHER_OK && clock_ms() < deadline) {
        topic_pause();
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
                    "`, then `usher-worker partition accept-topic --topic %s`; another count needs "
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

/* Returns the settings of all topics, or NULL where no broker answered; owned by the caller. */
static rd_kafka_event_t *ask_settings(struct topic_report *report)
{
    rd_kafka_ConfigResource_t *resources[TOPIC_COUNT];
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        resources[i] = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, report->needs[i].name);

    rd_kafka_AdminOptions_t *options =
        topic_admin_options(report, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(report->kafka);
    rd_kafka_DescribeConfigs(report->kafka, resources, TOPIC_COUNT, options, queue);
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, report->timeout_ms + 1000);

    rd_kafka_queue_destroy(queue);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_ConfigResource_destroy_array(resources, TOPIC_COUNT);
    return event;
}

/* Whether the broker that answered does not know each topic. */
static bool settings_unknown(rd_kafka_event_t *event)
{
    size_t count = 0;
    if (!event || rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return false;
    const rd_kafka_ConfigResource_t **resources = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    for (size_t i = 0; i < count; i++)
        if (rd_kafka_ConfigResource_error(resources[i]) == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
            return true;
    return false;
}

/* Of several brokers another one may be asked for the settings than for the counts. */
static void check_settings(struct topic_report *report, bool created, const int32_t *counts)
{
    int64_t deadline = clock_ms() + report->timeout_ms;
    rd_kafka_event_t *event = ask_settings(report);
    while (created && settings_unknown(event) && clock_ms() < deadline) {
        rd_kafka_event_destroy(event);
        topic_pause();
        event = ask_settings(report);
    }
    if (topic_answered(report, event, "read their settings"))
        compare_described(report, event, counts);
    if (event)
        rd_kafka_event_destroy(event);
}

/*
 * Checks all topics. `partitions` is the expected count, 0: any. `created`: they were just created,
 * so a broker may not know them yet.
 */
static void topic_check(struct topic_report *report, int32_t partitions, bool created)
{
    int32_t counts[TOPIC_COUNT];
    if (!count_all(report, created, counts))
        return;
    compare_counts(report, counts, partitions);
    check_settings(report, created, counts);
}

/* ---- what brokers allow to transactions ---- */

/*
 * An open transaction keeps all requests behind it waiting. Kafka ends one that its client left
 * open, after the client's time-out and until the brokers look at it next.
 */

static const struct {
    const char *name;
    int64_t most;
} transaction_limits[] = {
    {"transaction.max.timeout.ms", 60000},
    {"transaction.abort.timed.out.transaction.cleanup.interval.ms", 1000},
};

/* Kafka has it from 3.6 on. */
static const char verification[] = "transaction.partition.verification.enable";

static void compare_limits(struct topic_report *report, const rd_kafka_ConfigResource_t *broker)
{
    const char *id = rd_kafka_ConfigResource_name(broker);
    const char *verified = setting(broker, verification);
    for (size_t i = 0; i < sizeof transaction_limits / sizeof *transaction_limits; i++) {
        const char *name = transaction_limits[i].name;
        const char *value = setting(broker, name);
        if (!value)
            topic_note(report, "kafka: broker %s does not tell its %s", id, name);
        else if (strtoll(value, NULL, 10) > transaction_limits[i].most)
            topic_warning(report,
                          "kafka: broker %s: %s is %s: set it to %" PRId64
                          " or less, or a client that dies in a transaction keeps its partitions "
                          "waiting for longer",
                          id, name, value, transaction_limits[i].most);
    }
    if (!verified || strcmp(verified, "true") != 0)
        topic_warning(report,
                      "kafka: broker %s: it is older than Kafka 3.6, or %s is off: a transaction "
                      "may stay open for ever, and keep its partitions waiting",
                      id, verification);
}

static void compare_broker(struct topic_report *report, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_ConfigResource_t **brokers = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    for (size_t i = 0; i < count; i++) {
        rd_kafka_resp_err_t code = rd_kafka_ConfigResource_error(brokers[i]);
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
            compare_limits(report, brokers[i]);
        else
            topic_note(report,
                       "kafka: could not read how long broker %s allows transactions to be open: "
                       "%s; with DescribeConfigs on the cluster it is checked",
                       rd_kafka_ConfigResource_name(brokers[i]), rd_kafka_err2str(code));
    }
}

/* A broker tells its own settings only. */
static void check_broker(struct topic_report *report, int32_t id)
{
    char name[16];
    snprintf(name, sizeof name, "%" PRId32, id);
    rd_kafka_ConfigResource_t *broker = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_BROKER, name);
    rd_kafka_AdminOptions_t *options =
        topic_admin_options(report, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(report->kafka);
    rd_kafka_DescribeConfigs(report->kafka, &broker, 1, options, queue);
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, report->timeout_ms + 1000);
    rd_kafka_resp_err_t code = event ? rd_kafka_event_error(event) : RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        compare_broker(report, event);
    else
        topic_note(report, "kafka: could not read the settings of broker %s: %s", name,
                   rd_kafka_err2str(code));
    if (event)
        rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_ConfigResource_destroy(broker);
}

static void check_brokers(struct topic_report *report)
{
    const struct rd_kafka_metadata *metadata = NULL;
    if (rd_kafka_metadata(report->kafka, 0, NULL, &metadata, report->timeout_ms) !=
        RD_KAFKA_RESP_ERR_NO_ERROR)
        return; /* it has just answered */
    for (int i = 0; i < metadata->broker_cnt; i++)
        check_broker(report, metadata->brokers[i].id);
    rd_kafka_metadata_destroy(metadata);
}

/* ---- creating and checking ---- */

/* Connects a client that is a member of no group. */
static enum usher_exit report_open(struct topic_report *report,
                                   const struct usher_kafka_settings *settings,
                                   const struct kafka_topic_plan *plan,
                                   const struct findings *findings)
{
    struct usher_error error;
    *report = (struct topic_report){
        .timeout_ms = plan->timeout_ms, .findings = findings, .result = USHER_EXIT_DONE};
    if (usher_topic_names(settings->topic_prefix, &report->names, &error) != USHER_OK) {
        topic_wrong(report, error.exit_code, "kafka: %s", error.text);
        return report->result;
    }
    report->needs[0] = (struct topic_need){report->names.requests, 1100000};
    report->needs[1] = (struct topic_need){report->names.results, 1100000};
    report->needs[2] = (struct topic_need){report->names.dead_letters, 1200000};
    /* A consumer: a producer's metadata requests would create missing topics on some brokers. */
    rd_kafka_conf_t *conf = kafka_conf_new(settings, KAFKA_ADMIN, &report->log, &error);
    report->kafka = conf ? kafka_handle_new(RD_KAFKA_CONSUMER, conf, &error) : NULL;
    if (!report->kafka)
        topic_wrong(report, error.exit_code, "kafka: %s", error.text);
    return report->result;
}

static enum usher_exit report_close(struct topic_report *report)
{
    if (report->kafka)
        rd_kafka_destroy(report->kafka);
    return report->result;
}

/* ---- reaching brokers ---- */

static rd_kafka_resp_err_t ask_brokers(struct topic_report *report,
                                       const struct rd_kafka_metadata **metadata)
{
    enum {
        TRY_MS = 500
    };
    int64_t deadline = clock_ms() + report->timeout_ms;
    rd_kafka_resp_err_t code;
    do {
        code = rd_kafka_metadata(report->kafka, 0, NULL, metadata, TRY_MS);
        rd_kafka_poll(report->kafka, 0);
        /* A wrong password looks like a broker that never answers. */
        int refusal = atomic_load(&report->log.refusal);
        if (code != RD_KAFKA_RESP_ERR_NO_ERROR && refusal != 0)
            code = (rd_kafka_resp_err_t)refusal;
    } while (kafka_status(code, NULL) == USHER_RETRY && clock_ms() < deadline);
    return code;
}

static void reach_brokers(struct topic_report *report, const char *brokers)
{
    const struct rd_kafka_metadata *metadata = NULL;
    struct usher_error refused;
    rd_kafka_resp_err_t code = ask_brokers(report, &metadata);
    enum usher_exit exit_code;
    (void)kafka_status(code, &exit_code);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        topic_good(report, "kafka: %d broker%s at \"%s\", librdkafka %s", metadata->broker_cnt,
                   PLURAL(metadata->broker_cnt), brokers, rd_kafka_version_str());
        rd_kafka_metadata_destroy(metadata);
    } else if (exit_code == USHER_EXIT_DENIED) {
        topic_wrong(report, exit_code, "kafka: access denied at \"%s\": %s", brokers,
                    kafka_login_advice(report->kafka));
    } else if (kafka_certificate_refused(&report->log, brokers, &refused)) {
        topic_wrong(report, refused.exit_code, "kafka: %s", refused.text);
    } else {
        topic_wrong(report, exit_code,
                    "kafka: no broker answers at \"%s\" (%s): start it, or check "
                    "USHER_KAFKA_BROKERS and USHER_KAFKA_SECURITY",
                    brokers, rd_kafka_err2str(code));
    }
}

/* ---- creating ---- */

static rd_kafka_NewTopic_t *new_topic(const struct kafka_topic_plan *plan,
                                      const struct topic_need *need)
{
    char text[128], retention[24], size[24];
    rd_kafka_NewTopic_t *topic =
        rd_kafka_NewTopic_new(need->name, plan->partitions, plan->replication, text, sizeof text);
    assert(topic);
    snprintf(retention, sizeof retention, "%" PRId64, plan->retention_ms);
    snprintf(size, sizeof size, "%d", need->message_size);
    for (size_t i = 0; i < topic_setting_count; i++)
        rd_kafka_NewTopic_set_config(topic, topic_settings[i].name, topic_settings[i].value);
    rd_kafka_NewTopic_set_config(topic, "retention.ms", retention);
    rd_kafka_NewTopic_set_config(topic, "max.message.bytes", size);
    /* Acknowledged records survive the loss of a broker, and the loss of one blocks no write. */
    if (plan->replication >= 3)
        rd_kafka_NewTopic_set_config(topic, "min.insync.replicas", "2");
    return topic;
}

/* The event as a whole reports no error where a topic was refused. */
static void report_created(struct topic_report *report, const rd_kafka_topic_result_t *result,
                           int32_t partitions)
{
    const char *name = rd_kafka_topic_result_name(result);
    rd_kafka_resp_err_t code = rd_kafka_topic_result_error(result);
    enum usher_exit exit_code;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        topic_good(report, "topic \"%s\": created, %" PRId32 " partition%s", name, partitions,
                   PLURAL(partitions));
    } else if (code != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
        const char *reason = rd_kafka_topic_result_error_string(result);
        (void)kafka_status(code, &exit_code);
        topic_wrong(report, exit_code, "topic \"%s\": could not create it: %s", name,
                    reason ? reason : rd_kafka_err2str(code));
    }
}

static void create_topics(struct topic_report *report, const struct kafka_topic_plan *plan)
{
    rd_kafka_NewTopic_t *topics[TOPIC_COUNT];
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        topics[i] = new_topic(plan, &report->needs[i]);

    rd_kafka_AdminOptions_t *options = topic_admin_options(report, RD_KAFKA_ADMIN_OP_CREATETOPICS);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(report->kafka);
    rd_kafka_CreateTopics(report->kafka, topics, TOPIC_COUNT, options, queue);
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, report->timeout_ms + 1000);
    size_t count = 0;
    const rd_kafka_topic_result_t **results = NULL;
    if (topic_answered(report, event, "create them"))
        results =
            rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
    for (size_t i = 0; i < count; i++)
        report_created(report, results[i], plan->partitions);

    if (event)
        rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_NewTopic_destroy_array(topics, TOPIC_COUNT);
}

/* ---- entry ---- */

enum usher_exit kafka_topics_create(const struct usher_kafka_settings *settings,
                                    const struct kafka_topic_plan *plan,
                                    const struct findings *findings)
{
    struct topic_report report;
    if (report_open(&report, settings, plan, findings) == USHER_EXIT_DONE)
        reach_brokers(&report, settings->brokers);
    if (report.result == USHER_EXIT_DONE)
        create_topics(&report, plan);
    if (report.result == USHER_EXIT_DONE)
        topic_check(&report, plan->partitions, true);
    return report_close(&report);
}

enum usher_exit kafka_check(const struct usher_kafka_settings *settings,
                            const struct kafka_topic_plan *plan, const struct findings *findings)
{
    struct topic_report report;
    if (report_open(&report, settings, plan, findings) == USHER_EXIT_DONE)
        reach_brokers(&report, settings->brokers);
    if (report.result == USHER_EXIT_DONE)
        topic_check(&report, plan->partitions, false);
    if (report.result == USHER_EXIT_DONE)
        check_brokers(&report);
    return report_close(&report);
}
