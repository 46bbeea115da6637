/*
 * Giving a resource work that outlasts a batch: parties that may fit now, bookings that are to be
 * cancelled. PURE: it does not know how the work is done.
 */
#ifndef USHER_WORKER_INVENTORY_WAKE_H
#define USHER_WORKER_INVENTORY_WAKE_H

#include "worker/inventory/resource.h"

struct inventory;

/* Starts a new round of the waiting list: units came back, so a party on it may fit. */
void wake_waiting(struct inventory *inventory, struct resource *resource);

/* Does the same for parties of every class: names, limits or the sale changed. */
void wake_waiting_all(struct inventory *inventory, struct resource *resource);

/* Ends that work: no party on the list fits now. */
void wake_served(struct inventory *inventory, struct resource *resource);

/* Has all bookings of the resource cancelled; `why` is for people, or empty. */
void wake_cancelling(struct inventory *inventory, struct resource *resource, const char *why);

/* Ends that work: no such booking remains. */
void wake_cancelled(struct inventory *inventory, struct resource *resource);

/* Returns whether the resource has bookings that cancelling it would end. */
bool wake_cancelling_remains(const struct resource *resource);

#endif
