/*
 * A walk at random over all that the memory of a partition keeps: units, bookings, carts, waiting
 * lists, what customers have, what comes due. Beside it a list of bookings from which each of these
 * is worked out anew. Memory is small, commits lag behind, and now and then it is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_rig.h"
#include "producer/codec/request_hash.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/horizon.h"
#include "worker/inventory/resource_units.h"
#include "worker/inventory/resources.h"
#include "worker/inventory/settle.h"
#include "worker/inventory/tally.h"
#include "worker/inventory/trim.h"
#include "worker/inventory/waiting_list.h"

enum {
    RESOURCES = 3,
    POOLS = 2,
    NUMBERS = 24, /* no pool has a higher one */
    UNITS = 3,    /* a booking at most */
    BOOKINGS = 1500,
    CUSTOMERS = 4,
    CARTS = 2
};

static uint32_t dice_state;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 1664525U + 1013904223U;
    return (uint32_t)((uint64_t)dice_state * sides >> 32);
}

static const char *const resource_ids[RESOURCES] = {"a", "b", "c"};
static const char *const customers[CUSTOMERS] = {"ann", "bob", "cid", "dot"};
static const char *const carts[CARTS] = {"k", "l"};
static const char *const wants[] = {
    "{\"op\":\"hold\",\"items\":[{\"product\":\"mug\",\"quantity\":1}]}",
    "{\"op\":\"hold\",\"items\":[{\"product\":\"mug\",\"quantity\":2}]}",
    "{\"op\":\"hold\",\"items\":[{\"product\":\"cup\",\"quantity\":1}]}",
};

struct naive_booking {
    int64_t no;
    uint32_t resource;
    enum booking_state state;
    const char *customer, *cart, *wants, *rate;
    int64_t expires_ms;
    uint32_t pool, unit_count;
    int32_t units[UNITS];
    char id[16];
};

struct walk {
    struct rig rig;
    struct naive_booking bookings[BOOKINGS];
    uint32_t booking_count;
    uint32_t capacities[RESOURCES][POOLS];
    bool limited[RESOURCES];
    uint32_t retired, evicted, expired, counted; /* that these happened */
};

static bool possesses(const struct naive_booking *booking)
{
    return booking->state == BOOKING_HELD || booking->state == BOOKING_CONFIRMED ||
           booking->state == BOOKING_BLOCKED;
}

/* ---- what follows from the bookings ---- */

/* The state of each number of a pool; returns how many are taken. */
static uint32_t naive_units(const struct walk *walk, uint32_t resource, uint32_t pool,
                            enum booking_state states[NUMBERS])
{
    uint32_t taken = 0;
    memset(states, 0, NUMBERS * sizeof(*states));
    for (uint32_t i = 0; i < walk->booking_count; i++) {
        const struct naive_booking *booking = &walk->bookings[i];
        if (booking->resource != resource || booking->pool != pool || !possesses(booking))
            continue;
        taken += booking->unit_count;
        for (uint32_t j = 0; j < booking->unit_count; j++) {
            assert_int_equal(BOOKING_NONE, states[booking->units[j]]);
            states[booking->units[j]] = booking->state;
        }
    }
    return taken;
}

static void compare_pool(struct walk *walk, uint32_t resource, const struct pool *pool)
{
    enum booking_state states[NUMBERS];
    uint32_t capacity = walk->capacities[resource][pool->row.index];
    uint32_t free = capacity - naive_units(walk, resource, pool->row.index, states);
    assert_int_equal(capacity, pool->units.capacity);
    assert_int_equal(free, pool->units.free);
    for (uint32_t unit = 0; unit < pool->units.count; unit++) {
        bool is_free = states[unit] == BOOKING_NONE && free > 0;
        assert_int_equal(states[unit], units_state(&pool->units, unit));
        assert_int_equal(is_free, units_is_free(&pool->units, unit));
        free -= is_free;
    }
    walk->retired += pool->units.count > capacity;
    for (uint32_t unit = pool->units.count; unit < NUMBERS; unit++)
        assert_int_equal(BOOKING_NONE, states[unit]);
    assert_int_equal(0, free);
}

struct waiting_check {
    struct walk *walk;
    uint32_t resource, at; /* in bookings */
};

static void compare_party(struct booking *booking, void *self)
{
    struct waiting_check *check = self;
    const struct naive_booking *bookings = check->walk->bookings;
    while (bookings[check->at].resource != check->resource ||
           bookings[check->at].state != BOOKING_WAITING)
        check->at++;
    assert_int_equal(bookings[check->at].no, booking->no);
    assert_string_equal(bookings[check->at].wants, booking->waits_in->wants);
    check->at++;
}

static void compare_waiting(struct walk *walk, uint32_t at, struct resource *resource)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < walk->booking_count; i++)
        count += walk->bookings[i].resource == at && walk->bookings[i].state == BOOKING_WAITING;
    assert_int_equal(count, resource->waiting.count);
    struct waiting_check check = {walk, at, 0};
    waiting_each(resource, compare_party, &check);
}

static void compare_customer(struct walk *walk, uint32_t at, const struct resource *resource,
                             const char *customer)
{
    uint32_t units = 0, holds = 0;
    for (uint32_t i = 0; i < walk->booking_count; i++) {
        const struct naive_booking *booking = &walk->bookings[i];
        bool counts = booking->state == BOOKING_HELD || booking->state == BOOKING_CONFIRMED;
        if (booking->resource != at || !counts || strcmp(booking->customer, customer) != 0)
            continue;
        units += booking->unit_count;
        holds += booking->state == BOOKING_HELD;
    }
    const struct tally *tally = tally_find(resource, customer);
    assert_int_equal(units, tally ? tally->units : 0);
    assert_int_equal(holds, tally ? tally->holds : 0);
    walk->counted += units > 0;
}

static void compare_resource(struct walk *walk, uint32_t at, struct resource *resource)
{
    resource_check(resource);
    for (uint32_t i = 0; i < POOLS; i++)
        compare_pool(walk, at, &resource->pools[i]);
    compare_waiting(walk, at, resource);
    assert_int_equal(walk->limited[at], resource->tallies.kept);
    for (uint32_t i = 0; walk->limited[at] && i < CUSTOMERS; i++)
        compare_customer(walk, at, resource, customers[i]);
}

static void compare_booking(const struct naive_booking *naive, const struct booking *booking)
{
    assert_int_equal(naive->no, booking->no);
    assert_int_equal(naive->state, booking->state);
    assert_int_equal(naive->expires_ms, booking->expires_ms);
    assert_string_equal(naive->customer, booking->customer);
    assert_int_equal(naive->cart != NULL, booking->cart != NULL);
    assert_int_equal(naive->unit_count, booking->content->unit_count);
    assert_int_equal(naive->unit_count > 0 ? 1 : 0, booking->content->line_count);
    if (naive->unit_count == 0)
        return;
    const struct line *line = &booking->content->lines[0];
    assert_int_equal(naive->pool, line->pool);
    assert_memory_equal(naive->units, line->units, naive->unit_count * sizeof(int32_t));
    assert_int_equal(naive->rate != NULL, line->rate != NULL);
}

/* ---- one change ---- */

/* Loads what a request about that booking, or in that cart, would need. */
static struct resource *come_to(struct walk *walk, uint32_t at, const char *booking,
                                const char *customer, const char *cart)
{
    struct input input = {.request = {.op = USHER_OP_HOLD,
                                      .resource = resource_ids[at],
                                      .booking = booking,
                                      .customer = customer,
                                      .cart = cart}};
    request_id_hash("new", input.id_hash);
    rig_load(&walk->rig, &input, walk->rig.now_ms);
    return rig_resource(&walk->rig, resource_ids[at]);
}

/* A decision about the resource, which changes with it. Returns its seq. */
static int64_t decision(struct walk *walk, struct resource *resource)
{
    struct decision_row *row = batch_decision_add(rig_batch(&walk->rig));
    row->source_offset = OFFSET_NONE;
    row->resource_no = resource->row.no;
    row->outcome = USHER_HELD;
    row->body = "";
    inventory_touch_resource(walk->rig.inventory, resource, row->seq);
    return row->seq;
}

/* Chooses the lowest free units of some pool for a booking. False: there are not that many. */
static bool choose(const struct resource *resource, struct naive_booking *booking)
{
    booking->pool = dice(POOLS);
    booking->unit_count = 1 + dice(UNITS);
    booking->rate = dice(2) ? "child" : NULL;
    const struct units *units = &resource->pools[booking->pool].units;
    uint32_t unit = 0;
    for (uint32_t i = 0; i < booking->unit_count && units->free >= booking->unit_count; i++) {
        unit = units_next_free(units, unit);
        booking->units[i] = (int32_t)unit++;
    }
    return units->free >= booking->unit_count;
}

static struct content *content_of(const struct naive_booking *booking)
{
    const struct line line = {.pool = booking->pool,
                              .unit_count = booking->unit_count,
                              .rate = booking->rate,
                              .units = booking->units};
    return content_create(&line, booking->unit_count > 0 ? 1 : 0);
}

static void give(struct resource *resource, const struct naive_booking *booking)
{
    if (possesses(booking))
        resource_give(resource, booking->pool, booking->units, booking->unit_count);
}

static void take(struct resource *resource, const struct naive_booking *booking)
{
    if (possesses(booking))
        resource_take(resource, booking->pool, booking->units, booking->unit_count, booking->state);
}

/* Makes the booking in memory what the naive one is. */
static void change(struct walk *walk, struct resource *resource, struct booking *booking,
                   const struct naive_booking *naive, bool other_units)
{
    struct booking_change change = booking_change_of(booking, naive->state);
    change.customer = naive->customer;
    change.cart = naive->cart;
    change.wants = naive->wants;
    change.expires_ms = naive->expires_ms;
    change.content = other_units ? content_of(naive) : NULL;
    inventory_change_booking(walk->rig.inventory, resource, booking, &change);
    (void)decision(walk, resource);
    compare_booking(naive, booking);
}

/* ---- the kinds of steps ---- */

static void make(struct walk *walk)
{
    static const enum booking_state states[] = {BOOKING_HELD, BOOKING_HELD, BOOKING_CONFIRMED,
                                                BOOKING_BLOCKED, BOOKING_WAITING};
    if (walk->booking_count == BOOKINGS)
        return;
    struct naive_booking *naive = &walk->bookings[walk->booking_count];
    *naive = (struct naive_booking){
        .resource = dice(RESOURCES),
        .state = states[dice(5)],
        .customer = customers[dice(CUSTOMERS)],
        .cart = dice(2) ? carts[dice(CARTS)] : NULL,
        .expires_ms = walk->rig.now_ms + 1 + dice(200000),
    };
    struct resource *resource = come_to(walk, naive->resource, NULL, naive->customer, naive->cart);
    if (naive->state == BOOKING_WAITING)
        naive->wants = wants[dice(3)];
    else if (!choose(resource, naive))
        return;
    if (naive->state == BOOKING_CONFIRMED || (naive->state == BOOKING_BLOCKED && dice(2)))
        naive->expires_ms = USHER_ABSENT;
    naive->no = row_number(0, (int64_t)rig_batch(&walk->rig)->expected_next_seq +
                                  rig_batch(&walk->rig)->decision_count);
    (void)snprintf(naive->id, sizeof(naive->id), "b%u", walk->booking_count++);
    const struct booking_row row = {.no = naive->no,
                                    .resource_no = resource->row.no,
                                    .request_id = naive->id,
                                    .customer = naive->customer,
                                    .cart = naive->cart,
                                    .op = USHER_OP_HOLD,
                                    .created_ms = walk->rig.now_ms,
                                    .expires_ms = naive->expires_ms,
                                    .ttl_s = 60};
    struct booking *booking = inventory_add_booking(walk->rig.inventory, &row, content_of(naive));
    take(resource, naive);
    change(walk, resource, booking, naive, false);
}

static void end(struct walk *walk, struct resource *resource, struct booking *booking,
                struct naive_booking *naive)
{
    static const enum booking_state ends[BOOKING_STATE_COUNT] = {
        [BOOKING_HELD] = BOOKING_RELEASED,
        [BOOKING_CONFIRMED] = BOOKING_CANCELLED,
        [BOOKING_BLOCKED] = BOOKING_RELEASED,
        [BOOKING_WAITING] = BOOKING_LEFT,
    };
    give(resource, naive);
    naive->state = ends[naive->state];
    change(walk, resource, booking, naive, false);
}

/* Or it is refused, and the old units are taken again, be they where they may. */
static void exchange(struct walk *walk, struct resource *resource, struct booking *booking,
                     struct naive_booking *naive)
{
    const struct naive_booking old = *naive;
    give(resource, naive);
    if (!choose(resource, naive) || dice(3) == 0) {
        *naive = old;
        take(resource, naive);
        return;
    }
    take(resource, naive);
    change(walk, resource, booking, naive, true);
}

static void confirm(struct walk *walk, struct resource *resource, struct booking *booking,
                    struct naive_booking *naive)
{
    resource_sell(resource, naive->pool, naive->units, naive->unit_count);
    naive->state = BOOKING_CONFIRMED;
    naive->expires_ms = USHER_ABSENT;
    change(walk, resource, booking, naive, false);
}

static void transfer(struct walk *walk, struct resource *resource, struct booking *booking,
                     struct naive_booking *naive)
{
    naive->customer = customers[dice(CUSTOMERS)];
    naive->cart = NULL;
    change(walk, resource, booking, naive, false);
}

static void serve(struct walk *walk, struct resource *resource, struct booking *booking,
                  struct naive_booking *naive)
{
    if (!choose(resource, naive)) {
        naive->unit_count = 0;
        return;
    }
    naive->state = BOOKING_HELD;
    naive->wants = NULL;
    take(resource, naive);
    change(walk, resource, booking, naive, true);
}

static void move(struct walk *walk)
{
    if (walk->booking_count == 0)
        return;
    struct naive_booking *naive = &walk->bookings[dice(walk->booking_count)];
    struct resource *resource = come_to(walk, naive->resource, naive->id, NULL, NULL);
    struct booking *booking = inventory_booking(walk->rig.inventory, resource->row.no, naive->id);
    assert_non_null(booking);
    compare_booking(naive, booking);
    uint32_t kind = dice(4);
    if (naive->state == BOOKING_WAITING)
        (kind > 0 ? serve : end)(walk, resource, booking, naive);
    else if (naive->state == BOOKING_HELD && kind == 0)
        confirm(walk, resource, booking, naive);
    else if ((naive->state == BOOKING_HELD || naive->state == BOOKING_CONFIRMED) && kind == 1)
        transfer(walk, resource, booking, naive);
    else if (possesses(naive) && kind == 2)
        exchange(walk, resource, booking, naive);
    else if (possesses(naive))
        end(walk, resource, booking, naive);
}

/* The first of those whose time is over. */
static struct naive_booking *naive_due(struct walk *walk)
{
    struct naive_booking *first = NULL;
    for (uint32_t i = 0; i < walk->booking_count; i++) {
        struct naive_booking *other = &walk->bookings[i];
        bool ends = other->state == BOOKING_HELD || other->state == BOOKING_BLOCKED ||
                    other->state == BOOKING_WAITING;
        if (ends && other->expires_ms != USHER_ABSENT && other->expires_ms <= walk->rig.now_ms &&
            (!first || other->expires_ms < first->expires_ms))
            first = other;
    }
    return first;
}

static void expire_one(struct walk *walk, struct naive_booking *naive)
{
    struct booking *booking = inventory_first_due(walk->rig.inventory, walk->rig.now_ms);
    struct resource *resource = rig_resource(&walk->rig, resource_ids[naive->resource]);
    assert_non_null(booking);
    compare_booking(naive, booking);
    give(resource, naive);
    naive->state = naive->state == BOOKING_WAITING   ? BOOKING_LEFT
                   : naive->state == BOOKING_BLOCKED ? BOOKING_RELEASED
                                                     : BOOKING_EXPIRED;
    change(walk, resource, booking, naive, false);
    walk->expired++;
}

static void expire(struct walk *walk)
{
    walk->rig.now_ms += dice(20000);
    rig_load(&walk->rig, NULL, walk->rig.now_ms);
    for (struct naive_booking *naive; (naive = naive_due(walk));)
        expire_one(walk, naive);
    assert_null(inventory_first_due(walk->rig.inventory, walk->rig.now_ms));
    assert_false(inventory_due(walk->rig.inventory, walk->rig.now_ms));
}

static void look_into_a_cart(struct walk *walk)
{
    const char *customer = customers[dice(CUSTOMERS)], *cart = carts[dice(CARTS)];
    uint32_t at = dice(RESOURCES), found = 0;
    const struct resource *resource = come_to(walk, at, NULL, customer, cart);
    struct booking **bookings;
    uint32_t count = inventory_cart(walk->rig.inventory, resource->row.no, customer, cart,
                                    &rig_batch(&walk->rig)->arena, &bookings);
    for (uint32_t i = 0; i < walk->booking_count; i++) {
        const struct naive_booking *naive = &walk->bookings[i];
        if (naive->resource == at && strcmp(naive->customer, customer) == 0 && naive->cart &&
            strcmp(naive->cart, cart) == 0) {
            assert_true(found < count);
            compare_booking(naive, bookings[found++]);
        }
    }
    assert_int_equal(found, count);
}

static void resize(struct walk *walk)
{
    enum booking_state states[NUMBERS];
    uint32_t at = dice(RESOURCES), pool = dice(POOLS);
    struct resource *old = come_to(walk, at, NULL, NULL, NULL);
    uint32_t taken = naive_units(walk, at, pool, states);
    struct resource *clone = resource_clone(old);
    walk->capacities[at][pool] = taken + dice(NUMBERS - taken + 1);
    catalogue_set_capacity(&clone->pools[pool], walk->capacities[at][pool]);
    clone->pools[pool].changed = true;
    clone->redraw = true;
    catalogue_settle(clone);
    inventory_replace_resource(walk->rig.inventory, old, clone);
    clone->redraw = true;
    (void)decision(walk, clone);
}

/* ---- the walk ---- */

static void commit_all(struct walk *walk)
{
    while (walk->rig.in_flight > 0)
        rig_commit(&walk->rig);
}

static void step(struct walk *walk)
{
    uint32_t kind = dice(20), at = dice(RESOURCES);
    if (kind < 6)
        make(walk);
    else if (kind < 15)
        move(walk);
    else if (kind < 16)
        resize(walk);
    else if (kind < 18)
        expire(walk);
    else
        look_into_a_cart(walk);
    compare_resource(walk, at, come_to(walk, at, NULL, NULL, NULL));
}

static void one_batch(struct walk *walk)
{
    uint32_t evicted;
    for (uint32_t i = dice(8); i > 0; i--)
        step(walk);
    rig_seal(&walk->rig);
    (void)inventory_evicted(walk->rig.inventory, &evicted);
    walk->evicted += evicted;
    while (walk->rig.in_flight > dice(RIG_BATCHES - 1))
        rig_commit(&walk->rig);
    if (dice(30) == 0) {
        commit_all(walk);
        fake_database_check(walk->rig.database);
        rig_restart(&walk->rig);
    }
}

/* As drafts: nobody is served by the rules. */
static void define(struct walk *walk, uint32_t at, const char *rest)
{
    const char *json = usher_arena_format(
        &walk->rig.arena,
        "{'request_id':'d%u','op':'define','resource':'%s','products':[{'product':"
        "'mug','capacity':10},{'product':'cup','capacity':5}]%s}",
        at, resource_ids[at], rest);
    assert_true(rig_says(&walk->rig, json, "'outcome':'defined'"));
    walk->capacities[at][0] = 10;
    walk->capacities[at][1] = 5;
}

/* Limits come when there are bookings already. */
static void limit(struct walk *walk, uint32_t at)
{
    const char *json = usher_arena_format(&walk->rig.arena,
                                          "{'request_id':'l','op':'define','resource':'%s',"
                                          "'limits':{'holds_per_customer':9}}",
                                          resource_ids[at]);
    assert_true(rig_says(&walk->rig, json, "'outcome':'defined'"));
    walk->limited[at] = true;
}

static void run(uint32_t seed, const struct inventory_limits *limits)
{
    struct walk *walk = calloc(1, sizeof(*walk));
    dice_state = seed;
    rig_open(&walk->rig, limits);
    define(walk, 0, ",'limits':{'units_per_customer':5}");
    walk->limited[0] = true;
    define(walk, 1, "");
    define(walk, 2, "");
    for (uint32_t i = 0; i < 300; i++) {
        one_batch(walk);
        if (i == 100) {
            expire(walk); /* so that the define finds nothing due */
            limit(walk, 1);
            commit_all(walk);
        }
    }
    commit_all(walk);
    fake_database_check(walk->rig.database);
    assert_true(walk->retired > 0 && walk->expired > 20 && walk->counted > 0);
    assert_true(limits->resources == UINT32_MAX || walk->evicted > 20);
    rig_close(&walk->rig);
    free(walk);
}

static void with_all_memory_it_keeps_what_happened(void **state)
{
    (void)state;
    run(1, &rig_no_limits);
}

static void with_little_memory_it_keeps_what_happened(void **state)
{
    (void)state;
    static const struct inventory_limits little = {12, 2, 60, 15};
    for (uint32_t seed = 2; seed < 6; seed++)
        run(seed, &little);
}

static void without_memory_it_keeps_what_happened(void **state)
{
    (void)state;
    static const struct inventory_limits none = {0, 0, 0, 0};
    for (uint32_t seed = 6; seed < 9; seed++)
        run(seed, &none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_all_memory_it_keeps_what_happened),
        cmocka_unit_test(with_little_memory_it_keeps_what_happened),
        cmocka_unit_test(without_memory_it_keeps_what_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
