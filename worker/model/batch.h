/*
 * One batch: its decisions and, once sealed, the net effect to be written in one transaction; and
 * records as they are taken from the log. PURE: it does not know who writes or publishes rows.
 *
 * Everything here lives in the batch's arena and is valid until batch_reset.
 */
#ifndef USHER_WORKER_MODEL_BATCH_H
#define USHER_WORKER_MODEL_BATCH_H

#include "usher/memory.h"
#include "worker/model/rows.h"

/* One record of the request log as taken; the bytes are valid until it is released. */
struct log_record {
    int64_t offset;
    int64_t appended_ms;
    const void *key; /* NULL: none */
    size_t key_size;
    const void *value; /* NULL: none */
    size_t value_size;
    size_t headers_size;     /* their approximate size in memory */
    const char *traceparent; /* header, NULL: none; not NUL-terminated */
    size_t traceparent_size;
    bool cloud_events; /* came with CloudEvents binary headers */
    bool unreadable; /* its batch could not be unpacked: neither its bytes nor its time are known */
    void *handle;    /* the adapter's own */
};

/* Returns about how much memory it takes. */
static inline size_t log_record_size(const struct log_record *record)
{
    return sizeof *record + record->key_size + record->value_size + record->headers_size;
}

struct batch {
    uint64_t number; /* 1, 2, 3 … within one ownership */
    struct usher_arena arena;
    struct usher_buffer text; /* for the time of one call */

    size_t bytes;                        /* of its records and its answers, about */
    uint32_t record_count, record_limit; /* records decided */

    /* The chain: what the guard expects and what it sets. */
    int32_t partition, epoch;
    int64_t expected_next_offset, expected_next_seq;
    int64_t next_offset, next_seq;
    int64_t now_ms;
    int64_t fingerprint_offset, fingerprint; /* of the last record that could be read; as before,
                                                if none */
    int64_t published_seq, published_offset; /* as known when it was sent */
    int64_t holds, parties;                  /* open, and waiting, after it; COUNT_UNKNOWN */

    struct decision_row *decisions; /* seq = expected_next_seq + index */
    uint32_t decision_count, decision_limit;
    struct dead_letter_row *dead_letters;
    uint32_t dead_letter_count;

    /* The net effect, set by inventory_seal. Written in this order: deletes before inserts. */
    struct allocation_row *freed;
    uint32_t freed_count;
    struct booking_row *bookings_changed; /* .from is the state expected in the row */
    uint32_t bookings_changed_count;
    struct chart_row *charts; /* may exist already */
    uint32_t chart_count;
    struct resource_row *resources;
    uint32_t resource_count;
    struct resource_mark *resource_marks; /* of those that are not among `resources` */
    uint32_t resource_mark_count;
    struct pool_row *pools;
    uint32_t pool_count;
    const char **lists; /* rates and restrictions of `pools`, each list once for all that have it */
    uint32_t list_count;
    struct pool_move *pool_moves; /* of those that are not among `pools`; each once */
    uint32_t pool_move_count;
    struct booking_row *bookings;
    uint32_t booking_count;
    struct allocation_row *taken;
    uint32_t taken_count;
    struct quarter_row *quarters; /* each key once */
    uint32_t quarter_count;
};

/* Makes room for `record_limit` records, and for `expiry_limit` decisions without a record. */
void batch_init(struct batch *batch, uint32_t record_limit, uint32_t expiry_limit);
void batch_deinit(struct batch *batch);

/* Empties it for its next use; keeps the memory. */
void batch_reset(struct batch *batch);

/* Frees the memory that a reset keeps; the batch must be empty. */
void batch_return_memory(struct batch *batch);

/* Returns the next decision, zeroed, with its seq set. There is room by construction. */
struct decision_row *batch_decision_add(struct batch *batch);

/*
 * Adds a dead letter for that decision and its answer's `detail`, borrowing the record's bytes
 * until the batch is reset. The key and the value are cut where they are very large, and it is
 * marked.
 */
void batch_dead_letter_add(struct batch *batch, const struct decision_row *decision,
                           const char *detail, const struct log_record *record);

/* Returns the decision with that seq, or NULL where it is not of this batch. */
const struct decision_row *batch_decision(const struct batch *batch, int64_t seq);

#endif
