/*
 * Work that outlasts a batch: waiting lists to be served, bookings of a resource to be
 * cancelled. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_WORK_H
#define USHER_WORKER_INVENTORY_WORK_H

#include "worker/inventory/resource.h"

struct inventory;
struct booking;

/* Notes whether the resource has work to do, by row.unserved and row.cancelling. */
void inventory_note_work(struct inventory *inventory, struct resource *resource);

/*
 * Returns the resource after `after` (NULL: the first) that has work to do, oldest first; NULL:
 * none.
 */
struct resource *inventory_work(const struct inventory *inventory, const struct resource *after);

/*
 * Returns a booking of a resource that is being cancelled, as loaded for the current batch, to be
 * cancelled where it still has its units; each is given once. NULL: there are no more for now.
 */
struct booking *inventory_next_owner(struct inventory *inventory, const struct resource *resource);

/*
 * Returns whether a resource has work that outlasts a batch: one in memory, or one of those listed,
 * or perhaps one that is yet to be listed.
 */
bool inventory_has_work(const struct inventory *inventory);

/*
 * What an earlier owner of the partition left unfinished is listed page by page, the next when the
 * last is loaded. Returns the number behind which the next page begins; INT64_MAX: nothing is to be
 * listed now.
 */
int64_t inventory_unfinished_after(const struct inventory *inventory);

/* Takes in a page; `is_last`: there are no more. */
void inventory_list_unfinished(struct inventory *inventory, const int64_t *nos, uint32_t count,
                               bool is_last);

/* Returns those listed that are yet to be loaded. */
const int64_t *inventory_unfinished(const struct inventory *inventory, uint32_t *count);

/* Strikes off the list what is in memory now. */
void inventory_note_unfinished(struct inventory *inventory);

/* Returns the first resource whose bookings are being cancelled, or NULL. */
struct resource *inventory_cancelled(const struct inventory *inventory);

/* Returns whether there are bookings to cancel behind those that were asked for last. */
bool inventory_owners_remain(const struct inventory *inventory);

/* Adds a booking to those that inventory_next_owner gives. */
void inventory_add_owner(struct inventory *inventory, struct booking *booking);

/* Forgets them; if some were not given, their page is asked for again. */
void inventory_forget_owners(struct inventory *inventory);

/*
 * Moves resource->cancel_cursor, the place from which bookings to cancel are asked for; NULL: to
 * the beginning, for bookings that were not yet committed when their page was read.
 */
void inventory_set_cancel_cursor(struct resource *resource, const uint8_t *id_hash);

#endif
