/*
 * Rows of the database into memory: a resource is restored from them, refused if they are
 * inconsistent, and settled. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_LOAD_H
#define USHER_WORKER_INVENTORY_INVENTORY_LOAD_H

#include "usher/status.h"
#include "worker/inventory/resource.h"
#include "worker/model/loads.h"

struct inventory;

/*
 * Takes loaded rows into memory. Rows that are in memory already stay as they are. `request` is the
 * one that was answered. Texts and rows are copied, but for the first answers: those are borrowed
 * until the next inventory_seal, so let `result` live in the arena of the current batch. HALT: the
 * database has rows that this program did not write (a chart or lines that cannot be read, a unit
 * that is taken twice or does not exist); the inventory is to be destroyed then.
 */
USHER_MUST_CHECK enum usher_status inventory_load(struct inventory *inventory,
                                                  const struct load_request *request,
                                                  const struct load_result *result,
                                                  struct usher_error *err);

/*
 * Drops everything borrowed from `result`: the current batch is dropped without a seal, and the
 * next one loads again.
 */
void inventory_forget_loaded(struct inventory *inventory);

/*
 * ==== Restoring ====
 *
 * Building a resource from the rows of the database.
 */

/*
 * Returns a resource as loaded, owned, or NULL where the rows are inconsistent: a chart that is
 * not that of the pools, a unit twice or beyond its pool. Uses `scratch` while it runs.
 */
struct resource *restore_resource(const struct loaded_resource *loaded,
                                  struct usher_arena *scratch);

/*
 * ==== Settling ====
 *
 * Completing a resource after its catalogue changed.
 */

/*
 * Completes the clone: units of the capacities it has now, in the states they were in; totals; seat
 * names; the chart and its name; the terms, which must resolve (terms_resolve). Units of removed
 * rows must be free; all other pools must have room for their taken units.
 */
void catalogue_settle(struct resource *resource);

#endif
