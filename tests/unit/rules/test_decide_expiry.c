/*
 * Expiry: by the log's time, in order, before the record that was appended then, and never past
 * one that waits.
 */
#include <stdio.h>
#include <string.h>

#include "core_rig.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/work.h"

#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"
#define HOLD(id, ttl)                                            \
    ASK(id, "hold",                                              \
        ",'customer':'c','client':'web','cart':'k','ttl_s':" ttl \
        ",'items':[{'product':'mug','quantity':1}]")

static const struct rig_step opening[] = {
    {ASK("d", "define",
         ",'state':'open','currency':'EUR','products':[{'product':'mug',"
         "'capacity':3000,'price':7}]"),
     "'outcome':'defined'"},
};

static int open_shop(void **state)
{
    static struct rig rig;
    rig_open(&rig, &rig_no_limits);
    *state = &rig;
    return RIG_PLAY(&rig, opening) ? 0 : -1;
}

static int close_shop(void **state)
{
    resource_check(rig_resource(*state, "r"));
    fake_database_check(((struct rig *)*state)->database);
    rig_close(*state);
    return 0;
}

static void an_expired_hold_is_an_unrequested_answer(void **state)
{
    struct rig *rig = *state;
    const struct usher_answer *held = rig_ask(rig, HOLD("h", "60"));
    rig->now_ms = held->expires_ms - 1;
    assert_int_equal(0, rig_expire(rig));
    rig_seal(rig);
    rig_commit(rig);
    rig->now_ms = held->expires_ms;
    rig->rules.epoch = 4;
    assert_int_equal(1, rig_expire(rig));

    const struct decision_row *row = &rig_batch(rig)->decisions[0];
    assert_int_equal(held->seq + 1, row->seq);
    assert_int_equal(OFFSET_NONE, row->source_offset);
    assert_int_equal(USHER_ABSENT, row->appended_ms);
    assert_int_equal(4, row->epoch);
    assert_string_equal("h", row->request_id);
    assert_int_equal(USHER_OP_HOLD, row->op);
    assert_string_equal("web", row->client);
    assert_string_equal("r", row->resource);
    assert_memory_equal("r", row->key, 1);
    assert_int_equal(1, row->key_size);
    assert_int_equal(held->seq, row->booking_no);
    assert_false(row->first);
    static const char body[] =
        "\"outcome\":\"expired\",\"unasked\":true,\"cause\":\"expiry\",\"booking\":\"h\","
        "\"customer\":\"c\",\"cart\":\"k\",\"returned\":[{\"item\":0,\"product\":\"mug\","
        "\"quantity\":1,\"price\":7}],\"total\":7,\"currency\":\"EUR\","
        "\"decided_at\":\"1970-01-01T00:17:40.000Z\",\"rev\":3,\"free\":3000";
    assert_string_equal(body, row->body);
    rig_seal(rig);
    assert_int_equal(0, rig->batches[0].freed_count);
    assert_int_equal(1, rig->batches[0].pool_move_count);
    assert_int_equal(1, rig->batches[0].pool_moves[0].was.held);
    assert_int_equal(0, rig->batches[0].pool_moves[0].taken.held);
    rig_commit(rig);
    assert_int_equal(BOOKING_EXPIRED, rig->database->bookings[0].state);
}

static void holds_expire_by_time_then_by_number(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
        {HOLD("a", "30"), "'outcome':'held'"}, {HOLD("b", "10"), "'outcome':'held'"},
        {HOLD("c", "20"), "'outcome':'held'"}, {HOLD("d2", "10"), "'outcome':'held'"},
        {HOLD("e", "20"), "'outcome':'held'"},
    };
    static const char *const order[] = {"b", "d2", "c", "e", "a"};
    assert_true(RIG_PLAY(rig, steps));
    rig->now_ms += 30000;
    assert_int_equal(5, rig_expire(rig));
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(order[i], rig_batch(rig)->decisions[i].request_id);
    rig_seal(rig);
    rig_commit(rig);
}

/* Decided long after: in time is what was appended in time. */
static void a_confirm_is_in_time_if_it_was_appended_in_time(void **state)
{
    struct rig *rig = *state;
    const struct usher_answer *held = rig_ask(rig, HOLD("h", "60"));
    static const char confirm[] = "{\"request_id\":\"k\",\"op\":\"confirm\",\"resource\":\"r\","
                                  "\"customer\":\"c\",\"booking\":\"h\"}";
    static const char extend[] = "{\"request_id\":\"l\",\"op\":\"extend\",\"resource\":\"r\","
                                 "\"customer\":\"c\",\"booking\":\"h2\",\"ttl_s\":60}";
    struct log_record record = {.offset = 100,
                                .appended_ms = held->expires_ms - 1,
                                .key = "r",
                                .key_size = 1,
                                .value = confirm,
                                .value_size = sizeof confirm - 1};
    const struct usher_answer *second = rig_ask(rig, HOLD("h2", "60"));
    rig->now_ms = held->expires_ms + 1000000;
    assert_int_equal(USHER_CONFIRMED, rig_decide_record(rig, &record, false)->outcome);

    /* … and an extend is too late that was appended when the time was up. */
    record.appended_ms = second->expires_ms;
    record.value = extend;
    record.value_size = sizeof extend - 1;
    assert_int_equal(USHER_HOLD_EXPIRED, rig_decide_record(rig, &record, false)->reason);
    assert_int_equal(USHER_EXPIRED, rig_batch(rig)->decisions[1].outcome);
    assert_string_equal("h2", rig_batch(rig)->decisions[1].request_id);
    rig_seal(rig);
    rig_commit(rig);
}

static void no_more_expire_than_a_batch_may_take(void **state)
{
    struct rig *rig = *state;
    for (uint32_t i = 0; i < 1500; i++) {
        (void)rig_decide(rig, usher_arena_format(&rig->arena,
                                                 "{'request_id':'h%u','op':'hold','resource':'r',"
                                                 "'customer':'c','items':[{'product':'mug',"
                                                 "'quantity':1}]}",
                                                 i));
        if (i % 50 == 49) {
            rig_seal(rig);
            rig_commit(rig);
        }
    }
    rig->now_ms += 900000;
    struct batch *batch = rig_batch(rig);
    assert_true(inventory_next_due_ms(rig->inventory) <= rig->now_ms);
    struct load_request request;
    assert_true(prefetch_collect(rig->inventory, NULL, 0, rig->now_ms, &batch->arena, &request));
    struct load_result result;
    struct usher_error err;
    fake_database_load(rig->database, &request, &batch->arena, &result);
    assert_int_equal(USHER_OK, inventory_load(rig->inventory, &request, &result, &err));
    assert_int_equal(1000, expiry_run(rig->inventory, &rig->rules, rig->now_ms, 1000, batch));
    assert_true(inventory_due(rig->inventory, rig->now_ms));
    rig_seal(rig);
    rig_commit(rig);
    assert_int_equal(500, rig_expire(rig));
    assert_false(inventory_due(rig->inventory, rig->now_ms));
    rig_seal(rig);
    rig_commit(rig);
    assert_int_equal(3000, rig_resource(rig, "r")->free);
}

#define SHOP_TEST(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
static const struct CMUnitTest tests[] = {
    SHOP_TEST(an_expired_hold_is_an_unrequested_answer),
    SHOP_TEST(holds_expire_by_time_then_by_number),
    SHOP_TEST(a_confirm_is_in_time_if_it_was_appended_in_time),
    SHOP_TEST(no_more_expire_than_a_batch_may_take),
};
UNIT_TESTS(test_decide_expiry, tests, NULL, NULL)
