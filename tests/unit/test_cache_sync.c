/* A resync of the cache: how much it reads at once, and what it does when that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "naive_display.h"
#include "producer/base/clock.h"
#include "worker/partition/cache_sync.h"

enum {
    SEQ = 100,          /* the last decision */
    PAUSE_US = 60000000 /* longer than any pause */
};

/* A record with one hall, and a cache that takes everything. */
struct house {
    struct naive *hall;
    uint32_t pages;        /* of the hall, behind the first one */
    uint32_t fails;        /* so many of the next loads fail */
    uint32_t loads, mores; /* calls */
    uint32_t halvings;     /* of the last load or page */
    bool changes;          /* the hall is another one after its last page, once */
    struct record_port record;
    struct cache_port cache;
    struct log_context log;
    struct display *display;
    struct cache_sync sync;
    struct cache_moment moment;
    struct display_update *put;
};

/* ---- the record ---- */

static enum usher_status give(struct house *house, const struct load_request *request,
                              struct load_result *result, struct usher_error *err)
{
    house->halvings = request->halvings;
    result->rest.claims = house->mores < house->pages;
    if (house->fails == 0)
        return USHER_OK;
    house->fails--;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "the load took too long");
    return USHER_RETRY;
}

static enum usher_status load(void *self, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    struct house *house = self;
    struct loaded_resource *hall = usher_arena_alloc(arena, sizeof *hall);
    *hall = naive_loaded(house->hall, arena);
    *result = (struct load_result){.resources = hall, .resource_count = 1, .resources_served = 1};
    house->loads++;
    house->mores = 0;
    return give(house, request, result, err);
}

static enum usher_status load_more(void *self, const struct load_request *request,
                                   struct usher_arena *arena, struct load_result *result,
                                   struct usher_error *err)
{
    struct house *house = self;
    (void)arena;
    house->mores++;
    return give(house, request, result, err);
}

static enum usher_status resources(void *self, int64_t after_no, uint32_t limit,
                                   struct resource_rev *revs, uint32_t *count,
                                   struct usher_error *err)
{
    struct house *house = self;
    (void)limit;
    (void)err;
    if (house->changes && house->mores > 0) {
        house->hall->rev++;
        house->changes = false;
    }
    *count = after_no < house->hall->no ? 1 : 0;
    *revs = (struct resource_rev){house->hall->no, house->hall->rev};
    return USHER_OK;
}

/* ---- the cache ---- */

static bool put(void *self, struct display_update *update)
{
    struct house *house = self;
    assert_null(house->put);
    house->put = update;
    return true;
}

static void poll(void *self, int32_t partition, int32_t epoch, struct cache_news *news)
{
    (void)self;
    (void)partition;
    (void)epoch;
    *news = (struct cache_news){.session = 1, .ready = true};
}

/* ---- tests ---- */

static int open_house(void **state)
{
    static struct house house;
    house = (struct house){
        .record = {.self = &house, .load = load, .load_more = load_more, .resources = resources},
        .cache = {.self = &house, .put = put, .poll = poll},
        .moment = {.now_ms = 1000, .decided_seq = SEQ},
    };
    house.hall = naive_open_hall();
    house.hall->no = row_number(NAIVE_PARTITION, 1);
    house.hall->rev = 1;
    house.display = display_open(NAIVE_PARTITION);
    cache_sync_init(&house.sync, NAIVE_PARTITION, &house.record, &house.cache, house.display,
                    &house.log);
    cache_sync_acquired(&house.sync, NAIVE_EPOCH, SEQ);
    *state = &house;
    return 0;
}

static int close_house(void **state)
{
    struct house *house = *state;
    display_update_free(house->put);
    cache_sync_deinit(&house->sync);
    display_close(house->display);
    naive_close(house->hall);
    return 0;
}

/* One turn, after any pause. */
static void turn(struct house *house)
{
    uint32_t before = house->loads + house->mores;
    house->moment.monotonic_us = clock_us() + PAUSE_US;
    cache_sync_turn(&house->sync, &house->moment);
    assert_true(house->loads + house->mores <= before + 1);
}

/* Turns until the hall is put, and returns how often. */
static uint32_t turn_until_put(struct house *house)
{
    uint32_t turns = 0;
    while (!house->put) {
        turn(house);
        assert_true(turns++ < 100);
    }
    return turns;
}

/* Decisions are made by the same thread: it is theirs again after each page. */
static void a_large_resource_is_read_one_page_a_turn(void **state)
{
    struct house *house = *state;
    house->pages = 20;
    assert_true(turn_until_put(house) > 20);
    assert_int_equal(house->loads, 1);
    assert_int_equal(house->mores, 20);
    assert_int_equal(house->put->resource_no, house->hall->no);
}

static void a_load_that_fails_gets_smaller(void **state)
{
    struct house *house = *state;
    house->pages = 3;
    house->fails = 1;
    turn(house); /* lists */
    turn(house);
    uint32_t halvings = house->halvings;
    assert_int_equal(house->loads, 1);
    house->fails = 1;
    turn(house);
    assert_int_equal(house->loads, 2);
    assert_true(house->halvings > halvings);
    (void)turn_until_put(house);
}

static void a_resource_that_changed_between_two_pages_is_read_anew(void **state)
{
    struct house *house = *state;
    house->pages = 3;
    house->changes = true;
    (void)turn_until_put(house);
    assert_int_equal(house->loads, 2);
    assert_int_equal(house->put->rev, house->hall->rev);
}

int main(void)
{
#define WITH_HOUSE(test) cmocka_unit_test_setup_teardown(test, open_house, close_house)
    const struct CMUnitTest tests[] = {
        WITH_HOUSE(a_large_resource_is_read_one_page_a_turn),
        WITH_HOUSE(a_load_that_fails_gets_smaller),
        WITH_HOUSE(a_resource_that_changed_between_two_pages_is_read_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
