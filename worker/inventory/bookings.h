/*
 * The bookings in memory: finding them, and the one way in which they and their units change.
 * Every change is noted, to become part of the net effect of the current batch (seal.h). PURE:
 * no booking rules here.
 */
#ifndef USHER_WORKER_INVENTORY_BOOKINGS_H
#define USHER_WORKER_INVENTORY_BOOKINGS_H

#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

struct inventory;

/* Finds the booking that the request of that id made, if it is in memory; counts as a use. */
struct booking *inventory_booking(struct inventory *inventory, int64_t resource_no,
                                  const char *request_id);

/*
 * Whether the units of their resource and the tallies of their customers agree with the bookings:
 * nothing may be decided about rows that something else has changed. False: it is the inventory's
 * fault from now on (inventory_fault).
 */
bool inventory_trusts(struct inventory *inventory, struct resource *resource,
                      struct booking *const *bookings, uint32_t count);

/* Whether all that is held or sold of a resource may cost so much more (USHER_SUM_MAX). */
bool inventory_has_room_for(const struct resource *resource, int64_t total);

/*
 * Makes a booking of a row, in its state, and notes it for the seal. Takes `content`, whose units
 * have been taken, as far as one of that state owns any.
 */
struct booking *inventory_add_booking(struct inventory *inventory, struct resource *resource,
                                      const struct booking_row *row, struct content *content);

/* A booking's new row and content. Begin with booking_change_of, then set what is different. */
struct booking_change {
    struct booking_row row;
    struct content *content; /* another one: taken; NULL: as it was */
    bool planned; /* a plan moved the units: it gave back what the booking had, and took the new */
};

/* Returns a change of nothing but the state. Texts are the booking's own. */
struct booking_change booking_change_of(const struct booking *booking, enum booking_state state);

/*
 * Changes a booking, the one way to do so: gives it what the change says and notes it for the seal.
 * Keeps the customers' tallies, the order of expiry (HELD, BLOCKED and WAITING ones, by expires_ms,
 * unless that is USHER_ABSENT), carts and the waiting list. Its units move with it: those that it
 * no longer has are given back, a hold that is confirmed sells the others. It takes none: only who
 * chooses them can, beforehand. Only to a state that the booking may take from its own
 * (booking_state_may_become).
 */
void inventory_change_booking(struct inventory *inventory, struct resource *resource,
                              struct booking *booking, const struct booking_change *change);

/*
 * Makes a booking of a row, in the state of another booking, with some units of that: `part`. The
 * other keeps `rest`. Takes both. Nothing is sold by it, nor taken back.
 */
struct booking *inventory_split_booking(struct inventory *inventory, struct resource *resource,
                                        struct booking *booking, const struct booking_row *row,
                                        struct content *part, struct content *rest);

/*
 * Lists the bookings of a cart that are in memory (prefetch_collect asks for the others), in the
 * order of their numbers; returns how many. The array is in `arena`.
 */
uint32_t inventory_cart(struct inventory *inventory, int64_t resource_no, const char *customer,
                        const char *cart, struct usher_arena *arena, struct booking ***bookings);

/* Returns how many these are, and lists nothing. */
uint32_t inventory_cart_size(struct inventory *inventory, int64_t resource_no, const char *customer,
                             const char *cart);

/* ---- for the inventory only ---- */

/* Puts a booking with its state into memory, with `content`, as the database has it. */
struct booking *inventory_keep_booking(struct inventory *inventory, const struct booking_row *row,
                                       struct content *content);

/*
 * Puts a booking that waits on the list of its resource, if that is in memory and it is not there.
 * False: what it wants cannot be read.
 */
bool inventory_join(struct inventory *inventory, struct booking *booking);

/* Takes a booking out of memory. */
void inventory_evict_booking(struct inventory *inventory, struct booking *booking);

/*
 * Begins to count what each customer of a resource has, where its terms limit that, by the bookings
 * in memory: all of them must be.
 */
void inventory_count_customers(struct inventory *inventory, struct resource *resource);

/*
 * ==== Their units ====
 *
 * The units of a resource change their state here, and nowhere else: tentatively for a plan, with
 * their booking for good. Whose they are is not known.
 */

/* In what follows, `units` is ignored for a counted pool, and may be NULL. */

/*
 * Takes units: free → HELD, CONFIRMED or BLOCKED; all must be free (or retired, see units_take), or
 * no more are taken beyond the capacity than may be.
 */
void resource_take(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state);

/*
 * Lets `count` more units of a pool without seats be taken, whether they are free or not: rooms
 * have as many numbers. Ends with the next seal of the pool.
 */
void resource_overbook(struct resource *resource, uint32_t pool, uint32_t count);

/* Sells units: HELD → CONFIRMED. */
void resource_sell(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count);

/* Gives units back that are in that state: HELD, CONFIRMED or BLOCKED → free. */
void resource_give(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state);

/*
 * Counts the units of lines out of those that are in that state, if it is one that owns units, and
 * in again. False, and nothing changes: they were not counted in, a unit is in another state, or
 * a pool is unknown.
 */
bool resource_count_out(struct resource *resource, const struct line *lines, uint32_t count,
                        enum booking_state state);

/*
 * Asserts what must always hold: every unit is in one state, counts and totals add up to the
 * capacities, the runs of seats are as the bits say, every name finds its pool. For tests.
 */
void resource_check(const struct resource *resource);

/*
 * Asserts that bookings and units agree in every resource that changed since the last seal: the
 * units of its changed bookings are taken for them, one booking each; where all its bookings are in
 * memory, theirs are all that are taken. Only where no rows of the database contradict each other.
 * For tests, and for builds that check themselves (USHER_CHECKED): it goes through all units and
 * bookings.
 */
void inventory_check(struct inventory *inventory);

#endif
