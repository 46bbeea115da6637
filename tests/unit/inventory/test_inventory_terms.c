/*
 * Limits, quotas and rates as a resource is sold under them, and what its customers have.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"

/* The same numbers every time: a failure can be looked at again. */
static uint32_t dice_state;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)dice_state * sides >> 32);
}

enum {
    STALLS, /* pools of the hotel, by index */
    DOUBLE_7,
    DOUBLE_8,
    SINGLE_8,
    SINGLE_9,
    BREAKFAST,
    POOLS
};

static void add(struct resource *resource, enum usher_kind kind, const char *name, int32_t night)
{
    catalogue_set_capacity(catalogue_add(resource, kind, name, night), 20);
}

static struct resource *hotel(const char *terms)
{
    const struct resource_row row = {.no = 1, .id = "hotel", .terms = terms};
    struct resource *resource = resource_create(&row);
    add(resource, USHER_SECTION, "stalls", NIGHT_NONE);
    add(resource, USHER_ROOM, "double", 7);
    add(resource, USHER_ROOM, "double", 8);
    add(resource, USHER_ROOM, "single", 8);
    add(resource, USHER_ROOM, "single", 9);
    add(resource, USHER_PRODUCT, "breakfast", NIGHT_NONE);
    catalogue_settle(resource);
    return resource;
}

static void take(struct resource *resource, uint32_t pool, uint32_t count, enum booking_state state)
{
    for (; count > 0; count--) {
        int32_t unit = (int32_t)units_next_free(&resource->pools[pool].units, 0);
        resource_take(resource, pool, &unit, 1, state);
    }
}

/* ---- limits ---- */

static void without_terms_there_are_no_limits(void **state)
{
    (void)state;
    struct resource *resource = hotel(NULL);
    assert_int_equal(0, resource->terms.units_min);
    assert_int_equal(0, resource->terms.units_per_request);
    assert_int_equal(0, resource->terms.units_per_customer);
    assert_int_equal(0, resource->terms.holds_per_customer);
    assert_int_equal(0, resource->terms.group_count + resource->terms.quotas.count);
    assert_false(resource->terms.limits_customers);
    assert_int_equal(20, terms_available(resource, &resource->pools[STALLS]));
    resource_destroy(resource);
}

#define LIMITS(limits) "{\"limits\":{" limits "}}"
#define GROUP(pools, limit) "{\"pools\":[" pools "],\"limit\":" limit "}"

static void limits_are_those_that_are_written(void **state)
{
    (void)state;
    struct resource *resource = hotel(LIMITS(
        "\"units_min\":2,\"units_per_request\":9,\"units_per_customer\":12,"
        "\"holds_per_customer\":3,\"hold_total_s\":900,"
        "\"house_hold_total_s\":9000,\"groups\":[" GROUP("\"double\",\"breakfast\"", "5") "]"));
    const struct terms *terms = &resource->terms;
    assert_int_equal(2, terms->units_min);
    assert_int_equal(9, terms->units_per_request);
    assert_int_equal(12, terms->units_per_customer);
    assert_int_equal(3, terms->holds_per_customer);
    assert_int_equal(900, terms->hold_total_s);
    assert_int_equal(9000, terms->house_hold_total_s);
    assert_int_equal(1, terms->group_count);
    assert_int_equal(5, terms->groups[0].limit);
    for (uint32_t pool = 0; pool < POOLS; pool++)
        assert_int_equal(pool == DOUBLE_7 || pool == DOUBLE_8 || pool == BREAKFAST,
                         terms_group_has(&terms->groups[0], resource, pool));
    resource_destroy(resource);
}

static void only_some_limits_concern_single_customers(void **state)
{
    (void)state;
    static const struct {
        const char *terms;
        bool limits;
    } cases[] = {
        {LIMITS("\"units_min\":2,\"units_per_request\":9"), false},
        {LIMITS("\"hold_total_s\":1,\"house_hold_total_s\":1"), false},
        {LIMITS("\"units_per_customer\":1"), true},
        {LIMITS("\"holds_per_customer\":1"), true},
        {LIMITS("\"groups\":[" GROUP("\"double\"", "5") "]"), true},
        {"{\"quotas\":[{\"quota\":\"q\",\"pools\":[\"stalls\"],\"limit\":1}]}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct resource *resource = hotel(cases[i].terms);
        assert_int_equal(cases[i].limits, resource->terms.limits_customers);
        resource_destroy(resource);
    }
}

/* Terms point to names of pools: a clone has its own. */
static void a_clone_has_terms_of_its_own(void **state)
{
    (void)state;
    struct resource *original =
        hotel("{\"quotas\":[{\"quota\":\"q\",\"pools\":[\"stalls\"],\"limit\":3}]}");
    struct resource *clone = resource_clone(original);
    catalogue_settle(clone);
    resource_destroy(original);
    assert_int_equal(3, terms_available(clone, &clone->pools[STALLS]));
    clone->row.terms = LIMITS("\"groups\":[" GROUP("\"unknown\"", "5") "]");
    assert_false(terms_resolve(clone));
    assert_int_equal(1, clone->terms.quotas.count); /* as they were */
    resource_destroy(clone);
}

/* ---- quotas ---- */

#define QUOTA(pools, limit) \
    "{\"quotas\":[{\"quota\":\"q\",\"pools\":[" pools "],\"limit\":" limit "}]}"

static void check_available(const struct resource *resource, uint32_t pool, uint32_t wanted)
{
    assert_int_equal(wanted, terms_available(resource, &resource->pools[pool]));
}

static void a_quota_counts_what_is_held_and_sold_over_its_pools(void **state)
{
    (void)state;
    struct resource *resource = hotel(QUOTA("\"stalls\",\"breakfast\"", "7"));
    take(resource, STALLS, 2, BOOKING_HELD);
    take(resource, BREAKFAST, 1, BOOKING_CONFIRMED);
    take(resource, BREAKFAST, 9, BOOKING_BLOCKED);
    take(resource, DOUBLE_7, 9, BOOKING_HELD);
    check_available(resource, STALLS, 4);
    check_available(resource, BREAKFAST, 4);
    check_available(resource, DOUBLE_7, 11);
    take(resource, BREAKFAST, 8, BOOKING_BLOCKED);
    check_available(resource, BREAKFAST, 2); /* no more are free */
    take(resource, STALLS, 9, BOOKING_CONFIRMED);
    check_available(resource, STALLS, 0); /* more than the quota, since it was lowered */
    resource_destroy(resource);
}

static void a_quota_counts_each_night_by_itself(void **state)
{
    (void)state;
    struct resource *resource = hotel(QUOTA("\"double\",\"single\"", "10"));
    take(resource, DOUBLE_7, 4, BOOKING_CONFIRMED);
    take(resource, DOUBLE_8, 3, BOOKING_HELD);
    take(resource, SINGLE_8, 2, BOOKING_CONFIRMED);
    check_available(resource, DOUBLE_7, 6);
    check_available(resource, DOUBLE_8, 5);
    check_available(resource, SINGLE_8, 5);
    check_available(resource, SINGLE_9, 10);
    resource_destroy(resource);
}

/* What is sold without a night takes from every one of them. */
static void rooms_and_others_share_a_quota_on_the_fullest_night(void **state)
{
    (void)state;
    struct resource *resource = hotel(QUOTA("\"double\",\"single\",\"breakfast\"", "10"));
    take(resource, DOUBLE_7, 4, BOOKING_CONFIRMED);
    take(resource, DOUBLE_8, 3, BOOKING_HELD);
    take(resource, SINGLE_8, 2, BOOKING_CONFIRMED);
    take(resource, BREAKFAST, 1, BOOKING_HELD);
    check_available(resource, DOUBLE_7, 5);
    check_available(resource, SINGLE_8, 4);
    check_available(resource, SINGLE_9, 9);
    check_available(resource, BREAKFAST, 4);
    resource_destroy(resource);
}

static void the_tightest_quota_counts(void **state)
{
    (void)state;
    struct resource *resource =
        hotel("{\"quotas\":[{\"quota\":\"a\",\"pools\":[\"stalls\"],\"limit\":9},"
              "{\"quota\":\"b\",\"pools\":[\"stalls\",\"breakfast\"],\"limit\":8},"
              "{\"quota\":\"c\",\"pools\":[\"breakfast\"],\"limit\":5}]}");
    take(resource, BREAKFAST, 3, BOOKING_HELD);
    check_available(resource, STALLS, 5);
    check_available(resource, BREAKFAST, 2);
    resource_destroy(resource);
}

/* ---- rates ---- */

static void check_price(struct pool *pool, const char *rate, int64_t price, const char *named)
{
    int64_t found;
    const char *name;
    assert_true(rates_price(pool, rate, &found, &name));
    assert_int_equal(price, found);
    if (named)
        assert_string_equal(named, name);
    else
        assert_null(name);
}

static void an_item_without_a_rate_costs_the_standard_one(void **state)
{
    (void)state;
    struct resource *resource = hotel(NULL);
    struct pool *pool = &resource->pools[STALLS];
    int64_t price;
    const char *named;
    pool->row.price = 700;
    check_price(pool, NULL, 700, NULL);
    check_price(pool, "standard", 700, NULL);
    assert_false(rates_price(pool, "adult", &price, &named));

    rates_set(pool, rates_read(resource, "[[\"adult\",900],[\"child\",400]]"));
    check_price(pool, NULL, 900, "adult");
    check_price(pool, "child", 400, "child");
    assert_false(rates_price(pool, "standard", &price, &named));

    rates_set(pool, rates_read(resource, "[[\"adult\",900],[\"standard\",0]]"));
    check_price(pool, NULL, 0, "standard");
    check_price(pool, "adult", 900, "adult");
    resource_destroy(resource);
}

/* ---- what customers have ---- */

enum {
    CUSTOMERS = 5,
    BOOKINGS = 40
};

static const char *const customers[CUSTOMERS] = {"a", "b", "c", "d", NULL};
static const int32_t numbers[9];

static struct content *some_content(void)
{
    struct line lines[3];
    uint32_t count = 1 + dice(3);
    for (uint32_t i = 0; i < count; i++)
        lines[i] = (struct line){.pool = dice(POOLS), .unit_count = 1 + dice(9), .units = numbers};
    return content_create(lines, count);
}

static void change(struct resource *resource, struct booking *booking)
{
    tally_remove(resource, booking);
    free(booking->content);
    booking->row.state = (enum booking_state)dice(BOOKING_STATE_COUNT);
    booking->row.customer = customers[dice(CUSTOMERS)];
    booking->content = some_content();
    tally_add(resource, booking);
}

static bool is_of(const struct booking *booking, const char *customer)
{
    return booking->row.customer && strcmp(booking->row.customer, customer) == 0 &&
           (booking->row.state == BOOKING_HELD || booking->row.state == BOOKING_CONFIRMED);
}

static void compare(const struct resource *resource, const struct booking *bookings,
                    const char *customer)
{
    const struct tally *tally = tally_find(resource, customer);
    uint32_t units = 0, holds = 0;
    int64_t in_group = 0;
    for (uint32_t i = 0; i < BOOKINGS; i++) {
        const struct booking *booking = &bookings[i];
        if (!is_of(booking, customer))
            continue;
        holds += booking->row.state == BOOKING_HELD;
        units += booking->content->unit_count;
        for (uint32_t j = 0; j < booking->content->line_count; j++) {
            const struct line *line = &booking->content->lines[j];
            bool counts =
                line->pool == DOUBLE_7 || line->pool == DOUBLE_8 || line->pool == BREAKFAST;
            in_group += counts ? line->unit_count : 0;
        }
    }
    assert_int_equal(units, tally ? tally->units : 0);
    assert_int_equal(holds, tally ? tally->holds : 0);
    assert_int_equal(holds, tally ? tally->open_count : 0);
    assert_int_equal(in_group, tally_of_group(tally, &resource->terms.groups[0], resource));
    assert_true(!tally || units + holds > 0); /* nobody is kept for nothing */
}

static void customers_are_counted_as_their_bookings_change(void **state)
{
    (void)state;
    static struct booking bookings[BOOKINGS];
    struct resource *resource =
        hotel(LIMITS("\"groups\":[" GROUP("\"double\",\"breakfast\"", "5") "]"));
    for (uint32_t i = 0; i < BOOKINGS; i++) {
        bookings[i].row.no = i;
        bookings[i].row.request_id = "r";
        bookings[i].content = content_create(NULL, 0);
    }
    tallies_begin(resource);
    for (uint32_t step = 0; step < 3000; step++) {
        change(resource, &bookings[dice(BOOKINGS)]);
        compare(resource, bookings, customers[dice(CUSTOMERS - 1)]);
    }
    for (uint32_t i = 0; i < BOOKINGS; i++) {
        tally_remove(resource, &bookings[i]);
        free(bookings[i].content);
    }
    assert_int_equal(0, resource->tallies.by_customer.count);
    resource_destroy(resource);
}

static void nothing_is_counted_where_nothing_limits_customers(void **state)
{
    (void)state;
    struct resource *resource = hotel(NULL);
    struct booking booking = {
        .row.state = BOOKING_HELD, .row.customer = "a", .content = some_content()};
    tally_add(resource, &booking);
    assert_null(tally_find(resource, "a"));
    tally_remove(resource, &booking);
    free(booking.content);
    resource_destroy(resource);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_terms_there_are_no_limits),
    cmocka_unit_test(limits_are_those_that_are_written),
    cmocka_unit_test(only_some_limits_concern_single_customers),
    cmocka_unit_test(a_clone_has_terms_of_its_own),
    cmocka_unit_test(a_quota_counts_what_is_held_and_sold_over_its_pools),
    cmocka_unit_test(a_quota_counts_each_night_by_itself),
    cmocka_unit_test(rooms_and_others_share_a_quota_on_the_fullest_night),
    cmocka_unit_test(the_tightest_quota_counts),
    cmocka_unit_test(an_item_without_a_rate_costs_the_standard_one),
    cmocka_unit_test(customers_are_counted_as_their_bookings_change),
    cmocka_unit_test(nothing_is_counted_where_nothing_limits_customers),
};
UNIT_TESTS(test_inventory_terms, tests, NULL, NULL)
