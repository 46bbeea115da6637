/*
 * A walk at random over all that the memory of a partition keeps: units with numbers and without,
 * bookings, carts, waiting lists, what customers have, what comes due. Beside it a list of bookings
 * from which each of these is worked out anew. Memory is small, commits lag behind, and now and
 * then it is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_rig.h"
#include "naive_booking.h"
#include "producer/codec/stored.h"
#include "tests/unit/unit.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/seal.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"

enum {
    RESOURCES = 3,
    POOLS = 3, /* places in the pit, rooms of a night, mugs: all but the rooms are counted */
    PIT = 0,
    ROOM = NAIVE_ROOM,
    MUG = 2,
    NUMBERS = 24, /* no room has a higher one */
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
    "{\"op\":\"hold\",\"items\":[{\"section\":\"pit\",\"quantity\":1}]}",
};

struct walk {
    struct rig rig;
    struct naive_booking bookings[BOOKINGS];
    uint32_t booking_count;
    uint32_t capacities[RESOURCES][POOLS];
    bool limited[RESOURCES];
    uint32_t retired, evicted, expired, counted, moved, dropped; /* that these happened */
};

/* ---- what follows from the bookings ---- */

/* How many units of a pool are taken, and the state of each number, if it is of rooms. */
static struct unit_counts naive_units(const struct walk *walk, uint32_t resource, uint32_t pool,
                                      enum booking_state states[NUMBERS])
{
    struct unit_counts taken = {0};
    memset(states, 0, NUMBERS * sizeof *states);
    for (uint32_t i = 0; i < walk->booking_count; i++) {
        const struct naive_booking *booking = &walk->bookings[i];
        if (booking->resource != resource || !naive_possesses(booking))
            continue;
        for (uint32_t j = 0; j < booking->line_count; j++) {
            const struct naive_line *line = &booking->lines[j];
            if (line->pool != pool)
                continue;
            *unit_counts_in(&taken, booking->state) += line->unit_count;
            for (uint32_t k = 0; pool == ROOM && k < line->unit_count; k++) {
                assert_int_equal(BOOKING_NONE, states[line->units[k]]);
                states[line->units[k]] = booking->state;
            }
        }
    }
    return taken;
}

static void compare_numbers(struct walk *walk, const struct units *units, uint32_t capacity,
                            uint32_t free, const enum booking_state states[NUMBERS])
{
    for (uint32_t unit = 0; unit < units->count; unit++) {
        bool is_free = states[unit] == BOOKING_NONE && free > 0;
        assert_int_equal(states[unit], units_state(units, unit));
        assert_int_equal(is_free, units_is_free(units, unit));
        free -= is_free;
    }
    walk->retired += units->count > capacity;
    for (uint32_t unit = units->count; unit < NUMBERS; unit++)
        assert_int_equal(BOOKING_NONE, states[unit]);
    assert_int_equal(0, free);
}

static void compare_pool(struct walk *walk, uint32_t resource, const struct pool *pool)
{
    enum booking_state states[NUMBERS];
    uint32_t capacity = walk->capacities[resource][pool->row.index];
    const struct unit_counts taken = naive_units(walk, resource, pool->row.index, states);
    uint32_t free = capacity - unit_counts_sum(taken);
    assert_int_equal(capacity, pool->row.capacity);
    assert_memory_equal(&taken, &pool->taken, sizeof taken);
    assert_int_equal(free, pool_free(pool));
    if (pool->row.index == ROOM)
        compare_numbers(walk, &pool->units, capacity, free, states);
    else
        assert_int_equal(0, pool->units.count);
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
    assert_int_equal(bookings[check->at].no, booking->row.no);
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
        units += naive_unit_count(booking);
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

/* Chooses units of some pool: the lowest free rooms, from `next` on. False: there are too few. */
static bool choose_line(const struct resource *resource, struct naive_line *line, uint32_t free,
                        uint32_t *next)
{
    line->unit_count = 1 + dice(NAIVE_UNITS);
    line->rate = dice(2) ? "child" : NULL;
    if (free < line->unit_count)
        return false;
    for (uint32_t i = 0; i < line->unit_count; i++) {
        if (line->pool == ROOM)
            *next = units_next_free(&resource->pools[ROOM].units, *next);
        line->units[i] = (int32_t)(*next)++;
    }
    return true;
}

/* False: there are not that many, and the booking is left without lines. */
static bool choose(const struct resource *resource, struct naive_booking *booking)
{
    uint32_t chosen[POOLS] = {0}, next[POOLS] = {0}, count = 1 + dice(NAIVE_LINES);
    booking->line_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct naive_line *line = &booking->lines[i];
        line->pool = dice(2) ? ROOM : dice(POOLS);
        uint32_t free = pool_free(&resource->pools[line->pool]) - chosen[line->pool];
        if (!choose_line(resource, line, free, &next[line->pool]))
            return false;
        chosen[line->pool] += line->unit_count;
    }
    booking->line_count = count;
    return true;
}

/* How the units of a booking come to what they are changed to. */
enum move {
    MOVE_NONE, /* or go back, or are sold, all of them */
    MOVE_PART, /* some of them go back */
    MOVE_DONE, /* they were moved before */
};

/* Makes the booking in memory what the naive one is. */
static void change(struct walk *walk, struct resource *resource, struct booking *booking,
                   const struct naive_booking *naive, enum move move)
{
    struct booking_change change = booking_change_of(booking, naive->state);
    change.row.customer = naive->customer;
    change.row.cart = naive->cart;
    change.row.wants = naive->wants;
    change.row.expires_ms = naive->expires_ms;
    change.content = move != MOVE_NONE ? naive_content(naive) : NULL;
    change.planned = move == MOVE_DONE;
    inventory_change_booking(walk->rig.inventory, resource, booking, &change);
    (void)decision(walk, resource);
    naive_compare(naive, booking);
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
    (void)snprintf(naive->id, sizeof naive->id, "b%u", walk->booking_count++);
    const struct booking_row row = {.no = naive->no,
                                    .resource_no = resource->row.no,
                                    .state = naive->state,
                                    .request_id = naive->id,
                                    .customer = naive->customer,
                                    .cart = naive->cart,
                                    .op = USHER_OP_HOLD,
                                    .created_ms = walk->rig.now_ms,
                                    .expires_ms = naive->expires_ms,
                                    .ttl_s = 60,
                                    .wants = naive->wants};
    naive_take(resource, naive);
    naive_compare(naive,
                  inventory_add_booking(walk->rig.inventory, resource, &row, naive_content(naive)));
    (void)decision(walk, resource);
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
    naive->state = ends[naive->state];
    change(walk, resource, booking, naive, MOVE_NONE);
}

/* Or it is refused, and the old units are taken again, be they where they may. */
static void exchange(struct walk *walk, struct resource *resource, struct booking *booking,
                     struct naive_booking *naive)
{
    const struct naive_booking old = *naive;
    naive_give(resource, naive);
    if (!choose(resource, naive) || dice(3) == 0) {
        *naive = old;
        naive_take(resource, naive);
        return;
    }
    naive_take(resource, naive);
    change(walk, resource, booking, naive, MOVE_DONE);
}

/* Drops some unit, and a line of which nothing is left. */
static void drop_unit(struct naive_booking *naive)
{
    uint32_t at = dice(naive->line_count);
    struct naive_line *line = &naive->lines[at];
    line->units[dice(line->unit_count)] = line->units[line->unit_count - 1];
    if (--line->unit_count == 0)
        *line = naive->lines[--naive->line_count];
}

/* All of it, or a part. */
static void confirm(struct walk *walk, struct resource *resource, struct booking *booking,
                    struct naive_booking *naive)
{
    uint32_t dropped = 0, units = naive_unit_count(naive);
    for (; units - dropped > 1 && dice(4) > 0; dropped++)
        drop_unit(naive);
    naive->state = BOOKING_CONFIRMED;
    naive->expires_ms = USHER_ABSENT;
    change(walk, resource, booking, naive, dropped > 0 ? MOVE_PART : MOVE_NONE);
    walk->dropped += dropped;
}

/* The house takes a part of a block back. */
static void shrink(struct walk *walk, struct resource *resource, struct booking *booking,
                   struct naive_booking *naive)
{
    if (naive_unit_count(naive) == 1)
        return;
    drop_unit(naive);
    change(walk, resource, booking, naive, MOVE_PART);
    walk->dropped++;
}

static void transfer(struct walk *walk, struct resource *resource, struct booking *booking,
                     struct naive_booking *naive)
{
    naive->customer = customers[dice(CUSTOMERS)];
    naive->cart = NULL;
    change(walk, resource, booking, naive, MOVE_NONE);
}

static void serve(struct walk *walk, struct resource *resource, struct booking *booking,
                  struct naive_booking *naive)
{
    if (!choose(resource, naive))
        return;
    naive->state = BOOKING_HELD;
    naive->wants = NULL;
    naive_take(resource, naive);
    change(walk, resource, booking, naive, MOVE_DONE);
}

static void move_end(struct walk *walk, struct resource *resource, struct booking *booking,
                     struct naive_booking *naive)
{
    naive->expires_ms = walk->rig.now_ms + 1 + dice(200000);
    change(walk, resource, booking, naive, MOVE_NONE);
}

static void move(struct walk *walk)
{
    if (walk->booking_count == 0)
        return;
    struct naive_booking *naive = &walk->bookings[dice(walk->booking_count)];
    struct resource *resource = come_to(walk, naive->resource, naive->id, NULL, NULL);
    struct booking *booking = inventory_booking(walk->rig.inventory, resource->row.no, naive->id);
    assert_non_null(booking);
    naive_compare(naive, booking);
    uint32_t kind = dice(4);
    if (naive->state == BOOKING_WAITING)
        (kind > 1 ? serve : kind > 0 ? move_end : end)(walk, resource, booking, naive);
    else if (naive->state == BOOKING_HELD && kind == 0)
        confirm(walk, resource, booking, naive);
    else if ((naive->state == BOOKING_HELD || naive->state == BOOKING_CONFIRMED) && kind == 1)
        transfer(walk, resource, booking, naive);
    else if (naive->state == BOOKING_BLOCKED && kind == 1)
        shrink(walk, resource, booking, naive);
    else if (naive_possesses(naive) && kind == 2)
        exchange(walk, resource, booking, naive);
    else if (naive_possesses(naive))
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
    naive_compare(naive, booking);
    naive->state = naive->state == BOOKING_WAITING   ? BOOKING_LEFT
                   : naive->state == BOOKING_BLOCKED ? BOOKING_RELEASED
                                                     : BOOKING_EXPIRED;
    change(walk, resource, booking, naive, MOVE_NONE);
    walk->expired++;
}

static void expire(struct walk *walk)
{
    walk->rig.now_ms += dice(20000);
    rig_load(&walk->rig, NULL, walk->rig.now_ms);
    for (struct naive_booking *naive; (naive = naive_due(walk));) {
        rig_load(&walk->rig, NULL, walk->rig.now_ms); /* there may be no room for all at once */
        expire_one(walk, naive);
    }
    assert_null(inventory_first_due(walk->rig.inventory, walk->rig.now_ms));
    assert_false(inventory_due(walk->rig.inventory, walk->rig.now_ms));
}

static void check_a_cart(struct walk *walk)
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
            naive_compare(naive, bookings[found++]);
        }
    }
    assert_int_equal(found, count);
}

static void resize(struct walk *walk)
{
    enum booking_state states[NUMBERS];
    uint32_t at = dice(RESOURCES), pool = dice(2) ? ROOM : dice(POOLS);
    struct resource *old = come_to(walk, at, NULL, NULL, NULL);
    uint32_t taken = unit_counts_sum(naive_units(walk, at, pool, states));
    struct resource *clone = resource_clone(old);
    walk->capacities[at][pool] = taken + dice(NUMBERS - taken + 1);
    catalogue_set_capacity(&clone->pools[pool], walk->capacities[at][pool]);
    clone->pools[pool].changed = true;
    clone->redefined = true;
    catalogue_settle(clone);
    inventory_replace_resource(walk->rig.inventory, old, clone);
    clone->redefined = true;
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
    else if (kind < 14)
        move(walk);
    else if (kind < 16)
        resize(walk);
    else if (kind < 18)
        expire(walk);
    else
        check_a_cart(walk);
    compare_resource(walk, at, come_to(walk, at, NULL, NULL, NULL));
}

static void one_batch(struct walk *walk)
{
    for (uint32_t i = dice(8); i > 0; i--)
        step(walk);
    rig_seal(&walk->rig);
    walk->moved += walk->rig.batches[walk->rig.in_flight - 1].pool_move_count;
    for (struct resource *resource; (resource = inventory_take_evicted(walk->rig.inventory));) {
        resource_destroy(resource);
        walk->evicted++;
    }
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
        "{'request_id':'d%u','op':'define','resource':'%s','products':[{'product':'mug',"
        "'capacity':10}],'sections':[{'section':'pit','capacity':5}],'rooms':[{'room':'double',"
        "'from':'2027-01-01','to':'2027-01-02','capacity':8}]%s}",
        at, resource_ids[at], rest);
    assert_true(rig_says(&walk->rig, json, "'outcome':'defined'"));
    static const uint32_t capacities[POOLS] = {5, 8, 10};
    memcpy(walk->capacities[at], capacities, sizeof capacities);
    /* The ids of what makes the bookings below are not kept: they must be looked up. */
    rig_resource(&walk->rig, resource_ids[at])->ids_complete = false;
}

/* Parties leave whose pool is too small by now: a define tells them so. */
static void leave(struct walk *walk, uint32_t at)
{
    for (uint32_t i = 0; i < walk->booking_count; i++) {
        struct naive_booking *party = &walk->bookings[i];
        uint32_t pool = party->wants == wants[2] ? PIT : MUG;
        uint32_t quantity = party->wants == wants[1] ? 2 : 1;
        if (party->resource == at && party->state == BOOKING_WAITING &&
            walk->capacities[at][pool] < quantity)
            party->state = BOOKING_LEFT;
    }
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
    leave(walk, at);
}

static void run(uint32_t seed, const struct inventory_limits *limits)
{
    struct walk *walk = calloc(1, sizeof *walk);
    dice_state = seed;
    rig_open(&walk->rig, limits);
    walk->rig.database->leaves = limits == &rig_no_limits ? 0 : 7;
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
    assert_true(walk->dropped > 0);
    assert_true(walk->retired > 0 && walk->expired > 20 && walk->counted > 0 && walk->moved > 100);
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
    static const struct inventory_limits little = {12, 2, 60, 15, 12};
    for (uint32_t seed = 2; seed < 6; seed++)
        run(seed, &little);
}

static void without_memory_it_keeps_what_happened(void **state)
{
    (void)state;
    static const struct inventory_limits none = {0, 0, 0, 0, 0};
    for (uint32_t seed = 6; seed < 9; seed++)
        run(seed, &none);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(with_all_memory_it_keeps_what_happened),
    cmocka_unit_test(with_little_memory_it_keeps_what_happened),
    cmocka_unit_test(without_memory_it_keeps_what_happened),
};
UNIT_TESTS(test_inventory_walk, tests, NULL, NULL)
