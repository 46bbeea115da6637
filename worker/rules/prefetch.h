/*
 * Rows to be loaded before some records can be decided, as requests of one round trip each to the
 * database. PURE: the caller sends them.
 */
#ifndef USHER_WORKER_RULES_PREFETCH_H
#define USHER_WORKER_RULES_PREFETCH_H

#include "worker/inventory/inventory.h"
#include "worker/model/loads.h"
#include "worker/rules/input.h"

enum {
    PREFETCH_DUE_AHEAD_MS = 60000, /* holds are loaded this far ahead: one load per minute */
    PREFETCH_DUE_LIMIT = 2000,     /* holds per load */
    PREFETCH_OWNERS_LIMIT = 500,   /* request ids looked at per load for bookings to cancel */
    PREFETCH_UNFINISHED_LIMIT = 64 /* resources with work left, listed per load */
};

/*
 * Collects into `request` (in `arena`) what is not in memory but needed to decide `inputs` and to
 * expire what is due at `until_ms`: the log's time after the last of the inputs, or, on an idle
 * partition, the clock. Give the result to inventory_load. False: nothing is missing. Each list is
 * in the order of the inputs, so that a load that does not go to its end serves the first of them.
 */
bool prefetch_collect(struct inventory *inventory, const struct input *inputs, uint32_t input_count,
                      int64_t until_ms, struct usher_arena *arena, struct load_request *request);

/*
 * Whether what the inputs need can only be read while no batch is in flight and nothing is decided
 * in the open one: the customers of a resource in memory are to be counted for the first time, and
 * a read beside a commit would miscount them. Call it before prefetch_collect.
 */
bool prefetch_needs_idle(struct inventory *inventory, const struct input *inputs,
                         uint32_t input_count);

/*
 * Returns how many of the inputs, from the first on, lack nothing that the load of prefetch_collect
 * left for later: they may be decided. Call it after inventory_load. At least one, for a load
 * serves what the first input needs.
 */
uint32_t prefetch_covered(struct inventory *inventory, const struct input *inputs,
                          uint32_t input_count, const struct load_request *asked,
                          const struct load_result *got, struct usher_arena *arena);

/*
 * Collects for a second round, after inventory_load, what follows from the rows loaded: the
 * resources of bookings due at `until_ms`, those with work left, and each customer's units in
 * resources that limit them. False: nothing is missing.
 */
bool prefetch_collect_more(struct inventory *inventory, const struct input *inputs,
                           uint32_t input_count, int64_t until_ms, struct usher_arena *arena,
                           struct load_request *request);

/* Drops all but the customers' units, where a load did not go to its end. False: none are left. */
bool prefetch_only_counts(struct load_request *request);

/*
 * Returns how many of the inputs, from the first on, are of resources whose customers are counted
 * if they must be: the others are to be loaded again.
 */
uint32_t prefetch_counted(struct inventory *inventory, const struct input *inputs,
                          uint32_t input_count);

#endif
