/* Makes the topics and checks what is there: see kafka_topics.h. */
#include "worker/kafka/kafka_topics.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/clock.h"
#include "worker/kafka/kafka_topic_check.h"

/* One session with Kafka: a client of no group, and the report of what was found. */
static enum usher_exit report_open(struct topic_report *report,
                                   const struct usher_kafka_settings *settings,
                                   const struct kafka_topic_plan *plan, FILE *out)
{
    struct usher_error error;
    *report = (struct topic_report){.plan = plan, .out = out, .result = USHER_EXIT_DONE};
    if (usher_topic_names(settings->topic_prefix, &report->names, &error) != USHER_OK) {
        topic_wrong(report, error.exit_code, "kafka: %s", error.text);
        return report->result;
    }
    /* A consumer: a producer's questions would make missing topics on some brokers. */
    rd_kafka_conf_t *conf = kafka_conf_new(settings, KAFKA_ADMIN, &report->log, &error);
    report->kafka = conf == NULL ? NULL : kafka_handle_new(RD_KAFKA_CONSUMER, conf, &error);
    if (report->kafka == NULL)
        topic_wrong(report, error.exit_code, "kafka: %s", error.text);
    return report->result;
}

static enum usher_exit report_close(struct topic_report *report)
{
    if (report->kafka != NULL)
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
    int64_t deadline = clock_ms() + report->plan->timeout_ms;
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
    rd_kafka_resp_err_t code = ask_brokers(report, &metadata);
    enum usher_exit exit_code;
    (void)kafka_status(code, &exit_code);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        topic_good(report, "kafka: %d broker%s at \"%s\", client library %s", metadata->broker_cnt,
                   metadata->broker_cnt == 1 ? "" : "s", brokers, rd_kafka_version_str());
        rd_kafka_metadata_destroy(metadata);
    } else if (exit_code == USHER_EXIT_DENIED) {
        topic_wrong(report, exit_code,
                    "kafka: access denied at \"%s\": check USHER_KAFKA_USERNAME, "
                    "USHER_KAFKA_PASSWORD and USHER_KAFKA_SASL_MECHANISM",
                    brokers);
    } else {
        topic_wrong(report, exit_code,
                    "kafka: no broker answers at \"%s\" (%s): start it, or check "
                    "USHER_KAFKA_BROKERS and USHER_KAFKA_SECURITY",
                    brokers, rd_kafka_err2str(code));
    }
}

/* ---- making ---- */

static rd_kafka_NewTopic_t *new_topic(const struct kafka_topic_plan *plan,
                                      const struct topic_need *need)
{
    char text[128], retention[24], size[24];
    rd_kafka_NewTopic_t *topic =
        rd_kafka_NewTopic_new(need->name, plan->partitions, plan->replication, text, sizeof(text));
    assert(topic != NULL);
    snprintf(retention, sizeof(retention), "%" PRId64, plan->retention_ms);
    snprintf(size, sizeof(size), "%d", need->message_size);
    rd_kafka_NewTopic_set_config(topic, "cleanup.policy", "delete");
    rd_kafka_NewTopic_set_config(topic, "message.timestamp.type", "LogAppendTime");
    rd_kafka_NewTopic_set_config(topic, "retention.ms", retention);
    rd_kafka_NewTopic_set_config(topic, "max.message.bytes", size);
    /* What is acknowledged outlives the loss of any one broker, and the loss of one stops nobody.
     */
    if (plan->replication >= 3)
        rd_kafka_NewTopic_set_config(topic, "min.insync.replicas", "2");
    return topic;
}

/* The event as a whole tells of no error where a topic was refused: each is looked at. */
static void report_created(struct topic_report *report, const rd_kafka_topic_result_t *result)
{
    const char *name = rd_kafka_topic_result_name(result);
    rd_kafka_resp_err_t code = rd_kafka_topic_result_error(result);
    enum usher_exit exit_code;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        topic_good(report, "topic \"%s\": made, %" PRId32 " partitions", name,
                   report->plan->partitions);
    } else if (code != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
        const char *reason = rd_kafka_topic_result_error_string(result);
        (void)kafka_status(code, &exit_code);
        topic_wrong(report, exit_code, "topic \"%s\": could not make it: %s", name,
                    reason != NULL ? reason : rd_kafka_err2str(code));
    }
}

static void report_creation(struct topic_report *report, rd_kafka_event_t *event)
{
    enum usher_exit exit_code;
    rd_kafka_resp_err_t code =
        event == NULL ? RD_KAFKA_RESP_ERR__TIMED_OUT : rd_kafka_event_error(event);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        (void)kafka_status(code, &exit_code);
        topic_wrong(report, exit_code, "topics: could not make them: %s", rd_kafka_err2str(code));
        return;
    }
    size_t count;
    const rd_kafka_topic_result_t **results =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
    for (size_t i = 0; i < count; i++)
        report_created(report, results[i]);
}

static void make_topics(struct topic_report *report)
{
    struct topic_need needs[TOPIC_COUNT];
    rd_kafka_NewTopic_t *topics[TOPIC_COUNT];
    topic_needs(report, needs);
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        topics[i] = new_topic(report->plan, &needs[i]);

    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(report->kafka, RD_KAFKA_ADMIN_OP_CREATETOPICS);
    topic_set_timeouts(report, options);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(report->kafka);
    rd_kafka_CreateTopics(report->kafka, topics, TOPIC_COUNT, options, queue);
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, report->plan->timeout_ms + 1000);
    report_creation(report, event);

    if (event != NULL)
        rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_NewTopic_destroy_array(topics, TOPIC_COUNT);
}

/* ---- entry ---- */

enum usher_exit kafka_topics_create(const struct usher_kafka_settings *settings,
                                    const struct kafka_topic_plan *plan, FILE *out)
{
    struct topic_report report;
    if (report_open(&report, settings, plan, out) == USHER_EXIT_DONE)
        reach_brokers(&report, settings->brokers);
    if (report.result == USHER_EXIT_DONE)
        make_topics(&report);
    if (report.result == USHER_EXIT_DONE)
        topic_check(&report, true);
    return report_close(&report);
}

enum usher_exit kafka_check(const struct usher_kafka_settings *settings,
                            const struct kafka_topic_plan *plan, FILE *out)
{
    struct topic_report report;
    if (report_open(&report, settings, plan, out) == USHER_EXIT_DONE)
        reach_brokers(&report, settings->brokers);
    if (report.result == USHER_EXIT_DONE)
        topic_check(&report, false);
    return report_close(&report);
}
