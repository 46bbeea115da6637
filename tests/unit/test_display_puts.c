/* What the display puts and when: messages, intervals, evictions, new catalogues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "naive_display.h"
#include "worker/display/display.h"
#include "worker/display/display_picture.h"
#include "worker/display/display_render.h"

static void what_does_not_change_is_not_put(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    assert_null(naive_next(display, 1000));
    assert_int_equal(display_wait_ms(display, 1000), -1);
    display_close(display);
    naive_close(hall);
}

static void the_hash_says_when_it_is_sold(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    struct display_update *update = naive_next(display, 1000);
    assert_string_equal(update_field(update, "opens_at"), "");
    assert_string_equal(update_field(update, "closes_at"), "");
    naive_acknowledge(display, update);
    hall->starts_ms = 2000;
    hall->opens_ms = 1000;
    hall->closes_ms = 1500;
    hall->rev++;
    struct changes changes = {0};
    changes_end(&changes, hall, true);
    changes_apply(&changes, display);
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(hall, &arena);
    (void)display_drawn(display, &loaded, NULL);
    update = naive_next(display, 1050);
    assert_string_equal(update_field(update, "starts_at"), "1970-01-01T00:00:02.000Z");
    assert_string_equal(update_field(update, "opens_at"), "1970-01-01T00:00:01.000Z");
    assert_string_equal(update_field(update, "closes_at"), "1970-01-01T00:00:01.500Z");
    display_update_free(update);
    display_close(display);
    usher_arena_deinit(&arena);
    naive_close(hall);
}

/* What is drawn later is what it was when it was put, also when the resource is no longer known. */
static void a_whole_picture_may_be_drawn_later(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    struct usher_arena arena = {0};
    struct loaded_resource then = naive_loaded(hall, &arena);
    struct display_update *expected = display_whole(&then, NAIVE_PARTITION, NAIVE_EPOCH, 1000);
    struct display_update *update = display_next(display, 1000);
    assert_non_null(update->undrawn);
    size_t size = update->size;
    naive_hold(display, hall, 3, 1, 4);
    naive_hold(display, hall, 0, 1, 4);
    display_close(display);
    display_update_draw(update);
    display_update_draw(update); /* a second time changes nothing */
    assert_null(update->undrawn);
    assert_int_equal(update->seat_count, expected->seat_count);
    assert_memory_equal(update->seats, expected->seats, expected->seat_count);
    assert_string_equal(update->message, expected->message);
    assert_string_equal(update->catalogue_json, expected->catalogue_json);
    assert_string_equal(update->overview, expected->overview);
    assert_int_equal(update->field_count, expected->field_count);
    for (uint32_t i = 0; i < expected->field_count; i++)
        assert_string_equal(update->fields[i].value, expected->fields[i].value);
    assert_int_equal(update->pool_count, expected->pool_count);
    for (uint32_t i = 0; i < expected->pool_count; i++)
        assert_string_equal(update->pools[i].value, expected->pools[i].value);
    /* The bound of a queue was told about right. */
    size_t text_size = update->catalogue_json_size + update->seat_count;
    assert_true(size > text_size && size < 8 * text_size);
    display_update_free(update);
    display_update_free(expected);
    usher_arena_deinit(&arena);
    naive_close(hall);
}

/* The queue may be given up before anybody draws. */
static void a_whole_picture_may_be_dropped(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    naive_acknowledge(display, display_next(display, 1000));
    naive_hold(display, hall, 3, 1, 1);
    display_suspend(display);
    display_resume(display);
    display_put_back(display, display_next(display, 1050));
    display_close(display);
    naive_close(hall);
}

static void a_resource_is_put_once_in_fifty_milliseconds(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    assert_int_equal(display_wait_ms(display, 1000), 0);
    naive_acknowledge(display, naive_next(display, 1000));
    assert_int_equal(display_wait_ms(display, 1000), -1);
    naive_hold(display, hall, 3, 1, 1);
    naive_hold(display, hall, 3, 2, 1);
    assert_null(naive_next(display, 1049));
    assert_int_equal(display_wait_ms(display, 1020), 30);
    struct display_update *update = naive_next(display, 1050);
    assert_int_equal(update->from, 11);
    assert_int_equal(update->rev, 13);
    assert_int_equal(update->patch_count, 1);
    display_update_free(update);
    display_close(display);
    naive_close(hall);
}

static uint32_t put_all(struct display *display, int64_t now_ms)
{
    uint32_t count = 0;
    for (struct display_update *update; (update = naive_next(display, now_ms)) != NULL; count++)
        naive_acknowledge(display, update);
    return count;
}

static void what_changes_with_many_others_rests_longer(void **state)
{
    (void)state;
    enum {
        MANY = 20 * DISPLAY_INTERVAL_MS * DISPLAY_PUTS_PER_MS
    };
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_open();
    for (hall->no = 1; hall->no <= MANY; hall->no++) {
        naive_load(hall, display);
        naive_hold(display, hall, 3, 0, 1);
        hall->units[3][0] = BOOKING_NONE;
    }
    hall->no = MANY;
    assert_int_equal(put_all(display, 1000), MANY);
    naive_hold(display, hall, 3, 1, 1);
    int64_t wait_ms = display_wait_ms(display, 1000);
    assert_in_range(wait_ms, 19 * DISPLAY_INTERVAL_MS, 20 * DISPLAY_INTERVAL_MS);
    assert_int_equal(put_all(display, 1000 + wait_ms - 1), 0);
    assert_int_equal(put_all(display, 1000 + wait_ms), 1);
    display_close(display);
    naive_close(hall);
}

static void what_is_hastened_does_not_rest(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    assert_int_equal(put_all(display, 1000), 1);
    naive_hold(display, hall, 3, 1, 1);
    assert_int_equal(put_all(display, 1000), 0);
    display_hasten(display);
    assert_int_equal(display_wait_ms(display, 1000), 0);
    assert_int_equal(put_all(display, 1000), 1);
    assert_int_equal(display_wait_ms(display, 1000), -1);
    display_reset(display, NAIVE_EPOCH + 1, 0);
    display_resume(display);
    naive_load(hall, display);
    naive_hold(display, hall, 3, 2, 1);
    assert_int_equal(put_all(display, 1000), 1);
    naive_hold(display, hall, 3, 3, 1);
    assert_int_equal(put_all(display, 1000), 0);
    display_close(display);
    naive_close(hall);
}

/* The cache had no room: it is asked again soon, but not all the time. */
static void what_was_put_back_waits_a_little(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    display_put_back(display, naive_next(display, 1000));
    assert_in_range(display_wait_ms(display, 1000), 1, 10);
    assert_int_equal(put_all(display, 1000), 1);
    display_close(display);
    naive_close(hall);
}

static void an_evicted_resource_is_put_first(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    naive_acknowledge(display, naive_next(display, 1000));
    naive_hold(display, hall, 3, 1, 1);
    display_forget(display, hall->no);
    struct display_update *update = naive_next(display, 1050);
    assert_non_null(update);
    assert_int_equal(update->rev, hall->rev);
    naive_acknowledge(display, update);
    assert_null(naive_next(display, 2000));
    display_close(display);
    naive_close(hall);
}

static void a_reset_forgets_what_was_not_put(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    display_put_back(display, naive_next(display, 1000));
    naive_hold(display, hall, 3, 1, 1);
    display_reset(display, NAIVE_EPOCH + 1, 0);
    display_resume(display);
    assert_null(naive_next(display, 2000));
    assert_int_equal(display_wait_ms(display, 2000), -1);
    display_close(display);
    naive_close(hall);
}

/* A product was added and held at once: the old picture has no place for it. */
static void a_changed_catalogue_is_put_whole(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 3, 0, 1);
    naive_acknowledge(display, naive_next(display, 1000));
    struct changes changes = {0};
    naive_add_pool(hall, USHER_PRODUCT, "poster", 5);
    changes_move(&changes, hall, 5, 4, BOOKING_HELD);
    hall->rev++;
    hall->state = USHER_DRAFT;
    changes_end(&changes, hall, true);
    changes_apply(&changes, display);
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(hall, &arena);
    (void)display_drawn(display, &loaded, NULL);
    struct display_update *update = naive_next(display, 1050);
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

/* Of what is counted, a batch tells how many are taken, not which. */
static void what_is_counted_is_shown_by_its_counters(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->units[0][0] = BOOKING_BLOCKED;
    struct display *display = naive_display_with(hall);
    naive_hold(display, hall, 0, 1, 3);
    struct display_update *update = naive_next(display, 1000);
    assert_string_equal("296/300/3/0/1", update_pool(update, "standing"));
    assert_string_equal("1", update_field(update, "blocked"));
    naive_acknowledge(display, update);

    struct pool_move move = {.resource_no = hall->no, .taken = {.held = 1, .sold = 299}};
    struct resource_change change = {.resource_no = hall->no, .rev = hall->rev + 1};
    const struct batch batch = {.pool_moves = &move,
                                .pool_move_count = 1,
                                .resource_changes = &change,
                                .resource_change_count = 1};
    display_apply(display, &batch);
    update = naive_next(display, 2000);
    assert_int_equal(1, update->pool_count);
    assert_string_equal("0/300/1/299/0", update_pool(update, "standing"));
    assert_string_equal("1", update_field(update, "held"));
    assert_string_equal("299", update_field(update, "sold"));
    assert_string_equal("0", update_field(update, "blocked"));
    assert_int_equal(0, update->patch_count);
    display_update_free(update);
    display_close(display);
    naive_close(hall);
}

/* More seats than a message takes: it says "reload", the cache still gets the change. */
static void a_long_message_says_reload(void **state)
{
    (void)state;
    static const char *const names[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I"};
    struct usher_row rows[9];
    for (uint32_t i = 0; i < 9; i++)
        rows[i] = (struct usher_row){.row = names[i], .seats = 10000, .first = 1};
    const struct usher_section section = {.section = "field", .rows = rows, .row_count = 9};
    struct naive *field = naive_open("show:field", 1);
    naive_add_pool(field, USHER_SEATS, "field", 90000);
    usher_chart_encode(&section, 1, &field->chart);
    field->chart_name = "sha256:00";
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(field, &arena);
    struct display *display = naive_display_open();
    loaded.unit_count = 0;
    display_load(display, &loaded, NULL);
    struct unit_change *units = usher_arena_alloc(&arena, 40000 * sizeof *units);
    struct resource_change change = {.resource_no = field->no, .rev = 2};
    struct batch batch = {.resource_changes = &change, .resource_change_count = 1};
    display_apply(display, &batch);
    naive_acknowledge(display, naive_next(display, 1000));
    for (int32_t i = 0; i < 40000; i++) {
        units[i] = (struct unit_change){.resource_no = field->no,
                                        .unit = i < 20000 ? i : 3 * i - 40000,
                                        .to = BOOKING_CONFIRMED};
    }
    change.rev = 3;
    batch.unit_changes = units;
    batch.unit_change_count = 40000;
    display_apply(display, &batch);
    struct display_update *update = naive_next(display, 2000);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_change_is_not_put),
        cmocka_unit_test(the_hash_says_when_it_is_sold),
        cmocka_unit_test(a_whole_picture_may_be_drawn_later),
        cmocka_unit_test(a_whole_picture_may_be_dropped),
        cmocka_unit_test(a_resource_is_put_once_in_fifty_milliseconds),
        cmocka_unit_test(what_changes_with_many_others_rests_longer),
        cmocka_unit_test(what_is_hastened_does_not_rest),
        cmocka_unit_test(what_was_put_back_waits_a_little),
        cmocka_unit_test(an_evicted_resource_is_put_first),
        cmocka_unit_test(a_reset_forgets_what_was_not_put),
        cmocka_unit_test(a_changed_catalogue_is_put_whole),
        cmocka_unit_test(what_is_counted_is_shown_by_its_counters),
        cmocka_unit_test(a_long_message_says_reload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
