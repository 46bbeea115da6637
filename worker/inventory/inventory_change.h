/*
 * How the rules look up and change what is known: for decide*.c only. Every change is noted, to
 * become part of the net effect of the batch at hand (inventory_seal). PURE: no booking rules here.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_CHANGE_H
#define USHER_WORKER_INVENTORY_INVENTORY_CHANGE_H

#include "worker/inventory/inventory.h"

/* ---- resources ---- */

/* The next number for a new pool of this partition. */
int64_t inventory_pool_number(struct inventory *inventory);

/* Takes a new resource, none of whose request ids was ever answered. */
void inventory_add_resource(struct inventory *inventory, struct resource *resource);

/* Takes a settled clone in the place of `old`, which is destroyed. */
void inventory_replace_resource(struct inventory *inventory, struct resource *old,
                                struct resource *clone);

/* The resource changes with the decision `rev`: its row is to be written. */
void inventory_touch_resource(struct inventory *inventory, struct resource *resource, int64_t rev);

/* ---- bookings ---- */

/* The booking that the request of that id made, if it is in memory; counts as a use. */
struct booking *inventory_booking(struct inventory *inventory, int64_t resource_no,
                                  const char *request_id);

/* Makes a booking with the row's fields and texts (state NONE for now) and takes `content`. */
struct booking *inventory_add_booking(struct inventory *inventory, const struct booking_row *row,
                                      struct content *content);

/* What a booking becomes. Begin with booking_change_of, then set what is different. */
struct booking_change {
    enum booking_state state;
    struct content *content; /* another one: taken; NULL: as it was */
    const char *customer, *cart, *payment, *wants;
    int64_t created_ms, expires_ms, total;
};

/* No change but of the state. Texts are the booking's own. */
struct booking_change booking_change_of(const struct booking *booking, enum booking_state state);

/*
 * The one way in which bookings change: gives it what the change says and notes it for the seal.
 * Keeps the customers' tallies, the order of expiry (HELD, BLOCKED and WAITING ones, by expires_ms,
 * unless that is USHER_ABSENT), carts and the waiting list. The state of units is the caller's.
 */
void inventory_change_booking(struct inventory *inventory, struct resource *resource,
                              struct booking *booking, const struct booking_change *change);

/*
 * The bookings of a cart that are in memory (prefetch_collect asks for the others), in the order of
 * their numbers; returns how many. The array is in `arena`.
 */
uint32_t inventory_cart(struct inventory *inventory, int64_t resource_no, const char *customer,
                        const char *cart, struct usher_arena *arena, struct booking ***bookings);

/*
 * The hold, block or waiting party whose time ends next, if that is not after `until_ms` and no
 * hold that only the database has may come before it; else NULL.
 */
struct booking *inventory_first_due(const struct inventory *inventory, int64_t until_ms);

/* ---- charts ---- */

/*
 * The layout of that name, if it is known in memory (prefetch_collect asks for it); NULL. Valid until a
 * layout is added. Those of resources are added with them.
 */
const struct chart_row *inventory_chart(struct inventory *inventory, const char *name);

/* Keeps a copy of a layout under its name. */
void inventory_add_chart(struct inventory *inventory, const struct chart_row *chart);

/* ---- work that outlasts a batch ---- */

/* The resource has work to do, or has none any more, by row.unserved and row.cancelling. */
void inventory_note_work(struct inventory *inventory, struct resource *resource);

/* The resource after `after` (NULL: the first) that has work to do, oldest first; NULL: none. */
struct resource *inventory_work(const struct inventory *inventory, const struct resource *after);

/*
 * Bookings of a resource that is being cancelled, as loaded for the batch at hand, to be cancelled
 * where they still have their units; each is given once. NULL: there are no more for now.
 */
struct booking *inventory_next_owner(struct inventory *inventory, const struct resource *resource);

/* ---- request ids ---- */

/* A request id that was answered. */
struct known_id {
    int64_t resource_no;
    uint8_t id_hash[USHER_HASH_SIZE];
    uint8_t content_hash[USHER_HASH_SIZE];
    int64_t seq;                      /* of the first answer */
    const struct decision_row *first; /* where it was loaded for the batch at hand; else NULL */

    /* For the inventory only. */
    uint64_t batch; /* 0: it was loaded */
    struct table_node by_id;
    struct list_node age;
};

/* What is known of that id, or NULL. */
struct known_id *inventory_id(const struct inventory *inventory, int64_t resource_no,
                              const uint8_t id_hash[USHER_HASH_SIZE]);

/* Keeps the first answer to a request id, decided in the batch of that number. */
void inventory_add_id(struct inventory *inventory, const struct decision_row *first,
                      uint64_t batch);

#endif
