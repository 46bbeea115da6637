/*
 * Work that outlasts a batch: waiting lists to be served, bookings of a resource to be
 * cancelled, and the booking that ends next. PURE: it does not know how the work is done.
 */
#ifndef USHER_WORKER_INVENTORY_WORK_H
#define USHER_WORKER_INVENTORY_WORK_H

#include "worker/inventory/booking.h"
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
 * Returns a booking of a resource that is being cancelled, as loaded for the current batch, to
 * cancel if it still has units; returns each once. NULL: no more for now.
 */
struct booking *inventory_next_owner(struct inventory *inventory, const struct resource *resource);

/* True if a resource has unfinished work: in memory, listed, or possibly not yet listed. */
bool inventory_has_work(const struct inventory *inventory);

/*
 * Work that an earlier owner of the partition left unfinished is listed page by page, the next once
 * the last is loaded. Returns the number behind which the next page begins; INT64_MAX: nothing is
 * to be listed now.
 */
int64_t inventory_unfinished_after(const struct inventory *inventory);

/* Takes in a page; `is_last`: there are no more. */
void inventory_list_unfinished(struct inventory *inventory, const int64_t *nos, uint32_t count,
                               bool is_last);

/* Returns those listed that are yet to be loaded. */
const int64_t *inventory_unfinished(const struct inventory *inventory, uint32_t *count);

/* Removes resources that are in memory now from the list. */
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

/*
 * ==== Giving work ====
 *
 * Giving a resource work that outlasts a batch: parties that may fit now, bookings that are to be
 * cancelled. PURE: it does not know how the work is done.
 */

/* Starts a new round of the waiting list: units came back at that time, so a party may fit. */
void wake_waiting(struct inventory *inventory, struct resource *resource, int64_t at_ms);

/* Does the same for parties of every class: names, limits or the sale changed. */
void wake_waiting_all(struct inventory *inventory, struct resource *resource, int64_t at_ms);

/* Ends that work: no party on the list fits now. */
void wake_served(struct inventory *inventory, struct resource *resource);

/* Has all bookings of the resource cancelled; `why` is for people, or empty. */
void wake_cancelling(struct inventory *inventory, struct resource *resource, const char *why);

/* Ends that work: no such booking remains. */
void wake_cancelled(struct inventory *inventory, struct resource *resource);

/* Returns whether the resource has bookings that cancelling it would end. */
bool wake_cancelling_remains(const struct resource *resource);

/*
 * ==== Horizon ====
 *
 * The booking that ends next: a hold, a block or a wait. All that end before the horizon are in
 * memory; later ones may be in the database only.
 */

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
