/*
 * One resource in memory: its catalogue (pools, rows of seats, nights) and the state of its units.
 * PURE: no booking rules, no clock, no I/O; it does not know who holds a unit, only that one is.
 *
 * Bookings refer to a unit as (pool index, unit number); a pool keeps its index for ever. Units of
 * a pool with rows are numbered through the rows, front to back. The units of sections by capacity
 * and of products are interchangeable: they are counted, and have no numbers.
 *
 * The catalogue is never edited in place: define changes and checks a clone, and then either drops
 * it or puts it in the place of the old one (catalogue.h). What readers are shown of it is shared
 * with the updates for them (shared_catalogue.h).
 */
#ifndef USHER_WORKER_INVENTORY_RESOURCE_H
#define USHER_WORKER_INVENTORY_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/base/list.h"
#include "usher/memory.h"
#include "usher/message.h"
#include "worker/base/table.h"
#include "worker/inventory/units.h"
#include "worker/model/rows.h"

/* A name on sale: one pool, or of a room type one pool for each night. */
struct pool_name {
    struct table_node by_text;
    const char *text;
    enum usher_kind kind; /* SECTION, with rows or without; ROOM; PRODUCT */
    uint32_t pool;        /* index; of ROOM the first that was defined */
    int32_t first_night;  /* of ROOM: pool index + 1 of first_night + i, 0: none */
    uint32_t night_count;
    uint32_t *nights;
    int32_t lowest, highest; /* the first and last one that has a pool */
    bool restricted;         /* of ROOM: some night has or had restrictions */
};

/* A row of seats, named `name-first`, `name-(first + 1)`, …, or as `names` says. */
struct seat_row {
    struct table_node by_name;
    const char *name;
    uint32_t first; /* number of its first seat, as in its name */
    uint32_t seats;
    uint32_t first_unit;        /* unit of its first seat */
    uint32_t pool;              /* index */
    const char *zone;           /* of a plan; NULL */
    const char *const *names;   /* of each seat; NULL: name-number */
    const char *const *numbers; /* of each seat, for people; NULL */
    const int32_t *ranks;       /* of each seat, lower is better; NULL */
    const int32_t *x, *y;       /* of each seat; NULL */
    const struct usher_row_feature *features;
    uint32_t feature_count;
};

/* Units held and sold at each rate of a pool (rate_uses.h). */
struct rate_uses {
    struct rate_use {
        const char *rate;
        uint32_t units;
    } * at;
    uint32_t count, limit;
};

struct pool {
    struct pool_row row; /* .index is its place in resource.pools; .is_new until it was sealed */
    struct unit_counts taken; /* of any pool; row.taken is what the database has of a counted one */
    uint32_t over; /* how many may be taken beyond the capacity: as many as are, or as the house is
                      about to take; row.over is what the database has */
    struct units units;         /* empty if the pool is counted */
    struct seat_row *seat_rows; /* of SEATS, front to back */
    uint32_t seat_row_count;
    bool has_numbers;            /* of SEATS: a row has them */
    struct seat_tree *seat_tree; /* of SEATS: where its free runs are, see seats.h */
    uint64_t *spared; /* of SEATS, a bit each: taken last by who needs none; NULL: none is */
    uint64_t *plain;  /* likewise: those that are free and not spared … */
    struct seat_tree *plain_tree;      /* … and where their runs are */
    struct rates *rates;               /* of row.rates; NULL: row.price is the only one */
    struct rate_uses *rate_uses;       /* NULL: not counted */
    struct restrictions *restrictions; /* of row.restrictions; NULL: none */
    uint32_t first_seat;               /* of SEATS: among those of all sections of the chart */
    struct pool_name *name;            /* that it is sold under */
    bool returned;         /* units came back since the last round of the waiting list */
    bool changed;          /* its row is to be written with the next seal */
    bool moved;            /* counted, and met by the seal that is being made */
    bool noted;            /* in resource.noted */
    uint64_t *noted_seats; /* of SEATS, a bit each: those that changed; NULL: none yet */
};

/* Returns how many units of the pool are free. */
static inline uint32_t pool_free(const struct pool *pool)
{
    uint32_t taken = unit_counts_sum(pool->taken);
    return taken < pool->row.capacity ? pool->row.capacity - taken : 0;
}

/* Returns how many units more are taken than there are: what comes back fills that hole first. */
static inline uint32_t pool_over(const struct pool *pool)
{
    uint32_t taken = unit_counts_sum(pool->taken);
    return taken > pool->row.capacity ? taken - pool->row.capacity : 0;
}

/*
 * What pools have as a list: equal lists of a resource are one, shared by its pools and by its
 * clones, and compared by address (shared_catalogue.h). Nothing of it changes but what the seal
 * notes.
 */
struct listed {
    const char *json; /* as stored */
    uint32_t place;   /* in the batch that was sealed last with it: batch.lists, from 1 */
    uint64_t batch;   /* that one; 0: none */
    struct table_node by_json;
};

/* Named prices (stored_rates_encode). */
struct rates {
    struct listed list;
    const struct usher_rate *at, *standard; /* for units sold without naming one: that of this name,
                                               else the first */
    uint32_t count;
};

/*
 * The stay restrictions of a date (stored_restrictions_encode): those of all rates, if there are
 * any, then those of each rate by name. Removed rules are left out.
 */
struct restrictions {
    struct listed list;
    const struct usher_restriction *at;
    uint32_t count;
};

/* Names of pools: sections, room types (all of their nights), products. */
struct pool_group {
    const char *name; /* of a quota; NULL */
    struct pool_name **pools;
    uint32_t pool_count;
    int64_t limit;     /* of a quota of a rate INT64_MAX: none */
    const char *rate;  /* of a quota: the only one that counts; NULL: all do */
    int64_t closes_ms; /* of a quota of a rate: it is sold before this; INT64_MAX: for ever */
};

/* A name of pools that is in a quota. */
struct quota_member {
    struct pool_name *name;
    uint32_t *quotas; /* indexes of those that it is in */
    uint32_t quota_count;
};

/* What all customers together may have of groups of pools; of room types per night. */
struct quotas {
    struct pool_group *at;
    uint32_t count;
    struct quota_member *members; /* room types, then the others, each in the order of filling */
    uint32_t member_count, room_count;
    int32_t *nights; /* that some of these room types has, in order */
    uint32_t night_count;
    bool mixed; /* some quota has room types and others */
};

struct terms {
    /* 0: no limit. */
    int64_t units_min, units_per_request, units_per_customer, holds_per_customer;
    int64_t hold_total_s, house_hold_total_s;
    bool limits_customers;     /* one of these does, or a group: customers' units are counted */
    struct pool_group *groups; /* what one customer may have of all of them */
    uint32_t group_count;
    struct quotas quotas;     /* but for those of rates: their pools may sell at others … */
    struct pool_group *rates; /* … which are these */
    uint32_t rate_count;
};

/* The units each customer has of a resource (terms.h). Zero-initialise to make an empty one. */
struct tallies {
    struct table by_customer;
    bool kept; /* complete; else nothing is counted */
};

/* The waiting list of a resource (waiting_list.h). Zero-initialise to make an empty one. */
struct waiting_list {
    struct table classes;
    struct list parties; /* booking.use: all of them, by number */
    uint32_t count;      /* parties */
    int64_t woken_ms; /* when that happened of which it is unserved; 0: not known, it was loaded */
    bool begins;      /* a round was begun, its classes are not yet gathered */
    uint32_t *returned; /* pools whose units came back since the last round ended */
    uint32_t returned_count, returned_limit;
    bool concerns_all;            /* the round is about all classes, whatever came back */
    int64_t last_no;              /* the newest party when the round began */
    struct waiting_class **round; /* a heap of the classes that are not done, by next party */
    uint32_t round_count;
    struct list_node *unjudged; /* the oldest party not looked at since a define, or NULL */
};

/* Units over all pools of something, nights counted singly. */
struct unit_sums {
    int64_t free, held, sold, blocked;
};

/* The rows that a seal will write, and their approximate size in bytes. */
struct unsealed {
    uint64_t rows, bytes;
};

/* How many units can be sold under the quotas (sellable.h). Zero-initialise to make one without. */
struct sellable {
    const struct quotas *quotas; /* NULL: none, and nothing else is set */
    uint32_t *alone;             /* by pool: what can be sold of it; UINT32_MAX: no quota has it */
    uint32_t *kept_back;         /* by pool: free units that are not sold if all sell the most */
    int64_t kept_back_total;
    int64_t *base;         /* by quota: its limit, without what is used of pools without nights */
    int64_t *least, *rest; /* by quota: what its fullest night leaves; once rooms are filled */
    int64_t *left;         /* by quota, of the night that is being filled */
    uint32_t *changed;     /* pools */
    bool *noted;           /* by pool: it is among these */
    uint32_t changed_count;
    bool stale; /* all of it, whatever changed */
};

struct catalogue;

struct resource {
    struct resource_row row; /* as stored, once the current batch is committed */
    struct pool *pools;      /* by index; removed ones have capacity 0 */
    uint32_t pool_count;
    struct pool_name **names; /* in the order of definition */
    uint32_t name_count;
    int64_t calendar; /* nights from the first to the last of each room type */
    int64_t total, free, held, sold, blocked; /* units over all pools, nights counted singly */
    uint64_t number_count;                    /* units with a number, which take memory */
    struct unit_sums counted;                 /* of them, in the sums of the inventory */
    struct terms terms;                       /* of row.terms */
    struct sellable sellable;                 /* of `free`, under the quotas: terms.h */
    struct tallies tallies;                   /* kept where the terms limit customers */
    struct waiting_list waiting;              /* all of it */

    /* For the inventory and the catalogue only. */
    struct table names_by_text;
    struct table seat_rows;  /* those without names, by name; several rows may have one name */
    struct table seat_names; /* of the seats of the others */
    uint32_t pool_limit, name_limit;
    struct catalogue *catalogue; /* published when it was settled or restored, held */
    struct usher_arena *arena;   /* of the catalogue: all that is reached from here, but the tables
                                    and the two arrays */
    struct table_node by_id, by_no;
    struct list_node use, touch; /* in the lists of all by last use, and of those changed */
    struct list_node work;       /* in the list of those with unfinished work (inventory.h) */
    bool has_work;
    uint8_t cancel_cursor[USHER_HASH_SIZE]; /* where the search for bookings to cancel continues */
    bool rate_uses_changed; /* those of some pool are to be written with the next seal */
    struct chart_row chart; /* canonical JSON; content NULL without rows */
    bool chart_changed;     /* the chart is to be written with the next seal */
    bool touched;           /* changed since the last seal */
    bool redefined; /* its catalogue or state changed: its row is to be written with the next seal,
                       and readers are shown all of it */
    bool may_be_over; /* of some pool more are taken than there are, or were since it was settled */
    bool over_changed;    /* rows of pools are to be written, of which more or fewer are over */
    int64_t snapshot_rev; /* as of which readers were shown it, the seals since then note what
                          changed; 0: not since it is in memory, and nothing is noted */
    uint32_t *noted;      /* pools of which something did, each once */
    uint32_t noted_count, noted_limit;
    struct unsealed unsealed; /* of its rows, in the sum of the inventory */
    bool ids_complete;        /* every request id ever answered is in memory */
    bool bookings_complete;   /* every booking ever made is in memory */
    uint64_t batch;           /* the last one that changed it */
    uint64_t needed;          /* the last prefetch that it was used for */
};

/*
 * ==== What changed ====
 *
 * What of a resource changed since readers were last shown it, so that they are told no more. A
 * unit that changed and is as it was again may be noted.
 */

/* Notes that the counts of a pool changed. */
void resource_note(struct resource *resource, uint32_t pool);

/* Notes that the state of a unit with a number changed, and so the counts of its pool. */
void resource_note_unit(struct resource *resource, uint32_t pool, uint32_t unit);

/* Readers are shown it as it is now: forgets what was noted. */
void resource_note_snapshot(struct resource *resource);

/* ==== Names ==== */

/* Copies a text into the resource; NULL stays NULL. */
const char *resource_text(struct resource *resource, const char *text);

/* Finds the pool or room type of that name, or NULL; removed ones too. */
struct pool_name *resource_name(const struct resource *resource, const char *text);

/* Finds the pool of a room type on a night, or NULL; removed ones too. */
struct pool *resource_night(const struct resource *resource, const struct pool_name *name,
                            int32_t night);

#endif
