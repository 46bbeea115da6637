/*
 * The messages in flight: found by request id and resource when an answer arrives, and in order of
 * sending for their timeouts. Does not know Kafka.
 */
#ifndef USHER_PRODUCER_CLIENT_PENDING_H
#define USHER_PRODUCER_CLIENT_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct pending_block;

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
