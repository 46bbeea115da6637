/*
 * The waiting list: who joins it, who is served when units return, and who is not.
 */
#include <stdio.h>
#include <string.h>

#include "story.h"
#include "tests/unit/unit.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define BY(customer, id, op, rest) ASK(id, op, ",'customer':'" customer "'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define WAIT ",'wait_until':'1970-01-01T01:00:00Z'"
#define MUGS(count) ITEMS("{'product':'mug','quantity':" count "}")

#define FOUR_MUGS(more)                                                                      \
    {                                                                                        \
        ASK("d", "define",                                                                   \
            ",'state':'open','products':[{'product':'mug','capacity':4,'price':800}]" more), \
            "'outcome':'defined'"                                                            \
    }

static void a_party_waits_and_is_served(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_MUGS(""),
        {OP("a", "book", MUGS("3")), "'confirmed'"},
        {OP("w1", "hold", ",'ttl_s':60" WAIT MUGS("2")),
         "'outcome':'waiting','booking':'w1','customer':'c','expires_at':'1970-01-01T01:00:00.000Z'"
         ","
         "'position':1"},
        {OP("w2", "hold", WAIT MUGS("4")), "'position':2"},
        {OP("w3", "hold", WAIT MUGS("2")), "'position':3"},
        /* a newcomer may have what no party on the list can use */
        {OP("n", "hold", MUGS("1")), "'outcome':'held'"},
        {OP("1", "confirm", B("w1")), "'reason':'not_held'"},
        {OP("2", "cancel", B("a")), "'outcome':'cancelled'"},
        {STORY_UNREQUESTED,
         "'outcome':'held','unasked':true,'cause':'waiting_list','booking':'w1','customer':'c',"
         "'units':[{'item':0,'product':'mug','quantity':2,'price':800}],'total':1600,"
         "'expires_at':'1970-01-01T00:17:40.000Z'"},
        {STORY_NOTHING, ""}, /* of 1, the third party cannot have 2 */
        {OP("3", "release", B("n")), "'outcome':'released'"},
        /* the second does not fit and is passed over; it keeps its place */
        {STORY_UNREQUESTED, "'cause':'waiting_list','booking':'w3'"},
        {OP("4", "confirm", B("w3")), "'outcome':'confirmed'"},
        {STORY_AFTER "60000", "'outcome':'expired','unasked':true,'cause':'expiry','booking':'w1'"},
        {STORY_NOTHING, ""},
        {OP("5", "cancel", B("w3")), "'cancelled'"},
        {STORY_UNREQUESTED, "'booking':'w2'"},
        {OP("6", "hold", MUGS("1")), "'reason':'not_enough'"},
    };
    assert_true(STORY(steps));
}

static void parties_that_leave_or_expire_are_gone(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_MUGS(""),
        {OP("a", "book", MUGS("4")), "'confirmed'"},
        {OP("w1", "hold", WAIT MUGS("2")), "'position':1"},
        {OP("w2", "hold", WAIT MUGS("2")), "'position':2"},
        {BY("d", "1", "leave", B("w1")), "'reason':'not_owner'"},
        {OP("2", "leave", B("w1")), "'outcome':'left','booking':'w1','customer':'c'"},
        {OP("3", "leave", B("w1")), "'reason':'not_waiting'"},
        {OP("4", "leave", B("a")), "'reason':'not_waiting'"},
        {OP("w3", "hold", ",'wait_until':'1970-01-01T00:00:01Z'" MUGS("2")),
         "'reason':'not_enough'"}, /* a time gone by */
        {STORY_AFTER "3600000", "'outcome':'left','unasked':true,'cause':'expiry','booking':'w2'"},
        {OP("5", "cancel", B("a")), "'cancelled'"},
        {STORY_NOTHING, ""},
    };
    assert_true(STORY(steps));
}

/* A hold waits only for what time can change. */
static void mistakes_are_not_waited_for(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_MUGS(",'limits':{'units_per_request':3}"),
        {OP("1", "hold", WAIT ITEMS("{'product':'cup','quantity':1}")), "'reason':'unknown_pool'"},
        {OP("2", "hold", WAIT MUGS("4")), "'reason':'limit_exceeded'"},
        {OP("3", "hold", WAIT ITEMS("{'product':'mug','quantity':1,'rate':'x'}")),
         "'reason':'unknown_rate'"},
        {ASK("c", "close", ""), "'defined'"},
        {OP("4", "hold", WAIT MUGS("3")), "'reason':'not_on_sale'"},
    };
    assert_true(STORY(steps));
}

/* Every way in which units return, or a limit gets room. */
static void whatever_makes_room_serves_the_list(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_MUGS(",'limits':{'holds_per_customer':2}"),
        {BY("a", "a", "book", MUGS("2")), "'confirmed'"},
        {ASK("b", "block", MUGS("2")), "'blocked'"},
        {BY("w", "w1", "hold", WAIT MUGS("1")), "'position':1"},
        {BY("w", "w2", "hold", WAIT MUGS("1")), "'position':2"},
        {BY("w", "w3", "hold", WAIT MUGS("1")), "'position':3"},
        {BY("a", "1", "exchange", B("a") MUGS("1")), "'exchanged'"},
        {STORY_UNREQUESTED, "'booking':'w1'"},
        {STORY_NOTHING, ""},
        {ASK("2", "unblock", B("b")), "'released'"},
        {STORY_UNREQUESTED, "'booking':'w2'"},
        {STORY_NOTHING, ""}, /* a third hold would be one too many */
        {BY("w", "3", "confirm", B("w1")), "'confirmed'"},
        {STORY_UNREQUESTED, "'booking':'w3'"},
        {BY("x", "w4", "hold", WAIT MUGS("2")), "'position':1"},
        {ASK("4", "define", ",'products':[{'product':'mug','capacity':6}]"), "'defined'"},
        {STORY_UNREQUESTED, "'booking':'w4'"},
        {BY("y", "w5", "hold", WAIT MUGS("1")), "'position':1"},
        {BY("w", "5", "transfer", ",'to_customer':'z'" B("w2")), "'transferred'"},
        {STORY_NOTHING, ""},
        {BY("z", "6", "confirm", B("w2") MUGS("1")), "'confirmed'"},
        {ASK("7", "close", ""), "'defined'"},
        {BY("z", "8", "cancel", B("w2")), "'cancelled'"},
        {STORY_NOTHING, ""}, /* nothing is given while nothing is sold */
        {ASK("9", "open", ""), "'defined'"},
        {STORY_UNREQUESTED, "'booking':'w5'"},
    };
    assert_true(STORY(steps));
}

/* What is held later must fit into an answer: it cannot be refused then. */
static void who_wants_too_much_for_an_answer_cannot_wait(void **state)
{
    struct rig rig;
    struct usher_buffer json = {0};
    (void)state;
    rig_open(&rig, &rig_no_limits);
    assert_true(rig_says(&rig,
                         ASK("d", "define",
                             ",'state':'open','rooms':[{'room':'double','from':'2026-01-01','to':"
                             "'2027-01-01','capacity':80}]"),
                         "'defined'"));
    assert_true(rig_says(&rig,
                         ASK("b", "block",
                             ITEMS("{'room':'double','from':'2026-01-01','to':'2026-01-02',"
                                   "'quantity':1}")),
                         "'blocked'"));
    usher_buffer_text(&json, "{'request_id':'w','op':'hold','resource':'r','customer':'c'" WAIT
                             ",'items':[");
    for (uint32_t i = 0; i < 80; i++) {
        usher_buffer_text(&json, i > 0 ? "," : "");
        usher_buffer_text(&json, "{'room':'double','from':'2026-01-01','to':'2026-02-10',"
                                 "'quantity':1}");
    }
    usher_buffer_text(&json, "]}");
    usher_buffer_append(&json, "", 1);
    assert_true(rig_says(&rig, json.at, "'reason':'limit_exceeded'"));
    usher_buffer_deinit(&json);
    rig_close(&rig);
}

/* Time opens a sale too: the list comes before whoever asks then. */
static void who_waits_is_served_when_the_sale_opens(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_MUGS(""),
        {OP("a", "book", MUGS("4")), "'confirmed'"},
        {OP("w", "hold", WAIT MUGS("3")), "'position':1"},
        {ASK("e", "define", ",'opens_at':'1970-01-01T00:17:00Z'"), "'defined'"},
        {OP("1", "cancel", B("a")), "'cancelled'"},
        {STORY_NOTHING, ""},
        {OP("2", "hold", MUGS("2")), "'reason':'not_on_sale'"},
        {STORY_LATER "20000", ""},
        {OP("3", "hold", MUGS("2")), "'reason':'not_enough'"},
        {OP("4", "confirm", B("w")), "'confirmed'"},
    };
    assert_true(STORY(steps));
}

/*
 * What a define takes away is not waited for: whoever could not be served if all were free is told
 * so at once, and leaves the list, the oldest first; the others stay.
 */
static void who_can_no_longer_be_served_is_told_so(void **state)
{
    (void)state;
#define GONE(booking, reason)                                                                  \
    {                                                                                          \
        STORY_UNREQUESTED, "'outcome':'left','detail':'" reason ": it can no longer be had',"  \
                           "'unasked':true,'cause':'resource_changed','booking':'" booking "'" \
    }
#define SEATS(quantity, more) ITEMS("{'section':'hall','quantity':" quantity more "}")
#define STAY(quantity) \
    "{'room':'twin','from':'2026-01-01','to':'2026-01-03','quantity':" quantity "}"
    static const struct rig_step steps[] = {
        FOUR_MUGS(",'sections':[{'section':'hall','rates':{'adult':2,'child':1},'rows':[{'row':'A',"
                  "'seats':3,'features':{'aisle':[1,3]}},{'row':'B','seats':3}]}],'rooms':[{'room':"
                  "'twin','from':'2026-01-01','to':'2026-01-04','capacity':3}]"),
        {OP("a", "book",
            ITEMS("{'product':'mug','quantity':1},{'seats':['A-2','A-3','B-2']}," STAY("1"))),
         "'confirmed'"},
        {OP("w1", "hold", WAIT MUGS("4")), "'position':1"},
        {OP("w2", "hold", WAIT SEATS("3", ",'together':true")), "'position':2"},
        {OP("w3", "hold", WAIT SEATS("2", ",'features':['aisle'],'rate':'child'")), "'position':3"},
        {OP("w4", "hold", WAIT ITEMS(STAY("3"))), "'position':4"},
        {OP("w5", "hold",
            WAIT ITEMS("{'product':'mug','quantity':2},{'product':'mug',"
                       "'quantity':2}")),
         "'position':5"},
        {OP("w6", "hold", WAIT ITEMS("{'seats':['B-2'],'rate':'adult'}")), "'position':6"},
        {ASK("k", "block", MUGS("3")), "'blocked'"},
        {STORY_NOTHING, ""}, /* it may come back */
        {ASK("d1", "define", ",'limits':{'units_per_request':5}"), "'defined'"},
        GONE("w4", "limit_exceeded"), /* six nights */
        {STORY_NOTHING, ""},
        {ASK("u", "unblock", B("k")), "'released'"},
        {ASK("d2", "define", ",'quotas':[{'quota':'q','pools':['mug'],'limit':3}]"), "'defined'"},
        GONE("w1", "not_enough"),
        GONE("w5", "not_enough"),
        {STORY_NOTHING, ""},
        {ASK("d3", "define", ",'sections':[{'section':'hall','rates':{'adult':2}}]"), "'defined'"},
        GONE("w3", "unknown_rate"),
        {STORY_NOTHING, ""},
        {ASK("d4", "define",
             ",'state':'closed','sections':[{'section':'hall','rows':[{'row':'A','seats':2,'first':"
             "2}"
             ",{'row':'B','seats':2}]}]"),
         "'reason':'in_use'"},
        {OP("1", "cancel", B("a")), "'cancelled'"},
        {STORY_UNREQUESTED,
         "'outcome':'held','unasked':true,'cause':'waiting_list','booking':'w2'"},
        {STORY_UNREQUESTED,
         "'outcome':'held','unasked':true,'cause':'waiting_list','booking':'w6'"},
        {STORY_NOTHING, ""},
    };
    assert_true(STORY(steps));
}

/* It need not be on sale for that. */
static void nobody_waits_for_what_was_removed_while_it_was_closed(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_MUGS(""),
        {OP("a", "book", MUGS("4")), "'confirmed'"},
        {OP("w1", "hold", WAIT MUGS("1")), "'position':1"},
        {OP("w2", "hold", WAIT MUGS("2")), "'position':2"},
        {ASK("c", "close", ""), "'defined'"},
        {OP("1", "cancel", B("a")), "'cancelled'"},
        {STORY_NOTHING, ""},
        {ASK("d1", "define", ",'products':[{'product':'mug','capacity':1}]"), "'defined'"},
        GONE("w2", "not_enough"),
        {STORY_NOTHING, ""},
        {ASK("d2", "define", ",'products':[{'product':'mug','capacity':0}]"), "'defined'"},
        GONE("w1", "unknown_pool"),
        {ASK("o", "open", ""), "'defined'"},
        {STORY_NOTHING, ""},
    };
    assert_true(STORY(steps));
#undef GONE
#undef SEATS
#undef STAY
}

/* As much is decided in a batch as of other work that was not asked for. */
static void many_are_told_batch_by_batch(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, &rig_no_limits);
    rig.unrequested_limit = 10;
    (void)rig_ask(&rig, ASK("d", "define",
                            ",'state':'open','products':[{'product':'mug',"
                            "'capacity':4,'price':8}]"));
    (void)rig_ask(&rig, OP("a", "book", MUGS("1")));
    for (int i = 0; i < 35; i++) {
        char request[200];
        (void)snprintf(request, sizeof request, OP("w%d", "hold", WAIT MUGS("4")), i);
        assert_int_equal(rig_ask(&rig, request)->outcome, USHER_WAITING);
    }
    (void)rig_ask(&rig, ASK("e", "define", ",'limits':{'units_per_request':3}"));
    uint32_t rounds = 0;
    while (rig_resource(&rig, "r")->row.unserved) {
        rig_seal(&rig);
        assert_true(rig.batches[0].decision_count <= 10);
        rig_commit(&rig);
        assert_true(++rounds < 10);
    }
    assert_true(rounds >= 2);
    assert_int_equal(rig_resource(&rig, "r")->waiting.count, 0);
    rig_close(&rig);
}

static void nobody_waits_for_more_than_there_is(void **state)
{
    (void)state;
    static const char *const never = "'reason':'not_enough','retryable':false";
    const struct rig_step steps[] = {
        FOUR_MUGS(",'rooms':[{'room':'twin','from':'2026-01-01','to':'2026-01-04','capacity':3},"
                  "{'room':'twin','from':'2026-01-02','to':'2026-01-03','capacity':2}],"
                  "'sections':[{'section':'yard','capacity':9}],"
                  "'quotas':[{'quota':'fire','pools':['yard'],'limit':6}]"),
        {OP("a", "book", MUGS("4")), "'confirmed'"},
        {OP("w1", "hold", WAIT MUGS("5")), never},
        {OP("w2", "hold", WAIT MUGS("4")), "'position':1"},
        {OP("w3", "hold", WAIT ",'shortage':'partial'" MUGS("5")),
         "'reason':'not_enough'"}, /* a party is served whole */
        {OP("w8", "hold", WAIT MUGS("3")), "'position':2"},
        {OP("b", "book", MUGS("5")), never},
        {OP("w4", "hold", WAIT ITEMS("{'section':'yard','quantity':10}")), never},
        {OP("c", "book", ITEMS("{'section':'yard','quantity':1}")), "'confirmed'"},
        {OP("w5", "hold", WAIT ITEMS("{'section':'yard','quantity':9}")),
         "'reason':'not_enough'"}, /* more than the quota */
        {OP("w9", "hold",
            WAIT ITEMS("{'product':'mug','quantity':2},{'product':'mug','quantity':3}")),
         "'reason':'not_enough'"},
        {OP("w6", "hold",
            WAIT ITEMS("{'room':'twin','from':'2026-01-01','to':'2026-01-03',"
                       "'quantity':3}")),
         never},
        {ASK("x", "block", ITEMS("{'section':'yard','quantity':10}")), never},
        {ASK("y", "block", ITEMS("{'section':'yard','quantity':7}")), "'blocked'"},
        {ASK("z", "define", ",'products':[{'product':'mug','capacity':5}]"), "'defined'"},
        {OP("w7", "hold", WAIT MUGS("5")), "'position':"},
    };
    assert_true(STORY(steps));
}

static void parties_sit_together_if_they_asked_to(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        {ASK("d", "define",
             ",'state':'open','sections':[{'section':'stalls','rows':[{'row':'A','seats':4}]}]"),
         "'defined'"},
        {OP("a1", "book", ITEMS("{'seats':['A-1']}")), "'confirmed'"},
        {OP("a2", "book", ITEMS("{'seats':['A-2','A-3']}")), "'confirmed'"},
        {OP("a3", "book", ITEMS("{'seats':['A-4']}")), "'confirmed'"},
        {OP("w1", "hold", WAIT ITEMS("{'section':'stalls','quantity':2,'together':true}")),
         "'position':1"},
        {OP("1", "cancel", B("a1")), "'cancelled'"},
        {OP("2", "cancel", B("a3")), "'cancelled'"},
        {STORY_NOTHING, ""},
        {OP("3", "cancel", B("a2")), "'cancelled'"},
        {STORY_UNREQUESTED, "'together':true"},
    };
    assert_true(STORY(steps));
}

/* Many parties of many classes: the oldest that fits is next, whatever it wants. */
static void the_oldest_that_fits_is_served_first(void **state)
{
    static struct rig rig;
    (void)state;
    rig_open(&rig, &rig_no_limits);
    assert_true(rig_says(
        &rig, ASK("d", "define", ",'state':'open','products':[{'product':'mug','capacity':10}]"),
        "'defined'"));
    assert_true(rig_says(&rig, OP("all", "book", MUGS("10")), "'confirmed'"));
    for (uint32_t i = 0; i < 60; i++) {
        const char *wait =
            usher_arena_format(&rig.arena, OP("w%u", "hold", WAIT MUGS("%u")), i, i % 7 + 1);
        assert_true(rig_says(&rig, wait, "'waiting'"));
    }
    assert_true(rig_says(&rig, OP("x", "cancel", B("all")), "'cancelled'"));
    /* 1, 2 and 3 fit beside each other; of 4 left the fourth party takes all. */
    assert_int_equal(rig.database->decision_count, 2 + 60 + 1 + 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct decision_row *row = &rig.database->decisions[63 + i];
        assert_string_equal(row->request_id, usher_arena_format(&rig.arena, "w%u", i));
        assert_int_equal(row->outcome, USHER_HELD);
    }
    rig_close(&rig);
}

/* More parties fit than a batch has room for: no newcomer comes between. */
static void newcomers_wait_for_the_list(void **state)
{
    static struct rig rig;
    (void)state;
    rig_open(&rig, &rig_no_limits);
    rig.unrequested_limit = 3;
    assert_true(rig_says(
        &rig, ASK("d", "define", ",'state':'open','products':[{'product':'mug','capacity':10}]"),
        "'defined'"));
    assert_true(rig_says(&rig, OP("all", "book", MUGS("10")), "'confirmed'"));
    for (uint32_t i = 0; i < 9; i++) {
        const char *wait = usher_arena_format(&rig.arena, OP("w%u", "hold", WAIT MUGS("1")), i);
        assert_true(rig_says(&rig, wait, "'waiting'"));
    }
    (void)rig_decide(&rig, OP("x", "cancel", B("all")));
    (void)rig_decide(&rig, OP("n1", "hold", MUGS("2")));
    (void)rig_decide(&rig, OP("n2", "hold", MUGS("1")));
    rig_seal(&rig);
    while (rig.in_flight > 0)
        rig_commit(&rig);
    uint32_t held = 0;
    for (uint32_t i = 11; i < rig.database->decision_count; i++) {
        const struct decision_row *row = &rig.database->decisions[i];
        if (strcmp(row->request_id, "n1") == 0) {
            assert_int_equal(held, 9);
            assert_int_equal(row->reason, USHER_NOT_ENOUGH);
        }
        held += row->outcome == USHER_HELD;
    }
    assert_int_equal(held, 10);
    rig_close(&rig);
}

/* What returns to one pool of a quota makes room in another. */
static void a_quota_gets_room_in_another_pool(void **state)
{
    (void)state;
    static const struct rig_step steps[] = {
        FOUR_MUGS(""),
        {ASK("d2", "define",
             ",'products':[{'product':'cup','capacity':4}],'quotas':[{'quota':'q','pools':['mug',"
             "'cup'],'limit':2}]"),
         "'defined'"},
        {OP("a", "book", MUGS("2")), "'confirmed'"},
        {OP("w", "hold", WAIT ITEMS("{'product':'cup','quantity':2}")), "'waiting'"},
        {OP("1", "cancel", B("a")), "'cancelled'"},
        {STORY_UNREQUESTED, "'cause':'waiting_list','booking':'w'"},
    };
    assert_true(STORY(steps));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_party_waits_and_is_served),
    cmocka_unit_test(parties_that_leave_or_expire_are_gone),
    cmocka_unit_test(mistakes_are_not_waited_for),
    cmocka_unit_test(whatever_makes_room_serves_the_list),
    cmocka_unit_test(who_wants_too_much_for_an_answer_cannot_wait),
    cmocka_unit_test(who_waits_is_served_when_the_sale_opens),
    cmocka_unit_test(who_can_no_longer_be_served_is_told_so),
    cmocka_unit_test(nobody_waits_for_what_was_removed_while_it_was_closed),
    cmocka_unit_test(many_are_told_batch_by_batch),
    cmocka_unit_test(nobody_waits_for_more_than_there_is),
    cmocka_unit_test(parties_sit_together_if_they_asked_to),
    cmocka_unit_test(the_oldest_that_fits_is_served_first),
    cmocka_unit_test(newcomers_wait_for_the_list),
    cmocka_unit_test(a_quota_gets_room_in_another_pool),
};
UNIT_TESTS(test_decide_waiting, tests, NULL, NULL)
