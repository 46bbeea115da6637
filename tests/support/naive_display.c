/*
 * Naive resources, and a reader of updates.
 */
#include "naive_display.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/seal.h"

/* ---- the naive side: what the database would say ---- */

static const struct usher_row stalls_rows[] = {{.row = "A", .seats = 5, .first = 1},
                                               {.row = "B", .seats = 9, .first = 2},
                                               {.row = "C", .seats = 130, .first = 1}};
static const struct usher_row balcony_rows[] = {{.row = "D", .seats = 70, .first = 1},
                                                {.row = "E", .seats = 3, .first = 11}};
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
    naive->seats_at[naive->pool_count] = -1;
    naive->pool_count++;
}

struct naive *naive_open(const char *id, int64_t no)
{
    struct naive *naive = calloc(1, sizeof *naive);
    naive->id = id;
    naive->no = row_number(NAIVE_PARTITION, no);
    naive->rev = no;
    naive->state = USHER_OPEN;
    naive->starts_ms = naive->ends_ms = naive->opens_ms = naive->closes_ms = USHER_ABSENT;
    return naive;
}

/* The pools of a hall do not stand in the chart's order, and one was removed. */
struct naive *naive_open_hall(void)
{
    struct naive *hall = naive_open("show:hamlet", 10);
    naive_add_pool(hall, USHER_SECTION, "standing", 300);
    naive_add_pool(hall, USHER_SEATS, "balcony", 73);
    naive_add_pool(hall, USHER_SECTION, "boxes", 0);
    naive_add_pool(hall, USHER_SEATS, "stalls", 144);
    naive_add_pool(hall, USHER_PRODUCT, "programme", 20);
    hall->pools[4].title = "The programme";
    hall->seats_at[1] = 144;
    hall->seats_at[3] = 0;
    usher_chart_encode(sections, 2, &hall->chart);
    hall->chart_name = "sha256:00";
    return hall;
}

struct naive *naive_open_hotel(void)
{
    struct naive *hotel = naive_open("hotel:mk", 11);
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

static struct unit_counts counts_of(const struct naive *naive, uint32_t pool)
{
    struct unit_counts counts = {0};
    for (uint32_t unit = 0; unit < NAIVE_UNITS_MAX; unit++)
        if (naive->units[pool][unit] != BOOKING_NONE)
            (*unit_counts_in(&counts, naive->units[pool][unit]))++;
    return counts;
}

/* Units that are only counted are told by the row of their pool. */
static void load_units(struct naive *naive, struct loaded_resource *loaded)
{
    for (uint32_t pool = 0; pool < naive->pool_count; pool++) {
        bool counted = kind_is_counted(naive->pools[pool].kind);
        if (counted)
            naive->pools[pool].taken = counts_of(naive, pool);
        for (uint32_t unit = 0; !counted && unit < NAIVE_UNITS_MAX; unit++) {
            if (naive->units[pool][unit] != BOOKING_NONE) {
                loaded->units[loaded->unit_count++] = (struct loaded_unit){
                    .pool = pool, .unit = (int32_t)unit, .state = naive->units[pool][unit]};
            }
        }
    }
}

struct loaded_resource naive_loaded(struct naive *naive, struct usher_arena *arena)
{
    struct loaded_resource loaded = {
        .row = {.no = naive->no,
                .id = naive->id,
                .state = naive->state,
                .name = "Name of it",
                .starts_ms = naive->starts_ms,
                .ends_ms = naive->ends_ms,
                .venue = naive->venue,
                .opens_ms = naive->opens_ms,
                .closes_ms = naive->closes_ms,
                .hold_ttl_s = USHER_ABSENT,
                .terms = naive->terms,
                .currency = "GBP",
                .rev = naive->rev,
                .chart = naive->chart_name},
        .chart = {.name = naive->chart_name,
                  .content = naive->chart.at,
                  .content_size = naive->chart.size},
        .pools = naive->pools,
        .pool_count = naive->pool_count,
        .waiting = naive->parties,
        .waiting_count = naive->waiting_count,
    };
    loaded.units =
        usher_arena_alloc(arena, sizeof(struct loaded_unit) * NAIVE_POOLS_MAX * NAIVE_UNITS_MAX);
    load_units(naive, &loaded);
    return loaded;
}

/* ---- in memory, and shown ---- */

static struct resource *restore(struct naive *naive)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(naive, &arena);
    struct resource *resource = restore_resource(&loaded, &arena);
    assert_non_null(resource);
    resource->waiting.count = naive->waiting_count;
    usher_arena_deinit(&arena);
    return resource;
}

static void open_inventory(struct naive_display *shown)
{
    static const struct inventory_limits limits = {UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX,
                                                   UINT64_MAX};
    const struct resource_row last = {.no = row_number(NAIVE_PARTITION, 9999), .id = "used last"};
    shown->inventory = inventory_create(NAIVE_PARTITION, &limits, 0);
    inventory_keep_resource(shown->inventory, resource_create(&last)); /* one always stays */
}

struct naive_display *naive_display_open_at(int64_t seq)
{
    struct naive_display *shown = calloc(1, sizeof *shown);
    shown->display = display_open(NAIVE_PARTITION);
    shown->next_seq = seq + 1;
    shown->now_ms = 1000;
    batch_init(&shown->batch, 1, 1);
    open_inventory(shown);
    display_reset(shown->display, shown->inventory, NAIVE_EPOCH, seq);
    display_resume(shown->display);
    return shown;
}

struct naive_display *naive_display_open(void)
{
    return naive_display_open_at(0);
}

struct naive_display *naive_display_with(struct naive *naive)
{
    struct naive_display *shown = naive_display_open();
    naive_load(naive, shown);
    return shown;
}

void naive_display_close(struct naive_display *shown)
{
    display_close(shown->display);
    inventory_destroy(shown->inventory);
    batch_deinit(&shown->batch);
    free(shown);
}

void naive_restart(struct naive_display *shown)
{
    inventory_destroy(shown->inventory);
    open_inventory(shown);
    shown->number = 0;
    display_reset(shown->display, shown->inventory, NAIVE_EPOCH + 1, shown->next_seq - 1);
    display_resume(shown->display);
}

void naive_load(struct naive *naive, struct naive_display *shown)
{
    if (!inventory_peek(shown->inventory, naive->no))
        inventory_keep_resource(shown->inventory, restore(naive));
}

void naive_evict(struct naive *naive, struct naive_display *shown)
{
    struct inventory *inventory = shown->inventory;
    struct resource *resource = inventory_peek(inventory, naive->no);
    if (!resource)
        return;
    struct inventory_limits limits = inventory->limits;
    list_remove(&inventory->resources, &resource->use);
    list_add_after(&inventory->resources, NULL, &resource->use);
    inventory->limits.resources = inventory->resources.count - 1;
    inventory_trim(inventory);
    inventory->limits = limits;
    while ((resource = inventory_take_evicted(inventory))) {
        assert_int_equal(resource->row.no, naive->no);
        display_evict(shown->display, resource);
        resource_destroy(resource);
    }
}

/* ---- batches ---- */

uint32_t naive_taken(const struct naive *naive, uint32_t pool)
{
    uint32_t taken = 0;
    for (uint32_t unit = 0; unit < NAIVE_UNITS_MAX; unit++)
        taken += naive->units[pool][unit] != BOOKING_NONE;
    return taken;
}

void changes_move(struct changes *changes, struct naive *naive, uint32_t pool, uint32_t unit,
                  enum booking_state to)
{
    enum booking_state from = naive->units[pool][unit];
    if (from == to || changes->unit_count == NAIVE_CHANGES_MAX)
        return;
    if (from == BOOKING_NONE && naive_taken(naive, pool) == naive->pools[pool].capacity)
        return;
    naive->units[pool][unit] = to;
    changes->units[changes->unit_count++] = (struct unit_move){
        .naive = naive, .pool = pool, .unit = (int32_t)unit, .from = from, .to = to};
}

void changes_end(struct changes *changes, struct naive *naive, bool redefined)
{
    changes->resources[changes->resource_count].naive = naive;
    changes->resources[changes->resource_count++].redefined = redefined;
}

/* As bookings would, and the seal would note. */
static void move_unit(struct naive_display *shown, const struct unit_move *move)
{
    struct resource *resource = inventory_peek(shown->inventory, move->naive->no);
    if (move->pool >= resource->pool_count)
        return; /* it is defined by the same batch */
    if (move->from != BOOKING_NONE)
        resource_give(resource, move->pool, &move->unit, 1, move->from);
    if (move->to != BOOKING_NONE)
        resource_take(resource, move->pool, &move->unit, 1, move->to);
    if (kind_is_counted(move->naive->pools[move->pool].kind))
        resource_note(resource, move->pool);
    else
        resource_note_unit(resource, move->pool, (uint32_t)move->unit);
}

static struct resource *redefine(struct naive_display *shown, struct naive *naive)
{
    struct resource *old = inventory_peek(shown->inventory, naive->no);
    struct resource *resource = restore(naive);
    resource->row.rev = old->row.rev;
    inventory_replace_resource(shown->inventory, old, resource);
    resource->redefined = true;
    return resource;
}

static void change(struct naive_display *shown, struct naive *naive, bool redefined)
{
    struct resource *resource =
        redefined ? redefine(shown, naive) : inventory_peek(shown->inventory, naive->no);
    resource->waiting.count = naive->waiting_count;
    inventory_touch_resource(shown->inventory, resource, naive->rev);
}

void changes_seal(const struct changes *changes, struct naive_display *shown)
{
    struct batch *batch = &shown->batch;
    for (uint32_t i = 0; i < changes->unit_count; i++)
        move_unit(shown, &changes->units[i]);
    for (uint32_t i = 0; i < changes->resource_count; i++)
        change(shown, changes->resources[i].naive, changes->resources[i].redefined);
    batch_reset(batch);
    batch->number = ++shown->number;
    batch->expected_next_seq = shown->next_seq;
    batch->next_seq = shown->next_seq += changes->resource_count + 1;
    inventory_seal(shown->inventory, batch);
    display_seal(shown->display, batch, shown->now_ms, DISPLAY_AHEAD_MAX);
}

void naive_commit(struct naive_display *shown)
{
    inventory_committed(shown->inventory, shown->batch.number);
    display_committed(shown->display, &shown->batch);
}

void changes_apply(const struct changes *changes, struct naive_display *shown)
{
    changes_seal(changes, shown);
    naive_commit(shown);
}

void naive_hold(struct naive_display *shown, struct naive *naive, uint32_t pool, uint32_t first,
                uint32_t count)
{
    struct changes changes = {0};
    for (uint32_t i = 0; i < count; i++)
        changes_move(&changes, naive, pool, first + i, BOOKING_HELD);
    naive->rev++;
    changes_end(&changes, naive, false);
    changes_apply(&changes, shown);
}

struct display_update *naive_next(struct naive_display *shown, int64_t now_ms)
{
    struct display_update *update = display_next(shown->display, now_ms);
    shown->now_ms = now_ms;
    if (!update)
        return NULL;
    display_taken(shown->display);
    display_update_render(update);
    return update;
}

static const char *find_field(const struct display_field *fields, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].value;
    return NULL;
}

const char *update_field(const struct display_update *update, const char *name)
{
    return find_field(update->fields, update->field_count, name);
}

const char *update_pool(const struct display_update *update, const char *name)
{
    return find_field(update->pools, update->pool_count, name);
}

void naive_acknowledge(struct naive_display *shown, struct display_update *update)
{
    assert_true(display_acknowledge(shown->display, update));
    display_update_free(update);
}

/* ---- a reader, by the contract ---- */

static void set_all(yyjson_mut_doc *document, yyjson_mut_val *object,
                    const struct display_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_val *name = yyjson_mut_strcpy(document, fields[i].name);
        yyjson_mut_val *value = yyjson_mut_strcpy(document, fields[i].value);
        assert_non_null(value);
        assert_true(yyjson_mut_obj_put(object, name, value));
    }
}

void reader_clear(struct reader *reader)
{
    yyjson_mut_doc_free(reader->document);
    free(reader->catalogue);
    free(reader->layout);
    *reader = (struct reader){.wholes = reader->wholes, .changes = reader->changes};
}

static void apply_whole(struct reader *reader, const struct display_update *update)
{
    reader_clear(reader);
    reader->wholes++;
    reader->document = yyjson_mut_doc_new(NULL);
    reader->fields = yyjson_mut_obj(reader->document);
    reader->pools = yyjson_mut_obj(reader->document);
    reader->seat_count = update->seat_count;
    assert_true(update->seat_count <= NAIVE_UNITS_MAX);
    if (update->seats != NULL)
        memcpy(reader->seats, update->seats, update->seat_count);
    reader->catalogue = strndup(update->catalogue_json, update->catalogue_json_size);
    if (update->layout[0] != '\0') {
        struct usher_buffer layout = {0};
        display_update_render_layout(update, &layout);
        reader->layout = strndup(layout.at, layout.size);
        usher_buffer_deinit(&layout);
    }
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
    set_all(reader->document, reader->fields, update->fields, update->field_count);
    set_all(reader->document, reader->pools, update->pools, update->pool_count);
    for (uint32_t i = 0; i < update->patch_count; i++) {
        const struct display_patch *patch = &update->patches[i];
        assert_true(patch->at + patch->size <= reader->seat_count);
        memcpy(reader->seats + patch->at, patch->text, patch->size);
    }
    assert_int_equal(yyjson_mut_obj_size(reader->pools), update->pool_total);
    reader->epoch = update->epoch;
    reader->rev = update->rev;
    return true;
}

static void assert_same(const char *what, yyjson_mut_val *left, yyjson_mut_val *right)
{
    static const char *const when[] = {"updated_ms", "catalogue_rev"}; /* it was put */
    for (size_t i = 0; i < 2; i++) {
        (void)yyjson_mut_obj_remove_key(left, when[i]);
        (void)yyjson_mut_obj_remove_key(right, when[i]);
    }
    if (!yyjson_mut_equals(left, right))
        fail_msg("%s: %s\nis not %s", what, yyjson_mut_val_write(left, YYJSON_WRITE_NOFLAG, NULL),
                 yyjson_mut_val_write(right, YYJSON_WRITE_NOFLAG, NULL));
}

void reader_assert_equal(struct reader *reader, const struct display_update *whole)
{
    struct reader fresh = {0};
    assert_true(reader_apply(&fresh, whole));
    assert_int_equal(reader->rev, whole->rev);
    assert_same("hash", reader->fields, fresh.fields);
    assert_same("pools", reader->pools, fresh.pools);
    assert_int_equal(reader->seat_count, fresh.seat_count);
    assert_memory_equal(reader->seats, fresh.seats, fresh.seat_count);
    assert_string_equal(reader->catalogue, fresh.catalogue);
    assert_int_equal(!reader->layout, !fresh.layout);
    if (reader->layout)
        assert_string_equal(reader->layout, fresh.layout);
    reader_clear(&fresh);
}

/* ---- what was counted the simplest way ---- */

static uint32_t count_state(const struct naive *naive, uint32_t pool, enum booking_state state)
{
    uint32_t count = 0;
    for (uint32_t unit = 0; unit < NAIVE_UNITS_MAX; unit++)
        count += naive->units[pool][unit] == state;
    return count;
}

static void assert_pool(struct reader *reader, const struct naive *naive, uint32_t pool)
{
    char name[100];
    char value[100];
    const struct pool_row *row = &naive->pools[pool];
    int size = snprintf(name, sizeof name, "%s%s", row->name, row->kind == USHER_ROOM ? "/" : "");
    if (row->kind == USHER_ROOM)
        usher_night_format(row->night, name + size);
    const char *shown = yyjson_mut_get_str(yyjson_mut_obj_get(reader->pools, name));
    if (row->capacity == 0) {
        assert_null(shown);
        return;
    }
    snprintf(value, sizeof value, "%u/%u/%u/%u/%u", row->capacity - naive_taken(naive, pool),
             row->capacity, count_state(naive, pool, BOOKING_HELD),
             count_state(naive, pool, BOOKING_CONFIRMED),
             count_state(naive, pool, BOOKING_BLOCKED));
    assert_string_equal(shown, value);
}

static void assert_seats(const struct reader *reader, const struct naive *naive, uint32_t pool)
{
    for (uint32_t i = 0; naive->seats_at[pool] >= 0 && i < naive->pools[pool].capacity; i++) {
        enum booking_state state = naive->units[pool][i];
        char expected = state == BOOKING_NONE        ? '.'
                        : state == BOOKING_HELD      ? 'h'
                        : state == BOOKING_CONFIRMED ? 's'
                                                     : 'x';
        assert_int_equal(reader->seats[naive->seats_at[pool] + i], expected);
    }
}

static void assert_sum(const struct reader *reader, const struct naive *naive, const char *field,
                       enum booking_state state)
{
    uint32_t sum = 0;
    for (uint32_t pool = 0; pool < naive->pool_count; pool++)
        sum += count_state(naive, pool, state);
    assert_int_equal(
        strtoul(yyjson_mut_get_str(yyjson_mut_obj_get(reader->fields, field)), NULL, 10), sum);
}

static void assert_counted(struct reader *reader, const struct naive *naive)
{
    for (uint32_t pool = 0; pool < naive->pool_count; pool++) {
        assert_pool(reader, naive, pool);
        assert_seats(reader, naive, pool);
    }
    assert_sum(reader, naive, "held", BOOKING_HELD);
    assert_sum(reader, naive, "sold", BOOKING_CONFIRMED);
    assert_sum(reader, naive, "blocked", BOOKING_BLOCKED);
    const char *waiting = yyjson_mut_get_str(yyjson_mut_obj_get(reader->fields, "waiting"));
    assert_int_equal(strtoul(waiting, NULL, 10), naive->waiting_count);
}

void reader_assert_shows(struct reader *reader, struct naive *naive)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = naive_loaded(naive, &arena);
    struct display_update *whole = display_whole(&loaded, NAIVE_PARTITION, NAIVE_EPOCH, 0);
    assert_int_equal(whole->rev, naive->rev);
    assert_counted(reader, naive);
    reader_assert_equal(reader, whole);
    display_update_free(whole);
    usher_arena_deinit(&arena);
}
