/*
 * Choosing seats in whole halls: large parties, chance, the tree of rows, and how full a hall gets.
 */
#include "seat_hall.h"
#include "tests/unit/unit.h"

static struct seat_hall hall;

/* Larger than what the tree knows by itself. */
static void large_parties_leave_no_orphan_either(void **state)
{
    (void)state;
    static const uint32_t rows[] = {66, 65, 68, 67, 200};
    static const struct {
        uint32_t quantity, first;
    } cases[] = {{63, 0}, {64, 0}, {65, 66}, {66, 0}, {67, 199}, {68, 131}, {69, 266}, {200, 266}};
    seat_hall_open(&hall, rows, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t units[200];
        const struct party party = {.quantity = cases[i].quantity, .strategy = USHER_FIRST};
        const struct seating seating = seating_choose(&hall.pool, &party, &hall.scratch, units);
        assert_int_equal(1, seating.pieces);
        assert_false(seating.orphan);
        assert_int_equal(cases[i].first, units[0]);
    }
    seat_hall_close(&hall);
}

/* ---- random ---- */

static void open_even(uint32_t row_count, uint32_t row_seats)
{
    uint32_t seats[100];
    for (uint32_t i = 0; i < row_count; i++)
        seats[i] = row_seats;
    seat_hall_open(&hall, seats, row_count);
}

static uint32_t random_first(uint64_t seed)
{
    const struct party party = {.quantity = 2, .strategy = USHER_RANDOM, .seed = seed};
    int32_t units[2], again[2];
    assert_int_equal(1, seating_choose(&hall.pool, &party, &hall.scratch, units).pieces);
    assert_int_equal(1, seating_choose(&hall.pool, &party, &hall.scratch, again).pieces);
    assert_memory_equal(units, again, sizeof units);
    return (uint32_t)units[0];
}

static void random_is_replayable_and_spread(void **state)
{
    (void)state;
    enum {
        ROWS = 20,
        SEATS = 10,
        PLACES = 7,
        CHOICES = 28000
    };
    static const uint32_t places[PLACES] = {0, 2, 3, 4, 5, 6, 8};
    uint32_t by_row[ROWS] = {0}, by_place[SEATS] = {0};
    open_even(ROWS, SEATS);
    /* The first outputs of splitmix64 with the states 0 and 1. */
    assert_int_equal(UINT64_C(0xe220a8397b1dcdaf) % ROWS * SEATS +
                         places[UINT64_C(0x910a2dec89025cc1) % PLACES],
                     random_first(0));
    for (uint64_t seed = 0; seed < CHOICES; seed++) {
        uint32_t first = random_first(seed);
        by_row[first / SEATS]++;
        by_place[first % SEATS]++;
    }
    for (uint32_t i = 0; i < ROWS; i++)
        assert_in_range(by_row[i], CHOICES / ROWS * 9 / 10, CHOICES / ROWS * 11 / 10);
    for (uint32_t i = 0; i < PLACES; i++) {
        assert_in_range(by_place[places[i]], CHOICES / PLACES * 9 / 10, CHOICES / PLACES * 11 / 10);
        by_place[places[i]] = 0;
    }
    for (uint32_t i = 0; i < SEATS; i++)
        assert_int_equal(0, by_place[i]); /* beside an end */
    seat_hall_close(&hall);
}

/* ---- the tree, and a whole hall ---- */

static void open_uneven(uint64_t seed)
{
    uint32_t seats[60];
    hall.dice = seed;
    uint32_t row_count = 1 + seat_hall_dice(&hall, 60);
    for (uint32_t i = 0; i < row_count; i++)
        seats[i] = 1 + seat_hall_dice(&hall, seat_hall_dice(&hall, 3) > 0 ? 20 : 140);
    seat_hall_open(&hall, seats, row_count);
    hall.dice = seed;
    for (uint32_t i = 0; seed % 2 == 0 && i < row_count; i++) {
        struct seat_row *row = &hall.pool.seat_rows[i];
        int32_t *ranks = usher_arena_alloc(&hall.arena, row->seats * sizeof *ranks);
        for (uint32_t seat = 0; seat < row->seats; seat++)
            ranks[seat] = (int32_t)seat_hall_dice(&hall, 200) - 100;
        row->ranks = i % 5 == 4 ? NULL : ranks;
    }
    seat_hall_arrange(&hall);
}

static void the_tree_is_what_the_units_say(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        open_uneven(seed);
        assert_true(seats_check(&hall.pool));
        for (uint32_t step = 0; step < 200; step++) {
            int32_t unit = (int32_t)seat_hall_dice(&hall, hall.pool.units.count);
            if (units_is_free(&hall.pool.units, (uint32_t)unit))
                seat_hall_take(&hall, &unit, 1);
            else
                seat_hall_give(&hall, &unit, 1);
            assert_true(seats_check(&hall.pool));
        }
        seat_hall_close(&hall);
    }
}

static void a_stale_tree_is_noticed(void **state)
{
    (void)state;
    open_even(3, 5);
    units_take(&hall.pool.units, 7, BOOKING_HELD);
    assert_false(seats_check(&hall.pool));
    seats_refresh(&hall.pool, (const int32_t[]){7}, 1);
    assert_true(seats_check(&hall.pool));
    hall.pool.seat_tree->nodes[1].fits++;
    assert_false(seats_check(&hall.pool));
    seat_hall_close(&hall);
}

/* Rows before and after do not matter, nor how long a row is: only what the seats are called. */
static void seats_are_told_apart_by_their_names(void **state)
{
    (void)state;
    static const char *const names[] = {"A1", "A2", "A3"};
    static const char *const others[] = {"A1", "A4", "A3"};
    struct seat_row rows[] = {{.name = "A", .seats = 3, .first = 1},
                              {.name = "A", .seats = 3, .first = 2},
                              {.name = "B", .seats = 3, .first = 1},
                              {.name = "A", .seats = 3, .first = 1, .names = names},
                              {.name = "A", .seats = 3, .first = 1, .names = others}};
    static const int32_t units[] = {0, 1};
    uint32_t hashes[sizeof rows / sizeof *rows];
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pool pool = {.seat_rows = &rows[i], .seat_row_count = 1};
        hashes[i] = seats_hash(&pool, units, 2);
        assert_int_not_equal(0, hashes[i]);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(hashes[i], hashes[j]);
        rows[i].seats = 2;
        assert_int_equal(hashes[i], seats_hash(&pool, units, 2));
    }
}

/* 1,200 seats, parties of 1 to 6 that sit together, until a pair is refused. */
static void a_hall_is_nearly_full_before_a_pair_is_refused(void **state)
{
    (void)state;
    enum {
        ROWS = 30
    };
    for (uint64_t seed = 1; seed <= 40; seed++) {
        for (enum usher_strategy strategy = USHER_BEST; strategy <= USHER_FIRST; strategy++) {
            uint32_t seats[ROWS];
            for (uint32_t i = 0; i < ROWS; i++)
                seats[i] = seed % 2 ? 40 : i % 2 ? 40 + i / 2 : 40 - i / 2;
            seat_hall_open(&hall, seats, ROWS);
            assert_int_equal(1200, hall.pool.units.count);
            assert_in_range(seat_hall_fill_up(&hall, strategy, seed), 1176, 1200); /* 98 % */
            assert_true(seats_check(&hall.pool));
            seat_hall_close(&hall);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(large_parties_leave_no_orphan_either),
    cmocka_unit_test(random_is_replayable_and_spread),
    cmocka_unit_test(the_tree_is_what_the_units_say),
    cmocka_unit_test(a_stale_tree_is_noticed),
    cmocka_unit_test(seats_are_told_apart_by_their_names),
    cmocka_unit_test(a_hall_is_nearly_full_before_a_pair_is_refused),
};
UNIT_TESTS(test_seating_hall, tests, NULL, NULL)
