/*
 * What reconcile proves of one resource: what is a difference, and what is only to be known.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/reconcile/reconcile_terms.h"
#include "worker/reconcile/reconcile_units.h"

/* A section with seats, one by capacity, two room types on two nights. */
static struct pool_row pools[] = {
    {.index = 0, .kind = USHER_SEATS, .name = "stalls", .night = NIGHT_NONE, .capacity = 4},
    {.index = 1, .kind = USHER_SECTION, .name = "floor", .night = NIGHT_NONE, .capacity = 3},
    {.index = 2, .kind = USHER_ROOM, .name = "double", .night = 20000, .capacity = 2},
    {.index = 3, .kind = USHER_ROOM, .name = "double", .night = 20001, .capacity = 2},
    {.index = 4, .kind = USHER_ROOM, .name = "single", .night = 20001, .capacity = 2},
};

enum {
    STALLS,
    FLOOR,
    DOUBLE_FIRST,
    DOUBLE_SECOND,
    SINGLE,
    POOL_COUNT = sizeof pools / sizeof *pools
};

static struct loaded_unit units[16];
static struct booking_row waiting[4];
static struct loaded_resource loaded;
static char lines[1024], notes[1024];

static void keep_line(void *context, const char *resource, const char *text)
{
    (void)context;
    assert_string_equal("show:x", resource);
    strcat(strcat(lines, text), "\n");
}

static void keep_note(void *context, const char *resource, const char *text)
{
    (void)context;
    assert_string_equal("show:x", resource);
    strcat(strcat(notes, text), "\n");
}

static const struct reconcile_report report = {.line = keep_line, .note = keep_note};

static int begin(void **state)
{
    (void)state;
    lines[0] = notes[0] = '\0';
    loaded = (struct loaded_resource){
        .row = {.id = "show:x"}, .pools = pools, .pool_count = POOL_COUNT, .units = units};
    loaded.waiting = waiting;
    for (int i = 0; i < POOL_COUNT; i++) {
        pools[i].overbook = pools[i].over = 0;
        pools[i].price = 0;
        pools[i].rates = NULL;
        pools[i].taken = (struct unit_counts){0};
    }
    return 0;
}

/* Of the floor, which is counted, some units; of the others the one of that number. */
static void count(uint32_t pool, uint32_t quantity, enum booking_state state)
{
    *unit_counts_in(&pools[pool].taken, state) += quantity;
}

static void take(uint32_t pool, int32_t unit, enum booking_state state)
{
    units[loaded.unit_count++] = (struct loaded_unit){pool, unit, state};
}

static uint64_t prove_units(struct reconcile_sums *sums)
{
    *sums = (struct reconcile_sums){0};
    return reconcile_units(&loaded, sums, &report);
}

static void assert_differs(const char *text)
{
    struct reconcile_sums sums;
    assert_int_equal(1, prove_units(&sums));
    assert_string_equal(text, lines);
    assert_int_equal(0, sums.total);
}

/* ---- units ---- */

static void units_are_counted_by_state(void **state)
{
    (void)state;
    struct reconcile_sums sums;
    take(STALLS, 3, BOOKING_HELD);
    take(STALLS, 0, BOOKING_CONFIRMED);
    take(SINGLE, 1, BOOKING_BLOCKED);
    count(FLOOR, 1, BOOKING_BLOCKED);
    count(FLOOR, 2, BOOKING_CONFIRMED);
    assert_int_equal(0, prove_units(&sums));
    assert_int_equal(13, sums.total);
    assert_int_equal(1, sums.held);
    assert_int_equal(3, sums.sold);
    assert_int_equal(2, sums.blocked);
}

static void a_unit_is_taken_once(void **state)
{
    (void)state;
    take(SINGLE, 1, BOOKING_BLOCKED);
    take(STALLS, 1, BOOKING_HELD);
    take(SINGLE, 1, BOOKING_HELD);
    assert_differs("unit 1 of \"single\" is taken twice\n");
}

static void a_unit_is_held_sold_or_blocked(void **state)
{
    (void)state;
    take(SINGLE, 1, BOOKING_EXPIRED);
    assert_differs("unit 1 of \"single\" is taken, but neither held, sold nor blocked\n");
}

static void what_is_counted_has_no_numbers(void **state)
{
    (void)state;
    take(FLOOR, 1, BOOKING_HELD);
    assert_differs("\"floor\" is counted, but unit 1 is allocated\n");
}

/* Its number is its place: there is none beyond the rows. */
static void a_seat_lies_inside_its_section(void **state)
{
    (void)state;
    take(STALLS, 4, BOOKING_HELD);
    assert_differs("unit 4 is outside of pool 0\n");
}

/* A night whose capacity went down keeps the numbers that were taken. */
static void a_room_may_have_any_number(void **state)
{
    (void)state;
    struct reconcile_sums sums;
    take(DOUBLE_FIRST, 1000000, BOOKING_CONFIRMED);
    take(DOUBLE_FIRST, 2, BOOKING_BLOCKED);
    assert_int_equal(0, prove_units(&sums));
    assert_int_equal(1, sums.sold);
}

static void no_more_is_taken_than_there_is(void **state)
{
    (void)state;
    count(FLOOR, 2, BOOKING_HELD);
    count(FLOOR, 1, BOOKING_CONFIRMED);
    count(FLOOR, 1, BOOKING_BLOCKED);
    assert_differs(
        "\"floor\" has 3 units and 0 taken beyond them, but 2 held, 1 sold and 1 blocked\n");
    begin(state);
    take(SINGLE, 0, BOOKING_HELD);
    take(SINGLE, 8, BOOKING_CONFIRMED);
    take(SINGLE, 9, BOOKING_BLOCKED);
    assert_differs(
        "\"single\" has 2 units and 0 taken beyond them, but 1 held, 1 sold and 1 blocked\n");
    begin(state);
    take(SINGLE, 0, BOOKING_HELD);
    take(SINGLE, 8, BOOKING_CONFIRMED);
    take(SINGLE, 9, BOOKING_BLOCKED);
    struct reconcile_sums sums;
    pools[SINGLE].over = 1; /* the house took it */
    assert_int_equal(0, prove_units(&sums));
    pools[SINGLE].over = 2;
    assert_differs(
        "\"single\" has 2 units and 2 taken beyond them, but 1 held, 1 sold and 1 blocked\n");
}

static void only_what_has_no_seats_is_overbooked(void **state)
{
    (void)state;
    struct reconcile_sums sums;
    pools[FLOOR].overbook = 3;
    assert_int_equal(0, prove_units(&sums));
    pools[STALLS].overbook = 1;
    assert_differs("\"stalls\" is overbooked by 1 of 4 units, but has seats\n");
    begin(state);
    pools[FLOOR].overbook = 4;
    assert_differs("\"floor\" is overbooked by 4 of 3 units\n");
}

static void a_price_is_that_of_the_rates(void **state)
{
    (void)state;
    struct reconcile_sums sums;
    pools[FLOOR].price = 4500;
    assert_int_equal(0, prove_units(&sums));
    pools[FLOOR].rates = "[[\"adult\",4500],[\"child\",2500]]";
    assert_int_equal(0, prove_units(&sums));
    pools[FLOOR].rates = "[[\"adult\",4500],[\"standard\",5000]]";
    assert_differs("\"floor\" costs 4500, but by its rates 5000\n");
    begin(state);
    pools[FLOOR].rates = "[]";
    assert_differs("the rates of \"floor\" cannot be read: []\n");
}

static void the_waiting_list_is_in_order_and_can_be_read(void **state)
{
    (void)state;
    struct reconcile_sums sums;
    for (int i = 0; i < 2; i++) {
        waiting[i] = (struct booking_row){
            .no = 5 + i,
            .state = BOOKING_WAITING,
            .request_id = i == 0 ? "w-0" : "w-1",
            .wants = "{\"op\":\"hold\",\"items\":[{\"section\":\"floor\",\"quantity\":2}]}"};
    }
    loaded.waiting_count = 2;
    assert_int_equal(0, prove_units(&sums));
    waiting[0].no = 6;
    assert_differs("booking \"w-1\" has no place in the list\n");
    waiting[0].no = 5;
    lines[0] = '\0';
    waiting[0].wants = "{}";
    assert_differs("the wanted items of booking \"w-0\" cannot be read\n");
    lines[0] = '\0';
    waiting[0].wants = NULL;
    assert_differs("the wanted items of booking \"w-0\" cannot be read\n");
}

/* ---- terms ---- */

static uint64_t prove_terms(const char *json, const struct load_tally *tallies, uint32_t count)
{
    loaded.row.terms = json;
    return reconcile_terms(&loaded, tallies, count, &report);
}

static void terms_that_nobody_can_decide_by_are_a_difference(void **state)
{
    (void)state;
    assert_int_equal(0, prove_terms(NULL, NULL, 0));
    assert_int_equal(1, prove_terms("{\"quotas\":7}", NULL, 0));
    assert_string_equal("its terms cannot be read\n", lines);
    lines[0] = '\0';
    assert_int_equal(
        1,
        prove_terms("{\"quotas\":[{\"quota\":\"q\",\"pools\":[\"floor\",\"attic\"],\"limit\":1}]}",
                    NULL, 0));
    assert_string_equal("its terms name \"attic\", which never existed\n", lines);
    lines[0] = '\0';
    assert_int_equal(
        1,
        prove_terms("{\"limits\":{\"groups\":[{\"pools\":[\"cellar\"],\"limit\":1}]}}", NULL, 0));
    assert_string_equal("its terms name \"cellar\", which never existed\n", lines);
    assert_string_equal("", notes);
}

/* A define may lower a quota below what is in use. */
static void a_quota_that_is_exceeded_is_noted(void **state)
{
    (void)state;
    const char *terms = "{\"quotas\":[{\"quota\":\"q\",\"pools\":[\"floor\"],\"limit\":2}]}";
    count(FLOOR, 1, BOOKING_HELD);
    count(FLOOR, 1, BOOKING_CONFIRMED);
    take(STALLS, 0, BOOKING_CONFIRMED);
    assert_int_equal(0, prove_terms(terms, NULL, 0));
    assert_string_equal("", notes);
    count(FLOOR, 1, BOOKING_BLOCKED); /* what is off sale does not count */
    assert_int_equal(0, prove_terms(terms, NULL, 0));
    assert_string_equal("", notes);
    count(FLOOR, 1, BOOKING_CONFIRMED);
    assert_int_equal(0, prove_terms(terms, NULL, 0));
    assert_string_equal("quota \"q\" allows 2 units, 3 held or sold\n", notes);
}

static void a_quota_of_rooms_counts_each_night(void **state)
{
    (void)state;
    const char *terms =
        "{\"quotas\":[{\"quota\":\"q\",\"pools\":[\"double\",\"single\",\"floor\"],\"limit\":3}]}";
    take(DOUBLE_FIRST, 0, BOOKING_HELD);
    take(DOUBLE_FIRST, 1, BOOKING_HELD);
    take(DOUBLE_SECOND, 0, BOOKING_HELD);
    take(SINGLE, 0, BOOKING_CONFIRMED);
    count(FLOOR, 1, BOOKING_HELD);
    assert_int_equal(0, prove_terms(terms, NULL, 0));
    assert_string_equal("", notes);
    take(SINGLE, 1, BOOKING_CONFIRMED);
    assert_int_equal(0, prove_terms(terms, NULL, 0));
    assert_string_equal("quota \"q\" allows 3 units, 4 held or sold on 2024-10-05\n", notes);
}

static void a_customer_above_a_limit_is_noted(void **state)
{
    (void)state;
    static const struct load_tally tallies[] = {
        {1, "a", 10, true, STALLS, 2, NULL, NULL}, {1, "a", 10, true, FLOOR, 1, NULL, NULL},
        {1, "a", 11, true, FLOOR, 1, NULL, NULL},  {1, "b", 12, false, FLOOR, 3, NULL, NULL},
        {1, "b", 13, true, 99, 7, NULL, NULL},
    };
    const struct {
        const char *limits, *notes;
    } rows[] = {
        {"\"units_per_customer\":4", ""},
        {"\"units_per_customer\":3", "a customer has 4 units, the limit is 3\n"},
        {"\"holds_per_customer\":2", ""},
        {"\"holds_per_customer\":1", "a customer has 2 holds, the limit is 1\n"},
        {"\"groups\":[{\"pools\":[\"floor\"],\"limit\":2}]",
         "a customer has 3 units of a group, the limit is 2\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char terms[128] = "{\"limits\":{";
        strcat(strcat(terms, rows[i].limits), "}}");
        notes[0] = '\0';
        assert_int_equal(0, prove_terms(terms, tallies, sizeof tallies / sizeof *tallies));
        assert_string_equal(rows[i].notes, notes);
        assert_true(reconcile_limits_customers(&loaded));
    }
    loaded.row.terms = "{\"limits\":{\"units_min\":2}}";
    assert_false(reconcile_limits_customers(&loaded));
    loaded.row.terms = NULL;
    assert_false(reconcile_limits_customers(&loaded));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(units_are_counted_by_state, begin),
    cmocka_unit_test_setup(a_unit_is_taken_once, begin),
    cmocka_unit_test_setup(a_unit_is_held_sold_or_blocked, begin),
    cmocka_unit_test_setup(what_is_counted_has_no_numbers, begin),
    cmocka_unit_test_setup(a_seat_lies_inside_its_section, begin),
    cmocka_unit_test_setup(a_room_may_have_any_number, begin),
    cmocka_unit_test_setup(no_more_is_taken_than_there_is, begin),
    cmocka_unit_test_setup(only_what_has_no_seats_is_overbooked, begin),
    cmocka_unit_test_setup(a_price_is_that_of_the_rates, begin),
    cmocka_unit_test_setup(the_waiting_list_is_in_order_and_can_be_read, begin),
    cmocka_unit_test_setup(terms_that_nobody_can_decide_by_are_a_difference, begin),
    cmocka_unit_test_setup(a_quota_that_is_exceeded_is_noted, begin),
    cmocka_unit_test_setup(a_quota_of_rooms_counts_each_night, begin),
    cmocka_unit_test_setup(a_customer_above_a_limit_is_noted, begin),
};
UNIT_TESTS(test_reconcile, tests, NULL, NULL)
