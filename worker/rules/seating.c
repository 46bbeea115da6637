/*
 * Tries one piece without an orphan, then one piece, then several. PURE.
 */
#include "worker/rules/seating.h"

#include <assert.h>

#include "worker/base/table.h"
#include "worker/rules/seating_place.h"
#include "worker/rules/seating_split.h"

static uint32_t random_place(const struct seat_set *set, uint64_t seed,
                             const struct seat_want *want)
{
    uint32_t rows = set->pool->seat_row_count;
    uint32_t row = seats_next_row(set, (uint32_t)(table_hash_number(seed) % rows), want);
    if (row == rows)
        row = seats_next_row(set, 0, want);
    return seating_numbered(set, row, want, table_hash_number(seed + 1));
}

/* Returns the unit at which the piece begins; units.count: there is no place. */
static uint32_t choose_place(const struct seat_set *set, const struct party *party,
                             const struct seat_want *want)
{
    uint32_t row = seats_next_row(set, 0, want);
    if (row == set->pool->seat_row_count)
        return set->pool->units.count;
    if (party->strategy == USHER_FIRST)
        return seating_lowest(set, row, want);
    if (party->strategy == USHER_RANDOM)
        return random_place(set, party->seed, want);
    return set->tree->ranked ? seating_ranked(set, want) : seating_nearest(set, row, want);
}

struct seating seating_choose(const struct pool *pool, const struct party *party,
                              struct usher_arena *scratch, int32_t *units)
{
    assert(party->quantity > 0);
    const struct seat_set set = seating_set(pool, party, scratch);
    struct seat_want want = {.quantity = party->quantity};
    uint32_t first = choose_place(&set, party, &want);
    if (first == pool->units.count) {
        want.orphan = true;
        first = choose_place(&set, party, &want);
    }
    if (first < pool->units.count) {
        seating_write(units, first, party->quantity);
        return (struct seating){1, want.orphan};
    }
    if (party->together || seating_count(pool, set.bits) < party->quantity)
        return (struct seating){0};
    return (struct seating){seating_split(&set, party->quantity, scratch, units), false};
}

uint32_t seating_longest(const struct pool *pool, const struct party *party)
{
    struct usher_arena scratch = {0};
    const struct seat_set set = seating_set(pool, party, &scratch);
    uint32_t longest = set.tree->nodes[1].longest;
    usher_arena_deinit(&scratch);
    return longest;
}
