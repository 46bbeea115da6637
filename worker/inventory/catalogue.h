/*
 * Making resources: from what the database has, empty ones, and clones to be changed. PURE. The
 * rules of what may be changed are not known here.
 *
 * To change a catalogue: clone it; change texts, pools and rows; when all of it is right,
 * catalogue_settle. Until then the clone's pools still have the units of the original, to be
 * compared with, and the original must stay.
 */
#ifndef USHER_WORKER_INVENTORY_CATALOGUE_H
#define USHER_WORKER_INVENTORY_CATALOGUE_H

#include "worker/inventory/resource.h"
#include "worker/model/rows.h"

/* Returns a resource without pools, owned. Texts of `row` are copied. Settled. */
struct resource *resource_create(const struct resource_row *row);

/*
 * Returns a resource as loaded, owned, or NULL where that makes no sense: a chart that is not that
 * of the pools, a unit twice or beyond its pool. Uses `scratch` while it runs.
 */
struct resource *resource_load(const struct loaded_resource *loaded, struct usher_arena *scratch);

/* Returns a copy that borrows the units of `resource`, owned. */
struct resource *resource_clone(const struct resource *resource);

/* NULL is legal. */
void resource_destroy(struct resource *resource);

/* Copies a text into the resource; NULL stays NULL. */
const char *catalogue_text(struct resource *resource, const char *text);

/*
 * Adds a pool of capacity 0 and price 0, without a number, and its name if that is new. Pointers
 * to pools of this resource are invalid afterwards.
 */
struct pool *catalogue_add(struct resource *resource, enum usher_kind kind, const char *text,
                           int32_t night);

/* Gives a pool these rows, front to back, and their seats as capacity. Copies all of them. */
void catalogue_set_rows(struct resource *resource, struct pool *pool, const struct usher_row *rows,
                        uint32_t row_count);

/* Takes the rows of a pool away; its capacity is `capacity` now. */
void catalogue_set_capacity(struct pool *pool, uint32_t capacity);

/* A row as definitions and charts have it; borrows from the row. */
struct usher_row catalogue_row_of(const struct seat_row *row);

/*
 * The name of a seat that two rows have, in `arena`, or NULL. To be asked before settling: it is a
 * bad chart.
 */
const char *catalogue_seat_twice(const struct resource *resource, struct usher_arena *arena);

/*
 * Makes the clone whole: units of the capacities it has now, in the states they were in; totals;
 * seat names; the chart and its name; the terms, which must resolve (terms_resolve). Units of rows
 * that go must be free, of others there must be room for those that are taken.
 */
void catalogue_settle(struct resource *resource);

/*
 * Its parts: the units, in pools without rows at least `numbers` (of each pool; NULL: 0) of them,
 * and seat names; counts and runs of seats from the units as they are …
 */
void catalogue_make_units(struct resource *resource, const uint32_t *numbers);
void catalogue_sum(struct resource *resource);

/* … and a copy of the chart, under the name in resource->row. */
void catalogue_set_chart(struct resource *resource, const char *content, size_t size);

#endif
