/*
 * What memory lacks to decide some records: the questions for one round trip to the database.
 * PURE: it asks nobody itself.
 */
#ifndef USHER_WORKER_RULES_PREFETCH_H
#define USHER_WORKER_RULES_PREFETCH_H

#include "worker/inventory/inventory.h"
#include "worker/model/loads.h"
#include "worker/rules/input.h"

enum {
    PREFETCH_DUE_AHEAD_MS = 60000, /* holds are asked for so far ahead, to ask but once a minute */
    PREFETCH_DUE_LIMIT = 2000,     /* holds in one answer */
    PREFETCH_OWNERS_LIMIT = 500    /* units whose bookings are cancelled with one batch */
};

/*
 * Gathers into `request` (in `arena`) what memory lacks to decide `inputs` and to expire what is
 * due at `until_ms`: the log's time after the last of the inputs, or, on an idle partition, the
 * clock. False: nothing, no need to ask. Give the answer to inventory_load.
 */
bool prefetch_collect(struct inventory *inventory, const struct input *inputs, uint32_t input_count,
                      int64_t until_ms, struct usher_arena *arena, struct load_request *request);

/*
 * Whether what the inputs need can only be read while nothing is in flight nor decided in the batch
 * at hand: customers of a resource in memory are to be counted for the first time, which a read
 * beside a commit would do wrongly. To be asked before prefetch_collect.
 */
bool prefetch_needs_idle(struct inventory *inventory, const struct input *inputs,
                         uint32_t input_count);

/*
 * The second round, after inventory_load: resources of what is due at `until_ms`, and what each
 * customer has of resources that limit that and were just loaded. False: nothing is missing.
 */
bool prefetch_collect_more(struct inventory *inventory, const struct input *inputs,
                           uint32_t input_count, int64_t until_ms, struct usher_arena *arena,
                           struct load_request *request);

#endif
