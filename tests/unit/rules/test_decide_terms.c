/*
 * What a resource is sold under: rates, limits, quotas, times of sale, overbooking, and how much of
 * a request must be had.
 */
#include "story.h"
#include "tests/unit/unit.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define MUGS(count) ITEMS("{'product':'mug','quantity':" count "}")
#define DEFINE(more)                                                       \
    {                                                                      \
        ASK("d", "define", ",'state':'open'," more), "'outcome':'defined'" \
    }
#define LATER(id, more)                                    \
    {                                                      \
        ASK(id, "define", "," more), "'outcome':'defined'" \
    }

/* ---- sums ---- */

/* 2^53 - 1 is 9007 such mugs and some cups. */
static void all_that_is_held_or_sold_costs_no_more_than_javascript_counts(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'products':[{'product':'mug','capacity':10000000,'price':1000000000000},"
               "{'product':'cup','capacity':1000,'price':199254740991}]"),
        {OP("1", "hold", MUGS("4000")), "'total':4000000000000000"},
        {OP("2", "book", MUGS("4000")), "'total':4000000000000000"},
        {OP("3", "hold", MUGS("1008")), "'reason':'limit_exceeded'"},
        {OP("4", "book", MUGS("1008")),
         "'detail':'all that is held or sold would cost more than 9007199254740991'"},
        {OP("5", "exchange", B("1") MUGS("4000")), "'difference':0"},
        {OP("6", "hold", MUGS("1006")), "'held'"},
        {OP("7", "hold", ITEMS("{'product':'cup','quantity':1}")), "'held'"},
        {OP("8", "exchange", B("6") MUGS("1008")), "'reason':'limit_exceeded'"},
        {OP("a", "exchange", B("6") MUGS("1007")), "'difference':1000000000000"},
        {OP("b", "hold", ITEMS("{'product':'cup','quantity':1}")), "'reason':'limit_exceeded'"},
        /* What is held can be sold, and given back, whatever all of it costs. */
        {OP("c", "confirm", B("1")), "'confirmed'"},
        {OP("k", "confirm", B("6")), "'confirmed'"},
        {OP("l", "exchange", B("1") MUGS("10")), "'difference':-3990000000000000"},
        {OP("f", "cancel", B("2")), "'cancelled'"},
        {OP("g", "hold", MUGS("4000")), "'held'"},
    };
    assert_true(STORY(steps));
}

/* A later price, and units put aside by the house, change nothing of it. */
static void what_costs_too_much_in_all_is_refused_wherever_it_comes_from(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'products':[{'product':'mug','capacity':4000,'price':1000000000000}]"),
        {ASK("b", "block", MUGS("4000")), "'blocked'"},
        LATER("e", "'products':[{'product':'cup','capacity':100000,'price':1000000000000}]"),
        {OP("1", "book", ITEMS("{'product':'cup','quantity':4000}")), "'confirmed'"},
        {OP("2", "book", ITEMS("{'product':'cup','quantity':4000}")), "'confirmed'"},
        {OP("3", "book", ",'from_block':'b'" MUGS("1008")), "'reason':'limit_exceeded'"},
        {OP("4", "book", ",'from_block':'b'" MUGS("1007")), "'confirmed'"},
        LATER("f", "'products':[{'product':'cup','capacity':100000,'price':1}]"),
        {OP("5", "book", ITEMS("{'product':'cup','quantity':4000}")), "'confirmed'"},
        {OP("6", "cancel", B("1")), "'total':4000000000000000"},
        {OP("7", "exchange", B("5") ITEMS("{'product':'cup','quantity':4000,'rate':'standard'}")),
         "'difference':0"},
    };
    assert_true(STORY(steps));
}

/* ---- rates ---- */

static void items_name_the_rate_that_they_are_sold_by(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'currency':'EUR','sections':[{'section':'stalls','rates':{'adult':4500,'child':"
               "2500},'rows':[{'row':'A','seats':6}]}],'products':[{'product':'mug','capacity':5,"
               "'price':800}]"),
        {OP("1", "hold",
            ITEMS("{'seats':['A-1'],'rate':'child'},{'seats':['A-2']},"
                  "{'section':'stalls','quantity':2,'rate':'adult'},{'product':'mug',"
                  "'quantity':1,'rate':'standard'}")),
         "'units':[{'item':0,'section':'stalls','seats':['A-1'],'price':2500,'rate':'child'},"
         "{'item':1,'section':'stalls','seats':['A-2'],'price':4500,'rate':'adult'},{'item':2,"
         "'section':'stalls','seats':['A-3','A-4'],'price':4500,'rate':'adult','together':true},{'item':3,"
         "'product':'mug','quantity':1,'price':800}],'together':true,'total':16800"},
        {OP("2", "hold", ITEMS("{'seats':['A-5'],'rate':'standard'}")), "'reason':'unknown_rate'"},
        {OP("3", "hold", ITEMS("{'product':'mug','quantity':1,'rate':'child'}")),
         "'reason':'unknown_rate'"},
        /* frozen with the hold */
        LATER("e", "'sections':[{'section':'stalls','rates':{'member':100}}]"),
        {OP("4", "confirm", B("1")), "'price':2500,'rate':'child'"},
        {OP("5", "hold", ITEMS("{'seats':['A-5']}")), "'price':100,'rate':'member'"},
        /* a price is the rate standard, which items get that name none */
        LATER("f", "'sections':[{'section':'stalls','price':50}]"),
        {OP("6", "hold", ITEMS("{'seats':['A-6']}")), "'price':50,'rate':'standard'"},
        {ASK("p", "probe", ITEMS("{'section':'stalls'}")), "'rates':{'standard':50,'member':100}"},
    };
    assert_true(STORY(steps));
}

static void another_rate_is_an_exchange(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'products':[{'product':'mug','capacity':2,'rates':{'adult':800,'child':500}}]"),
        {OP("h", "hold", ITEMS("{'product':'mug','quantity':2}")), "'total':1600"},
        {OP("1", "exchange",
            B("h") ITEMS("{'product':'mug','quantity':1,'rate':'child'},"
                         "{'product':'mug','quantity':1}")),
         "'total':1300,'difference':-300"},
        {OP("2", "confirm", B("h") ITEMS("{'product':'mug','quantity':1,'rate':'child'}")),
         "'total':500"},
    };
    assert_true(STORY(steps));
}

/* ---- limits ---- */

static void a_request_has_limits(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'limits':{'units_min':2,'units_per_request':4},'products':[{'product':'mug',"
               "'capacity':50}],'rooms':[{'room':'double','from':'2026-01-01','to':'2026-02-01',"
               "'capacity':3}]"),
        {OP("1", "hold", MUGS("1")),
         "'reason':'limit_exceeded','retryable':true,'detail':'at least 2 units per request'"},
        {OP("2", "hold", MUGS("5")), "'detail':'at most 4 units per request'"},
        {OP("3", "hold",
            ITEMS("{'room':'double','from':'2026-01-01','to':'2026-01-06','quantity':1}")),
         "'detail':'at most 4 units per request'"}, /* nights count */
        {OP("h", "hold", MUGS("4")), "'held'"},
        {OP("4", "exchange", B("h") MUGS("5")), "'reason':'limit_exceeded'"},
        {ASK("5", "block", MUGS("20")), "'blocked'"},
        LATER("e", "'limits':{}"),
        {OP("6", "hold", MUGS("20")), "'held'"},
    };
    assert_true(STORY(steps));
}

static void a_customer_has_limits_over_all_bookings(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'limits':{'units_per_customer':5,'holds_per_customer':2},"
               "'products':[{'product':'mug','capacity':50}]"),
        {OP("h1", "hold", ",'ttl_s':1" MUGS("2")), "'held'"},
        {OP("h2", "hold", MUGS("2")), "'held'"},
        {OP("1", "hold", MUGS("1")), "'detail':'at most 2 open holds per customer'"},
        {OP("2", "book", MUGS("1")), "'confirmed'"},
        {OP("3", "book", MUGS("1")), "'detail':'at most 5 units per customer'"},
        {ASK("4", "book", ",'customer':'d'" MUGS("4")), "'confirmed'"},
        {ASK("5", "transfer", ",'customer':'d','to_customer':'c'" B("4")),
         "'reason':'limit_exceeded'"},
        {OP("6", "exchange", B("h2") MUGS("3")), "'reason':'limit_exceeded'"},
        {OP("7", "exchange", B("h2") MUGS("1")), "'exchanged'"},
        {OP("8", "confirm", B("h2")), "'confirmed'"},
        {OP("9", "hold", MUGS("1")), "'held'"},
        {OP("10", "release", B("9")), "'released'"},
        {STORY_AFTER "1000", "'outcome':'expired'"},
        {OP("11", "book", MUGS("3")), "'confirmed'"},
        {OP("12", "confirm", B("h1")), "'reason':'limit_exceeded'"}, /* late, and too much now */
        {OP("13", "cancel", B("11")), "'cancelled'"},
        {OP("14", "confirm", B("h1")), "'confirmed'"},
    };
    assert_true(STORY(steps));
}

/* What was sold before there were limits counts too. */
static void limits_come_later(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'products':[{'product':'mug','capacity':50},{'product':'cup','capacity':50}]"),
        {OP("1", "book", MUGS("4")), "'confirmed'"},
        {OP("2", "hold", ITEMS("{'product':'cup','quantity':3}")), "'held'"},
        LATER("e", "'limits':{'units_per_customer':9,'groups':[{'pools':['mug'],'limit':5}]}"),
        {OP("3", "book", MUGS("2")), "'reason':'limit_exceeded'"},
        {OP("4", "book", MUGS("1")), "'confirmed'"},
        {OP("5", "book", ITEMS("{'product':'cup','quantity':2}")), "'reason':'limit_exceeded'"},
        {OP("6", "book", ITEMS("{'product':'cup','quantity':1}")), "'confirmed'"},
        {ASK("x", "define", ",'limits':{'groups':[{'pools':['none'],'limit':5}]}"),
         "'reason':'bad_chart'"},
    };
    assert_true(STORY(steps));
}

/*
 * A maximum that was lowered, or a minimum that was raised, takes nothing away: what a booking has
 * may be swapped like for like and given back, and nothing is added.
 */
static void a_lower_limit_refuses_only_more(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'products':[{'product':'mug','capacity':50},{'product':'cup','capacity':50}]"),
        {OP("b", "book", MUGS("6")), "'confirmed'"},
        {OP("h", "hold", MUGS("5")), "'held'"},
        {OP("c", "book", ITEMS("{'product':'cup','quantity':1}")), "'confirmed'"},
        {ASK("o", "book", ",'customer':'o'" MUGS("1")), "'confirmed'"},
        LATER("e1", "'limits':{'units_per_request':4}"),
        {OP("1", "exchange", B("b") MUGS("7")), "'detail':'at most 4 units per request'"},
        {OP("2", "exchange", B("b") MUGS("6")), "'exchanged'"},
        {OP("3", "exchange", B("h") ITEMS("{'product':'cup','quantity':5}")), "'exchanged'"},
        {OP("4", "exchange", B("b") ",'from_hold':'h'" MUGS("7")), "'limit_exceeded'"},
        LATER("e2", "'limits':{'units_per_customer':3}"),
        {OP("5", "exchange", B("b") MUGS("7")), "'detail':'at most 3 units per customer'"},
        {OP("6", "exchange", B("b") ",'from_hold':'h'" MUGS("12")), "'limit_exceeded'"},
        {OP("7", "exchange", B("b") MUGS("5")), "'exchanged'"},
        {OP("8", "book", MUGS("1")), "'limit_exceeded'"},
        {ASK("9", "transfer", ",'customer':'o','to_customer':'c'" B("o")), "'limit_exceeded'"},
        {OP("10", "exchange", B("h") ",'force':true" MUGS("5")), "'exchanged'"},
        LATER("e3", "'limits':{'groups':[{'pools':['mug'],'limit':4}]}"),
        {OP("11", "exchange", B("c") MUGS("1")), "'limit_exceeded'"},
        {OP("12", "exchange", B("b") MUGS("5")), "'exchanged'"},
        {OP("13", "exchange", B("h") MUGS("4")), "'exchanged'"},
        {OP("14", "exchange", B("c") ITEMS("{'product':'cup','quantity':2}")), "'exchanged'"},
        {OP("15", "exchange", B("b") ",'from_hold':'h'" MUGS("9")), "'exchanged'"},
        LATER("e4", "'limits':{'units_min':3,'holds_per_customer':1}"),
        {OP("16", "exchange", B("c") ITEMS("{'product':'cup','quantity':1}")),
         "'detail':'at least 3 units per request'"},
        {OP("17", "exchange", B("c") MUGS("2")), "'exchanged'"},
        {OP("18", "exchange", B("b") MUGS("2")), "'limit_exceeded'"},
        {OP("19", "confirm", B("b")), "'already_confirmed'"},
        {OP("20", "cancel", B("b")), "'cancelled'"},
    };
    assert_true(STORY(steps));
}

static void one_hold_less_is_no_more_than_before(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'products':[{'product':'mug','capacity':50}]"),
        {OP("b", "book", MUGS("2")), "'confirmed'"},
        {OP("h", "hold", MUGS("2")), "'held'"},
        {OP("i", "hold", MUGS("2")), "'held'"},
        {OP("j", "hold", MUGS("2")), "'held'"},
        LATER("e", "'limits':{'holds_per_customer':1,'units_per_customer':2}"),
        {OP("1", "hold", MUGS("1")), "'limit_exceeded'"},
        {OP("2", "exchange", B("h") MUGS("2")), "'exchanged'"},
        {OP("3", "extend", ",'ttl_s':10" B("h")), "'extended'"},
        {OP("4", "exchange", B("b") ",'from_hold':'h'" MUGS("4")), "'exchanged'"},
        {OP("5", "confirm", B("i") MUGS("1")), "'confirmed'"}, /* a part */
        {OP("6", "transfer", ",'to_customer':'c'" B("j")), "'transferred'"},
        {OP("7", "confirm", B("j")), "'confirmed'"},
    };
    assert_true(STORY(steps));
}

#define STALLS "{'section':'stalls','rows':[{'row':'A','seats':4}]}"

/* The newest open hold of the same customer that is in the way, and nobody else's. */
static void a_refusal_names_the_own_hold_that_is_in_the_way(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'limits':{'units_per_customer':40},'sections':[" STALLS "],'products':["
               "{'product':'mug','capacity':3}],'rooms':[{'room':'double','from':'2026-01-01',"
               "'to':'2026-01-05','capacity':1}]"),
        {OP("s", "hold", ITEMS("{'seats':['A-1','A-2']}")), "'held'"},
        {OP("m", "hold", MUGS("1")), "'held'"},
        {OP("n", "hold", MUGS("2")), "'held'"},
        {OP("r", "hold",
            ITEMS("{'room':'double','from':'2026-01-02','to':'2026-01-03',"
                  "'quantity':1}")),
         "'held'"},
        {ASK("o", "hold", ",'customer':'o'" ITEMS("{'seats':['A-3']}")), "'held'"},
        {OP("1", "hold", ITEMS("{'seats':['A-2']}")),
         "'taken':['A-2']}],'own_hold':'s','decided_at'"},
        {OP("2", "book", MUGS("1")), "'not_enough','free':0}],'own_hold':'n'"},
        {OP("3", "hold",
            ITEMS("{'room':'double','from':'2026-01-01','to':'2026-01-03',"
                  "'quantity':1}")),
         "'taken':['2026-01-02']}],'own_hold':'r'"},
        {OP("4", "hold", ITEMS("{'section':'stalls','quantity':2,'together':true}")),
         "'free':1}],'own_hold':'s'"},
        /* what is somebody else's, or bought, is no hold of one's own */
        {OP("5", "hold", ITEMS("{'seats':['A-3']}")), "'taken':['A-3']}],'decided_at'"},
        {ASK("6", "hold", ",'customer':'o'" MUGS("1")), "'free':0}],'decided_at'"},
        {OP("7", "confirm", B("n")), "'confirmed'"},
        {OP("8", "hold", MUGS("1")), "'free':0}],'own_hold':'m'"},
        {OP("9", "release", B("m")), "'released'"},
        {OP("10", "hold", MUGS("2")), "'free':1}],'decided_at'"},
        /* an exchange has its own units */
        {OP("11", "hold", MUGS("1")), "'held'"},
        {OP("12", "exchange", B("11") MUGS("2")), "'free':1}],'decided_at'"},
        {OP("13", "exchange", B("s") MUGS("1")), "'free':0}],'own_hold':'11'"},
        {OP("14", "transfer", ",'to_customer':'o'" B("11")), "'transferred'"},
        {ASK("15", "hold", ",'customer':'o'" MUGS("1")), "'free':0}],'own_hold':'11'"},
        {OP("16", "hold", MUGS("1")), "'free':0}],'decided_at'"},
        /* without a limit nobody counts what a customer has */
        LATER("e", "'limits':{}"),
        {OP("17", "hold", ITEMS("{'seats':['A-2']}")), "'taken':['A-2']}],'decided_at'"},
    };
    assert_true(STORY(steps));
}

static void a_limit_names_the_own_hold_that_counts(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'limits':{'units_per_customer':3,'units_per_request':3},'products':[{'product':"
               "'mug','capacity':50},{'product':'cup','capacity':50}]"),
        {OP("b", "book", MUGS("1")), "'confirmed'"},
        {OP("1", "hold", MUGS("3")), "'at most 3 units per customer','customer':'c','decided_at'"},
        {OP("h", "hold", MUGS("1")), "'held'"},
        {OP("i", "hold", ITEMS("{'product':'cup','quantity':1}")), "'held'"},
        {OP("2", "hold", MUGS("1")), "'customer':'c','own_hold':'i'"},
        {OP("3", "hold", MUGS("4")), "'at most 3 units per request','customer':'c','decided_at'"},
        {OP("4", "exchange", B("i") MUGS("2")), "'customer':'c','own_hold':'h'"},
        LATER("e", "'limits':{'groups':[{'pools':['mug'],'limit':2}]}"),
        {OP("5", "hold", MUGS("1")), "'customer':'c','own_hold':'h'"},
        LATER("f", "'limits':{'holds_per_customer':2}"),
        {OP("6", "hold", MUGS("1")), "'customer':'c','own_hold':'i'"},
        {OP("7", "book", MUGS("1")), "'confirmed'"},
    };
    assert_true(STORY(steps));
}

/* ---- quotas ---- */

static void a_quota_bounds_several_pools(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'stalls','rows':[{'row':'A','seats':4}]},{'section':'pit',"
               "'capacity':10}],'quotas':[{'quota':'fire','pools':['stalls','pit'],'limit':6}]"),
        {OP("1", "book", ITEMS("{'section':'pit','quantity':4}")), "'confirmed'"},
        {OP("2", "book", ITEMS("{'seats':['A-1','A-2','A-3']}")),
         "'reason':'not_enough','retryable':true,'customer':'c','items':[{'item':0,'asked':3,"
         "'given':0,'reason':'not_enough','free':2}]"},
        {OP("3", "book", ITEMS("{'section':'pit','quantity':2},{'seats':['A-1']}")),
         "'reason':'not_enough'"},
        {ASK("b", "block", ITEMS("{'section':'pit','quantity':3}")), "'blocked'"},
        {OP("4", "hold", ITEMS("{'seats':['A-1','A-2']}")), "'held'"},
        {OP("5", "book", ",'from_block':'b'" ITEMS("{'section':'pit','quantity':1}")),
         "'reason':'not_enough'"},
        {OP("6", "exchange", B("4") ITEMS("{'section':'pit','quantity':2}")), "'exchanged'"},
        /* less than is in use: nothing more is given, nothing is taken away */
        LATER("e", "'quotas':[{'quota':'fire','pools':['stalls','pit'],'limit':3}]"),
        {OP("7", "book", ITEMS("{'seats':['A-1']}")), "'free':0"},
        LATER("f", "'quotas':[{'quota':'fire','pools':[]}]"),
        {OP("8", "book", ITEMS("{'seats':['A-1','A-2','A-3','A-4']}")), "'confirmed'"},
        {ASK("x", "define", ",'quotas':[{'quota':'new','pools':['pit']}]"), "'reason':'bad_chart'"},
    };
    assert_true(STORY(steps));
}

static void a_quota_on_rooms_counts_each_night(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'rooms':[{'room':'double','from':'2026-01-01','to':'2026-01-09','capacity':3},"
               "{'room':'twin','from':'2026-01-01','to':'2026-01-09','capacity':3}],"
               "'quotas':[{'quota':'house','pools':['double','twin'],'limit':4}]"),
        {OP("1", "book",
            ITEMS("{'room':'double','from':'2026-01-01','to':'2026-01-03','quantity':3}")),
         "'confirmed'"},
        {OP("2", "book",
            ITEMS("{'room':'twin','from':'2026-01-02','to':'2026-01-05','quantity':2}")),
         "'reason':'not_enough','retryable':true,'customer':'c','items':[{'item':0,'asked':2,"
         "'given':0,'reason':'not_enough','free':1,'taken':['2026-01-02']}]"},
        {OP("3", "book",
            ITEMS("{'room':'twin','from':'2026-01-03','to':'2026-01-05','quantity':3}")),
         "'confirmed'"},
    };
    assert_true(STORY(steps));
}

/* More is sold than a quota allows: a stay may be shortened and moved, and nothing is added. */
static void a_quota_below_what_is_sold_refuses_only_more(void **state)
{
    (void)state;
#define STAY(room, to, count) \
    "{'room':'" room "','from':'2026-01-01','to':'2026-01-0" to "','quantity':" count "}"
    static const struct rig_step steps[] = {
        DEFINE("'rooms':[{'room':'double','from':'2026-01-01','to':'2026-01-09','capacity':3},"
               "{'room':'suite','from':'2026-01-01','to':'2026-01-09','capacity':3}],"
               "'products':[{'product':'bed','capacity':9}]"),
        {OP("b", "book", ITEMS(STAY("double", "4", "2"))), "'confirmed'"},
        {OP("o", "book", ITEMS(STAY("double", "4", "1"))), "'confirmed'"},
        {OP("h", "hold", ITEMS("{'product':'bed','quantity':1}")), "'held'"},
        LATER("e", "'quotas':[{'quota':'fit','pools':['double','bed'],'limit':2},"
                   "{'quota':'all','pools':['double','suite','bed'],'limit':3}]"),
        {OP("1", "book", ITEMS(STAY("double", "2", "1"))), "'not_enough'"},
        {OP("2", "exchange", B("b") ITEMS(STAY("double", "3", "2"))), "'exchanged'"},
        {OP("3", "exchange", B("b") ITEMS(STAY("double", "4", "2"))), "'taken':['2026-01-03']"},
        {OP("4", "exchange", B("b") ITEMS(STAY("double", "3", "1") "," STAY("double", "3", "1"))),
         "'exchanged'"},
        {OP("5", "exchange", B("b") ITEMS(STAY("suite", "3", "1") "," STAY("double", "3", "1"))),
         "'exchanged'"},
        {OP("6", "exchange", B("b") ITEMS(STAY("double", "3", "2"))), "'not_enough'"},
        {OP("7", "exchange", B("b") ITEMS(STAY("suite", "4", "2"))), "'taken':['2026-01-03']"},
        /* What has no night counts on each: the hold takes no more than it had. */
        {OP("8", "exchange", B("h") ITEMS("{'product':'bed','quantity':1}")), "'exchanged'"},
        {OP("9", "exchange", B("h") ITEMS("{'product':'bed','quantity':2}")), "'not_enough'"},
        {OP("10", "exchange",
            B("b") ",'from_hold':'h'" ITEMS(STAY("double", "3", "1") "," STAY(
                "suite", "3", "1") ",{'product':'bed','quantity':1}")),
         "'exchanged'"},
        {OP("11", "exchange", B("b") ITEMS("{'product':'bed','quantity':2}")), "'free':1"},
        {OP("12", "exchange", B("b") ITEMS(STAY("suite", "3", "1"))), "'exchanged'"},
        {OP("13", "cancel", B("o")), "'cancelled'"},
        {OP("14", "book", ITEMS(STAY("double", "4", "2"))), "'confirmed'"},
        {OP("15", "book", ITEMS(STAY("double", "2", "1"))), "'not_enough'"},
    };
    assert_true(STORY(steps));
#undef STAY
}

static void a_quota_below_what_is_sold_lets_seats_be_swapped(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'stalls','rows':[{'row':'A','seats':8}]},{'section':'pit',"
               "'capacity':10}]"),
        {OP("b", "book", ITEMS("{'seats':['A-1','A-2','A-3']}")), "'confirmed'"},
        {OP("o", "hold", ",'ttl_s':1" ITEMS("{'section':'pit','quantity':3}")), "'held'"},
        {ASK("k", "block", ITEMS("{'section':'pit','quantity':3}")), "'blocked'"},
        LATER("e", "'quotas':[{'quota':'fire','pools':['stalls','pit'],'limit':2}]"),
        {OP("1", "exchange", B("b") ITEMS("{'seats':['A-6','A-7','A-8']}")), "'exchanged'"},
        {OP("2", "exchange", B("b") ITEMS("{'section':'stalls','quantity':3,'together':true}")),
         "'seats':['A-6','A-7','A-8']"},
        {OP("3", "exchange",
            B("b") ITEMS("{'section':'pit','quantity':1},{'seats':['A-7','A-8']}")),
         "'exchanged'"},
        {OP("4", "exchange", B("b") ITEMS("{'section':'pit','quantity':4}")), "'free':3"},
        {OP("5", "exchange", B("b") ITEMS("{'seats':['A-1','A-2','A-3','A-4']}")), "'free':3"},
        {OP("6", "hold", ",'from_block':'k'" ITEMS("{'section':'pit','quantity':1}")),
         "'not_enough'"},
        {STORY_AFTER "1000", "'outcome':'expired'"},
        {OP("7", "confirm", B("o")), "'hold_expired'"}, /* it adds to what is sold */
        {OP("8", "exchange", B("b") ITEMS("{'seats':['A-7']}")), "'exchanged'"},
        {OP("9", "book", ITEMS("{'section':'pit','quantity':2}")), "'not_enough'"},
        {OP("10", "book", ITEMS("{'section':'pit','quantity':1}")), "'confirmed'"},
    };
    assert_true(STORY(steps));
}

/* ---- times of sale ---- */

static void it_sells_from_a_time_to_a_time(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'opens_at':'1970-01-01T00:17:00Z','closes_at':'1970-01-01T00:18:00Z',"
               "'products':[{'product':'mug','capacity':50}]"),
        {OP("1", "hold", MUGS("1")),
         "'reason':'not_on_sale','retryable':true,'detail':'on sale from 1970-01-01T00:17:00.000Z',"
         "'customer':'c','state':'open','opens_at':'1970-01-01T00:17:00.000Z',"
         "'closes_at':'1970-01-01T00:18:00.000Z','decided_at'"},
        {STORY_AFTER "20000", ""},
        {OP("2", "hold", MUGS("1")), "'held'"},
        {STORY_AFTER "59999", ""},
        {OP("3", "hold", MUGS("1")), "'held'"},
        {STORY_AFTER "1", ""},
        {OP("4", "hold", MUGS("1")),
         "'reason':'not_on_sale','retryable':true,'detail':'on sale until 1970-01-01T00:18"},
        {OP("5", "confirm", B("3")), "'confirmed'"},
        {OP("6", "exchange", B("3") MUGS("2")),
         "'reason':'not_on_sale','retryable':true,'detail':'on sale until 1970-01-01T00:18"},
        {ASK("p", "probe", ""), "'state':'open','opens_at':'1970-01-01T00:17:00.000Z'"},
    };
    assert_true(STORY(steps));
}

static void what_has_ended_is_not_sold(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'ends_at':'1970-01-01T00:17:00Z','products':[{'product':'mug','capacity':9}]"),
        {STORY_AFTER "19999", ""},
        {OP("1", "hold", MUGS("1")), "'held'"},
        {OP("w", "hold", MUGS("9") ",'wait_until':'1970-02-01T00:00:00Z'"), "'waiting'"},
        {STORY_AFTER "1", ""},
        {OP("2", "book", MUGS("1")),
         "'reason':'not_on_sale','retryable':false,'detail':'it ended at 1970-01-01T00:17:00.000Z',"
         "'customer':'c','state':'open','decided_at'"},
        {OP("3", "book", MUGS("1") ",'force':true"), "'confirmed'"},
        {OP("4", "cancel", B("3")), "'cancelled'"},
        {OP("5", "release", B("1")), "'released'"},
        {ASK("p", "probe", ""), "'waiting':1"}, /* and nobody is served */
        LATER("e", "'ends_at':'1970-01-01T00:20:00Z'"),
        {ASK("p2", "probe", ""), "'waiting':0"},
    };
    assert_true(STORY(steps));
}

/* Nor to who exchanges, comes late, or would wait for it. */
static void what_has_ended_is_not_sold_in_other_ways(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'ends_at':'1970-01-01T00:17:00Z','products':[{'product':'mug','capacity':3}]"),
        {OP("1", "book", MUGS("1")), "'confirmed'"},
        {OP("2", "hold", MUGS("1") ",'ttl_s':5"), "'held'"},
        {OP("3", "hold", MUGS("1") ",'ttl_s':60"), "'held'"},
        {STORY_AFTER "20000", "'expired'"},
        {OP("4", "exchange", B("1") MUGS("2")),
         "'reason':'not_on_sale','retryable':false,'detail':'it ended at 1970-01-01T00:17:00.000Z',"
         "'booking':'1','customer':'c','state':'open','decided_at'"},
        {OP("5", "exchange", B("1") MUGS("2") ",'force':true"), "'exchanged'"},
        {OP("6", "confirm", B("2")), "'reason':'hold_expired','retryable':false,"
                                     "'detail':'it ended at 1970-01-01T00:17:00.000Z'"},
        {OP("7", "confirm", B("3")), "'confirmed'"}, /* it was held in time */
        {OP("8", "hold", MUGS("1") ",'force':true,'wait_until':'1970-02-01T00:00:00Z'"),
         "'reason':'not_enough'"},
    };
    assert_true(STORY(steps));
}

#define NIGHTS(from, to) ITEMS("{'room':'double','from':'" from "','to':'" to "','quantity':1}")

static void nights_before_today_are_not_sold_where_the_place_is_known(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'timezone':'Europe/Rome','rooms':[{'room':'double','from':'1970-01-01','to':"
               "'1970-01-09','capacity':2}]"),
        {OP("1", "book", NIGHTS("1970-01-01", "1970-01-03")), "'confirmed'"},
        {STORY_AFTER "167599999", ""}, /* to 1970-01-02T22:49:59.999Z */
        {OP("2", "book", NIGHTS("1970-01-02", "1970-01-03")), "'confirmed'"},
        {STORY_AFTER "600001", ""}, /* in Rome it is an hour later */
        {OP("3", "book", NIGHTS("1970-01-01", "1970-01-04")),
         "'reason':'not_on_sale','retryable':false,'detail':'it is 1970-01-03 in Europe/Rome,"
         " earlier nights are over','customer':'c','items':[{'item':0,'asked':1,'given':0,"
         "'reason':'not_on_sale','taken':['1970-01-01','1970-01-02']}],'state':'open'"},
        {OP("4", "book", NIGHTS("1970-01-03", "1970-01-04")), "'confirmed'"},
        {OP("5", "book", NIGHTS("1970-01-01", "1970-01-02") ",'force':true"), "'confirmed'"},
        {OP("6", "exchange", B("1") NIGHTS("1970-01-01", "1970-01-02")), "'exchanged'"},
    };
    assert_true(STORY(steps));
}

static void nights_that_are_over_are_kept_and_not_added(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'timezone':'Europe/Rome','rooms':[{'room':'double','from':'1970-01-01','to':"
               "'1970-01-09','capacity':2}]"),
        {OP("1", "book", NIGHTS("1970-01-01", "1970-01-04")), "'confirmed'"},
        {OP("2", "hold", NIGHTS("1970-01-02", "1970-01-04") ",'ttl_s':60"), "'held'"},
        {STORY_AFTER "170000000", "'expired'"}, /* to 1970-01-02T23:30Z, the 3rd in Rome */
        {OP("3", "exchange", B("1") NIGHTS("1970-01-01", "1970-01-05")), "'exchanged'"},
        {OP("4", "exchange", B("1") NIGHTS("1970-01-01", "1970-01-03")), "'exchanged'"},
        {OP("5", "exchange",
            B("1") ITEMS("{'room':'double','from':'1970-01-01','to':'1970-01-02','quantity':1},"
                         "{'room':'double','from':'1970-01-01','to':'1970-01-04','quantity':1}")),
         "'reason':'not_on_sale','retryable':false,'detail':'it is 1970-01-03 in Europe/Rome,"
         " earlier nights are over','booking':'1','customer':'c','items':[{'item':1,'asked':1,"
         "'given':0,'reason':'not_on_sale','taken':['1970-01-01']}],'state':'open'"},
        {OP("6", "confirm", B("2")),
         "'reason':'hold_expired','retryable':false,'detail':'it is 1970-01-03 in Europe/Rome,"
         " earlier nights are over','booking':'2','customer':'c','items':[{'item':0,'asked':1,"
         "'given':0,'reason':'not_on_sale','taken':['1970-01-02']}],"},
        {OP("7", "hold",
            ITEMS(
                "{'room':'double','from':'1970-01-02','to':'1970-01-04','quantity':2}") ",'force':"
                                                                                        "true,'"
                                                                                        "wait_"
                                                                                        "until':'"
                                                                                        "1970-02-"
                                                                                        "01T00:00:"
                                                                                        "00Z'"),
         "'reason':'not_enough'"},
    };
    assert_true(STORY(steps));
}

static void nobody_knows_the_date_of_no_place(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'rooms':[{'room':'double','from':'1970-01-01','to':'1970-01-09','capacity':2}]"),
        {STORY_AFTER "300000000", ""},
        {OP("1", "book", NIGHTS("1970-01-01", "1970-01-03")), "'confirmed'"},
    };
    assert_true(STORY(steps));
}

/* ---- overbooking ---- */

static void more_is_sold_than_there_is_up_to_a_cap(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'rooms':[{'room':'double','from':'2026-01-01','to':'2026-01-03','capacity':2,"
               "'overbook':1}]"),
        {OP("1", "book",
            ITEMS("{'room':'double','from':'2026-01-01','to':'2026-01-03','quantity':1}")),
         "'total':0,'decided_at'"},
        {OP("2", "book",
            ITEMS("{'room':'double','from':'2026-01-01','to':'2026-01-03','quantity':2}")),
         "'overbooked':2"},
        {OP("3", "book",
            ITEMS("{'room':'double','from':'2026-01-01','to':'2026-01-02','quantity':1}")),
         "'reason':'not_enough'"},
        {ASK("x", "define",
             ",'sections':[{'section':'s','rows':[{'row':'A','seats':2}],"
             "'overbook':1}]"),
         "'reason':'bad_chart'"},
        /* what was not said stays: 1 beyond; 3 are taken */
        {ASK("y", "define",
             ",'rooms':[{'room':'double','from':'2026-01-01','to':'2026-01-02',"
             "'capacity':1}]"),
         "'reason':'in_use'"},
    };
    assert_true(STORY(steps));
}

/* Numbers come and go; what counts is how many. */
static void capacity_follows_what_is_taken(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'products':[{'product':'mug','capacity':10}]"),
        {OP("1", "book", MUGS("8")), "'free':2"},
        {OP("2", "book", MUGS("2")), "'free':0"},
        {OP("3", "cancel", B("1")), "'free':8"},
        LATER("e", "'products':[{'product':'mug','capacity':5}]"),
        {OP("4", "book", MUGS("4")), "'reason':'not_enough'"},
        {OP("5", "book", MUGS("3")), "'free':0"},
        {OP("6", "cancel", B("2")), "'free':2"},
        {OP("7", "book", MUGS("2")), "'free':0"},
        {OP("8", "exchange", B("7") MUGS("1")), "'free':1"},
        {OP("9", "exchange", B("7") MUGS("3")), "'reason':'not_enough'"},
        {ASK("x", "define", ",'products':[{'product':'mug','capacity':3}]"), "'reason':'in_use'"},
        LATER("f", "'products':[{'product':'mug','capacity':20}]"),
        {OP("10", "book", MUGS("16")), "'free':0"},
    };
    assert_true(STORY(steps));
}

/* ---- shortage ---- */

static void a_part_is_better_than_nothing_if_the_request_says_so(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'stalls','rows':[{'row':'A','seats':5}]}],'products':"
               "[{'product':'mug','capacity':3}],'rooms':[{'room':'double','from':'2026-01-01',"
               "'to':'2026-01-04','capacity':2},{'room':'double','from':'2026-01-02','to':"
               "'2026-01-03','capacity':1}]"),
        {OP("1", "book", ITEMS("{'seats':['A-3']}")), "'confirmed'"},
        {OP("2", "book",
            ",'shortage':'partial'" ITEMS(
                "{'seats':['A-2','A-3']},{'product':'mug','quantity':5},{'room':'double','from':"
                "'2026-01-01','to':'2026-01-04','quantity':2},{'product':'none','quantity':1}")),
         "'items':[{'item':0,'asked':2,'given':1,'reason':'unit_taken','taken':['A-3']},{'item':1,"
         "'asked':5,'given':3,'reason':'not_enough','free':3},{'item':2,'asked':2,'given':1,"
         "'reason':'not_enough','free':1,'taken':['2026-01-02']},{'item':3,'asked':1,'given':0,"
         "'reason':'unknown_pool','unknown':'none','known':['mug']}],'total':0"},
        {OP("3", "book",
            ",'shortage':'partial'" ITEMS("{'section':'stalls','quantity':3,'together':true}")),
         "'seats':['A-4','A-5'],'price':0}],'items':[{'item':0,'asked':3,'given':2,'reason':"
         "'not_together','free':3}],'together':true"},
        {OP("4", "book", ",'shortage':'partial'" ITEMS("{'product':'mug','quantity':1}")),
         "'outcome':'refused','reason':'not_enough','retryable':true,'customer':'c','items':"
         "[{'item':0,'asked':1,'given':0,'reason':'not_enough','free':0}]"},
        /* the same product twice adds up */
        {OP("5", "cancel", B("2")), "'cancelled'"},
        {OP("6", "book", ITEMS("{'product':'mug','quantity':2},{'product':'mug','quantity':2}")),
         "'items':[{'item':1,'asked':2,'given':0,'reason':'not_enough','free':1}]"},
    };
    assert_true(STORY(steps));
}

/* ---- several sections ---- */

static void the_first_acceptable_section_serves(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'a','rows':[{'row':'A','seats':3}]},{'section':'b','rows':"
               "[{'row':'B','seats':4}]},{'section':'c','capacity':3}]"),
        /* of 3 seats a pair would leave an orphan: the next section is as good */
        {OP("1", "book", ITEMS("{'sections':['a','b'],'quantity':2}")), "'seats':['B-1','B-2']"},
        {OP("2", "book", ITEMS("{'sections':['a','b'],'quantity':3}")),
         "'seats':['A-1','A-2','A-3']"},
        {OP("3", "book", ITEMS("{'sections':['a','b','c'],'quantity':3}")), "'section':'c'"},
        {OP("4", "book", ITEMS("{'sections':['a','b','c'],'quantity':3}")),
         "'reason':'not_enough','free':2}]"},
        {OP("5", "book", ITEMS("{'sections':['b','x'],'quantity':1}")), "'reason':'unknown_pool'"},
    };
    assert_true(STORY(steps));
}

/* Whichever section would give most: there are enough in one, but not beside each other. */
static void what_is_free_in_one_section_tells_the_reason(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'a','rows':[{'row':'A','seats':5}]},{'section':'b','rows':"
               "[{'row':'B','seats':2}]}]"),
        {OP("1", "book", ITEMS("{'seats':['A-2','A-4']}")), "'confirmed'"},
        {OP("2", "book", ITEMS("{'sections':['a','b'],'quantity':3,'together':true}")),
         "'items':[{'item':0,'asked':3,'given':0,'reason':'not_together','free':3}]"},
    };
    assert_true(STORY(steps));
}

static void seats_have_features(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'a','rows':[{'row':'A','seats':6,'features':{'aisle':[1,6],"
               "'restricted_view':[3,4]}}]}]"),
        {OP("1", "book", ITEMS("{'section':'a','quantity':1,'features':['aisle']}")),
         "'seats':['A-1']"},
        {OP("2", "book", ITEMS("{'section':'a','quantity':2,'avoid':['restricted_view']}")),
         "'seats':['A-5','A-6']"},
        {OP("3", "book", ITEMS("{'section':'a','quantity':1,'features':['aisle']}")),
         "'reason':'not_enough','free':0}]"},
        {OP("4", "book", ITEMS("{'section':'a','quantity':1,'features':['accessible']}")),
         "'reason':'unknown_feature','unknown':'accessible','known':['aisle','restricted_view']}]"},
        {OP("5", "book", ITEMS("{'section':'a','quantity':3}")), "'seats':['A-2','A-3','A-4']"},
        /* what a booking has is kept only where the item accepts it */
        {OP("6", "exchange",
            B("5") ITEMS("{'section':'a','quantity':1,'avoid':['restricted_view']"
                         "}")),
         "'seats':['A-2']"},
        {ASK("b", "block", ITEMS("{'seats':['A-3']}")), "'blocked'"},
        {OP("7", "book",
            ",'from_block':'b'" ITEMS("{'section':'a','quantity':1,'avoid':"
                                      "['restricted_view']}")),
         "'reason':'not_enough','retryable':true,'customer':'c','items':[{'item':0,'asked':1,"
         "'given':0,'reason':'not_enough','free':0}]"},
    };
    assert_true(STORY(steps));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_that_is_held_or_sold_costs_no_more_than_javascript_counts),
    cmocka_unit_test(what_costs_too_much_in_all_is_refused_wherever_it_comes_from),
    cmocka_unit_test(items_name_the_rate_that_they_are_sold_by),
    cmocka_unit_test(another_rate_is_an_exchange),
    cmocka_unit_test(a_request_has_limits),
    cmocka_unit_test(a_customer_has_limits_over_all_bookings),
    cmocka_unit_test(limits_come_later),
    cmocka_unit_test(a_lower_limit_refuses_only_more),
    cmocka_unit_test(one_hold_less_is_no_more_than_before),
    cmocka_unit_test(a_refusal_names_the_own_hold_that_is_in_the_way),
    cmocka_unit_test(a_limit_names_the_own_hold_that_counts),
    cmocka_unit_test(a_quota_bounds_several_pools),
    cmocka_unit_test(a_quota_on_rooms_counts_each_night),
    cmocka_unit_test(a_quota_below_what_is_sold_refuses_only_more),
    cmocka_unit_test(a_quota_below_what_is_sold_lets_seats_be_swapped),
    cmocka_unit_test(it_sells_from_a_time_to_a_time),
    cmocka_unit_test(what_has_ended_is_not_sold),
    cmocka_unit_test(what_has_ended_is_not_sold_in_other_ways),
    cmocka_unit_test(nights_before_today_are_not_sold_where_the_place_is_known),
    cmocka_unit_test(nights_that_are_over_are_kept_and_not_added),
    cmocka_unit_test(nobody_knows_the_date_of_no_place),
    cmocka_unit_test(more_is_sold_than_there_is_up_to_a_cap),
    cmocka_unit_test(capacity_follows_what_is_taken),
    cmocka_unit_test(a_part_is_better_than_nothing_if_the_request_says_so),
    cmocka_unit_test(the_first_acceptable_section_serves),
    cmocka_unit_test(what_is_free_in_one_section_tells_the_reason),
    cmocka_unit_test(seats_have_features),
};
UNIT_TESTS(test_decide_terms, tests, NULL, NULL)
