/*
 * What quotas leave of the free units, of a pool and of all together, against trying everything.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/sellable.h"
#include "worker/inventory/terms.h"

/* The same numbers every time: a failure can be looked at again. */
static uint32_t dice_state;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)dice_state * sides >> 32);
}

enum {
    POOLS = 6,
    NAMES = 4,
    QUOTAS = 3,
    CAPACITY_MAX = 3,
    FIRST_NIGHT = 7,
    NIGHTS = 2
};

/* Pools by index, and the name of each. */
static const struct {
    enum usher_kind kind;
    uint32_t name;
    int32_t night;
} pools[POOLS] = {
    {USHER_PRODUCT, 0, NIGHT_NONE}, {USHER_ROOM, 1, 7}, {USHER_ROOM, 1, 8},
    {USHER_SECTION, 2, NIGHT_NONE}, {USHER_ROOM, 3, 8}, {USHER_ROOM, 3, 7},
};

static const char *const names[NAMES] = {"a", "b", "c", "d"};

/* Names as bits. */
struct limit {
    uint32_t names;
    int64_t units;
};

static struct resource *open_resource(const struct limit *quotas)
{
    static char terms[1000];
    size_t size = (size_t)snprintf(terms, sizeof terms, "{\"quotas\":[");
    for (uint32_t i = 0; i < QUOTAS; i++) {
        size += (size_t)snprintf(terms + size, sizeof terms - size,
                                 "%s{\"quota\":\"%u\",\"limit\":%lld,\"pools\":[", i ? "," : "", i,
                                 (long long)quotas[i].units);
        const char *comma = "";
        for (uint32_t name = 0; name < NAMES; name++)
            if (quotas[i].names >> name & 1) {
                size += (size_t)snprintf(terms + size, sizeof terms - size, "%s\"%s\"", comma,
                                         names[name]);
                comma = ",";
            }
        size += (size_t)snprintf(terms + size, sizeof terms - size, "]}");
    }
    snprintf(terms + size, sizeof terms - size, "]}");
    const struct resource_row row = {.no = 1, .id = "r", .terms = terms};
    struct resource *resource = resource_create(&row);
    for (uint32_t i = 0; i < POOLS; i++)
        catalogue_set_capacity(
            catalogue_add(resource, pools[i].kind, names[pools[i].name], pools[i].night),
            dice(CAPACITY_MAX + 1));
    catalogue_settle(resource);
    return resource;
}

/* ---- trying everything ---- */

/* What a quota still has on a night, if each pool sells that many more. */
static int64_t left_on(const struct resource *resource, const struct limit *quota, int32_t night,
                       const uint32_t *more)
{
    int64_t left = quota->units;
    for (uint32_t i = 0; i < POOLS; i++) {
        bool counts = pools[i].night == NIGHT_NONE || pools[i].night == night;
        if (counts && quota->names >> pools[i].name & 1)
            left -= resource->pools[i].taken.held + resource->pools[i].taken.sold + more[i];
    }
    return left;
}

/* Whether quotas allow that; a quota that was exceeded before allows no more of its pools. */
static bool is_allowed(const struct resource *resource, const struct limit *quotas,
                       const uint32_t *more)
{
    static const uint32_t nothing[POOLS];
    for (uint32_t i = 0; i < QUOTAS; i++)
        for (int32_t night = FIRST_NIGHT; night < FIRST_NIGHT + NIGHTS; night++) {
            int64_t left = left_on(resource, &quotas[i], night, more);
            if (left < 0 && left < left_on(resource, &quotas[i], night, nothing))
                return false;
        }
    return true;
}

/* Counts up; false: all were tried. */
static bool next_choice(const struct resource *resource, uint32_t *more)
{
    for (uint32_t i = 0; i < POOLS; i++) {
        if (more[i] < pool_free(&resource->pools[i])) {
            more[i]++;
            return true;
        }
        more[i] = 0;
    }
    return false;
}

static int64_t most_of_all(const struct resource *resource, const struct limit *quotas)
{
    uint32_t more[POOLS] = {0};
    int64_t most = 0;
    do {
        int64_t sum = 0;
        for (uint32_t i = 0; i < POOLS; i++)
            sum += more[i];
        if (sum > most && is_allowed(resource, quotas, more))
            most = sum;
    } while (next_choice(resource, more));
    return most;
}

static bool are_nested(const struct limit *quotas)
{
    for (uint32_t i = 0; i < QUOTAS; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t both = quotas[i].names & quotas[j].names;
            if (both != 0 && both != quotas[i].names && both != quotas[j].names)
                return false;
        }
    return true;
}

/* ---- the tests ---- */

static void move_units(struct resource *resource)
{
    static const enum booking_state states[] = {BOOKING_HELD, BOOKING_CONFIRMED, BOOKING_BLOCKED};
    uint32_t index = dice(POOLS);
    struct pool *pool = &resource->pools[index];
    enum booking_state state = states[dice(3)];
    int32_t unit = (int32_t)units_next_free(&pool->units, 0);
    if (pool_free(pool) > 0 && dice(3) > 0) {
        resource_take(resource, index, &unit, 1, state);
    } else if (*unit_counts_in(&pool->taken, state) > 0) {
        for (unit = 0; pool->units.count > 0 && units_state(&pool->units, (uint32_t)unit) != state;)
            unit++;
        resource_give(resource, index, &unit, 1, state);
    }
}

/* What is kept up to date is what is found from scratch. */
static void check_kept(struct resource *resource)
{
    int64_t kept = terms_available_in_all(resource);
    for (uint32_t i = 0; i < POOLS; i++)
        assert_int_equal(terms_available(resource, &resource->pools[i]),
                         sellable_alone(&resource->sellable, i, pool_free(&resource->pools[i])));
    assert_true(terms_resolve(resource));
    assert_int_equal(terms_available_in_all(resource), kept);
}

static void as_much_as_trying_everything_finds(void **state)
{
    (void)state;
    uint32_t nested = 0, equal = 0, found = 0;
    for (uint32_t round = 0; round < 1500; round++) {
        struct limit quotas[QUOTAS];
        for (uint32_t i = 0; i < QUOTAS; i++)
            quotas[i] = (struct limit){1 + dice((1 << NAMES) - 1), dice(7)};
        struct resource *resource = open_resource(quotas);
        for (uint32_t step = 0; step < 4; step++) {
            int64_t free = terms_available_in_all(resource);
            int64_t most = most_of_all(resource, quotas);
            assert_true(free <= most && (free == 0) == (most == 0));
            if (are_nested(quotas)) {
                assert_int_equal(most, free);
                nested++;
            }
            equal += most == free;
            found++;
            move_units(resource);
            check_kept(resource);
        }
        resource_check(resource);
        resource_destroy(resource);
    }
    assert_true(nested > 300);
    assert_true(equal > found * 9 / 10); /* where quotas overlap it is nearly always the most */
}

/* A year is mistyped soon, and each decision goes through the nights of a mixed quota. */
static void nights_that_nobody_sells_are_not_looked_at(void **state)
{
    (void)state;
    const struct resource_row row = {.no = 1,
                                     .id = "r",
                                     .terms = "{\"quotas\":[{\"quota\":\"q\",\"limit\":4,"
                                              "\"pools\":[\"a\",\"b\",\"d\"]}]}"};
    const int32_t nights[] = {2900000, 7, 8, 7};
    struct resource *resource = resource_create(&row);
    catalogue_set_capacity(catalogue_add(resource, USHER_PRODUCT, "a", NIGHT_NONE), 9);
    for (size_t i = 0; i < sizeof nights / sizeof *nights; i++)
        catalogue_set_capacity(catalogue_add(resource, USHER_ROOM, i < 2 ? "b" : "d", nights[i]),
                               3);
    catalogue_settle(resource);
    const struct quotas *quotas = &resource->terms.quotas;
    assert_int_equal(3, quotas->night_count);
    assert_int_equal(7, quotas->nights[0]);
    assert_int_equal(8, quotas->nights[1]);
    assert_int_equal(2900000, quotas->nights[2]);
    assert_int_equal(4 + 3 + 3, terms_available_in_all(resource));
    resource_take(resource, 1, (const int32_t[]){0, 1, 2}, 3, BOOKING_HELD);
    assert_int_equal(1, terms_available(resource, &resource->pools[0]));
    resource_destroy(resource);
}

static void without_quotas_all_that_is_free(void **state)
{
    (void)state;
    const struct resource_row row = {.no = 1, .id = "r"};
    struct resource *resource = resource_create(&row);
    catalogue_set_capacity(catalogue_add(resource, USHER_SECTION, "a", NIGHT_NONE), 9);
    catalogue_settle(resource);
    resource_take(resource, 0, NULL, 2, BOOKING_HELD);
    assert_int_equal(7, terms_available_in_all(resource));
    assert_null(resource->sellable.quotas);
    resource_destroy(resource);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(as_much_as_trying_everything_finds),
    cmocka_unit_test(nights_that_nobody_sells_are_not_looked_at),
    cmocka_unit_test(without_quotas_all_that_is_free),
};
UNIT_TESTS(test_sellable, tests, NULL, NULL)
