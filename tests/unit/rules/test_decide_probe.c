/*
 * probe: everything, some pools, unknown ones, and the pages of a resource that is too large for
 * one answer; and bookings.
 */
#include <stdlib.h>
#include <string.h>

#include "core_rig.h"
#include "tests/unit/unit.h"

#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"
#define PROBE(id, items) ASK(id, "probe", ",'items':[" items "]")

#define STANDING                                                              \
    "{'section':'standing','free':3,'held':2,'sold':0,'blocked':0,'total':5," \
    "'rates':{'standard':10}}"
#define MUG \
    "{'product':'mug','free':2,'held':0,'sold':1,'blocked':0,'total':3,'rates':{'standard':7}}"

static const struct rig_step opening[] = {
    {ASK("d", "define",
         ",'state':'open','products':[{'product':'mug','capacity':3,'price':7},"
         "{'product':'cap','capacity':0}],'rooms':[{'room':'double','from':'2026-12-24','to':"
         "'2026-12-26','capacity':2,'price':100}],'sections':[{'section':'standing','capacity':5,"
         "'price':10},{'section':'stalls','rows':[{'row':'A','seats':4}]}]"),
     "'outcome':'defined'"},
    {ASK("h", "hold", ",'customer':'c','items':[{'section':'standing','quantity':2}]"),
     "'outcome':'held'"},
    {ASK("b", "book",
         ",'customer':'c','items':[{'product':'mug','quantity':1},{'room':'double',"
         "'from':'2026-12-25','to':'2026-12-26','quantity':2}]"),
     "'outcome':'confirmed'"},
};

static int open_house(void **state)
{
    static struct rig rig;
    rig_open(&rig, &rig_no_limits);
    *state = &rig;
    return RIG_PLAY(&rig, opening) ? 0 : -1;
}

static int close_house(void **state)
{
    rig_close(*state);
    return 0;
}

/* Sections, then products, then rooms, each in the order of definition. */
static void everything_is_listed_by_kind(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("1", "probe", ""),
         "'outcome':'alive','pools':[" STANDING
         ",{'section':'stalls','free':4,'held':0,'sold':0,'blocked':0,'total':4,'rates':"
         "{'standard':0}}," MUG ",{'room':'double','from':'2026-12-24','free':[2,0],'total':"
         "[2,2],'price':[100,100]}],'state':'open','waiting':0,"
         "'decided_at':'1970-01-01T00:16:40.000Z','rev':3,'free':11"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

static void some_are_listed_as_asked(void **state)
{
    static const struct rig_step steps[] = {
        {PROBE("1", "{'product':'mug'},{'section':'standing'},{'product':'mug'}"),
         "'pools':[" MUG "," STANDING "," MUG "],'state':'open','waiting':0,'decided_at'"},
        {PROBE("2", "{'room':'double','from':'2026-12-23','to':'2026-12-26'}"),
         "'pools':[{'room':'double','from':'2026-12-23','free':[null,2,0],'total':[null,2,2],"
         "'price':[null,100,100]}]"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

static void unknown_ones_are_named(void **state)
{
    static const struct rig_step steps[] = {
        {PROBE("1", "{'product':'mug'},{'product':'standing'},{'section':'x'},{'product':'cap'},"
                    "{'room':'mug','from':'2026-12-24','to':'2026-12-26'}"),
         "'outcome':'refused','reason':'unknown_pool','retryable':false,'items':["
         "{'item':1,'asked':1,'given':0,'reason':'unknown_pool','unknown':'standing','known':['mug'"
         "]},"
         "{'item':2,'asked':1,'given':0,'reason':'unknown_pool','unknown':'x','known':['standing','"
         "stalls']},"
         "{'item':3,'asked':1,'given':0,'reason':'unknown_pool','unknown':'cap','known':['mug']},"
         "{'item':4,'asked':1,'given':0,'reason':'unknown_pool','unknown':'mug','known':['double']}"
         "]"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

/* ---- more than is free ---- */

/* Whether it is sold, when, and how many wait: one that joins now is the next after them. */
static void it_says_how_the_sale_stands(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("d2", "define",
             ",'opens_at':'1970-01-01T00:00:01Z','closes_at':'1970-01-02T00:00:00Z',"
             "'ends_at':'1970-01-02T03:00:00Z','timezone':'Europe/Paris'"),
         "'outcome':'defined'"},
        {ASK("w1", "hold",
             ",'customer':'w','items':[{'product':'mug','quantity':3}],"
             "'wait_until':'1970-01-01T12:00:00Z'"),
         "'outcome':'waiting'"},
        {ASK("w2", "hold",
             ",'customer':'w','items':[{'section':'standing','quantity':5}],"
             "'wait_until':'1970-01-01T12:00:00Z'"),
         "'outcome':'waiting'"},
        {PROBE("1", "{'product':'mug'}"),
         "'pools':[" MUG "],'state':'open','opens_at':'1970-01-01T00:00:01.000Z',"
         "'closes_at':'1970-01-02T00:00:00.000Z','ends_at':'1970-01-02T03:00:00.000Z','timezone':'"
         "Europe/Paris','waiting':2,"
         "'decided_at'"},
        {ASK("w3", "hold",
             ",'customer':'w','items':[{'section':'standing','quantity':5}],"
             "'wait_until':'1970-01-01T12:00:00Z'"),
         "'position':3"},
        {ASK("c", "close", ""), "'outcome':'defined'"},
        {PROBE("2", "{'product':'mug'}"), "'state':'closed','opens_at':"},
        {PROBE("3", "{'product':'x'}"),
         "'outcome':'refused','reason':'unknown_pool','retryable':false,'items':[{'item':0,"
         "'asked':1,'given':0,'reason':'unknown_pool','unknown':'x','known':['mug']}],'decided_"
         "at'"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

/* ---- bookings ---- */

static void a_booking_is_shown_as_it_stands_now(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("1", "probe", ",'booking':'h'"),
         "'outcome':'alive','bookings':[{'booking':'h','state':'held','customer':'c','units':2,"
         "'total':20,'expires_at':'1970-01-01T00:31:40.000Z'}],'state':'open','waiting':0,"},
        {ASK("x", "confirm", ",'booking':'h','customer':'c','payment':'p'"), "'confirmed'"},
        {ASK("2", "probe", ",'booking':'h','customer':'c'"),
         "'bookings':[{'booking':'h','state':'confirmed','customer':'c','payment':'p','units':2,"
         "'total':20}]"},
        {ASK("y", "cancel", ",'booking':'h','customer':'c'"), "'cancelled'"},
        {ASK("3", "probe", ",'booking':'h'"), "'state':'cancelled','customer':'c','payment':'p',"
                                              "'units':2,'total':20}]"},
        {ASK("4", "probe", ",'booking':'h','customer':'d'"), "'reason':'not_owner'"},
        {ASK("5", "probe", ",'booking':'none'"), "'reason':'unknown_booking'"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

/* Whoever looks again and again keeps nothing for longer; whoever wants that extends the cart. */
static void a_cart_is_shown_and_lasts_no_longer_for_it(void **state)
{
    static const struct rig_step steps[] = {
#define MINE ",'cart':'k','customer':'c'"
        {ASK("k1", "hold", MINE ",'ttl_s':60,'items':[{'product':'mug','quantity':1}]"), "'held'"},
        {ASK("k2", "book", MINE ",'items':[{'product':'mug','quantity':1}]"), "'confirmed'"},
    };
    static const struct rig_step later[] = {
        {ASK("1", "probe", MINE),
         "'outcome':'alive','bookings':[{'booking':'k1','state':'held','customer':'c','cart':'k',"
         "'units':1,'total':7,'expires_at':'1970-01-01T00:17:40.000Z'},{'booking':'k2',"
         "'state':'confirmed','customer':'c','cart':'k','units':1,'total':7}],'state':'open'"},
        {ASK("2", "probe", ",'cart':'k','customer':'d'"), "'reason':'unknown_booking'"},
    };
    static const struct rig_step latest[] = {
        {ASK("3", "probe", MINE ",'booking':'k1'"),
         "'outcome':'alive','bookings':[{'booking':'k1','state':'held','customer':'c','cart':'k',"
         "'units':1,'total':7,'expires_at':'1970-01-01T00:17:40.000Z'}],'state':'open'"},
        {ASK("4", "extend", MINE ",'ttl_s':10"), "'expires_at':'1970-01-01T00:18:30.000Z'"},
    };
#undef MINE
    struct rig *rig = *state;
    assert_true(RIG_PLAY(rig, steps));
    rig->now_ms += 30000;
    assert_true(RIG_PLAY(rig, later));
    rig->now_ms += 20000;
    assert_true(RIG_PLAY(rig, latest));
}

static void a_party_learns_its_place(void **state)
{
    static const struct rig_step steps[] = {
#define WAITS \
    ",'customer':'w','wait_until':'1970-01-01T12:00:00Z','items':[{'product':'mug','quantity':3}]"
        {ASK("w1", "hold", WAITS), "'position':1"},
        {ASK("w2", "hold", WAITS), "'position':2"},
#undef WAITS
        {ASK("1", "probe", ",'booking':'w2'"),
         "'bookings':[{'booking':'w2','state':'waiting','customer':'w','units':0,'total':0,"
         "'expires_at':'1970-01-01T12:00:00.000Z','position':2}]"},
        {ASK("x", "leave", ",'booking':'w1','customer':'w'"), "'left'"},
        {ASK("2", "probe", ",'booking':'w2'"), "'position':1}]"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

static void blocked_units_are_not_free(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("x", "block",
             ",'items':[{'section':'standing','quantity':2},{'seats':['A-1']},{'room':'double',"
             "'from':'2026-12-24','to':'2026-12-25','quantity':1}]"),
         "'outcome':'blocked'"},
        {PROBE("1", "{'section':'standing'},{'section':'stalls'},{'room':'double','from':"
                    "'2026-12-24','to':'2026-12-26'}"),
         "'pools':[{'section':'standing','free':1,'held':2,'sold':0,'blocked':2,'total':5,"
         "'rates':{'standard':10}},{'section':'stalls','free':3,'held':0,'sold':0,'blocked':1,"
         "'total':4,'rates':{'standard':0}},{'room':'double','from':'2026-12-24','free':[1,0],"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

/* Of pools under a quota only so many are free as it leaves; of room types each night by itself. */
static void a_quota_bounds_what_is_free(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("d2", "define",
             ",'rooms':[{'room':'single','from':'2026-12-24','to':'2026-12-26','capacity':9}],"
             "'quotas':[{'quota':'people','pools':['standing','stalls'],'limit':4},"
             "{'quota':'beds','pools':['double','single'],'limit':3}]"),
         "'outcome':'defined'"},
        {ASK("1", "probe", ""),
         "'pools':[{'section':'standing','free':2,'held':2,'sold':0,'blocked':0,'total':5,"
         "'rates':{'standard':10}},{'section':'stalls','free':2,'held':0,'sold':0,'blocked':0,"
         "'total':4,'rates':{'standard':0}}," MUG
         ",{'room':'double','from':'2026-12-24','free':[2,0],'total':[2,2],'price':[100,100]},"
         "{'room':'single','from':'2026-12-24','free':[3,1],'total':[9,9],'price':[0,0]}]"},
        {ASK("h2", "hold", ",'customer':'c','items':[{'section':'stalls','quantity':2}]"),
         "'outcome':'held'"},
        {PROBE("2", "{'section':'standing'},{'section':'stalls'}"),
         "'pools':[{'section':'standing','free':0,'held':2,'sold':0,'blocked':0,'total':5,"
         "'rates':{'standard':10}},{'section':'stalls','free':0,'held':2,"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

static void rates_are_named_as_listed(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("d2", "define",
             ",'sections':[{'section':'standing','rates':{'full':20,'child':5}}],"
             "'products':[{'product':'mug','rates':{'standard':8}}]"),
         "'outcome':'defined'"},
        {PROBE("1", "{'section':'standing'},{'product':'mug'},{'section':'stalls'}"),
         "'total':5,'rates':{'full':20,'child':5}},{'product':'mug','free':2,'held':0,'sold':1,"
         "'blocked':0,'total':3,'rates':{'standard':8}},{'section':'stalls','free':4,'held':0,"
         "'sold':0,'blocked':0,'total':4,'rates':{'standard':0}}]"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

/* A night has null by a rate that it has not; one with but a price has that as `standard`. */
static void rooms_have_rates_by_night(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("d2", "define",
             ",'rooms':[{'room':'double','from':'2026-12-27','to':'2026-12-29','capacity':2,"
             "'rates':{'flexible':150,'standard':120}},{'room':'double','from':'2026-12-28','to':"
             "'2026-12-29','rates':{'early':90}}]"),
         "'outcome':'defined'"},
        {ASK("1", "probe", ""),
         "{'room':'double','from':'2026-12-24','free':[2,0,null,2,2],'total':[2,2,null,2,2],"
         "'price':[100,100,null,120,90],'rates':{'standard':[100,100,null,120,null],"
         "'flexible':[null,null,null,150,null],'early':[null,null,null,null,90]}}]"},
        {PROBE("2", "{'room':'double','from':'2026-12-24','to':'2026-12-26'}"),
         "'price':[100,100]}],'state'"},
        {PROBE("3", "{'room':'double','from':'2026-12-28','to':'2026-12-29'}"),
         "'price':[90],'rates':{'early':[90]}}],'state'"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

static void units_beyond_what_there_is_are_in_the_total(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("d2", "define",
             ",'sections':[{'section':'standing','capacity':5,'overbook':2}],"
             "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-25','capacity':2,"
             "'overbook':1}]"),
         "'outcome':'defined'"},
        {PROBE("1", "{'section':'standing'},{'room':'double','from':'2026-12-24','to':"
                    "'2026-12-26'}"),
         "'pools':[{'section':'standing','free':5,'held':2,'sold':0,'blocked':0,'total':7,"
         "'overbook':2,'rates':{'standard':10}},{'room':'double','from':'2026-12-24','free':[3,0],"
         "'total':[3,2],'price':[100,100]}]"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

/* ---- pages ---- */

/* Reads a hotel of 12 types by 5,000 nights page by page; counts nights in order. */
static void a_large_resource_comes_in_pages(void **state)
{
    struct rig *rig = *state;
    for (uint32_t i = 0; i < 12; i++) {
        const char *define = usher_arena_format(
            &rig->arena,
            "{'request_id':'d%u','op':'define','resource':'hotel','rooms':[{'room':'type-%02u',"
            "'from':'2026-01-01','to':'2039-09-10','capacity':%u,'price':100000}]}",
            i, i, 10 + i);
        assert_int_equal(USHER_DEFINED, rig_ask(rig, define)->outcome);
    }
    const struct usher_answer *page =
        rig_ask(rig, "{'request_id':'p','op':'probe','resource':'hotel'}");
    size_t size = rig->database->decisions[page->seq - 1].body_size;
    assert_true(size > 390000 && size < 400500);
    uint64_t nights = 0;
    for (uint32_t i = 0; i < page->pools_count; i++) {
        assert_int_equal(page->pools[0].from, page->pools[i].from);
        assert_int_equal(10 + i, page->pools[i].night_free[page->pools[i].night_count - 1]);
        assert_int_equal(i + 1 < page->pools_count ? 5000 : page->pools[i].night_count,
                         page->pools[i].night_count);
        nights += page->pools[i].night_count;
    }
    assert_true(nights > 20000 && nights < 12 * 5000);

    /* `next` is the first night that is not there. */
    const struct usher_pool_status *last = &page->pools[page->pools_count - 1];
    char night[USHER_NIGHT_SIZE];
    usher_night_format(last->from + (int32_t)last->night_count, night);
    const char *next = usher_arena_format(&rig->arena, "%s/%s", last->pool, night);
    assert_string_equal(next, page->next);
}

/* Rates by name count: a page with them ends at the same size. */
static void many_rates_come_in_pages(void **state)
{
    struct rig *rig = *state;
    struct usher_buffer text = {0};
    usher_buffer_text(&text, "{'request_id':'d','op':'define','resource':'hotel','rooms':[");
    for (uint32_t i = 0; i < 20; i++) {
        usher_buffer_text(
            &text, usher_arena_format(&rig->arena,
                                      "%s{'room':'double','from':'%u-01-01','to':'%u-01-01',"
                                      "'capacity':7,'rates':{'of the year %u':1000000,'flexible':"
                                      "1200000,'breakfast included':1300000}}",
                                      i ? "," : "", 2026 + i, 2027 + i, 2026 + i));
    }
    usher_buffer_text(&text, "]}");
    const char *define = usher_arena_text(&rig->arena, text.at, text.size);
    usher_buffer_deinit(&text);
    assert_int_equal(USHER_DEFINED, rig_ask(rig, define)->outcome);

    const struct usher_answer *page =
        rig_ask(rig, "{'request_id':'p','op':'probe','resource':'hotel'}");
    size_t size = rig->database->decisions[page->seq - 1].body_size;
    assert_true(size > 390000 && size < 400500);
    assert_int_equal(1, page->pools_count);
    const struct usher_pool_status *shown = page->pools;
    assert_true(shown->night_count > 3000 && shown->night_count < 7300);
    assert_int_equal(1200000, shown->night_rates[1].prices[shown->night_count - 1]);
    assert_int_equal(USHER_ABSENT, shown->night_rates[0].prices[shown->night_count - 1]);
    char night[USHER_NIGHT_SIZE];
    usher_night_format(shown->from + (int32_t)shown->night_count - 1, night);
    assert_int_equal(2 + strtoul(night, NULL, 10) - 2026 + 1, shown->night_rate_count);
    usher_night_format(shown->from + (int32_t)shown->night_count, night);
    assert_string_equal(usher_arena_format(&rig->arena, "double/%s", night), page->next);
}

static void many_products_come_in_pages(void **state)
{
    struct rig *rig = *state;
    struct usher_buffer text = {0};
    usher_buffer_text(&text, "{'request_id':'d','op':'define','resource':'shop','products':[");
    for (uint32_t i = 0; i < 5000; i++) {
        usher_buffer_text(&text,
                          usher_arena_format(&rig->arena, "%s{'product':'sku-%04u','capacity':%u}",
                                             i ? "," : "", i, i + 1));
    }
    usher_buffer_text(&text, "]}");
    const char *define = usher_arena_text(&rig->arena, text.at, text.size);
    usher_buffer_deinit(&text);
    assert_int_equal(USHER_DEFINED, rig_ask(rig, define)->outcome);

    const struct usher_answer *page =
        rig_ask(rig, "{'request_id':'p','op':'probe','resource':'shop'}");
    assert_true(page->pools_count > 1000 && page->pools_count < 5000);
    assert_string_equal("sku-0000", page->pools[0].pool);
    assert_string_equal(usher_arena_format(&rig->arena, "sku-%04u", page->pools_count), page->next);
    assert_true(rig->database->decisions[page->seq - 1].body_size < 400500);
}

#define HOUSE_TEST(test) cmocka_unit_test_setup_teardown(test, open_house, close_house)
static const struct CMUnitTest tests[] = {
    HOUSE_TEST(everything_is_listed_by_kind),
    HOUSE_TEST(some_are_listed_as_asked),
    HOUSE_TEST(unknown_ones_are_named),
    HOUSE_TEST(it_says_how_the_sale_stands),
    HOUSE_TEST(a_booking_is_shown_as_it_stands_now),
    HOUSE_TEST(a_cart_is_shown_and_lasts_no_longer_for_it),
    HOUSE_TEST(a_party_learns_its_place),
    HOUSE_TEST(blocked_units_are_not_free),
    HOUSE_TEST(a_quota_bounds_what_is_free),
    HOUSE_TEST(rates_are_named_as_listed),
    HOUSE_TEST(rooms_have_rates_by_night),
    HOUSE_TEST(units_beyond_what_there_is_are_in_the_total),
    HOUSE_TEST(a_large_resource_comes_in_pages),
    HOUSE_TEST(many_rates_come_in_pages),
    HOUSE_TEST(many_products_come_in_pages),
};
UNIT_TESTS(test_decide_probe, tests, NULL, NULL)
