/* What the display puts and when: messages, intervals, evictions, new catalogues. */
#include <stdlib.h>
#include <string.h>

#include "naive_display.h"
#include "tests/unit/unit.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_state.h"

static void what_does_not_change_is_not_put(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    assert_null(naive_next(shown, 1000));
    assert_int_equal(display_wait_ms(shown->display, 1000), -1);
    naive_display_close(shown);
    naive_close(hall);
}

static void the_hash_says_when_it_is_sold(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    struct display_update *update = naive_next(shown, 1000);
    assert_string_equal(update_field(update, "opens_at"), "");
    assert_string_equal(update_field(update, "closes_at"), "");
    naive_acknowledge(shown, update);
    hall->starts_ms = 2000;
    hall->opens_ms = 1000;
    hall->closes_ms = 1500;
    hall->rev++;
    struct changes changes = {0};
    changes_end(&changes, hall, true);
    changes_apply(&changes, shown);
    update = naive_next(shown, 1050);
    assert_string_equal(update_field(update, "starts_at"), "1970-01-01T00:00:02.000Z");
    assert_string_equal(update_field(update, "opens_at"), "1970-01-01T00:00:01.000Z");
    assert_string_equal(update_field(update, "closes_at"), "1970-01-01T00:00:01.500Z");
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

/* What is written out later is what was drawn, also when the resource is no longer known. */
static void a_snapshot_may_be_rendered_later(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    struct usher_arena arena = {0};
    struct loaded_resource then = naive_loaded(hall, &arena);
    struct display_update *expected = display_whole(&then, NAIVE_PARTITION, NAIVE_EPOCH, 1000);
    struct display_update *update = display_next(shown->display, 1000);
    display_taken(shown->display);
    assert_non_null(update->snapshot);
    size_t size = update->size;
    naive_hold(shown, hall, 3, 1, 4);
    naive_hold(shown, hall, 0, 1, 4);
    naive_display_close(shown);
    display_update_render(update);
    display_update_render(update); /* a second time changes nothing */
    assert_null(update->snapshot);
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

/* The queue may be given up before anybody writes it out. */
static void a_snapshot_may_be_dropped(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    naive_acknowledge(shown, naive_next(shown, 1000));
    naive_hold(shown, hall, 3, 1, 1);
    display_suspend(shown->display);
    display_resume(shown->display);
    assert_non_null(display_next(shown->display, 1050));
    naive_display_close(shown);
    naive_close(hall);
}

static void a_resource_is_put_once_in_fifty_milliseconds(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    assert_int_equal(display_wait_ms(shown->display, 1000), 0);
    naive_acknowledge(shown, naive_next(shown, 1000));
    assert_int_equal(display_wait_ms(shown->display, 1000), -1);
    naive_hold(shown, hall, 3, 1, 1);
    naive_hold(shown, hall, 3, 2, 1);
    assert_null(naive_next(shown, 1049));
    assert_int_equal(display_wait_ms(shown->display, 1020), 30);
    struct display_update *update = naive_next(shown, 1050);
    assert_int_equal(update->from, 11);
    assert_int_equal(update->rev, 13);
    assert_int_equal(update->patch_count, 1);
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

static uint32_t put_all(struct naive_display *shown, int64_t now_ms)
{
    uint32_t count = 0;
    for (struct display_update *update; (update = naive_next(shown, now_ms)) != NULL; count++)
        naive_acknowledge(shown, update);
    return count;
}

static void many_changes_are_throttled_longer(void **state)
{
    (void)state;
    enum {
        MANY = 20 * DISPLAY_INTERVAL_MS * DISPLAY_PUTS_PER_MS
    };
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_open();
    for (hall->no = 1; hall->no <= MANY; hall->no++) {
        naive_load(hall, shown);
        naive_hold(shown, hall, 3, 0, 1);
        hall->units[3][0] = BOOKING_NONE;
    }
    hall->no = MANY;
    assert_int_equal(put_all(shown, 1000), MANY);
    naive_hold(shown, hall, 3, 1, 1);
    int64_t wait_ms = display_wait_ms(shown->display, 1000);
    assert_in_range(wait_ms, 19 * DISPLAY_INTERVAL_MS, 20 * DISPLAY_INTERVAL_MS);
    assert_int_equal(put_all(shown, 1000 + wait_ms - 1), 0);
    assert_int_equal(put_all(shown, 1000 + wait_ms), 1);
    naive_display_close(shown);
    naive_close(hall);
}

static void a_flush_ignores_the_throttle(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    assert_int_equal(put_all(shown, 1000), 1);
    naive_hold(shown, hall, 3, 1, 1);
    assert_int_equal(put_all(shown, 1000), 0);
    display_flush(shown->display);
    assert_int_equal(display_wait_ms(shown->display, 1000), 0);
    assert_int_equal(put_all(shown, 1000), 1);
    assert_int_equal(display_wait_ms(shown->display, 1000), -1);
    naive_restart(shown);
    naive_load(hall, shown);
    naive_hold(shown, hall, 3, 2, 1);
    assert_int_equal(put_all(shown, 1000), 1);
    naive_hold(shown, hall, 3, 3, 1);
    assert_int_equal(put_all(shown, 1000), 0);
    naive_display_close(shown);
    naive_close(hall);
}

/* The cache had no room: it is asked again soon, but not all the time. */
static void requeued_updates_wait_a_little(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    assert_non_null(display_next(shown->display, 1000));
    display_held_back(shown->display);
    assert_in_range(display_wait_ms(shown->display, 1000), 1, 10);
    assert_int_equal(put_all(shown, 1000), 1);
    naive_display_close(shown);
    naive_close(hall);
}

static void an_evicted_resource_is_put_first(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    naive_acknowledge(shown, naive_next(shown, 1000));
    naive_hold(shown, hall, 3, 1, 1);
    naive_evict(hall, shown);
    struct display_update *update = naive_next(shown, 1050);
    assert_non_null(update);
    assert_int_equal(update->rev, hall->rev);
    naive_acknowledge(shown, update);
    assert_null(naive_next(shown, 2000));
    naive_display_close(shown);
    naive_close(hall);
}

static void a_reset_forgets_what_was_not_put(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    assert_non_null(display_next(shown->display, 1000));
    naive_hold(shown, hall, 3, 1, 1);
    naive_restart(shown);
    assert_null(naive_next(shown, 2000));
    assert_int_equal(display_wait_ms(shown->display, 2000), -1);
    naive_display_close(shown);
    naive_close(hall);
}

/* A product was added and held at once: the old snapshot has no place for it. */
static void a_changed_catalogue_is_put_whole(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 3, 0, 1);
    naive_acknowledge(shown, naive_next(shown, 1000));
    struct changes changes = {0};
    naive_add_pool(hall, USHER_PRODUCT, "poster", 5);
    changes_move(&changes, hall, 5, 4, BOOKING_HELD);
    hall->rev++;
    hall->state = USHER_DRAFT;
    changes_end(&changes, hall, true);
    changes_apply(&changes, shown);
    struct display_update *update = naive_next(shown, 1050);
    assert_int_equal(update->from, 0);
    assert_false(update->listed);
    struct reader reader = {0};
    assert_true(reader_apply(&reader, update));
    reader_assert_shows(&reader, hall);
    reader_clear(&reader);
    display_update_free(update);
    naive_display_close(shown);
    naive_close(hall);
}

/* Of what is counted is shown how many are taken, not which. */
static void what_is_counted_is_shown_by_its_counters(void **state)
{
    (void)state;
    struct naive *hall = naive_open_hall();
    hall->units[0][0] = BOOKING_BLOCKED;
    struct naive_display *shown = naive_display_with(hall);
    naive_hold(shown, hall, 0, 1, 3);
    struct display_update *update = naive_next(shown, 1000);
    assert_string_equal("296/300/3/0/1", update_pool(update, "standing"));
    assert_string_equal("1", update_field(update, "blocked"));
    naive_acknowledge(shown, update);

    struct changes changes = {0};
    changes_move(&changes, hall, 0, 0, BOOKING_NONE);
    for (uint32_t unit = 2; unit < 300; unit++)
        changes_move(&changes, hall, 0, unit, BOOKING_CONFIRMED);
    hall->rev++;
    changes_end(&changes, hall, false);
    changes_apply(&changes, shown);
    update = naive_next(shown, 2000);
    assert_int_equal(1, update->pool_count);
    assert_string_equal("1/300/1/298/0", update_pool(update, "standing"));
    assert_string_equal("1", update_field(update, "held"));
    assert_string_equal("298", update_field(update, "sold"));
    assert_string_equal("0", update_field(update, "blocked"));
    assert_int_equal(0, update->patch_count);
    display_update_free(update);
    naive_display_close(shown);
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
    struct naive_display *shown = naive_display_with(field);
    naive_hold(shown, field, 0, 0, 0);
    naive_acknowledge(shown, naive_next(shown, 1000));
    struct resource *resource = inventory_peek(shown->inventory, field->no);
    for (int32_t i = 0; i < 40000; i++) {
        int32_t seat = i < 20000 ? i : 3 * i - 40000;
        resource_take(resource, 0, &seat, 1, BOOKING_CONFIRMED);
        resource_note_unit(resource, 0, (uint32_t)seat);
    }
    naive_hold(shown, field, 0, 0, 0);
    struct display_update *update = naive_next(shown, 2000);
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
    naive_display_close(shown);
    naive_close(field);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_does_not_change_is_not_put),
    cmocka_unit_test(the_hash_says_when_it_is_sold),
    cmocka_unit_test(a_snapshot_may_be_rendered_later),
    cmocka_unit_test(a_snapshot_may_be_dropped),
    cmocka_unit_test(a_resource_is_put_once_in_fifty_milliseconds),
    cmocka_unit_test(many_changes_are_throttled_longer),
    cmocka_unit_test(a_flush_ignores_the_throttle),
    cmocka_unit_test(requeued_updates_wait_a_little),
    cmocka_unit_test(an_evicted_resource_is_put_first),
    cmocka_unit_test(a_reset_forgets_what_was_not_put),
    cmocka_unit_test(a_changed_catalogue_is_put_whole),
    cmocka_unit_test(what_is_counted_is_shown_by_its_counters),
    cmocka_unit_test(a_long_message_says_reload),
};
UNIT_TESTS(test_display_puts, tests, NULL, NULL)
