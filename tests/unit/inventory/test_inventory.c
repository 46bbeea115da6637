/*
 * The parts that the inventory is made of, each against the simplest thing that does the same:
 * bits against an array, the heap against a search.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/base/slab.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/booking_lines.h"
#include "worker/inventory/units.h"

/* The same numbers every time: a failure can be looked at again. */
static uint32_t dice_state;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)dice_state * sides >> 32);
}

/* ---- units ---- */

/* A state for each number; of those that are not taken the lowest are free, so many in all. */
struct naive_units {
    enum booking_state *states;
    uint32_t count, capacity;
};

static uint32_t naive_taken(const struct naive_units *naive)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < naive->count; i++)
        taken += naive->states[i] != BOOKING_NONE;
    return taken;
}

static struct unit_counts naive_counts(const struct naive_units *naive)
{
    struct unit_counts counts = {0};
    for (uint32_t i = 0; i < naive->count; i++)
        if (naive->states[i] != BOOKING_NONE)
            (*unit_counts_in(&counts, naive->states[i]))++;
    return counts;
}

static uint32_t naive_free(const struct naive_units *naive)
{
    uint32_t taken = naive_taken(naive);
    return taken < naive->capacity ? naive->capacity - taken : 0;
}

static bool check(const struct units *units, const struct naive_units *naive)
{
    return units_check(units, naive_counts(naive), naive_free(naive));
}

/* One more than the highest free number. */
static uint32_t naive_limit(const struct naive_units *naive)
{
    uint32_t free = naive_free(naive), limit = 0;
    for (uint32_t i = 0; free > 0; i++) {
        free -= naive->states[i] == BOOKING_NONE;
        limit = i + 1;
    }
    return limit;
}

static uint32_t naive_next_taken(const struct naive_units *naive, uint32_t from, uint32_t end)
{
    while (from < end && naive->states[from] == BOOKING_NONE)
        from++;
    return from;
}

static uint32_t naive_next_free(const struct naive_units *naive, uint32_t from)
{
    uint32_t limit = naive_limit(naive);
    while (from < limit && naive->states[from] != BOOKING_NONE)
        from++;
    return from < limit ? from : naive->count;
}

static void move_one(struct units *units, struct naive_units *naive)
{
    static const enum booking_state taken[] = {BOOKING_HELD, BOOKING_CONFIRMED, BOOKING_BLOCKED};
    uint32_t unit = dice(units->count);
    enum booking_state *state = &naive->states[unit];
    if (*state == BOOKING_NONE && (naive_free(naive) > 0 || dice(3) == 0)) {
        *state = taken[dice(3)]; /* free or retired, or beyond those there are */
        units_take(units, unit, *state);
    } else if (*state == BOOKING_HELD && dice(2)) {
        *state = BOOKING_CONFIRMED;
        units_sell(units, unit);
    } else if (*state != BOOKING_NONE) {
        *state = BOOKING_NONE;
        units_give(units, unit);
    }
}

static void resize(struct units *units, struct naive_units *naive)
{
    uint32_t taken = naive_taken(naive);
    naive->capacity = dice(2) ? taken + dice(naive->count - taken + 1) : dice(naive->count) + 1;
    units_set_free(units, naive_free(naive), taken > naive->capacity ? taken - naive->capacity : 0);
}

static void compare_units(const struct units *units, const struct naive_units *naive)
{
    uint32_t from = dice(units->count), end = from + dice(units->count - from + 1);
    uint32_t limit = naive_limit(naive);
    assert_int_equal(naive_next_free(naive, from), units_next_free(units, from));
    assert_int_equal(naive_next_taken(naive, from, end), units_next_taken(units, from, end));
    assert_int_equal(naive->states[from], units_state(units, from));
    assert_int_equal(naive->states[from] == BOOKING_NONE && from < limit,
                     units_is_free(units, from));

    uint32_t taken_end = units->count;
    while (taken_end > 0 && naive->states[taken_end - 1] == BOOKING_NONE)
        taken_end--;
    assert_int_equal(taken_end, units_taken_end(units));
}

/* So many steps; every so many of them, but for 0, the capacity changes. */
static void walk_units(uint32_t count, uint32_t steps, uint32_t resize_every)
{
    struct usher_arena arena = {0};
    struct units units;
    struct naive_units naive = {calloc(count, sizeof *naive.states), count, count};
    units_init(&units, count, &arena);
    assert_true(check(&units, &naive));
    for (uint32_t step = 0; step < steps; step++) {
        if (resize_every > 0 && dice(resize_every) == 0)
            resize(&units, &naive);
        else
            move_one(&units, &naive);
        compare_units(&units, &naive);
        assert_true(count > 5000 || check(&units, &naive));
    }
    assert_true(check(&units, &naive));
    free(naive.states);
    usher_arena_deinit(&arena);
}

static void units_are_an_array_of_states(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 127, 4095, 4096, 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        walk_units(sizes[i], 2000, 0);
    walk_units(300000, 300, 0);
}

static void the_lowest_numbers_are_free_and_the_others_retired(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 10, 64, 65, 200, 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        walk_units(sizes[i], 4000, 20);
    walk_units(300000, 300, 5);
}

/* Five tokens, the last two of them sold, and then there are but two rooms. */
static void a_number_that_retired_does_not_come_back(void **state)
{
    (void)state;
    struct usher_arena arena = {0};
    struct units units;
    units_init(&units, 5, &arena);
    units_take(&units, 3, BOOKING_CONFIRMED);
    units_take(&units, 4, BOOKING_BLOCKED);
    units_set_free(&units, 0, 0);
    assert_int_equal(5, units_next_free(&units, 0));
    units_give(&units, 4);
    assert_int_equal(0, units_next_free(&units, 0));
    assert_int_equal(5, units_next_free(&units, 1));
    assert_false(units_is_free(&units, 4));
    assert_int_equal(BOOKING_NONE, units_state(&units, 4));

    units_take(&units, 4, BOOKING_BLOCKED); /* but its owner may have it back */
    assert_int_equal(5, units_next_free(&units, 0));
    units_set_free(&units, 2, 0);
    assert_int_equal(0, units_next_free(&units, 0));
    assert_int_equal(1, units_next_free(&units, 1));
    assert_int_equal(5, units_next_free(&units, 2));
    assert_true(units_check(&units, (struct unit_counts){.sold = 1, .blocked = 1}, 2));
    assert_false(units_check(&units, (struct unit_counts){.sold = 2}, 2));
    assert_false(units_check(&units, (struct unit_counts){.sold = 1, .blocked = 1}, 3));
    usher_arena_deinit(&arena);
}

/* Three rooms, and a fourth guest. */
static void what_comes_back_fills_the_hole_first(void **state)
{
    (void)state;
    struct usher_arena arena = {0};
    struct units units;
    units_init(&units, 3, &arena);
    for (uint32_t unit = 0; unit < 3; unit++)
        units_take(&units, unit, BOOKING_CONFIRMED);
    units_extend(&units, 64);
    assert_int_equal(64, units_next_free(&units, 0));
    assert_int_equal(3, units_next_open(&units, 0));
    units_take(&units, 3, BOOKING_HELD);
    units_give(&units, 1);
    assert_int_equal(64, units_next_free(&units, 0)); /* two guests more would be too many */
    units_take(&units, 1, BOOKING_CONFIRMED);
    units_give(&units, 3);
    assert_int_equal(64, units_next_free(&units, 0));
    units_give(&units, 2);
    assert_int_equal(2, units_next_free(&units, 0));
    assert_int_equal(64, units_next_free(&units, 3));
    assert_true(units_check(&units, (struct unit_counts){.sold = 2}, 1));
    usher_arena_deinit(&arena);
}

static void the_lowest_free_unit_is_found_when_few_are_left(void **state)
{
    (void)state;
    struct usher_arena arena = {0};
    struct units units;
    units_init(&units, 1000000, &arena);
    for (uint32_t unit = 0; unit < units.count; unit++) {
        assert_int_equal(unit, units_next_free(&units, 0));
        units_take(&units, unit, BOOKING_CONFIRMED);
    }
    assert_int_equal(units.count, units_next_free(&units, 0));
    units_give(&units, 777777);
    units_give(&units, 3);
    assert_int_equal(3, units_next_free(&units, 0));
    assert_int_equal(777777, units_next_free(&units, 4));
    assert_int_equal(units.count, units_next_free(&units, 777778));
    assert_true(units_check(&units, (struct unit_counts){.sold = units.count - 2}, 2));
    usher_arena_deinit(&arena);
}

/* ---- expiry order ---- */

enum {
    DUE_COUNT = 300
};

static struct booking *naive_first(struct booking *bookings)
{
    struct booking *first = NULL;
    for (uint32_t i = 0; i < DUE_COUNT; i++) {
        struct booking *other = &bookings[i];
        if (other->due_index != DUE_NONE &&
            (!first || due_key_less((struct due_key){other->row.expires_ms, other->row.no},
                                    (struct due_key){first->row.expires_ms, first->row.no})))
            first = other;
    }
    return first;
}

static uint32_t naive_due_count(const struct booking *bookings, int64_t until_ms)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < DUE_COUNT; i++)
        count += bookings[i].due_index != DUE_NONE && bookings[i].row.expires_ms <= until_ms;
    return count;
}

static uint32_t visited_due_count(const struct due *due, int64_t until_ms)
{
    uint32_t count = 0, at = 0;
    for (struct booking *booking; (booking = due_each(due, until_ms, &at)); count++)
        assert_true(booking->row.expires_ms <= until_ms);
    return count;
}

static void the_first_to_expire_comes_first(void **state)
{
    (void)state;
    static struct booking bookings[DUE_COUNT];
    struct due due = {0};
    for (uint32_t i = 0; i < DUE_COUNT; i++) {
        bookings[i].row.no = i + 1;
        bookings[i].due_index = DUE_NONE;
    }
    for (uint32_t step = 0; step < 20000; step++) {
        struct booking *booking = &bookings[dice(DUE_COUNT)];
        if (booking->due_index == DUE_NONE) {
            booking->row.expires_ms = dice(50); /* many at the same time: the number decides */
            due_add(&due, booking);
        } else {
            due_remove(&due, booking);
            due_remove(&due, booking); /* one that is not in it is left alone */
        }
        assert_ptr_equal(naive_first(bookings), due_first(&due));
        int64_t until_ms = dice(52) - (int64_t)1;
        assert_int_equal(naive_due_count(bookings, until_ms), visited_due_count(&due, until_ms));
    }
    due_deinit(&due);
}

/* ---- tables ---- */

struct thing {
    struct table_node node;
    uint32_t key;
    bool in;
};

static void a_table_finds_all_of_one_hash(void **state)
{
    (void)state;
    static struct thing things[1000];
    struct table table = {0};
    assert_null(table_find(&table, 7));
    for (uint32_t step = 0; step < 20000; step++) {
        struct thing *thing = &things[dice(1000)];
        uint64_t hash = (uint64_t)(thing - things) % 100; /* ten of each */
        if (thing->in)
            table_remove(&table, &thing->node);
        else
            table_add(&table, &thing->node, hash);
        thing->in = !thing->in;
        bool found = false;
        for (struct table_node *node = table_find(&table, hash); node;
             node = table_find_next(node)) {
            assert_int_equal(hash, node->hash);
            found = found || ENTRY_OF(node, struct thing, node) == thing;
        }
        assert_int_equal(thing->in, found);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < 1000; i++)
        count += things[i].in;
    assert_int_equal(count, table.count);
    table_deinit(&table);
}

static void freed_structs_are_used_again(void **state)
{
    (void)state;
    struct slab slab = {.size = 2 * sizeof(void *)};
    void *first = slab_alloc(&slab);
    memset(first, 1, slab.size);
    slab_free(&slab, first);
    uint64_t *again = slab_alloc(&slab);
    assert_ptr_equal(first, again);
    assert_int_equal(0, again[0]);
    for (uint32_t i = 0; i < 1000; i++)
        assert_ptr_not_equal(again, slab_alloc(&slab));
    slab_deinit(&slab);
}

/* Each is marked, so that one that is given out twice, or freed under its owner, shows. */
static void chunks_that_are_free_are_given_back(void **state)
{
    (void)state;
    enum {
        COUNT = 4096 /* 16 chunks */
    };
    static uint64_t *marked[COUNT];
    struct slab slab = {.size = 4 * sizeof(uint64_t)};
    for (uint32_t i = 0; i < COUNT; i++) {
        marked[i] = slab_alloc(&slab);
        marked[i][3] = i;
    }
    assert_int_equal(16, slab.chunk_count);
    for (uint32_t i = 0; i < 100; i++)
        slab_free(&slab, marked[i]);
    slab_shrink(&slab); /* not worth it */
    assert_int_equal(16, slab.chunk_count);
    for (uint32_t i = 100; i < COUNT / 2 + 1; i++)
        slab_free(&slab, marked[i]);
    slab_shrink(&slab);
    assert_int_equal(8, slab.chunk_count);
    assert_int_equal(1, slab.free_count);
    for (uint32_t i = 0; i < COUNT / 2 + 1; i++) {
        marked[i] = slab_alloc(&slab);
        assert_int_equal(0, marked[i][3]);
        marked[i][3] = i;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(i, marked[i][3]);
    for (uint32_t i = 0; i < COUNT; i++)
        slab_free(&slab, marked[i]);
    slab_shrink(&slab);
    assert_null(slab.chunks);
    assert_null(slab.free);
    slab_deinit(&slab);
}

/* ---- lines ---- */

static void lines_come_back_as_they_were(void **state)
{
    (void)state;
    static const int32_t units[] = {7, 3, 2147483647, 0, 5};
    const struct line lines[] = {
        {.item = 0, .pool = 2, .price = 4500, .seat_hash = 77, .unit_count = 2, .units = units},
        {.item = 1, .pool = 720884, .price = 0, .unit_count = 1, .units = units + 2},
        {.item = 99, .price = USHER_PRICE_MAX, .unit_count = 1, .units = units + 3, .rate = "a"},
        {.item = 99, .seat_hash = 6, .unit_count = 1, .units = units + 4, .rate = "Kind \xc3\xa4"},
    };
    struct content *content = content_create(lines, 4);
    struct usher_buffer text = {0};
    lines_write(content, &text);
    static const char expected[] =
        "[[0,2,4500,[7,3],77],[1,720884,0,[2147483647]],[99,0,1000000000000,[0],0,\"a\"],"
        "[99,0,0,[5],6,\"Kind \xc3\xa4\"]]";
    assert_int_equal(strlen(expected), text.size);
    assert_memory_equal(expected, text.at, text.size);

    struct content *again = lines_read(text.at, text.size);
    assert_non_null(again);
    assert_int_equal(5, again->unit_count);
    assert_true(content_equal(content, again));
    again->lines[1].price++;
    assert_false(content_equal(content, again));
    again->lines[1].price--;
    again->lines[2].rate = NULL;
    assert_false(content_equal(content, again));
    again->lines[2].rate = "b";
    assert_false(content_equal(content, again));
    free(content);
    free(again);
    usher_buffer_deinit(&text);
}

/* Units of a counted pool have no numbers, wherever they are between others that have some. */
static void lines_of_quantities_come_back_as_they_were(void **state)
{
    (void)state;
    static const int32_t units[] = {7, 3};
    const struct line lines[] = {
        {.item = 0, .pool = 1, .price = 4500, .unit_count = 3900},
        {.item = 1, .pool = 2, .price = 100, .seat_hash = 77, .unit_count = 2, .units = units},
        {.item = 2, .pool = 3, .unit_count = USHER_UNITS_MAX - 3902, .rate = "a"},
    };
    struct content *content = content_create(lines, 3);
    assert_int_equal(USHER_UNITS_MAX, content->unit_count);
    assert_int_equal(2, content->number_count);
    assert_null(content->lines[0].units);
    assert_null(content->lines[2].units);
    struct usher_buffer text = {0};
    lines_write(content, &text);
    static const char expected[] = "[[0,1,4500,3900],[1,2,100,[7,3],77],[2,3,0,98,0,\"a\"]]";
    assert_int_equal(strlen(expected), text.size);
    assert_memory_equal(expected, text.at, text.size);

    struct content *again = lines_read(text.at, text.size);
    assert_non_null(again);
    assert_true(content_equal(content, again));
    assert_int_equal(2, again->number_count);
    again->lines[0].unit_count--;
    assert_false(content_equal(content, again));
    again->lines[0].unit_count++;
    again->lines[1].units = NULL;
    assert_false(content_equal(content, again));
    free(content);
    free(again);
    usher_buffer_deinit(&text);
}

/* A party that waits has no units, nor has a block that was emptied. */
static void there_may_be_no_lines(void **state)
{
    (void)state;
    struct content *content = content_create(NULL, 0);
    struct usher_buffer text = {0};
    lines_write(content, &text);
    assert_int_equal(2, text.size);
    assert_memory_equal("[]", text.at, text.size);
    struct content *again = lines_read(text.at, text.size);
    assert_non_null(again);
    assert_int_equal(0, again->line_count + again->unit_count);
    assert_true(content_equal(content, again));
    free(content);
    free(again);
    usher_buffer_deinit(&text);
}

static void other_texts_are_no_lines(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "null",
        "{}",
        "[1]",
        "[[0,0,0]]",
        "[[0,0,0,0]]",
        "[[0,0,0,-1]]",
        "[[0,0,0,1.5]]",
        "[[0,0,0,\"1\"]]",
        "[[0,0,0,null]]",
        "[[0,0,0,4001]]",
        "[[0,0,0,2000],[0,0,0,2001]]",
        "[[0,0,0,4000],[0,0,0,[1]]]",
        "[[0,0,0,4294967296]]",
        "[[0,0,0,[]]]",
        "[[0,0,0,[-1]]]",
        "[[0,0,0,[2147483648]]]",
        "[[-1,0,0,[1]]]",
        "[[0,720886,0,[1]]]",
        "[[0,0,-1,[1]]]",
        "[[0,0,0,[1],-5]]",
        "[[0,0,0,[1.5]]]",
        "[[0,0,0,[1]],[0]]",
        "[[0,0,0,[1]]",
        "[[0,0,0,[\"1\"]]]",
        "[[0,0,0,[1],\"a\"]]",
        "[[0,0,0,[1],0,7]]",
        "[[0,0,0,[1],0,\"\"]]",
        "[[0,0,0,[1],0,null]]",
        "[[0,0,0,[1,2,1]]]",
        "[[0,7,0,[1]],[1,8,0,[1]],[2,7,0,[2,1]]]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(lines_read(texts[i], strlen(texts[i])));
}

/* ---- the life of a booking ---- */

static void a_booking_takes_only_the_states_of_its_life(void **state)
{
    (void)state;
    /* By from and to, in the order of the enum: NONE HELD CONFIRMED BLOCKED WAITING RELEASED … */
    static const char *const life[BOOKING_STATE_COUNT] = {
        [BOOKING_NONE] = ".hcbw....",      [BOOKING_HELD] = ".hc..re..",
        [BOOKING_CONFIRMED] = "..c....x.", [BOOKING_BLOCKED] = "...b.r...",
        [BOOKING_WAITING] = ".h..w...l",   [BOOKING_RELEASED] = ".........",
        [BOOKING_EXPIRED] = "..c..r...",   [BOOKING_CANCELLED] = ".........",
        [BOOKING_LEFT] = ".........",
    };
    for (int from = BOOKING_NONE; from < BOOKING_STATE_COUNT; from++)
        for (int to = BOOKING_NONE; to < BOOKING_STATE_COUNT; to++)
            assert_int_equal(
                booking_state_may_become((enum booking_state)from, (enum booking_state)to),
                life[from][to] != '.');
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(units_are_an_array_of_states),
    cmocka_unit_test(the_lowest_numbers_are_free_and_the_others_retired),
    cmocka_unit_test(a_number_that_retired_does_not_come_back),
    cmocka_unit_test(what_comes_back_fills_the_hole_first),
    cmocka_unit_test(the_lowest_free_unit_is_found_when_few_are_left),
    cmocka_unit_test(the_first_to_expire_comes_first),
    cmocka_unit_test(a_table_finds_all_of_one_hash),
    cmocka_unit_test(freed_structs_are_used_again),
    cmocka_unit_test(chunks_that_are_free_are_given_back),
    cmocka_unit_test(lines_come_back_as_they_were),
    cmocka_unit_test(lines_of_quantities_come_back_as_they_were),
    cmocka_unit_test(there_may_be_no_lines),
    cmocka_unit_test(other_texts_are_no_lines),
    cmocka_unit_test(a_booking_takes_only_the_states_of_its_life),
};
UNIT_TESTS(test_inventory, tests, NULL, NULL)
