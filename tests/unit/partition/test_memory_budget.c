/*
 * Who may take memory for what it is about to do, where there is not enough for all at once.
 */
#include <unistd.h>

#include "tests/unit/unit.h"
#include "worker/observe/metrics.h"
#include "worker/partition/memory_budget.h"

enum {
    PARTITIONS = 3,
    MUCH = 1 << 20
};

struct house {
    struct metrics_registry *registry;
    struct memory_budget *budget;
};

static struct house open_house(int64_t max)
{
    struct house house = {.registry = metrics_open(USHER_VERSION)};
    house.budget = memory_budget_open(max, PARTITIONS, house.registry);
    return house;
}

static void close_house(struct house *house)
{
    memory_budget_close(house->budget);
    metrics_close(house->registry);
}

static bool reserves(struct house *house, int32_t partition)
{
    return memory_budget_reserve(house->budget, partition, MEMORY_FOR_BATCH, MUCH);
}

static void gives_back(struct house *house, int32_t partition)
{
    memory_budget_release(house->budget, partition, MEMORY_FOR_BATCH);
}

static void all_may_take_what_there_is(void **state)
{
    (void)state;
    struct house house = open_house(INT64_C(1) << 40);
    for (int32_t i = 0; i < PARTITIONS; i++)
        assert_true(reserves(&house, i));
    close_house(&house);
}

/* More is used than there is, from the start: one after another, or nobody would go on. */
static void without_room_one_may_and_the_next_is_who_asked_first(void **state)
{
    (void)state;
    struct house house = open_house(1);
    assert_true(reserves(&house, 0));
    assert_false(reserves(&house, 1));
    assert_false(reserves(&house, 2));
    assert_false(reserves(&house, 0)); /* for more: what it has counts */
    gives_back(&house, 0);
    assert_false(reserves(&house, 2));
    assert_true(reserves(&house, 1));
    assert_false(reserves(&house, 0));
    gives_back(&house, 1);
    assert_false(reserves(&house, 0));
    assert_true(reserves(&house, 2));
    close_house(&house);
}

static void who_no_longer_asks_is_not_waited_for(void **state)
{
    (void)state;
    struct house house = open_house(1);
    assert_true(reserves(&house, 0));
    assert_false(reserves(&house, 1));
    assert_false(reserves(&house, 2));
    gives_back(&house, 0);
    gives_back(&house, 1); /* it is taken over, say */
    assert_true(reserves(&house, 2));
    gives_back(&house, 2);
    assert_true(reserves(&house, 0));
    assert_false(reserves(&house, 1));
    gives_back(&house, 0);
    while (!reserves(&house, 2)) /* until 1 was silent for long enough */
        usleep(10000);
    close_house(&house);
}

/* A small batch of its own was committed meanwhile: it does not go back to the end. */
static void who_waits_keeps_its_place(void **state)
{
    (void)state;
    struct house house = open_house(1);
    assert_true(reserves(&house, 0));
    assert_false(reserves(&house, 1));
    assert_false(reserves(&house, 2));
    memory_budget_return(house.budget, 1, MEMORY_FOR_BATCH, 0);
    memory_budget_return(house.budget, 0, MEMORY_FOR_BATCH, 0);
    assert_false(reserves(&house, 2));
    assert_true(reserves(&house, 1));
    close_house(&house);
}

/* It is part of what is measured then: the others need not wait until it is given back. */
static void what_was_taken_counts_once(void **state)
{
    (void)state;
    const int64_t max = INT64_C(1) << 40;
    const int64_t most = max / 4 * 3;
    struct house house = open_house(max);
    assert_true(memory_budget_reserve(house.budget, 0, MEMORY_FOR_BATCH, most));
    assert_false(memory_budget_reserve(house.budget, 1, MEMORY_FOR_BATCH, most));
    memory_budget_settle(house.budget, 0, MEMORY_FOR_BATCH, most); /* not yet taken */
    assert_false(memory_budget_reserve(house.budget, 1, MEMORY_FOR_BATCH, most));
    memory_budget_settle(house.budget, 0, MEMORY_FOR_BATCH, 0);
    while (!memory_budget_reserve(house.budget, 1, MEMORY_FOR_BATCH, most)) /* until measured */
        usleep(10000);
    close_house(&house);
}

/* More than the maximum is for one alone, until it is done with it. */
static void what_was_taken_keeps_others_from_passing_the_maximum(void **state)
{
    (void)state;
    struct house house = open_house(1);
    assert_true(reserves(&house, 0));
    memory_budget_settle(house.budget, 0, MEMORY_FOR_BATCH, 0);
    for (int i = 0; i < 20; i++, usleep(10000)) /* it was measured meanwhile */
        assert_false(reserves(&house, 1));
    memory_budget_return(house.budget, 0, MEMORY_FOR_BATCH, 0);
    assert_true(reserves(&house, 1));
    close_house(&house);
}

static void the_cache_takes_for_itself(void **state)
{
    (void)state;
    struct house house = open_house(1);
    assert_true(reserves(&house, 0));
    assert_false(memory_budget_reserve(house.budget, 0, MEMORY_FOR_CACHE, MUCH));
    memory_budget_release(house.budget, 0, MEMORY_FOR_CACHE);
    assert_false(reserves(&house, 1));
    gives_back(&house, 0);
    assert_true(reserves(&house, 1));
    close_house(&house);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_may_take_what_there_is),
    cmocka_unit_test(without_room_one_may_and_the_next_is_who_asked_first),
    cmocka_unit_test(who_no_longer_asks_is_not_waited_for),
    cmocka_unit_test(who_waits_keeps_its_place),
    cmocka_unit_test(what_was_taken_counts_once),
    cmocka_unit_test(what_was_taken_keeps_others_from_passing_the_maximum),
    cmocka_unit_test(the_cache_takes_for_itself),
};
UNIT_TESTS(test_memory_budget, tests, NULL, NULL)
