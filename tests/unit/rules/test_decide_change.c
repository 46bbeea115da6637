/*
 * confirm, release, cancel: every operation from every state, who may, and what comes too late.
 */
#include <string.h>

#include "core_rig.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/names.h"

#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"
#define OF(booking) ",'customer':'c','booking':'" booking "'"

static const struct rig_step opening[] = {
    {ASK("d", "define",
         ",'state':'open','currency':'EUR',"
         "'sections':[{'section':'stalls','price':45,'rows':[{'row':'A','seats':4},"
         "{'row':'B','seats':4}]},{'section':'standing','capacity':5,'price':10}],"
         "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-27','capacity':2,"
         "'price':100}],"
         "'products':[{'product':'mug','capacity':9,'price':7}]"),
     "'outcome':'defined'"},
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

static void let_expire(struct rig *rig, uint32_t count)
{
    rig->now_ms += 900000;
    assert_int_equal(count, rig_expire(rig));
    rig_seal(rig);
    rig_commit(rig);
}

/* ---- every operation from every state ---- */

struct transition {
    const char *op;
    enum booking_state from, to;
    const char *says;
};

static const struct transition transitions[] = {
    {"confirm", BOOKING_HELD, BOOKING_CONFIRMED, "'outcome':'confirmed'"},
    {"confirm", BOOKING_CONFIRMED, BOOKING_CONFIRMED, "'reason':'already_confirmed'"},
    {"confirm", BOOKING_RELEASED, BOOKING_RELEASED, "'reason':'already_released'"},
    {"confirm", BOOKING_EXPIRED, BOOKING_CONFIRMED, "'outcome':'confirmed'"},
    {"confirm", BOOKING_CANCELLED, BOOKING_CANCELLED, "'reason':'already_cancelled'"},
    {"release", BOOKING_HELD, BOOKING_RELEASED, "'outcome':'released'"},
    {"release", BOOKING_CONFIRMED, BOOKING_CONFIRMED, "'reason':'already_confirmed'"},
    {"release", BOOKING_RELEASED, BOOKING_RELEASED, "'reason':'already_released'"},
    {"release", BOOKING_EXPIRED, BOOKING_RELEASED, "'outcome':'released'"},
    {"release", BOOKING_CANCELLED, BOOKING_CANCELLED, "'reason':'already_cancelled'"},
    {"cancel", BOOKING_HELD, BOOKING_HELD, "'reason':'not_confirmed'"},
    {"cancel", BOOKING_CONFIRMED, BOOKING_CANCELLED, "'outcome':'cancelled'"},
    {"cancel", BOOKING_RELEASED, BOOKING_RELEASED, "'reason':'already_released'"},
    {"cancel", BOOKING_EXPIRED, BOOKING_EXPIRED, "'reason':'hold_expired'"},
    {"cancel", BOOKING_CANCELLED, BOOKING_CANCELLED, "'reason':'already_cancelled'"},
};

/* Brings the booking "b" of one mug into a state. */
static void bring_into(struct rig *rig, enum booking_state state)
{
    static const char hold[] =
        ASK("b", "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]");
    assert_true(rig_says(rig, hold, "'outcome':'held'"));
    if (state == BOOKING_CONFIRMED || state == BOOKING_CANCELLED)
        assert_true(rig_says(rig, ASK("k", "confirm", OF("b")), "'outcome':'confirmed'"));
    if (state == BOOKING_CANCELLED)
        assert_true(rig_says(rig, ASK("x", "cancel", OF("b")), "'outcome':'cancelled'"));
    else if (state == BOOKING_RELEASED)
        assert_true(rig_says(rig, ASK("l", "release", OF("b")), "'outcome':'released'"));
    else if (state == BOOKING_EXPIRED)
        let_expire(rig, 1);
    assert_int_equal(state, rig->database->bookings[0].state);
}

static void check_transition(const struct transition *transition)
{
    struct rig rig;
    rig_open(&rig, &rig_no_limits);
    assert_true(RIG_PLAY(&rig, opening));
    bring_into(&rig, transition->from);
    int64_t rev = rig_resource(&rig, "r")->row.rev;
    const char *request = usher_arena_format(
        &rig.arena, "{'request_id':'t','op':'%s','resource':'r','customer':'c','booking':'b'}",
        transition->op);
    assert_true(rig_says(&rig, request, transition->says));
    assert_int_equal(transition->to, rig.database->bookings[0].state);
    assert_int_equal(transition->from == transition->to, rig_resource(&rig, "r")->row.rev == rev);
    fake_database_check(rig.database);
    resource_check(rig_resource(&rig, "r"));
    rig_close(&rig);
}

static void every_step_is_allowed_or_has_its_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof transitions / sizeof *transitions; i++)
        check_transition(&transitions[i]);
}

/* ---- answers ---- */

#define ITEMS                                                                                  \
    "'items':[{'seats':['B-1','A-2']},{'room':'double','from':'2026-12-24','to':'2026-12-26'," \
    "'quantity':2},{'product':'mug','quantity':3}]"
#define UNITS                                                                     \
    "[{'item':0,'section':'stalls','seats':['B-1','A-2'],'price':45},"            \
    "{'item':1,'room':'double','night':'2026-12-24','tokens':[0,1],'price':100}," \
    "{'item':1,'room':'double','night':'2026-12-25','tokens':[0,1],'price':100}," \
    "{'item':2,'product':'mug','quantity':3,'price':7}]"

static void answers_tell_all_of_the_booking(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("b", "hold", ",'customer':'c','cart':'k'," ITEMS), "'outcome':'held'"},
        {ASK("1", "confirm", OF("b") ",'payment':'pi'"),
         "'outcome':'confirmed','booking':'b','customer':'c','cart':'k','payment':'pi',"
         "'units':" UNITS ",'total':511,'currency':'EUR','decided_at':"},
        {ASK("2", "cancel", OF("b")),
         "'outcome':'cancelled','booking':'b','customer':'c','cart':'k','returned':" UNITS
         ",'total':511,'currency':'EUR','decided_at':"},
        {ASK("b2", "hold", ",'customer':'c'," ITEMS), "'units':" UNITS},
        {ASK("3", "release", OF("b2")), "'outcome':'released','booking':'b2','customer':'c',"
                                        "'returned':" UNITS ",'total':511,'currency':'EUR'"},
    };
    struct rig *rig = *state;
    assert_true(RIG_PLAY(rig, steps));
    assert_string_equal("pi", rig->database->bookings[0].payment);
    assert_int_equal(USHER_ABSENT, rig->database->bookings[0].expires_ms);
    assert_int_equal(511, rig->database->bookings[0].total);
}

static void a_confirmed_hold_no_longer_expires(void **state)
{
    static const struct rig_step steps[] = {
        {ASK("b", "hold", ",'customer':'c'," ITEMS), "'outcome':'held'"},
        {ASK("1", "confirm", OF("b")), "'outcome':'confirmed'"},
        {ASK("b2", "hold", ",'customer':'c','items':[{'product':'mug','quantity':1}]"),
         "'outcome':'held'"},
        {ASK("2", "release", OF("b2")), "'outcome':'released'"},
    };
    assert_true(RIG_PLAY(*state, steps));
    let_expire(*state, 0);
}

/* ---- after expiry ---- */

static void a_late_confirm_sells_what_is_still_free(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step before[] = {
        {ASK("b", "hold", ",'customer':'c','cart':'k'," ITEMS), "'outcome':'held'"},
    };
    /* Others take tokens and mugs meanwhile: of those any will do, at the price of the hold. */
    static const struct rig_step after[] = {
        {ASK("o", "book",
             ",'customer':'o','items':[{'product':'mug','quantity':2},{'room':'double','from':"
             "'2026-12-26','to':'2026-12-27','quantity':2}]"),
         "'outcome':'confirmed'"},
        {ASK("d2", "define",
             ",'state':'closed','products':[{'product':'mug','price':999}],'sections':"
             "[{'section':'stalls','price':999}]"),
         "'outcome':'defined'"},
        {ASK("1", "confirm", OF("b") ",'payment':'pi'"),
         "'outcome':'confirmed','booking':'b','customer':'c','cart':'k','payment':'pi',"
         "'units':" UNITS ",'total':511,'currency':'EUR','decided_at':"},
        {ASK("2", "confirm", OF("b")), "'reason':'already_confirmed'"},
        {ASK("3", "cancel", OF("b")), "'returned':" UNITS},
    };
    assert_true(RIG_PLAY(rig, before));
    let_expire(rig, 1);
    assert_true(RIG_PLAY(rig, after));
    assert_non_null(strstr(rig->database->bookings[0].lines, ",7,3]]"));
    assert_string_equal("pi", rig->database->bookings[0].payment);
}

static void a_late_confirm_says_what_is_gone(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step before[] = {
        {ASK("b", "hold",
             ",'customer':'c','items':[{'seats':['B-1','A-2']},{'section':'stalls','quantity':2},"
             "{'room':'double','from':'2026-12-24','to':'2026-12-27','quantity':2},"
             "{'product':'mug','quantity':3},{'section':'standing','quantity':4}]"),
         "'seats':['A-3','A-4']"},
    };
    static const struct rig_step after[] = {
        {ASK("o", "hold",
             ",'customer':'o','items':[{'seats':['A-2','A-4']},{'room':'double','from':"
             "'2026-12-25','to':'2026-12-26','quantity':1},{'section':'standing','quantity':2}]"),
         "'outcome':'held'"},
        {ASK("1", "confirm", OF("b")),
         "'reason':'hold_expired','retryable':false,'booking':'b','customer':'c','items':["
         "{'item':0,'asked':2,'given':0,'reason':'unit_taken','taken':['A-2']},"
         "{'item':1,'asked':2,'given':0,'reason':'unit_taken','taken':['A-4']},"
         "{'item':2,'asked':2,'given':0,'reason':'not_enough','free':1,'taken':['2026-12-25']},"
         "{'item':4,'asked':4,'given':0,'reason':'not_enough','free':3}]"},
        {ASK("2", "release", ",'customer':'o','booking':'o'"), "'outcome':'released'"},
        {ASK("1", "confirm", OF("b")), "'reason':'hold_expired'"}, /* a repeat */
        {ASK("3", "confirm", OF("b")), "'outcome':'confirmed'"},
    };
    assert_true(RIG_PLAY(rig, before));
    let_expire(rig, 1);
    assert_true(RIG_PLAY(rig, after));
}

/* Under other rows the same unit numbers are other seats, even where a name is there again. */
static void a_late_confirm_never_sells_other_seats(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step before[] = {
        {ASK("b", "hold", ",'customer':'c','items':[{'seats':['A-2']}]"), "'outcome':'held'"},
        {ASK("s", "hold", ",'customer':'c','items':[{'section':'standing','quantity':2}]"),
         "'outcome':'held'"},
    };
    static const struct rig_step after[] = {
        {ASK("d2", "define",
             ",'sections':[{'section':'stalls','rows':[{'row':'C','seats':2},{'row':'A','seats'"
             ":4}]},{'section':'standing','rows':[{'row':'S','seats':9}]}]"),
         "'outcome':'defined'"},
        {ASK("1", "confirm", OF("b")),
         "'reason':'hold_expired','retryable':false,'booking':'b','customer':'c','items':["
         "{'item':0,'asked':1,'given':0,'reason':'unit_taken'}]"},
        {ASK("2", "confirm", OF("s")),
         "'items':[{'item':0,'asked':2,'given':0,'reason':'not_enough','free':0}]"},
        {ASK("d3", "define",
             ",'sections':[{'section':'stalls','rows':[{'row':'A','seats':4},{'row':'B','seats'"
             ":4}]},{'section':'standing','capacity':5}]"),
         "'outcome':'defined'"},
        {ASK("3", "confirm", OF("b")), "'seats':['A-2']"},
        {ASK("4", "confirm", OF("s")), "'outcome':'confirmed'"},
    };
    assert_true(RIG_PLAY(rig, before));
    let_expire(rig, 2);
    assert_true(RIG_PLAY(rig, after));
}

/* Each of them fits what is held; both together do not. */
static void a_cart_that_contradicts_its_pool_is_not_decided(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    static const struct rig_step before[] = {
        {ASK("1", "hold", ",'customer':'c','cart':'k','items':[{'product':'mug','quantity':2}]"),
         "'outcome':'held'"},
        {ASK("2", "hold", ",'customer':'c','cart':'k','items':[{'product':'mug','quantity':2}]"),
         "'outcome':'held'"},
    };
    assert_true(RIG_PLAY(rig, before));
    struct resource *resource = rig_resource(rig, "r");
    struct pool *mugs = &resource->pools[resource_name(resource, "mug")->pool];
    assert_int_equal(4, mugs->taken.held);
    mugs->taken.held = 3; /* as if the row said so */
    assert_int_equal(USHER_OK, inventory_fault(rig->inventory, &err));
    rig_decide(rig, ASK("3", "confirm", ",'customer':'c','cart':'k'"));
    assert_int_equal(USHER_HALT, inventory_fault(rig->inventory, &err));
    assert_int_equal(3, mugs->taken.held);
    mugs->taken.held = 4;
}

/* The hash of its seats is gone: by its line they would be as many of a counted pool. */
static void seats_without_their_hash_are_not_decided(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    static const char lines[] = "[[0,0,4500,[0,1]]]";
    static const char *const requests[] = {
        ASK("2", "release", OF("1")),
        ASK("3", "confirm", OF("1") ",'items':[{'section':'stalls','quantity':1}]"),
    };
    static const struct rig_step before[] = {
        {ASK("1", "hold", ",'customer':'c','items':[{'seats':['A-1','A-2']}]"), "'outcome':'held'"},
    };
    assert_true(RIG_PLAY(rig, before));
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        rig->database->bookings[0].lines = lines;
        rig->database->bookings[0].lines_size = strlen(lines);
        rig_restart(rig);
        rig_decide(rig, requests[i]);
        assert_int_equal(USHER_HALT, inventory_fault(rig->inventory, &err));
    }
    rig_restart(rig);
    (void)rig_ask(rig, ASK("p", "probe", ""));
}

#define HOUSE_TEST(test) cmocka_unit_test_setup_teardown(test, open_house, close_house)
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_step_is_allowed_or_has_its_reason),
    HOUSE_TEST(answers_tell_all_of_the_booking),
    HOUSE_TEST(a_confirmed_hold_no_longer_expires),
    HOUSE_TEST(a_late_confirm_sells_what_is_still_free),
    HOUSE_TEST(a_late_confirm_says_what_is_gone),
    HOUSE_TEST(a_late_confirm_never_sells_other_seats),
    HOUSE_TEST(a_cart_that_contradicts_its_pool_is_not_decided),
    HOUSE_TEST(seats_without_their_hash_are_not_decided),
};
UNIT_TESTS(test_decide_change, tests, NULL, NULL)
