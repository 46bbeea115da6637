/*
 * Holds that come due: when they are asked for, and in which order they expire.
 */
#include "core_places.h"
#include "tests/unit/unit.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/work.h"

#define HOLD(id) ASK(id, "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]")

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
    assert_true(prefetch_collect_more(rig->inventory, NULL, 0, rig->now_ms, &rig_batch(rig)->arena,
                                      &request));
    assert_int_equal(1, request.resource_no_count);
    assert_int_equal(0, expiry_run(rig->inventory, &rig->rules, rig->now_ms, 10,
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
    assert_int_equal(0, expiry_run(rig->inventory, &rig->rules, rig->now_ms, 10, batch));
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
    assert_true(prefetch_collect(rig->inventory, NULL, 0, rig->now_ms, &batch->arena, &request));
    assert_true(request.due);
    request.due_limit = 4;
    fake_database_load(rig->database, &request, &batch->arena, &result);
    assert_int_equal(4, result.due_count);
    assert_int_equal(USHER_OK, inventory_load(rig->inventory, &request, &result, &err));
    const struct booking_row last = result.due[3];
    assert_true(
        prefetch_collect_more(rig->inventory, NULL, 0, rig->now_ms, &batch->arena, &request));
    fake_database_load(rig->database, &request, &batch->arena, &result);
    assert_int_equal(USHER_OK, inventory_load(rig->inventory, &request, &result, &err));
    assert_int_equal(4, expiry_run(rig->inventory, &rig->rules, rig->now_ms, 10, batch));
    assert_true(inventory_due(rig->inventory, rig->now_ms));
    assert_true(prefetch_collect(rig->inventory, NULL, 0, rig->now_ms, &batch->arena, &request));
    assert_int_equal(last.expires_ms, request.due_after_ms);
    assert_int_equal(last.no, request.due_after_no);
    assert_int_equal(6, rig_expire(rig)); /* those after it, none twice */
    rig_seal(rig);
    rig_commit(rig);
}

#define SHOP_TEST(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
#define FORGETFUL_TEST(test) cmocka_unit_test_setup_teardown(test, open_forgetful_shop, close_shop)
static const struct CMUnitTest tests[] = {
    SHOP_TEST(holds_are_asked_for_once_a_minute),
    FORGETFUL_TEST(evicted_holds_come_back_when_they_are_due),
    FORGETFUL_TEST(no_hold_expires_out_of_turn),
    SHOP_TEST(a_full_answer_moves_the_horizon_to_its_last_hold_only),
};
UNIT_TESTS(test_prefetch_due, tests, NULL, NULL)
