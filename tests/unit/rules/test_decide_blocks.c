/*
 * Blocks: units taken off sale by the house, returned by hand or by time; and what closing a
 * resource does to all of its bookings.
 */
#include "story.h"
#include "tests/unit/unit.h"
#include "worker/inventory/work.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"

#define HALL_AND_MUGS                                                                              \
    {                                                                                              \
        ASK("d", "define",                                                                         \
            ",'state':'open','currency':'EUR','sections':[{'section':'stalls','price':4500,"       \
            "'rows':[{'row':'A','seats':4},{'row':'B','seats':4}]}],'products':[{'product':'mug'," \
            "'capacity':10,'rates':{'adult':800,'child':500}}]"),                                  \
            "'outcome':'defined'"                                                                  \
    }

static void the_house_takes_units_off_sale_and_gives_them_back(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {ASK("b", "block",
             ",'note':'press'" ITEMS("{'seats':['A-1','A-2']},{'product':'mug',"
                                     "'quantity':4}")),
         "'outcome':'blocked','booking':'b','units':[{'item':0,'section':'stalls','seats':['A-1',"
         "'A-2'],'price':0},{'item':1,'product':'mug','quantity':4,'price':0}],'total':0"},
        {OP("1", "hold", ITEMS("{'seats':['A-2']}")), "'reason':'unit_taken'"},
        {OP("2", "hold", ITEMS("{'product':'mug','quantity':7}")), "'free':6"},
        {ASK("p", "probe", ""), "'free':6,'held':0,'sold':0,'blocked':2,'total':8"},
        /* only the house can do anything about it */
        {OP("3", "release", B("b")), "'reason':'not_owner'"},
        {ASK("4", "release", ",'force':true" B("b")), "'reason':'not_held'"},
        {ASK("5", "unblock", B("1")), "'reason':'unknown_booking'"},
        {ASK("6", "unblock", B("b")), "'outcome':'released','booking':'b','returned':[{'item':0"},
        {ASK("7", "unblock", B("b")), "'reason':'already_released'"},
        {OP("8", "hold", ITEMS("{'seats':['A-2']},{'product':'mug','quantity':10}")), "'held'"},
    };
    assert_true(STORY(steps));
}

/* Also while nothing is on sale, and of nothing that is taken. */
static void blocks_are_made_of_what_is_free(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ITEMS("{'seats':['A-1']}")), "'held'"},
        {ASK("c", "close", ""), "'defined'"},
        {ASK("1", "block", ITEMS("{'seats':['A-1','A-2']}")), "'reason':'unit_taken'"},
        {ASK("2", "block", ",'shortage':'partial'" ITEMS("{'seats':['A-1','A-2']}")),
         "'outcome':'blocked','booking':'2','units':[{'item':0,'section':'stalls','seats':['A-2'],"
         "'price':0}],'items':[{'item':0,'asked':2,'given':1,'reason':'unit_taken','taken':"
         "['A-1']}]"},
    };
    assert_true(STORY(steps));
}

static void a_block_returns_at_its_time(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {ASK("b", "block", ",'return_at':'1970-01-01T00:17:00Z'" ITEMS("{'seats':['A-1','A-2']}")),
         "'expires_at':'1970-01-01T00:17:00.000Z'"},
        {OP("h", "hold", ",'from_block':'b'" ITEMS("{'seats':['A-1']}")), "'outcome':'held'"},
        {STORY_AFTER "20000",
         "'outcome':'released','unasked':true,'cause':'block_returned','booking':'b','returned':"
         "[{'item':0,'section':'stalls','seats':['A-2'],'price':0}]"},
        {OP("1", "hold", ITEMS("{'seats':['A-2']}")), "'held'"},
    };
    assert_true(STORY(steps));
}

/* ---- closing ---- */

static void closing_with_cancel_bookings_ends_all_of_them(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {OP("h", "hold", ITEMS("{'seats':['A-1']}")), "'held'"},
        {OP("s", "book", ITEMS("{'seats':['A-2','B-1']}")), "'confirmed'"},
        {ASK("b", "block", ITEMS("{'seats':['A-3']}")), "'blocked'"},
        {OP("w", "hold", ",'wait_until':'2030-01-01T00:00:00Z'" ITEMS("{'seats':['A-2']}")),
         "'waiting'"},
        {OP("m", "book", ITEMS("{'product':'mug','quantity':2}")), "'confirmed'"},
        {ASK("x", "close", ",'cancel_bookings':true,'note':'flooded'"), "'outcome':'defined'"},
        /* in the order of the hashes of their ids, then who waits */
        {STORY_UNREQUESTED, "'outcome':'cancelled','detail':'flooded','unasked':true,'cause':"
                            "'resource_closed','booking':'s'"},
        {STORY_UNREQUESTED, "'outcome':'cancelled','detail':'flooded','unasked':true,'cause':"
                            "'resource_closed','booking':'m'"},
        {STORY_UNREQUESTED, "'outcome':'released','detail':'flooded','unasked':true,'cause':"
                            "'resource_closed','booking':'h'"},
        {STORY_UNREQUESTED, "'outcome':'left','detail':'flooded','unasked':true,'cause':"
                            "'resource_closed','booking':'w'"},
        {STORY_NOTHING, ""},
        {OP("1", "confirm", B("h")), "'reason':'already_released'"},
        {OP("2", "cancel", B("s")), "'reason':'already_cancelled'"},
        /* the house's own stays; then all may begin again */
        {ASK("3", "open", ""), "'outcome':'defined'"},
        {OP("4", "book", ITEMS("{'seats':['A-3']}")), "'reason':'unit_taken'"},
        {OP("5", "book", ITEMS("{'seats':['A-1','A-2','B-1']},{'product':'mug','quantity':10}")),
         "'confirmed'"},
    };
    assert_true(STORY(steps));
}

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
    cmocka_unit_test(the_house_takes_units_off_sale_and_gives_them_back),
    cmocka_unit_test(blocks_are_made_of_what_is_free),
    cmocka_unit_test(a_block_returns_at_its_time),
    cmocka_unit_test(a_cancelled_resource_is_done_whoever_ends_its_last_booking),
    cmocka_unit_test(closing_with_cancel_bookings_ends_all_of_them),
    cmocka_unit_test(closing_goes_on_over_many_batches),
};
UNIT_TESTS(test_decide_blocks, tests, NULL, NULL)
