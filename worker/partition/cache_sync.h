/*
 * Keeps the cache in step with one partition: puts changes. When the cache may have lost something
 * or has a new owner, resyncs it from the position that it has stored. Best effort: its failures
 * are no failures of the partition. It knows the display and two ports, not how a partition is
 * owned.
 *
 * A partial resync puts changes since the position. If there is no position, or an old one, a full
 * one goes through all resources. Both read page by page from the record, with a small share of the
 * thread's time and a bounded number of resources that are not acknowledged. A page is as large as
 * can be read in some milliseconds: decisions wait for it. Until a resync is done the position
 * stays as it was.
 *
 * If memory is tight and the cache does not keep up, evicted resources that only wait for the cache
 * are dropped. A later partial resync puts them, as it puts evicted resources that the cache turns
 * out to lack.
 */
#ifndef USHER_WORKER_PARTITION_CACHE_SYNC_H
#define USHER_WORKER_PARTITION_CACHE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/base/log.h"
#include "worker/display/display.h"
#include "worker/model/ports.h"

enum {
    CACHE_SYNC_PAGE = 1000,          /* resources listed at once */
    CACHE_SYNC_LOAD_MAX = 64,        /* resources loaded at once */
    CACHE_SYNC_PARTIAL_MAX = 500000, /* decisions that a partial resync looks through */
};

enum cache_sync_state {
    CACHE_AWAY = 0,  /* nothing is put */
    CACHE_RESYNCING, /* changes are put, and resources that the cache lacks */
    CACHE_FOLLOWING  /* changes are put */
};

struct cache_sync {
    /* Borrowed. */
    const struct record_port *record;
    const struct cache_port *cache;
    struct display *display;
    const struct log_context *log;

    int32_t partition, epoch;
    enum cache_sync_state state;
    uint64_t session;
    int64_t floor_seq; /* the position, until a resync is done */
    int64_t again_seq; /* changes from this decision on are to be put again, or 0 */

    /* Of a resync. */
    bool full;
    bool listed;        /* no page is left to be read */
    int64_t after;      /* seq, or number of the resource, up to which it was listed */
    int64_t target_seq; /* up to which a partial one lists */
    int64_t until_seq;  /* the last decision by the time all was listed and loaded, or -1 */
    struct resource_rev page[CACHE_SYNC_PAGE];
    uint32_t page_count, page_next;
    uint32_t list_count; /* resources listed at once, or decisions looked through */
    uint32_t load_count; /* resources loaded at once */
    uint32_t halvings;   /* of the bounds of a load */
    struct load_request request;
    struct load_result result; /* of the load under way, if pages of it remain */
    int64_t nos[CACHE_SYNC_LOAD_MAX];
    uint32_t places[CACHE_SYNC_LOAD_MAX]; /* of them, in the page */
    uint32_t loads_from;                  /* the place at which that load began */
    int64_t next_us;     /* CLOCK_MONOTONIC: when the next ones may be loaded … */
    int64_t next_put_us; /* … and, during a sale, when the next one may be put */
    int64_t began_us;
    uint64_t loaded_count;
    struct log_limit failure_log;
    struct usher_arena arena; /* of loaded rows */
};

/* How things stand at a turn of the loop. */
struct cache_moment {
    int64_t now_ms;       /* the batch clock */
    int64_t monotonic_us; /* CLOCK_MONOTONIC */
    int64_t decided_seq;  /* the last one, committed or not */
    bool busy;            /* requests wait or are being committed */
    bool tight;           /* others need the memory */
    bool may_load;        /* there is some for a resync */
};

/* Prepares a zeroed one. */
void cache_sync_init(struct cache_sync *sync, int32_t partition, const struct record_port *record,
                     const struct cache_port *cache, struct display *display,
                     const struct log_context *log);
void cache_sync_deinit(struct cache_sync *sync);

/*
 * The partition was acquired under this epoch, decided up to that seq, and is kept in `inventory`.
 * Resets the display.
 */
void cache_sync_acquired(struct cache_sync *sync, struct inventory *inventory, int32_t epoch,
                         int64_t decided_seq);

/*
 * Uncommitted decisions are forgotten, in the same epoch: the partition is decided up to that seq,
 * and kept in another inventory. As above, but the session goes on: unacknowledged updates are put
 * again.
 */
void cache_sync_rewound(struct cache_sync *sync, struct inventory *inventory, int64_t decided_seq);

/* A batch was sealed, at that time of the batch clock: draws its changes. */
void cache_sync_sealed(struct cache_sync *sync, const struct batch *batch, int64_t now_ms);

/*
 * One turn: takes events from the cache, continues a resync, which moves `monotonic_us` on by as
 * long as it took, and puts due updates.
 */
void cache_sync_turn(struct cache_sync *sync, struct cache_moment *moment);

/* Whether a resource is being read page by page. */
bool cache_sync_is_loading(const struct cache_sync *sync);

/* Milliseconds until there is something to do, or -1 if nothing is known yet. */
int64_t cache_sync_wait_ms(const struct cache_sync *sync, const struct cache_moment *moment);

/* Everything that decisions up to this seq changed is in the cache. */
int64_t cache_sync_position(const struct cache_sync *sync);

/* Decisions up to that seq that the cache does not show yet, or 0 if there is no cache. */
int64_t cache_sync_lag(const struct cache_sync *sync, int64_t decided_seq);

/* Sets the position that a beat reports. */
void cache_sync_set_beat(const struct cache_sync *sync, struct cache_beat *beat);

#endif
