/*
 * The booking that ends next: a hold, a block or a wait. All that end before the horizon are in
 * memory; later ones may be in the database only. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_HORIZON_H
#define USHER_WORKER_INVENTORY_HORIZON_H

#include "worker/inventory/due.h"

struct inventory;

/*
 * Returns when the next hold may expire: the earliest in memory, or the time from which on the
 * database must be asked, whichever comes first. INT64_MIN in a new inventory: ask at once.
 */
int64_t inventory_next_due_ms(const struct inventory *inventory);

/*
 * Returns whether holds with expires_at <= until_ms remain, in memory or perhaps in the database.
 * As long as they do, no record appended at `until_ms` may be decided: close the batch and continue
 * with the next one, which loads and expires more.
 */
bool inventory_due(const struct inventory *inventory, int64_t until_ms);

/*
 * Returns the hold, block or waiting party whose time ends next, if that is not after `until_ms`
 * and no hold that only the database has may come before it; else NULL.
 */
struct booking *inventory_first_due(const struct inventory *inventory, int64_t until_ms);

/* Returns the horizon: all bookings that end up to here, in the order of expiry, are in memory. */
struct due_key inventory_horizon(const struct inventory *inventory);

/* Visits what ends up to `until_ms` in memory, as due_each does. */
struct booking *inventory_each_due(const struct inventory *inventory, int64_t until_ms,
                                   uint32_t *at);

#endif
