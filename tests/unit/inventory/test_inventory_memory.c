/*
 * What stays in memory and what goes, and what an answer of the database may do to it.
 */
#include <string.h>

#include "core_places.h"
#include "producer/codec/stored.h"
#include "tests/unit/unit.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/seal.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"

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
    assert_int_equal(USHER_NOT_ENOUGH, rig_decide(rig, HOLD("h"))->reason);
    rig_seal(rig);
    rig_commit(rig);
    rig_commit(rig);
    assert_true(rig_says(rig, HOLD("h2"), "'reason':'not_enough','retryable':true"));
}

/* A question for all there is about the booking "h". */
static struct load_request everything_of_h(struct rig *rig)
{
    struct usher_arena *arena = &rig_batch(rig)->arena;
    const char **resource = usher_arena_alloc(arena, sizeof *resource);
    struct load_key *key = usher_arena_alloc(arena, sizeof *key);
    *resource = key->resource = "r";
    request_id_hash("h", key->id_hash);
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
    assert_int_equal(USHER_ALREADY_CONFIRMED,
                     rig_decide(rig, ASK("k2", "confirm", OF("h")))->reason);
    rig_seal(rig);
}

#define HOTEL(id)                                                                       \
    "{'request_id':'d-" id "','op':'define','resource':'" id "','state':'open',"        \
    "'currency':'GBP','rooms':[{'room':'double','from':'2030-01-01','to':'2030-01-02'," \
    "'capacity':10,'price':100}]}"

/* Nothing but that resource was evicted. */
static void take_evicted(struct rig *rig, int64_t no)
{
    struct resource *resource = inventory_take_evicted(rig->inventory);
    assert_non_null(resource);
    assert_int_equal(no, resource->row.no);
    resource_destroy(resource);
    assert_null(inventory_take_evicted(rig->inventory));
}

static void what_is_cold_and_committed_goes(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, "{'request_id':'d','op':'define','resource':'s'}");
    take_evicted(rig, 1); /* the one used last stays */
    rig_seal(rig);
    struct inventory_size size = inventory_size(rig->inventory);
    assert_int_equal(1, size.resources);
    assert_int_equal(0, size.units);
    assert_int_equal(0, size.ids);
    assert_null(inventory_resource(rig->inventory, "r"));
}

/* Where others need the memory, without a batch. */
static void limits_may_be_lowered_between_batches(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h"));
    (void)rig_ask(rig, "{'request_id':'d','op':'define','resource':'s'}");
    rig_seal(rig);
    rig_commit(rig);
    struct inventory_size size = inventory_size(rig->inventory);
    assert_int_equal(2, size.resources);
    assert_true(size.ids >= 2);
    inventory_limit(rig->inventory,
                    &(struct inventory_limits){.resources = 1, .ids = 1, .pools = UINT64_MAX});
    inventory_trim(rig->inventory);
    inventory_return_memory(rig->inventory);
    size = inventory_size(rig->inventory);
    assert_int_equal(1, size.resources);
    assert_int_equal(1, size.ids);
    assert_int_equal(0, size.bookings);
    take_evicted(rig, 1);
    assert_true(rig_says(rig, ASK("k", "confirm", OF("h")), "'outcome':'confirmed'"));
}

/* ---- room ---- */

/* Three hotels of ten rooms, in a memory for twenty-five: what is cold goes, what is needed stays.
 */
static void what_is_loaded_finds_room_or_is_left(void **state)
{
    (void)state;
    struct rig own, *rig = &own;
    const struct inventory_limits limits = {UINT32_MAX, UINT32_MAX, 25, UINT32_MAX, UINT64_MAX};
    static const char *const ids[] = {"a", "b", "c"};
    rig_open(rig, &limits);
    for (size_t i = 0; i < 3; i++)
        (void)rig_ask(rig, i == 0 ? HOTEL("a") : i == 1 ? HOTEL("b") : HOTEL("c"));
    rig_restart(rig);
    inventory_pin_begin(rig->inventory);
    const struct load_request all = {.resources = ids, .resource_count = 3};
    struct load_result result = rig_fetch(rig, &all);
    assert_int_equal(2, result.resources_served);
    assert_int_equal(20, inventory_size(rig->inventory).units);
    assert_int_equal(20, inventory_size(rig->inventory).sums.free);
    inventory_pin_begin(rig->inventory);
    assert_non_null(inventory_resource(rig->inventory, "a"));
    const struct load_request last = {.resources = ids + 2, .resource_count = 1};
    result = rig_fetch(rig, &last);
    assert_int_equal(1, result.resources_served);
    assert_int_equal(20, inventory_size(rig->inventory).units);
    assert_int_equal(20, inventory_size(rig->inventory).sums.free);
    take_evicted(rig, 2); /* the one not needed */
    const struct load_request again = {.resources = ids + 1, .resource_count = 1};
    result = rig_fetch(rig, &again);
    assert_int_equal(1, result.resources_served); /* the first comes, whatever room there is */
    assert_int_equal(30, inventory_size(rig->inventory).units);
    assert_int_equal(30, inventory_size(rig->inventory).sums.free);
    rig_close(rig);
}

/* ---- how many units are in which state ---- */

static void assert_sums(const struct rig *rig, int64_t free, int64_t held, int64_t sold,
                        int64_t blocked)
{
    const struct unit_sums sums = inventory_size(rig->inventory).sums;
    assert_int_equal(free, sums.free);
    assert_int_equal(held, sums.held);
    assert_int_equal(sold, sums.sold);
    assert_int_equal(blocked, sums.blocked);
}

static void units_are_summed_by_state(void **state)
{
    struct rig *rig = *state;
    assert_sums(rig, 500, 0, 0, 0);
    (void)rig_ask(rig, HOLD("h"));
    (void)rig_ask(rig, HOLD("i"));
    (void)rig_ask(rig, ASK("c", "confirm", OF("i")));
    (void)rig_ask(rig, ASK("b", "block", ",'items':[{'product':'mug','quantity':7}]"));
    assert_sums(rig, 491, 1, 1, 7);
    (void)rig_ask(rig,
                  ASK("m", "define", ",'products':[{'product':'mug','capacity':600,'price':1}]"));
    assert_sums(rig, 591, 1, 1, 7);
    rig_restart(rig);
    assert_sums(rig, 0, 0, 0, 0);
    (void)rig_ask(rig, ASK("r", "release", OF("h")));
    assert_sums(rig, 592, 0, 1, 7);
}

/* ---- who waits ---- */

#define WAIT(id, quantity)                                                               \
    ASK(id, "hold",                                                                      \
        ",'customer':'w','wait_until':'2030-01-01T00:00:00Z','items':[{'product':'mug'," \
        "'quantity':" quantity "}]")
#define OTHER(id) "{'request_id':'" id "','op':'define','resource':'s'}"

static void sell_out(struct rig *rig)
{
    assert_true(rig_says(
        rig, ASK("all", "book", ",'customer':'c','items':[{'product':'mug','quantity':500}]"),
        "'outcome':'confirmed'"));
}

static void parties_stay_as_long_as_their_resource(void **state)
{
    struct rig *rig = *state; /* forgetful */
    sell_out(rig);
    assert_true(rig_says(rig, WAIT("w1", "1"), "'position':1"));
    assert_true(rig_says(rig, WAIT("w2", "2"), "'position':2"));
    rig_seal(rig);
    rig_commit(rig);
    assert_int_equal(2, rig_resource(rig, "r")->waiting.count);
    assert_int_equal(2, inventory_size(rig->inventory).bookings);
    (void)rig_ask(rig, OTHER("d"));
    rig_seal(rig);
    assert_null(inventory_resource(rig->inventory, "r"));
    assert_int_equal(0, inventory_size(rig->inventory).bookings);
    assert_int_equal(0, inventory_size(rig->inventory).due);
    rig_commit(rig);
    assert_true(rig_says(rig, WAIT("w3", "1"), "'position':3"));
    assert_true(rig_says(rig, ASK("l", "leave", ",'customer':'w','booking':'w1'"), "'left'"));
    assert_int_equal(2, rig_resource(rig, "r")->waiting.count);
    assert_string_equal("w2", waiting_oldest(rig_resource(rig, "r"))->row.request_id);
}

/* Asked for by name, or because their time is near, before anybody asks for the resource. */
static void a_party_may_come_before_its_resource(void **state)
{
    struct rig *rig = *state;
    sell_out(rig);
    assert_true(rig_says(rig, WAIT("w1", "1"), "'position':1"));
    assert_true(rig_says(rig, WAIT("w2", "2"), "'position':2"));
    rig_restart(rig);
    const struct load_key key = {.resource = "r"};
    struct load_key keys[] = {key};
    request_id_hash("w2", keys[0].id_hash);
    struct load_request request = {.bookings = keys, .booking_count = 1};
    struct load_result result;
    struct usher_error err;
    fake_database_load(rig->database, &request, &rig_batch(rig)->arena, &result);
    assert_int_equal(USHER_OK, inventory_load(rig->inventory, &request, &result, &err));
    assert_int_equal(1, inventory_size(rig->inventory).bookings);
    assert_true(rig_says(rig, ASK("p", "probe", ""), "'waiting':2"));
    assert_int_equal(2, inventory_size(rig->inventory).bookings);
    assert_string_equal("w1", waiting_oldest(rig_resource(rig, "r"))->row.request_id);
}

/* ---- unfinished work ---- */

static void a_resource_with_work_left_is_not_forgotten(void **state)
{
    struct rig *rig = *state; /* forgetful */
    sell_out(rig);
    rig->unrequested_limit = 0;
    (void)rig_ask(rig, ASK("o", "close", ",'cancel_bookings':true"));
    (void)rig_ask(rig, OTHER("d"));
    rig_seal(rig);
    rig_commit(rig);
    assert_int_equal(2, inventory_size(rig->inventory).resources);
    rig->unrequested_limit = RIG_UNREQUESTED;
    rig_seal(rig);
    rig_commit(rig);
    assert_int_equal(500, rig_resource(rig, "r")->free);
    assert_non_null(inventory_resource(rig->inventory, "s"));
    rig_seal(rig);
    assert_int_equal(1, inventory_size(rig->inventory).resources);
    rig_commit(rig);
}

/* A clone takes the place of its original in the list, too. */
static void work_is_done_in_the_order_in_which_it_came(void **state)
{
    struct rig *rig = *state;
    static const char *const ids[] = {"x", "y", "z"};
    rig->unrequested_limit = 0;
    for (uint32_t i = 0; i < 3; i++) {
        struct resource_row row = {.no = 100 + i, .id = ids[i], .unserved = true};
        struct resource *resource = resource_create(&row);
        inventory_add_resource(rig->inventory, resource);
        inventory_note_work(rig->inventory, resource);
        inventory_note_work(rig->inventory, resource);
    }
    struct resource *old = rig_resource(rig, "y");
    struct resource *clone = resource_clone(old);
    catalogue_settle(clone);
    inventory_replace_resource(rig->inventory, old, clone);
    const struct resource *work = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        work = inventory_work(rig->inventory, work);
        assert_string_equal(ids[i], work->row.id);
    }
    assert_null(inventory_work(rig->inventory, work));
    clone->row.unserved = false;
    inventory_note_work(rig->inventory, clone);
    work = inventory_work(rig->inventory, inventory_work(rig->inventory, NULL));
    assert_string_equal("z", work->row.id);
}

/* ---- layouts ---- */

static const char *define_hall(struct rig *rig, uint32_t seats)
{
    const char *json = usher_arena_format(
        &rig->arena,
        "{'request_id':'h%u','op':'define','resource':'hall','sections':[{'section':'s','rows':"
        "[{'row':'A','seats':%u}]}]}",
        seats, seats);
    return rig_answer(rig, rig_decide(rig, json))->chart;
}

static void only_some_layouts_are_kept_but_all_that_are_in_flight(void **state)
{
    struct rig *rig = *state;
    const char *charts[50];
    for (uint32_t i = 0; i < 50; i++)
        charts[i] = define_hall(rig, i + 1);
    rig_seal(rig);
    for (uint32_t i = 0; i < 50; i++)
        assert_non_null(inventory_chart(rig->inventory, charts[i]));
    assert_non_null(inventory_chart(rig->inventory, charts[3])); /* used last */
    rig_commit(rig);
    rig_seal(rig);
    uint32_t known = 0;
    for (uint32_t i = 0; i < 50; i++)
        known += inventory_chart(rig->inventory, charts[i]) != NULL;
    assert_int_equal(16, known);
    assert_non_null(inventory_chart(rig->inventory, charts[3]));
    assert_null(inventory_chart(rig->inventory, charts[0]));
    assert_non_null(strstr(inventory_chart(rig->inventory, charts[49])->content, "\"seats\":50"));
}

static void the_layout_of_a_resource_is_known_by_name(void **state)
{
    struct rig *rig = *state;
    const char *chart = define_hall(rig, 7);
    rig_seal(rig);
    rig_commit(rig);
    rig_restart(rig);
    assert_null(inventory_chart(rig->inventory, chart));
    assert_true(
        rig_says(rig, "{'request_id':'p','op':'probe','resource':'hall'}", "'outcome':'alive'"));
    assert_non_null(inventory_chart(rig->inventory, chart));
}

/* ---- what makes no sense ---- */

/* The result of a load for "r", which waits to be spoilt. */
static struct load_result spoilt(struct rig *rig, struct load_request *request)
{
    struct load_result result;
    rig_restart(rig);
    *request = everything_of_h(rig);
    fake_database_load(rig->database, request, &rig_batch(rig)->arena, &result);
    return result;
}

static void check_halts(struct rig *rig, const struct load_request *request,
                        const struct load_result *result)
{
    struct usher_error err;
    assert_int_equal(USHER_HALT, inventory_load(rig->inventory, request, result, &err));
    assert_int_equal(USHER_EXIT_BUG, err.exit_code);
}

static void parties_and_customers_that_make_no_sense_halt(void **state)
{
    struct rig *rig = *state;
    sell_out(rig);
    assert_true(rig_says(rig, WAIT("h", "1"), "'position':1"));
    struct load_request request;
    struct load_result result = spoilt(rig, &request);
    assert_int_equal(1, result.resources[0].waiting_count);
    result.resources[0].waiting[0].wants = "[]";
    check_halts(rig, &request, &result);

    result = spoilt(rig, &request);
    result.resources[0].waiting[0].wants = NULL;
    check_halts(rig, &request, &result);

    result = spoilt(rig, &request);
    result.resources[0].waiting[0].customer = NULL;
    check_halts(rig, &request, &result);

    result = spoilt(rig, &request);
    result.resources[0].waiting[0].ttl_s = USHER_ABSENT;
    check_halts(rig, &request, &result);

    result = spoilt(rig, &request);
    result.resources[0].waiting[0].ttl_s = -2000000000;
    check_halts(rig, &request, &result);

    result = spoilt(rig, &request);
    result.resources[0].row.id = NULL;
    check_halts(rig, &request, &result);

    result = spoilt(rig, &request);
    result.resources[0].row.hold_ttl_s = INT64_MAX / 10;
    check_halts(rig, &request, &result);

    const int64_t no = result.resources[0].row.no;
    struct load_tally tally = {.resource_no = no, .customer = "c", .booking = 1, .pool = 7};
    result = spoilt(rig, &request);
    request.tally_nos = &no;
    request.tally_count = 1;
    result.tallies = &tally;
    result.tally_count = 1;
    check_halts(rig, &request, &result);
    rig_restart(rig);
}

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

#define OTHER_ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'x'" rest "}"

/* It changes its holds and not the resource, which may leave memory before the batch is sealed. */
static void a_request_that_changes_nothing_restarts_a_cart(void **state)
{
    struct rig *rig = *state;
    const char *const requests[] = {
        ASK("o", "open", ",'customer':'c','cart':'k'"),
        ASK("p", "open", ",'customer':'c','cart':'k'"),
    };
    assert_true(rig_says(
        rig,
        OTHER_ASK("d", "define", ",'state':'open','products':[{'product':'mug','capacity':500}]"),
        "'defined'"));
    assert_true(rig_says(rig,
                         ASK("h", "hold",
                             ",'customer':'c','cart':'k','ttl_s':60,"
                             "'items':[{'product':'mug','quantity':1}]"),
                         "'held'"));
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        rig_restart(rig);
        rig->now_ms += 1000;
        (void)rig_decide(rig, requests[i]);
        assert_int_equal(1, rig->inventory->touched_bookings.count);
        (void)rig_decide(rig, OTHER_ASK("q", "probe", ""));
        rig_seal(rig);
        rig_commit(rig);
    }
}

#define SHOP_TEST(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
#define FORGETFUL_TEST(test) cmocka_unit_test_setup_teardown(test, open_forgetful_shop, close_shop)
static const struct CMUnitTest tests[] = {
    FORGETFUL_TEST(what_is_in_flight_is_never_read_from_the_database),
    SHOP_TEST(an_old_answer_does_not_overwrite_memory),
    FORGETFUL_TEST(what_is_cold_and_committed_goes),
    SHOP_TEST(limits_may_be_lowered_between_batches),
    cmocka_unit_test(what_is_loaded_finds_room_or_is_left),
    SHOP_TEST(units_are_summed_by_state),
    FORGETFUL_TEST(parties_stay_as_long_as_their_resource),
    SHOP_TEST(a_party_may_come_before_its_resource),
    FORGETFUL_TEST(a_resource_with_work_left_is_not_forgotten),
    FORGETFUL_TEST(a_request_that_changes_nothing_restarts_a_cart),
    SHOP_TEST(work_is_done_in_the_order_in_which_it_came),
    SHOP_TEST(only_some_layouts_are_kept_but_all_that_are_in_flight),
    SHOP_TEST(the_layout_of_a_resource_is_known_by_name),
    SHOP_TEST(parties_and_customers_that_make_no_sense_halt),
    SHOP_TEST(a_database_of_something_else_halts),
};
UNIT_TESTS(test_inventory_memory, tests, NULL, NULL)
