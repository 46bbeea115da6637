/*
 * Finds places for one piece: in a row, and the best by rank among all rows. PURE.
 */
#include "worker/rules/seating_place.h"

#include <assert.h>

#include "worker/inventory/seat_ranks.h"
#include "worker/inventory/seat_runs.h"

int32_t *seating_write(int32_t *units, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        units[i] = (int32_t)(first + i);
    return units + count;
}

/* ---- the places of a run, from the lowest on ---- */

static uint32_t place_count(struct seat_run run, const struct seat_want *want)
{
    if (run.length < want->quantity)
        return 0;
    uint32_t rest = run.length - want->quantity;
    if (want->orphan || rest == 0)
        return rest + 1;
    /* Not at one seat from either end, which would leave an orphan; two seats left: both ends. */
    return rest == 2 ? 2 : rest - 1;
}

static uint32_t place_at(struct seat_run run, const struct seat_want *want, uint32_t index)
{
    if (want->orphan || index == 0)
        return run.first + index;
    bool last = index + 1 == place_count(run, want);
    return last ? run.first + run.length - want->quantity : run.first + index + 1;
}

static uint64_t off_middle(const struct seat_row *row, uint32_t first, uint32_t quantity)
{
    int64_t off = 2 * (int64_t)first + quantity - (2 * (int64_t)row->first_unit + row->seats);
    return (uint64_t)(off < 0 ? -off : off);
}

/* Returns the place of a run, which has one, that is nearest to the middle of the row. */
static uint32_t nearest_in(const struct seat_row *row, struct seat_run run,
                           const struct seat_want *want)
{
    /* Distances fall and then rise again: the first place that is no farther than its next. */
    uint32_t low = 0, high = place_count(run, want) - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (off_middle(row, place_at(run, want, middle), want->quantity) <=
            off_middle(row, place_at(run, want, middle + 1), want->quantity))
            high = middle;
        else
            low = middle + 1;
    }
    return place_at(run, want, low);
}

/* ---- the places of a row ---- */

/* Returns the next run of the row that has a place; length 0: there is none. */
static struct seat_run next_run(const struct seat_set *set, const struct seat_row *row,
                                uint32_t from, const struct seat_want *want)
{
    struct seat_run run = seat_runs_next(set->bits, row, from);
    while (run.length > 0 && place_count(run, want) == 0)
        run = seat_runs_next(set->bits, row, run.first + run.length);
    return run;
}

uint32_t seating_lowest(const struct seat_set *set, uint32_t row, const struct seat_want *want)
{
    const struct seat_row *at = &set->pool->seat_rows[row];
    struct seat_run run = next_run(set, at, at->first_unit, want);
    assert(run.length > 0);
    return run.first;
}

uint32_t seating_nearest(const struct seat_set *set, uint32_t row, const struct seat_want *want)
{
    const struct seat_row *at = &set->pool->seat_rows[row];
    uint32_t best = seating_lowest(set, row, want);
    uint64_t best_off = UINT64_MAX;
    struct seat_run run = next_run(set, at, best, want);
    while (run.length > 0) {
        uint32_t first = nearest_in(at, run, want);
        uint64_t off = off_middle(at, first, want->quantity);
        if (off < best_off) {
            best = first;
            best_off = off;
        }
        run = next_run(set, at, run.first + run.length, want);
    }
    return best;
}

uint32_t seating_numbered(const struct seat_set *set, uint32_t row, const struct seat_want *want,
                          uint64_t number)
{
    const struct seat_row *at = &set->pool->seat_rows[row];
    uint32_t places = 0;
    struct seat_run run = next_run(set, at, at->first_unit, want);
    for (; run.length > 0; run = next_run(set, at, run.first + run.length, want))
        places += place_count(run, want);
    assert(places > 0);
    uint32_t index = (uint32_t)(number % places);
    run = next_run(set, at, at->first_unit, want);
    while (index >= place_count(run, want)) {
        index -= place_count(run, want);
        run = next_run(set, at, run.first + run.length, want);
    }
    return place_at(run, want, index);
}

/* ---- the best ranks ---- */

struct search {
    const struct seat_set *set;
    const struct seat_want *want;
    uint32_t row, first; /* the best so far; none: row UINT32_MAX, sum INT64_MAX */
    int64_t sum;
    uint64_t off;
};

static void offer(struct search *search, uint32_t row, uint32_t first, int64_t sum)
{
    const struct seat_row *at = &search->set->pool->seat_rows[row];
    uint64_t off = off_middle(at, first, search->want->quantity);
    if (sum < search->sum || row < search->row || (row == search->row && off < search->off)) {
        search->row = row;
        search->first = first;
        search->sum = sum;
        search->off = off;
    }
}

static void search_run(struct search *search, uint32_t row, struct seat_run run)
{
    const struct seat_row *at = &search->set->pool->seat_rows[row];
    uint32_t quantity = search->want->quantity, base = run.first - at->first_unit;
    int64_t sum = 0;
    for (uint32_t i = 0; i < quantity; i++)
        sum += seat_rank(at, base + i);
    for (uint32_t start = 0;; start++) {
        uint32_t rest = run.length - quantity - start;
        if (sum <= search->sum && (search->want->orphan || (start != 1 && rest != 1)))
            offer(search, row, run.first + start, sum);
        if (rest == 0)
            break;
        sum += seat_rank(at, base + start + quantity) - (int64_t)seat_rank(at, base + start);
    }
}

static void search_row(struct search *search, uint32_t row)
{
    const struct seat_row *at = &search->set->pool->seat_rows[row];
    struct seat_run run = next_run(search->set, at, at->first_unit, search->want);
    while (run.length > 0) {
        search_run(search, row, run);
        run = next_run(search->set, at, run.first + run.length, search->want);
    }
}

/* Whether a better place than the best so far may be below a node, from row `first` on. */
static bool may_win(const struct search *search, uint32_t node, uint32_t first)
{
    if (!seats_may_hold(search->set, node, search->want))
        return false;
    int64_t least = seats_least_rank(search->set->tree, node, search->want);
    return least < search->sum || (least == search->sum && first < search->row);
}

/* Branches and bounds: the more promising half first, the other only if it may still win. */
static void search_node(struct search *search, uint32_t node, uint32_t first, uint32_t width)
{
    const struct seat_tree *tree = search->set->tree;
    if (!may_win(search, node, first))
        return;
    if (node >= tree->leaves) {
        search_row(search, first);
        return;
    }
    uint32_t half = width / 2;
    bool right = seats_least_rank(tree, 2 * node + 1, search->want) <
                 seats_least_rank(tree, 2 * node, search->want);
    search_node(search, 2 * node + right, first + (right ? half : 0), half);
    search_node(search, 2 * node + !right, first + (right ? 0 : half), half);
}

uint32_t seating_ranked(const struct seat_set *set, const struct seat_want *want)
{
    struct search search = {.set = set, .want = want, .row = UINT32_MAX, .sum = INT64_MAX};
    search_node(&search, 1, 0, set->tree->leaves);
    assert(search.row != UINT32_MAX);
    return search.first;
}
