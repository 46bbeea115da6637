/*
 * How the rules look up and change what is known: for decide*.c only. Every change is noted, to
 * become part of the net effect of the batch at hand (batch_seal). PURE: no booking rules here.
 */
#ifndef USHER_WORKER_INVENTORY_CHANGE_H
#define USHER_WORKER_INVENTORY_CHANGE_H

#include "inventory.h"

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

/*
 * Gives the booking a state and notes that it changed. It is among the due while it is held, by its
 * expires_ms: set that before.
 */
void inventory_change_booking(struct inventory *inventory, struct booking *booking,
                              enum booking_state state);

/* Gives the booking other units. Takes `content`. To be followed by inventory_change_booking. */
void inventory_set_content(struct booking *booking, struct content *content);

/*
 * The hold that expires next, if that is not after `until_ms` and no hold that only the database
 * has may come before it; else NULL.
 */
struct booking *inventory_first_due(const struct inventory *inventory, int64_t until_ms);

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
