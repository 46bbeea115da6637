/*
 * Sealing what becomes of bookings that change their units, their state or their owner: the units
 * that stay are not written again.
 */
#include <string.h>

#include "producer/codec/stored.h"
#include "sealed_hall.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/waiting_list.h"

/* ---- exchange, partial confirm, blocks, transfers ---- */

static void an_exchange_writes_what_is_different(void **state)
{
    struct rig *rig = *state;
    int64_t no = rig_ask(rig, SEATS("b", "book", "'A-1','A-2','A-3'"))->seq;
    (void)rig_decide(rig, ASK("x", "exchange", OF("b") ",'items':[{'seats':['A-2','A-3','A-5']}]"));
    const struct batch *batch = sealed(rig);
    assert_int_equal(1, batch->freed_count);
    sealed_row(&batch->freed[0], sealed_pool_no(rig, 0), 0, no);
    assert_int_equal(1, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 0), 4, no);
    sealed_notes(rig, 1 << 0 | 1 << 4, 1 << 0);
    assert_int_equal(1, batch->bookings_changed_count);
    assert_int_equal(BOOKING_CONFIRMED, batch->bookings_changed[0].from);
    assert_non_null(strstr(batch->bookings_changed[0].lines, "[[0,0,0,[1,2,4],"));
}

/* Two bookings exchange seats with each other by way of a third one. */
static void a_unit_may_change_hands_within_a_batch(void **state)
{
    struct rig *rig = *state;
    int64_t a = rig_ask(rig, SEATS("a", "book", "'A-1'"))->seq;
    int64_t b = rig_ask(rig, SEATS("b", "book", "'A-2'"))->seq;
    (void)rig_decide(rig, ASK("x", "exchange", OF("a") ",'items':[{'seats':['A-3']}]"));
    (void)rig_decide(rig, ASK("y", "exchange", OF("b") ",'items':[{'seats':['A-1']}]"));
    (void)rig_decide(rig, ASK("z", "exchange", OF("a") ",'items':[{'seats':['A-2']}]"));
    const struct batch *batch = sealed(rig);
    assert_int_equal(2, batch->freed_count);
    sealed_row(&batch->freed[0], sealed_pool_no(rig, 0), 0, a);
    sealed_row(&batch->freed[1], sealed_pool_no(rig, 0), 1, b);
    assert_int_equal(2, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 0), 1, a);
    sealed_row(&batch->taken[1], sealed_pool_no(rig, 0), 0, b);
}

static void a_partial_confirm_gives_the_rest_back(void **state)
{
    struct rig *rig = *state;
    int64_t no = rig_ask(rig, SEATS("h", "hold", "'A-2','A-3','A-4'"))->seq;
    (void)rig_decide(rig, ASK("k", "confirm", OF("h") ",'items':[{'seats':['A-3']}]"));
    const struct batch *batch = sealed(rig);
    assert_int_equal(2, batch->freed_count);
    sealed_row(&batch->freed[0], sealed_pool_no(rig, 0), 1, no);
    sealed_row(&batch->freed[1], sealed_pool_no(rig, 0), 3, no);
    assert_int_equal(0, batch->taken_count);
    sealed_notes(rig, 1 << 1 | 1 << 2 | 1 << 3, 1 << 0);
}

static void what_is_sold_out_of_a_block_changes_hands(void **state)
{
    struct rig *rig = *state;
    int64_t block =
        rig_ask(rig, ASK("b", "block", ",'note':'press','items':[{'seats':['A-1','A-2']}]"))->seq;
    assert_int_equal(2, rig_resource(rig, "r")->blocked);
    int64_t sale = rig_decide(rig, ASK("s", "book",
                                       ",'customer':'c','from_block':'b',"
                                       "'items':[{'seats':['A-2']}]"))
                       ->seq;
    const struct batch *batch = sealed(rig);
    assert_int_equal(1, batch->freed_count);
    sealed_row(&batch->freed[0], sealed_pool_no(rig, 0), 1, block);
    assert_int_equal(1, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 0), 1, sale);
    sealed_notes(rig, 1 << 1, 1 << 0);
    assert_int_equal(BOOKING_BLOCKED, batch->bookings_changed[0].from);
    assert_int_equal(BOOKING_BLOCKED, batch->bookings_changed[0].state);
    assert_string_equal("press", batch->bookings_changed[0].note);
}

static void a_transfer_moves_no_unit(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, ASK("h", "hold", ",'customer':'c','cart':'k','ttl_s':70," PIT("2")));
    (void)rig_decide(rig, ASK("t", "transfer", OF("h") ",'to_customer':'d'"));
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->freed_count + batch->taken_count + batch->pool_move_count);
    sealed_notes(rig, 0, 0);
    assert_int_equal(1, batch->bookings_changed_count);
    const struct booking_row *row = &batch->bookings_changed[0];
    assert_int_equal(BOOKING_HELD, row->state);
    assert_string_equal("d", row->customer);
    assert_null(row->cart);
    assert_int_equal(70, row->ttl_s);
}

static void a_split_gives_seats_to_another_booking(void **state)
{
    struct rig *rig = *state;
    int64_t whole = rig_ask(rig, SEATS("h", "hold", "'A-1','A-2'"))->seq;
    int64_t part = rig_decide(rig, ASK("t", "transfer",
                                       OF("h") ",'to_customer':'d','items':[{'seats':['A-2']}]"))
                       ->seq;
    const struct batch *batch = sealed(rig);
    assert_int_equal(1, batch->freed_count);
    sealed_row(&batch->freed[0], sealed_pool_no(rig, 0), 1, whole);
    assert_int_equal(1, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 0), 1, part);
    assert_int_equal(BOOKING_HELD, batch->bookings[0].state);
    assert_string_equal("t", batch->bookings[0].request_id);
    assert_string_equal("d", batch->bookings[0].customer);
    assert_string_equal("c", batch->bookings_changed[0].customer);
    const struct decision_row *decision = &batch->decisions[batch->decision_count - 1];
    assert_int_equal(part, decision->booking_no);
    assert_int_equal(2, decision->booking_no_count);
    assert_int_equal(part, decision->booking_nos[0]);
    assert_int_equal(whole, decision->booking_nos[1]);
}

/* ---- the waiting list ---- */

/* Nine units are sold, and a party waits for four; then the sale is cancelled. */
static const struct batch *wait_and_serve(struct rig *rig, const char *sale, const char *party)
{
    (void)rig_ask(rig, sale);
    (void)rig_decide(rig, party);
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->taken_count + batch->pool_move_count);
    sealed_notes(rig, 0, 0);
    assert_int_equal(BOOKING_WAITING, batch->bookings[0].state);
    assert_string_equal("[]", batch->bookings[0].lines);
    assert_int_equal(60, batch->bookings[0].ttl_s);
    rig_commit(rig);
    rig->now_ms += 5000;
    (void)rig_decide(rig, ASK("x", "cancel", OF("b")));
    batch = sealed(rig);
    assert_int_equal(2, batch->bookings_changed_count);
    const struct booking_row *served = &batch->bookings_changed[1];
    assert_int_equal(BOOKING_WAITING, served->from);
    assert_int_equal(BOOKING_HELD, served->state);
    assert_int_equal(rig->now_ms, served->created_ms);
    assert_int_equal(rig->now_ms + 60000, served->expires_ms);
    assert_null(served->wants);
    sealed_mark(batch, batch->decisions[batch->decision_count - 1].seq, false);
    return batch;
}

#define WAIT(items) \
    ASK("w", "hold", ",'customer':'d','wait_until':'2030-01-01T00:00:00Z','ttl_s':60," items)

static void a_party_waits_without_units_and_is_served(void **state)
{
    struct rig *rig = *state;
    const struct batch *batch =
        wait_and_serve(rig, ASK("b", "book", ",'customer':'c'," ROOMS("9")), WAIT(ROOMS("4")));
    assert_int_equal(9, batch->freed_count);
    assert_int_equal(4, batch->taken_count);
    sealed_notes(rig, 0, 1 << 2);
    assert_string_equal("[[0,2,0,[0,1,2,3]]]", batch->bookings_changed[1].lines);
}

static void a_party_is_served_out_of_what_is_counted(void **state)
{
    struct rig *rig = *state;
    const struct batch *batch =
        wait_and_serve(rig, ASK("b", "book", ",'customer':'c'," PIT("9")), WAIT(PIT("4")));
    assert_int_equal(0, batch->freed_count + batch->taken_count);
    sealed_notes(rig, 0, 1 << 1);
    sealed_move(rig, batch, (struct unit_counts){.sold = 9}, (struct unit_counts){.held = 4});
    assert_string_equal("[[0,1,0,4]]", batch->bookings_changed[1].lines);
}

/* Told of another end, it keeps its place. */
static void a_party_waits_until_another_time(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, ASK("b", "book", ",'customer':'c'," PIT("9")));
    (void)rig_ask(rig, WAIT(PIT("4")));
    (void)rig_ask(
        rig, ASK("v", "hold", ",'customer':'d','wait_until':'2030-01-01T00:00:00Z'," PIT("4")));
    (void)rig_decide(rig, ASK("e", "define", ",'ends_at':'2029-01-01T00:00:00Z'"));
    const struct batch *batch = sealed(rig);
    assert_int_equal(2, batch->bookings_changed_count);
    for (int i = 0; i < 2; i++) {
        const struct booking_row *row = &batch->bookings_changed[i];
        assert_int_equal(BOOKING_WAITING, row->from);
        assert_int_equal(BOOKING_WAITING, row->state);
        assert_int_equal(INT64_C(1861920000000), row->expires_ms);
        assert_int_equal(INT64_C(1893456000000), wants_until_ms(row->wants));
        const struct resource *hall = rig_resource(rig, "r");
        assert_int_equal(
            i + 1,
            waiting_position(inventory_booking(rig->inventory, hall->row.no, row->request_id), 9));
    }
}

#define HALL_TEST(test) cmocka_unit_test_setup_teardown(test, open_sealed_hall, close_sealed_hall)
static const struct CMUnitTest tests[] = {
    HALL_TEST(an_exchange_writes_what_is_different),
    HALL_TEST(a_unit_may_change_hands_within_a_batch),
    HALL_TEST(a_partial_confirm_gives_the_rest_back),
    HALL_TEST(what_is_sold_out_of_a_block_changes_hands),
    HALL_TEST(a_transfer_moves_no_unit),
    HALL_TEST(a_split_gives_seats_to_another_booking),
    HALL_TEST(a_party_waits_without_units_and_is_served),
    HALL_TEST(a_party_is_served_out_of_what_is_counted),
    HALL_TEST(a_party_waits_until_another_time),
};
UNIT_TESTS(test_seal_changes, tests, NULL, NULL)
