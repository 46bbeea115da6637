/*
 * One resource: seats by their names, rows that do not fit together, and what is loaded of it.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/names.h"
#include "worker/inventory/seats.h"

#define ROW(text, count, number)                           \
    {                                                      \
        .row = (text), .seats = (count), .first = (number) \
    }

static struct resource *hall(void)
{
    static const struct usher_row stalls[] = {ROW("A", 5, 1), ROW("B", 4, 11), ROW("A", 2, 20),
                                              ROW("A-1", 3, 0),
                                              ROW("Loge \xc3\xa4", 1, 4000000000U)};
    static const struct usher_row balcony[] = {ROW("A", 3, 6)};
    const struct resource_row row = {.no = 1, .id = "hall", .state = USHER_OPEN};
    struct resource *resource = resource_create(&row);
    struct pool *pool = catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE);
    catalogue_set_rows(resource, pool, stalls, 5);
    pool = catalogue_add(resource, USHER_SEATS, "balcony", NIGHT_NONE);
    catalogue_set_rows(resource, pool, balcony, 1);
    struct usher_arena arena = {0};
    assert_null(names_find_duplicate(resource, &arena));
    usher_arena_deinit(&arena);
    catalogue_settle(resource);
    resource_check(resource);
    return resource;
}

static void every_seat_is_found_by_its_name(void **state)
{
    (void)state;
    struct resource *resource = hall();
    struct usher_arena arena = {0};
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        for (uint32_t unit = 0; unit < resource->pools[i].units.count; unit++) {
            const char *name = names_seat_name(&resource->pools[i], unit, &arena);
            uint32_t found_pool, found_unit;
            assert_true(names_find_seat(resource, name, &found_pool, &found_unit));
            assert_int_equal(i, found_pool);
            assert_int_equal(unit, found_unit);
        }
    }
    assert_string_equal("B-14", names_seat_name(&resource->pools[0], 8, &arena));
    assert_string_equal("A-1-0", names_seat_name(&resource->pools[0], 11, &arena));
    assert_string_equal("A-8", names_seat_name(&resource->pools[1], 2, &arena));
    usher_arena_deinit(&arena);
    resource_destroy(resource);
}

static void other_names_are_no_seats(void **state)
{
    (void)state;
    static const char *const names[] = {
        "A-0",
        "A-01",
        "A-",
        "A",
        "-1",
        "",
        "a-1",
        "A-22",
        "A-19",
        "A-+1",
        "A- 1",
        "B-1",
        "B-15",
        "C-1",
        "A-1-3",
        "A-4294967297",
        "A-18446744073709551617",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-1",
    };
    struct resource *resource = hall();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t pool, unit;
        assert_false(names_find_seat(resource, names[i], &pool, &unit));
    }
    resource_destroy(resource);
}

/* ---- rows with names of their own ---- */

static const char *const left_names[] = {"gold", "A-2", "A-01"};
static const char *const right_names[] = {"x", "y-"};
static const char *const left_numbers[] = {"1", "2", "2a"};
static const int32_t left_ranks[] = {3, 1, 2};
static const int32_t left_x[] = {-5, 0, 5}, left_y[] = {1, 2, 3};
static const uint32_t left_aisle[] = {0, 2};
static const struct usher_row_feature left_features[] = {{"aisle", left_aisle, 2}};
static const struct usher_row planned_rows[] = {
    {.row = "A",
     .seats = 3,
     .first = 1,
     .zone = "left",
     .names = left_names,
     .numbers = left_numbers,
     .ranks = left_ranks,
     .x = left_x,
     .y = left_y,
     .features = left_features,
     .feature_count = 1},
    {.row = "A", .seats = 2, .first = 1, .zone = "right", .names = right_names},
    ROW("B", 4, 1),
};

static struct resource *planned(void)
{
    const struct resource_row row = {.no = 1, .id = "hall", .state = USHER_OPEN};
    struct resource *resource = resource_create(&row);
    catalogue_set_rows(resource, catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE),
                       planned_rows, 3);
    return resource;
}

static void check_seat(const struct resource *resource, const char *name, uint32_t wanted)
{
    uint32_t pool, unit;
    assert_true(names_find_seat(resource, name, &pool, &unit));
    assert_int_equal(0, pool);
    assert_int_equal(wanted, unit);
}

static void seats_with_names_of_their_own_are_found_by_them(void **state)
{
    (void)state;
    struct resource *resource = planned();
    struct usher_arena arena = {0};
    assert_null(names_find_duplicate(resource, &arena));
    catalogue_settle(resource);
    resource_check(resource);
    check_seat(resource, "gold", 0);
    check_seat(resource, "A-2", 1);
    check_seat(resource, "A-01", 2);
    check_seat(resource, "y-", 4);
    check_seat(resource, "B-4", 8);
    static const char *const others[] = {"A-1", "A-3", "golden", "gol", "B-0", "B-5", "A"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        uint32_t pool, unit;
        assert_false(names_find_seat(resource, others[i], &pool, &unit));
    }
    assert_string_equal("A-01", names_seat_name(&resource->pools[0], 2, &arena));
    assert_string_equal("B-1", names_seat_name(&resource->pools[0], 5, &arena));
    assert_string_equal("left, row A, seat 2a", names_place(&resource->pools[0], 2, &arena));
    assert_string_equal("y-", names_place(&resource->pools[0], 4, &arena));
    assert_string_equal("B-1", names_place(&resource->pools[0], 5, &arena));
    usher_arena_deinit(&arena);
    resource_destroy(resource);
}

static void check_planned(const struct seat_row *row)
{
    assert_string_equal("left", row->zone);
    assert_string_equal("A-01", row->names[2]);
    assert_string_equal("2a", row->numbers[2]);
    assert_memory_equal(left_ranks, row->ranks, sizeof left_ranks);
    assert_memory_equal(left_x, row->x, sizeof left_x);
    assert_memory_equal(left_y, row->y, sizeof left_y);
    assert_int_equal(1, row->feature_count);
    assert_string_equal("aisle", row->features[0].feature);
    assert_int_equal(2, row->features[0].seat_count);
    assert_memory_equal(left_aisle, row->features[0].seats, sizeof left_aisle);
    assert_null(row[1].ranks);
    assert_null(row[1].x);
    assert_null(row[2].names);
    assert_null(row[2].zone);
}

/* The clone outlives the original, the chart both. */
static void a_plan_survives_clones_and_charts(void **state)
{
    (void)state;
    struct resource *original = planned();
    catalogue_settle(original);
    struct resource *clone = resource_clone(original);
    catalogue_settle(clone);
    resource_destroy(original);
    resource_check(clone);
    check_planned(clone->pools[0].seat_rows);

    struct pool_row pool = clone->pools[0].row;
    struct usher_arena scratch = {0};
    const struct loaded_resource loaded = {
        .row = clone->row, .chart = clone->chart, .pools = &pool, .pool_count = 1};
    struct resource *again = restore_resource(&loaded, &scratch);
    assert_non_null(again);
    resource_check(again);
    check_planned(again->pools[0].seat_rows);
    usher_arena_deinit(&scratch);
    resource_destroy(clone);
    resource_destroy(again);
}

static const char *twice(const struct usher_row *rows, uint32_t count, struct usher_arena *arena)
{
    const struct resource_row row = {.no = 1, .id = "hall"};
    struct resource *resource = resource_create(&row);
    struct pool *pool = catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE);
    catalogue_set_rows(resource, pool, rows, count - 1);
    pool = catalogue_add(resource, USHER_SEATS, "balcony", NIGHT_NONE);
    catalogue_set_rows(resource, pool, rows + count - 1, 1);
    const char *name = names_find_duplicate(resource, arena);
    resource_destroy(resource);
    return name;
}

static void names_are_unique_whatever_their_form(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "C-12", "b"};
    static const char *const same[] = {"c", "b"};
    static const char *const zeros[] = {"C-012", "C-0", "C-20"};
    const struct usher_row named = {.row = "X", .seats = 3, .first = 1, .names = names};
    const struct usher_row other = {.row = "X", .seats = 2, .first = 1, .names = same};
    const struct usher_row close = {.row = "X", .seats = 3, .first = 1, .names = zeros};
    struct usher_arena arena = {0};
    const struct usher_row apart[] = {named, ROW("C", 11, 1), ROW("C", 7, 13), ROW("X", 9, 1)};
    assert_null(twice(apart, 4, &arena));
    const struct usher_row within[] = {named, ROW("C", 11, 1), ROW("C", 7, 12), ROW("B", 9, 1)};
    assert_string_equal("C-12", twice(within, 4, &arena));
    const struct usher_row both[] = {named, ROW("C", 2, 1), other};
    assert_string_equal("b", twice(both, 3, &arena));
    const struct usher_row nearly[] = {close, ROW("C", 19, 1)};
    assert_null(twice(nearly, 2, &arena));
    usher_arena_deinit(&arena);
}

static void rows_that_share_a_seat_are_named(void **state)
{
    (void)state;
    static const struct usher_row rows[] = {ROW("A", 5, 1), ROW("B", 9, 1), ROW("A", 3, 5)};
    const struct resource_row row = {.no = 1, .id = "hall"};
    struct resource *resource = resource_create(&row);
    struct usher_arena arena = {0};
    catalogue_set_rows(resource, catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE), rows,
                       3);
    assert_string_equal("A-5", names_find_duplicate(resource, &arena));
    usher_arena_deinit(&arena);
    resource_destroy(resource);
}

/* It is stored with bookings: with another one no expired hold could be confirmed late. */
static void the_hash_of_seats_keeps_its_number(void **state)
{
    (void)state;
    static const int32_t units[] = {0, 1};
    struct resource *resource = hall();
    assert_int_equal(0x27285c81, seats_hash(&resource->pools[0], units, 2));
    assert_int_equal(0x282f160d, seats_hash(&resource->pools[1], units, 2));
    resource_destroy(resource);
}

/* ---- definitions over what is taken ---- */

static struct resource *settle_with(struct resource *resource, uint32_t capacity)
{
    struct resource *clone = resource_clone(resource);
    catalogue_set_capacity(&clone->pools[0], capacity);
    catalogue_settle(clone);
    resource_check(clone);
    resource_destroy(resource);
    return clone;
}

/* Tokens 2 and 4 of 6 are taken. */
static void capacity_goes_down_to_what_is_taken(void **state)
{
    (void)state;
    static const int32_t taken[] = {2, 4};
    const struct resource_row row = {.no = 1, .id = "hotel"};
    struct resource *resource = resource_create(&row);
    catalogue_set_capacity(catalogue_add(resource, USHER_ROOM, "double", 7), 6);
    catalogue_settle(resource);
    resource_take(resource, 0, taken, 1, BOOKING_HELD);
    resource_take(resource, 0, taken + 1, 1, BOOKING_BLOCKED);
    resource = settle_with(resource, 3);
    assert_int_equal(3, resource->total);
    assert_int_equal(1, resource->free);
    assert_int_equal(1, resource->held);
    assert_int_equal(1, resource->blocked);
    assert_int_equal(0, units_next_free(&resource->pools[0].units, 0));
    resource = settle_with(resource, 2);
    assert_int_equal(0, resource->free);
    resource_give(resource, 0, taken, 1, BOOKING_HELD);
    resource_give(resource, 0, taken + 1, 1, BOOKING_BLOCKED);
    resource_check(resource);
    assert_int_equal(2, resource->free);
    assert_int_equal(0, resource->blocked);
    assert_int_equal(1, units_next_free(&resource->pools[0].units, 1));
    resource = settle_with(resource, 9);
    assert_int_equal(9, resource->free);
    assert_true(units_is_free(&resource->pools[0].units, 8));
    resource_destroy(resource);
}

/* Nobody asks which pieces are taken: they are only counted, and the capacity leaves the others. */
static void pieces_are_counted_and_capacity_goes_down_to_what_is_taken(void **state)
{
    (void)state;
    const struct resource_row row = {.no = 1, .id = "shop"};
    struct resource *resource = resource_create(&row);
    catalogue_set_capacity(catalogue_add(resource, USHER_PRODUCT, "mug", NIGHT_NONE), 4000);
    catalogue_settle(resource);
    assert_int_equal(0, resource->pools[0].units.count);
    assert_int_equal(0, resource->number_count);
    resource_take(resource, 0, NULL, 3000, BOOKING_HELD);
    resource_take(resource, 0, NULL, 7, BOOKING_BLOCKED);
    resource_sell(resource, 0, NULL, 1000);
    resource_check(resource);
    const struct pool *mug = &resource->pools[0];
    assert_int_equal(2000, mug->taken.held);
    assert_int_equal(1000, mug->taken.sold);
    assert_int_equal(7, mug->taken.blocked);
    assert_int_equal(993, pool_free(mug));
    assert_int_equal(2000, resource->held);
    assert_int_equal(1000, resource->sold);
    assert_int_equal(7, resource->blocked);
    assert_int_equal(993, resource->free);
    resource = settle_with(resource, 3007);
    assert_int_equal(0, resource->free);
    assert_int_equal(0, pool_free(&resource->pools[0]));
    resource_give(resource, 0, NULL, 1000, BOOKING_CONFIRMED);
    resource_give(resource, 0, NULL, 2000, BOOKING_HELD);
    resource_give(resource, 0, NULL, 7, BOOKING_BLOCKED);
    resource_check(resource);
    assert_int_equal(3007, resource->free);
    resource = settle_with(resource, 0);
    assert_int_equal(0, resource->total);
    resource_destroy(resource);
}

/* A seat at the end goes, two rows come; what is taken keeps its name at its number. */
static void rows_change_around_taken_seats(void **state)
{
    (void)state;
    static const struct usher_row before[] = {ROW("A", 3, 1), ROW("B", 4, 1)};
    static const struct usher_row after[] = {ROW("A", 3, 1), ROW("B", 3, 1), ROW("C", 2, 1)};
    static const int32_t taken[] = {1, 4};
    const struct resource_row row = {.no = 1, .id = "hall"};
    struct resource *resource = resource_create(&row);
    catalogue_set_rows(resource, catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE), before,
                       2);
    catalogue_settle(resource);
    resource_take(resource, 0, taken, 2, BOOKING_CONFIRMED);
    struct resource *clone = resource_clone(resource);
    catalogue_set_rows(clone, &clone->pools[0], after, 3);
    catalogue_settle(clone);
    resource_destroy(resource);
    resource_check(clone);
    assert_int_equal(8, clone->total);
    assert_int_equal(2, clone->sold);
    uint32_t pool, unit;
    assert_true(names_find_seat(clone, "B-2", &pool, &unit));
    assert_int_equal(BOOKING_CONFIRMED, units_state(&clone->pools[0].units, unit));
    assert_true(names_find_seat(clone, "C-1", &pool, &unit));
    assert_int_equal(BOOKING_NONE, units_state(&clone->pools[0].units, unit));
    assert_false(names_find_seat(clone, "B-4", &pool, &unit));
    resource_destroy(clone);
}

/* ---- what the database has ---- */

static struct pool_row pool_rows[] = {
    {.no = 1,
     .index = 0,
     .kind = USHER_SEATS,
     .name = "stalls",
     .night = NIGHT_NONE,
     .capacity = 2},
    {.no = 2,
     .index = 1,
     .kind = USHER_SECTION,
     .name = "pit",
     .night = NIGHT_NONE,
     .capacity = 3,
     .taken = {0, 1, 0}},
    {.no = 3, .index = 2, .kind = USHER_ROOM, .name = "double", .capacity = 2},
    {.no = 4, .index = 3, .kind = USHER_SEATS, .name = "gone", .night = NIGHT_NONE},
};
static struct loaded_unit unit_rows[] = {{0, 1, BOOKING_HELD}, {2, 1, BOOKING_CONFIRMED}};

#define CHART(section, seats)                                                               \
    "{\"sections\":[{\"section\":\"" section "\",\"rows\":[{\"row\":\"A\",\"seats\":" seats \
    ",\"first\":1}]}]}"

static const char *terms_json, *by_rate_json;

/* Loads it with that chart; the caller changes one thing of the rest before. */
static bool loads(const char *chart)
{
    struct usher_arena scratch = {0};
    struct loaded_resource loaded = {
        .row = {.no = 1,
                .id = "hall",
                .chart = chart ? "sha256:" : NULL,
                .terms = terms_json,
                .by_rate = by_rate_json},
        .chart = {.name = "sha256:", .content = chart, .content_size = chart ? strlen(chart) : 0},
        .pools = pool_rows,
        .pool_count = 4,
        .units = unit_rows,
        .unit_count = 2,
    };
    struct resource *resource = restore_resource(&loaded, &scratch);
    if (resource) {
        resource_check(resource);
        assert_int_equal(4, resource->free);
        assert_int_equal(1, resource->held);
        assert_int_equal(2, resource->sold);
    }
    usher_arena_deinit(&scratch);
    resource_destroy(resource);
    return resource != NULL;
}

static void what_fits_together_is_loaded_and_nothing_else(void **state)
{
    (void)state;
    assert_true(loads(CHART("stalls", "2")));
    assert_false(loads(NULL));
    assert_false(loads("no chart"));
    assert_false(loads(CHART("stalls", "3")));
    assert_false(loads(CHART("pit", "3")));
    assert_false(loads(CHART("double", "1")));
    assert_false(loads(CHART("unknown", "2")));

    static const struct loaded_unit bad[] = {
        {2, 1, BOOKING_HELD},     {0, 2, BOOKING_HELD},      {2, -1, BOOKING_HELD},
        {4, 0, BOOKING_HELD},     {3, 0, BOOKING_HELD},      {2, USHER_CAPACITY_MAX, BOOKING_HELD},
        {0, 0, BOOKING_RELEASED}, {0, 0, BOOKING_NONE},      {0, 0, BOOKING_WAITING},
        {1, 0, BOOKING_HELD},     {1, 2, BOOKING_CONFIRMED}, /* of a pool that is counted */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unit_rows[0] = bad[i];
        assert_false(loads(CHART("stalls", "2")));
    }
    unit_rows[0] = (struct loaded_unit){2, 7, BOOKING_HELD}; /* a room: any number */
    assert_true(loads(CHART("stalls", "2")));
    unit_rows[0] = (struct loaded_unit){0, 1, BOOKING_HELD};
    assert_true(loads(CHART("stalls", "2")));
}

/* Names that are of two pools, nights that are none, more than there may be. */
static void pools_that_cannot_be_are_not_loaded(void **state)
{
    (void)state;
    static const struct pool_row bad[] = {
        {.kind = USHER_SECTION, .name = "pit", .night = NIGHT_NONE},
        {.kind = USHER_PRODUCT, .name = "double", .night = NIGHT_NONE},
        {.kind = USHER_ROOM, .name = "pit", .night = 0},
        {.kind = USHER_ROOM, .name = "double", .night = 0},
        {.kind = USHER_ROOM, .name = "double", .night = CATALOGUE_NIGHTS_MAX},
        {.kind = USHER_ROOM, .name = "suite", .night = NIGHT_NONE},
        {.kind = USHER_ROOM, .name = "suite", .night = -1},
        {.kind = USHER_ROOM, .name = "suite", .night = INT32_MAX},
        {.kind = USHER_SEATS, .name = "gone", .night = 7},
        {.kind = USHER_SEATS, .name = "", .night = NIGHT_NONE},
        {.kind = USHER_SEATS, .name = NULL, .night = NIGHT_NONE},
        {.kind = USHER_SECTION, .name = "big", .night = NIGHT_NONE, .capacity = UINT32_MAX},
        {.kind = USHER_SECTION, .name = "dear", .night = NIGHT_NONE, .price = INT64_MAX},
    };
    const struct pool_row good = pool_rows[3];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pool_rows[3] = bad[i];
        pool_rows[3].index = 3;
        assert_false(loads(CHART("stalls", "2")));
    }
    pool_rows[3] = good;
    pool_rows[3].index = 4;
    assert_false(loads(CHART("stalls", "2")));
    pool_rows[3].index = 3;
    assert_true(loads(CHART("stalls", "2")));
    assert_false(
        loads("{\"sections\":[{\"section\":\"stalls\",\"rows\":[{\"row\":\"A\",\"seats\":2,"
              "\"first\":1}]},{\"section\":\"stalls\",\"rows\":[{\"row\":\"B\",\"seats\":2,"
              "\"first\":1}]}]}"));
}

/* More than there are, or counters of a pool whose units have numbers. */
static void counters_that_cannot_be_are_not_loaded(void **state)
{
    (void)state;
    static const struct unit_counts bad[] = {{0, 4, 0},          {2, 1, 1},
                                             {0, 0, 4},          {UINT32_MAX, 1, 0},
                                             {0, UINT32_MAX, 4}, {1, 1, UINT32_MAX}};
    struct unit_counts good = pool_rows[1].taken;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pool_rows[1].taken = bad[i];
        assert_false(loads(CHART("stalls", "2")));
    }
    pool_rows[1].taken = good;
    static const uint32_t numbered[] = {0, 2, 3};
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        pool_rows[numbered[i]].taken.held = 1;
        assert_false(loads(CHART("stalls", "2")));
        pool_rows[numbered[i]].taken.held = 0;
    }
    assert_true(loads(CHART("stalls", "2")));
}

/* Terms and rates that cannot be read, or that name what there is not. */
static void terms_that_make_no_sense_are_not_loaded(void **state)
{
    (void)state;
    static const char *const good = "{\"quotas\":[{\"quota\":\"q\",\"pools\":[\"pit\",\"double\"],"
                                    "\"limit\":3}]}";
    static const char *const bad[] = {
        "{\"quotas\":[{\"quota\":\"q\",\"pools\":[\"unknown\"],\"limit\":3}]}", "[]", "x",
        "{\"limits\":{\"groups\":[{\"pools\":[\"unknown\"],\"limit\":3}]}}"};
    terms_json = good;
    assert_true(loads(CHART("stalls", "2")));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        terms_json = bad[i];
        assert_false(loads(CHART("stalls", "2")));
    }
    terms_json = NULL;
    static const char *const rates[] = {"[]", "{}", "[[\"adult\"]]", "[[\"adult\",\"x\"]]"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        pool_rows[1].rates = rates[i];
        assert_false(loads(CHART("stalls", "2")));
    }
    pool_rows[1].rates = "[[\"adult\",4500]]";
    assert_true(loads(CHART("stalls", "2")));
    pool_rows[1].rates = NULL;
}

/* As many units are at rates as are held and sold of each pool that counts them. */
static void units_by_rate_that_make_no_sense_are_not_loaded(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[]",
        "x",
        "{\"1\":7}",
        "{\"1\":{\"early\":-2,\"late\":3}}",
        "{\"1\":{\"early\":\"1\"}}",
        "{\"1\":{\"early\":2}}",
        "{\"1\":{\"early\":1},\"1\":{\"early\":1}}",
        "{\"1\":{\"early\":1,\"early\":0}}",
        "{\"1\":{\"early\":1},\"9\":{}}",
        "{\"1\":{\"early\":1},\"\":{}}",
        "{\"1\":{\"early\":1},\"-1\":{}}",
        "{\"1\":{}}",
    };
    by_rate_json = "{\"1\":{\"early\":1,\"late\":0},\"3\":{}}";
    assert_true(loads(CHART("stalls", "2")));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        by_rate_json = bad[i];
        assert_false(loads(CHART("stalls", "2")));
    }
    by_rate_json = NULL;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_seat_is_found_by_its_name),
    cmocka_unit_test(other_names_are_no_seats),
    cmocka_unit_test(seats_with_names_of_their_own_are_found_by_them),
    cmocka_unit_test(a_plan_survives_clones_and_charts),
    cmocka_unit_test(names_are_unique_whatever_their_form),
    cmocka_unit_test(rows_that_share_a_seat_are_named),
    cmocka_unit_test(the_hash_of_seats_keeps_its_number),
    cmocka_unit_test(capacity_goes_down_to_what_is_taken),
    cmocka_unit_test(pieces_are_counted_and_capacity_goes_down_to_what_is_taken),
    cmocka_unit_test(rows_change_around_taken_seats),
    cmocka_unit_test(what_fits_together_is_loaded_and_nothing_else),
    cmocka_unit_test(pools_that_cannot_be_are_not_loaded),
    cmocka_unit_test(counters_that_cannot_be_are_not_loaded),
    cmocka_unit_test(terms_that_make_no_sense_are_not_loaded),
    cmocka_unit_test(units_by_rate_that_make_no_sense_are_not_loaded),
};
UNIT_TESTS(test_inventory_resource, tests, NULL, NULL)
