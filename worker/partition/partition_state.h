/*
 * One partition as this worker owns it: its settings, its ports, its position, the batches under
 * way, the quarantine, the size of one load, and the verbs that all steps share. This file knows
 * nothing of takeover.c, loop.c, fill.c and commit.c, which work with it.
 */
#ifndef USHER_WORKER_PARTITION_PARTITION_STATE_H
#define USHER_WORKER_PARTITION_PARTITION_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "producer/base/log.h"
#include "usher/status.h"
#include "worker/display/display.h"
#include "worker/inventory/inventory.h"
#include "worker/model/batch.h"
#include "worker/model/ports.h"
#include "worker/partition/cache_sync.h"
#include "worker/partition/pipeline.h"

struct memory_budget;
struct metrics;

/*
 * ==== Quarantine ====
 *
 * A batch that the database refuses, or does not answer, must neither loop nor stop those behind
 * it. Its records are decided again in batches of half the size, until the refused record is alone.
 * Behind it batches grow again, because others may follow.
 *
 * A record that is refused alone, after an earlier refusal, becomes a dead letter. If the database
 * refuses even the dead letter, the record is not to blame. It is tried again as it is, for ten
 * minutes, before its dead letter is. If an expiry is refused alone, twice, an operator must act.
 *
 * If the data need not be at fault (somebody changed the database, and it refuses everything), only
 * a few records of an operation become dead letters in a row. The next one is tried for ten
 * minutes, after which a few more may. Once one is committed, not everything was refused.
 *
 * Records that get no answer twice at one offset are decided in batches of one. A record that gets
 * no answer alone is tried for ever. It is small, so the database is away or too slow, and no
 * record may be set aside for that.
 */

struct quarantine {
    int64_t offset;       /* the beginning of the last batch that was not answered */
    uint32_t failures;    /* in a row at that offset, until batches are of one */
    bool record_refused;  /* a record was: the next refusal, alone, is no accident */
    int64_t expiry_seq;   /* of the expiry that was refused last, since the last commit, or 0 */
    int64_t until_offset; /* below it lie the records that were refused, or not answered */
    uint32_t most;        /* decisions of a batch of that … */
    uint32_t most_behind; /* … and of one behind it */
    int64_t dead_letter;  /* the record that is only answered `internal`, or OFFSET_NONE */
    int64_t blameless;    /* the record whose dead letter was refused, too, or OFFSET_NONE */
    int64_t blameless_ms; /* `now` of that batch */
    /* Set aside by operation, though the data need not be at fault, since one was committed or for
     * ten minutes none was set aside. */
    struct {
        uint32_t count;
        int64_t last_ms; /* `now` of the batch */
    } doubtful[USHER_OP_COUNT];
};

void quarantine_init(struct quarantine *quarantine);

enum {
    QUARANTINE_NONE = INT32_MAX /* decisions of a batch: as many as there is room for */
};

/* How many decisions a batch from `next_offset` on may have, at least one. */
uint32_t quarantine_most(const struct quarantine *quarantine, int64_t next_offset);

/*
 * Notes that a batch was refused. `by_data`: by its kind the error is one of the data. REJECT: the
 * next batch differs from the refused one, and may be tried at once. RETRY: it is the same, after a
 * pause. HALT: an expiry was refused, and nothing can take its place.
 */
enum usher_status quarantine_refused(struct quarantine *quarantine, const struct batch *batch,
                                     bool by_data);

/*
 * Notes that it is unknown whether a batch was committed: there was no answer in time, or the
 * connection is lost. `taken_until` is the offset after the last record that was taken.
 */
void quarantine_unanswered(struct quarantine *quarantine, const struct batch *batch,
                           int64_t taken_until);

/* Notes that a batch was committed. */
void quarantine_committed(struct quarantine *quarantine, const struct batch *batch);

/*
 * ==== Portions ====
 *
 * How many records one load may ask for. After a partial load: as many as fitted. After one that
 * failed, or took too long: half as many. It grows again with each complete load behind those
 * records.
 */

struct portion {
    uint32_t limit;       /* records of a batch */
    uint32_t records;     /* that a load may ask for now, from 1 to the limit */
    uint32_t halvings;    /* of the bounds of the load itself, for a single record may need much */
    int64_t until_offset; /* below it nothing grows: these records were in a load that failed, or
                             are like those of which more did not fit */
};

void portion_init(struct portion *portion, uint32_t limit);

/*
 * Notes that a load for `asked` records failed. `taken_until` is the offset after the last record
 * that was taken.
 */
void portion_failed(struct portion *portion, uint32_t asked, int64_t taken_until);

/*
 * Notes that of the `asked` records that a load was for, from `next_offset` on, `covered` have all
 * that they need.
 */
void portion_loaded(struct portion *portion, int64_t next_offset, uint32_t asked, uint32_t covered);

/*
 * ==== A turn ====
 *
 * What the steps of one turn of the loop share, beside the partition and its open batch. The stages
 * before the loop use the time alone.
 */

struct turn {
    /* The time, as partition_read_clock found it. */
    int64_t us, ms;   /* CLOCK_MONOTONIC, for timeouts and for measuring */
    int64_t clock_ms; /* the database's, as it was when the partition was acquired, and evenly on */
    int64_t now_ms;   /* that, but not before the last batch's `now`: batches decide by it */

    uint32_t most; /* decisions of a batch, below QUARANTINE_NONE while something is isolated */
    int64_t decides_until_ms; /* CLOCK_MONOTONIC: later decisions are for the next batch */
    bool more;                /* the log had more than there was room for: turn again at once */
    bool full;                /* the open batch takes no further record for now */
    bool worked;              /* it did work that outlasts a batch */
    bool tight;               /* other partitions need memory, or this one has too much */
    struct cache_moment cache;
};

/* ==== The partition ==== */

enum {
    EXPIRY_LIMIT = 1000, /* expiries per batch */
    OUTBOX_WAIT_MS = 10  /* a moment, if nothing else is left to do */
};

struct partition_settings {
    int32_t partition;
    uint32_t batch_limit;       /* records per batch */
    uint32_t batches_in_flight; /* batches being committed at once, from 1 */
    int64_t hold_ttl_s, hold_ttl_max_s, house_hold_ttl_max_s;
    struct inventory_limits limits;
    int64_t drain_timeout_ms; /* of an orderly end */
};

/* The ports of an allocator, copied. The objects behind them outlive the allocator. */
struct partition_ports {
    struct log_port log;
    struct record_port record;
    struct outbox_port outbox;
    struct cache_port cache;
    struct metrics *metrics;
    struct memory_budget *budget;
};

/* Used by its own thread, but the atomics, and `view` under its lock, by any. */
struct partition {
    struct partition_settings settings;
    struct partition_ports ports;
    struct log_context log;
    pthread_t thread;    /* its own, once it runs */
    int wake_descriptor; /* readable once it is to stop */
    _Atomic bool stopping;
    _Atomic int64_t stop_ms;     /* CLOCK_MONOTONIC: when the drain must be over */
    _Atomic int64_t progress_ms; /* turn.ms, for the watchdog */
    pthread_mutex_t view_lock;
    struct partition_view view;

    enum partition_stage stage;
    uint32_t retries; /* failures since an answer was last delivered, or nothing was left to do */

    /* The ownership: as acquired, and moved by all decisions since. */
    struct position position;
    int64_t clock_offset_ms; /* the database's clock minus CLOCK_MONOTONIC */
    bool verified;           /* once per assignment */
    bool outbox_open; /* its producer is good: else it is replaced, and the result log scanned */
    int64_t acquired_seq;      /* the last one that was committed before */
    int64_t handed_seq;        /* the last one given to the outbox */
    int64_t recorded_seq;      /* position.published_seq as the database has it */
    struct position committed; /* as the last batch known to be committed left it: beside its offset
                                  and seq, the fields that only such a batch changes */
    bool joins;                /* the first record since the takeover is yet to come */
    int64_t
        append_ahead_ms;    /* of the append time of a record just taken, to the database's clock */
    int64_t append_seen_ms; /* CLOCK_MONOTONIC then */
    int64_t last_decided_ms;
    int64_t last_commit_ms; /* CLOCK_MONOTONIC */
    int64_t commit_ms;      /* how long it took */

    struct inventory *inventory;
    struct display *display;
    struct cache_sync cache_sync;
    struct replay_buffer replay;
    struct pipeline pipeline;
    struct quarantine quarantine;
    struct portion portion; /* of the records taken: as many as one load asks for */
    struct latency latency;
    struct usher_arena scratch; /* of one page while catching up */

    struct turn turn;

    /* From turn to turn. */
    int64_t next_beat_ms;
    int64_t taken_ms;        /* CLOCK_MONOTONIC when records were last taken */
    int64_t returned_ms;     /* CLOCK_MONOTONIC when memory was last given back */
    int64_t log_ms;          /* the time by which the last record was decided, or 0 */
    int64_t idle_since_ms;   /* the log is drained since then, or 0 */
    bool waits_for_idle;     /* the next record can only be loaded while nothing is in flight */
    int64_t wants_bytes;     /* the next record waits for so much memory, or 0 */
    int64_t spare_bytes;     /* reserved and not yet used, for that record */
    struct unsealed defined; /* by the open batch, up to its last define of many pools */
    uint64_t defined_in;     /* the last batch with one, by number: memory was reserved for it */
};

/* Prepares a zeroed one, which has yet to be acquired. Copies both. */
void partition_init(struct partition *partition, const struct partition_settings *settings,
                    const struct partition_ports *ports);

/*
 * Releases the records taken, and frees its memory, once it has ended: it may stay halted for long,
 * and the memory is for the others.
 */
void partition_forget(struct partition *partition);

/* Frees the rest. */
void partition_deinit(struct partition *partition);

/* ---- time ---- */

/*
 * Reads the clock for all later code (partition->turn), and so tells the watchdog that the thread
 * is not stuck. The one place where the partition's thread does so: call it after anything that may
 * have taken long.
 */
void partition_read_clock(struct partition *partition);

/* ---- waiting and stopping ---- */

/* Asks it to stop and to finish its work in flight within `drain_ms`. From any thread. */
void partition_stop(struct partition *partition, int64_t drain_ms);

/* Waits up to `ms`, or until it is asked to stop. Then reads the clock. */
void partition_sleep(struct partition *partition, int64_t ms);

/* ---- the outbox and the log ---- */

/*
 * Sends the answers that have gathered, and serves delivery reports. partition_serve_outbox moves
 * the published position, partition_serve_reports leaves it: it must not move while dead letters
 * are still to be queued after a scan.
 */
enum usher_status partition_serve_outbox(struct partition *partition, struct usher_error *err);

enum usher_status partition_serve_reports(struct partition *partition, struct usher_error *err);

/* The offset after the last record taken, decided or not. The log is read on there. */
int64_t partition_taken_until(const struct partition *partition);

/* Whether all that was taken is decided, and all that was decided is committed. */
bool partition_is_settled(const struct partition *partition);

/* Whether all that was decided is committed, and its answers and dead letters are delivered. */
bool partition_is_published(const struct partition *partition);

/* Whether its last commit is some seconds ago. */
bool partition_is_quiet(const struct partition *partition);

/*
 * Whether it is left, or quiet, while the database does not know yet how far its answers are
 * delivered. The next owner would read the last ones again, and send the last dead letters again.
 * Pruning needs that position, too.
 */
bool partition_leaves_unrecorded(const struct partition *partition);

/* Gives the records taken below that offset back to the log: they are done with. */
void partition_release(struct partition *partition, int64_t below_offset);

/* Gives back all reserved memory. The partition no longer waits for more. */
void partition_release_memory(struct partition *partition);

/* ---- for others to see ---- */

/* Brings the view and the metrics up to date. */
void partition_publish_view(struct partition *partition);

void partition_publish_error(struct partition *partition, const struct usher_error *err);

/* Reads the view. From any thread. */
void partition_snapshot(struct partition *partition, struct partition_view *view);

#endif
