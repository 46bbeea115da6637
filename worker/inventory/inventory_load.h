/*
 * Loading rows of the database into memory. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_LOAD_H
#define USHER_WORKER_INVENTORY_INVENTORY_LOAD_H

#include "usher/status.h"
#include "worker/model/loads.h"

struct inventory;

/*
 * Takes loaded rows into memory. What is in memory already stays as it is. `request` is the one
 * that was answered. Texts and rows are copied, but for the first answers: those are borrowed until
 * the next inventory_seal, so let `result` live in the arena of the current batch. HALT: the
 * database has something that this program did not write (a chart or lines that cannot be read, a
 * unit that is taken twice or does not exist); the inventory is to be destroyed then.
 */
USHER_MUST_CHECK enum usher_status inventory_load(struct inventory *inventory,
                                                  const struct load_request *request,
                                                  const struct load_result *result,
                                                  struct usher_error *err);

/*
 * Forgets what was borrowed from `result`: the current batch is dropped without a seal, and
 * the next one asks again.
 */
void inventory_forget_loaded(struct inventory *inventory);

#endif
