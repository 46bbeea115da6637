/*
 * hold and book: what is taken, what it costs, how long it is held, and what a refusal says.
 */
#include <stdio.h>
#include <string.h>

#include "core_rig.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"

#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"
#define BOOK(id, items) ASK(id, "book", ",'customer':'c','items':[" items "]")

static const struct rig_step opening[] = {
    {ASK("d", "define",
         ",'state':'open','currency':'EUR',"
         "'sections':[{'section':'stalls','price':4500,'rows':[{'row':'A','seats':4},"
         "{'row':'B','seats':3},{'row':'A','first':11,'seats':2}]},"
         "{'section':'balcony','price':2000,'rows':[{'row':'Z','seats':2}]},"
         "{'section':'standing','capacity':5,'price':1000},{'section':'shut','capacity':1}],"
         "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-30','capacity':2,"
         "'price':100},{'room':'double','from':'2026-12-31','to':'2027-01-02','capacity':2,"
         "'price':300}],"
         "'products':[{'product':'mug','capacity':5,'price':7}]"),
     "'outcome':'defined'"},
    {ASK("d2", "define", ",'sections':[{'section':'shut','capacity':0}]"), "'outcome':'defined'"},
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
    resource_check(rig_resource(*state, "r"));
    fake_database_check(((struct rig *)*state)->database);
    rig_close(*state);
    return 0;
}

/* ---- what is taken ---- */

static void rooms_take_what_was_given_back_first(void **state)
{
    static const struct rig_step steps[] = {
        {BOOK("b1", "{'room':'double','from':'2026-12-24','to':'2026-12-25','quantity':1}"),
         "'tokens':[0]"},
        {BOOK("b2", "{'room':'double','from':'2026-12-24','to':'2026-12-25','quantity':1}"),
         "'tokens':[1]"},
        {ASK("c1", "cancel", ",'customer':'c','booking':'b1'"), "'outcome':'cancelled'"},
        {BOOK("b3", "{'room':'double','from':'2026-12-24','to':'2026-12-25','quantity':1}"),
         "'tokens':[0]"},
    };
    struct rig *rig = *state;
    assert_true(RIG_PLAY(rig, steps));
    const struct booking_row *last = &rig->database->bookings[2];
    assert_string_equal("b3", last->request_id);
    assert_non_null(strstr(last->lines, ",100,[0]]]"));
}

/* As many as were given back may be taken again: nobody asks which. */
static void products_are_counted(void **state)
{
    static const struct rig_step steps[] = {
        {BOOK("b1", "{'product':'mug','quantity':2}"),
         "'outcome':'confirmed','booking':'b1','customer':'c',"
         "'units':[{'item':0,'product':'mug','quantity':2,'price':7}],'total':14"},
        {BOOK("b2", "{'product':'mug','quantity':3}"), "'free':32"},
        {ASK("c1", "cancel", ",'customer':'c','booking':'b1'"), "'outcome':'cancelled'"},
        {BOOK("b3", "{'product':'mug','quantity':2}"), "'outcome':'confirmed'"},
        {BOOK("b4", "{'product':'mug','quantity':1}"), "'reason':'not_enough'"},
    };
    struct rig *rig = *state;
    assert_true(RIG_PLAY(rig, steps));
    const struct booking_row *last = &rig->database->bookings[2];
    assert_string_equal("b3", last->request_id);
    assert_non_null(strstr(last->lines, ",7,2]]"));
    const struct resource *house = rig_resource(rig, "r");
    const struct pool *mug = &house->pools[house->pool_count - 1];
    assert_string_equal("mug", mug->row.name);
    assert_int_equal(5, mug->taken.sold);
    assert_int_equal(0, pool_free(mug));
    assert_int_equal(0, rig->database->allocation_count);
}

/* ---- shortfalls: every failing line, and what was in the way ---- */

static void a_refusal_takes_nothing_and_changes_no_rev(void **state)
{
    struct rig *rig = *state;
    struct resource *resource = rig_resource(rig, "r");
    int64_t rev = resource->row.rev, free = resource->free;
    const struct usher_answer *answer =
        rig_ask(rig, ASK("n", "hold",
                         ",'customer':'c','cart':'k','client':'web','items':[{'seats':"
                         "['A-1']},{'section':'standing','quantity':6}]"));
    assert_int_equal(USHER_REFUSED, answer->outcome);
    assert_int_equal(rev, answer->rev);
    assert_int_equal(free, answer->free);
    assert_string_equal("c", answer->customer);
    assert_string_equal("k", answer->cart);
    assert_string_equal("web", answer->client);
    assert_null(answer->booking);
    assert_int_equal(rev, resource->row.rev);
    assert_int_equal(0, rig->database->booking_count);
}

/* ---- what it costs, and how long it is held ---- */

struct ttl_case {
    int64_t of_resource, of_request, expected_s; /* 0: not given */
};

/* Configured: 900 s, at most 3600 s. */
static const struct ttl_case ttl_cases[] = {
    {0, 0, 900},   {0, 60, 60},     {0, 5000, 3600}, {300, 0, 300},
    {300, 60, 60}, {300, 400, 300}, {7200, 0, 3600}, {7200, 4000, 3600},
};

static void a_hold_expires_when_request_resource_and_configuration_say(void **state)
{
    struct rig *rig = *state;
    rig->rules.hold_ttl_max_s = 3600;
    for (size_t i = 0; i < sizeof ttl_cases / sizeof *ttl_cases; i++) {
        const struct ttl_case *ttl = &ttl_cases[i];
        char define[200], hold[200], of_resource[40] = "", of_request[40] = "";
        if (ttl->of_resource) {
            (void)snprintf(of_resource, sizeof of_resource, ",'hold_ttl_s':%lld",
                           (long long)ttl->of_resource);
        }
        if (ttl->of_request) {
            (void)snprintf(of_request, sizeof of_request, ",'ttl_s':%lld",
                           (long long)ttl->of_request);
        }
        (void)snprintf(define, sizeof define,
                       "{'request_id':'d','op':'define','resource':'t%zu','state':'open',"
                       "'products':[{'product':'x','capacity':1}]%s}",
                       i, of_resource);
        (void)snprintf(hold, sizeof hold,
                       "{'request_id':'h','op':'hold','resource':'t%zu','customer':'c','items':"
                       "[{'product':'x','quantity':1}]%s}",
                       i, of_request);
        (void)rig_ask(rig, define);
        assert_int_equal(rig->now_ms + ttl->expected_s * 1000, rig_ask(rig, hold)->expires_ms);
    }
}

#define HOLD_OF_HOUSE(id) \
    ASK(id, "hold",       \
        ",'customer':'c','force':true,'ttl_s':9000,'items':[{'product':'mug','quantity':1}]")

static void the_house_holds_no_longer_than_the_operator_lets_it(void **state)
{
    struct rig *rig = *state;
    rig->rules.hold_ttl_max_s = 60;
    rig->rules.house_hold_ttl_max_s = 3600;
    assert_int_equal(rig->now_ms + 60000, rig_ask(rig, HOLD_OF_HOUSE("h1"))->expires_ms);
    (void)rig_ask(rig, ASK("l1", "define", ",'limits':{'house_hold_total_s':7200}"));
    assert_int_equal(rig->now_ms + 3600000, rig_ask(rig, HOLD_OF_HOUSE("h2"))->expires_ms);
    (void)rig_ask(rig, ASK("l2", "define", ",'limits':{'house_hold_total_s':1800}"));
    assert_int_equal(rig->now_ms + 1800000, rig_ask(rig, HOLD_OF_HOUSE("h3"))->expires_ms);
}

static void a_booking_keeps_what_the_request_said(void **state)
{
    struct rig *rig = *state;
    const struct usher_answer *held =
        rig_ask(rig, ASK("h", "hold",
                         ",'customer':'c','client':'web','cart':'k','note':'by the door',"
                         "'meta':{'name':'Ann'},'items':[{'product':'mug','quantity':1}]"));
    const struct usher_answer *booked =
        rig_ask(rig, ASK("b", "book",
                         ",'customer':'d','payment':'pi','items':[{'product':'mug',"
                         "'quantity':2}]"));
    const struct booking_row *rows = rig->database->bookings;
    assert_string_equal("h", held->booking);
    assert_null(held->payment);
    assert_int_equal(BOOKING_HELD, rows[0].state);
    assert_int_equal(USHER_OP_HOLD, rows[0].op);
    assert_int_equal(held->expires_ms, rows[0].expires_ms);
    assert_int_equal(rig->now_ms, rows[0].created_ms);
    assert_int_equal(held->seq, rows[0].no);
    assert_string_equal("web", rows[0].client);
    assert_string_equal("k", rows[0].cart);
    assert_string_equal("by the door", rows[0].note);
    assert_string_equal("{\"name\":\"Ann\"}", rows[0].meta);

    assert_string_equal("pi", booked->payment);
    assert_int_equal(USHER_ABSENT, booked->expires_ms);
    assert_int_equal(BOOKING_CONFIRMED, rows[1].state);
    assert_int_equal(USHER_ABSENT, rows[1].expires_ms);
    assert_string_equal("pi", rows[1].payment);
    assert_int_equal(14, rows[1].total);
    assert_int_equal(rows[1].no, rig->database->decisions[booked->seq - 1].booking_no);
}

/* ---- the largest answers ---- */

/* `count` stays of one night in a room type with a long name: a group each in the answer. */
static const char *many_stays(struct rig *rig, const char *id, uint32_t count)
{
    struct usher_buffer text = {0};
    usher_buffer_text(&text, "{'request_id':'");
    usher_buffer_text(&text, id);
    usher_buffer_text(&text, "','op':'hold','resource':'r','customer':'c','items':[");
    for (uint32_t i = 0; i < count; i += 365) {
        char to[USHER_NIGHT_SIZE];
        uint32_t nights = count - i < 365 ? count - i : 365;
        usher_night_format(20454 + (int32_t)nights, to);
        usher_buffer_text(&text, i ? ",{'room':'" : "{'room':'");
        usher_buffer_text(&text, "a room whose name is as long as a name may be, in every group");
        usher_buffer_text(&text, "','from':'2026-01-01','quantity':1,'to':'");
        usher_buffer_text(&text, to);
        usher_buffer_text(&text, "'}");
    }
    usher_buffer_text(&text, "]}");
    const char *json = usher_arena_text(&rig->arena, text.at, text.size);
    usher_buffer_deinit(&text);
    return json;
}

static void define_long_room(struct rig *rig)
{
    static const struct rig_step steps[] = {
        {ASK("d3", "define",
             ",'rooms':[{'room':'a room whose name is as long as a name may be, in every group',"
             "'from':'2026-01-01','to':'2027-01-01','capacity':30,'price':1000000000000}]"),
         "'outcome':'defined'"},
    };
    assert_true(RIG_PLAY(rig, steps));
}

static void what_would_answer_too_much_is_refused_and_changes_nothing(void **state)
{
    struct rig *rig = *state;
    define_long_room(rig);
    int64_t free = rig_resource(rig, "r")->free, rev = rig_resource(rig, "r")->row.rev;
    const struct usher_answer *refused = rig_ask(rig, many_stays(rig, "much", 4000));
    assert_int_equal(USHER_LIMIT_EXCEEDED, refused->reason);
    assert_int_equal(free, refused->free);
    assert_int_equal(rev, rig_resource(rig, "r")->row.rev);
    assert_int_equal(0, rig->database->booking_count);
}

static enum usher_outcome change(struct rig *rig, const char *op, const char *booking)
{
    return rig_ask(rig, usher_arena_format(&rig->arena,
                                           "{'request_id':'%s-%s','op':'%s','resource':'r',"
                                           "'customer':'c','payment':'%0128d','booking':'%s'}",
                                           op, booking, op, 0, booking))
        ->outcome;
}

/* The largest hold there can be, which is called "largest". */
static const struct usher_answer *hold_the_largest(struct rig *rig)
{
    uint32_t good = 1, bad = 4000;
    while (bad - good > 1) {
        uint32_t count = good + (bad - good) / 2;
        const char *id = usher_arena_format(&rig->arena, "try-%u", count);
        bool fits = rig_ask(rig, many_stays(rig, id, count))->outcome == USHER_HELD;
        *(fits ? &good : &bad) = count;
        assert_true(!fits || change(rig, "release", id) == USHER_RELEASED);
    }
    const struct usher_answer *held = rig_ask(rig, many_stays(rig, "largest", good));
    assert_true(rig->database->decisions[held->seq - 1].body_size > USHER_ANSWER_SIZE_SAFE - 200);
    return held;
}

/* Its answers are a little larger than that of the hold, and must not fail for that. */
static void the_largest_hold_can_be_confirmed_and_cancelled(void **state)
{
    struct rig *rig = *state;
    define_long_room(rig);
    (void)hold_the_largest(rig);
    assert_int_equal(USHER_CONFIRMED, change(rig, "confirm", "largest"));
    assert_int_equal(USHER_CANCELLED, change(rig, "cancel", "largest"));
}

/* Tokens of two digits instead of one make it larger than the hold was. */
static void a_late_confirm_may_answer_too_much(void **state)
{
    struct rig *rig = *state;
    define_long_room(rig);
    rig->now_ms = hold_the_largest(rig)->expires_ms;
    (void)rig_ask(rig, many_stays(rig, "others", 3000));
    (void)rig_ask(rig, many_stays(rig, "more", 500));
    int64_t free = rig_resource(rig, "r")->free;
    const struct usher_answer *late =
        rig_ask(rig, ASK("late", "confirm", ",'customer':'c','booking':'largest'"));
    assert_int_equal(USHER_LIMIT_EXCEEDED, late->reason);
    assert_string_equal("largest", late->booking);
    assert_int_equal(free, rig_resource(rig, "r")->free);
    assert_int_equal(USHER_RELEASED, change(rig, "release", "more"));
    assert_int_equal(USHER_RELEASED, change(rig, "release", "others"));
    assert_true(rig_says(rig, ASK("late-2", "confirm", ",'customer':'c','booking':'largest'"),
                         "'outcome':'confirmed'"));
}

#define HOUSE_TEST(test) cmocka_unit_test_setup_teardown(test, open_house, close_house)
static const struct CMUnitTest tests[] = {
    HOUSE_TEST(rooms_take_what_was_given_back_first),
    HOUSE_TEST(products_are_counted),
    HOUSE_TEST(a_refusal_takes_nothing_and_changes_no_rev),
    HOUSE_TEST(a_hold_expires_when_request_resource_and_configuration_say),
    HOUSE_TEST(the_house_holds_no_longer_than_the_operator_lets_it),
    HOUSE_TEST(a_booking_keeps_what_the_request_said),
    HOUSE_TEST(what_would_answer_too_much_is_refused_and_changes_nothing),
    HOUSE_TEST(the_largest_hold_can_be_confirmed_and_cancelled),
    HOUSE_TEST(a_late_confirm_may_answer_too_much),
};
UNIT_TESTS(test_decide_hold, tests, NULL, NULL)
