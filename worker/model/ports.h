/*
 * Everything that an allocator knows of the outside: the request log, the record, the outbox and
 * the cache, as structs of functions. Adapter types never cross this file. The consumer group,
 * which belongs to the process and not to a partition, is a port of its own.
 *
 * Every function is called by the one thread that owns the partition, those of the consumer group
 * by the main thread. Those that can wait have a deadline of their own, given to the adapter when
 * it was opened.
 */
#ifndef USHER_WORKER_MODEL_PORTS_H
#define USHER_WORKER_MODEL_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/model/batch.h"
#include "worker/model/loads.h"
#include "worker/model/rows.h"

struct display_update;

/* ---- the request log: one partition of the request topic ---- */

/* Offsets that were read over, though nothing explains it. */
struct log_gaps {
    int64_t unexplained; /* with neither a record nor the end of a transaction */
    int64_t unchecked;   /* of which that is not known */
};

struct log_port {
    void *self;
    /*
     * Fills `records` with at most `max` that are available now; never waits. Returns how many.
     * Called at least a few times a second, so that acknowledgements reach Kafka in time.
     */
    uint32_t (*take)(void *self, struct log_record *records, uint32_t max);
    /* Returns records to the log, which frees their bytes. */
    void (*release)(void *self, struct log_record *records, uint32_t count);
    /*
     * The next record taken is the first one at or after this offset; OFFSET_NONE: the log's first.
     * Never waits.
     */
    int64_t (*position)(void *self);
    /*
     * Seeks to that offset; prefetched records are dropped, taken ones are not. Waits for the
     * client, never for Kafka. RETRY: it could not, and the position is as it was.
     */
    enum usher_status (*seek)(void *self, int64_t offset, struct usher_error *err);
    /*
     * Becomes readable when records may be available. Clear it before `take`, which sets it again
     * if it left some.
     */
    int (*descriptor)(void *self);
    /*
     * Whether Kafka is to keep each record until it is old. HALT: it compacts the log, by which it
     * would delete records that nobody has taken. OK where it is not known within half a second:
     * `take` looks at it now and then, and `health` says it.
     */
    enum usher_status (*check_policy)(void *self, struct usher_error *err);
    /* The first offset in the log and the one after the last. RETRY: Kafka is away. */
    enum usher_status (*bounds)(void *self, int64_t *start, int64_t *end, struct usher_error *err);
    /*
     * True once everything below the log's end, as known within the last second, was taken; false
     * while Kafka is away, since the end is unknown then. On a partition idle for half a second it
     * requests the end, twice per second, waiting at most half a second.
     */
    bool (*drained)(void *self, int64_t next_offset);
    /*
     * How long ago every record up to that time was known to have been taken. Replicas can delay a
     * record's visibility, so the end of the log alone does not tell. -1: longer ago than
     * `enough_ms`, if ever. Then a no-op record is appended to the log, and a later call knows
     * more. Never waits.
     */
    int64_t (*hidden_ms)(void *self, int64_t enough_ms);
    /*
     * Whether records can still be taken. OK; HALT: the log has lost the next record, or it cannot
     * be read; FATAL: access denied, topic deleted. Then `take` returns no more records. Reports
     * only what `take` has met; never waits.
     */
    enum usher_status (*health)(void *self, struct usher_error *err);
    /*
     * Reads the fingerprint of the record at `offset`, with a separate consumer.
     * REJECT: there is no such record any more. RETRY: Kafka is away.
     */
    enum usher_status (*read_fingerprint)(void *self, int64_t offset, int64_t *fingerprint,
                                          struct usher_error *err);
    /*
     * Looks with a separate consumer for the first record from `from` on (OFFSET_NONE: from the
     * log's start) and before `until`; `*first` is its offset, or `until`: there is none, but the
     * ends of transactions, records of aborted ones, compacted ones, no-ops. RETRY: Kafka is away.
     */
    enum usher_status (*first_record)(void *self, int64_t from, int64_t until, int64_t *first,
                                      struct usher_error *err);
    /*
     * The offset up to which everything is taken once all records below `next_offset` are:
     * `next_offset`, or one behind it, where the log ends in what is no record (the ends of
     * transactions, records of aborted ones, compacted ones). Never waits.
     */
    int64_t (*read_up_to)(void *self, int64_t next_offset);
    /*
     * Records in the log from `next_offset` to its end as last known, and for how long an open
     * transaction has kept all of them from being taken (0: none does). To be asked about once a
     * second; never waits.
     */
    int64_t (*lag)(void *self, int64_t next_offset, int64_t *open_transaction_ms);
    /* What was found since the last call, some time after it was read over. Never waits. */
    struct log_gaps (*gaps)(void *self);
    /*
     * Commits the offset to Kafka within a second, now or with a later `take`: for what reads the
     * group's lag only. Never waits.
     */
    void (*acknowledge)(void *self, int64_t next_offset);
};

/* ---- the record: PostgreSQL, a connection for commits and one for reads ---- */

/* A resource, and the seq of the last decision that changed it. */
struct resource_rev {
    int64_t no, rev;
};

struct record_port {
    void *self;
    /*
     * Takes the partition: epoch + 1 under the row lock; with `expected_epoch` not 0 only if that
     * is still the stored one, else FENCED. Drops both connections first and makes new ones. A
     * predecessor that holds the lock past the lock timeout is terminated. RETRY, FATAL. HALT: it
     * was taken, `position` has the epoch, and no batch can be written.
     */
    enum usher_status (*acquire)(void *self, int32_t expected_epoch, struct position *position,
                                 struct usher_error *err);
    /*
     * Whether the partition was seen to live in another database since it was acquired: then it is
     * to be acquired there. Never waits.
     */
    bool (*is_elsewhere)(void *self);
    /* Whether `epoch` is still the stored one: OK or FENCED; RETRY. Reads connection. */
    enum usher_status (*check_epoch)(void *self, int32_t epoch, struct usher_error *err);
    /*
     * Records for operators why the partition halted in this epoch, and at which offset; an
     * existing record stays. FENCED: the epoch is over; RETRY, FATAL: it could not. Reads
     * connection.
     */
    enum usher_status (*note_halt)(void *self, int32_t epoch, int64_t next_offset,
                                   const char *reason, struct usher_error *err);
    /*
     * Reads missing rows, as far as the bounds of a load allow (loads.h), in one round trip on the
     * reads connection. RETRY: lost, or it took too long. FENCED: the partition is in another epoch
     * than the one acquired, whose rows do not fit memory. Results live in arena.
     */
    enum usher_status (*load)(void *self, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err);
    /*
     * Reads another page into a result that has more (load_has_more), with the request and the
     * arena of its load; only `halvings` may differ. As above. There may be thousands of pages,
     * so the caller looks around between two of them.
     */
    enum usher_status (*load_more)(void *self, const struct load_request *request,
                                   struct usher_arena *arena, struct load_result *result,
                                   struct usher_error *err);
    /* Starts to write a sealed batch, in one flush; borrows it until it is known to be committed.
     * RETRY; REJECT: it is more than the database takes in one message. */
    enum usher_status (*commit_begin)(void *self, const struct batch *batch,
                                      struct usher_error *err);
    /*
     * Waits up to `timeout_ms` (0: not at all) for the oldest batch begun. `*done` is whether it is
     * known to be committed; with none begun it is false, and only a lost connection is noticed.
     * RETRY: lost, timed out, or committed with a warning, fate unknown. HALT: it would have
     * written another number of rows than it has. REJECT: the database refused the data (classes
     * 22, 23, 54, or a statement timeout), or an error that need not be the data's (exit code 70:
     * BUG). FENCED: the guard says so. After anything but OK all batches begun are abandoned:
     * forget the memory and acquire again; after REJECT, `rewind` may do instead.
     */
    enum usher_status (*commit_end)(void *self, int timeout_ms, bool *done,
                                    struct usher_error *err);
    /*
     * The next call after commit_end gave REJECT: waits until the server is done with the batches
     * that were begun. OK: it has rolled all of them back, for certain, so that the partition
     * stands where the last committed one left it, in the same epoch: forget the memory, and begin
     * from there. RETRY: it is not certain; acquire again.
     */
    enum usher_status (*rewind)(void *self, struct usher_error *err);
    /* Readable when an answer is there, or the commit connection is lost; -1: none. */
    int (*descriptor)(void *self);
    /* Resources whose last change is one of the `limit` decisions after `after_seq`. As above. */
    enum usher_status (*changed)(void *self, int64_t after_seq, uint32_t limit,
                                 struct resource_rev *revs, uint32_t *count,
                                 struct usher_error *err);
    /* Resources by number, after `after_no`, at most `limit`: fewer are the last. As above. */
    enum usher_status (*resources)(void *self, int64_t after_no, uint32_t limit,
                                   struct resource_rev *revs, uint32_t *count,
                                   struct usher_error *err);
    /* Decisions after `after_seq`, in order, at most `limit` and about 8 MiB. Reads connection. */
    enum usher_status (*decisions)(void *self, int64_t after_seq, uint32_t limit,
                                   struct usher_arena *arena, struct decision_row **rows,
                                   uint32_t *count, struct usher_error *err);
    /* Dead letters after `after_seq`, as `decisions`: none are left only where none come. */
    enum usher_status (*dead_letters)(void *self, int64_t after_seq, uint32_t limit,
                                      struct usher_arena *arena, struct dead_letter_row **rows,
                                      uint32_t *count, struct usher_error *err);
};

/* ---- the outbox: the topics of results and dead letters ---- */

struct outbox_port {
    void *self;
    /* Opens a new producer; an old one is destroyed with its pending reports. RETRY, FATAL. */
    enum usher_status (*open)(void *self, struct usher_error *err);
    /*
     * Reads the result log from `position->published_offset` on (OFFSET_NONE: from its start) like
     * a consumer that accepts exactly the next seq, from published_seq: `*last_seq` and its
     * `*last_offset` are the position of that consumer at the log's end; `*highest_seq` is the
     * highest seq in the log. Destroys the producer: call `open` afterwards. HALT: the log ends
     * before the position, or has another record there. RETRY.
     */
    enum usher_status (*scan)(void *self, const struct position *position, int64_t *last_seq,
                              int64_t *last_offset, int64_t *highest_seq, struct usher_error *err);
    /*
     * Queues the answer of a committed decision; the row is copied. Seqs are in order and start
     * with the last_seq of the scan plus 1: a gap is a bug. Never waits and sends nothing: the next
     * `poll` does. A producer's first answer is reported before the others are sent, so they never
     * come before it in the log. RETRY: the producer failed, catch up again. HALT: the row was
     * written by a newer program.
     */
    enum usher_status (*publish)(void *self, const struct decision_row *row,
                                 struct usher_error *err);
    /*
     * Queues a dead letter; the row is copied. Call it in order of seq, and before the `poll` after
     * the answer of that seq (after a scan: before the first poll for the position), so that the
     * position waits for it. Never waits; the queue may exceed its limit by a batch or a page.
     */
    enum usher_status (*dead_letter)(void *self, const struct dead_letter_row *row,
                                     struct usher_error *err);
    /*
     * Serves delivery reports without waiting and advances the published position over contiguous
     * seqs whose offsets rise and whose dead letters are delivered, starting where the scan found
     * it. Leaves both unchanged if it did not advance; NULL: serves reports only, the position is
     * read later. RETRY: catch up again.
     */
    enum usher_status (*poll)(void *self, int64_t *published_seq, int64_t *published_offset,
                              struct usher_error *err);
    /* Becomes readable when there are reports to serve. Clear it before `poll`. */
    int (*descriptor)(void *self);
    /* How many answers and dead letters are queued and not yet reported. */
    uint32_t (*pending)(void *self);
    /* Whether the queue has room for another batch; if not, deciding pauses. */
    bool (*has_room)(void *self);
};

/* ---- the cache: Redis ---- */

/* One partition's sign of life, and how far the cache follows it. */
struct cache_beat {
    int32_t partition, epoch;
    int64_t next_offset, lag, last_decided_ms;
    uint64_t session;  /* the position is of this session; in another one it is not stored */
    int64_t shown_seq; /* everything that decisions up to it changed was acknowledged */
};

/* News from the cache for one partition. */
struct cache_news {
    uint64_t session;            /* grows whenever the cache may have lost anything that it took */
    bool ready;                  /* it takes updates of this session, and the position was read: */
    int64_t shown_seq;           /* as stored when the session began; 0: none */
    struct display_update *done; /* of this session, by `next`, in the order of puts; owned by the
                                    caller */
};

struct cache_port {
    void *self;
    /*
     * Queues an update, takes it. False: no room, or its session is over; it was not taken. Never
     * waits.
     */
    bool (*put)(void *self, struct display_update *update);
    /*
     * News for the owner of the partition under this epoch; for a new epoch the position is read
     * again. Never waits.
     */
    void (*poll)(void *self, int32_t partition, int32_t epoch, struct cache_news *news);
    /* Keeps the latest of each partition and sends it soon, at most once a second. Never waits. */
    void (*beat)(void *self, const struct cache_beat *beat);
};

/*
 * ==== The consumer group ====
 *
 * All that group.c knows of the consumer group: a process joins it, and partitions are assigned to
 * it and revoked from it.
 */

/* A partition assigned to this process. */
struct assigned_partition {
    int32_t partition;
    struct log_port log; /* for the allocator's thread; valid until `revoked` has returned */
};

/*
 * Called out of group_port.poll and group_port.leave, on the thread that called those; none may
 * wait for anything but the allocators' threads.
 */
struct group_handler {
    void *self;
    /*
     * Returns where to start reading: the partition's next_offset as last read from the database.
     * Only a guess, which saves time: the allocator drops what is already decided, and seeks back
     * where the database has less by now. OFFSET_NONE: from the log's start.
     */
    int64_t (*start_offset)(void *self, int32_t partition);
    /* Starts an allocator for each. The array is valid during the call. `count` may be 0. */
    void (*assigned)(void *self, const struct assigned_partition *partitions, uint32_t count);
    /*
     * Stops and joins all allocators (assignment is eager: all stop at once) and releases every
     * record taken. `lost`: the partitions may be assigned to another member already, so there is
     * nothing to finish.
     */
    void (*revoked)(void *self, bool lost);
};

struct group_port {
    void *self;
    /*
     * Serves the group: waits up to timeout_ms, or until woken. Must be called at least every few
     * seconds. RETRY: Kafka is away (logged by the adapter; keep polling). FATAL: access denied,
     * topic deleted, session timeout refused, or the consumer has failed: exit the process.
     */
    enum usher_status (*poll)(void *self, int timeout_ms, struct usher_error *err);
    /*
     * Gives all partitions back and joins again, at the next polls: as when a worker is added.
     * RETRY: Kafka is away. FATAL as poll.
     */
    enum usher_status (*rejoin)(void *self, struct usher_error *err);
    /* Makes a waiting poll return at once. From any thread, before leave; not from a signal
     * handler. */
    void (*wake)(void *self);
    /*
     * Leaves the group: calls `revoked` if partitions are assigned, and commits acknowledged
     * offsets. RETRY: Kafka did not answer within timeout_ms; the partitions are revoked anyway,
     * and the group notices at the session timeout.
     */
    enum usher_status (*leave)(void *self, int timeout_ms, struct usher_error *err);
};

/* ---- what is seen of a partition from outside ---- */

/* How a partition is owned; the table of allocator.c says what follows what. */
enum partition_stage {
    STAGE_ACQUIRE = 0, /* epoch + 1 */
    STAGE_VERIFY,      /* the log and the record fit together */
    STAGE_CATCH_UP,    /* what is recorded but not yet in the result log is published */
    STAGE_RETRYING,    /* requests are tried again: none was answered since the last failure */
    STAGE_ACTIVE,      /* requests are decided */
    STAGE_DRAIN,       /* what was begun is finished, nothing more is taken */
    STAGE_FENCED,      /* another worker owns the partition */
    STAGE_HALTED,      /* an operator must act */
    STAGE_FAILED,      /* the process must end, with the error's exit code */
    STAGE_UNASSIGNED,  /* left in order */
    STAGE_COUNT,
};

/* A snapshot, for /status and the watchdog. */
struct partition_view {
    int32_t partition, epoch;
    enum partition_stage stage;
    const char *state; /* for people: the name of the stage, or "retrying"; static storage */
    int64_t next_offset, next_seq, published_seq;
    int64_t lag;
    uint32_t retries;            /* failures in a row */
    int64_t open_transaction_ms; /* for how long one has kept requests from being read; 0: none */
    int64_t append_ahead_ms;     /* of Kafka's clock at the last append, to the database's clock */
    int64_t clock_ahead_ms;      /* of the last decision's time, to the database's clock */
    int64_t progress_ms;         /* CLOCK_MONOTONIC when its loop last turned */
    struct usher_error error;    /* the last one; empty text: none */
};

#endif
