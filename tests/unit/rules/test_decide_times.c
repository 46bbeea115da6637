/*
 * What is sold, or not, by time: by the time at which a request was appended, whoever decides it
 * and when; at the instant itself what ends is over, and what begins has begun.
 */
#include <string.h>

#include "quotes.h"
#include "story.h"
#include "tests/unit/unit.h"

/* A rig begins at 00:16:40; T is twenty seconds later. */
#define T "'1970-01-01T00:17:00Z'"
#define TO_T_LESS_1 "19999"
#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define MUGS(count) ITEMS("{'product':'mug','quantity':" count "}")
#define DEFINE(more)                                                       \
    {                                                                      \
        ASK("d", "define", ",'state':'open'," more), "'outcome':'defined'" \
    }
#define SHOP(more) DEFINE("'products':[{'product':'mug','capacity':9}]" more)
#define LATER(id, more)                                    \
    {                                                      \
        ASK(id, "define", "," more), "'outcome':'defined'" \
    }

/* ---- T ---- */

static void a_sale_opens_at_its_time(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        SHOP(",'opens_at':" T),
        {STORY_AFTER TO_T_LESS_1, ""},
        {OP("1", "hold", MUGS("1")), "'reason':'not_on_sale','retryable':true"},
        {STORY_AFTER "1", ""},
        {OP("2", "hold", MUGS("1")), "'held'"},
        {STORY_AFTER "1", ""},
        {OP("3", "book", MUGS("1")), "'confirmed'"},
    };
    assert_true(STORY_OF_TIMES(steps));
}

static void a_sale_closes_at_its_time(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        SHOP(",'closes_at':" T),
        {STORY_AFTER TO_T_LESS_1, ""},
        {OP("1", "hold", MUGS("1")), "'held'"},
        {STORY_AFTER "1", ""},
        {OP("2", "hold", MUGS("1")), "'reason':'not_on_sale','retryable':true"},
        {OP("3", "hold", MUGS("1") ",'force':true"), "'held'"},
        {STORY_AFTER "1", ""},
        {OP("4", "book", MUGS("1")), "'reason':'not_on_sale','retryable':true"},
        {OP("5", "confirm", B("1")), "'confirmed'"}, /* it was held in time */
    };
    assert_true(STORY_OF_TIMES(steps));
}

static void a_show_ends_at_its_time(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        SHOP(",'ends_at':" T),
        {STORY_AFTER TO_T_LESS_1, ""},
        {OP("1", "book", MUGS("1")), "'confirmed'"},
        {STORY_AFTER "1", ""},
        {OP("2", "book", MUGS("1")), "'reason':'not_on_sale','retryable':false"},
        {STORY_AFTER "1", ""},
        {OP("3", "hold", MUGS("1")), "'reason':'not_on_sale','retryable':false"},
        {OP("4", "book", MUGS("1") ",'force':true"), "'confirmed'"},
    };
    assert_true(STORY_OF_TIMES(steps));
}

static void a_night_is_over_at_midnight(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'timezone':'Europe/Rome','rooms':[{'room':'double','from':'1970-01-01','to':"
               "'1970-01-09','capacity':9}]"),
        {STORY_AFTER "81799999", ""}, /* to 22:59:59.999Z, a millisecond before midnight in Rome */
        {OP("1", "hold",
            ITEMS("{'room':'double','from':'1970-01-01','to':'1970-01-02',"
                  "'quantity':1}")),
         "'held'"},
        {STORY_AFTER "1", ""},
        {OP("2", "hold",
            ITEMS("{'room':'double','from':'1970-01-01','to':'1970-01-02',"
                  "'quantity':1}")),
         "'reason':'not_on_sale','retryable':false"},
    };
    assert_true(STORY_OF_TIMES(steps));
}

static void a_block_returns_at_its_time(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        SHOP(""),
        {ASK("b", "block", MUGS("9") ",'return_at':" T), "'blocked'"},
        {STORY_AFTER TO_T_LESS_1, ""},
        {OP("1", "hold", MUGS("1")), "'reason':'not_enough'"},
        {STORY_AFTER "1", "'cause':'block_returned'"},
        {OP("2", "hold", MUGS("1")), "'held'"},
        /* one whose time has passed returns at once */
        {ASK("b2", "block", MUGS("8") ",'return_at':'1970-01-01T00:00:01Z'"),
         "'expires_at':'1970-01-01T00:17:00.000Z'"},
        {STORY_AFTER "0", "'cause':'block_returned'"},
    };
    assert_true(STORY_OF_TIMES(steps));
}

static void waiting_ends_at_its_time(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        SHOP(""),
        {OP("a", "book", MUGS("9")), "'confirmed'"},
        {OP("w", "hold", MUGS("1") ",'wait_until':" T), "'waiting'"},
        {STORY_AFTER TO_T_LESS_1, ""},
        {OP("w2", "hold", MUGS("1") ",'wait_until':" T), "'waiting'"},
        {STORY_AFTER "1", "'outcome':'left'"},
        {OP("w3", "hold", MUGS("1") ",'wait_until':" T), "'reason':'not_enough'"},
        {OP("1", "cancel", B("a")), "'cancelled'"},
        {STORY_NOTHING, ""},
    };
    assert_true(STORY_OF_TIMES(steps));
}

/* ---- defines ---- */

static void times_are_checked_together_in_whichever_define(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        SHOP(",'opens_at':'1970-01-01T10:00:00Z','ends_at':'1970-01-01T20:00:00Z'"),
        {ASK("1", "define", ",'closes_at':'1970-01-01T10:00:00Z'"),
         "'reason':'bad_chart','retryable':false,'detail':'opens_at 1970-01-01T10:00:00.000Z is "
         "not "
         "before closes_at 1970-01-01T10:00:00.000Z'"},
        {ASK("2", "define", ",'closes_at':'1970-01-01T20:00:00.001Z'"),
         "'detail':'closes_at 1970-01-01T20:00:00.001Z is after ends_at 1970-01-01T20:00:00.000Z'"},
        {ASK("3", "define", ",'starts_at':'1970-01-01T20:00:00.001Z'"), "is after ends_at"},
        {ASK("4", "define", ",'opens_at':'1970-01-01T20:00:00Z'"), "is not before ends_at"},
        {ASK("5", "define", ",'ends_at':'1970-01-01T10:00:00Z'"), "is not before ends_at"},
        {ASK("6", "define",
             ",'ends_at':'1970-01-01T19:00:00Z','starts_at':'1970-01-01T19:00:00Z',"
             "'closes_at':'1970-01-01T19:00:00Z'"),
         "'outcome':'defined','change':'changed'"},
    };
    assert_true(STORY(steps));
}

static void a_define_says_that_nothing_is_sold(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        SHOP(",'closes_at':" T ",'ends_at':" T),
        {STORY_AFTER "20000", ""},
        {ASK("1", "define", ",'starts_at':'1970-01-02T00:00:00Z','ends_at':'1970-01-03T00:00:00Z'"),
         "'detail':'nothing is sold: its sale closed at 1970-01-01T00:17:00.000Z'"},
        {ASK("2", "define", ",'closes_at':'1970-01-02T00:00:00Z'"),
         "'defined','change':'changed','decided_at'"},
        {ASK("3", "define", ",'ends_at':'1970-01-02T00:00:00Z'"), "'defined','change':'changed'"},
        {STORY_AFTER "86400000", ""},
        {ASK("4", "open", ""), "'defined'"},
        {ASK("5", "define", ",'closes_at':'1970-01-01T23:00:00Z'"), "its sale closed at"},
    };
    assert_true(STORY(steps));
}

/* ---- an exchange ---- */

#define SEATS(names) ITEMS("{'seats':[" names "]}")

static void after_the_close_an_exchange_adds_nothing(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        DEFINE("'sections':[{'section':'s','rows':[{'row':'A','seats':6}]},"
               "{'section':'floor','capacity':6}]"),
        {OP("b", "book", ITEMS("{'seats':['A-1','A-2']},{'section':'floor','quantity':1}")),
         "'confirmed'"},
        {OP("h", "hold", ITEMS("{'section':'floor','quantity':1}") ",'ttl_s':3600"), "'held'"},
        LATER("e", "'closes_at':" T),
        {STORY_AFTER "20000", ""},
        {OP("1", "exchange", B("b") SEATS("'A-1','A-2','A-3'")), "'reason':'not_on_sale'"},
        {OP("2", "exchange", B("b") ITEMS("{'section':'floor','quantity':2}")),
         "'reason':'not_on_sale','retryable':true,'detail':'on sale until "
         "1970-01-01T00:17:00.000Z','booking':'b','customer':'c','state':'open','closes_at':"
         "'1970-01-01T00:17:00.000Z'"},
        /* other seats of the section are as many */
        {OP("3", "exchange",
            B("b") ITEMS("{'seats':['A-3','A-4']},{'section':'floor',"
                         "'quantity':1}")),
         "'exchanged'"},
        /* of any section that it has */
        {OP("4", "exchange",
            B("b") ITEMS("{'sections':['floor','s'],'quantity':2},"
                         "{'section':'s','quantity':1}")),
         "'exchanged'"},
        /* what a hold has was sold in time */
        {OP("5", "exchange",
            B("b") ",'from_hold':'h'" ITEMS("{'section':'floor','quantity':1},"
                                            "{'section':'s','quantity':1}")),
         "'exchanged'"},
        {OP("6", "exchange", B("b") SEATS("'A-1'")), "'exchanged'"},
        {OP("7", "exchange", B("b") SEATS("'A-1','B-9'")), "'reason':'not_on_sale'"},
        {OP("8", "exchange", B("b") SEATS("'A-1','A-2'") ",'force':true"), "'exchanged'"},
        {ASK("c", "close", ""), "'defined'"},
        {OP("9", "exchange", B("b") SEATS("'A-1','A-2','A-3'") ",'force':true"),
         "'reason':'not_on_sale','retryable':true,'detail':'closed'"},
        {OP("10", "exchange", B("b") SEATS("'A-2'")), "'exchanged'"},
    };
    assert_true(STORY_OF_TIMES(steps));
}

static void after_the_end_a_part_goes_back(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        SHOP(",'ends_at':" T),
        {OP("b", "book", MUGS("3")), "'confirmed'"},
        {STORY_AFTER "20000", ""},
        {OP("1", "exchange", B("b") MUGS("4")), "'reason':'not_on_sale','retryable':false"},
        {OP("2", "exchange", B("b") MUGS("2")), "'exchanged'"},
        {ASK("3", "exchange", ",'force':true" B("b") MUGS("1")), "'exchanged'"},
        {OP("4", "cancel", B("b")), "'cancelled'"},
    };
    assert_true(STORY_OF_TIMES(steps));
}

/* ---- the waiting list, by a worker that comes late ---- */

/* A request appended at that time, as the next one in the open batch. */
static const struct decision_row *append(struct rig *rig, int64_t at_ms, const char *json)
{
    rig->lag_ms = rig->now_ms - at_ms;
    return rig_decide(rig, json);
}

static void expect(struct rig *rig, uint32_t index, const char *says)
{
    const struct batch *batch = rig_batch(rig);
    assert_true(index < batch->decision_count);
    const char *text = quotes_double(&rig->arena, says);
    if (!strstr(batch->decisions[index].body, text))
        fail_msg("decision %u: expected %s, found %s", index, says, batch->decisions[index].body);
}

enum {
    T_MS = 1020000,
    HOUR_MS = 3600000
};

/* A sold-out shop with somebody who waits, in an empty batch an hour later. */
static void sell_out(struct rig *rig, const char *define, const char *wait_until)
{
    rig_open(rig, &rig_no_limits);
    assert_int_equal(USHER_DEFINED, rig_decide(rig, define)->outcome);
    assert_int_equal(USHER_CONFIRMED, rig_decide(rig, OP("a", "book", MUGS("9")))->outcome);
    const char *party = usher_arena_format(
        &rig->arena, OP("w", "hold", MUGS("1") ",'wait_until':'%s'"), wait_until);
    assert_int_equal(USHER_WAITING, rig_decide(rig, party)->outcome);
    rig_seal(rig);
    rig_commit(rig);
    rig->now_ms += HOUR_MS;
}

#define SOLD_OUT(more) \
    ASK("d", "define", ",'state':'open','products':[{'product':'mug','capacity':9}]" more)

/* Units that came back before the close are for whoever waits, though later requests are decided
 * in the same batch. */
static void who_waited_is_served_before_the_close(void **state)
{
    (void)state;
    static struct rig rig;
    sell_out(&rig, SOLD_OUT(",'closes_at':" T), "1970-01-01T01:00:00Z");
    (void)append(&rig, T_MS - 1, OP("1", "cancel", B("a")));
    (void)append(&rig, T_MS, ASK("2", "cancel", ",'customer':'x'" B("a")));
    expect(&rig, 1, "'cause':'waiting_list','booking':'w'");
    expect(&rig, 2, "'reason':'not_owner'");
    rig_close(&rig);
}

static void what_returns_after_the_close_is_for_nobody(void **state)
{
    (void)state;
    static struct rig rig;
    sell_out(&rig, SOLD_OUT(",'closes_at':" T), "1970-01-01T01:00:00Z");
    (void)append(&rig, T_MS, OP("1", "cancel", B("a")));
    assert_int_equal(0, rig_work(&rig));
    assert_false(rig_resource(&rig, "r")->row.unserved);
    rig_close(&rig);
}

/* As if the worker had served it at once: before its time was up. */
static void who_waited_is_served_before_leaving(void **state)
{
    (void)state;
    static struct rig rig;
    sell_out(&rig, SOLD_OUT(""), "1970-01-01T00:17:00Z");
    (void)append(&rig, T_MS - 1, OP("1", "cancel", B("a")));
    (void)append(&rig, T_MS + 1, OP("2", "hold", MUGS("9")));
    expect(&rig, 1, "'cause':'waiting_list','booking':'w'");
    expect(&rig, 2, "'reason':'not_enough'");
    assert_int_equal(3, rig_batch(&rig)->decision_count);
    rig_close(&rig);

    sell_out(&rig, SOLD_OUT(""), "1970-01-01T00:17:00Z");
    (void)append(&rig, T_MS, OP("1", "cancel", B("a")));
    expect(&rig, 0, "'outcome':'left'");
    rig_close(&rig);
}

/* A block that returns, a party that leaves later, and a request that was appended after both. */
static void who_waited_is_served_by_what_returns_in_time(void **state)
{
    (void)state;
    static struct rig rig;
    rig_open(&rig, &rig_no_limits);
    assert_int_equal(USHER_DEFINED, rig_decide(&rig, SOLD_OUT(""))->outcome);
    (void)rig_decide(&rig, ASK("b", "block", MUGS("9") ",'return_at':'1970-01-01T00:16:59Z'"));
    (void)rig_decide(&rig, OP("w", "hold", MUGS("1") ",'wait_until':" T));
    rig_seal(&rig);
    rig_commit(&rig);
    rig.now_ms += HOUR_MS;
    (void)append(&rig, T_MS + 1, OP("1", "hold", MUGS("9")));
    expect(&rig, 0, "'cause':'block_returned'");
    expect(&rig, 1, "'cause':'waiting_list','booking':'w'");
    expect(&rig, 2, "'reason':'not_enough'");
    rig_close(&rig);
}

/* The sale opened and closed while nobody was there to serve. */
static void who_waited_is_served_at_the_opening(void **state)
{
    (void)state;
    static struct rig rig;
    sell_out(&rig, SOLD_OUT(""), "1970-01-01T01:00:00Z");
    (void)append(&rig, T_MS - 9,
                 ASK("e", "define", ",'opens_at':" T ",'closes_at':'1970-01-01T00:18:00Z'"));
    (void)append(&rig, T_MS - 2, OP("1", "cancel", B("a")));
    rig.lag_ms = rig.now_ms - (T_MS - 1);
    assert_int_equal(0, rig_work(&rig));
    (void)append(&rig, T_MS + HOUR_MS / 2, OP("2", "hold", MUGS("1")));
    expect(&rig, 2, "'cause':'waiting_list','booking':'w'");
    expect(&rig, 3, "'reason':'not_on_sale'");
    rig_close(&rig);
}

static void a_night_that_passed_meanwhile_is_given(void **state)
{
    (void)state;
    static struct rig rig;
    static const char night[] =
        ITEMS("{'room':'double','from':'1970-01-01','to':'1970-01-02','quantity':1}");
    rig_open(&rig, &rig_no_limits);
    (void)rig_decide(&rig, ASK("d", "define",
                               ",'state':'open','timezone':'Europe/Rome','rooms':[{'room':'double',"
                               "'from':'1970-01-01','to':'1970-01-09','capacity':1}]"));
    (void)rig_decide(&rig, usher_arena_format(&rig.arena, "%s%s}",
                                              "{'request_id':'a','op':'book',"
                                              "'resource':'r','customer':'c'",
                                              night));
    (void)rig_decide(&rig, usher_arena_format(&rig.arena, "%s%s}",
                                              "{'request_id':'w','op':'hold',"
                                              "'resource':'r','customer':'c','wait_until':"
                                              "'1970-02-01T00:00:00Z'",
                                              night));
    rig_seal(&rig);
    rig_commit(&rig);
    rig.now_ms += 24 * HOUR_MS;
    (void)append(&rig, 82799999, OP("1", "cancel", B("a")));
    (void)append(&rig, 82800000, OP("2", "release", B("none"))); /* midnight in Rome */
    expect(&rig, 1, "'cause':'waiting_list','booking':'w'");
    rig_close(&rig);
}

/* ---- clocks ---- */

/* A broker's clock that is hours ahead is not believed; where no time is known, the clock says. */
static void an_append_time_far_ahead_is_not_believed(void **state)
{
    (void)state;
    static struct rig rig;
    rig_open(&rig, &rig_no_limits);
    (void)rig_decide(&rig, SOLD_OUT(",'closes_at':" T));
    (void)append(&rig, T_MS + HOUR_MS, OP("1", "hold", MUGS("1")));
    expect(&rig, 1, "'reason':'not_on_sale'"); /* a minute ahead is */
    rig.now_ms = T_MS - 60001;
    rig_seal(&rig);
    rig_commit(&rig);
    (void)append(&rig, T_MS + HOUR_MS, OP("2", "hold", MUGS("1")));
    expect(&rig, 0, "'held'");
    rig.now_ms = T_MS;
    rig_seal(&rig);
    rig_commit(&rig);
    (void)append(&rig, 0, OP("3", "hold", MUGS("1")));
    expect(&rig, 0, "'reason':'not_on_sale'");
    rig_close(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sale_opens_at_its_time),
    cmocka_unit_test(a_sale_closes_at_its_time),
    cmocka_unit_test(a_show_ends_at_its_time),
    cmocka_unit_test(a_night_is_over_at_midnight),
    cmocka_unit_test(a_block_returns_at_its_time),
    cmocka_unit_test(waiting_ends_at_its_time),
    cmocka_unit_test(times_are_checked_together_in_whichever_define),
    cmocka_unit_test(a_define_says_that_nothing_is_sold),
    cmocka_unit_test(after_the_close_an_exchange_adds_nothing),
    cmocka_unit_test(after_the_end_a_part_goes_back),
    cmocka_unit_test(who_waited_is_served_before_the_close),
    cmocka_unit_test(what_returns_after_the_close_is_for_nobody),
    cmocka_unit_test(who_waited_is_served_before_leaving),
    cmocka_unit_test(who_waited_is_served_by_what_returns_in_time),
    cmocka_unit_test(who_waited_is_served_at_the_opening),
    cmocka_unit_test(a_night_that_passed_meanwhile_is_given),
    cmocka_unit_test(an_append_time_far_ahead_is_not_believed),
};
UNIT_TESTS(test_decide_times, tests, NULL, NULL)
