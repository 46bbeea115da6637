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
#include "quotes.h"

#define HOLD(id) ASK(id, "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]")
#define OF(booking) ",'customer':'c','booking':'" booking "'"

/* What the request needs now; in the arena of the batch at hand. */
static struct load_request needs_of(struct rig *rig, const char *json)
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
    struct load_request request;
    bool needed = needs_gather(rig->inventory, &input, 1, rig->now_ms, &batch->arena, &request);
    assert_int_equal(needed,
                     request.due ||
                         request.resource_count + request.id_count + request.booking_count > 0);
    return request;
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
    assert_true(needs_resources(rig->inventory, rig->now_ms, &rig_batch(rig)->arena, &request));
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
    assert_true(needs_resources(rig->inventory, rig->now_ms, &batch->arena, &request));
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
        SHOP_TEST(holds_are_asked_for_once_a_minute),
        FORGETFUL_TEST(evicted_holds_come_back_when_they_are_due),
        FORGETFUL_TEST(no_hold_expires_out_of_turn),
        SHOP_TEST(a_full_answer_moves_the_horizon_to_its_last_hold_only),
        FORGETFUL_TEST(ids_that_went_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
