/*
 * The display against a naive one that is drawn anew each time: random batches, refusals of the
 * cache, lost updates and evictions, with a reader that applies updates as the contract says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "naive_display.h"
#include "worker/display/display.h"
#include "worker/display/display_render.h"

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
        if (naive->pools[pool].kind == USHER_ROOM)
            numbers += 50;
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
    struct display *display;
    struct naive *naives[NAIVE_RESOURCES_MAX];
    struct reader readers[NAIVE_RESOURCES_MAX];
    bool loaded[NAIVE_RESOURCES_MAX];
    int64_t put_ms[NAIVE_RESOURCES_MAX];
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
            if (!world->loaded[i]) {
                naive_load(world->naives[i], world->display);
                world->loaded[i] = true;
            }
            change_resource(world->naives[i], &changes);
        }
    }
    changes_apply(&changes, world->display);
}

/* The first ones written: a cache acknowledges in the order of puts. */
static void acknowledge(struct world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        naive_acknowledge(world->display, world->written[i]);
    world->written_count -= count;
    memmove(world->written, world->written + count, world->written_count * sizeof *world->written);
}

/* The connection is lost, and with it every acknowledgement under way. */
static void lose_connection(struct world *world)
{
    for (uint32_t i = 0; i < world->written_count; i++)
        display_update_free(world->written[i]);
    world->written_count = 0;
    display_suspend(world->display);
    display_resume(world->display);
}

/* What the cache does with an update: takes it, has no room, or loses it and says so. */
static bool deliver(struct world *world, struct display_update *update, bool lossy)
{
    uint32_t fate = lossy ? random_below(12) : 2;
    if (fate == 0) {
        display_put_back(world->display, update);
        return false;
    }
    display_update_draw(update);
    uint32_t i = update->resource_no == world->naives[0]->no ? 0 : 1;
    assert_true(world->written_count < WRITTEN_MAX);
    world->written[world->written_count++] = update;
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
         (update = display_next(world->display, world->now_ms)) != NULL;) {
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
    display_forget(world->display, world->naives[i]->no);
    world->loaded[i] = false;
}

static void open_world(struct world *world, uint64_t seed)
{
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    *world = (struct world){.display = naive_display_open(),
                            .naives = {naive_open_hall(), naive_open_hotel()},
                            .now_ms = 1000};
    naive_load(world->naives[0], world->display);
    naive_load(world->naives[1], world->display);
    world->loaded[0] = world->loaded[1] = true;
}

static void close_world(struct world *world)
{
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++) {
        reader_clear(&world->readers[i]);
        naive_close(world->naives[i]);
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
        if (lossy && random_below(8) == 0)
            forget_something(&world);
    }
    /* One more batch of everything, a cache that is well again: all that is shown is right. */
    struct changes last = {0};
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++) {
        naive_load(world.naives[i], world.display);
        change_resource(world.naives[i], &last);
    }
    lose_connection(&world);
    changes_apply(&last, world.display);
    for (int i = 0; i < 3; i++) {
        world.now_ms += DISPLAY_INTERVAL_MS;
        put_some(&world, false);
    }
    for (uint32_t i = 0; i < NAIVE_RESOURCES_MAX; i++) {
        reader_assert_shows(&world.readers[i], world.naives[i]);
        *changes += world.readers[i].changes;
    }
    assert_int_equal(display_wait_ms(world.display, world.now_ms), -1);
    close_world(&world);
}

static void changes_add_up_to_the_whole_picture(void **state)
{
    (void)state;
    uint32_t changes = 0;
    for (uint64_t seed = 1; seed <= 20; seed++)
        run_world(seed, false, &changes);
    assert_true(changes > 1000);
}

static void losses_are_made_good_by_whole_pictures(void **state)
{
    (void)state;
    uint32_t changes = 0;
    for (uint64_t seed = 100; seed < 120; seed++)
        run_world(seed, true, &changes);
    assert_true(changes > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_add_up_to_the_whole_picture),
        cmocka_unit_test(losses_are_made_good_by_whole_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
