/*
 * Rows of seats in a pool, and where runs of free seats are. A tree over the rows knows for each
 * which parties fit and how well they sit, and for each node the best of the rows below it: so a
 * row is found among thousands without looking at their seats. PURE: it does not know who wants a
 * seat, nor which row to prefer.
 */
#ifndef USHER_WORKER_INVENTORY_SEATS_H
#define USHER_WORKER_INVENTORY_SEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/resource.h"

/*
 * ==== Runs ====
 *
 * Runs of free seats in a row.
 */

/* Neighbouring free seats of one row, by unit. */
struct seat_run {
    uint32_t first, length;
};

/* Finds the lowest run of set bits, one per unit, in a row from unit `from` on. Length 0: none. */
struct seat_run seat_runs_next(const uint64_t *bits, const struct seat_row *row, uint32_t from);

/*
 * ==== Ranks ====
 *
 * The lowest sums of ranks that places have, of rows and of nodes of the tree over them
 * (seats.h), so that the best place is found without looking at most rows.
 */

enum {
    SEAT_RANKS_SUMS = 8 /* parties up to here have a sum of their own */
};

/* Of a row, or of the rows below a node; INT64_MAX: there is nothing. */
struct seat_ranks {
    int64_t least;                 /* of one seat */
    int64_t sums[SEAT_RANKS_SUMS]; /* [n - 1]: of a place for n: without an orphan if the row has
                                      one, else with */
};

/* Returns the rank of a seat, by place in the row. */
static inline int32_t seat_rank(const struct seat_row *row, uint32_t place)
{
    return row->ranks ? row->ranks[place] : INT32_MAX;
}

/* ==== Rows of seats ==== */

/* Seats side by side. An orphan is a single free seat that they leave at an end of their run. */
struct seat_want {
    uint32_t quantity;
    bool orphan; /* they may leave one */
};

/* The runs of a row, or of the rows below a node. */
struct seat_node {
    uint64_t fits;    /* bit n - 1: there is a place for n that leaves no orphan */
    uint32_t longest; /* the most neighbours */
};

/*
 * Node 1 is the root, node n has the children 2n and 2n + 1; rows are the leaves, from `leaves` on.
 */
struct seat_tree {
    uint32_t leaves;
    bool ranked; /* a row has ranks */
    struct seat_node *nodes;
    struct seat_ranks *ranks; /* of each node; NULL: not known (seats.h) */
};

/* The available seats of a pool. */
struct seat_set {
    const struct pool *pool;
    const uint64_t *bits; /* a bit per unit */
    const struct seat_tree *tree;
};

/*
 * Rebuilds the pool's trees from its rows, their features, whether it spares seats, and the state
 * of its units.
 */
void seats_arrange(struct pool *pool, struct usher_arena *arena);

/* Keeps the tree current after the state of these units changed. */
void seats_refresh(struct pool *pool, const int32_t *units, uint32_t count);

/*
 * Returns the free seats; and others, with a tree in `arena` that knows no ranks. `bits` are
 * borrowed.
 */
struct seat_set seats_free(const struct pool *pool);

struct seat_set seats_among(const struct pool *pool, const uint64_t *bits,
                            struct usher_arena *arena);

/* Returns the free seats that are not spared; the pool spares some. */
struct seat_set seats_plain(const struct pool *pool);

/*
 * Returns whether a row below the node may have a place: surely not if false, surely if it is a
 * leaf.
 */
bool seats_may_hold(const struct seat_set *set, uint32_t node, const struct seat_want *want);

/* Returns the lowest row >= `from` that has a place, by index. The number of rows: none has. */
uint32_t seats_next_row(const struct seat_set *set, uint32_t from, const struct seat_want *want);

/* Returns the highest row < `end` with `quantity` seats side by side. UINT32_MAX: there is none. */
uint32_t seats_previous_row(const struct seat_set *set, uint32_t end, uint32_t quantity);

/*
 * Returns a sum of ranks that no place below the node undercuts. Call it for places with an orphan
 * only if no place leaves none.
 */
int64_t seats_least_rank(const struct seat_tree *tree, uint32_t node, const struct seat_want *want);

/*
 * Tells these seats from others that may get the same numbers when rows change, by their names.
 * Stored with bookings, so it never changes. Not 0. The units are seats of the pool.
 */
uint32_t seats_hash(const struct pool *pool, const int32_t *units, uint32_t count);

/* Returns the row that a unit is in. */
const struct seat_row *seats_row_of(const struct pool *pool, uint32_t unit);

/* Returns whether the tree agrees with the units. For tests and asserts. */
bool seats_check(const struct pool *pool);

#endif
