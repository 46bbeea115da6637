/*
 * Naive resources, and a reader of updates.
 */
#include "naive_display.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* ---- the naive side: what the database would say ---- */

static const struct usher_row stalls_rows[] = {{"A", 5, 1}, {"B", 9, 2}, {"C", 130, 1}};
static const struct usher_row balcony_rows[] = {{"D", 70, 1}, {"E", 3, 11}};
static const struct usher_section sections[] = {
    {.section = "stalls", .rows = stalls_rows, .row_count = 3},
    {.section = "balcony", .rows = balcony_rows, .row_count = 2},
};

void naive_add_pool(struct naive *naive, enum usher_kind kind, const char *name, uint32_t capacity)
{
    struct pool_row *pool = &naive->pools[naive->pool_count];
    *pool = (struct pool_row){.no = naive->pool_count + 1,
                              .index = naive->pool_count,
                              .kind = kind,
                              .name = name,
                              .night = NIGHT_NONE,
                              .capacity = capacity,
                              .price = 4500};
    naive->pool_count++;
}

/* The pools of a hall do not stand in the chart's order, and one was removed. */
struct naive *naive_open_hall(void)
{
    struct naive *hall = calloc(1, sizeof *hall);
    hall->id = "show:hamlet";
    hall->no = row_number(NAIVE_PARTITION, 10);
    hall->rev = 10;
    hall->state = USHER_OPEN;
    naive_add_pool(hall, USHER_SECTION, "standing", 300);
    naive_add_pool(hall, USHER_SEATS, "balcony", 73);
    naive_add_pool(hall, USHER_SECTION, "boxes", 0);
    naive_add_pool(hall, USHER_SEATS, "stalls", 144);
    naive_add_pool(hall, USHER_PRODUCT, "programme", 20);
    hall->pools[4].title = "The programme";
    usher_chart_encode(sections, 2, &hall->chart);
    hall->chart_name = "sha256:00";
    return hall;
}

struct naive *naive_open_hotel(void)
{
    struct naive *hotel = calloc(1, sizeof *hotel);
    hotel->id = "hotel:mk";
    hotel->no = row_number(NAIVE_PARTITION, 11);
    hotel->rev = 11;
    hotel->state = USHER_OPEN;
    for (int32_t i = 0; i < 40; i++) {
        naive_add_pool(hotel, USHER_ROOM, i < 30 ? "double" : "single", 6);
        hotel->pools[i].night = 20000 + (i < 30 ? i : i - 30);
    }
    hotel->pools[4].capacity = 0; /* a night that was taken off sale */
    return hotel;
}

void naive_close(struct naive *naive)
{
    usher_buffer_deinit(&naive->chart);
    free(naive);
}

/* Lives in the arena. */
struct loaded_resource naive_loaded(struct naive *naive, struct usher_arena *arena)
{
    struct loaded_resource loaded = {
        .row = {.no = naive->no,
                .id = naive->id,
                .state = naive->state,
                .name = "Name of it",
                .starts_ms = USHER_ABSENT,
                .ends_ms = USHER_ABSENT,
                .hold_ttl_s = USHER_ABSENT,
                .currency = "GBP",
                .rev = naive->rev,
                .chart = naive->chart_name},
        .chart = {.name = naive->chart_name,
                  .content = naive->chart.at,
                  .content_size = naive->chart.size},
        .pools = naive->pools,
        .pool_count = naive->pool_count,
    };
    loaded.units =
        usher_arena_alloc(arena, sizeof(struct loaded_unit) * NAIVE_POOLS_MAX * NAIVE_UNITS_MAX);
    for (uint32_t pool = 0; pool < naive->pool_count; pool++) {
        for (uint32_t unit = 0; unit < naive->pools[pool].capacity && unit < NAIVE_UNITS_MAX;
             unit++) {
            if (naive->units[pool][unit] != BOOKING_NONE) {
                loaded.units[loaded.unit_count++] = (struct loaded_unit){
                    .pool = pool, .unit = (int32_t)unit, .state = naive->units[pool][unit]};
            }
        }
    }
    return loaded;
}

void naive_load(struct naive *naive, struct display *display)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(naive, &arena);
    display_load(display, &loaded);
    usher_arena_deinit(&arena);
}

/* ---- batches ---- */

void changes_move(struct changes *changes, struct naive *naive, uint32_t pool, uint32_t unit,
                  enum booking_state to)
{
    enum booking_state from = naive->units[pool][unit];
    if (from == to || changes->unit_count == NAIVE_CHANGES_MAX)
        return;
    naive->units[pool][unit] = to;
    changes->units[changes->unit_count++] = (struct unit_change){
        .resource_no = naive->no, .pool = pool, .unit = (int32_t)unit, .from = from, .to = to};
}

void changes_end(struct changes *changes, const struct naive *naive, bool redraw)
{
    changes->resources[changes->resource_count++] =
        (struct resource_change){.resource_no = naive->no, .rev = naive->rev, .redraw = redraw};
}

void changes_apply(const struct changes *changes, struct display *display)
{
    struct changes copy = *changes;
    const struct batch batch = {.unit_changes = copy.units,
                                .unit_change_count = copy.unit_count,
                                .resource_changes = copy.resources,
                                .resource_change_count = copy.resource_count};
    display_apply(display, &batch);
}

/* ---- a reader, by the contract ---- */

static void set_all(json_t *object, const struct display_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        json_object_set_new(object, fields[i].name, json_string(fields[i].value));
}

void reader_clear(struct reader *reader)
{
    json_decref(reader->fields);
    json_decref(reader->pools);
    *reader = (struct reader){.wholes = reader->wholes, .changes = reader->changes};
}

static void apply_whole(struct reader *reader, const struct display_update *update)
{
    reader_clear(reader);
    reader->wholes++;
    reader->fields = json_object();
    reader->pools = json_object();
    reader->seat_count = update->seat_count;
    assert_true(update->seat_count <= NAIVE_UNITS_MAX);
    if (update->seats != NULL)
        memcpy(reader->seats, update->seats, update->seat_count);
}

bool reader_apply(struct reader *reader, const struct display_update *update)
{
    if (update->from == 0)
        apply_whole(reader, update);
    else if (reader->epoch != update->epoch || reader->rev < update->from)
        return false;
    else
        reader->changes++;
    assert_true(reader->rev <= update->rev);
    set_all(reader->fields, update->fields, update->field_count);
    set_all(reader->pools, update->pools, update->pool_count);
    for (uint32_t i = 0; i < update->patch_count; i++) {
        const struct display_patch *patch = &update->patches[i];
        assert_true(patch->at + patch->size <= reader->seat_count);
        memcpy(reader->seats + patch->at, patch->text, patch->size);
    }
    assert_int_equal(json_object_size(reader->pools), update->pool_total);
    reader->epoch = update->epoch;
    reader->rev = update->rev;
    return true;
}

static void assert_same(const char *what, json_t *left, json_t *right)
{
    json_object_del(left, "updated_ms");
    json_object_del(right, "updated_ms");
    char *left_text = json_dumps(left, JSON_SORT_KEYS);
    char *right_text = json_dumps(right, JSON_SORT_KEYS);
    if (strcmp(left_text, right_text) != 0)
        fail_msg("%s: %s\nis not %s", what, left_text, right_text);
    free(left_text);
    free(right_text);
}

void reader_assert_shows(struct reader *reader, struct naive *naive)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(naive, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    struct reader fresh = {0};
    assert_true(reader_apply(&fresh, whole));
    assert_int_equal(reader->rev, naive->rev);
    assert_same("hash", reader->fields, fresh.fields);
    assert_same("pools", reader->pools, fresh.pools);
    assert_int_equal(reader->seat_count, fresh.seat_count);
    assert_memory_equal(reader->seats, fresh.seats, fresh.seat_count);
    display_update_free(whole);
    reader_clear(&fresh);
    usher_arena_deinit(&arena);
}
