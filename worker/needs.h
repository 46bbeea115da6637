/*
 * What memory lacks to decide some records: the questions for one round trip to the database.
 * PURE: it asks nobody itself.
 */
#ifndef USHER_WORKER_NEEDS_H
#define USHER_WORKER_NEEDS_H

#include "decide.h"
#include "inventory.h"
#include "loads.h"

enum {
    NEEDS_DUE_AHEAD_MS = 60000, /* holds are asked for so far ahead, to ask but once a minute */
    NEEDS_DUE_LIMIT = 2000      /* holds in one answer */
};

/*
 * Gathers into `request` (in `arena`) what memory lacks to decide `inputs` and to expire what is
 * due at `until_ms`: the log's time after the last of the inputs, or, on an idle partition, the
 * clock. False: nothing, no need to ask. Give the answer to inventory_load.
 */
bool needs_gather(struct inventory *inventory, const struct input *inputs, uint32_t input_count,
                  int64_t until_ms, struct usher_arena *arena, struct load_request *request);

/*
 * The second round, after inventory_load: resources of holds that are due at `until_ms`. False:
 * none are missing.
 */
bool needs_resources(struct inventory *inventory, int64_t until_ms, struct usher_arena *arena,
                     struct load_request *request);

#endif
