/*
 * What is asked of the database for a request, and what is not.
 */
#include <string.h>

#include "core_places.h"
#include "producer/codec/stored.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"

#define HOLD(id) ASK(id, "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]")
#define OF(booking) ",'customer':'c','booking':'" booking "'"

static void check_needs(const struct load_request *request, uint32_t resources, uint32_t ids,
                        uint32_t bookings)
{
    assert_int_equal(resources, request->resource_count);
    assert_int_equal(ids, request->id_count);
    assert_int_equal(bookings, request->booking_count);
}

/* ---- what is asked ---- */

static void what_was_made_in_this_ownership_is_known(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    uint32_t loads = rig->database->loads;
    struct load_request request = rig_prefetch(rig, HOLD("new"));
    check_needs(&request, 0, 0, 0);
    assert_false(request.due);
    request = rig_prefetch(rig, ASK("k", "confirm", OF("h"))); /* it is in memory */
    check_needs(&request, 0, 0, 0);
    request = rig_prefetch(rig, ASK("k", "confirm", OF("none"))); /* no such id was ever answered */
    check_needs(&request, 0, 0, 0);
    request = rig_prefetch(rig, ASK("k", "confirm", OF("d"))); /* it was, and may have made one */
    check_needs(&request, 0, 0, 1);
    (void)rig_ask(rig, HOLD("new"));
    assert_int_equal(loads, rig->database->loads);
}

static void a_cold_resource_is_asked_for_with_all_of_it(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    rig_restart(rig);
    struct load_request request = rig_prefetch(rig, ASK("k", "confirm", OF("h")));
    check_needs(&request, 1, 1, 1);
    assert_string_equal("r", request.resources[0]);
    uint8_t hash[USHER_HASH_SIZE];
    request_id_hash("k", hash);
    assert_string_equal("r", request.ids[0].resource);
    assert_memory_equal(hash, request.ids[0].id_hash, sizeof hash);
    request_id_hash("h", hash);
    assert_string_equal("r", request.bookings[0].resource);
    assert_memory_equal(hash, request.bookings[0].id_hash, sizeof hash);

    (void)rig_ask(rig, ASK("k", "confirm", OF("h")));
    request = rig_prefetch(rig, ASK("x", "cancel", OF("h"))); /* not all ids are known any more */
    check_needs(&request, 0, 1, 0);
    request = rig_prefetch(rig, ASK("y", "cancel", OF("none")));
    check_needs(&request, 0, 1, 1);
}

static void a_repeat_needs_the_body_of_the_first_answer(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, HOLD("h"));
    struct load_request request = rig_prefetch(rig, HOLD("h")); /* of the open batch */
    check_needs(&request, 0, 0, 0);
    rig_seal(rig);
    request = rig_prefetch(rig, HOLD("h")); /* in flight */
    check_needs(&request, 0, 0, 0);
    rig_commit(rig);
    request = rig_prefetch(rig, HOLD("h")); /* in the database only */
    check_needs(&request, 0, 1, 0);
    request = rig_prefetch(rig, ASK("h", "probe", "")); /* another content needs no body */
    check_needs(&request, 0, 0, 0);
    (void)rig_decide(rig, HOLD("h"));
    request = rig_prefetch(rig, HOLD("h")); /* loaded for this batch */
    check_needs(&request, 0, 0, 0);
    rig_seal(rig);
    request = rig_prefetch(rig, HOLD("h")); /* and forgotten with it */
    check_needs(&request, 0, 1, 0);
    rig_fetch(rig, &request);
    request = rig_prefetch(rig, HOLD("h"));
    check_needs(&request, 0, 0, 0);
    inventory_forget_loaded(rig->inventory);
    request = rig_prefetch(rig, HOLD("h")); /* also with one that is dropped */
    check_needs(&request, 0, 1, 0);
}

static void each_thing_is_asked_for_once(void **state)
{
    struct rig *rig = *state;
    rig_restart(rig);
    struct batch *batch = rig_batch(rig);
    struct input inputs[4];
    static const char *const texts[] = {
        "{\"request_id\":\"a\",\"op\":\"open\",\"resource\":\"r\"}",
        "{\"request_id\":\"b\",\"op\":\"open\",\"resource\":\"s\"}",
        "{\"request_id\":\"a\",\"op\":\"close\",\"resource\":\"r\"}",
        "{\"request_id\":\"a\",\"op\":\"close\",\"resource\":\"s\"}",
    };
    struct log_record records[4];
    for (size_t i = 0; i < 4; i++) {
        records[i] = (struct log_record){.key = i % 2 ? "s" : "r",
                                         .key_size = 1,
                                         .value = texts[i],
                                         .value_size = strlen(texts[i])};
        input_decode(&inputs[i], &records[i], &rig->rules, &batch->arena);
    }
    struct load_request request;
    assert_true(prefetch_collect(rig->inventory, inputs, 4, rig->now_ms, &batch->arena, &request));
    check_needs(&request, 2, 3, 0);
}

/* Inputs are decided up to the first that needs what a load left; a thing that is unknown is not
 * left. */
static void a_load_covers_the_inputs_before_what_it_left(void **state)
{
    struct rig *rig = *state;
    static const struct {
        uint32_t resources, ids, covered;
    } rows[] = {{3, 4, 4}, {2, 4, 2}, {1, 4, 1}, {3, 3, 3}, {3, 1, 1}, {2, 3, 2}};
    static const char *const names[] = {"r", "nowhere", "s", "r"};
    static const char *const texts[] = {
        "{\"request_id\":\"a\",\"op\":\"open\",\"resource\":\"r\"}",
        "{\"request_id\":\"a\",\"op\":\"open\",\"resource\":\"nowhere\"}",
        "{\"request_id\":\"a\",\"op\":\"open\",\"resource\":\"s\"}",
        "{\"request_id\":\"b\",\"op\":\"open\",\"resource\":\"r\"}",
    };
    (void)rig_ask(rig, "{'request_id':'d','op':'define','resource':'s'}");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        rig_restart(rig);
        struct usher_arena *arena = &rig_batch(rig)->arena;
        struct input inputs[4];
        struct log_record records[4];
        for (size_t i = 0; i < 4; i++) {
            records[i] = (struct log_record){.key = names[i],
                                             .key_size = strlen(names[i]),
                                             .value = texts[i],
                                             .value_size = strlen(texts[i])};
            input_decode(&inputs[i], &records[i], &rig->rules, arena);
        }
        struct load_request request;
        assert_true(prefetch_collect(rig->inventory, inputs, 4, rig->now_ms, arena, &request));
        assert_int_equal(3, request.resource_count);
        assert_string_equal("nowhere", request.resources[1]); /* in the order of the inputs */
        assert_int_equal(4, request.id_count);
        struct load_request part = request;
        part.resource_count = rows[row].resources;
        part.id_count = rows[row].ids;
        struct load_result result = rig_fetch(rig, &part);
        assert_int_equal(rows[row].covered,
                         prefetch_covered(rig->inventory, inputs, 4, &request, &result, arena));
    }
}

static void what_is_invalid_needs_nothing(void **state)
{
    struct rig *rig = *state;
    const struct log_record record = {.key = "r", .key_size = 1, .value = "x", .value_size = 1};
    struct batch *batch = rig_batch(rig);
    struct input input;
    struct load_request request;
    input_decode(&input, &record, &rig->rules, &batch->arena);
    assert_false(prefetch_collect(rig->inventory, &input, 1, rig->now_ms, &batch->arena, &request));
}

/* ---- carts, blocks, charts ---- */

#define CART(id, rest) \
    ASK(id, "hold", ",'customer':'c','cart':'k','items':[{'product':'mug','quantity':1}]" rest)

static void a_cart_is_asked_for_unless_all_bookings_are_known(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, CART("h", ""));
    struct load_request request = rig_prefetch(rig, CART("h2", ""));
    assert_int_equal(0, request.cart_count); /* the resource was made in this ownership */
    rig_restart(rig);
    request = rig_prefetch(rig, CART("h2", ""));
    assert_int_equal(1, request.cart_count);
    assert_string_equal("r", request.carts[0].resource);
    assert_string_equal("c", request.carts[0].customer);
    assert_string_equal("k", request.carts[0].cart);
    request = rig_prefetch(rig, ASK("x", "confirm", ",'customer':'d','cart':'k'"));
    assert_int_equal(1, request.cart_count);
    assert_int_equal(0, request.booking_count);
    (void)rig_ask(rig, CART("h2", ""));
    request = rig_prefetch(rig, CART("h3", "")); /* there may be others in the database */
    assert_int_equal(1, request.cart_count);
    request = rig_prefetch(rig, HOLD("h4"));
    assert_int_equal(0, request.cart_count);
    rig_fetch(rig, &(struct load_request){.carts = (const struct load_cart[]){{"r", "c", "k"}},
                                          .cart_count = 1});
    struct booking **bookings;
    assert_int_equal(2, inventory_cart(rig->inventory, rig_resource(rig, "r")->row.no, "c", "k",
                                       &rig_batch(rig)->arena, &bookings));
    assert_string_equal("h", bookings[0]->row.request_id);
    assert_string_equal("h2", bookings[1]->row.request_id);
}

static void a_booking_that_went_may_be_of_any_cart(void **state)
{
    struct rig *rig = *state; /* forgetful */
    (void)rig_ask(rig, CART("h", ""));
    struct load_request request = rig_prefetch(rig, CART("h2", ""));
    assert_int_equal(0, request.cart_count); /* in flight when that was sealed: it is still there */
    rig_seal(rig);
    rig_commit(rig);
    request = rig_prefetch(rig, CART("h2", ""));
    assert_int_equal(1, request.cart_count);
}

static void a_block_is_asked_for_like_a_booking(void **state)
{
    struct rig *rig = *state;
    static const char sale[] = ASK("s", "book",
                                   ",'customer':'c','from_block':'b','items':[{'product':'mug',"
                                   "'quantity':1}]");
    (void)rig_ask(rig, ASK("b", "block", ",'items':[{'product':'mug','quantity':5}]"));
    struct load_request request = rig_prefetch(rig, sale);
    assert_int_equal(0, request.booking_count);
    rig_restart(rig);
    request = rig_prefetch(rig, sale);
    assert_int_equal(1, request.booking_count);
    uint8_t hash[USHER_HASH_SIZE];
    request_id_hash("b", hash);
    assert_memory_equal(hash, request.bookings[0].id_hash, sizeof hash);
    assert_true(rig_says(rig, sale, "'outcome':'confirmed'"));
}

static void a_hold_is_asked_for_beside_its_booking(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig,
                  ASK("b", "book", ",'customer':'c','items':[{'product':'mug','quantity':1}]"));
    (void)rig_ask(rig,
                  ASK("h", "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]"));
    rig_restart(rig);
    static const char exchange[] = ASK("x", "exchange",
                                       ",'customer':'c','booking':'b','from_hold':'h','items':["
                                       "{'product':'mug','quantity':2}]");
    assert_int_equal(2, rig_prefetch(rig, exchange).booking_count);
    assert_true(rig_says(rig, exchange, "'outcome':'exchanged'"));
}

static const char *define_chart(struct rig *rig, const char *id, const char *chart)
{
    return usher_arena_format(
        &rig->arena, "{'request_id':'%s','op':'define','resource':'r','chart':'%s'}", id, chart);
}

static void a_chart_is_asked_for_until_it_is_known(void **state)
{
    struct rig *rig = *state;
    const struct decision_row *row =
        rig_decide(rig, "{'request_id':'n','op':'define','resource':'other','sections':"
                        "[{'section':'box','rows':[{'row':'L','seats':2}]}]}");
    const char *chart = rig_answer(rig, row)->chart;
    assert_non_null(chart);
    struct load_request request = rig_prefetch(rig, define_chart(rig, "d2", chart));
    assert_int_equal(0, request.chart_count);
    rig_seal(rig);
    request = rig_prefetch(rig, define_chart(rig, "d2", chart)); /* in flight */
    assert_int_equal(0, request.chart_count);
    rig_commit(rig);
    rig_restart(rig);
    request = rig_prefetch(rig, define_chart(rig, "d2", chart));
    assert_int_equal(1, request.chart_count);
    assert_string_equal(chart, request.charts[0]);
    assert_null(inventory_chart(rig->inventory, chart));
    rig_fetch(rig, &request);
    assert_non_null(strstr(inventory_chart(rig->inventory, chart)->content, "\"row\":\"L\""));
    request = rig_prefetch(rig, define_chart(rig, "d2", chart));
    assert_int_equal(0, request.chart_count);
    request = rig_prefetch(rig, define_chart(rig, "d3",
                                             "sha256:0000000000000000000000000000000000000"
                                             "000000000000000000000000000"));
    assert_int_equal(1, request.chart_count);
    rig_fetch(rig, &request); /* there is none */
    assert_null(inventory_chart(rig->inventory, request.charts[0]));
}

/* An id that is not in memory may have been answered, once some of its resource's ids went. */
static void ids_that_went_are_asked_for(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    rig_seal(rig);
    rig_commit(rig);
    struct load_request request = rig_prefetch(rig, HOLD("new"));
    check_needs(&request, 0, 1, 0);
    assert_true(rig_says(rig, HOLD("h"), "'outcome':'held'"));
    assert_true(rig->database->decisions[rig->database->decision_count - 1].replayed);
}

#define SHOP_TEST(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
#define FORGETFUL_TEST(test) cmocka_unit_test_setup_teardown(test, open_forgetful_shop, close_shop)
static const struct CMUnitTest tests[] = {
    SHOP_TEST(what_was_made_in_this_ownership_is_known),
    SHOP_TEST(a_cold_resource_is_asked_for_with_all_of_it),
    SHOP_TEST(a_repeat_needs_the_body_of_the_first_answer),
    SHOP_TEST(each_thing_is_asked_for_once),
    SHOP_TEST(a_load_covers_the_inputs_before_what_it_left),
    SHOP_TEST(what_is_invalid_needs_nothing),
    SHOP_TEST(a_cart_is_asked_for_unless_all_bookings_are_known),
    FORGETFUL_TEST(a_booking_that_went_may_be_of_any_cart),
    SHOP_TEST(a_block_is_asked_for_like_a_booking),
    SHOP_TEST(a_hold_is_asked_for_beside_its_booking),
    SHOP_TEST(a_chart_is_asked_for_until_it_is_known),
    FORGETFUL_TEST(ids_that_went_are_asked_for),
};
UNIT_TESTS(test_prefetch, tests, NULL, NULL)
