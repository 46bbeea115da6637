/*
 * Sums of ranks of the places in a row's runs. PURE.
 */
#include "worker/inventory/seat_ranks.h"

#include <string.h>

#include "worker/inventory/seat_runs.h"

static inline int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct seat_ranks seat_ranks_none(void)
{
    struct seat_ranks ranks = {.least = INT64_MAX};
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS; i++)
        ranks.sums[i] = INT64_MAX;
    return ranks;
}

bool seat_ranks_same(const struct seat_ranks *a, const struct seat_ranks *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The places from `start` on in a run where none of them leaves an orphan: most of a long run. */
static inline void add_inner(const int32_t *start, struct seat_ranks *ranks)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS; i++) {
        sum += start[i];
        ranks->sums[i] = lower(ranks->sums[i], sum);
    }
}

/* The places from `start` on, `rest` seats before the end of the run. */
static void add_outer(const int32_t *start, uint32_t rest, bool orphan, struct seat_ranks ranks[2])
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS && i < rest; i++) {
        struct seat_ranks *to = &ranks[orphan || rest - i == 2];
        sum += start[i];
        to->sums[i] = lower(to->sums[i], sum);
    }
}

static void add_run(const int32_t *first, uint32_t length, struct seat_ranks ranks[2])
{
    for (uint32_t i = 0; i < length; i++) {
        ranks->least = lower(ranks->least, first[i]);
        if (i != 1 && length - i >= SEAT_RANKS_SUMS + 2)
            add_inner(first + i, ranks);
        else
            add_outer(first + i, length - i, i == 1, ranks);
    }
}

/* A row without ranks beside others that have them. */
static struct seat_ranks unranked(uint32_t longest)
{
    struct seat_ranks ranks = seat_ranks_none();
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS && i < longest; i++)
        ranks.sums[i] = (int64_t)INT32_MAX * (i + 1);
    ranks.least = ranks.sums[0];
    return ranks;
}

struct seat_ranks seat_ranks_of(const uint64_t *bits, const struct seat_row *row)
{
    struct seat_ranks ranks[2] = {seat_ranks_none(), seat_ranks_none()};
    uint32_t longest = 0;
    struct seat_run run = seat_runs_next(bits, row, row->first_unit);
    while (run.length > 0) {
        longest = run.length > longest ? run.length : longest;
        if (row->ranks)
            add_run(row->ranks + (run.first - row->first_unit), run.length, ranks);
        run = seat_runs_next(bits, row, run.first + run.length);
    }
    if (!row->ranks)
        return unranked(longest);
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS; i++)
        if (ranks[0].sums[i] == INT64_MAX)
            ranks[0].sums[i] = ranks[1].sums[i];
    return ranks[0];
}

struct seat_ranks seat_ranks_above(const struct seat_ranks *ranks, uint32_t node)
{
    const struct seat_ranks *left = &ranks[2 * node], *right = left + 1;
    struct seat_ranks above = {.least = lower(left->least, right->least)};
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS; i++)
        above.sums[i] = lower(left->sums[i], right->sums[i]);
    return above;
}
