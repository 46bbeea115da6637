/*
 * Memory is a cache that nobody can tell from the whole: one partition keeps everything, the other
 * forgets whatever it may, has commits in flight, and loses its memory now and then. Both get the
 * same requests at random, and must answer the same to the byte.
 */
#include <string.h>

#include "core_rig.h"
#include "random_requests.h"
#include "reloaded.h"
#include "tests/unit/unit.h"
#include "worker/inventory/work.h"

static const char *const resources[] = {"r0", "r1", "r2", "r3"};

static const struct random_world world = {
    .below = dice,
    .resources = resources,
    .resource_count = sizeof resources / sizeof *resources,
    .customers = 2,
    .prefix = "b",
    .size = 1,
    .malformed = 40,
    .calm = true,
    .weights = {[USHER_OP_DEFINE] = 8,
                [USHER_OP_HOLD] = 38,
                [USHER_OP_CONFIRM] = 8,
                [USHER_OP_EXCHANGE] = 7,
                [USHER_OP_CLOSE] = 1,
                [USHER_OP_PROBE] = 8,
                [USHER_OP_OPEN] = 8},
};

/* ---- the two partitions ---- */

static void compare_databases(const struct rig *whole, const struct rig *cache)
{
    const struct fake_database *a = whole->database, *b = cache->database;
    uint32_t count = a->decision_count < b->decision_count ? a->decision_count : b->decision_count;
    for (uint32_t i = count > 200 ? count - 200 : 0; i < count; i++) {
        assert_string_equal(a->decisions[i].body, b->decisions[i].body);
        assert_int_equal(a->decisions[i].booking_no, b->decisions[i].booking_no);
        assert_int_equal(a->decisions[i].first, b->decisions[i].first);
        assert_int_equal(a->decisions[i].replayed, b->decisions[i].replayed);
    }
}

static void commit_all(struct rig *rig)
{
    while (rig->in_flight > 0)
        rig_commit(rig);
}

/* One batch of the same requests in both; what is in flight afterwards is a matter of chance. */
static void one_batch(struct rig *whole, struct rig *cache)
{
    int64_t now_ms = whole->now_ms + dice(20000);
    whole->now_ms = cache->now_ms = now_ms;
    /* First: a batch that is full in between would serve a waiting party before the rest. */
    assert_int_equal(rig_expire(whole), rig_expire(cache));
    for (uint32_t i = dice(9); i > 0; i--) {
        const char *request = random_request(now_ms);
        int64_t seq = rig_decide(whole, request)->seq;
        assert_int_equal(seq, rig_decide(cache, request)->seq);
    }
    rig_seal(whole);
    commit_all(whole);
    rig_seal(cache);
    while (cache->in_flight > dice(RIG_BATCHES - 1))
        rig_commit(cache);
    if (dice(40) == 0) {
        commit_all(cache);
        rig_restart(cache);
    }
    compare_databases(whole, cache);
    usher_arena_reset(&whole->arena);
}

/* All of it is done at once, since the order of work is that of memory. */
static void one_upheaval(struct rig *whole, struct rig *cache)
{
    commit_all(cache);
    const char *request = random_upheaval();
    int64_t seq = rig_decide(whole, request)->seq;
    assert_int_equal(seq, rig_decide(cache, request)->seq);
    do {
        rig_seal(whole);
        rig_seal(cache);
        commit_all(whole);
        commit_all(cache);
        assert_int_equal(inventory_has_work(whole->inventory),
                         inventory_has_work(cache->inventory));
    } while (inventory_has_work(whole->inventory));
    compare_databases(whole, cache);
}

static void run(uint32_t seed, const struct inventory_limits *limits, uint32_t batches)
{
    struct rig whole, cache;
    dice_begin(seed);
    random_begin(&world);
    rig_open(&whole, &rig_no_limits);
    rig_open(&cache, limits);
    for (uint32_t i = 0; i < batches; i++) {
        one_batch(&whole, &cache);
        if (dice(25) == 0)
            one_upheaval(&whole, &cache);
        if (i % 20 == 0) {
            commit_all(&cache);
            fake_database_check(cache.database);
            assert_int_equal(whole.database->allocation_count, cache.database->allocation_count);
            reloaded_check(whole.inventory, whole.database);
            reloaded_check(cache.inventory, cache.database);
        }
    }
    rig_close(&whole);
    rig_close(&cache);
}

static void without_memory_the_answers_are_the_same(void **state)
{
    (void)state;
    static const struct inventory_limits none = {0, 0, 0, 0, 0};
    run(1, &none, 400);
}

static void with_little_memory_the_answers_are_the_same(void **state)
{
    (void)state;
    static const struct inventory_limits little = {10, 2, 60, 15, 12};
    static const uint32_t seeds[] = {2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        run(seeds[i], &little, 250);
}

static void with_all_memory_the_answers_are_the_same(void **state)
{
    (void)state;
    run(9, &rig_no_limits, 300);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_memory_the_answers_are_the_same),
    cmocka_unit_test(with_little_memory_the_answers_are_the_same),
    cmocka_unit_test(with_all_memory_the_answers_are_the_same),
};
UNIT_TESTS(test_inventory_reload, tests, NULL, NULL)
