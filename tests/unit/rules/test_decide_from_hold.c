/*
 * exchange with the units of a hold: they are kept while they are paid for, as is the booking; the
 * exchange is judged by what comes out, and one that is refused leaves both as they were.
 */
#include "story.h"
#include "tests/unit/unit.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define INTO(id, booking, hold, items) \
    OP(id, "exchange", B(booking) ",'from_hold':'" hold "'" ITEMS(items))
#define DEFINE(price, more)                                                                   \
    ASK("d" price, "define",                                                                  \
        ",'state':'open','currency':'EUR','sections':[{'section':'stalls','price':" price     \
        ",'rows'"                                                                             \
        ":[{'row':'A','seats':4}]}],'products':[{'product':'mug','capacity':4,'price':" price \
        "}]" more)
#define SEATS(list) "{'seats':[" list "]}"
#define MUGS(n) "{'product':'mug','quantity':" n "}"

static void what_was_held_is_the_bookings_then(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {DEFINE("10", ""), "'defined'"},
        {OP("b", "book", ",'payment':'pi'" ITEMS(SEATS("'A-1','A-2'") "," MUGS("2"))),
         "'total':40"},
        {DEFINE("15", ""), "'defined'"},
        {OP("h", "hold", ITEMS(SEATS("'A-3','A-4'") "," MUGS("1"))), "'total':45"},
        {DEFINE("99", ""), "'defined'"},
        /* Each at the price at which it was taken. */
        {INTO("x", "b", "h", SEATS("'A-2','A-3'") "," MUGS("3")),
         "'outcome':'exchanged','booking':'b','customer':'c','payment':'pi','units':["
         "{'item':0,'section':'stalls','seats':['A-2'],'price':10},"
         "{'item':0,'section':'stalls','seats':['A-3'],'price':15},"
         "{'item':1,'product':'mug','quantity':2,'price':10},"
         "{'item':1,'product':'mug','quantity':1,'price':15}],"
         "'returned':[{'item':0,'section':'stalls','seats':['A-1'],'price':10},"
         "{'item':0,'section':'stalls','seats':['A-4'],'price':15,'booking':'h'}],"
         "'total':60,'difference':20,'currency':'EUR'"},
        {ASK("p", "probe", B("b")), "'state':'confirmed','customer':'c','payment':'pi','units':5"},
        {ASK("q", "probe", B("h")), "'state':'released'"},
        {ASK("s", "probe", ""),
         "'pools':[{'section':'stalls','free':2,'held':0,'sold':2,'blocked':0,'total':4"},
        {OP("t", "book", ITEMS(SEATS("'A-1','A-4'"))), "'confirmed'"},
        {INTO("x", "b", "h", SEATS("'A-2','A-3'") "," MUGS("3")), "'difference':20"}, /* repeated */
    };
    assert_true(STORY(steps));
}

static void who_does_not_pay_keeps_what_it_had(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {DEFINE("10", ""), "'defined'"},
        {OP("b", "book", ITEMS(SEATS("'A-1','A-2'"))), "'confirmed'"},
        {OP("h", "hold", ITEMS(SEATS("'A-3'"))), "'held'"},
        {OP("r", "release", B("h")), "'released'"},
        {INTO("x", "b", "h", SEATS("'A-2','A-3'")), "'reason':'already_released','retryable':false,"
                                                    "'detail':'of the hold that the units are to "
                                                    "come from','booking':'b'"},
        {ASK("p", "probe", B("b")), "'state':'confirmed','customer':'c','units':2"},
    };
    assert_true(STORY(steps));
}

static void a_hold_that_has_expired_is_not_exchanged_for(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {DEFINE("10", ""), "'defined'"},
        {OP("b", "book", ITEMS(SEATS("'A-1'"))), "'confirmed'"},
        {OP("h", "hold", ",'ttl_s':60" ITEMS(SEATS("'A-3'"))), "'held'"},
        {STORY_AFTER "60000", "'outcome':'expired'"},
        {INTO("x", "b", "h", SEATS("'A-3'")), "'reason':'hold_expired'"},
        {ASK("p", "probe", B("b")), "'state':'confirmed'"},
    };
    assert_true(STORY(steps));
}

/* The reasons are those of the hold, behind those of the booking. */
static void it_must_be_a_hold_of_the_same_customer(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {DEFINE("10", ""), "'defined'"},
        {OP("b", "book", ITEMS(SEATS("'A-1'"))), "'confirmed'"},
        {OP("sold", "book", ITEMS(SEATS("'A-2'"))), "'confirmed'"},
        {ASK("block", "block", ITEMS(MUGS("1"))), "'blocked'"},
        {ASK("h", "hold", ",'customer':'other'" ITEMS(SEATS("'A-3'"))), "'held'"},
        {OP("w", "hold", ",'wait_until':'1970-01-02T00:00:00Z'" ITEMS(SEATS("'A-3'"))),
         "'waiting'"},
        {INTO("1", "b", "none", SEATS("'A-3'")), "'reason':'unknown_booking'"},
        {INTO("2", "none", "h", SEATS("'A-3'")), "'unknown_booking','retryable':false,'booking':"},
        {INTO("3", "b", "h", SEATS("'A-3'")), "'reason':'not_owner'"},
        {INTO("4", "b", "block", MUGS("1")), "'reason':'not_owner'"},
        {INTO("5", "b", "sold", SEATS("'A-2'")), "'reason':'already_confirmed'"},
        {INTO("6", "b", "w", SEATS("'A-3'")), "'reason':'not_held'"},
        /* Not the house either: it would give one customer's units to another. */
        {ASK("7", "exchange", B("b") ",'force':true,'from_hold':'h'" ITEMS(SEATS("'A-3'"))),
         "'reason':'not_owner'"},
        /* Whoever the booking was transferred to has no such hold. */
        {OP("mine", "hold", ITEMS(SEATS("'A-4'"))), "'held'"},
        {OP("t", "transfer", B("b") ",'to_customer':'d'"), "'transferred'"},
        {ASK("8", "exchange", ",'customer':'d'" B("b") ",'from_hold':'mine'" ITEMS(SEATS("'A-4'"))),
         "'reason':'not_owner'"},
        {OP("u", "transfer", B("mine") ",'to_customer':'d'"), "'transferred'"},
        {ASK("9", "exchange", ",'customer':'d'" B("b") ",'from_hold':'mine'" ITEMS(SEATS("'A-4'"))),
         "'outcome':'exchanged'"},
    };
    assert_true(STORY(steps));
}

static void limits_and_quotas_are_judged_by_what_comes_out(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {DEFINE("10", ",'limits':{'units_per_customer':4},'quotas':[{'quota':'fire','pools':"
                      "['stalls','mug'],'limit':4}]"),
         "'defined'"},
        {OP("b", "book", ITEMS(SEATS("'A-1','A-2'"))), "'confirmed'"},
        {OP("h", "hold", ITEMS(SEATS("'A-3','A-4'"))), "'held'"},
        /* The hold counts beside the booking. */
        {OP("o", "hold", ITEMS(MUGS("1"))), "'reason':'limit_exceeded'"},
        {ASK("q", "hold", ",'customer':'d'" ITEMS(MUGS("1"))), "'reason':'not_enough'"},
        {INTO("1", "b", "h", SEATS("'A-3','A-4'") "," MUGS("3")), "'reason':'limit_exceeded'"},
        {INTO("2", "b", "h", SEATS("'A-1','A-2','A-3','A-4'")), "'outcome':'exchanged'"},
        {INTO("3", "b", "h", SEATS("'A-1'")), "'reason':'already_released'"},
        {OP("4", "exchange", B("b") ITEMS(SEATS("'A-1'") "," MUGS("1"))), "'outcome':'exchanged'"},
        {ASK("5", "hold", ",'customer':'d'" ITEMS(MUGS("2"))), "'outcome':'held'"},
    };
    assert_true(STORY(steps));
}

static void one_that_is_refused_leaves_both(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {DEFINE("10", ""), "'defined'"},
        {OP("b", "book", ITEMS(SEATS("'A-1'") "," MUGS("1"))), "'confirmed'"},
        {OP("h", "hold", ITEMS(SEATS("'A-2'") "," MUGS("1"))), "'held'"},
        {ASK("e", "book", ",'customer':'d'" ITEMS(SEATS("'A-3'"))), "'confirmed'"},
        {INTO("1", "b", "h", SEATS("'A-2','A-3'")), "'reason':'unit_taken'"},
        {INTO("2", "b", "h", MUGS("5")), "'reason':'not_enough'"},
        {ASK("p", "probe", ""),
         "'pools':[{'section':'stalls','free':1,'held':1,'sold':2,'blocked':0,'total':4,'rates':"
         "{'standard':10}},{'product':'mug','free':2,'held':1,'sold':1,'blocked':0,'total':4"},
        {OP("c", "confirm", B("h")), "'outcome':'confirmed'"},
    };
    assert_true(STORY(steps));
}

/* The hold may have waited; what goes back is served to whoever waits for it. */
static void the_waiting_list_comes_before_and_after(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {DEFINE("10", ""), "'defined'"},
        {OP("b", "book", ITEMS(SEATS("'A-1','A-2'"))), "'confirmed'"},
        {ASK("e", "book", ",'customer':'e'" ITEMS(SEATS("'A-3','A-4'"))), "'confirmed'"},
        {OP("h", "hold", ",'wait_until':'1970-01-02T00:00:00Z'" ITEMS(SEATS("'A-3'"))),
         "'waiting'"},
        {ASK("w", "hold",
             ",'customer':'w','wait_until':'1970-01-02T00:00:00Z'" ITEMS(SEATS("'A-1'"))),
         "'waiting'"},
        {ASK("r", "cancel", ",'customer':'e'" B("e")), "'cancelled'"},
        {STORY_UNREQUESTED, "'outcome':'held','unasked':true,'cause':'waiting_list','booking':'h'"},
        {INTO("x", "b", "h", SEATS("'A-2','A-3'")), "'outcome':'exchanged'"},
        {STORY_UNREQUESTED, "'outcome':'held','unasked':true,'cause':'waiting_list','booking':'w'"},
    };
    assert_true(STORY(steps));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_held_is_the_bookings_then),
    cmocka_unit_test(who_does_not_pay_keeps_what_it_had),
    cmocka_unit_test(a_hold_that_has_expired_is_not_exchanged_for),
    cmocka_unit_test(it_must_be_a_hold_of_the_same_customer),
    cmocka_unit_test(limits_and_quotas_are_judged_by_what_comes_out),
    cmocka_unit_test(one_that_is_refused_leaves_both),
    cmocka_unit_test(the_waiting_list_comes_before_and_after),
};
UNIT_TESTS(test_decide_from_hold, tests, NULL, NULL)
