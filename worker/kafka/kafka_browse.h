/*
 * Reads the requests between two offsets of a partition's log for a person, as far as Kafka still
 * has them, and how far it was answered. Records of open and of aborted transactions are read, too,
 * unless the base was opened to read committed ones. Nothing is decided, and no offset is
 * committed.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_BROWSE_H
#define USHER_WORKER_KAFKA_KAFKA_BROWSE_H

#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/kafka/kafka_base.h"

/* Borrows from Kafka during the call. */
struct browsed_record {
    int64_t offset;
    const void *key, *value; /* NULL: none */
    size_t key_size, value_size;
};

/* From `from` (OFFSET_NONE: the log's start) up to `to`, excluded. */
struct browse {
    int32_t partition;
    int64_t from, to;
    void (*visit)(void *self, const struct browsed_record *record);
    void *self;
};

struct browsed {
    int64_t start, end;     /* of the log */
    int64_t records;        /* how many were visited */
    int64_t unreadable_at;  /* nothing from here on could be read; OFFSET_NONE: all could */
    struct usher_error why; /* of that */
};

/*
 * Visits the records. What Kafka cannot read, as a batch with a wrong checksum, ends it, and is OK
 * all the same: see unreadable_at. RETRY: Kafka is away (69). FATAL: access denied (77), or `to`
 * lies behind the log's end (65).
 */
USHER_MUST_CHECK enum usher_status kafka_browse(struct kafka_base *base,
                                                const struct browse *browse,
                                                struct browsed *browsed, struct usher_error *err);

/*
 * The highest seq of all answers in a partition's result log; 0: there is none. Reads all of it.
 * RETRY: Kafka is away (69). FATAL: access denied (77).
 */
USHER_MUST_CHECK enum usher_status kafka_browse_answered(struct kafka_base *base, int32_t partition,
                                                         int64_t *highest_seq,
                                                         struct usher_error *err);

#endif
