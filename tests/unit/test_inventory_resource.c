/*
 * One resource: seats by their names, rows that do not fit together, and what is loaded of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "inventory_catalogue.h"
#include "inventory_seats.h"

static struct resource *hall(void)
{
    static const struct usher_row stalls[] = {
        {"A", 5, 1}, {"B", 4, 11}, {"A", 2, 20}, {"A-1", 3, 0}, {"Loge \xc3\xa4", 1, 4000000000U}};
    static const struct usher_row balcony[] = {{"A", 3, 6}};
    const struct resource_row row = {.no = 1, .id = "hall", .state = USHER_OPEN};
    struct resource *resource = resource_create(&row);
    struct pool *pool = catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE);
    catalogue_set_rows(resource, pool, stalls, 5);
    pool = catalogue_add(resource, USHER_SEATS, "balcony", NIGHT_NONE);
    catalogue_set_rows(resource, pool, balcony, 1);
    struct usher_arena arena = {0};
    assert_null(catalogue_seat_twice(resource, &arena));
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
            const char *name = resource_seat_name(&resource->pools[i], unit, &arena);
            uint32_t found_pool, found_unit;
            assert_true(resource_seat(resource, name, &found_pool, &found_unit));
            assert_int_equal(i, found_pool);
            assert_int_equal(unit, found_unit);
        }
    }
    assert_string_equal("B-14", resource_seat_name(&resource->pools[0], 8, &arena));
    assert_string_equal("A-1-0", resource_seat_name(&resource->pools[0], 11, &arena));
    assert_string_equal("A-8", resource_seat_name(&resource->pools[1], 2, &arena));
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
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        uint32_t pool, unit;
        assert_false(resource_seat(resource, names[i], &pool, &unit));
    }
    resource_destroy(resource);
}

static void rows_that_share_a_seat_are_named(void **state)
{
    (void)state;
    static const struct usher_row rows[] = {{"A", 5, 1}, {"B", 9, 1}, {"A", 3, 5}};
    const struct resource_row row = {.no = 1, .id = "hall"};
    struct resource *resource = resource_create(&row);
    struct usher_arena arena = {0};
    catalogue_set_rows(resource, catalogue_add(resource, USHER_SEATS, "stalls", NIGHT_NONE), rows,
                       3);
    assert_string_equal("A-5", catalogue_seat_twice(resource, &arena));
    usher_arena_deinit(&arena);
    resource_destroy(resource);
}

/* It is stored with bookings: with another one no expired hold could be confirmed late. */
static void a_layout_keeps_its_number(void **state)
{
    (void)state;
    struct resource *resource = hall();
    assert_int_equal(156291158, resource->pools[0].layout);
    assert_int_equal(607239531, resource->pools[1].layout);
    resource_destroy(resource);
}

/* ---- what the database has ---- */

static struct pool_row pool_rows[] = {
    {.no = 1, .index = 0, .kind = USHER_SEATS, .name = "stalls", .capacity = 2},
    {.no = 2, .index = 1, .kind = USHER_SECTION, .name = "pit", .capacity = 3},
    {.no = 3, .index = 2, .kind = USHER_ROOM, .name = "double", .capacity = 1},
    {.no = 4, .index = 3, .kind = USHER_SEATS, .name = "gone", .night = NIGHT_NONE},
};
static struct loaded_unit unit_rows[] = {{0, 1, BOOKING_HELD}, {1, 2, BOOKING_CONFIRMED}};

#define CHART(section, seats)                                                               \
    "{\"sections\":[{\"section\":\"" section "\",\"rows\":[{\"row\":\"A\",\"seats\":" seats \
    ",\"first\":1}]}]}"

/* Loads it with that chart; the caller changes one thing of the rest before. */
static bool loads(const char *chart)
{
    struct usher_arena scratch = {0};
    struct loaded_resource loaded = {
        .row = {.no = 1, .id = "hall", .chart = chart ? "sha256:" : NULL},
        .chart = {.name = "sha256:", .content = chart, .content_size = chart ? strlen(chart) : 0},
        .pools = pool_rows,
        .pool_count = 4,
        .units = unit_rows,
        .unit_count = 2,
    };
    struct resource *resource = resource_load(&loaded, &scratch);
    if (resource) {
        resource_check(resource);
        assert_int_equal(4, resource->free);
        assert_int_equal(1, resource->held);
        assert_int_equal(1, resource->sold);
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
        {1, 2, BOOKING_HELD}, {1, 3, BOOKING_HELD},     {1, -1, BOOKING_HELD},
        {4, 0, BOOKING_HELD}, {0, 0, BOOKING_RELEASED}, {0, 0, BOOKING_NONE},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        unit_rows[0] = bad[i];
        assert_false(loads(CHART("stalls", "2")));
    }
    unit_rows[0] = (struct loaded_unit){0, 1, BOOKING_HELD};
    assert_true(loads(CHART("stalls", "2")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seat_is_found_by_its_name),
        cmocka_unit_test(other_names_are_no_seats),
        cmocka_unit_test(rows_that_share_a_seat_are_named),
        cmocka_unit_test(a_layout_keeps_its_number),
        cmocka_unit_test(what_fits_together_is_loaded_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
