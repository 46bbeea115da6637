/*
 * Operators' changes of partitions, as the owner of the schema, in the database in which each
 * lives, and the positions of all partitions, read without a lock. Knows nothing of who owns the
 * partition: it is fenced.
 */
#ifndef USHER_WORKER_POSTGRES_PG_PARTITION_H
#define USHER_WORKER_POSTGRES_PG_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_settings.h"

struct pg_positions;

/* Milliseconds since 1970. */
struct pg_clock_reset {
    int64_t was_ms;    /* the time of the last decision; 0: there is none */
    int64_t became_ms; /* equal: it was not ahead of the server's clock, and nothing was changed */
    int64_t ends_late; /* holds, parties and blocks that keep ends from the wrong clock */
    int64_t last_end_ms;
};

/*
 * Sets the time of a partition back to the server's clock if it is ahead of it; then the next epoch
 * begins. RETRY: the database is away, or somebody keeps the partition's lock (69). FATAL: access
 * denied (77), schema wrong (78).
 */
USHER_MUST_CHECK enum usher_status pg_partition_reset_clock(const struct pg_settings *settings,
                                                            int32_t partition,
                                                            struct pg_clock_reset *reset,
                                                            struct usher_error *err);

/* Requests that are passed over. */
struct pg_skip {
    int64_t
        from; /* where the partition stood when an operator looked; OFFSET_NONE: never started */
    int64_t to;
    int64_t records; /* that Kafka still had */
    const char *why;
};

/*
 * Advances the partition, records it, and begins the next epoch: its owner is fenced. A worker that
 * had halted tries again by itself (`*was_halted`). FATAL with exit code 65: the partition does not
 * stand there any more, and nothing was changed. Others as above.
 */
USHER_MUST_CHECK enum usher_status pg_partition_skip(const struct pg_settings *settings,
                                                     int32_t partition, const struct pg_skip *skip,
                                                     bool *was_halted, struct usher_error *err);

/* Answers that were given, of which the database has no decisions any more. */
struct pg_loss {
    int64_t next_seq;    /* of the partition when an operator looked */
    int64_t highest_seq; /* that was answered */
    const char *why;
};

/*
 * Lets the partition go on behind the highest seq, writes it down, and begins the next epoch, as
 * pg_partition_skip; its next request stays the same, at offset 0 if it never started. Statuses as
 * of that.
 */
USHER_MUST_CHECK enum usher_status
pg_partition_accept_loss(const struct pg_settings *settings, int32_t partition,
                         const struct pg_loss *loss, bool *was_halted, struct usher_error *err);

/* Decisions that are to be published, and that the database does not have any more. */
struct pg_gap {
    int64_t next_seq; /* of the partition when an operator looked */
    int64_t count, first_seq, last_seq;
    const char *why;
};

/* Sets the counts of the gap. Statuses of a query. */
USHER_MUST_CHECK enum usher_status pg_partition_find_gap(const struct pg_settings *settings,
                                                         int32_t partition, struct pg_gap *gap,
                                                         struct usher_error *err);

/*
 * Has an answer published for each of them that says so, writes it down, and begins the next epoch,
 * as pg_partition_skip; nothing else changes. Statuses as of that.
 */
USHER_MUST_CHECK enum usher_status
pg_partition_accept_gap(const struct pg_settings *settings, int32_t partition,
                        const struct pg_gap *gap, bool *was_halted, struct usher_error *err);

/* A request that was decided. */
struct pg_decided_request {
    int64_t offset;
    const char *request_id;
};

/*
 * Some that the partition decided in its present topic, the last one first, ever fewer the further
 * back they lie: at most 63, in the arena. Statuses of a query.
 */
USHER_MUST_CHECK enum usher_status pg_partition_decided(const struct pg_settings *settings,
                                                        int32_t partition,
                                                        struct usher_arena *arena,
                                                        struct pg_decided_request **requests,
                                                        uint32_t *count, struct usher_error *err);

enum {
    PG_SEQ_NONE = -1
};

/* Topics that were recreated. */
struct pg_new_topics {
    const char *topics;  /* "requests", "results" or "both" */
    int64_t next_offset; /* of the partition when an operator looked; OFFSET_NONE: never started */
    int64_t next_seq;    /* then, too */
    int64_t published_seq; /* answers behind it are published again; PG_SEQ_NONE: none is */
    const char *why;
};

/*
 * Has the partition read its requests from their start on, or search its answers from theirs,
 * writes it down, and begins the next epoch, as pg_partition_skip. Statuses as of that; FATAL with
 * exit code 65 also where a worker that has not halted is connected, but with "requests": that one
 * is fenced, wherever it stands.
 */
USHER_MUST_CHECK enum usher_status pg_partition_accept_topic(const struct pg_settings *settings,
                                                             int32_t partition,
                                                             const struct pg_new_topics *accepted,
                                                             bool *was_halted,
                                                             struct usher_error *err);

/*
 * Ends the halt of a partition and begins the next epoch; its worker tries again by itself. False
 * in
 * `*was_halted`: it is not halted, and nothing was changed. Statuses as of reset_clock.
 */
USHER_MUST_CHECK enum usher_status pg_partition_resume(const struct pg_settings *settings,
                                                       int32_t partition, bool *was_halted,
                                                       struct usher_error *err);

/* Partitions that were never started. */
struct pg_placing {
    int32_t first, last;
    int32_t partition_count; /* of the topic */
    const char *shard;       /* in which they are to live */
    uint32_t placed;         /* out: how many did not live there yet */
};

/*
 * Has partitions live in one of several databases before their first start; they may have been
 * placed in another. FATAL with exit code 65: there is no such shard, or one of them was started
 * elsewhere: those before it are placed. 78: as pg_positions_read. Others as above.
 */
USHER_MUST_CHECK enum usher_status pg_partition_place(const struct pg_settings *settings,
                                                      struct pg_placing *placing,
                                                      struct usher_error *err);

/*
 * ==== Positions ====
 *
 * Where each partition stands, read without a lock: the lower bounds that the main thread hands
 * to Kafka at an assignment, and which halts are over. A position only grows, so an old one is
 * merely a little low. And in which of several databases it lives.
 */

/*
 * Connects at the first read. Borrows the settings' strings. Belongs to one thread at a time, but
 * for the homes.
 */
struct pg_positions *pg_positions_open(const struct pg_settings *settings, int32_t partition_count);

/*
 * Sets known[0 … partition_count - 1]. What it cannot read it leaves as it was, and logs which
 * database is away. RETRY: all are away (exit code 69), the next call connects again. FATAL: access
 * denied (77), schema wrong or another partition count recorded, of several databases one without a
 * name or two of the same (78).
 */
USHER_MUST_CHECK enum usher_status pg_positions_read(struct pg_positions *positions,
                                                     struct known_position *known,
                                                     struct usher_error *err);

/* Whether the last read had an answer from every database. */
bool pg_positions_complete(const struct pg_positions *positions);

/* Where a partition lives, as the last read that could tell saw it. */
struct pg_seen {
    int32_t home;  /* the place of its database, or PG_HOME_UNKNOWN or _SEVERAL */
    uint32_t read; /* the number of that read; 0: there was none */
};

/* For any thread. */
struct pg_seen pg_positions_seen(const struct pg_positions *positions, int32_t partition);

/*
 * The number of the newest read, which may be going on. Only reads with higher numbers have seen
 * nothing that is older than this call. For any thread.
 */
uint32_t pg_positions_begun(const struct pg_positions *positions);

/* The name of that database, until the next read. NULL: there is only one, or it is in none of
 * them. */
const char *pg_positions_shard(const struct pg_positions *positions, int32_t partition);

/* NULL is legal. */
void pg_positions_close(struct pg_positions *positions);

#endif
