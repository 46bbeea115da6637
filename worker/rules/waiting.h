/*
 * What is decided without a request: parties served when units return, bookings that end at a
 * time, and all bookings of a resource cancelled, batch by batch. Who joins the waiting list,
 * too. PURE.
 */
#ifndef USHER_WORKER_RULES_WAITING_H
#define USHER_WORKER_RULES_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/inventory.h"
#include "worker/model/batch.h"
#include "worker/rules/decision.h"
#include "worker/rules/input.h"

/* Puts the request on the waiting list; it was short of units. */
void waiting_join(struct decision *decision);

/*
 * ==== Expiry ====
 *
 * Bookings that end at a time: holds expire, parties leave the waiting list, blocks return.
 */

/*
 * Expires holds with expires_at <= until_ms in the order of (expires_at, booking), at most `max`
 * decisions, each an unrequested one; blocks return and waiting parties leave in the same way.
 * Before a party leaves its list is served, if that is yet to be done. Returns how many. It stops
 * before a hold whose resource is not in memory: see prefetch_collect_more; inventory_due says
 * whether more remain.
 */
uint32_t expiry_run(struct inventory *inventory, const struct rules *rules, int64_t until_ms,
                    uint32_t max, struct batch *batch);

/*
 * ==== Background work ====
 *
 * Work that outlasts a batch: waiting lists served, all bookings of a resource cancelled.
 */

/*
 * Serves the waiting list of the record's resource before the record, if parties on it may fit and
 * the record could take their units, or at its time less is sold: at most `max` unrequested
 * decisions. False: more parties may
 * fit; decide the record in a later batch.
 */
bool background_serve_first(struct inventory *inventory, const struct rules *rules,
                            const struct input *input, uint32_t max, struct batch *batch);

/*
 * Continues such work after the requests of a batch, at most `max` unrequested decisions, and
 * returns how many were made. The log's time is `at_ms`: what waits for the opening of a sale that
 * is later stays. inventory_has_work says whether more remains.
 */
uint32_t background_run(struct inventory *inventory, const struct rules *rules, int64_t at_ms,
                        uint32_t max, struct batch *batch);

/* When the first sale opens that a list waits for at `at_ms`; INT64_MAX: none. */
int64_t background_next_ms(const struct inventory *inventory, int64_t at_ms);

#endif
