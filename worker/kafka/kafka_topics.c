/* Creates and checks the topics: see kafka_topics.h. */
#include "worker/kafka/kafka_topics.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/kafka_topic_check.h"

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
    return report_close(&report);
}
