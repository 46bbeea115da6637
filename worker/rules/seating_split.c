/*
 * A party in several pieces. PURE.
 *
 * After the first piece at least k more are needed: as many as the k longest runs are. A run may be
 * taken if the k - 1 longest others have room for what it leaves, so if it is not below a bound.
 * That bound never falls while runs are taken: rows are looked at once, from the first piece
 * outward.
 */
#include "worker/rules/seating_split.h"

#include <assert.h>

#include "worker/inventory/seat_runs.h"
#include "worker/rules/seating_place.h"

struct split {
    const struct seat_set *set;
    struct seat_run home; /* the first piece */
    uint32_t home_row;
    uint32_t rest;    /* still to be seated */
    uint32_t bound;   /* a run as long as this may be taken */
    uint32_t *counts; /* by length: of the k - 1 longest runs of those not taken … */
    uint32_t lowest;  /* … the length of the shortest; 0: k is 1 */
    uint32_t longest;
    uint32_t pieces;
    int32_t *units;
};

/* Returns the next run of the row that is not the first piece and at least `length` long. */
static struct seat_run next_run(const struct split *split, const struct seat_row *row,
                                uint32_t from, uint32_t length)
{
    struct seat_run run = seat_runs_next(split->set->bits, row, from);
    while (run.length > 0 && (run.length < length || run.first == split->home.first))
        run = seat_runs_next(split->set->bits, row, run.first + run.length);
    return run;
}

static void take_home(struct split *split)
{
    const struct seat_set *set = split->set;
    const struct seat_want want = {set->tree->nodes[1].longest, true};
    split->longest = want.quantity;
    split->home_row = seats_next_row(set, 0, &want);
    split->home.first = seating_lowest(set, split->home_row, &want);
    split->home.length = want.quantity;
    split->units = seating_write(split->units, split->home.first, want.quantity);
    split->rest -= want.quantity;
    split->pieces = 1;
}

/* Counts the runs of that length, up to `limit`. */
static uint32_t count_runs(const struct split *split, uint32_t length, uint32_t limit)
{
    const struct seat_want want = {length, true};
    const struct pool *pool = split->set->pool;
    uint32_t count = 0;
    uint32_t row = seats_next_row(split->set, 0, &want);
    while (row < pool->seat_row_count && count < limit) {
        const struct seat_row *at = &pool->seat_rows[row];
        struct seat_run run = next_run(split, at, at->first_unit, length);
        for (; run.length > 0; run = next_run(split, at, run.first + run.length, length))
            count += run.length == length;
        row = seats_next_row(split->set, row + 1, &want);
    }
    return count < limit ? count : limit;
}

static void raise_lowest(struct split *split)
{
    while (split->lowest <= split->longest && split->counts[split->lowest] == 0)
        split->lowest++;
    if (split->lowest > split->longest)
        split->lowest = 0;
}

/* Finds the k longest runs; all but one of the shortest of them are counted. */
static void find_longest(struct split *split, struct usher_arena *scratch)
{
    split->counts = usher_arena_alloc(scratch, (split->longest + 1) * sizeof *split->counts);
    uint32_t rest = split->rest, length = split->longest + 1;
    while (rest > 0) {
        assert(length > 1);
        length--;
        uint32_t enough = rest / length + (rest % length != 0);
        uint32_t count = count_runs(split, length, enough);
        split->counts[length] = count;
        split->bound = rest - (count > 0 ? count - 1 : 0) * length;
        rest = count == enough ? 0 : rest - count * length;
    }
    split->counts[length]--;
    split->lowest = length;
    raise_lowest(split);
}

static void take_run(struct split *split, struct seat_run run)
{
    uint32_t count = run.length < split->rest ? run.length : split->rest;
    split->units = seating_write(split->units, run.first, count);
    split->rest -= count;
    split->pieces++;
    if (split->lowest == 0)
        return;
    if (run.length < split->lowest) {
        split->bound += split->lowest - run.length;
        split->counts[split->lowest]--;
    } else {
        split->counts[run.length]--;
    }
    raise_lowest(split);
}

static void take_from_row(struct split *split, uint32_t row)
{
    const struct seat_row *at = &split->set->pool->seat_rows[row];
    uint32_t from = at->first_unit;
    while (split->rest > 0) {
        struct seat_run run = next_run(split, at, from, split->bound);
        if (run.length == 0)
            break;
        take_run(split, run);
        from = run.first + run.length;
    }
}

uint32_t seating_split(const struct seat_set *set, uint32_t quantity, struct usher_arena *scratch,
                       int32_t *units)
{
    struct split split = {.set = set, .rest = quantity, .units = units};
    take_home(&split);
    find_longest(&split, scratch);
    uint32_t rows = set->pool->seat_row_count;
    uint32_t end = split.home_row + 1, from = end; /* rows in between were looked at */
    while (split.rest > 0) {
        const struct seat_want want = {split.bound, true};
        uint32_t above = seats_previous_row(set, end, split.bound);
        uint32_t below = seats_next_row(set, from, &want);
        bool up = above != UINT32_MAX &&
                  (below == rows || split.home_row - above <= below - split.home_row);
        assert(up || below < rows);
        take_from_row(&split, up ? above : below);
        if (up)
            end = above;
        else
            from = below + 1;
    }
    return split.pieces;
}
