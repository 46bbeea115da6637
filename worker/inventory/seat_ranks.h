/*
 * The lowest sums of ranks that places have, of rows and of nodes of the tree over them
 * (seats.h), so that the best place is found without looking at most rows. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_SEAT_RANKS_H
#define USHER_WORKER_INVENTORY_SEAT_RANKS_H

#include "worker/inventory/resource.h"

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

struct seat_ranks seat_ranks_none(void);
/* Of a row, by a bit per available unit. */
struct seat_ranks seat_ranks_of(const uint64_t *bits, const struct seat_row *row);
struct seat_ranks seat_ranks_above(const struct seat_ranks *ranks, uint32_t node);
bool seat_ranks_same(const struct seat_ranks *a, const struct seat_ranks *b);

#endif
