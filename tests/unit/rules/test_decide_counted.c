/*
 * Decisions about units that are only counted: which price those have that a booking keeps, what a
 * part of it is, how many of a block are left, and how many are beyond what there is.
 */
#include "story.h"
#include "tests/unit/unit.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define MUGS(count) "{'product':'mug','quantity':" count "}"
#define PIT(count) "{'section':'pit','quantity':" count "}"
#define RATED(count, rate) "{'product':'mug','quantity':" count ",'rate':'" rate "'}"
#define DEFINE(more)                                                                        \
    {                                                                                       \
        ASK("d", "define", ",'state':'open','currency':'EUR'," more), "'outcome':'defined'" \
    }
#define MUGS_AT_TWO_RATES \
    DEFINE("'products':[{'product':'mug','capacity':4000,'rates':{'adult':800,'child':500}}]")
#define DEARER                                                                                   \
    {                                                                                            \
        ASK("e", "define", ",'products':[{'product':'mug','rates':{'adult':900,'child':600}}]"), \
            "'defined'"                                                                          \
    }

/* ---- exchange ---- */

static void those_of_the_same_rate_keep_their_price(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        MUGS_AT_TWO_RATES,
        {OP("a", "book", ITEMS(RATED("2", "adult") "," RATED("3", "child"))), "'total':3100"},
        DEARER,
        /* of the child's three two are kept, at their price; of the adult's all, and one comes */
        {OP("1", "exchange", B("a") ITEMS(RATED("2", "child") "," RATED("3", "adult"))),
         "'units':[{'item':0,'product':'mug','quantity':2,'price':500,'rate':'child'},{'item':1,"
         "'product':'mug','quantity':2,'price':800,'rate':'adult'},{'item':1,'product':'mug',"
         "'quantity':1,'price':900,'rate':'adult'}],"},
        /* those of another rate are exchanged for today's price, after those of the same */
        {OP("2", "exchange", B("a") ITEMS(RATED("4", "child"))),
         "'units':[{'item':0,'product':'mug','quantity':2,'price':500,'rate':'child'},{'item':0,"
         "'product':'mug','quantity':2,'price':600,'rate':'child'}],'returned':[{'item':1,"
         "'product':'mug','quantity':1,'price':900,'rate':'adult'}],'total':2200"},
        {OP("3", "exchange", B("a") ITEMS(RATED("1", "adult"))),
         "'units':[{'item':0,'product':'mug','quantity':1,'price':900,'rate':'adult'}],'returned':"
         "[{'item':0,'product':'mug','quantity':1,'price':500,'rate':'child'},{'item':0,'product':"
         "'mug','quantity':2,'price':600,'rate':'child'}],'total':900"},
    };
    assert_true(STORY(steps));
}

/* Its own units are free for it: an exchange needs no more than the difference. */
static void an_exchange_has_its_own_units_to_take(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'products':[{'product':'mug','capacity':10,'price':7}]"),
        {OP("a", "hold", ITEMS(MUGS("6"))), "'free':4"},
        {OP("b", "hold", ITEMS(MUGS("3"))), "'free':1"},
        {OP("1", "exchange", B("a") ITEMS(MUGS("8"))),
         "'items':[{'item':0,'asked':8,'given':0,'reason':'not_enough','free':7}]"},
        {OP("2", "exchange", B("a") ITEMS(MUGS("7"))), "'total':49,'difference':7"},
        {OP("3", "exchange", B("a") ITEMS(MUGS("2") "," MUGS("3"))),
         "'units':[{'item':0,'product':'mug','quantity':2,'price':7},{'item':1,'product':'mug',"
         "'quantity':3,'price':7}],'returned':[{'item':0,'product':'mug','quantity':2,'price':7}],"
         "'total':35"},
        {OP("4", "release", B("a")), "'free':7"},
    };
    assert_true(STORY(steps));
}

/* ---- a part of a booking ---- */

static void a_partial_confirm_splits_a_line(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        MUGS_AT_TWO_RATES,
        {OP("a", "hold", ITEMS(RATED("1000", "adult") "," RATED("1000", "child"))), "'held'"},
        {OP("1", "confirm", B("a") ITEMS(RATED("1001", "child"))),
         "'reason':'not_in_booking','retryable':false,'booking':'a','customer':'c','items':"
         "[{'item':0,'asked':1001,'given':0,'reason':'not_in_booking'}]"},
        {OP("2", "confirm", B("a") ITEMS(RATED("300", "child") "," MUGS("900") "," MUGS("200"))),
         "'units':[{'item':0,'product':'mug','quantity':300,'price':500,'rate':'child'},{'item':1,"
         "'product':'mug','quantity':900,'price':800,'rate':'adult'},{'item':2,'product':'mug',"
         "'quantity':100,'price':800,'rate':'adult'},{'item':2,'product':'mug','quantity':100,"
         "'price':500,'rate':'child'}],'returned':[{'item':1,'product':'mug','quantity':600,"
         "'price':500,'rate':'child'}],'total':1000000"},
        {OP("3", "cancel", B("a")), "'free':4000"},
    };
    assert_true(STORY(steps));
}

/* What it was counted in has got rows since: it cannot be had again, nor a part of it. */
static void an_expired_hold_of_what_has_rows_now_is_gone(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'pit','capacity':9}],'products':[{'product':'mug',"
               "'capacity':9}]"),
        {OP("a", "hold", ITEMS(PIT("3") "," MUGS("2"))), "'held'"},
        {OP("s", "hold", ITEMS(PIT("2"))), "'held'"},
        {STORY_AFTER "900000", "'outcome':'expired'"},
        {ASK("e", "define", ",'sections':[{'section':'pit','rows':[{'row':'P','seats':9}]}]"),
         "'defined'"},
        {OP("1", "confirm", B("s")),
         "'reason':'hold_expired','retryable':false,'booking':'s','customer':'c','items':"
         "[{'item':0,'asked':2,'given':0,'reason':'not_enough','free':0}]"},
        {OP("2", "confirm", B("a") ITEMS(PIT("1"))), "'reason':'hold_expired'"},
        {OP("5", "confirm", B("a") ITEMS("{'seats':['P-1']}")), "'reason':'not_in_booking'"},
        {OP("3", "confirm", B("a") ITEMS(MUGS("1"))),
         "'units':[{'item':0,'product':'mug','quantity':1,'price':0}],'total':0,"},
        {OP("4", "cancel", B("a")), "'free':18"},
    };
    assert_true(STORY(steps));
}

/* And the other way round: the seats that it had are no more. */
static void an_expired_hold_of_what_had_rows_is_gone(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'pit','rows':[{'row':'P','seats':9}]}],'products':"
               "[{'product':'mug','capacity':9}]"),
        {OP("a", "hold", ITEMS(PIT("3") "," MUGS("2"))), "'held'"},
        {STORY_AFTER "900000", "'outcome':'expired'"},
        {ASK("e", "define", ",'sections':[{'section':'pit','capacity':9}]"), "'defined'"},
        {OP("1", "confirm", B("a")), "'reason':'hold_expired'"},
        {OP("2", "confirm", B("a") ITEMS(PIT("1"))), "'reason':'hold_expired'"},
        {OP("3", "confirm", B("a") ITEMS(MUGS("1"))),
         "'units':[{'item':0,'product':'mug','quantity':1,'price':0}],'total':0,"},
    };
    assert_true(STORY(steps));
}

/* ---- blocks ---- */

static void a_block_is_sold_from_by_quantity(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        MUGS_AT_TWO_RATES,
        {ASK("b", "block", ITEMS(MUGS("10") "," MUGS("5"))), "'blocked'"},
        {ASK("x", "block", ITEMS(MUGS("3985"))), "'blocked'"},
        {OP("0", "hold", ITEMS(MUGS("1"))), "'reason':'not_enough'"},
        {OP("1", "book", ",'from_block':'b'" ITEMS(RATED("12", "child"))),
         "'units':[{'item':0,'product':'mug','quantity':12,'price':500,'rate':'child'}],'total':"
         "6000"},
        {OP("2", "book", ",'from_block':'b'" ITEMS(MUGS("4"))),
         "'items':[{'item':0,'asked':4,'given':0,'reason':'not_enough','free':3}]"},
        {OP("3", "book", ",'from_block':'b'" ITEMS(MUGS("1") "," MUGS("1"))), "'total':1600"},
        {ASK("u", "unblock", B("b")),
         "'returned':[{'item':1,'product':'mug','quantity':1,'price':0}]"},
        {OP("4", "cancel", B("1")), "'free':13"},
    };
    assert_true(STORY(steps));
}

/* ---- overbooking ---- */

#define FOUR_AND_THREE                                                                      \
    DEFINE("'products':[{'product':'mug','capacity':4,'overbook':3,'price':7}],'sections':" \
           "[{'section':'pit','capacity':2,'overbook':1,'price':5}]")

static void what_is_taken_beyond_the_capacity_is_overbooked(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_AND_THREE,
        {OP("1", "book", ITEMS(MUGS("4") "," PIT("2"))), "'price':5}],'total':38"},
        {OP("2", "book", ITEMS(MUGS("1"))), "'overbooked':1,"},
        /* two are beyond, but only one is this booking's */
        {OP("3", "book", ITEMS(MUGS("1"))), "'overbooked':1,"},
        {OP("4", "cancel", B("1")), "'outcome':'cancelled'"},
        {OP("5", "book", ITEMS(MUGS("2"))), "'price':7}],'total':14,"},
        /* of several items and pools together */
        {OP("6", "book", ITEMS(MUGS("1") "," PIT("2") "," MUGS("2") "," PIT("1"))),
         "'overbooked':4,"},
        {OP("7", "book", ITEMS(MUGS("1"))), "'reason':'not_enough'"},
    };
    assert_true(STORY(steps));
}

/* What a partial confirm gives back no longer counts; the bookings of a cart count together. */
static void a_confirm_counts_what_is_left_beyond(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_AND_THREE,
        {OP("1", "hold", ITEMS(MUGS("3"))), "'held'"},
        {OP("2", "hold", ITEMS(MUGS("4"))), "'overbooked':3,"},
        {OP("3", "confirm", B("2") ITEMS(MUGS("2"))), "'overbooked':1,"},
        {OP("4", "hold", ",'cart':'k'" ITEMS(MUGS("1"))), "'overbooked':1,"},
        {OP("5", "hold", ",'cart':'k'" ITEMS(MUGS("1") "," PIT("3"))), "'overbooked':2,"},
        {OP("6", "confirm", ",'cart':'k'"), "'overbooked':3,"},
    };
    assert_true(STORY(steps));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(those_of_the_same_rate_keep_their_price),
    cmocka_unit_test(an_exchange_has_its_own_units_to_take),
    cmocka_unit_test(a_partial_confirm_splits_a_line),
    cmocka_unit_test(an_expired_hold_of_what_has_rows_now_is_gone),
    cmocka_unit_test(an_expired_hold_of_what_had_rows_is_gone),
    cmocka_unit_test(a_block_is_sold_from_by_quantity),
    cmocka_unit_test(what_is_taken_beyond_the_capacity_is_overbooked),
    cmocka_unit_test(a_confirm_counts_what_is_left_beyond),
};
UNIT_TESTS(test_decide_counted, tests, NULL, NULL)
