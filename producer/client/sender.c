/* Publishes requests: an idempotent producer that sends each to the partition of its key. */
#include "producer/client/sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/plural.h"
#include "producer/client/descriptor.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"
#include "usher/message.h"

enum {
    OPEN_TIMEOUT_MS = 5000
};

struct sender {
    struct kafka_log log; /* first: the handle's opaque */
    rd_kafka_t *kafka;
    rd_kafka_topic_t *topic;
    int32_t partition_count;
    void *context;
    void (*on_delivery)(void *context, const struct usher_delivery *delivery);
};

/* Without permission to write, for one, an idempotent producer fails as a whole. */
static rd_kafka_resp_err_t cause_of(rd_kafka_t *kafka, rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__FATAL ? rd_kafka_fatal_error(kafka, NULL, 0) : code;
}

static void on_report(rd_kafka_t *kafka, const rd_kafka_message_t *message, void *opaque)
{
    struct sender *sender = opaque;
    struct usher_error err;
    struct usher_delivery delivery = {
        .tag = message->_private,
        .status = USHER_OK,
        .partition = message->partition,
        .offset = message->offset,
    };
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        delivery.status =
            kafka_fail(&err, cause_of(kafka, message->err), "could not publish a request");
        delivery.err = &err;
    }
    if (sender->on_delivery)
        sender->on_delivery(sender->context, &delivery);
}

/* ---- opening ---- */

static enum usher_status make_handle(struct sender *sender, const struct sender_settings *settings,
                                     struct usher_error *err)
{
    char timeout[24];
    enum usher_status status = USHER_OK;
    rd_kafka_conf_t *conf =
        kafka_conf_new(settings->kafka, KAFKA_REQUEST_PRODUCER, &sender->log, err);
    if (!conf)
        return USHER_FATAL;
    rd_kafka_conf_set_dr_msg_cb(conf, on_report);
    if (settings->client_id)
        status = kafka_conf_set(conf, "client.id", settings->client_id, err);
    if (status == USHER_OK && settings->delivery_timeout_ms > 0) {
        snprintf(timeout, sizeof timeout, "%lld", (long long)settings->delivery_timeout_ms);
        status = kafka_conf_set(conf, "message.timeout.ms", timeout, err);
    }
    if (status != USHER_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    sender->kafka = kafka_handle_new(RD_KAFKA_PRODUCER, conf, err);
    return sender->kafka ? USHER_OK : USHER_FATAL;
}

static enum usher_status learn_partitions(struct sender *sender,
                                          const struct usher_topic_names *names,
                                          struct usher_error *err)
{
    int32_t results = 0;
    enum usher_status status = kafka_partition_count(
        sender->kafka, names->requests, OPEN_TIMEOUT_MS, &sender->partition_count, err);
    if (status == USHER_OK)
        status =
            kafka_partition_count(sender->kafka, names->results, OPEN_TIMEOUT_MS, &results, err);
    if (status == USHER_OK && results != sender->partition_count) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not use topic \"%s\": it has %d partition%s, \"%s\" has %d",
                        names->results, results, PLURAL(results), names->requests,
                        sender->partition_count);
        status = USHER_FATAL;
    }
    return status;
}

enum usher_status sender_open(const struct sender_settings *settings, struct sender **sender,
                              struct usher_error *err)
{
    struct usher_topic_names names;
    enum usher_status status = usher_topic_names(settings->kafka->topic_prefix, &names, err);
    *sender = NULL;
    if (status != USHER_OK)
        return status;
    struct sender *opened = memory_calloc(1, sizeof *opened);
    opened->context = settings->context;
    opened->on_delivery = settings->on_delivery;
    status = make_handle(opened, settings, err);
    if (status == USHER_OK)
        status = learn_partitions(opened, &names, err);
    if (status == USHER_OK) {
        opened->topic = rd_kafka_topic_new(opened->kafka, names.requests, NULL);
        if (!opened->topic) {
            (void)kafka_fail(err, rd_kafka_last_error(), "could not use topic \"%s\"",
                             names.requests);
            status = USHER_FATAL;
        }
    }
    if (status == USHER_OK)
        *sender = opened;
    else
        sender_close(opened);
    return status;
}

int32_t sender_partition_count(const struct sender *sender)
{
    return sender->partition_count;
}

int32_t sender_partition_of(const struct sender *sender, const char *resource)
{
    return usher_partition_of(resource, strlen(resource), sender->partition_count);
}

/* ---- sending ---- */

enum usher_status sender_send(struct sender *sender, const struct usher_message *message,
                              struct usher_error *err)
{
    size_t key_size = strlen(message->resource);
    int32_t partition = usher_partition_of(message->resource, key_size, sender->partition_count);
    /* librdkafka only copies the payload (MSG_F_COPY), though its prototype is not const. */
    void *data;
    memcpy(&data, &message->data, sizeof data);
    if (rd_kafka_produce(sender->topic, partition, RD_KAFKA_MSG_F_COPY, data, message->size,
                         message->resource, key_size, message->tag) == 0)
        return USHER_OK;
    return kafka_fail(err, cause_of(sender->kafka, rd_kafka_last_error()),
                      "could not queue a request");
}

enum usher_status sender_poll(struct sender *sender, int timeout_ms, int *served,
                              struct usher_error *err)
{
    char reason[256];
    enum usher_exit exit_code;
    *served = rd_kafka_poll(sender->kafka, timeout_ms);
    int refusal = atomic_load(&sender->log.refusal);
    if (refusal != 0)
        return kafka_fail(err, (rd_kafka_resp_err_t)refusal, "could not log in to Kafka");
    if (rd_kafka_fatal_error(sender->kafka, reason, sizeof reason) == RD_KAFKA_RESP_ERR_NO_ERROR)
        return USHER_OK;
    (void)kafka_status(cause_of(sender->kafka, RD_KAFKA_RESP_ERR__FATAL), &exit_code);
    usher_error_set(err, exit_code == USHER_EXIT_DENIED ? exit_code : USHER_EXIT_UNAVAILABLE,
                    "could not go on publishing: %s", reason);
    return USHER_FATAL;
}

void sender_descriptor(struct sender *sender, int descriptor)
{
    rd_kafka_queue_t *events = rd_kafka_queue_get_main(sender->kafka);
    descriptor_on(events, descriptor);
    rd_kafka_queue_destroy(events);
}

size_t sender_pending(const struct sender *sender)
{
    int count = rd_kafka_outq_len(sender->kafka);
    return count < 0 ? 0 : (size_t)count;
}

void sender_close(struct sender *sender)
{
    if (!sender)
        return;
    if (sender->topic)
        rd_kafka_topic_destroy(sender->topic);
    if (sender->kafka)
        rd_kafka_destroy(sender->kafka);
    free(sender);
}
