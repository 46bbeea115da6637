/*
 * What is asked of the database so that limits can be judged, and to go on with unfinished work.
 */
#include <stdlib.h>
#include <string.h>

#include "core_places.h"
#include "producer/codec/stored.h"
#include "tests/unit/unit.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/work.h"

#define HOLD(id) ASK(id, "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]")

/* ---- customers ---- */

#define LIMIT(id, resource)                                                     \
    "{'request_id':'" id "','op':'define','resource':'" resource "','limits':{" \
    "'units_per_customer':3}}"

static uint32_t units_of(struct rig *rig, const char *customer)
{
    const struct tally *tally = tally_find(rig_resource(rig, "r"), customer);
    return tally ? tally->units : 0;
}

static void customers_of_what_is_cold_are_counted_in_the_second_round(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, LIMIT("l", "r"));
    (void)rig_ask(rig, HOLD("h"));
    assert_int_equal(1, units_of(rig, "c"));
    rig_restart(rig);
    struct input input = rig_input(rig, HOLD("h2"));
    assert_false(prefetch_needs_idle(rig->inventory, &input, 1));
    struct load_request request = rig_prefetch(rig, HOLD("h2"));
    assert_int_equal(0, request.tally_count);
    rig_fetch(rig, &request);
    struct usher_arena *arena = &rig_batch(rig)->arena;
    assert_true(prefetch_collect_more(rig->inventory, &input, 1, rig->now_ms, arena, &request));
    assert_int_equal(1, request.tally_count);
    assert_int_equal(rig_resource(rig, "r")->row.no, request.tally_nos[0]);
    rig_fetch(rig, &request);
    assert_false(prefetch_collect_more(rig->inventory, &input, 1, rig->now_ms, arena, &request));
    assert_int_equal(1, units_of(rig, "c"));
    assert_int_equal(0, units_of(rig, "d"));
}

/* While a commit is under way a count in the database would miss what it holds. */
static void a_first_limit_waits_until_nothing_is_in_flight(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    rig_restart(rig);
    (void)rig_decide(rig, HOLD("h2"));
    rig_seal(rig); /* the resource is in memory, not all of its bookings are */
    struct input input = rig_input(rig, LIMIT("l", "r"));
    assert_true(prefetch_needs_idle(rig->inventory, &input, 1));
    rig_commit(rig);
    struct load_request request = rig_prefetch(rig, LIMIT("l", "r"));
    assert_int_equal(1, request.tally_count);
    rig_fetch(rig, &request);
    assert_false(prefetch_needs_idle(rig->inventory, &input, 1));
    (void)rig_decide(rig, LIMIT("l", "r"));
    assert_int_equal(2, units_of(rig, "c"));
    (void)rig_decide(rig, HOLD("h3"));
    assert_int_equal(3, units_of(rig, "c"));
    assert_int_equal(USHER_LIMIT_EXCEEDED, rig_decide(rig, HOLD("h4"))->reason);
    rig_seal(rig);
}

static void where_all_bookings_are_known_no_load_is_needed(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    (void)rig_decide(rig, HOLD("h2"));
    rig_seal(rig);
    struct input input = rig_input(rig, LIMIT("l", "r"));
    assert_false(prefetch_needs_idle(rig->inventory, &input, 1));
    struct load_request request = rig_prefetch(rig, LIMIT("l", "r"));
    assert_int_equal(0, request.tally_count);
    (void)rig_decide(rig, LIMIT("l", "r"));
    assert_int_equal(2, units_of(rig, "c"));
    input = rig_input(rig, LIMIT("l2", "new"));
    assert_false(prefetch_needs_idle(rig->inventory, &input, 1));
    rig_seal(rig);
}

/* ---- work of an earlier owner ---- */

static void unfinished_work_is_asked_for_once(void **state)
{
    struct rig *rig = *state;
    struct load_request request = rig_prefetch(rig, HOLD("h"));
    assert_false(request.unfinished_limit > 0);
    rig_restart(rig);
    request = rig_prefetch(rig, HOLD("h"));
    assert_true(request.unfinished_limit > 0);
    rig_fetch(rig, &request);
    request = rig_prefetch(rig, HOLD("h"));
    assert_false(request.unfinished_limit > 0);
    assert_false(inventory_has_work(rig->inventory));
}

static void close_with_work_left(struct rig *rig)
{
    (void)rig_ask(rig, ASK("b", "block", ",'items':[{'product':'mug','quantity':2}]"));
    (void)rig_ask(rig, HOLD("h"));
    (void)rig_ask(rig,
                  ASK("s", "book", ",'customer':'c','items':[{'product':'mug','quantity':450}]"));
    (void)rig_ask(rig, HOLD("h2"));
    rig->unrequested_limit = 0;
    (void)rig_ask(rig, ASK("o", "close", ",'cancel_bookings':true"));
}

/* What an earlier owner left is listed, then loaded. */
static void hear_of_it(struct rig *rig)
{
    rig_load(rig, NULL, rig->now_ms);
}

static struct load_request idle_needs(struct rig *rig)
{
    struct load_request request;
    (void)prefetch_collect(rig->inventory, NULL, 0, rig->now_ms, &rig_batch(rig)->arena, &request);
    return request;
}

struct asked {
    const char *id;
    uint8_t id_hash[USHER_HASH_SIZE];
};

/* What was asked of the shop so far. */
static const char *const asked[] = {"d", "b", "h", "s", "h2", "o"};

enum {
    ASKED = sizeof asked / sizeof *asked
};

static int compare_hashes(const void *left, const void *right)
{
    const struct asked *a = left, *b = right;
    return memcmp(a->id_hash, b->id_hash, USHER_HASH_SIZE);
}

/* The same in the order of the hashes of their ids. */
static const struct asked *sort_asked(void)
{
    static struct asked sorted[ASKED];
    for (uint32_t i = 0; i < ASKED; i++) {
        sorted[i].id = asked[i];
        request_id_hash(asked[i], sorted[i].id_hash);
    }
    qsort(sorted, ASKED, sizeof *sorted, compare_hashes);
    return sorted;
}

static bool is_customers(const char *id)
{
    return strcmp(id, "h") == 0 || strcmp(id, "s") == 0 || strcmp(id, "h2") == 0;
}

/* Customers' bookings among the requests [from, to) are the next owners, and no others are. */
static void assert_owners(struct rig *rig, uint32_t from, uint32_t to)
{
    const struct asked *sorted = sort_asked();
    const struct resource *resource = rig_resource(rig, "r");
    for (uint32_t i = from; i < to; i++)
        if (is_customers(sorted[i].id))
            assert_string_equal(sorted[i].id,
                                inventory_next_owner(rig->inventory, resource)->row.request_id);
    assert_null(inventory_next_owner(rig->inventory, resource));
}

static void bookings_to_cancel_are_asked_for_in_the_order_of_their_hashes(void **state)
{
    struct rig *rig = *state;
    static const uint8_t beginning[USHER_HASH_SIZE];
    close_with_work_left(rig);
    rig_restart(rig);
    struct load_request request = idle_needs(rig);
    assert_int_equal(0, request.owners.resource_no); /* not known yet that there are some */
    hear_of_it(rig);
    assert_true(inventory_has_work(rig->inventory));
    request = idle_needs(rig);
    assert_int_equal(rig_resource(rig, "r")->row.no, request.owners.resource_no);
    assert_int_equal(PREFETCH_OWNERS_LIMIT, request.owners.limit);
    assert_memory_equal(beginning, request.owners.after, USHER_HASH_SIZE);
    request.owners.limit = 4;
    rig_fetch(rig, &request);
    assert_owners(rig, 0, 4);
    assert_true(inventory_owners_remain(rig->inventory));

    request = idle_needs(rig);
    assert_memory_equal(sort_asked()[3].id_hash, request.owners.after, USHER_HASH_SIZE);
    rig_fetch(rig, &request); /* 500 from there on: to the end */
    assert_owners(rig, 4, ASKED);
    assert_false(inventory_owners_remain(rig->inventory));
    request = idle_needs(rig); /* none of them was cancelled: from the first again */
    assert_memory_equal(beginning, request.owners.after, USHER_HASH_SIZE);
}

/* A page may have requests only that made no booking, while there are bookings behind it. */
static void a_page_without_bookings_is_not_the_end(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    uint8_t last[USHER_HASH_SIZE], id_hash[USHER_HASH_SIZE];
    request_id_hash("h", last);
    uint32_t before = 0;
    for (uint32_t i = 0; i < 64 || before == 0; i++) {
        const char *id = usher_arena_format(&rig->arena, "q%u", i);
        (void)rig_ask(rig, usher_arena_format(&rig->arena, ASK("%s", "probe", ""), id));
        request_id_hash(id, id_hash);
        before += memcmp(id_hash, last, USHER_HASH_SIZE) < 0;
    }
    rig->unrequested_limit = 0;
    (void)rig_ask(rig, ASK("o", "close", ",'cancel_bookings':true"));
    rig->unrequested_limit = RIG_UNREQUESTED;
    rig_restart(rig);
    hear_of_it(rig);
    struct load_request request;
    for (uint32_t i = 0; i < before; i++) {
        request = idle_needs(rig);
        request.owners.limit = 1;
        rig_fetch(rig, &request);
        assert_null(inventory_next_owner(rig->inventory, rig_resource(rig, "r")));
        assert_true(inventory_owners_remain(rig->inventory));
    }
    assert_int_equal(1, rig_work(rig));
    assert_string_equal("h", rig_batch(rig)->decisions[0].request_id);
    assert_false(inventory_has_work(rig->inventory));
    rig_seal(rig);
}

static void what_is_cancelled_in_a_batch_is_not_asked_for_again(void **state)
{
    struct rig *rig = *state;
    close_with_work_left(rig);
    rig_restart(rig);
    assert_int_equal(0, rig_expire(rig)); /* hears of it */
    rig->unrequested_limit = 1;
    uint32_t before = rig->database->decision_count;
    for (uint32_t i = 0; i < 4; i++) {
        rig_seal(rig);
        rig_commit(rig);
    }
    assert_int_equal(before + 3, rig->database->decision_count);
    const struct asked *sorted = sort_asked();
    for (uint32_t i = 0; i < ASKED; i++)
        if (is_customers(sorted[i].id))
            assert_string_equal(sorted[i].id, rig->database->decisions[before++].request_id);
    assert_false(inventory_has_work(rig->inventory));
    assert_int_equal(2, rig_resource(rig, "r")->blocked);
    assert_int_equal(0, idle_needs(rig).owners.resource_no);
}

/* The list as it was, with what its customers have; no request named the resource since. */
static void a_new_owner_goes_on_serving(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
        {LIMIT("l", "r"), "'outcome':'defined'"},
        {ASK("b", "block", ",'items':[{'product':'mug','quantity':498}]"), "'outcome':'blocked'"},
        {HOLD("h"), "'outcome':'held'"},
        {HOLD("h2"), "'outcome':'held'"},
        {ASK("w", "hold",
             ",'customer':'c','wait_until':'2030-01-01T00:00:00Z','ttl_s':9000,"
             "'items':[{'product':'mug','quantity':1}]"),
         "'outcome':'waiting'"},
    };
    assert_true(RIG_PLAY(rig, steps));
    rig->unrequested_limit = 0;
    (void)rig_ask(rig, ASK("u", "unblock", ",'booking':'b'"));
    rig->unrequested_limit = RIG_UNREQUESTED;
    rig_restart(rig);
    assert_int_equal(0, rig_expire(rig));
    assert_true(inventory_has_work(rig->inventory));
    assert_int_equal(2, units_of(rig, "c"));
    assert_int_equal(1, rig_work(rig));
    assert_string_equal("w", rig_batch(rig)->decisions[0].request_id);
    assert_int_equal(3, units_of(rig, "c"));
    assert_int_equal(0, rig_resource(rig, "r")->waiting.count);
    rig_seal(rig);
    rig_commit(rig);
    assert_false(inventory_has_work(rig->inventory));
}

#define SHOP_TEST(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
static const struct CMUnitTest tests[] = {
    SHOP_TEST(customers_of_what_is_cold_are_counted_in_the_second_round),
    SHOP_TEST(a_first_limit_waits_until_nothing_is_in_flight),
    SHOP_TEST(where_all_bookings_are_known_no_load_is_needed),
    SHOP_TEST(unfinished_work_is_asked_for_once),
    SHOP_TEST(bookings_to_cancel_are_asked_for_in_the_order_of_their_hashes),
    SHOP_TEST(a_page_without_bookings_is_not_the_end),
    SHOP_TEST(what_is_cancelled_in_a_batch_is_not_asked_for_again),
    SHOP_TEST(a_new_owner_goes_on_serving),
};
UNIT_TESTS(test_prefetch_work, tests, NULL, NULL)
