/*
 * Finding the resources in memory, and noting that one changes. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_RESOURCES_H
#define USHER_WORKER_INVENTORY_RESOURCES_H

#include "worker/inventory/resource.h"

struct inventory;

/* Finds a resource, if it is in memory, by id or by number; counts as a use. */
struct resource *inventory_resource(struct inventory *inventory, const char *id);
struct resource *inventory_resource_numbered(struct inventory *inventory, int64_t no);

/* Finds a resource without counting as a use. */
struct resource *inventory_peek(const struct inventory *inventory, int64_t no);

/* Notes that the resource changes with the decision `rev`: its row is to be written. */
void inventory_touch_resource(struct inventory *inventory, struct resource *resource, int64_t rev);

/* ---- for the inventory only ---- */

/* Puts a resource into memory; it has no use yet. */
void inventory_keep_resource(struct inventory *inventory, struct resource *resource);

/* Brings the sums over all resources up to date with its units; or takes them out. */
void inventory_count_units(struct inventory *inventory, struct resource *resource);
void inventory_drop_units(struct inventory *inventory, const struct resource *resource);

/* Takes out what the next seal would have written of its row and pools: another one has them. */
void inventory_drop_unsealed(struct inventory *inventory, const struct resource *resource);

#endif
