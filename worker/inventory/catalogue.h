/*
 * Making resources: from what the database has, empty ones, and clones to be changed. PURE. It does
 * not know which changes are allowed.
 *
 * To change a catalogue: clone it; change texts, pools and rows; when all of it is right,
 * catalogue_settle. Until then the clone's pools still have the units of the original, to be
 * compared with, and the original must stay.
 */
#ifndef USHER_WORKER_INVENTORY_CATALOGUE_H
#define USHER_WORKER_INVENTORY_CATALOGUE_H

#include "worker/inventory/resource.h"
#include "worker/model/rows.h"

/*
 * What was removed does not count among the pools and nights that a resource may have, so that a
 * hotel can go on for ever. But it stays: bookings of the past name pools by their index, and are
 * in the database only, so that nobody knows here which of them are still needed. It takes memory
 * (about 350 bytes a pool), and so there is an end to it, too: ten times as much as is on sale.
 */
enum {
    CATALOGUE_POOLS_MAX = 11 * USHER_POOLS_MAX,
    CATALOGUE_NIGHTS_MAX = 11 * USHER_CALENDAR_MAX
};

/* Returns a resource without pools, owned. Texts of `row` are copied. Settled. */
struct resource *resource_create(const struct resource_row *row);

/* Returns a copy that borrows the units of `resource`, owned. */
struct resource *resource_clone(const struct resource *resource);

/* NULL is legal. */
void resource_destroy(struct resource *resource);

/*
 * Adds a pool of capacity 0 and price 0, without a number, and its name if that is new. Pointers
 * to pools of this resource are invalid afterwards.
 */
struct pool *catalogue_add(struct resource *resource, enum usher_kind kind, const char *text,
                           int32_t night);

/* Whether a night may be added without exceeding CATALOGUE_NIGHTS_MAX. */
bool catalogue_reaches(const struct resource *resource, const char *room, int32_t night);

/* Returns how many nights lie from the first to the last of each room type that are not removed. */
int64_t catalogue_calendar(const struct resource *resource);

/* Gives a pool these rows, front to back, and their seats as capacity. Copies all of them. */
void catalogue_set_rows(struct resource *resource, struct pool *pool, const struct usher_row *rows,
                        uint32_t row_count);

/* Takes the rows of a pool away; its capacity is `capacity` now. */
void catalogue_set_capacity(struct pool *pool, uint32_t capacity);

/* Returns a row as definitions and charts have it; borrows from the row. */
struct usher_row catalogue_row_of(const struct seat_row *row);

#endif
