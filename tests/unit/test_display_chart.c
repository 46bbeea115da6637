/* The chart that dashboards read: sections, rows and seats, rooms by night, products, rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "display.h"
#include "naive_display.h"

static json_t *chart_of(struct naive *naive)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(naive, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    json_t *chart = json_loadb(whole->chart, whole->chart_size, JSON_REJECT_DUPLICATES, NULL);
    display_update_free(whole);
    usher_arena_deinit(&arena);
    assert_non_null(chart);
    return chart;
}

static void the_chart_says_which_seat_is_which(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    json_t *chart = chart_of(hall);
    json_t *found = json_object_get(chart, "sections");
    assert_int_equal(json_array_size(found), 3); /* not the removed one */
    json_t *balcony = json_array_get(found, 1);
    assert_string_equal(json_string_value(json_object_get(balcony, "section")), "balcony");
    json_t *row = json_array_get(json_object_get(balcony, "rows"), 1);
    assert_int_equal(json_integer_value(json_object_get(row, "at")), 144 + 70);
    json_t *labels = json_object_get(row, "labels");
    assert_int_equal(json_array_size(labels), 3);
    assert_string_equal(json_string_value(json_array_get(labels, 2)), "E-13");
    json_t *products = json_object_get(chart, "products");
    assert_int_equal(json_array_size(products), 1);
    json_t *rates = json_object_get(json_array_get(products, 0), "rates");
    assert_int_equal(json_integer_value(json_object_get(rates, "standard")), 4500);
    json_decref(chart);
    naive_close(hall);
}

static void the_chart_has_a_value_for_each_night(void **state)
{
    (void)state;
    struct naive *hotel = naive_open_hotel();
    json_t *chart = chart_of(hotel);
    json_t *rooms = json_object_get(chart, "rooms");
    assert_int_equal(json_array_size(rooms), 2);
    json_t *doubles = json_array_get(rooms, 0);
    char to[USHER_NIGHT_SIZE];
    usher_night_format(20030, to);
    assert_string_equal(json_string_value(json_object_get(doubles, "to")), to);
    json_t *capacity = json_object_get(doubles, "capacity");
    assert_int_equal(json_array_size(capacity), 30);
    assert_true(json_is_null(json_array_get(capacity, 4)));
    assert_int_equal(json_integer_value(json_array_get(capacity, 5)), 6);
    json_t *prices = json_object_get(json_object_get(doubles, "rates"), "standard");
    assert_int_equal(json_array_size(prices), 30);
    json_decref(chart);
    naive_close(hotel);
}

/* What the chart has at a path such as "sections", "0", "rows", as JSON. */
static void assert_chart(struct naive *naive, const char *const *path, const char *expected)
{
    json_t *chart = chart_of(naive);
    json_t *at = chart;
    for (; *path != NULL; path++)
        at = json_is_array(at) ? json_array_get(at, strtoul(*path, NULL, 10))
                               : json_object_get(at, *path);
    char *text = json_dumps(at, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    json_decref(chart);
}

#define ASSERT_CHART(naive, expected, ...) \
    assert_chart(naive, (const char *const[]){__VA_ARGS__, NULL}, expected)

/* Named rates in the order listed; the price alone is the rate `standard`. */
static void the_chart_has_named_rates(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->pools[3].rates = "[[\"full\",6000],[\"child\",2500]]";
    hall->pools[4].rates = "[[\"standard\",500]]";
    hall->pools[4].properties = "{\"pages\":32}";
    ASSERT_CHART(hall, "{\"full\":6000,\"child\":2500}", "sections", "0", "rates");
    ASSERT_CHART(hall, "{\"standard\":4500}", "sections", "1", "rates");
    ASSERT_CHART(hall,
                 "[{\"product\":\"programme\",\"name\":\"The programme\",\"capacity\":20,"
                 "\"rates\":{\"standard\":500},\"properties\":{\"pages\":32}}]",
                 "products");
    naive_close(hall);
}

/* A price for each night and rate; null where a night has no such rate, or is not on sale. */
static void the_chart_has_rates_by_night(void **state)
{
    (void)state;
    struct naive *hotel = naive_open_hotel();
    for (uint32_t i = 0; i < 30; i++)
        hotel->pools[i].price = 100 + i;
    hotel->pools[1].rates = hotel->pools[2].rates = "[[\"breakfast\",150],[\"standard\",120]]";
    hotel->pools[7].capacity = 0;
    json_t *chart = chart_of(hotel);
    json_t *doubles = json_array_get(json_object_get(chart, "rooms"), 0);
    json_t *rates = json_object_get(doubles, "rates");
    static const int64_t standard[] = {100, 120, 120, 103, -1, 105, 106, -1, 108};
    static const int64_t breakfast[] = {-1, 150, 150, -1, -1, -1, -1, -1, -1};
    assert_int_equal(json_object_size(rates), 2);
    assert_int_equal(json_array_size(json_object_get(rates, "standard")), 30);
    assert_int_equal(json_array_size(json_object_get(rates, "breakfast")), 30);
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        json_t *usual = json_array_get(json_object_get(rates, "standard"), i);
        json_t *other = json_array_get(json_object_get(rates, "breakfast"), i);
        assert_int_equal(json_is_null(usual) ? -1 : json_integer_value(usual), standard[i]);
        assert_int_equal(json_is_null(other) ? -1 : json_integer_value(other), breakfast[i]);
    }
    json_decref(chart);
    naive_close(hotel);
}

/* Rows of a plan: seats with names of their own, where they are, what they are like. */
static void the_chart_has_a_plan(void **state)
{
    (void)state;
    static const char *const names[] = {"p-1", "p-2", "p-3"};
    static const int32_t x[] = {-40, 0, 40};
    static const int32_t y[] = {5, 5, 6};
    static const uint32_t ends[] = {0, 2};
    static const uint32_t middle[] = {1};
    static const struct usher_row_feature features[] = {
        {.feature = "aisle", .seats = ends, .seat_count = 2},
        {.feature = "accessible", .seats = middle, .seat_count = 1},
    };
    static const int32_t ranks[] = {1, 2, 3};
    const struct usher_row rows[] = {
        {.row = "1", .seats = 2, .first = 9},
        {.row = "2",
         .seats = 3,
         .first = 1,
         .zone = "Parkett",
         .names = names,
         .ranks = ranks,
         .x = x,
         .y = y,
         .features = features,
         .feature_count = 2},
    };
    const struct usher_section section = {.section = "a", .rows = rows, .row_count = 2};
    struct naive *house = naive_open("show:plan", 1);
    naive_add_pool(house, USHER_SEATS, "a", 5);
    usher_chart_encode(&section, 1, &house->chart);
    ASSERT_CHART(house, "{\"row\":\"1\",\"at\":0,\"labels\":[\"1-9\",\"1-10\"]}", "sections", "0",
                 "rows", "0");
    ASSERT_CHART(house, "[\"p-1\",\"p-2\",\"p-3\"]", "sections", "0", "rows", "1", "labels");
    ASSERT_CHART(house, "2", "sections", "0", "rows", "1", "at");
    ASSERT_CHART(house, "\"Parkett\"", "sections", "0", "rows", "1", "zone");
    ASSERT_CHART(house, "[-40,0,40]", "sections", "0", "rows", "1", "x");
    ASSERT_CHART(house, "[5,5,6]", "sections", "0", "rows", "1", "y");
    ASSERT_CHART(house, "[1,3]", "sections", "0", "rows", "1", "features", "aisle");
    ASSERT_CHART(house, "[2]", "sections", "0", "rows", "1", "features", "accessible");
    naive_close(house);
}

/* 2,000 seats of a plan, with all that it may say of each, in less than 30 bytes a seat. */
static void the_chart_of_a_plan_stays_small(void **state)
{
    (void)state;
    struct usher_arena arena = {0};
    struct usher_row rows[50];
    for (uint32_t i = 0; i < 50; i++) {
        const char **names = usher_arena_alloc(&arena, 40 * sizeof *names);
        int32_t *places = usher_arena_alloc(&arena, 40 * sizeof *places);
        for (uint32_t seat = 0; seat < 40; seat++) {
            names[seat] = usher_arena_format(&arena, "parkett-%u-%u", i + 1, seat + 1);
            places[seat] = (int32_t)(40 * i + seat);
        }
        rows[i] = (struct usher_row){.row = "1",
                                     .seats = 40,
                                     .first = 1,
                                     .zone = "Parkett",
                                     .names = names,
                                     .x = places,
                                     .y = places};
    }
    const struct usher_section section = {.section = "a", .rows = rows, .row_count = 50};
    struct naive *house = naive_open("show:plan", 1);
    naive_add_pool(house, USHER_SEATS, "a", 2000);
    usher_chart_encode(&section, 1, &house->chart);
    struct loaded_resource loaded = naive_loaded(house, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    assert_true(whole->chart_size < (size_t)2000 * 30);
    display_update_free(whole);
    usher_arena_deinit(&arena);
    naive_close(house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chart_says_which_seat_is_which),
        cmocka_unit_test(the_chart_has_a_value_for_each_night),
        cmocka_unit_test(the_chart_has_named_rates),
        cmocka_unit_test(the_chart_has_rates_by_night),
        cmocka_unit_test(the_chart_has_a_plan),
        cmocka_unit_test(the_chart_of_a_plan_stays_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
