/*
 * hold and book out of a block: its units only, at today's prices, as far as limits and quotas go;
 * and a block that was not sold from is as it was.
 */
#include "story.h"
#include "tests/unit/unit.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define OUT_OF(id, items) OP(id, "hold", ",'from_block':'b'" ITEMS(items))

#define HALL_AND_MUGS                                                                              \
    {                                                                                              \
        ASK("d", "define",                                                                         \
            ",'state':'open','currency':'EUR','sections':[{'section':'stalls','price':4500,"       \
            "'rows':[{'row':'A','seats':4},{'row':'B','seats':4}]}],'products':[{'product':'mug'," \
            "'capacity':10,'rates':{'adult':800,'child':500}}]"),                                  \
            "'outcome':'defined'"                                                                  \
    }

#define LONG_NAME "a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h"
#define YEAR(rooms) \
    "{'room':'" LONG_NAME "','from':'2026-01-01','to':'2027-01-02','quantity':" rooms "}"
#define FIVE_YEARS YEAR("1") "," YEAR("1") "," YEAR("1") "," YEAR("1") "," YEAR("1")
#define TEN_YEARS FIVE_YEARS "," FIVE_YEARS

static void a_block_is_sold_from_by_its_name(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {ASK("b", "block",
             ITEMS("{'section':'stalls','quantity':4},{'product':'mug','quantity':3}")),
         "'seats':['A-1','A-2','A-3','A-4']"},
        {OP("1", "hold", ",'from_block':'none'" ITEMS("{'seats':['A-1']}")),
         "'reason':'unknown_booking'"},
        {OP("2", "hold", ",'from_block':'b'" ITEMS("{'seats':['A-1','B-1']}")),
         "'reason':'not_in_booking','retryable':false,'customer':'c','items':[{'item':0,'asked':2,"
         "'given':0,'reason':'not_in_booking','taken':['B-1']}]"},
        {OP("3", "hold", ",'from_block':'b'" ITEMS("{'product':'mug','quantity':4}")),
         "'reason':'not_enough','retryable':true,'customer':'c','items':[{'item':0,'asked':4,"
         "'given':0,'reason':'not_enough','free':3}]"},
        {OP("3t", "hold",
            ",'from_block':'b'" ITEMS("{'section':'stalls','quantity':5,'together':true}")),
         "'reason':'not_enough'"},
        {OP("4", "hold", ",'from_block':'b'" ITEMS("{'product':'mug','quantity':1,'rate':'x'}")),
         "'reason':'unknown_rate'"},
        /* at today's prices */
        {OP("5", "book",
            ",'from_block':'b'" ITEMS("{'seats':['A-4']},{'product':'mug',"
                                      "'quantity':2,'rate':'child'}")),
         "'outcome':'confirmed','booking':'5','customer':'c','units':[{'item':0,'section':'stalls',"
         "'seats':['A-4'],'price':4500},{'item':1,'product':'mug','quantity':2,'price':500,'rate':"
         "'child'}],'total':5500"},
        {OP("6", "hold", ",'from_block':'5'" ITEMS("{'seats':['A-4']}")), "'reason':'not_blocked'"},
        {OP("7", "hold",
            ",'from_block':'b','shortage':'partial'" ITEMS(
                "{'product':'mug','quantity':3},{'section':'stalls','quantity':3}")),
         "'items':[{'item':0,'asked':3,'given':1,'reason':'not_enough','free':1}],'total':14300"},
        /* an empty block is gone */
        {ASK("8", "unblock", B("b")), "'reason':'already_released'"},
        {OP("9", "release", B("7")), "'free':15"},
    };
    assert_true(STORY(steps));
}

static void a_party_sits_together_in_a_block_too(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        {ASK("b", "block", ITEMS("{'seats':['A-1','A-3','A-4','B-1']}")), "'blocked'"},
        {OP("1", "hold",
            ",'from_block':'b'" ITEMS("{'section':'stalls','quantity':3,'together':true}")),
         "'reason':'not_together','retryable':true,'customer':'c','items':[{'item':0,'asked':3,"
         "'given':0,'reason':'not_together','free':4}]"},
        {OP("2", "hold",
            ",'from_block':'b'" ITEMS("{'section':'stalls','quantity':2,'together':true}")),
         "'seats':['A-3','A-4'],'price':4500}],'together':true"},
        {OP("3", "hold", ",'from_block':'b'" ITEMS("{'section':'stalls','quantity':2}")),
         "'seats':['A-1','B-1'],'price':4500}],'total'"},
    };
    assert_true(STORY(steps));
}

/* The run of four in row B is free, but not the block's; what is chosen leaves no orphan in it. */
static void who_sits_together_in_a_block_gets_as_many_as_it_has(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {ASK("d", "define",
             ",'state':'open','currency':'EUR','sections':[{'section':'stalls','price':10,'rows':"
             "[{'row':'A','seats':9},{'row':'B','seats':4}]}]"),
         "'defined'"},
        {ASK("b", "block", ITEMS("{'seats':['A-3','A-4','A-5','A-7','A-8']}")), "'blocked'"},
        {OP("1", "hold",
            ",'from_block':'b','shortage':'partial'" ITEMS(
                "{'section':'stalls','quantity':4,'together':true}")),
         "'seats':['A-3','A-4','A-5'],'price':10}],'items':[{'item':0,'asked':4,'given':3,"
         "'reason':'not_together','free':5}],'together':true"},
        {OP("2", "hold",
            ",'from_block':'b','shortage':'partial'" ITEMS(
                "{'seats':['A-7']},{'section':'stalls','quantity':2,'together':true}")),
         "'seats':['A-7'],'price':10},{'item':1,'section':'stalls','seats':['A-8'],'price':10,'together':true}],"
         "'items':[{'item':1,'asked':2,'given':1,'reason':'not_enough','free':1}]"},
        {ASK("u", "unblock", B("b")), "'reason':'already_released'"},
    };
    assert_true(STORY(steps));
}

#define TWO_SECTIONS                                                                               \
    {ASK("d", "define",                                                                            \
         ",'state':'open','currency':'EUR','sections':[{'section':'left','price':1,'rows':[{"      \
         "'row':'L','seats':4,'features':{'aisle':[1]}}]},{'section':'right','price':2,'rows':"    \
         "[{'row':'R','seats':4}]},{'section':'shut','capacity':1}]"),                             \
     "'outcome':'defined'"},                                                                       \
    {                                                                                              \
        ASK("e", "define", ",'sections':[{'section':'shut','capacity':0}]"), "'outcome':'defined'" \
    }

/* Sections that are not on sale have nothing in the block; nor do free seats of others. */
static void one_section_of_a_block_serves_an_item(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        TWO_SECTIONS,
        {ASK("b", "block", ITEMS("{'seats':['L-1','L-3','R-4','R-2','R-1']}")), "'blocked'"},
        {OUT_OF("1", "{'sections':['left','right'],'quantity':4}"),
         "'items':[{'item':0,'asked':4,'given':0,'reason':'not_enough','free':3}]"},
        {OUT_OF("2", "{'sections':['none','left','right'],'quantity':2,'avoid':['aisle']}"),
         "'section':'right','seats':['R-1','R-2'],'price':2}],'total':4"},
        {OUT_OF("3", "{'section':'none','quantity':1}"),
         "'items':[{'item':0,'asked':1,'given':0,'reason':'not_enough','free':0}]"},
        {OUT_OF("4", "{'section':'shut','quantity':1},{'product':'left','quantity':1}"),
         "'items':[{'item':0,'asked':1,'given':0,'reason':'not_enough','free':0},"
         "{'item':1,'asked':1,'given':0,'reason':'not_enough','free':0}]"},
        {OUT_OF("5", "{'section':'left','quantity':1,'features':['aisle']},{'sections':['right',"
                     "'left'],'quantity':1,'together':true}"),
         "'seats':['L-1'],'price':1},{'item':1,'section':'right','seats':['R-4'],'price':2,'together':true}],"
         "'together':true,'total':3"},
        {ASK("u", "unblock", B("b")), "'returned':[{'item':0,'section':'left','seats':['L-3'],"},
    };
    assert_true(STORY(steps));
}

#define FEW_MUGS                                                                        \
    {                                                                                   \
        ASK("q", "define",                                                              \
            ",'quotas':[{'quota':'all','pools':['stalls','mug'],'limit':4}],'limits':{" \
            "'units_per_customer':6}"),                                                 \
            "'defined'"                                                                 \
    }

/* Units of a block do not count, those sold out of it do. */
static void quotas_apply_to_what_a_block_gives(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        FEW_MUGS,
        {OP("s", "book", ITEMS("{'product':'mug','quantity':1,'rate':'child'}")), "'confirmed'"},
        {ASK("b", "block", ITEMS("{'seats':['A-4','A-1','A-2']},{'product':'mug','quantity':5}")),
         "'blocked'"},
        {OUT_OF("1", "{'seats':['A-1','A-2']},{'product':'mug','quantity':3}"),
         "'reason':'not_enough','retryable':true,'customer':'c','items':[{'item':1,'asked':3,"
         "'given':0,'reason':'not_enough','free':1}],'decided_at'"},
        {OUT_OF("2", "{'product':'mug','quantity':2},{'seats':['A-4','A-1']}"),
         "'items':[{'item':1,'asked':2,'given':0,'reason':'not_enough','free':1}]"},
        /* it has as much as it had, in its order */
        {ASK("u", "unblock", B("b")),
         "'returned':[{'item':0,'section':'stalls','seats':['A-4','A-1','A-2'],'price':0},"
         "{'item':1,'product':'mug','quantity':5,'price':0}]"},
    };
    assert_true(STORY(steps));
}

static void a_block_gives_as_much_as_quotas_allow(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        FEW_MUGS,
        {ASK("b", "block", ITEMS("{'seats':['A-4','A-1','A-2']},{'product':'mug','quantity':5}")),
         "'blocked'"},
        {OP("1", "hold",
            ",'from_block':'b','shortage':'partial'" ITEMS(
                "{'product':'mug','quantity':2},{'seats':['B-1','A-2','A-4','A-1']}")),
         "'quantity':2,'price':800,'rate':'adult'},{'item':1,'section':'stalls','seats':['A-2',"
         "'A-4'],'price':4500}],'items':[{'item':1,'asked':4,'given':2,'reason':'not_in_booking',"
         "'taken':['B-1']}],'total':10600"},
        {OP("2", "hold", ",'from_block':'b','shortage':'partial'" ITEMS("{'seats':['A-1']}")),
         "'reason':'not_enough','retryable':true,'customer':'c','items':[{'item':0,'asked':1,"
         "'given':0,'reason':'not_enough','free':0}]"},
        {ASK("p", "probe", ""), "'free':0,'held':2,'sold':0,'blocked':1,'total':8"},
        {OP("r", "release", B("1")), "'released'"},
        {OP("3", "hold",
            ",'from_block':'b','shortage':'partial'" ITEMS("{'product':'mug','quantity':5}")),
         "'quantity':3,'price':800,'rate':'adult'}],'items':[{'item':0,'asked':5,'given':3,"
         "'reason':'not_enough','free':3}]"},
    };
    assert_true(STORY(steps));
}

/* A part of what is asked for: no more of the block's seats are looked at than it gives. */
static void a_block_has_more_seats_than_a_quota_leaves(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        FEW_MUGS,
        {ASK("b", "block", ITEMS("{'section':'stalls','quantity':8}")), "'blocked'"},
        {OP("s", "book", ITEMS("{'product':'mug','quantity':2}")), "'confirmed'"},
        {OP("1", "hold",
            ",'from_block':'b','shortage':'partial'" ITEMS("{'section':'stalls','quantity':4}")),
         "'units':[{'item':0,'section':'stalls','seats':['A-1','A-2'],'price':4500}],'items':[{"
         "'item':0,'asked':4,'given':2,'reason':'not_enough','free':2}]"},
        {ASK("u", "unblock", B("b")), "'seats':['A-3','A-4','B-1','B-2','B-3','B-4'],'price':0}]"},
    };
    assert_true(STORY(steps));
}

/* Of two reasons that hold, the earlier one is answered, whatever the items' order. */
static void reasons_have_their_order_in_a_block_too(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        HALL_AND_MUGS,
        FEW_MUGS,
        {ASK("b", "block", ITEMS("{'seats':['A-1','A-2']},{'product':'mug','quantity':2}")),
         "'blocked'"},
        /* not_in_booking, limit_exceeded */
        {OUT_OF("1", "{'product':'mug','quantity':7},{'seats':['B-1']}"), "'not_in_booking','ret"},
        /* limit_exceeded, unknown_rate */
        {OUT_OF("2", "{'product':'mug','quantity':7,'rate':'x'}"), "'reason':'limit_exceeded'"},
        /* not_in_booking, unknown_rate, in one item and in two */
        {OUT_OF("3", "{'seats':['A-1','B-1'],'rate':'x'}"),
         "'items':[{'item':0,'asked':2,'given':0,'reason':'not_in_booking','taken':['B-1']}]"},
        {OUT_OF("4", "{'product':'mug','quantity':1,'rate':'x'},{'seats':['B-1']}"),
         "'reason':'not_in_booking','retryable':false"},
        /* unknown_rate, unit_taken */
        {OUT_OF("5", "{'section':'stalls','quantity':1},{'seats':['A-1'],'rate':'x'}"),
         "'items':[{'item':1,'asked':1,'given':0,'reason':'unknown_rate','unknown':'x','known':['"
         "standard']}]"},
        /* unknown_rate, not_enough, in one item and in two */
        {OUT_OF("6", "{'product':'mug','quantity':4,'rate':'x'}"),
         "'reason':'unknown_rate','retryable':false,'customer':'c','items':[{'item':0,'asked':4,"
         "'given':0,'reason':'unknown_rate','unknown':'x','known':['adult','child']}]"},
        {OUT_OF("7", "{'section':'stalls','quantity':3},{'product':'mug','quantity':1,'rate':'x'}"),
         "'reason':'unknown_rate'"},
        /* unit_taken, not_enough */
        {OUT_OF("8", "{'section':'stalls','quantity':1},{'product':'mug','quantity':3},"
                     "{'seats':['A-2','A-1']}"),
         "'reason':'unit_taken','retryable':true,'customer':'c','items':[{'item':1,'asked':3,"
         "'given':0,'reason':'not_enough','free':2},{'item':2,'asked':2,'given':0,'reason':"
         "'unit_taken','taken':['A-1']}]"},
        {OUT_OF("9", "{'seats':['A-2','A-1']},{'product':'mug','quantity':2}"), "'held'"},
    };
    assert_true(STORY(steps));
}

#define STAY(from, to, rooms) \
    "{'room':'double','from':'2026-12-" from "','to':'2026-12-" to "','quantity':" rooms "}"

static void nights_of_a_block_are_there_or_named(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {ASK("d", "define",
             ",'state':'open','currency':'EUR','rooms':[{'room':'double','from':'2026-12-20','to':"
             "'2026-12-25','capacity':4,'price':100}],'quotas':[{'quota':'q','pools':['double'],"
             "'limit':2}]"),
         "'defined'"},
        {OP("o", "book", ITEMS(STAY("22", "23", "1"))), "'tokens':[0]"},
        {ASK("b", "block", ITEMS(STAY("21", "24", "3"))), "'tokens':[1,2,3],'price':0},"},
        {OUT_OF("1", STAY("23", "26", "1")),
         "'items':[{'item':0,'asked':1,'given':0,'reason':'not_enough','free':0,'taken':"
         "['2026-12-24','2026-12-25']}]"},
        {OUT_OF("2", STAY("21", "23", "2")),
         "'items':[{'item':0,'asked':2,'given':0,'reason':'not_enough','free':1,'taken':"
         "['2026-12-22']}]"},
        {OP("3", "hold", ",'from_block':'b','shortage':'partial'" ITEMS(STAY("21", "23", "2"))),
         "'night':'2026-12-21','tokens':[0],'price':100},{'item':0,'room':'double','night':"
         "'2026-12-22','tokens':[1],'price':100}],'items':[{'item':0,'asked':2,'given':1,"
         "'reason':'not_enough','free':1,'taken':['2026-12-22']}]"},
        {ASK("u", "unblock", B("b")),
         "'night':'2026-12-21','tokens':[1,2],'price':0},{'item':0,'room':'double','night':"
         "'2026-12-22','tokens':[2,3],'price':0},{'item':0,'room':'double','night':'2026-12-23',"
         "'tokens':[0,1,2],'price':0}]"},
    };
    assert_true(STORY(steps));
}

#define ONE_NIGHT(quantity) \
    "{'room':'double','from':'2026-12-24','to':'2026-12-25','quantity':" quantity "}"

/* Numbers above the capacity are the block's all the same, until they are given back. */
static void a_block_beyond_the_capacity_is_sold_from(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {ASK("d", "define",
             ",'state':'open','currency':'EUR','rooms':[{'room':'double','from':'2026-12-24','to':"
             "'2026-12-25','capacity':4,'overbook':2,'price':7}]"),
         "'defined'"},
        {OP("o", "hold", ITEMS(ONE_NIGHT("3"))), "'held'"},
        {ASK("b", "block", ITEMS(ONE_NIGHT("3"))), "'blocked'"},
        {OP("r", "release", B("o")), "'released'"},
        {ASK("e", "define",
             ",'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-25','capacity':3,"
             "'overbook':1}]"),
         "'defined'"},
        {OUT_OF("1", ONE_NIGHT("4")),
         "'items':[{'item':0,'asked':4,'given':0,'reason':'not_enough','free':3,'taken':"
         "['2026-12-24']}]"},
        {OUT_OF("2", ONE_NIGHT("2")), "'tokens':[3,4],'price':7}],'overbooked':2,'total':14"},
        {OP("3", "hold", ITEMS(ONE_NIGHT("2"))), "'free':1,"},
        {ASK("u", "unblock", B("b")), "'tokens':[5]"},
        {OP("4", "hold", ITEMS(ONE_NIGHT("2"))), "'tokens':[0,1],'price':7}],'total':14,"},
    };
    assert_true(STORY(steps));
}

/* Of what is counted, only how much is taken tells whether there is too much of it. */
static void a_block_of_a_counted_pool_is_overbooked_by_its_sum(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {ASK("d", "define",
             ",'state':'open','currency':'EUR','products':[{'product':'mug','capacity':4,"
             "'overbook':2,'price':7}]"),
         "'defined'"},
        {OP("o", "hold", ITEMS("{'product':'mug','quantity':3}")), "'held'"},
        {ASK("b", "block", ITEMS("{'product':'mug','quantity':3}")), "'blocked'"},
        {OP("r", "release", B("o")), "'released'"},
        {ASK("e", "define", ",'products':[{'product':'mug','capacity':3,'overbook':1}]"),
         "'defined'"},
        {OUT_OF("1", "{'product':'mug','quantity':4}"),
         "'items':[{'item':0,'asked':4,'given':0,'reason':'not_enough','free':3}]"},
        {OUT_OF("2", "{'product':'mug','quantity':2}"), "'quantity':2,'price':7}],'total':14"},
        {OP("3", "hold", ITEMS("{'product':'mug','quantity':2}")), "'free':1}"},
        {OP("5", "hold", ITEMS("{'product':'mug','quantity':1}")),
         "'quantity':1,'price':7}],'overbooked':1,'total':7"},
        {OUT_OF("6", "{'product':'mug','quantity':1}"),
         "'quantity':1,'price':7}],'overbooked':1,'total':7"},
        {ASK("u", "unblock", B("b")), "'reason':'already_released'"},
        {OP("7", "release", B("2")), "'returned':[{'item':0,'product':'mug','quantity':2"},
        {OP("4", "hold", ITEMS("{'product':'mug','quantity':2}")),
         "'quantity':2,'price':7}],'overbooked':1,'total':14,"},
    };
    assert_true(STORY(steps));
}

/* What the answer has no room for is not taken, and the block is as it was. */
static void an_answer_too_large_leaves_the_block_alone(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {ASK("d", "define",
             ",'state':'open','currency':'EUR','rooms':[{'room':'" LONG_NAME "','from':"
             "'2026-01-01','to':'2027-01-02','capacity':12,'rates':{'" LONG_NAME "':1000000}}]"),
         "'defined'"},
        {ASK("b", "block", ITEMS(YEAR("10"))), "'blocked'"},
        {OUT_OF("1", TEN_YEARS), "'reason':'limit_exceeded','retryable':true,'detail':'the answer "
                                 "would be too large'"},
        {OUT_OF("2", YEAR("10")), "'outcome':'held'"},
        {ASK("u", "unblock", B("b")), "'reason':'already_released'"},
    };
    assert_true(STORY(steps));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_is_sold_from_by_its_name),
    cmocka_unit_test(a_party_sits_together_in_a_block_too),
    cmocka_unit_test(who_sits_together_in_a_block_gets_as_many_as_it_has),
    cmocka_unit_test(one_section_of_a_block_serves_an_item),
    cmocka_unit_test(quotas_apply_to_what_a_block_gives),
    cmocka_unit_test(a_block_gives_as_much_as_quotas_allow),
    cmocka_unit_test(a_block_has_more_seats_than_a_quota_leaves),
    cmocka_unit_test(reasons_have_their_order_in_a_block_too),
    cmocka_unit_test(nights_of_a_block_are_there_or_named),
    cmocka_unit_test(a_block_beyond_the_capacity_is_sold_from),
    cmocka_unit_test(a_block_of_a_counted_pool_is_overbooked_by_its_sum),
    cmocka_unit_test(an_answer_too_large_leaves_the_block_alone),
};
UNIT_TESTS(test_decide_from_block, tests, NULL, NULL)
