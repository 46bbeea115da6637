/*
 * The display against a naive one that is drawn anew each time: random batches, puts while one is
 * in flight, refusals of the cache, lost updates and evictions, with a reader that applies updates
 * as the contract says.
 */
#include <string.h>

#include "naive_display.h"
#include "tests/unit/unit.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"

/* ---- random batches ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state % end);
}

/* Some neighbouring or scattered units get some state; all of it is one decision or more. */
static void change_resource(struct naive *naive, struct changes *changes)
{
    static const enum booking_state states[] = {BOOKING_NONE, BOOKING_HELD, BOOKING_CONFIRMED,
                                                BOOKING_BLOCKED};
    uint32_t count = random_below(40);
    bool scattered = random_below(2) == 0;
    uint32_t pool = random_below(naive->pool_count);
    for (uint32_t i = 0; i < count && naive->pools[pool].capacity > 0; i++) {
        uint32_t numbers = naive->pools[pool].capacity;
        uint32_t unit = scattered ? random_below(numbers) : i % numbers;
        changes_move(changes, naive, pool, unit, states[random_below(4)]);
        if (random_below(10) == 0)
            pool = random_below(naive->pool_count);
    }
    naive->rev += 1 + random_below(3);
    changes_end(changes, naive, false);
}

enum {
    WRITTEN_MAX = 2 * NAIVE_RESOURCES_MAX
};

struct world {
    struct naive_display *shown;
    struct naive *naives[NAIVE_RESOURCES_MAX];
    struct reader readers[NAIVE_RESOURCES_MAX];
    int64_t put_ms[NAIVE_RESOURCES_MAX];
    int64_t committed_rev[NAIVE_RESOURCES_MAX];
    uint32_t renewed;                            /* from the database */
    struct display_update *written[WRITTEN_MAX]; /* and not yet acknowledged */
    uint32_t written_count;
    int64_t now_ms;
    bool steady; /* nothing is evicted and nothing given back: the interval can be seen */
};

static void decide_something(struct world *world)
{
    struct changes changes = {0};
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++) {
        if (random_below(3) > 0) {
            naive_load(world->naives[i], world->shown);
            change_resource(world->naives[i], &changes);
        }
    }
    changes_seal(&changes, world->shown);
}

/* Of what was sealed something may be put from now on. */
static void commit(struct world *world)
{
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++)
        world->committed_rev[i] = world->naives[i]->rev;
    naive_commit(world->shown);
}

/* What the cache turned out to lack after it was evicted is read from the database. */
static void renew(struct world *world, int64_t resource_no)
{
    struct usher_arena arena = {0};
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++) {
        if (world->naives[i]->no != resource_no)
            continue;
        struct loaded_resource loaded = naive_loaded(world->naives[i], &arena);
        assert_true(display_renew_loaded(world->shown->display, &loaded));
        world->renewed++;
    }
    usher_arena_deinit(&arena);
}

/* The first ones written: a cache acknowledges in the order of puts. */
static void acknowledge(struct world *world, uint32_t count)
{
    struct display_update *lost[WRITTEN_MAX];
    uint32_t lost_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (display_acknowledge(world->shown->display, world->written[i]))
            display_update_free(world->written[i]);
        else
            lost[lost_count++] = world->written[i];
    world->written_count -= count;
    memmove(world->written, world->written + count, world->written_count * sizeof *world->written);
    for (uint32_t i = 0; i < lost_count; i++) {
        renew(world, lost[i]->resource_no);
        display_update_free(lost[i]);
    }
}

/* The connection is lost, and with it every acknowledgement under way. */
static void lose_connection(struct world *world)
{
    for (uint32_t i = 0; i < world->written_count; i++)
        display_update_free(world->written[i]);
    world->written_count = 0;
    display_suspend(world->shown->display);
    display_resume(world->shown->display);
}

/*
 * What the cache does with an update: takes it, has no room, or loses it and says so; or somebody
 * has deleted what it starts from.
 */
static bool deliver(struct world *world, struct display_update *update, bool lossy)
{
    uint32_t fate = lossy ? random_below(12) : 2;
    if (fate == 0) {
        display_held_back(world->shown->display);
        return false;
    }
    display_taken(world->shown->display);
    display_update_render(update);
    uint32_t i = update->resource_no == world->naives[0]->no ? 0 : 1;
    assert_true(update->rev <= world->committed_rev[i]);
    assert_true(world->written_count < WRITTEN_MAX);
    world->written[world->written_count++] = update;
    if (fate == 3)
        reader_clear(&world->readers[i]);
    if (fate == 1) {
        lose_connection(world);
        reader_clear(&world->readers[i]);
    } else if (!reader_apply(&world->readers[i], update)) {
        assert_int_equal(world->readers[i].epoch, 0); /* only after a loss */
        update->gap = true;
    } else if (world->readers[i].rev == world->naives[i]->rev) {
        reader_assert_shows(&world->readers[i], world->naives[i]);
    }
    return true;
}

static void put_some(struct world *world, bool lossy)
{
    for (struct display_update *update;
         (update = display_next(world->shown->display, world->now_ms)) != NULL;) {
        uint32_t i = update->resource_no == world->naives[0]->no ? 0 : 1;
        if (!deliver(world, update, lossy))
            break;
        assert_true(world->put_ms[i] + DISPLAY_INTERVAL_MS <= world->now_ms || !world->steady);
        world->put_ms[i] = world->now_ms;
    }
    acknowledge(world, lossy ? random_below(world->written_count + 1) : world->written_count);
}

static void forget_something(struct world *world)
{
    uint32_t i = random_below(NAIVE_RESOURCES_MAX);
    naive_evict(world->naives[i], world->shown);
}

static void open_world(struct world *world, uint64_t seed)
{
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    *world = (struct world){.shown = naive_display_open(),
                            .naives = {naive_open_hall(), naive_open_hotel()},
                            .now_ms = 1000};
    naive_load(world->naives[0], world->shown);
    naive_load(world->naives[1], world->shown);
}

static void close_world(struct world *world)
{
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++) {
        reader_clear(&world->readers[i]);
        naive_close(world->naives[i]);
    }
    naive_display_close(world->shown);
}

static void run_world(uint64_t seed, bool lossy, uint32_t *changes, uint32_t *renewed)
{
    struct world world;
    open_world(&world, seed);
    world.steady = !lossy;
    for (int i = 0; i < 300; i++) {
        world.shown->now_ms = world.now_ms;
        decide_something(&world);
        if (random_below(3) == 0)
            put_some(&world, lossy);
        commit(&world);
        world.now_ms += random_below(30);
        put_some(&world, lossy);
        if (lossy && random_below(8) == 0)
            forget_something(&world);
    }
    /* One more batch of everything, a cache that is well again: all that is shown is right. */
    struct changes last = {0};
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++) {
        naive_load(world.naives[i], world.shown);
        change_resource(world.naives[i], &last);
    }
    lose_connection(&world);
    changes_seal(&last, world.shown);
    commit(&world);
    for (int i = 0; i < 3; i++) {
        world.now_ms += DISPLAY_INTERVAL_MS;
        put_some(&world, false);
    }
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++) {
        reader_assert_shows(&world.readers[i], world.naives[i]);
        *changes += world.readers[i].changes;
    }
    assert_int_equal(display_wait_ms(world.shown->display, world.now_ms), -1);
    *renewed += world.renewed;
    close_world(&world);
}

static void changes_add_up_to_the_whole_snapshot(void **state)
{
    (void)state;
    uint32_t changes = 0, renewed = 0;
    for (uint64_t seed = 1; seed <= 20; seed++)
        run_world(seed, false, &changes, &renewed);
    assert_true(changes > 1000);
    assert_int_equal(renewed, 0);
}

static void losses_are_repaired_by_whole_snapshots(void **state)
{
    (void)state;
    uint32_t changes = 0, renewed = 0;
    for (uint64_t seed = 100; seed < 120; seed++)
        run_world(seed, true, &changes, &renewed);
    assert_true(changes > 1000);
    assert_true(renewed > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(changes_add_up_to_the_whole_snapshot),
    cmocka_unit_test(losses_are_repaired_by_whole_snapshots),
};
UNIT_TESTS(test_display, tests, NULL, NULL)
