/*
 * Building a resource from the rows of the database. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_RESTORE_H
#define USHER_WORKER_INVENTORY_RESTORE_H

#include "worker/inventory/resource.h"
#include "worker/model/loads.h"

/*
 * Returns a resource as loaded, owned, or NULL where the rows are inconsistent: a chart that is
 * not that of the pools, a unit twice or beyond its pool. Uses `scratch` while it runs.
 */
struct resource *restore_resource(const struct loaded_resource *loaded,
                                  struct usher_arena *scratch);

/*
 * Returns what readers are shown of a resource that is not in memory, held by the caller, or NULL
 * where the rows are inconsistent.
 */
struct catalogue *restore_catalogue(const struct loaded_resource *loaded);

#endif
