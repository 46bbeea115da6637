/*
 * What stays in memory and what goes, and what an answer of the database may do to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core_places.h"

#define HOLD(id) ASK(id, "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]")
#define OF(booking) ",'customer':'c','booking':'" booking "'"

/* The trap: the database beside a commit in flight still shows the unit as free. */
static void what_is_in_flight_is_never_read_from_the_database(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, ASK("b", "book",
                              ",'customer':'c','items':[{'product':'mug',"
                              "'quantity':500}]"));
    rig_seal(rig);
    assert_int_equal(1, inventory_size(rig->inventory).resources);
    assert_int_equal(1, inventory_size(rig->inventory).bookings);
    assert_string_equal("not_enough", rig_decide(rig, HOLD("h"))->reason);
    rig_seal(rig);
    rig_commit(rig);
    rig_commit(rig);
    assert_true(rig_says(rig, HOLD("h2"), "'reason':'not_enough','retryable':true"));
}

/* A question for all there is about the booking "h". */
static struct load_request everything_of_h(struct rig *rig)
{
    struct usher_arena *arena = &rig_batch(rig)->arena;
    const char **resource = usher_arena_alloc(arena, sizeof(*resource));
    struct load_key *key = usher_arena_alloc(arena, sizeof(*key));
    *resource = key->resource = "r";
    usher_id_hash("h", key->id_hash);
    return (struct load_request){.resources = resource,
                                 .resource_count = 1,
                                 .bookings = key,
                                 .booking_count = 1,
                                 .due = true,
                                 .due_after_ms = INT64_MIN,
                                 .due_until_ms = INT64_MAX,
                                 .due_limit = 10};
}

/* A load that was answered before the batch in flight was committed must not undo it. */
static void an_old_answer_does_not_overwrite_memory(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    struct load_request request = everything_of_h(rig);
    struct load_result result;
    struct usher_error err;
    (void)rig_decide(rig, ASK("k", "confirm", OF("h")));
    fake_database_load(rig->database, &request, &rig_batch(rig)->arena, &result);
    assert_int_equal(1, result.due_count);
    assert_int_equal(BOOKING_HELD, result.bookings[0].state);
    assert_int_equal(USHER_OK, inventory_load(rig->inventory, &request, &result, &err));
    assert_int_equal(1, rig_resource(rig, "r")->sold);
    assert_int_equal(0, inventory_size(rig->inventory).due);
    assert_string_equal("already_confirmed",
                        rig_decide(rig, ASK("k2", "confirm", OF("h")))->reason);
    rig_seal(rig);
}

static void what_is_cold_and_committed_goes(void **state)
{
    struct rig *rig = *state;
    uint32_t count;
    (void)rig_ask(rig, "{'request_id':'d','op':'define','resource':'s'}");
    const int64_t *evicted = inventory_evicted(rig->inventory, &count);
    assert_int_equal(1, count); /* the one used last stays */
    assert_int_equal(1, evicted[0]);
    rig_seal(rig);
    struct inventory_size size = inventory_size(rig->inventory);
    assert_int_equal(1, size.resources);
    assert_int_equal(0, size.units);
    assert_int_equal(0, size.ids);
    assert_null(inventory_resource(rig->inventory, "r"));
    (void)inventory_evicted(rig->inventory, &count);
    assert_int_equal(0, count);
}

/* ---- what makes no sense ---- */

static void a_database_of_something_else_halts(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    static const char *const names[] = {"lines", "unit twice", "more units than there are",
                                        "no resource"};
    const int64_t no = rig_resource(rig, "r")->row.no;
    for (uint32_t i = 0; i < 4; i++) {
        rig_restart(rig);
        struct batch *batch = rig_batch(rig);
        struct load_request request = everything_of_h(rig);
        struct load_result result;
        struct usher_error err;
        fake_database_load(rig->database, &request, &batch->arena, &result);
        struct loaded_unit units[] = {result.resources[0].units[0], result.resources[0].units[0]};
        if (i == 0) {
            result.bookings[0].lines_size--;
        } else if (i == 1) {
            result.resources[0].units = units;
            result.resources[0].unit_count = 2;
        } else if (i == 2) {
            result.resources[0].pools[0].capacity = 0;
        } else {
            result.resource_count = 0;
            request.resource_nos = &no;
            request.resource_no_count = 1;
        }
        print_message("%s\n", names[i]);
        assert_int_equal(USHER_HALT, inventory_load(rig->inventory, &request, &result, &err));
    }
    rig_restart(rig);
}

int main(void)
{
#define SHOP_TEST(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
#define FORGETFUL_TEST(test) cmocka_unit_test_setup_teardown(test, open_forgetful_shop, close_shop)
    const struct CMUnitTest tests[] = {
        FORGETFUL_TEST(what_is_in_flight_is_never_read_from_the_database),
        SHOP_TEST(an_old_answer_does_not_overwrite_memory),
        FORGETFUL_TEST(what_is_cold_and_committed_goes),
        SHOP_TEST(a_database_of_something_else_halts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
