/*
 * The display against a naive one that is drawn anew each time: random batches, refusals of the
 * cache, lost updates and evictions, with a reader that applies updates as the contract says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "display.h"
#include "display_picture.h"

enum {
    PARTITION = 3,
    EPOCH = 7,
    POOLS_MAX = 64,
    UNITS_MAX = 700,
    RESOURCES = 2,
    CHANGES_MAX = 400
};

/* ---- the naive side: what the database would say ---- */

struct naive {
    const char *id;
    int64_t no, rev;
    enum usher_sale_state state;
    struct pool_row pools[POOLS_MAX];
    uint32_t pool_count;
    const char *chart_name;
    struct usher_buffer chart;
    enum booking_state units[POOLS_MAX][UNITS_MAX];
};

static const struct usher_row stalls_rows[] = {{"A", 5, 1}, {"B", 9, 2}, {"C", 130, 1}};
static const struct usher_row balcony_rows[] = {{"D", 70, 1}, {"E", 3, 11}};
static const struct usher_section sections[] = {
    {.section = "stalls", .rows = stalls_rows, .row_count = 3},
    {.section = "balcony", .rows = balcony_rows, .row_count = 2},
};

static void add_pool(struct naive *naive, enum usher_kind kind, const char *name, uint32_t capacity)
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
static struct naive *open_hall(void)
{
    struct naive *hall = calloc(1, sizeof *hall);
    hall->id = "show:hamlet";
    hall->no = row_number(PARTITION, 10);
    hall->rev = 10;
    hall->state = USHER_OPEN;
    add_pool(hall, USHER_SECTION, "standing", 300);
    add_pool(hall, USHER_SEATS, "balcony", 73);
    add_pool(hall, USHER_SECTION, "boxes", 0);
    add_pool(hall, USHER_SEATS, "stalls", 144);
    add_pool(hall, USHER_PRODUCT, "programme", 20);
    hall->pools[4].title = "The programme";
    usher_chart_encode(sections, 2, &hall->chart);
    hall->chart_name = "sha256:00";
    return hall;
}

static struct naive *open_hotel(void)
{
    struct naive *hotel = calloc(1, sizeof *hotel);
    hotel->id = "hotel:mk";
    hotel->no = row_number(PARTITION, 11);
    hotel->rev = 11;
    hotel->state = USHER_OPEN;
    for (int32_t i = 0; i < 40; i++) {
        add_pool(hotel, USHER_ROOM, i < 30 ? "double" : "single", 6);
        hotel->pools[i].night = 20000 + (i < 30 ? i : i - 30);
    }
    hotel->pools[4].capacity = 0; /* a night that was taken off sale */
    return hotel;
}

static void close_naive(struct naive *naive)
{
    usher_buffer_deinit(&naive->chart);
    free(naive);
}

/* Lives in the arena. */
static struct loaded_resource loaded_of(struct naive *naive, struct usher_arena *arena)
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
    loaded.units = usher_arena_alloc(arena, sizeof(struct loaded_unit) * POOLS_MAX * UNITS_MAX);
    for (uint32_t pool = 0; pool < naive->pool_count; pool++) {
        for (uint32_t unit = 0; unit < naive->pools[pool].capacity && unit < UNITS_MAX; unit++) {
            if (naive->units[pool][unit] != BOOKING_NONE) {
                loaded.units[loaded.unit_count++] = (struct loaded_unit){
                    .pool = pool, .unit = (int32_t)unit, .state = naive->units[pool][unit]};
            }
        }
    }
    return loaded;
}

static void load(struct display *display, struct naive *naive)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = loaded_of(naive, &arena);
    display_load(display, &loaded);
    usher_arena_deinit(&arena);
}

/* ---- a reader, by the contract ---- */

struct reader {
    int32_t epoch; /* 0: knows nothing */
    int64_t rev;
    json_t *fields, *pools;
    char seats[UNITS_MAX];
    uint32_t seat_count;
    uint32_t wholes, changes;
};

static void set_all(json_t *object, const struct display_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        json_object_set_new(object, fields[i].name, json_string(fields[i].value));
    }
}

static void clear_reader(struct reader *reader)
{
    json_decref(reader->fields);
    json_decref(reader->pools);
    *reader = (struct reader){.wholes = reader->wholes, .changes = reader->changes};
}

static void apply_whole(struct reader *reader, const struct display_update *update)
{
    clear_reader(reader);
    reader->wholes++;
    reader->fields = json_object();
    reader->pools = json_object();
    reader->seat_count = update->seat_count;
    assert_true(update->seat_count <= UNITS_MAX);
    if (update->seats != NULL) {
        memcpy(reader->seats, update->seats, update->seat_count);
    }
}

/* What the script in Redis does. False: a gap. */
static bool reader_apply(struct reader *reader, const struct display_update *update)
{
    if (update->from == 0) {
        apply_whole(reader, update);
    } else if (reader->epoch != update->epoch || reader->rev < update->from) {
        return false;
    } else {
        reader->changes++;
    }
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
    if (strcmp(left_text, right_text) != 0) {
        fail_msg("%s: %s\nis not %s", what, left_text, right_text);
    }
    free(left_text);
    free(right_text);
}

/* The reader has exactly what a picture drawn anew would have. */
static void assert_reader_shows(struct reader *reader, struct naive *naive)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = loaded_of(naive, &arena);
    struct display_update *whole = display_whole(&loaded, PARTITION, EPOCH, 0);
    struct reader fresh = {0};
    assert_true(reader_apply(&fresh, whole));
    assert_int_equal(reader->rev, naive->rev);
    assert_same("hash", reader->fields, fresh.fields);
    assert_same("pools", reader->pools, fresh.pools);
    assert_int_equal(reader->seat_count, fresh.seat_count);
    assert_memory_equal(reader->seats, fresh.seats, fresh.seat_count);
    display_update_free(whole);
    clear_reader(&fresh);
    usher_arena_deinit(&arena);
}

/* ---- random batches ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state % end);
}

struct changes {
    struct unit_change units[CHANGES_MAX];
    uint32_t unit_count;
    struct resource_change resources[RESOURCES];
    uint32_t resource_count;
};

static void move_unit(struct naive *naive, struct changes *changes, uint32_t pool, uint32_t unit,
                      enum booking_state to)
{
    enum booking_state from = naive->units[pool][unit];
    if (from == to || changes->unit_count == CHANGES_MAX) {
        return;
    }
    naive->units[pool][unit] = to;
    changes->units[changes->unit_count++] = (struct unit_change){
        .resource_no = naive->no, .pool = pool, .unit = (int32_t)unit, .from = from, .to = to};
}

/* Some neighbouring or scattered units get some state; all of it is one decision or more. */
static void change_resource(struct naive *naive, struct changes *changes)
{
    static const enum booking_state states[] = {BOOKING_NONE, BOOKING_HELD, BOOKING_CONFIRMED};
    uint32_t count = random_below(40);
    bool scattered = random_below(2) == 0;
    uint32_t pool = random_below(naive->pool_count);
    for (uint32_t i = 0; i < count && naive->pools[pool].capacity > 0; i++) {
        uint32_t unit =
            scattered ? random_below(naive->pools[pool].capacity) : i % naive->pools[pool].capacity;
        move_unit(naive, changes, pool, unit, states[random_below(3)]);
        if (random_below(10) == 0) {
            pool = random_below(naive->pool_count);
        }
    }
    naive->rev += 1 + random_below(3);
    changes->resources[changes->resource_count++] =
        (struct resource_change){.resource_no = naive->no, .rev = naive->rev};
}

static void apply(struct display *display, const struct changes *changes)
{
    struct unit_change units[CHANGES_MAX];
    struct resource_change resources[RESOURCES];
    memcpy(units, changes->units, sizeof units);
    memcpy(resources, changes->resources, sizeof resources);
    const struct batch batch = {.unit_changes = units,
                                .unit_change_count = changes->unit_count,
                                .resource_changes = resources,
                                .resource_change_count = changes->resource_count};
    display_apply(display, &batch);
}

struct world {
    struct display *display;
    struct naive *naives[RESOURCES];
    struct reader readers[RESOURCES];
    bool loaded[RESOURCES];
    int64_t put_ms[RESOURCES];
    uint64_t generation;
    int64_t now_ms;
    bool steady; /* nothing is evicted and nothing given back: the interval can be seen */
};

static void decide_something(struct world *world)
{
    struct changes changes = {0};
    for (uint32_t i = 0; i < RESOURCES; i++) {
        if (random_below(3) > 0) {
            if (!world->loaded[i]) {
                load(world->display, world->naives[i]);
                world->loaded[i] = true;
            }
            change_resource(world->naives[i], &changes);
        }
    }
    apply(world->display, &changes);
}

/* What the cache does with an update: takes it, has no room, or loses it and says so. */
static bool deliver(struct world *world, struct display_update *update, bool lossy)
{
    uint32_t fate = lossy ? random_below(12) : 2;
    if (fate == 0) {
        display_put_back(world->display, update);
        return false;
    }
    uint32_t i = update->resource_no == world->naives[0]->no ? 0 : 1;
    if (fate == 1) {
        world->generation++;
        clear_reader(&world->readers[i]);
    } else if (!reader_apply(&world->readers[i], update)) {
        assert_int_equal(world->readers[i].epoch, 0); /* only after a loss */
        world->generation++;
    } else if (world->readers[i].rev == world->naives[i]->rev) {
        assert_reader_shows(&world->readers[i], world->naives[i]);
    }
    display_update_free(update);
    return true;
}

static void put_some(struct world *world, bool lossy)
{
    for (struct display_update *update;
         (update = display_next(world->display, world->generation, world->now_ms)) != NULL;) {
        uint32_t i = update->resource_no == world->naives[0]->no ? 0 : 1;
        if (!deliver(world, update, lossy)) {
            return;
        }
        assert_true(world->put_ms[i] + DISPLAY_INTERVAL_MS <= world->now_ms || !world->steady);
        world->put_ms[i] = world->now_ms;
    }
}

static void forget_something(struct world *world)
{
    uint32_t i = random_below(RESOURCES);
    display_forget(world->display, world->naives[i]->no);
    world->loaded[i] = false;
}

static void open_world(struct world *world, uint64_t seed)
{
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    *world = (struct world){
        .display = display_open(PARTITION), .naives = {open_hall(), open_hotel()}, .now_ms = 1000};
    display_reset(world->display, EPOCH);
    load(world->display, world->naives[0]);
    load(world->display, world->naives[1]);
    world->loaded[0] = world->loaded[1] = true;
}

static void close_world(struct world *world)
{
    for (uint32_t i = 0; i < RESOURCES; i++) {
        clear_reader(&world->readers[i]);
        close_naive(world->naives[i]);
    }
    display_close(world->display);
}

static void run_world(uint64_t seed, bool lossy, uint32_t *changes)
{
    struct world world;
    open_world(&world, seed);
    world.steady = !lossy;
    for (int i = 0; i < 300; i++) {
        decide_something(&world);
        world.now_ms += random_below(30);
        put_some(&world, lossy);
        if (lossy && random_below(8) == 0) {
            forget_something(&world);
        }
    }
    /* One more batch of everything, a cache that is well again: all that is shown is right. */
    struct changes last = {0};
    for (uint32_t i = 0; i < RESOURCES; i++) {
        load(world.display, world.naives[i]);
        change_resource(world.naives[i], &last);
    }
    world.generation++;
    apply(world.display, &last);
    for (int i = 0; i < 3; i++) {
        world.now_ms += DISPLAY_INTERVAL_MS;
        put_some(&world, false);
    }
    for (uint32_t i = 0; i < RESOURCES; i++) {
        assert_reader_shows(&world.readers[i], world.naives[i]);
        *changes += world.readers[i].changes;
    }
    assert_int_equal(display_wait_ms(world.display, world.now_ms), -1);
    close_world(&world);
}

static void changes_add_up_to_the_whole_picture(void **state)
{
    (void)state;
    uint32_t changes = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run_world(seed, false, &changes);
    }
    assert_true(changes > 1000);
}

static void losses_are_made_good_by_whole_pictures(void **state)
{
    (void)state;
    uint32_t changes = 0;
    for (uint64_t seed = 100; seed < 120; seed++) {
        run_world(seed, true, &changes);
    }
    assert_true(changes > 1000);
}

/* ---- single properties ---- */

static struct display *display_with(struct naive *naive)
{
    struct display *display = display_open(PARTITION);
    display_reset(display, EPOCH);
    load(display, naive);
    return display;
}

static void hold(struct display *display, struct naive *naive, uint32_t pool, uint32_t first,
                 uint32_t count)
{
    struct changes changes = {0};
    for (uint32_t i = 0; i < count; i++) {
        move_unit(naive, &changes, pool, first + i, BOOKING_HELD);
    }
    naive->rev++;
    changes.resources[0] = (struct resource_change){.resource_no = naive->no, .rev = naive->rev};
    changes.resource_count = 1;
    apply(display, &changes);
}

static struct display_update *next(struct display *display, int64_t now_ms)
{
    return display_next(display, 0, now_ms);
}

static void what_does_not_change_is_not_put(void **state)
{
    (void)state;
    struct naive *hall = open_hall();
    struct display *display = display_with(hall);
    assert_null(next(display, 1000));
    assert_int_equal(display_wait_ms(display, 1000), -1);
    display_close(display);
    close_naive(hall);
}

static void a_message_is_as_the_contract_has_it(void **state)
{
    (void)state;
    struct naive *hall = open_hall();
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
    close_naive(hall);
}

static void a_resource_is_put_once_in_fifty_milliseconds(void **state)
{
    (void)state;
    struct naive *hall = open_hall();
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
    close_naive(hall);
}

static void an_evicted_resource_is_put_first(void **state)
{
    (void)state;
    struct naive *hall = open_hall();
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
    close_naive(hall);
}

static void a_reset_forgets_what_was_not_put(void **state)
{
    (void)state;
    struct naive *hall = open_hall();
    struct display *display = display_with(hall);
    hold(display, hall, 3, 0, 1);
    display_put_back(display, next(display, 1000));
    hold(display, hall, 3, 1, 1);
    display_reset(display, EPOCH + 1);
    assert_null(next(display, 2000));
    assert_int_equal(display_wait_ms(display, 2000), -1);
    display_close(display);
    close_naive(hall);
}

/* A product was added and held at once: the old picture has no place for it. */
static void a_changed_catalogue_is_put_whole(void **state)
{
    (void)state;
    struct naive *hall = open_hall();
    struct display *display = display_with(hall);
    hold(display, hall, 3, 0, 1);
    display_update_free(next(display, 1000));
    struct changes changes = {0};
    add_pool(hall, USHER_PRODUCT, "poster", 5);
    move_unit(hall, &changes, 5, 4, BOOKING_HELD);
    hall->rev++;
    hall->state = USHER_DRAFT;
    changes.resources[0] =
        (struct resource_change){.resource_no = hall->no, .rev = hall->rev, .redraw = true};
    changes.resource_count = 1;
    apply(display, &changes);
    struct usher_arena arena = {0};
    struct loaded_resource loaded = loaded_of(hall, &arena);
    display_drawn(display, &loaded);
    struct display_update *update = next(display, 1050);
    assert_int_equal(update->from, 0);
    assert_false(update->listed);
    struct reader reader = {0};
    assert_true(reader_apply(&reader, update));
    assert_reader_shows(&reader, hall);
    clear_reader(&reader);
    display_update_free(update);
    display_close(display);
    usher_arena_deinit(&arena);
    close_naive(hall);
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
    field->no = row_number(PARTITION, 1);
    field->rev = 1;
    field->state = USHER_OPEN;
    add_pool(field, USHER_SEATS, "field", 90000);
    usher_chart_encode(&section, 1, &field->chart);
    struct usher_arena arena = {0};
    struct loaded_resource loaded = loaded_of(field, &arena);
    struct display *display = display_open(PARTITION);
    display_reset(display, EPOCH);
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
    for (uint32_t i = 0; i < update->patch_count; i++) {
        covered += update->patches[i].size;
    }
    assert_true(update->patch_count <= 256);
    assert_int_equal(covered, 20000 + 3 * 20000 - 2);
    assert_int_equal(update->patches[0].text[20000], 's');
    display_update_free(update);
    display_close(display);
    usher_arena_deinit(&arena);
    close_naive(field);
}

/* ---- the chart ---- */

static json_t *chart_of(struct naive *naive)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = loaded_of(naive, &arena);
    struct display_update *whole = display_whole(&loaded, PARTITION, EPOCH, 0);
    json_t *chart = json_loadb(whole->chart, whole->chart_size, JSON_REJECT_DUPLICATES, NULL);
    display_update_free(whole);
    usher_arena_deinit(&arena);
    assert_non_null(chart);
    return chart;
}

static void the_chart_says_which_seat_is_which(void **state)
{
    (void)state;
    struct naive *hall = open_hall();
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
    close_naive(hall);
}

static void the_chart_has_a_value_for_each_night(void **state)
{
    (void)state;
    struct naive *hotel = open_hotel();
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
    close_naive(hotel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_add_up_to_the_whole_picture),
        cmocka_unit_test(losses_are_made_good_by_whole_pictures),
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
