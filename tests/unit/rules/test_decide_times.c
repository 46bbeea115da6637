/* A waiting list that is served late, and an append time that is not believed. */
#include <string.h>

#include "core_places.h"
#include "quotes.h"
#include "tests/unit/unit.h"

/* A rig begins at 00:16:40; T is twenty seconds later. */
#define T "'1970-01-01T00:17:00Z'"
#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define MUGS(count) ITEMS("{'product':'mug','quantity':" count "}")

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

/* What ended before the next request was appended ended for whoever waits, too. */
static void who_waited_leaves_when_the_show_ends(void **state)
{
    (void)state;
    static struct rig rig;
    sell_out(&rig, SOLD_OUT(",'ends_at':" T), "1970-01-01T01:00:00Z");
    (void)append(&rig, T_MS - 1, OP("1", "leave", B("a")));
    (void)append(&rig, T_MS, OP("2", "cancel", B("a")));
    expect(&rig, 0, "'reason':'not_waiting'");
    expect(&rig, 1, "'cause':'expiry','booking':'w'");
    expect(&rig, 1, "'detail':'not_on_sale: it ended at 1970-01-01T00:17:00.000Z'");
    assert_int_equal(3, rig_batch(&rig)->decision_count);
    rig_close(&rig);
}

/* A define that comes before the end moves it, though nothing was done between the two. */
static void who_waited_stays_for_a_show_that_was_moved(void **state)
{
    (void)state;
    static struct rig rig;
    sell_out(&rig, SOLD_OUT(",'ends_at':" T), "1970-01-01T01:00:00Z");
    (void)append(
        &rig, T_MS - 1,
        ASK("e", "define", ",'ends_at':'1970-01-01T00:30:00Z','opens_at':'1970-01-01T00:29:00Z'"));
    (void)append(&rig, T_MS + 1, OP("1", "leave", B("a")));
    expect(&rig, 1, "'outcome':'waiting'");
    expect(&rig, 1, "'cause':'resource_changed','booking':'w'");
    expect(&rig, 1, "'expires_at':'1970-01-01T00:30:00.000Z'");
    expect(&rig, 2, "'reason':'not_waiting'");
    (void)append(&rig, 1800000, OP("2", "leave", B("a")));
    expect(&rig, 3, "'cause':'expiry','booking':'w'");
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
    cmocka_unit_test(who_waited_is_served_before_the_close),
    cmocka_unit_test(what_returns_after_the_close_is_for_nobody),
    cmocka_unit_test(who_waited_is_served_before_leaving),
    cmocka_unit_test(who_waited_leaves_when_the_show_ends),
    cmocka_unit_test(who_waited_stays_for_a_show_that_was_moved),
    cmocka_unit_test(who_waited_is_served_by_what_returns_in_time),
    cmocka_unit_test(who_waited_is_served_at_the_opening),
    cmocka_unit_test(a_night_that_passed_meanwhile_is_given),
    cmocka_unit_test(an_append_time_far_ahead_is_not_believed),
};
UNIT_TESTS(test_decide_times, tests, NULL, NULL)
