/* Closing a resource with all of its bookings, where that takes more than one batch. */
#include "core_places.h"
#include "tests/unit/unit.h"
#include "worker/inventory/work.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"

/* The customer was quicker than the work. */
static void a_cancelled_resource_is_done_whoever_ends_its_last_booking(void **state)
{
    static struct rig rig;
    (void)state;
    rig_open(&rig, &rig_no_limits);
    rig.unrequested_limit = 0; /* no work is done */
    assert_true(rig_says(
        &rig, ASK("d", "define", ",'state':'open','products':[{'product':'mug','capacity':5}]"),
        "'defined'"));
    assert_true(rig_says(&rig, OP("h", "hold", ITEMS("{'product':'mug','quantity':1}")), "'held'"));
    assert_true(rig_says(&rig, ASK("x", "close", ",'cancel_bookings':true"), "'defined'"));
    assert_true(rig_says(&rig, ASK("o", "open", ""), "'reason':'in_use'"));
    assert_true(rig_says(&rig, OP("r", "release", B("h")), "'released'"));
    assert_false(inventory_has_work(rig.inventory));
    assert_true(rig_says(&rig, ASK("o2", "open", ""), "'outcome':'defined'"));
    rig_close(&rig);
}

/* Batch by batch, also by another owner; meanwhile the resource stays closed. */
static void closing_goes_on_over_many_batches(void **state)
{
    static const struct inventory_limits nothing = {.bookings = 0, .resources = 0, .ids = 0};
    static struct rig rig;
    (void)state;
    rig_open(&rig, &nothing);
    rig.unrequested_limit = 3;
    assert_true(rig_says(
        &rig, ASK("d", "define", ",'state':'open','products':[{'product':'mug','capacity':50}]"),
        "'defined'"));
    for (uint32_t i = 0; i < 20; i++) {
        const char *book = usher_arena_format(
            &rig.arena,
            ASK("b%u", "book", ",'customer':'c','items':[{'product':'mug','quantity':2}]"), i);
        assert_true(rig_says(&rig, book, "'confirmed'"));
    }
    assert_true(rig_says(&rig, ASK("x", "close", ",'cancel_bookings':true"), "'defined'"));
    assert_true(rig_says(&rig, ASK("o", "open", ""), "'reason':'in_use'"));
    assert_true(rig_says(&rig, ASK("e", "define", ",'name':'n'"), "'reason':'in_use'"));
    uint32_t batches = 0;
    do {
        if (batches == 2)
            rig_restart(&rig);
        (void)rig_expire(&rig); /* a new owner asks what is left to do */
        rig_seal(&rig);
        rig_commit(&rig);
        batches++;
    } while (inventory_has_work(rig.inventory) && batches < 100);
    assert_true(batches >= 4 && batches < 100);
    uint32_t cancelled = 0;
    for (uint32_t i = 0; i < rig.database->booking_count; i++)
        cancelled += rig.database->bookings[i].state == BOOKING_CANCELLED;
    assert_int_equal(cancelled, 20);
    assert_int_equal(rig.database->allocation_count, 0);
    assert_true(rig_says(&rig, ASK("o2", "open", ""), "'outcome':'defined'"));
    fake_database_check(rig.database);
    rig_close(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_cancelled_resource_is_done_whoever_ends_its_last_booking),
    cmocka_unit_test(closing_goes_on_over_many_batches),
};
UNIT_TESTS(test_decide_blocks, tests, NULL, NULL)
