/*
 * What one partition knows: resources with their units, bookings, request ids, and which hold
 * expires next. A cache of the database that is allowed to run ahead of it by the batches in
 * flight. PURE: no booking rules, no clock, no I/O.
 *
 * One inventory lives as long as one ownership of the partition and is thrown away after any
 * commit that failed or whose fate is unknown: there is no undo.
 *
 * One batch goes like this:
 *     prefetch_collect → record load → inventory_load    what memory lacks   (prefetch.h)
 *     prefetch_collect_more → record load → inventory_load of what comes due, and customers' units
 *     expiry_run, decide …                      change it           (decide.h)
 *     inventory_seal                                     takes the net effect; evicts what is cold
 *     inventory_committed                            when the batch is known to be committed
 *
 * What a batch changed stays in memory until that batch is known to be committed: a read beside an
 * in-flight commit would see the past, and sell a unit twice. Nothing is evicted but by inventory_seal,
 * so what was in memory or loaded at prefetch_collect is there when the batch is decided.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_H
#define USHER_WORKER_INVENTORY_INVENTORY_H

#include "usher/status.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"
#include "worker/model/loads.h"
#include "worker/model/rows.h"

struct inventory;

/* How much is kept once it is cold and committed. More is kept while it must be. */
struct inventory_limits {
    uint32_t bookings;
    uint32_t resources;
    uint64_t units; /* over the resources in memory */
    uint32_t ids;
};

/*
 * Returns an empty inventory, owned. `last_pool` is the highest n of a pool number used so far
 * (position.last_pool). It knows no hold: the first prefetch_collect asks for those that are due.
 */
struct inventory *inventory_create(int32_t partition, const struct inventory_limits *limits,
                                   int64_t last_pool);

/* NULL is legal. */
void inventory_destroy(struct inventory *inventory);

/*
 * Takes what was loaded into memory. What is in memory already stays as it is. `request` is the one
 * that was answered. Texts and rows are copied, but for the first answers: those are borrowed until
 * the next inventory_seal, so let `result` live in the arena of the batch at hand. HALT: the database
 * has something that this program did not write (a chart or lines that cannot be read, a unit that
 * is taken twice or does not exist); the inventory is to be destroyed then.
 */
USHER_MUST_CHECK enum usher_status inventory_load(struct inventory *inventory,
                                                  const struct load_request *request,
                                                  const struct load_result *result,
                                                  struct usher_error *err);

/*
 * What was borrowed from `result` is forgotten: the batch at hand is dropped without a seal, and
 * the next one asks again.
 */
void inventory_forget_loaded(struct inventory *inventory);

/* Batches up to `number` are known to be committed: what they changed may be evicted. */
void inventory_committed(struct inventory *inventory, uint64_t number);

/*
 * When the next hold may expire: the earliest in memory, or the time from which on the database
 * must be asked, whichever comes first. INT64_MIN in a new inventory: ask at once.
 */
int64_t inventory_next_due_ms(const struct inventory *inventory);

/*
 * Whether holds with expires_at <= until_ms remain, in memory or perhaps in the database. As long
 * as they do, no record appended at `until_ms` may be decided: close the batch and go on with the
 * next one, which loads and expires more.
 */
bool inventory_due(const struct inventory *inventory, int64_t until_ms);

/* Whether a resource in memory has work that outlasts a batch (background_run). */
bool inventory_has_work(const struct inventory *inventory);

/* The resource, if it is in memory; counts as a use. By id and by number. */
struct resource *inventory_resource(struct inventory *inventory, const char *id);
struct resource *inventory_resource_numbered(struct inventory *inventory, int64_t no);

/*
 * Numbers of the resources that the last inventory_seal evicted; valid until the next one. The display
 * forgets them.
 */
const int64_t *inventory_evicted(const struct inventory *inventory, uint32_t *count);

/* How much is in memory, for metrics and tests. */
struct inventory_size {
    uint32_t bookings, resources, ids, due;
    uint64_t units;
};
struct inventory_size inventory_size(const struct inventory *inventory);

#endif
