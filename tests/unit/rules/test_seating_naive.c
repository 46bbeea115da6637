/*
 * Seating against brute force: every pattern of free seats in small halls, and large halls filled
 * and emptied at random; every choice compared with one made by trying all places.
 */
#include "naive_seating.h"
#include "seat_hall.h"
#include "tests/unit/unit.h"
#include "worker/inventory/seats.h"

enum {
    PARTY_MAX = 150
};

static struct seat_hall hall;

/* Seats a party both ways. */
static void compare(const struct party *party, int32_t *units)
{
    int32_t expected[PARTY_MAX] = {0};
    struct seating seating = seating_choose(&hall.pool, party, &hall.scratch, units);
    usher_arena_reset(&hall.scratch);
    naive_see(&hall.pool, party);
    assert_int_equal(naive_free(), seating_free(&hall.pool, party));
    assert_int_equal(naive_longest(), seating_longest(&hall.pool, party));
    struct seating naive = naive_choose(party, expected);
    struct party any = *party;
    any.spare = false;
    naive_see(&hall.pool, &any);
    if (naive.pieces == 0)
        naive = naive_choose(&any, expected);
    assert_int_equal(naive.pieces, seating.pieces);
    assert_int_equal(naive.orphan, seating.orphan);
    if (seating.pieces > 0)
        assert_memory_equal(expected, units, party->quantity * sizeof *units);
}

/* ---- all patterns of small halls ---- */

static const char *const names[] = {USHER_SPARED, "a"};
static const struct party wishes[] = {
    {.together = false},
    {.feature_count = 1, .features = names},
    {.avoid_count = 1, .avoid = names},
    {.feature_count = 1, .features = names, .avoid_count = 1, .avoid = names + 1},
    {.spare = true},
    {.spare = true, .feature_count = 1, .features = names + 1},
};

static void compare_all_parties(uint64_t seed, uint32_t wish_count)
{
    for (uint32_t wish = 0; wish < wish_count; wish++) {
        struct party party = wishes[wish];
        party.seed = seed;
        for (party.quantity = 1; party.quantity <= pool_free(&hall.pool) + 1; party.quantity++) {
            int32_t units[PARTY_MAX];
            for (party.strategy = USHER_BEST; party.strategy <= USHER_RANDOM; party.strategy++) {
                party.together = false;
                compare(&party, units);
            }
            party.strategy = USHER_BEST;
            party.together = true;
            compare(&party, units);
        }
    }
}

static void give_features(struct seat_row *row)
{
    struct usher_row_feature *features = usher_arena_alloc(&hall.arena, 2 * sizeof *features);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t *seats = usher_arena_alloc(&hall.arena, row->seats * sizeof *seats);
        for (uint32_t place = 0; place < row->seats; place++)
            if (seat_hall_dice(&hall, 3) > i)
                seats[features[i].seat_count++] = place;
        features[i].feature = names[i];
        features[i].seats = seats;
    }
    row->features = features;
    row->feature_count = 2;
}

static void give_ranks(struct seat_row *row, uint32_t sides)
{
    int32_t *ranks = usher_arena_alloc(&hall.arena, row->seats * sizeof *ranks);
    for (uint32_t place = 0; place < row->seats; place++)
        ranks[place] = (int32_t)seat_hall_dice(&hall, sides) - (int32_t)sides / 3;
    row->ranks = ranks;
}

static void furnish(bool ranked, uint32_t sides)
{
    for (uint32_t i = 0; i < hall.pool.seat_row_count; i++) {
        struct seat_row *row = &hall.pool.seat_rows[i];
        give_features(row);
        if (ranked && seat_hall_dice(&hall, 4) > 0)
            give_ranks(row, sides);
    }
    hall.pool.row.spares = true;
    seat_hall_arrange(&hall);
}

/* Gray code: each pattern differs from the one before in one seat. */
static void try_all_patterns(uint32_t wish_count)
{
    uint32_t patterns = UINT32_C(1) << hall.pool.units.count;
    for (uint32_t i = 1; i <= patterns; i++) {
        compare_all_parties(i, wish_count);
        int32_t unit = __builtin_ctz(i);
        if ((uint32_t)unit == hall.pool.units.count)
            break;
        if (units_is_free(&hall.pool.units, (uint32_t)unit))
            seat_hall_take(&hall, &unit, 1);
        else
            seat_hall_give(&hall, &unit, 1);
    }
    assert_true(seats_check(&hall.pool));
}

static const struct {
    uint32_t rows, seats[5];
} halls[] = {{1, {9}},          {2, {6, 4}},          {3, {3, 4, 2}},
             {4, {1, 2, 3, 3}}, {5, {2, 2, 1, 3, 1}}, {2, {1, 8}}};

static void every_pattern(bool ranked, uint32_t wish_count)
{
    for (size_t i = 0; i < sizeof halls / sizeof *halls; i++) {
        seat_hall_open(&hall, halls[i].seats, halls[i].rows);
        hall.dice = i + 1;
        furnish(ranked, 5);
        try_all_patterns(wish_count);
        seat_hall_close(&hall);
    }
}

static void every_pattern_is_seated_as_brute_force_does(void **state)
{
    (void)state;
    every_pattern(false, 1);
}

static void every_pattern_with_ranks(void **state)
{
    (void)state;
    every_pattern(true, 1);
}

static void every_pattern_with_features(void **state)
{
    (void)state;
    every_pattern(false, sizeof wishes / sizeof *wishes);
    every_pattern(true, sizeof wishes / sizeof *wishes);
}

/* ---- large halls ---- */

static void open_large(uint64_t seed)
{
    uint32_t seats[20];
    hall.dice = seed;
    uint32_t row_count = 1 + seat_hall_dice(&hall, 20), left = NAIVE_SEATS_MAX;
    for (uint32_t i = 0; i < row_count; i++) {
        uint32_t most = seat_hall_dice(&hall, 4) > 0 ? 25 : 150;
        seats[i] = 1 + seat_hall_dice(&hall, most < left - 20 ? most : left - 20);
        left -= seats[i];
    }
    seat_hall_open(&hall, seats, row_count);
    hall.dice = seed;
    furnish(seed % 2 == 0, seed % 4 == 0 ? 3 : 1000);
}

static void seat_or_leave(uint64_t seed)
{
    int32_t units[PARTY_MAX];
    uint32_t most = seat_hall_dice(&hall, 8) == 0 ? PARTY_MAX : 10;
    if (seat_hall_dice(&hall, 3) == 0) {
        uint32_t count = seat_hall_dice(&hall, 4),
                 unit = seat_hall_dice(&hall, hall.pool.units.count);
        for (; count > 0 && unit < hall.pool.units.count; count--, unit++) {
            units[0] = (int32_t)unit;
            if (!units_is_free(&hall.pool.units, unit))
                seat_hall_give(&hall, units, 1);
        }
        return;
    }
    static const uint32_t wish_count = sizeof wishes / sizeof *wishes;
    struct party party =
        wishes[seat_hall_dice(&hall, 4) == 0 ? seat_hall_dice(&hall, wish_count) : 0];
    party.quantity = 1 + seat_hall_dice(&hall, most);
    party.together = seat_hall_dice(&hall, 2);
    party.strategy = (enum usher_strategy)(USHER_BEST + seat_hall_dice(&hall, 3));
    party.seed = seed;
    compare(&party, units);
    (void)seat_hall_seat(&hall, &party, units);
}

/* What the tree knows is not only no worse than the truth, but the truth. */
static void compare_ranks(void)
{
    const struct seat_tree *tree = hall.pool.seat_tree;
    naive_see(&hall.pool, &wishes[0]);
    for (uint32_t row = 0; tree->ranks && row < hall.pool.seat_row_count; row++) {
        const struct seat_ranks *ranks = &tree->ranks[tree->leaves + row];
        for (uint32_t size = 1; size <= SEAT_RANKS_SUMS; size++)
            assert_int_equal(naive_lowest_sum(row, size), ranks->sums[size - 1]);
    }
}

static void large_halls_are_seated_as_brute_force_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        open_large(seed);
        for (uint32_t step = 0; step < 120; step++) {
            if (step % 10 == 0)
                compare_ranks();
            seat_or_leave(seed * 1000 + step);
        }
        assert_true(seats_check(&hall.pool));
        seat_hall_close(&hall);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_pattern_is_seated_as_brute_force_does),
    cmocka_unit_test(every_pattern_with_ranks),
    cmocka_unit_test(every_pattern_with_features),
    cmocka_unit_test(large_halls_are_seated_as_brute_force_does),
};
UNIT_TESTS(test_seating_naive, tests, NULL, NULL)
