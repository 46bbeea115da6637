/*
 * Work that outlasts a batch: waiting lists served, all bookings of a resource cancelled. PURE.
 */
#ifndef USHER_WORKER_RULES_BACKGROUND_H
#define USHER_WORKER_RULES_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/inventory.h"
#include "worker/rules/input.h"

/*
 * Serves the waiting list of the record's resource before the record, if parties on it may fit and
 * the record could take their units: at most `max` unrequested decisions. False: more parties may
 * fit; decide the record in a later batch.
 */
bool background_serve_first(struct inventory *inventory, const struct rules *rules,
                            const struct input *input, uint32_t max, struct batch *batch);

/*
 * Continues such work after the requests of a batch, at most `max` unrequested decisions, and
 * returns how many were made. inventory_has_work says whether more remains.
 */
uint32_t background_run(struct inventory *inventory, const struct rules *rules, uint32_t max,
                        struct batch *batch);

#endif
