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
 * Serves the waiting list of the resource that the record is about, if parties on it may fit and
 * the record could take their units: at most `max` unasked decisions. False: there is more to
 * serve; the record is to be decided in a later batch.
 */
bool background_serve_first(struct inventory *inventory, const struct rules *rules,
                            const struct input *input, uint32_t max, struct batch *batch);

/*
 * Goes on with work that outlasts a batch, after the requests: serves waiting lists and cancels the
 * bookings of resources that are being cancelled, at most `max` unasked decisions. Returns how
 * many. inventory_has_work says whether more remains.
 */
uint32_t background_run(struct inventory *inventory, const struct rules *rules, uint32_t max,
                        struct batch *batch);

#endif
