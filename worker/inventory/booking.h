/*
 * One booking in memory: its owner, its units (or former units, once released, cancelled or
 * expired), its state, and its stored values; and which hold expires next. PURE: no booking rules,
 * no clock, no I/O.
 */
#ifndef USHER_WORKER_INVENTORY_BOOKING_H
#define USHER_WORKER_INVENTORY_BOOKING_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/base/list.h"
#include "usher/memory.h"
#include "worker/base/table.h"
#include "worker/model/rows.h"

struct waiting_class;

/* Units of one item in one pool, at one price. */
struct line {
    uint32_t item;
    uint32_t pool;      /* index */
    uint32_t seat_hash; /* of seats: tells them from others that get their numbers; else 0 */
    uint32_t unit_count;
    int64_t price;
    const char *rate;     /* by which it was sold, where the pool has several; NULL */
    const int32_t *units; /* their numbers; NULL: they were counted when they were taken */
};

/* Whether its units were counted. Its pool may have got rows since, or lost them. */
static inline bool line_is_counted(const struct line *line)
{
    return !line->units;
}

/* All lines of a booking with their rates, one allocation; never changed, only replaced. */
struct content {
    uint32_t line_count;
    uint32_t unit_count;   /* over all lines */
    uint32_t number_count; /* over those lines that have numbers */
    struct line lines[];
};

struct booking {
    struct booking_row row;  /* as stored, once the current batch is committed; without its lines */
    struct content *content; /* them */

    /* For the inventory only. */
    char *texts;                    /* all those of the row, one allocation */
    struct content *stored_content; /* as stored; the same as content where that did not change */
    struct table_node by_id;        /* by resource and request id */
    struct list_node use;           /* in the list of all by last use, or of those that wait */
    struct list_node touch;         /* in the list of those changed */
    struct table_node by_cart;      /* by resource, customer and cart, where it has one */
    struct list_node party;         /* in its class on the waiting list … */
    struct waiting_class *waits_in; /* … which it is in while it waits and its resource is known */
    uint32_t due_index;             /* place in the order of expiry; DUE_NONE */
    bool touched;                   /* changed since the last seal */
    bool is_part;                   /* made by a split since then, or one of which units left … */
    bool was_sold;                  /* … made of units that were sold before */
    uint64_t batch;                 /* the last one that changed it */
};

/*
 * The life of a booking:
 *     NONE ─ hold ─► HELD ─ confirm ─► CONFIRMED ─ cancel ─► CANCELLED
 *                     ├ release ─► RELEASED
 *                     └ time ─► EXPIRED ─ confirm, its units are still free ─► CONFIRMED
 *                                  └ release, it is given up ─► RELEASED
 *     NONE ─ book ─► CONFIRMED
 *     NONE ─ transfer of a part of one that is HELD or CONFIRMED ─► the same
 *     NONE ─ block ─► BLOCKED ─ unblock, time, all of it was sold ─► RELEASED
 *     NONE ─ hold, nothing is free ─► WAITING ─ served ─► HELD
 *                                       └ leave, time ─► LEFT
 * One that is HELD, CONFIRMED or BLOCKED may also change and stay what it is (extended, exchanged,
 * transferred, a part of it sold), as may one that is WAITING (its end was moved). Whether `from`
 * may become `to`:
 */
bool booking_state_may_become(enum booking_state from, enum booking_state to);

/* Returns whether a booking in that state has its units: they are allocated to it. */
bool booking_state_owns_units(enum booking_state state);

/* Returns how many lines of units are allocated to it: those of its content, until it has ended. */
uint32_t booking_owned_lines(const struct booking *booking);

/* Copies lines with their units. Returns owned; free() it. */
struct content *content_create(const struct line *lines, uint32_t line_count);

/* Returns whether both have the same units at the same prices, in the same order. */
bool content_equal(const struct content *a, const struct content *b);

/* Returns how many units of a pool the lines have. */
uint32_t lines_units_of(const struct line *lines, uint32_t count, uint32_t pool);

/* The units with numbers of some lines, to be found in. */
struct unit_set {
    uint64_t *at; /* pool << 32 | unit, sorted */
    uint32_t count;
};

/* Returns those of the lines, in the arena. */
struct unit_set unit_set_of(const struct line *lines, uint32_t line_count,
                            struct usher_arena *arena);

bool unit_set_has(const struct unit_set *set, uint32_t pool, int32_t unit);

/* Whether it has some unit twice. */
bool unit_set_has_twice(const struct unit_set *set);

/* Returns how many bytes the texts of a row take (request_id … meta, wants), with their ends … */
size_t booking_texts_size(const struct booking_row *row);

/* … and copies them to where there is room for that many: they are the row's from now on. */
void booking_move_texts(struct booking_row *row, char *to);

/* Frees what it owns, but not the struct. */
void booking_deinit(struct booking *booking);

/*
 * ==== Holds by time of expiry ====
 *
 * Which hold in memory expires next: a binary heap of (expires_at, booking number), each booking
 * knowing its place so that it can leave from anywhere.
 */

#define DUE_NONE UINT32_MAX

/* A place in the order of expiry. */
struct due_key {
    int64_t expires_ms;
    int64_t no;
};

static inline bool due_key_less(struct due_key a, struct due_key b)
{
    return a.expires_ms != b.expires_ms ? a.expires_ms < b.expires_ms : a.no < b.no;
}

/* Zero-initialise to make an empty one. */
struct due {
    struct due_entry {
        struct due_key key; /* a copy, so that comparing touches no booking */
        struct booking *booking;
    } * heap;
    uint32_t count, limit;
};

void due_deinit(struct due *due);

/* Adds a booking that is not in it, by its expires_ms and no. */
void due_add(struct due *due, struct booking *booking);

/* Removes a booking, if it is in it. */
void due_remove(struct due *due, struct booking *booking);

/* Returns the booking that expires first, or NULL. */
struct booking *due_first(const struct due *due);

/*
 * Visits the bookings with expires_ms <= until_ms, in no order: returns the next one after `*at`
 * (start with 0) and moves `*at` on; NULL: there are no more.
 */
struct booking *due_each(const struct due *due, int64_t until_ms, uint32_t *at);

#endif
