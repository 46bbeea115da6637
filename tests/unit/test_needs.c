/*
 * What is asked of the database and what is not, and the holds that come due.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core_places.h"
#include "inventory_change.h"
#include "quotes.h"

#define HOLD(id) ASK(id, "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]")
#define OF(booking) ",'customer':'c','booking':'" booking "'"

/* The request as an input; in the arena of the batch at hand. */
static struct input input_of(struct rig *rig, const char *json)
{
    struct batch *batch = rig_batch(rig);
    const char *text = quotes_double(&batch->arena, json);
    const char *key = strstr(text, "\"resource\":\"") + strlen("\"resource\":\"");
    struct log_record *record = usher_arena_alloc(&batch->arena, sizeof(*record));
    *record = (struct log_record){
        .key = key, .key_size = strcspn(key, "\""), .value = text, .value_size = strlen(text)};
    struct input input;
    input_decode(&input, record, &rig->rules, &batch->arena);
    assert_int_equal(USHER_REASON_NONE, input.invalid);
    return input;
}

/* What the request needs now. */
static struct load_request needs_of(struct rig *rig, const char *json)
{
    struct input input = input_of(rig, json);
    struct load_request request;
    bool needed =
        needs_gather(rig->inventory, &input, 1, rig->now_ms, &rig_batch(rig)->arena, &request);
    assert_int_equal(needed, request.due || request.unfinished || request.owners.pool != 0 ||
                                 request.resource_count + request.id_count + request.booking_count +
                                         request.cart_count + request.chart_count +
                                         request.tally_count >
                                     0);
    return request;
}

static void load(struct rig *rig, const struct load_request *request)
{
    struct load_result result;
    struct usher_error err;
    fake_database_load(rig->database, request, &rig_batch(rig)->arena, &result);
    assert_int_equal(USHER_OK, inventory_load(rig->inventory, request, &result, &err));
}

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
    struct load_request request = needs_of(rig, HOLD("new"));
    check_needs(&request, 0, 0, 0);
    assert_false(request.due);
    request = needs_of(rig, ASK("k", "confirm", OF("h"))); /* it is in memory */
    check_needs(&request, 0, 0, 0);
    request = needs_of(rig, ASK("k", "confirm", OF("none"))); /* no such id was ever answered */
    check_needs(&request, 0, 0, 0);
    request = needs_of(rig, ASK("k", "confirm", OF("d"))); /* it was, and may have made one */
    check_needs(&request, 0, 0, 1);
    (void)rig_ask(rig, HOLD("new"));
    assert_int_equal(loads, rig->database->loads);
}

static void a_cold_resource_is_asked_for_with_all_of_it(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    rig_restart(rig);
    struct load_request request = needs_of(rig, ASK("k", "confirm", OF("h")));
    check_needs(&request, 1, 1, 1);
    assert_string_equal("r", request.resources[0]);
    uint8_t hash[USHER_HASH_SIZE];
    usher_id_hash("k", hash);
    assert_string_equal("r", request.ids[0].resource);
    assert_memory_equal(hash, request.ids[0].id_hash, sizeof(hash));
    usher_id_hash("h", hash);
    assert_string_equal("r", request.bookings[0].resource);
    assert_memory_equal(hash, request.bookings[0].id_hash, sizeof(hash));

    (void)rig_ask(rig, ASK("k", "confirm", OF("h")));
    request = needs_of(rig, ASK("x", "cancel", OF("h"))); /* not all ids are known any more */
    check_needs(&request, 0, 1, 0);
    request = needs_of(rig, ASK("y", "cancel", OF("none")));
    check_needs(&request, 0, 1, 1);
}

static void a_repeat_needs_the_body_of_the_first_answer(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, HOLD("h"));
    struct load_request request = needs_of(rig, HOLD("h")); /* of the batch at hand */
    check_needs(&request, 0, 0, 0);
    rig_seal(rig);
    request = needs_of(rig, HOLD("h")); /* in flight */
    check_needs(&request, 0, 0, 0);
    rig_commit(rig);
    request = needs_of(rig, HOLD("h")); /* in the database only */
    check_needs(&request, 0, 1, 0);
    request = needs_of(rig, ASK("h", "probe", "")); /* another content needs no body */
    check_needs(&request, 0, 0, 0);
    (void)rig_decide(rig, HOLD("h"));
    request = needs_of(rig, HOLD("h")); /* loaded for this batch */
    check_needs(&request, 0, 0, 0);
    rig_seal(rig);
    request = needs_of(rig, HOLD("h")); /* and forgotten with it */
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
    assert_true(needs_gather(rig->inventory, inputs, 4, rig->now_ms, &batch->arena, &request));
    check_needs(&request, 2, 3, 0);
}

static void what_is_invalid_needs_nothing(void **state)
{
    struct rig *rig = *state;
    const struct log_record record = {.key = "r", .key_size = 1, .value = "x", .value_size = 1};
    struct batch *batch = rig_batch(rig);
    struct input input;
    struct load_request request;
    input_decode(&input, &record, &rig->rules, &batch->arena);
    assert_false(needs_gather(rig->inventory, &input, 1, rig->now_ms, &batch->arena, &request));
}

/* ---- carts, blocks, charts ---- */

#define CART(id, rest) \
    ASK(id, "hold", ",'customer':'c','cart':'k','items':[{'product':'mug','quantity':1}]" rest)

static void a_cart_is_asked_for_unless_all_bookings_are_known(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, CART("h", ""));
    struct load_request request = needs_of(rig, CART("h2", ""));
    assert_int_equal(0, request.cart_count); /* the resource was made in this ownership */
    rig_restart(rig);
    request = needs_of(rig, CART("h2", ""));
    assert_int_equal(1, request.cart_count);
    assert_string_equal("r", request.carts[0].resource);
    assert_string_equal("c", request.carts[0].customer);
    assert_string_equal("k", request.carts[0].cart);
    request = needs_of(rig, ASK("x", "confirm", ",'customer':'d','cart':'k'"));
    assert_int_equal(1, request.cart_count);
    assert_int_equal(0, request.booking_count);
    (void)rig_ask(rig, CART("h2", ""));
    request = needs_of(rig, CART("h3", "")); /* there may be others in the database */
    assert_int_equal(1, request.cart_count);
    request = needs_of(rig, HOLD("h4"));
    assert_int_equal(0, request.cart_count);
    load(rig, &(struct load_request){.carts = (const struct load_cart[]){{"r", "c", "k"}},
                                     .cart_count = 1});
    struct booking **bookings;
    assert_int_equal(2, inventory_cart(rig->inventory, rig_resource(rig, "r")->row.no, "c", "k",
                                       &rig_batch(rig)->arena, &bookings));
    assert_string_equal("h", bookings[0]->request_id);
    assert_string_equal("h2", bookings[1]->request_id);
}

static void a_booking_that_went_may_be_of_any_cart(void **state)
{
    struct rig *rig = *state; /* forgetful */
    (void)rig_ask(rig, CART("h", ""));
    struct load_request request = needs_of(rig, CART("h2", ""));
    assert_int_equal(0, request.cart_count); /* in flight when that was sealed: it is still there */
    rig_seal(rig);
    rig_commit(rig);
    request = needs_of(rig, CART("h2", ""));
    assert_int_equal(1, request.cart_count);
}

static void a_block_is_asked_for_like_a_booking(void **state)
{
    struct rig *rig = *state;
    static const char sale[] = ASK("s", "book",
                                   ",'customer':'c','from_block':'b','items':[{'product':'mug',"
                                   "'quantity':1}]");
    (void)rig_ask(rig, ASK("b", "block", ",'items':[{'product':'mug','quantity':5}]"));
    struct load_request request = needs_of(rig, sale);
    assert_int_equal(0, request.booking_count);
    rig_restart(rig);
    request = needs_of(rig, sale);
    assert_int_equal(1, request.booking_count);
    uint8_t hash[USHER_HASH_SIZE];
    usher_id_hash("b", hash);
    assert_memory_equal(hash, request.bookings[0].id_hash, sizeof(hash));
    assert_true(rig_says(rig, sale, "'outcome':'confirmed'"));
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
    struct load_request request = needs_of(rig, define_chart(rig, "d2", chart));
    assert_int_equal(0, request.chart_count);
    rig_seal(rig);
    request = needs_of(rig, define_chart(rig, "d2", chart)); /* in flight */
    assert_int_equal(0, request.chart_count);
    rig_commit(rig);
    rig_restart(rig);
    request = needs_of(rig, define_chart(rig, "d2", chart));
    assert_int_equal(1, request.chart_count);
    assert_string_equal(chart, request.charts[0]);
    assert_null(inventory_chart(rig->inventory, chart));
    load(rig, &request);
    assert_non_null(strstr(inventory_chart(rig->inventory, chart)->content, "\"row\":\"L\""));
    request = needs_of(rig, define_chart(rig, "d2", chart));
    assert_int_equal(0, request.chart_count);
    request = needs_of(rig, define_chart(rig, "d3",
                                         "sha256:0000000000000000000000000000000000000"
                                         "000000000000000000000000000"));
    assert_int_equal(1, request.chart_count);
    load(rig, &request); /* there is none */
    assert_null(inventory_chart(rig->inventory, request.charts[0]));
}

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
    struct input input = input_of(rig, HOLD("h2"));
    assert_false(needs_quiet(rig->inventory, &input, 1));
    struct load_request request = needs_of(rig, HOLD("h2"));
    assert_int_equal(0, request.tally_count);
    load(rig, &request);
    struct usher_arena *arena = &rig_batch(rig)->arena;
    assert_true(needs_resources(rig->inventory, &input, 1, rig->now_ms, arena, &request));
    assert_int_equal(1, request.tally_count);
    assert_int_equal(rig_resource(rig, "r")->row.no, request.tally_nos[0]);
    load(rig, &request);
    assert_false(needs_resources(rig->inventory, &input, 1, rig->now_ms, arena, &request));
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
    struct input input = input_of(rig, LIMIT("l", "r"));
    assert_true(needs_quiet(rig->inventory, &input, 1));
    rig_commit(rig);
    struct load_request request = needs_of(rig, LIMIT("l", "r"));
    assert_int_equal(1, request.tally_count);
    load(rig, &request);
    assert_false(needs_quiet(rig->inventory, &input, 1));
    (void)rig_decide(rig, LIMIT("l", "r"));
    assert_int_equal(2, units_of(rig, "c"));
    (void)rig_decide(rig, HOLD("h3"));
    assert_int_equal(3, units_of(rig, "c"));
    assert_string_equal("limit_exceeded", rig_decide(rig, HOLD("h4"))->reason);
    rig_seal(rig);
}

static void where_all_bookings_are_known_nobody_waits(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    (void)rig_decide(rig, HOLD("h2"));
    rig_seal(rig);
    struct input input = input_of(rig, LIMIT("l", "r"));
    assert_false(needs_quiet(rig->inventory, &input, 1));
    struct load_request request = needs_of(rig, LIMIT("l", "r"));
    assert_int_equal(0, request.tally_count);
    (void)rig_decide(rig, LIMIT("l", "r"));
    assert_int_equal(2, units_of(rig, "c"));
    input = input_of(rig, LIMIT("l2", "new"));
    assert_false(needs_quiet(rig->inventory, &input, 1));
    rig_seal(rig);
}

/* ---- work of an earlier owner ---- */

static void unfinished_work_is_asked_for_once(void **state)
{
    struct rig *rig = *state;
    struct load_request request = needs_of(rig, HOLD("h"));
    assert_false(request.unfinished);
    rig_restart(rig);
    request = needs_of(rig, HOLD("h"));
    assert_true(request.unfinished);
    load(rig, &request);
    request = needs_of(rig, HOLD("h"));
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
    (void)needs_gather(rig->inventory, NULL, 0, rig->now_ms, &rig_batch(rig)->arena, &request);
    return request;
}

static void bookings_to_cancel_are_asked_for_unit_by_unit(void **state)
{
    struct rig *rig = *state;
    close_with_work_left(rig);
    rig_restart(rig);
    struct load_request request = idle_needs(rig);
    assert_int_equal(0, request.owners.pool); /* not known yet that there are some */
    load(rig, &request);
    assert_true(inventory_has_work(rig->inventory));
    const struct resource *resource = rig_resource(rig, "r");
    request = idle_needs(rig);
    assert_int_equal(resource->pools[0].row.no, request.owners.pool);
    assert_int_equal(2, request.owners.unit); /* the first that is not the house's */
    request.owners.limit = 100;
    load(rig, &request);
    assert_string_equal("h", inventory_next_owner(rig->inventory, resource)->request_id);
    assert_string_equal("s", inventory_next_owner(rig->inventory, resource)->request_id);
    assert_null(inventory_next_owner(rig->inventory, resource));

    request = idle_needs(rig);
    assert_int_equal(102, request.owners.unit);
    load(rig, &request); /* 500 from there on: to the end */
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

/* ---- holds that come due ---- */

static void holds_are_asked_for_once_a_minute(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    rig_restart(rig);
    assert_int_equal(INT64_MIN, inventory_next_due_ms(rig->inventory));
    assert_true(inventory_due(rig->inventory, rig->now_ms));
    int64_t begin = rig->now_ms;
    assert_int_equal(0, rig_expire(rig));
    assert_int_equal(begin + 60000, inventory_next_due_ms(rig->inventory));
    uint32_t loads = rig->database->loads;
    for (; rig->now_ms <= begin + 60000; rig->now_ms += 1000)
        assert_int_equal(0, rig_expire(rig));
    assert_int_equal(loads, rig->database->loads);
    rig->now_ms = begin + 60001;
    assert_int_equal(0, rig_expire(rig));
    assert_int_equal(loads + 1, rig->database->loads);

    /* 13 minutes on its hold is in the window; another 2, and it expires, with its resource cold.
     */
    rig->now_ms = begin + 850000;
    assert_int_equal(0, rig_expire(rig));
    assert_int_equal(1, inventory_size(rig->inventory).due);
    assert_int_equal(begin + 900000, inventory_next_due_ms(rig->inventory));
    rig->now_ms = begin + 900000;
    struct load_request request;
    assert_true(
        needs_resources(rig->inventory, NULL, 0, rig->now_ms, &rig_batch(rig)->arena, &request));
    assert_int_equal(1, request.resource_no_count);
    assert_int_equal(0, decide_expiries(rig->inventory, &rig->rules, rig->now_ms, 10,
                                        rig_batch(rig))); /* not without its resource */
    assert_true(inventory_due(rig->inventory, rig->now_ms));
    assert_int_equal(1, rig_expire(rig));
    rig_seal(rig);
    rig_commit(rig);
}

static void hold_many(struct rig *rig, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const char *hold = usher_arena_format(
            &rig->arena,
            "{'request_id':'h%04u','op':'hold','resource':'r','customer':'c','ttl_s':%u,'items':"
            "[{'product':'mug','quantity':1}]}",
            i, 100 + i % 7);
        assert_true(rig_says(rig, hold, "'outcome':'held'"));
    }
}

/* With room for few, the others are found in the database again, in the right order. */
static void evicted_holds_come_back_when_they_are_due(void **state)
{
    struct rig *rig = *state;
    hold_many(rig, 0, 100);
    assert_true(inventory_size(rig->inventory).bookings <= 1);
    uint32_t before = rig->database->decision_count;
    rig->now_ms += 200000;
    assert_int_equal(100, rig_expire(rig));
    rig_seal(rig);
    rig_commit(rig);
    int64_t last_no = 0, last_ms = 0;
    for (uint32_t i = before; i < rig->database->decision_count; i++) {
        const struct decision_row *row = &rig->database->decisions[i];
        const struct booking_row *booking = &rig->database->bookings[row->booking_no - 2];
        assert_int_equal(row->booking_no, booking->no);
        assert_int_equal(BOOKING_EXPIRED, booking->state);
        assert_true(booking->expires_ms > last_ms ||
                    (booking->expires_ms == last_ms && booking->no > last_no));
        last_ms = booking->expires_ms;
        last_no = booking->no;
    }
}

/* One in memory does not expire before an earlier one that is only in the database. */
static void no_hold_expires_out_of_turn(void **state)
{
    struct rig *rig = *state;
    hold_many(rig, 0, 2); /* the first is evicted with the seal of the second */
    assert_int_equal(1, inventory_size(rig->inventory).due);
    rig->now_ms += 200000;
    struct batch *batch = rig_batch(rig);
    assert_int_equal(0, decide_expiries(rig->inventory, &rig->rules, rig->now_ms, 10, batch));
    assert_true(inventory_due(rig->inventory, rig->now_ms));
    assert_int_equal(2, rig_expire(rig));
    assert_string_equal("h0000", batch->decisions[0].request_id);
    rig_seal(rig);
    rig_commit(rig);
}

static void a_full_answer_moves_the_horizon_to_its_last_hold_only(void **state)
{
    struct rig *rig = *state;
    hold_many(rig, 0, 10);
    rig_restart(rig);
    struct batch *batch = rig_batch(rig);
    rig->now_ms += 200000;
    struct load_request request;
    struct load_result result;
    struct usher_error err;
    assert_true(needs_gather(rig->inventory, NULL, 0, rig->now_ms, &batch->arena, &request));
    assert_true(request.due);
    request.due_limit = 4;
    fake_database_load(rig->database, &request, &batch->arena, &result);
    assert_int_equal(4, result.due_count);
    assert_int_equal(USHER_OK, inventory_load(rig->inventory, &request, &result, &err));
    const struct booking_row last = result.due[3];
    assert_true(needs_resources(rig->inventory, NULL, 0, rig->now_ms, &batch->arena, &request));
    fake_database_load(rig->database, &request, &batch->arena, &result);
    assert_int_equal(USHER_OK, inventory_load(rig->inventory, &request, &result, &err));
    assert_int_equal(4, decide_expiries(rig->inventory, &rig->rules, rig->now_ms, 10, batch));
    assert_true(inventory_due(rig->inventory, rig->now_ms));
    assert_true(needs_gather(rig->inventory, NULL, 0, rig->now_ms, &batch->arena, &request));
    assert_int_equal(last.expires_ms, request.due_after_ms);
    assert_int_equal(last.no, request.due_after_no);
    assert_int_equal(6, rig_expire(rig)); /* those after it, none twice */
    rig_seal(rig);
    rig_commit(rig);
}

/* An id that is not in memory may have been answered, once some of its resource's ids went. */
static void ids_that_went_are_asked_for(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    rig_seal(rig);
    rig_commit(rig);
    struct load_request request = needs_of(rig, HOLD("new"));
    check_needs(&request, 0, 1, 0);
    assert_true(rig_says(rig, HOLD("h"), "'outcome':'held'"));
    assert_true(rig->database->decisions[rig->database->decision_count - 1].replayed);
}

int main(void)
{
#define SHOP_TEST(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
#define FORGETFUL_TEST(test) cmocka_unit_test_setup_teardown(test, open_forgetful_shop, close_shop)
    const struct CMUnitTest tests[] = {
        SHOP_TEST(what_was_made_in_this_ownership_is_known),
        SHOP_TEST(a_cold_resource_is_asked_for_with_all_of_it),
        SHOP_TEST(a_repeat_needs_the_body_of_the_first_answer),
        SHOP_TEST(each_thing_is_asked_for_once),
        SHOP_TEST(what_is_invalid_needs_nothing),
        SHOP_TEST(a_cart_is_asked_for_unless_all_bookings_are_known),
        FORGETFUL_TEST(a_booking_that_went_may_be_of_any_cart),
        SHOP_TEST(a_block_is_asked_for_like_a_booking),
        SHOP_TEST(a_chart_is_asked_for_until_it_is_known),
        SHOP_TEST(customers_of_what_is_cold_are_counted_in_the_second_round),
        SHOP_TEST(a_first_limit_waits_until_nothing_is_in_flight),
        SHOP_TEST(where_all_bookings_are_known_nobody_waits),
        SHOP_TEST(unfinished_work_is_asked_for_once),
        SHOP_TEST(bookings_to_cancel_are_asked_for_unit_by_unit),
        SHOP_TEST(what_is_cancelled_in_a_batch_is_not_asked_for_again),
        SHOP_TEST(holds_are_asked_for_once_a_minute),
        FORGETFUL_TEST(evicted_holds_come_back_when_they_are_due),
        FORGETFUL_TEST(no_hold_expires_out_of_turn),
        SHOP_TEST(a_full_answer_moves_the_horizon_to_its_last_hold_only),
        FORGETFUL_TEST(ids_that_went_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
