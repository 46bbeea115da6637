/*
 * The allocator of one partition: a thread that takes the partition over, then decides its requests
 * batch by batch until it is stopped, fenced or halted. It knows the ports, never the adapters.
 */
#ifndef USHER_WORKER_PARTITION_ALLOCATOR_H
#define USHER_WORKER_PARTITION_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/inventory/inventory.h"
#include "worker/model/ports.h"
#include "worker/rules/decide.h"

struct allocator;
struct metrics;

/* How a partition is owned; the table of allocator.c says what follows what. */
enum allocator_state {
    ALLOCATOR_ACQUIRE = 0, /* epoch + 1 */
    ALLOCATOR_VERIFY,      /* the log and the record fit together */
    ALLOCATOR_CATCH_UP,    /* what is recorded but not yet in the result log is published */
    ALLOCATOR_ACTIVE,      /* requests are decided */
    ALLOCATOR_DRAIN,       /* what was begun is finished, nothing more is taken */
    ALLOCATOR_FENCED,      /* another worker owns the partition */
    ALLOCATOR_HALTED,      /* a person must look */
    ALLOCATOR_FAILED,      /* the process must end, with the error's exit code */
    ALLOCATOR_UNASSIGNED,  /* left in order */
    ALLOCATOR_STATE_COUNT,
};

struct allocator_settings {
    int32_t partition;
    uint32_t batch_limit;       /* records a batch */
    uint32_t batches_in_flight; /* batches being committed at once, from 1 */
    int64_t hold_ttl_s, hold_ttl_max_s;
    struct inventory_limits limits;
    int64_t drain_timeout_ms; /* of an orderly end */
};

/* What the allocator works with; copied. The port's objects outlive the allocator. */
struct allocator_ports {
    struct log_port log;
    struct record_port record;
    struct outbox_port outbox;
    struct cache_port cache;
    struct metrics *metrics;
};

/* A snapshot for /status and the watchdog. */
struct allocator_view {
    enum allocator_state state;
    int32_t epoch;
    int64_t next_offset, next_seq, published_seq;
    int64_t lag;
    int64_t moved_ms;         /* CLOCK_MONOTONIC when its loop last turned */
    struct usher_error error; /* the last one; empty text: none */
};

/* "acquire", "verify", … Static storage. */
const char *allocator_state_name(enum allocator_state state);

/* Starts the thread, which takes the partition over by itself. Never NULL. */
struct allocator *allocator_start(const struct allocator_settings *settings,
                                  const struct allocator_ports *ports);

/*
 * Asks it to finish what it began within `drain_ms` and leave; 0: to leave at once, which is safe.
 * Returns at once; may be called from any thread.
 */
void allocator_stop(struct allocator *allocator, int64_t drain_ms);

/*
 * Waits for its thread until the deadline of its drain has passed. True: it has ended and was
 * freed. False: it is stuck in a call, and the caller may wait a second more by calling this
 * again, or must end the process.
 */
USHER_MUST_CHECK bool allocator_join(struct allocator *allocator);

/* Any thread. */
void allocator_look(struct allocator *allocator, struct allocator_view *view);

#endif
