/* The chart that dashboards read: sections, rows and seats, rooms by night, products, rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "naive_display.h"
#include "worker/display/display.h"
#include "worker/display/display_render.h"

static yyjson_doc *chart_of(struct naive *naive)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(naive, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    yyjson_doc *chart = yyjson_read(whole->chart, whole->chart_size, YYJSON_READ_NOFLAG);
    display_update_free(whole);
    usher_arena_deinit(&arena);
    assert_non_null(chart);
    return chart;
}

static void the_chart_says_which_seat_is_which(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    yyjson_doc *chart = chart_of(hall);
    yyjson_val *found = yyjson_obj_get(yyjson_doc_get_root(chart), "sections");
    assert_int_equal(yyjson_arr_size(found), 3); /* not the removed one */
    yyjson_val *balcony = yyjson_arr_get(found, 1);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(balcony, "section")), "balcony");
    yyjson_val *row = yyjson_arr_get(yyjson_obj_get(balcony, "rows"), 1);
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(row, "at")), 144 + 70);
    yyjson_val *labels = yyjson_obj_get(row, "labels");
    assert_int_equal(yyjson_arr_size(labels), 3);
    assert_string_equal(yyjson_get_str(yyjson_arr_get(labels, 2)), "E-13");
    yyjson_val *products = yyjson_obj_get(yyjson_doc_get_root(chart), "products");
    assert_int_equal(yyjson_arr_size(products), 1);
    yyjson_val *rates = yyjson_obj_get(yyjson_arr_get(products, 0), "rates");
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(rates, "standard")), 4500);
    yyjson_doc_free(chart);
    naive_close(hall);
}

static void the_chart_has_a_value_for_each_night(void **state)
{
    (void)state;
    struct naive *hotel = naive_open_hotel();
    yyjson_doc *chart = chart_of(hotel);
    yyjson_val *rooms = yyjson_obj_get(yyjson_doc_get_root(chart), "rooms");
    assert_int_equal(yyjson_arr_size(rooms), 2);
    yyjson_val *doubles = yyjson_arr_get(rooms, 0);
    char to[USHER_NIGHT_SIZE];
    usher_night_format(20030, to);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(doubles, "to")), to);
    yyjson_val *capacity = yyjson_obj_get(doubles, "capacity");
    assert_int_equal(yyjson_arr_size(capacity), 30);
    assert_true(yyjson_is_null(yyjson_arr_get(capacity, 4)));
    assert_int_equal(yyjson_get_sint(yyjson_arr_get(capacity, 5)), 6);
    yyjson_val *prices = yyjson_obj_get(yyjson_obj_get(doubles, "rates"), "standard");
    assert_int_equal(yyjson_arr_size(prices), 30);
    yyjson_doc_free(chart);
    naive_close(hotel);
}

/* What the chart has at a path such as "sections", "0", "rows", as JSON. */
static void assert_chart(struct naive *naive, const char *const *path, const char *expected)
{
    yyjson_doc *chart = chart_of(naive);
    yyjson_val *at = yyjson_doc_get_root(chart);
    for (; *path != NULL; path++)
        at = yyjson_is_arr(at) ? yyjson_arr_get(at, strtoul(*path, NULL, 10))
                               : yyjson_obj_get(at, *path);
    char *text = yyjson_val_write(at, YYJSON_WRITE_NOFLAG, NULL);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    yyjson_doc_free(chart);
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
    yyjson_doc *chart = chart_of(hotel);
    yyjson_val *doubles = yyjson_arr_get(yyjson_obj_get(yyjson_doc_get_root(chart), "rooms"), 0);
    yyjson_val *rates = yyjson_obj_get(doubles, "rates");
    static const int64_t standard[] = {100, 120, 120, 103, -1, 105, 106, -1, 108};
    static const int64_t breakfast[] = {-1, 150, 150, -1, -1, -1, -1, -1, -1};
    assert_int_equal(yyjson_obj_size(rates), 2);
    assert_int_equal(yyjson_arr_size(yyjson_obj_get(rates, "standard")), 30);
    assert_int_equal(yyjson_arr_size(yyjson_obj_get(rates, "breakfast")), 30);
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        yyjson_val *usual = yyjson_arr_get(yyjson_obj_get(rates, "standard"), i);
        yyjson_val *other = yyjson_arr_get(yyjson_obj_get(rates, "breakfast"), i);
        assert_int_equal(yyjson_is_null(usual) ? -1 : yyjson_get_sint(usual), standard[i]);
        assert_int_equal(yyjson_is_null(other) ? -1 : yyjson_get_sint(other), breakfast[i]);
    }
    yyjson_doc_free(chart);
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
