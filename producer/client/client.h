/*
 * What a client is made of: a sender, an idempotent producer that sends each request to the
 * partition of its key, and the table of messages in flight, found by id when an answer arrives.
 * For the client, and for tests/bench/load.
 */
#ifndef USHER_PRODUCER_CLIENT_CLIENT_H
#define USHER_PRODUCER_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/client.h"

struct sender;
struct pending_block;

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

/* Messages without a delivery report so far. */
size_t sender_pending(const struct sender *sender);

/* Drops what is queued, without callbacks. NULL is legal. */
void sender_close(struct sender *sender);

/*
 * ==== Requests that others send ====
 *
 * A client that finds the answers to what another producer publishes: a seller's transaction.
 */

/*
 * Reads the answers of that resource from now on, as before the first message that waits: to be
 * called before the request is published. FATAL as usher_client_send.
 */
USHER_MUST_CHECK enum usher_status client_follow(struct usher_client *client, const char *resource,
                                                 struct usher_error *err);

/* Waits for the answer as after usher_client_send, without a delivery: one on_reply will come. */
void client_await(struct usher_client *client, const char *resource, const char *request_id,
                  void *tag);

/*
 * ==== Messages in flight ====
 *
 * The messages in flight: found by request id and resource when an answer arrives, and in order of
 * sending for their timeouts. Does not know Kafka.
 */

/* One message. It stays where it is in memory until it is removed. */
struct pending_entry {
    void *tag;
    int64_t deadline_ms; /* of the answer */
    bool waiting;        /* for the answer; set by pending_await */
    bool undelivered;    /* the delivery report is outstanding; kept by the caller */
    uint8_t id_size, resource_size;
    char id[64], resource[64];                  /* not NUL-terminated */
    struct pending_entry *older, *newer, *next; /* of those that wait; in the same bucket */
};

/* Zero-initialise to make an empty one. */
struct pending {
    size_t count; /* entries in use */
    size_t waiting_count;
    struct pending_entry *oldest, *newest; /* of those that wait */
    struct pending_entry **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    struct pending_entry *free;
    struct pending_block *blocks;
};

/* Returns a new entry, zeroed; valid until pending_remove. */
struct pending_entry *pending_add(struct pending *pending);

/*
 * Lets an entry wait for the answer to that id and resource (both at most 64 bytes, copied).
 * Deadlines must not decrease from call to call.
 */
void pending_await(struct pending *pending, struct pending_entry *entry, const char *id,
                   const char *resource);

/* The entry that has waited longest for that id and resource; NULL: there is none. */
struct pending_entry *pending_find(const struct pending *pending, const char *id, size_t id_size,
                                   const char *resource, size_t resource_size);

/* Ends the wait of an entry; it stays in use. */
void pending_settle(struct pending *pending, struct pending_entry *entry);

/* Frees an entry. It must not wait. */
void pending_remove(struct pending *pending, struct pending_entry *entry);

/* Frees all; `pending` is empty and usable again. */
void pending_deinit(struct pending *pending);

#endif
