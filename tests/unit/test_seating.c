/*
 * Seating against brute force: small halls, random parties coming and going, every choice compared
 * with one made by looking at every seat.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "inventory_catalogue.h"
#include "seating.h"

enum {
    ROWS_MAX = 9,
    SEATS_MAX = 12,
    HALL_MAX = ROWS_MAX * SEATS_MAX
};

static uint32_t dice_state;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)dice_state * sides >> 32);
}

/* The hall as a list of seats, each with its row. */
struct naive_hall {
    uint32_t row_of[HALL_MAX];
    bool taken[HALL_MAX];
    uint32_t count;
};

static struct resource *open_hall(struct naive_hall *naive)
{
    struct usher_row rows[ROWS_MAX];
    uint32_t row_count = 1 + dice(ROWS_MAX);
    *naive = (struct naive_hall){0};
    for (uint32_t i = 0; i < row_count; i++) {
        rows[i] = (struct usher_row){"row", 1 + dice(SEATS_MAX), 1 + 100 * i};
        for (uint32_t seat = 0; seat < rows[i].seats; seat++)
            naive->row_of[naive->count++] = i;
    }
    const struct resource_row row = {.no = 1, .id = "hall", .state = USHER_OPEN};
    struct resource *resource = resource_create(&row);
    struct pool *pool = catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE);
    catalogue_set_rows(resource, pool, rows, row_count);
    catalogue_settle(resource);
    return resource;
}

static uint32_t naive_run(const struct naive_hall *naive, uint32_t from)
{
    uint32_t end = from;
    while (end < naive->count && naive->row_of[end] == naive->row_of[from] && !naive->taken[end])
        end++;
    return end - from;
}

/* The first run with room for the rest; else the first of the longest. */
static uint32_t naive_choice(const struct naive_hall *naive, uint32_t rest, uint32_t *length)
{
    uint32_t best = 0;
    *length = 0;
    for (uint32_t seat = 0; seat < naive->count; seat++) {
        uint32_t run = naive_run(naive, seat);
        bool starts =
            seat == 0 || naive->taken[seat - 1] || naive->row_of[seat - 1] != naive->row_of[seat];
        if (starts && run >= rest) {
            *length = rest;
            return seat;
        }
        if (starts && run > *length) {
            *length = run;
            best = seat;
        }
    }
    return best;
}

static bool naive_take(struct naive_hall *naive, const struct party *party, int32_t *units)
{
    for (uint32_t rest = party->quantity; rest > 0;) {
        uint32_t length, seat = naive_choice(naive, rest, &length);
        if (party->together && length < party->quantity)
            return false;
        for (uint32_t i = 0; i < length; i++) {
            naive->taken[seat + i] = true;
            *units++ = (int32_t)(seat + i);
        }
        rest -= length;
    }
    return true;
}

static void seat_party(struct resource *resource, struct naive_hall *naive)
{
    uint32_t free = resource->pools[0].units.free;
    const struct party party = {1 + dice(free < 8 ? free : 8), dice(2), BOOKING_HELD};
    int32_t units[HALL_MAX] = {0}, expected[HALL_MAX] = {0};
    bool is_seated = naive_take(naive, &party, expected);
    assert_int_equal(is_seated, seating_take(resource, 0, &party, units));
    if (is_seated)
        assert_memory_equal(expected, units, party.quantity * sizeof(*units));
}

static void leave_one(struct resource *resource, struct naive_hall *naive)
{
    int32_t unit = (int32_t)dice(naive->count);
    if (naive->taken[unit]) {
        naive->taken[unit] = false;
        resource_give(resource, 0, &unit, 1);
    }
}

static void parties_sit_where_brute_force_puts_them(void **state)
{
    (void)state;
    for (uint32_t hall = 0; hall < 300; hall++) {
        struct naive_hall naive;
        struct resource *resource = open_hall(&naive);
        for (uint32_t step = 0; step < 200; step++)
            if (resource->pools[0].units.free > 0 && dice(3) > 0)
                seat_party(resource, &naive);
            else
                leave_one(resource, &naive);
        resource_check(resource);
        resource_destroy(resource);
    }
}

/* Rows of 3, 5 and 4 seats: what the rule says, written down once. */
static void a_party_gets_one_row_or_the_longest_pieces(void **state)
{
    (void)state;
    static const struct usher_row rows[] = {{"A", 3, 1}, {"B", 5, 1}, {"C", 4, 1}};
    static const struct {
        uint32_t quantity;
        bool together, seated;
        int32_t units[6];
    } parties[] = {
        {4, true, true, {3, 4, 5, 6}},          /* B has room, A has not */
        {2, true, true, {0, 1}},                /* the first row that has room */
        {5, true, false, {0}},                  /* no row has */
        {6, false, true, {8, 9, 10, 11, 2, 7}}, /* C whole, then singles in chart order */
    };
    const struct resource_row row = {.no = 1, .id = "hall", .state = USHER_OPEN};
    struct resource *resource = resource_create(&row);
    catalogue_set_rows(resource, catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE), rows,
                       3);
    catalogue_settle(resource);
    for (size_t i = 0; i < sizeof(parties) / sizeof(*parties); i++) {
        const struct party party = {parties[i].quantity, parties[i].together, BOOKING_CONFIRMED};
        int32_t units[6] = {0};
        assert_int_equal(parties[i].seated, seating_take(resource, 0, &party, units));
        assert_memory_equal(parties[i].units, units, sizeof(units));
    }
    assert_int_equal(0, resource->free);
    assert_int_equal(12, resource->sold);
    resource_check(resource);
    resource_destroy(resource);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parties_sit_where_brute_force_puts_them),
        cmocka_unit_test(a_party_gets_one_row_or_the_longest_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
