/* What dashboards read beside states and counts: the layout of the seats, and the catalogue. */
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "naive_display.h"
#include "tests/unit/unit.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"

/* The one text or the other, as JSON. */
static yyjson_doc *read_back(struct naive *naive, bool layout)
{
    struct usher_arena arena = {0};
    struct usher_buffer text = {0};
    struct loaded_resource loaded = naive_loaded(naive, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    if (layout)
        display_update_render_layout(whole, &text);
    else
        usher_buffer_append(&text, whole->catalogue_json, whole->catalogue_json_size);
    yyjson_doc *document = yyjson_read(text.at, text.size, YYJSON_READ_NOFLAG);
    display_update_free(whole);
    usher_buffer_deinit(&text);
    usher_arena_deinit(&arena);
    assert_non_null(document);
    return document;
}

static yyjson_doc *catalogue_of(struct naive *naive)
{
    return read_back(naive, false);
}

/* What is there at a path such as "sections", "0", "rows", as JSON. */
static void assert_at(struct naive *naive, bool layout, const char *const *path,
                      const char *expected)
{
    yyjson_doc *document = read_back(naive, layout);
    yyjson_val *at = yyjson_doc_get_root(document);
    for (; *path != NULL; path++)
        at = yyjson_is_arr(at) ? yyjson_arr_get(at, strtoul(*path, NULL, 10))
                               : yyjson_obj_get(at, *path);
    char *text = yyjson_val_write(at, YYJSON_WRITE_NOFLAG, NULL);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    yyjson_doc_free(document);
}

#define ASSERT_LAYOUT(naive, expected, ...) \
    assert_at(naive, true, (const char *const[]){__VA_ARGS__, NULL}, expected)
#define ASSERT_CATALOGUE(naive, expected, ...) \
    assert_at(naive, false, (const char *const[]){__VA_ARGS__, NULL}, expected)

static void the_layout_says_which_seat_is_which(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    ASSERT_LAYOUT(hall, "217", "seats");
    ASSERT_LAYOUT(hall, "\"stalls\"", "sections", "0", "section");
    ASSERT_LAYOUT(hall, "\"balcony\"", "sections", "1", "section");
    ASSERT_LAYOUT(hall, "{\"row\":\"E\",\"at\":214,\"labels\":[\"E-11\",\"E-12\",\"E-13\"]}",
                  "sections", "1", "rows", "1");
    naive_close(hall);
}

/* The layout is that of all shows with this chart: nothing that a show may change is in it. */
static void the_layout_is_a_function_of_the_chart(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive *other = naive_open("show:lear", 20);
    naive_add_pool(other, USHER_SEATS, "stalls", 144);
    naive_add_pool(other, USHER_SEATS, "balcony", 73);
    naive_add_pool(other, USHER_PRODUCT, "mug", 5);
    usher_buffer_append(&other->chart, hall->chart.at, hall->chart.size);
    other->chart_name = hall->chart_name;
    other->pools[0].price = 9900;
    yyjson_doc *left = read_back(hall, true), *right = read_back(other, true);
    assert_true(yyjson_equals(yyjson_doc_get_root(left), yyjson_doc_get_root(right)));
    yyjson_doc_free(left);
    yyjson_doc_free(right);
    naive_close(other);
    naive_close(hall);
}

/* Sections in the order of their seats, the others behind them; not the removed one. */
static void the_catalogue_says_what_is_sold(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->pools[0].overbook = 20;
    ASSERT_CATALOGUE(hall,
                     "[{\"section\":\"stalls\",\"at\":0,\"capacity\":144,"
                     "\"rates\":{\"standard\":4500}},"
                     "{\"section\":\"balcony\",\"at\":144,\"capacity\":73,"
                     "\"rates\":{\"standard\":4500}},"
                     "{\"section\":\"standing\",\"capacity\":300,\"overbook\":20,"
                     "\"rates\":{\"standard\":4500}}]",
                     "sections");
    naive_close(hall);
}

static void the_catalogue_has_a_value_for_each_night(void **state)
{
    (void)state;
    struct naive *hotel = naive_open_hotel();
    yyjson_doc *catalogue = catalogue_of(hotel);
    yyjson_val *rooms = yyjson_obj_get(yyjson_doc_get_root(catalogue), "rooms");
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
    yyjson_doc_free(catalogue);
    naive_close(hotel);
}

/* Named rates in the order listed; the price alone is the rate `standard`. */
static void the_catalogue_has_named_rates(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->pools[3].rates = "[[\"full\",6000],[\"child\",2500]]";
    hall->pools[4].rates = "[[\"standard\",500]]";
    hall->pools[4].properties = "{\"pages\":32}";
    ASSERT_CATALOGUE(hall, "{\"full\":6000,\"child\":2500}", "sections", "0", "rates");
    ASSERT_CATALOGUE(hall, "{\"standard\":4500}", "sections", "1", "rates");
    ASSERT_CATALOGUE(hall,
                     "[{\"product\":\"programme\",\"name\":\"The programme\",\"capacity\":20,"
                     "\"rates\":{\"standard\":500},\"properties\":{\"pages\":32}}]",
                     "products");
    naive_close(hall);
}

/* Nights in a row with the same stay restrictions are one entry; those without have none. */
static void the_catalogue_has_restrictions_by_dates(void **state)
{
    (void)state;
    struct naive *hotel = naive_open_hotel();
    hotel->pools[1].restrictions = hotel->pools[2].restrictions = hotel->pools[5].restrictions =
        "[{\"min_stay_arrival\":7},{\"rate\":\"standard\",\"stop_sell\":true}]";
    hotel->pools[6].restrictions = "[{\"closed_to_arrival\":true}]";
    yyjson_doc *catalogue = catalogue_of(hotel);
    yyjson_val *rooms = yyjson_obj_get(yyjson_doc_get_root(catalogue), "rooms");
    char *text =
        yyjson_val_write(yyjson_obj_get(yyjson_arr_get(rooms, 0), "restrictions"), 0, NULL);
    assert_string_equal(
        text, "[{\"from\":\"2024-10-05\",\"to\":\"2024-10-07\",\"rules\":[{\"min_stay_arrival\":7},"
              "{\"rate\":\"standard\",\"stop_sell\":true}]},{\"from\":\"2024-10-09\",\"to\":"
              "\"2024-10-10\",\"rules\":[{\"min_stay_arrival\":7},{\"rate\":\"standard\","
              "\"stop_sell\":true}]},{\"from\":\"2024-10-10\",\"to\":\"2024-10-11\",\"rules\":"
              "[{\"closed_to_arrival\":true}]}]");
    assert_null(yyjson_obj_get(yyjson_arr_get(rooms, 1), "restrictions"));
    free(text);
    yyjson_doc_free(catalogue);
    naive_close(hotel);
}

/* A price for each night and rate; null where a night has no such rate, or is not on sale. */
static void the_catalogue_has_rates_by_night(void **state)
{
    (void)state;
    struct naive *hotel = naive_open_hotel();
    for (uint32_t i = 0; i < 30; i++)
        hotel->pools[i].price = 100 + i;
    hotel->pools[1].rates = hotel->pools[2].rates = "[[\"breakfast\",150],[\"standard\",120]]";
    hotel->pools[7].capacity = 0;
    yyjson_doc *catalogue = catalogue_of(hotel);
    yyjson_val *doubles =
        yyjson_arr_get(yyjson_obj_get(yyjson_doc_get_root(catalogue), "rooms"), 0);
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
    yyjson_doc_free(catalogue);
    naive_close(hotel);
}

/* Rows of a plan: seats with names of their own, where they are, what they are like. */
static void the_layout_has_a_plan(void **state)
{
    (void)state;
    static const char *const names[] = {"p-1", "p-2", "p-3"};
    static const char *const numbers[] = {"1", "2", "2a"};
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
         .numbers = numbers,
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
    house->chart_name = "sha256:01";
    ASSERT_LAYOUT(house, "{\"row\":\"1\",\"at\":0,\"labels\":[\"1-9\",\"1-10\"]}", "sections", "0",
                  "rows", "0");
    ASSERT_LAYOUT(house, "[\"p-1\",\"p-2\",\"p-3\"]", "sections", "0", "rows", "1", "labels");
    ASSERT_LAYOUT(house, "[\"1\",\"2\",\"2a\"]", "sections", "0", "rows", "1", "numbers");
    ASSERT_LAYOUT(house, "2", "sections", "0", "rows", "1", "at");
    ASSERT_LAYOUT(house, "\"Parkett\"", "sections", "0", "rows", "1", "zone");
    ASSERT_LAYOUT(house, "[-40,0,40]", "sections", "0", "rows", "1", "x");
    ASSERT_LAYOUT(house, "[5,5,6]", "sections", "0", "rows", "1", "y");
    ASSERT_LAYOUT(house, "[1,3]", "sections", "0", "rows", "1", "features", "aisle");
    ASSERT_LAYOUT(house, "[2]", "sections", "0", "rows", "1", "features", "accessible");
    naive_close(house);
}

/* 2,000 seats of a plan, with all that it may say of each, in less than 30 bytes a seat. */
static void the_layout_of_a_plan_stays_small(void **state)
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
    house->chart_name = "sha256:01";
    struct loaded_resource loaded = naive_loaded(house, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    struct usher_buffer layout = {0};
    display_update_render_layout(whole, &layout);
    assert_true(layout.size < (size_t)2000 * 30);
    assert_true(whole->catalogue_json_size < 200);
    usher_buffer_deinit(&layout);
    display_update_free(whole);
    usher_arena_deinit(&arena);
    naive_close(house);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_layout_says_which_seat_is_which),
    cmocka_unit_test(the_layout_is_a_function_of_the_chart),
    cmocka_unit_test(the_catalogue_says_what_is_sold),
    cmocka_unit_test(the_catalogue_has_a_value_for_each_night),
    cmocka_unit_test(the_catalogue_has_named_rates),
    cmocka_unit_test(the_catalogue_has_rates_by_night),
    cmocka_unit_test(the_catalogue_has_restrictions_by_dates),
    cmocka_unit_test(the_layout_has_a_plan),
    cmocka_unit_test(the_layout_of_a_plan_stays_small),
};
UNIT_TESTS(test_display_catalogue, tests, NULL, NULL)
