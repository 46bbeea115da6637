/* What the display puts and when: messages, intervals, evictions, new catalogues, charts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "display.h"
#include "display_picture.h"
#include "naive_display.h"

static struct display *display_with(struct naive *naive)
{
    struct display *display = display_open(NAIVE_PARTITION);
    display_reset(display, NAIVE_EPOCH);
    naive_load(naive, display);
    return display;
}

static void hold(struct display *display, struct naive *naive, uint32_t pool, uint32_t first,
                 uint32_t count)
{
    struct changes changes = {0};
    for (uint32_t i = 0; i < count; i++)
        changes_move(&changes, naive, pool, first + i, BOOKING_HELD);
    naive->rev++;
    changes_end(&changes, naive, false);
    changes_apply(&changes, display);
}

static struct display_update *next(struct display *display, int64_t now_ms)
{
    return display_next(display, 0, now_ms);
}

static void what_does_not_change_is_not_put(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = display_with(hall);
    assert_null(next(display, 1000));
    assert_int_equal(display_wait_ms(display, 1000), -1);
    display_close(display);
    naive_close(hall);
}

static void a_message_is_as_the_contract_has_it(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = display_with(hall);
    hold(display, hall, 3, 0, 1);
    struct display_update *update = next(display, 1000);
    assert_string_equal(update->message,
                        "{\"epoch\":7,\"rev\":11,\"from\":0,\"state\":\"open\",\"free\":536,"
                        "\"held\":1,\"sold\":0,\"blocked\":0,\"reload\":true}");
    display_update_free(update);
    hold(display, hall, 3, 11, 2);
    update = next(display, 1050);
    assert_string_equal(update->message,
                        "{\"epoch\":7,\"rev\":12,\"from\":11,\"state\":\"open\",\"free\":534,"
                        "\"held\":3,\"sold\":0,\"blocked\":0,\"seats\":[[11,\"hh\"]],"
                        "\"pools\":{\"stalls\":\"141/144/3/0\"}}");
    assert_int_equal(update->message_size, strlen(update->message));
    display_update_free(update);
    display_close(display);
    naive_close(hall);
}

static void a_resource_is_put_once_in_fifty_milliseconds(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = display_with(hall);
    hold(display, hall, 3, 0, 1);
    assert_int_equal(display_wait_ms(display, 1000), 0);
    display_update_free(next(display, 1000));
    assert_int_equal(display_wait_ms(display, 1000), -1);
    hold(display, hall, 3, 1, 1);
    hold(display, hall, 3, 2, 1);
    assert_null(next(display, 1049));
    assert_int_equal(display_wait_ms(display, 1020), 30);
    struct display_update *update = next(display, 1050);
    assert_int_equal(update->from, 11);
    assert_int_equal(update->rev, 13);
    assert_int_equal(update->patch_count, 1);
    display_update_free(update);
    display_close(display);
    naive_close(hall);
}

static void an_evicted_resource_is_put_first(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = display_with(hall);
    hold(display, hall, 3, 0, 1);
    display_update_free(next(display, 1000));
    hold(display, hall, 3, 1, 1);
    display_forget(display, hall->no);
    struct display_update *update = next(display, 1050);
    assert_non_null(update);
    assert_int_equal(update->rev, hall->rev);
    display_update_free(update);
    assert_null(next(display, 2000));
    display_close(display);
    naive_close(hall);
}

static void a_reset_forgets_what_was_not_put(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = display_with(hall);
    hold(display, hall, 3, 0, 1);
    display_put_back(display, next(display, 1000));
    hold(display, hall, 3, 1, 1);
    display_reset(display, NAIVE_EPOCH + 1);
    assert_null(next(display, 2000));
    assert_int_equal(display_wait_ms(display, 2000), -1);
    display_close(display);
    naive_close(hall);
}

/* A product was added and held at once: the old picture has no place for it. */
static void a_changed_catalogue_is_put_whole(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = display_with(hall);
    hold(display, hall, 3, 0, 1);
    display_update_free(next(display, 1000));
    struct changes changes = {0};
    naive_add_pool(hall, USHER_PRODUCT, "poster", 5);
    changes_move(&changes, hall, 5, 4, BOOKING_HELD);
    hall->rev++;
    hall->state = USHER_DRAFT;
    changes_end(&changes, hall, true);
    changes_apply(&changes, display);
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(hall, &arena);
    display_drawn(display, &loaded);
    struct display_update *update = next(display, 1050);
    assert_int_equal(update->from, 0);
    assert_false(update->listed);
    struct reader reader = {0};
    assert_true(reader_apply(&reader, update));
    reader_assert_shows(&reader, hall);
    reader_clear(&reader);
    display_update_free(update);
    display_close(display);
    usher_arena_deinit(&arena);
    naive_close(hall);
}

/* More seats than a message takes: it says "reload", the cache still gets the change. */
static void a_long_message_says_reload(void **state)
{
    (void)state;
    static const struct usher_row rows[] = {{"A", 10000, 1}, {"B", 10000, 1}, {"C", 10000, 1},
                                            {"D", 10000, 1}, {"E", 10000, 1}, {"F", 10000, 1},
                                            {"G", 10000, 1}, {"H", 10000, 1}, {"I", 10000, 1}};
    static const struct usher_section section = {.section = "field", .rows = rows, .row_count = 9};
    struct naive *field = calloc(1, sizeof *field);
    field->id = "show:field";
    field->no = row_number(NAIVE_PARTITION, 1);
    field->rev = 1;
    field->state = USHER_OPEN;
    naive_add_pool(field, USHER_SEATS, "field", 90000);
    usher_chart_encode(&section, 1, &field->chart);
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(field, &arena);
    struct display *display = display_open(NAIVE_PARTITION);
    display_reset(display, NAIVE_EPOCH);
    loaded.unit_count = 0;
    display_load(display, &loaded);
    struct unit_change *units = usher_arena_alloc(&arena, 40000 * sizeof *units);
    struct resource_change change = {.resource_no = field->no, .rev = 2};
    struct batch batch = {.resource_changes = &change, .resource_change_count = 1};
    display_apply(display, &batch);
    display_update_free(next(display, 1000));
    for (int32_t i = 0; i < 40000; i++) {
        units[i] = (struct unit_change){.resource_no = field->no,
                                        .unit = i < 20000 ? i : 3 * i - 40000,
                                        .to = BOOKING_CONFIRMED};
    }
    change.rev = 3;
    batch.unit_changes = units;
    batch.unit_change_count = 40000;
    display_apply(display, &batch);
    struct display_update *update = next(display, 2000);
    assert_int_equal(update->from, 2);
    assert_non_null(strstr(update->message, ",\"reload\":true}"));
    assert_null(strstr(update->message, "seats"));
    uint32_t covered = 0;
    for (uint32_t i = 0; i < update->patch_count; i++)
        covered += update->patches[i].size;
    assert_true(update->patch_count <= 256);
    assert_int_equal(covered, 20000 + 3 * 20000 - 2);
    assert_int_equal(update->patches[0].text[20000], 's');
    display_update_free(update);
    display_close(display);
    usher_arena_deinit(&arena);
    naive_close(field);
}

/* ---- the chart ---- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_change_is_not_put),
        cmocka_unit_test(a_message_is_as_the_contract_has_it),
        cmocka_unit_test(a_resource_is_put_once_in_fifty_milliseconds),
        cmocka_unit_test(an_evicted_resource_is_put_first),
        cmocka_unit_test(a_reset_forgets_what_was_not_put),
        cmocka_unit_test(a_changed_catalogue_is_put_whole),
        cmocka_unit_test(a_long_message_says_reload),
        cmocka_unit_test(the_chart_says_which_seat_is_which),
        cmocka_unit_test(the_chart_has_a_value_for_each_night),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
