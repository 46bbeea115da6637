/*
 * probe: everything, some pools, unknown ones, and the pages of a resource that is too large for
 * one answer; and bookings.
 */
#include <stdlib.h>
#include <string.h>

#include "core_rig.h"
#include "tests/unit/unit.h"

#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"

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

/* ---- bookings ---- */

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
    HOUSE_TEST(a_cart_is_shown_and_lasts_no_longer_for_it),
    HOUSE_TEST(a_large_resource_comes_in_pages),
    HOUSE_TEST(many_rates_come_in_pages),
    HOUSE_TEST(many_products_come_in_pages),
};
UNIT_TESTS(test_decide_probe, tests, NULL, NULL)
