/*
 * An allocator on ports that do as they are told: for tests of what it says of itself.
 */
#ifndef TESTS_ALLOCATOR_RIG_H
#define TESTS_ALLOCATOR_RIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "worker/observe/metrics.h"
#include "worker/partition/allocator.h"
#include "worker/partition/memory_budget.h"

enum {
    PATIENCE_MS = 60000,
    START_OFFSET = 17
};

/* Written by the test, read by the allocator's thread. */
struct ports {
    _Atomic bool load_fails, commit_halts, commit_fails, commit_fenced, outbox_fails;
    _Atomic bool refuses_defines, rewind_fails; /* commits of a define; what may spare a takeover */
    _Atomic bool stuck, is_stuck; /* a call to the log does not return; and it was made */
    _Atomic int waits_from;       /* the commits from that one on do not end; 0: all of them do */
    _Atomic int records;          /* that wait in the log; none can be read as a request … */
    const char *const *requests; /* … unless these are set: JSON, about resources of one letter */
    _Atomic int acquired, begun, commits, loads, turns, rewinds, letters;
    _Atomic int64_t acknowledged;
    _Atomic int pending; /* answers that Kafka has not taken */
    bool sells_later;    /* there is a resource whose waiting list is served once it opens */
    _Atomic int pages_asked, pages_given; /* of a load that is larger than its bounds */
    bool load_is_endless;
    int page_ms;                         /* as long as each takes */
    int64_t page_ended_ms;               /* the last one */
    _Atomic int64_t least_page_pause_ms; /* between two of them */
    _Atomic bool shows;                  /* the cache is there, and has nothing */
    _Atomic int64_t next_offset, next_seq;
    int64_t unpublished;       /* so many of the last decisions are not in the result log */
    int successor;             /* another worker has made so many since the takeover */
    _Atomic int64_t published; /* the seq of the last answer */
    _Atomic int taken, given, released; /* the first counts from START_OFFSET */
    _Atomic int releases;               /* calls */
    int release_ms;                     /* as long as each takes */
    _Atomic int seeks;                  /* calls */
    _Atomic bool seek_fails;
    int gap;                           /* so many offsets of the log's beginning are not given */
    int64_t skipped;                   /* the offset of a record in there */
    int64_t empty_until;               /* the log is said to end here, with no record before it */
    int64_t taken_ms;                  /* when it was last */
    _Atomic int64_t least_pause_ms;    /* between two of them */
    const struct batch *committing[4]; /* by `begun` */
    int ended;                         /* of these */
    int idle;                          /* a descriptor that never becomes readable */
    int32_t halted_epoch;
    int64_t halted_offset;
    char halted[64]; /* why */
};

struct allocator_rig {
    struct ports ports;
    struct metrics_registry *registry;
    struct metrics *metrics;
    struct memory_budget *budget;
    struct allocator *allocator;
};

/* cmocka's: *state is a rig, whose allocator is not yet started, and is stopped at the end if it
 * was. */
int allocator_rig_setup(void **state);
int allocator_rig_teardown(void **state);

void allocator_rig_start(struct allocator_rig *rig);

/* What it is started with, for tests that start allocators of their own. */
struct partition_settings allocator_rig_settings(void);
struct partition_ports allocator_rig_ports(struct allocator_rig *rig);

/* Waits until it has been acquired that often and is in that stage; returns what it says then. */
struct partition_view allocator_rig_await(struct allocator_rig *rig, enum partition_stage stage,
                                          int acquired);

#endif
