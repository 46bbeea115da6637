/*
 * What is asked of the database so that limits can be judged, and to go on with unfinished work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core_places.h"
#include "worker/inventory/tally.h"
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
    assert_false(request.unfinished);
    rig_restart(rig);
    request = rig_prefetch(rig, HOLD("h"));
    assert_true(request.unfinished);
    rig_fetch(rig, &request);
    request = rig_prefetch(rig, HOLD("h"));
    assert_false(request.unfinished);
    assert_false(inventory_has_work(rig->inventory));
}

static void close_with_work_left(struct rig *rig)
{
    (void)rig_ask(rig, ASK("b", "block", ",'items':[{'product':'mug','quantity':2}]"));
    (void)rig_ask(rig, HOLD("h"));
    (void)rig_ask(rig,
                  ASK("s", "book", ",'customer':'c','items':[{'product':'mug','quantity':450}]"));
    (void)rig_ask(rig, HOLD("h2"));
    rig->unasked_limit = 0;
    (void)rig_ask(rig, ASK("o", "close", ",'cancel_bookings':true"));
}

static struct load_request idle_needs(struct rig *rig)
{
    struct load_request request;
    (void)prefetch_collect(rig->inventory, NULL, 0, rig->now_ms, &rig_batch(rig)->arena, &request);
    return request;
}

static void bookings_to_cancel_are_asked_for_unit_by_unit(void **state)
{
    struct rig *rig = *state;
    close_with_work_left(rig);
    rig_restart(rig);
    struct load_request request = idle_needs(rig);
    assert_int_equal(0, request.owners.pool); /* not known yet that there are some */
    rig_fetch(rig, &request);
    assert_true(inventory_has_work(rig->inventory));
    const struct resource *resource = rig_resource(rig, "r");
    request = idle_needs(rig);
    assert_int_equal(resource->pools[0].row.no, request.owners.pool);
    assert_int_equal(2, request.owners.unit); /* the first that is not the house's */
    request.owners.limit = 100;
    rig_fetch(rig, &request);
    assert_string_equal("h", inventory_next_owner(rig->inventory, resource)->request_id);
    assert_string_equal("s", inventory_next_owner(rig->inventory, resource)->request_id);
    assert_null(inventory_next_owner(rig->inventory, resource));

    request = idle_needs(rig);
    assert_int_equal(102, request.owners.unit);
    rig_fetch(rig, &request); /* 500 from there on: to the end */
    assert_string_equal("s", inventory_next_owner(rig->inventory, resource)->request_id);
    assert_string_equal("h2", inventory_next_owner(rig->inventory, resource)->request_id);
    request = idle_needs(rig); /* none of them was cancelled: from the first again */
    assert_int_equal(2, request.owners.unit);
}

static void what_is_cancelled_in_a_batch_is_not_asked_for_again(void **state)
{
    struct rig *rig = *state;
    close_with_work_left(rig);
    rig_restart(rig);
    assert_int_equal(0, rig_expire(rig)); /* hears of it */
    rig->unasked_limit = 1;
    uint32_t before = rig->database->decision_count;
    for (uint32_t i = 0; i < 4; i++) {
        rig_seal(rig);
        rig_commit(rig);
    }
    static const char *const ids[] = {"h", "s", "h2"};
    assert_int_equal(before + 3, rig->database->decision_count);
    for (uint32_t i = 0; i < 3; i++)
        assert_string_equal(ids[i], rig->database->decisions[before + i].request_id);
    assert_false(inventory_has_work(rig->inventory));
    assert_int_equal(2, rig_resource(rig, "r")->blocked);
    assert_int_equal(0, idle_needs(rig).owners.pool);
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
    rig->unasked_limit = 0;
    (void)rig_ask(rig, ASK("u", "unblock", ",'booking':'b'"));
    rig->unasked_limit = RIG_UNASKED;
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

int main(void)
{
#define SHOP_TEST(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
    const struct CMUnitTest tests[] = {
        SHOP_TEST(customers_of_what_is_cold_are_counted_in_the_second_round),
        SHOP_TEST(a_first_limit_waits_until_nothing_is_in_flight),
        SHOP_TEST(where_all_bookings_are_known_no_load_is_needed),
        SHOP_TEST(unfinished_work_is_asked_for_once),
        SHOP_TEST(bookings_to_cancel_are_asked_for_unit_by_unit),
        SHOP_TEST(what_is_cancelled_in_a_batch_is_not_asked_for_again),
        SHOP_TEST(a_new_owner_goes_on_serving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
