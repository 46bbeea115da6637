/*
 * Whether the topic of requests is set to keep each of them until it is decided: see
 * kafka_policy.h.
 */
#include "worker/kafka/kafka_policy.h"

#include <inttypes.h>
#include <string.h>

#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/kafka_reader.h"

enum {
    /* Kafka looks for something to compact every 15 seconds by default. */
    INTERVAL_MS = 10000,
};

/* ---- asking ---- */

static void ask(struct kafka_policy *policy)
{
    policy->asked_ms = clock_ms();
    policy->is_asking = true;
    kafka_reader_describe(kafka_base_reader(policy->base),
                          kafka_base_topics(policy->base)->requests, policy->answers);
}

void kafka_policy_open(struct kafka_policy *policy, struct kafka_base *base,
                       const struct log_context *context)
{
    *policy = (struct kafka_policy){
        .base = base,
        .context = *context,
        .answers = kafka_reader_queue(kafka_base_reader(base)),
    };
    ask(policy);
}

void kafka_policy_close(struct kafka_policy *policy)
{
    rd_kafka_queue_destroy(policy->answers);
}

/* ---- the answer ---- */

static const char *setting(const rd_kafka_ConfigResource_t *topic, const char *name)
{
    size_t count;
    const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(topic, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rd_kafka_ConfigEntry_name(entries[i]), name) == 0)
            return rd_kafka_ConfigEntry_value(entries[i]);
    return NULL;
}

static void judge(struct kafka_policy *policy, const rd_kafka_ConfigResource_t *topic)
{
    const char *cleanup = setting(topic, "cleanup.policy");
    const char *name = rd_kafka_ConfigResource_name(topic);
    if (!cleanup || !strstr(cleanup, "compact"))
        return;
    policy->status = USHER_HALT;
    usher_error_set(&policy->error, USHER_EXIT_CONFIG,
                    "cleanup.policy of the topic \"%s\" is \"%s\": Kafka deletes requests that are "
                    "not decided yet where a later one has the same resource; set it to \"delete\" "
                    "(kafka-configs.sh --alter --topic %s --add-config cleanup.policy=delete)",
                    name, cleanup, name);
}

static void say_denied(struct kafka_policy *policy, const char *topic)
{
    if (!policy->denied)
        log_warning(&policy->context,
                    "could not read the settings of the topic \"%s\": with DescribeConfigs on it, "
                    "a topic that Kafka compacts is noticed",
                    topic);
    policy->denied = true;
}

/* Whatever else is wrong with Kafka, others tell. */
static void learn(struct kafka_policy *policy, rd_kafka_event_t *event)
{
    size_t count = 0;
    policy->is_asking = false;
    if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return;
    const rd_kafka_ConfigResource_t **topics = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    for (size_t i = 0; i < count; i++) {
        rd_kafka_resp_err_t code = rd_kafka_ConfigResource_error(topics[i]);
        policy->is_known = true;
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
            judge(policy, topics[i]);
        else if (code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
            say_denied(policy, rd_kafka_ConfigResource_name(topics[i]));
    }
}

enum usher_status kafka_policy_check(struct kafka_policy *policy, int timeout_ms,
                                     struct usher_error *err)
{
    if (!policy->is_asking && clock_ms() - policy->asked_ms >= INTERVAL_MS)
        ask(policy);
    rd_kafka_event_t *event = NULL;
    if (policy->is_asking)
        event = rd_kafka_queue_poll(policy->answers, policy->is_known ? 0 : timeout_ms);
    if (event) {
        learn(policy, event);
        rd_kafka_event_destroy(event);
    }
    if (policy->status != USHER_OK)
        *err = policy->error;
    return policy->status;
}
