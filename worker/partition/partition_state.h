/*
 * The inside of an allocator, shared by allocator.c (its life), takeover.c (how it comes to own
 * the partition), loop.c (its loop), fill.c (what a batch is filled with) and commit.c (what
 * becomes of a batch). Nobody else includes it.
 */
#ifndef USHER_WORKER_PARTITION_PARTITION_STATE_H
#define USHER_WORKER_PARTITION_PARTITION_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "producer/base/log.h"
#include "worker/display/display.h"
#include "worker/partition/allocator.h"
#include "worker/partition/latency.h"
#include "worker/partition/pipeline.h"
#include "worker/partition/quarantine.h"
#include "worker/partition/replay_buffer.h"

enum {
    EXPIRY_LIMIT = 1000,          /* expiries a batch */
    KEPT_BATCHES = 2,             /* batches of records kept beside those in flight */
    PUBLISH_ROWS = 1000,          /* decisions read at once while catching up */
    BATCH_BYTES_MAX = 16 << 20,   /* requests and answers of a batch: it must commit in time */
    KEPT_BYTES_MAX = 64 << 20,    /* records kept: beyond, none are taken */
    BATCH_AGE_MAX_MS = 100,       /* a batch is filled this long: its `now` is that of its start */
    WORK_WAIT_MS = 50,            /* before work that found nothing to do is tried again */
    TURN_WAIT_MS = 200,           /* the longest sleep of the loop */
    SHOW_LAST_MS = 1000,          /* for what still rests when a partition is left */
    LAST_ANSWERS_MS = 10000,      /* for answers under way when a partition is halted */
    BEAT_INTERVAL_MS = 1000,      /* signs of life for the cache */
    IDLE_BEFORE_EXPIRY_MS = 1000, /* the log was drained this long: the clock may expire holds */
    BACKOFF_MIN_MS = 50,          /* between two tries to take over; doubled up to the maximum */
    BACKOFF_MAX_MS = 2000,
};

struct allocator {
    struct allocator_settings settings;
    struct allocator_ports ports;
    struct log_context log;
    struct log_limit trouble;
    pthread_t thread;
    int wake_descriptor;
    _Atomic bool stopping;
    pthread_mutex_t view_lock;
    struct allocator_view view;
    _Atomic int64_t stop_ms;  /* CLOCK_MONOTONIC: when the drain must be over */
    _Atomic int64_t moved_ms; /* CLOCK_MONOTONIC: when the loop last turned */

    enum allocator_state state;
    int64_t recovery_began_ms;

    /* The ownership: as acquired, and moved by what was decided since. */
    struct position position;
    int64_t clock_offset_ms; /* the database's clock minus CLOCK_MONOTONIC */
    int64_t log_ms;          /* the log's time: goes back only with the records fed again */
    bool verified;           /* once per assignment */
    bool outbox_open;   /* its producer is good; else it is made anew, and the result log scanned */
    int64_t handed_seq; /* the last one given to the outbox */
    int64_t committed_offset; /* next_offset of the last batch known to be committed */
    int64_t last_decided_ms;

    struct inventory *inventory;
    struct display *display;
    struct kept kept;
    struct flight flight;
    struct caution caution;
    struct answer_times answer_times;
    struct usher_arena scratch; /* of one load or one page of the outbox */
    int64_t next_beat_ms;
    int64_t idle_since_ms; /* the log is drained since then; 0: it is not */
    bool waits_for_quiet;  /* the next record wants nothing to be in flight */
    bool worked;           /* the last turn did work that outlasts a batch */
    bool more;             /* the log had more than there was room for: turn again at once */
};

/* allocator.c: what others may look at is brought up to date; the watchdog sees it move. */
void allocator_publish_view(struct allocator *allocator);
void allocator_moved(struct allocator *allocator);

/* The database's clock, as it was when the partition was acquired, gone on evenly since. */
int64_t allocator_clock_ms(const struct allocator *allocator);

/* Now, as the batches have it: that clock, but never back; where it was set back, it stands still.
 */
int64_t allocator_now_ms(const struct allocator *allocator);

/* Serves delivery reports, hands over answers that gathered; the first moves the published
 * position, which the second must not while dead letters are still to be queued after a scan. */
enum usher_status allocator_serve_outbox(struct allocator *allocator, struct usher_error *err);
enum usher_status allocator_serve_reports(struct allocator *allocator, struct usher_error *err);

/* Gives the kept records below that offset back to the log: they are done with. */
void allocator_release(struct allocator *allocator, int64_t below_offset);

/* Waits a moment, or until it is stopped. */
void allocator_wait(struct allocator *allocator);

/* takeover.c: one try of each; RETRY: again after a while. */
enum usher_status takeover_acquire(struct allocator *allocator, struct usher_error *err);
enum usher_status takeover_verify(struct allocator *allocator, struct usher_error *err);
enum usher_status takeover_catch_up(struct allocator *allocator, struct usher_error *err);

/* loop.c: OK when it was stopped and all that was begun is finished or abandoned. */
enum usher_status active_run(struct allocator *allocator, struct usher_error *err);
enum usher_status active_drain(struct allocator *allocator, struct usher_error *err);

#endif
