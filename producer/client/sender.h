/*
 * Publishes requests: an idempotent producer that sends each to the partition of its key. Used by
 * the client and by the load generator. Does not know answers.
 */
#ifndef USHER_PRODUCER_CLIENT_SENDER_H
#define USHER_PRODUCER_CLIENT_SENDER_H

#include "usher/client.h"

struct sender;

struct sender_settings {
    const struct usher_kafka_settings *kafka;
    const char *client_id;       /* NULL: "usher" */
    int64_t delivery_timeout_ms; /* 0: 30 s */
    void *context;
    void (*on_delivery)(void *context, const struct usher_delivery *delivery); /* may be NULL */
};

/* Connects. Statuses as usher_client_open. Closed with sender_close. */
USHER_MUST_CHECK enum usher_status sender_open(const struct sender_settings *settings,
                                               struct sender **sender, struct usher_error *err);

/* Partitions of the request topic (and of the result topic), when it was opened. */
int32_t sender_partition_count(const struct sender *sender);

/* The partition of a resource. */
int32_t sender_partition_of(const struct sender *sender, const char *resource);

/* Queues a copy. OK: one on_delivery will come. RETRY: the queue is full. REJECT: too large. */
USHER_MUST_CHECK enum usher_status
sender_send(struct sender *sender, const struct usher_message *message, struct usher_error *err);

/*
 * Serves deliveries, waiting up to timeout_ms for the first; `served` is how many events there
 * were. FATAL: access denied, or the producer's sequence is broken.
 */
USHER_MUST_CHECK enum usher_status sender_poll(struct sender *sender, int timeout_ms, int *served,
                                               struct usher_error *err);

/* Lets the descriptor be readable (descriptor.h) when there may be deliveries to serve. */
void sender_descriptor(struct sender *sender, int descriptor);

/* Messages without a delivery report so far. */
size_t sender_pending(const struct sender *sender);

/* Drops what is queued, without callbacks. NULL is legal. */
void sender_close(struct sender *sender);

#endif
