/* Waiting lists that are long, or take many batches. */
#include <stdio.h>
#include <string.h>

#include "core_places.h"
#include "tests/unit/unit.h"

#define OP(id, op, rest) ASK(id, op, ",'customer':'c'" rest)
#define ITEMS(list) ",'items':[" list "]"
#define B(id) ",'booking':'" id "'"
#define WAIT ",'wait_until':'1970-01-01T01:00:00Z'"
#define MUGS(count) ITEMS("{'product':'mug','quantity':" count "}")

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

/* Units came back in the same batch: the list has them before any operation that may take units. */
static void all_that_take_units_come_after_the_list(void **state)
{
    static const struct {
        const char *before, *rest, *party, *request;
    } rows[] = {
        {NULL, "10", "10", OP("n", "hold", MUGS("1"))},
        {NULL, "10", "10", OP("n", "book", MUGS("1"))},
        {NULL, "10", "10", ASK("n", "block", MUGS("1"))},
        {OP("o", "book", MUGS("1")), "9", "9", OP("n", "exchange", B("o") MUGS("2"))},
        {OP("o", "hold", ",'ttl_s':1" MUGS("1")), "9", "10", OP("n", "confirm", B("o"))},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct rig rig;
        rig_open(&rig, &rig_no_limits);
        (void)rig_ask(&rig, ASK("d", "define",
                                ",'state':'open','products':[{'product':'mug','capacity':10}]"));
        if (rows[i].before)
            (void)rig_ask(&rig, rows[i].before);
        (void)rig_ask(&rig,
                      usher_arena_format(&rig.arena, OP("all", "book", MUGS("%s")), rows[i].rest));
        const char *wait =
            usher_arena_format(&rig.arena, OP("w", "hold", WAIT MUGS("%s")), rows[i].party);
        assert_int_equal(rig_ask(&rig, wait)->outcome, USHER_WAITING);
        rig.now_ms += 2000;
        (void)rig_decide(&rig, OP("x", "cancel", B("all")));
        assert_int_equal(rig_decide(&rig, rows[i].request)->outcome, USHER_REFUSED);
        rig_close(&rig);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(who_wants_too_much_for_an_answer_cannot_wait),
    cmocka_unit_test(many_are_told_batch_by_batch),
    cmocka_unit_test(the_oldest_that_fits_is_served_first),
    cmocka_unit_test(newcomers_wait_for_the_list),
    cmocka_unit_test(all_that_take_units_come_after_the_list),
};
UNIT_TESTS(test_decide_waiting, tests, NULL, NULL)
