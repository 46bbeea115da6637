/*
 * define, open, close: what a resource becomes, and what may not be changed under those who have
 * units of it. Each step is judged by what a probe shows afterwards.
 */
#include <stdio.h>
#include <string.h>

#include "core_rig.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"

#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"
#define DEFINE(id, rest) ASK(id, "define", "," rest)
#define PROBE(id) ASK(id, "probe", "")
#define BOOK(id, item) ASK(id, "book", ",'customer':'c','items':[" item "]")

static int open_rig(void **state)
{
    static struct rig rig;
    rig_open(&rig, &rig_no_limits);
    *state = &rig;
    return 0;
}

static int close_rig(void **state)
{
    struct rig *rig = *state;
    resource_check(rig_resource(rig, "r"));
    fake_database_check(rig->database);
    rig_close(rig);
    return 0;
}

#define DRAFT "'detail':'draft: nothing is sold before open'"

static void a_new_resource_is_a_draft(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
        {ASK("1", "define", ""), "'outcome':'defined','change':'created'," DRAFT ",'decided_at':"
                                 "'1970-01-01T00:16:40.000Z','rev':1,'free':0"},
        {ASK("1b", "define", ""), "'outcome':'defined','change':'same'," DRAFT ",'decided_at':"
                                  "'1970-01-01T00:16:40.000Z','rev':1,'free':0"},
        {PROBE("2"), "'outcome':'alive','pools':[],'state':'draft'"},
        {BOOK("3", "{'product':'x','quantity':1}"),
         "'reason':'not_on_sale','retryable':true," DRAFT ",'customer':'c','state':'draft',"
         "'decided_at'"},
        {ASK("4", "open", ""), "'rev':5"},
        {ASK("5", "open", ""), "'outcome':'defined','decided_at':'1970-01-01T00:16:40.000Z',"
                               "'rev':5"},
        {ASK("6", "close", ""), "'rev':7"},
        {ASK("7", "close", ""), "'rev':7"},
        {BOOK("8b", "{'product':'x','quantity':1}"),
         "'retryable':true,'detail':'closed','customer':'c','state':'closed','decided_at'"},
        {ASK("9", "define", ",'state':'open'"),
         "'outcome':'defined','change':'changed','decided_at':'1970-01-01T00:16:40.000Z',"
         "'rev':10"},
    };
    assert_true(RIG_PLAY(rig, steps));
    assert_int_equal(USHER_OPEN, rig->database->resources[0].row.state);
}

static void what_is_left_out_stays(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
        {DEFINE("1", "'name':'Hamlet','venue':'Globe','description':'sad','timezone':"
                     "'Europe/London','currency':'GBP','starts_at':'2026-12-24T19:30:00Z',"
                     "'ends_at':'2026-12-24T23:30:00Z','hold_ttl_s':300,"
                     "'sections':[{'section':'pit','capacity':10,'price':100},"
                     "{'section':'stalls','price':200,'rows':[{'row':'A','seats':3}]}],"
                     "'products':[{'product':'mug','name':'A mug','capacity':5,'price':7}]"),
         "'outcome':'defined','change':'created'," DRAFT ",'chart':'sha256:"},
        {DEFINE("2", "'venue':'Rose','sections':[{'section':'pit','price':101}],"
                     "'products':[{'product':'mug','capacity':6}]"),
         "'chart':'sha256:"},
        {PROBE("3"),
         "'pools':[{'section':'pit','free':10,'held':0,'sold':0,'blocked':0,'total':10,"
         "'rates':{'standard':101}},{'section':'stalls','free':3,'held':0,'sold':0,'blocked':0,"
         "'total':3,'rates':{'standard':200}},{'product':'mug','free':6,'held':0,'sold':0,"
         "'blocked':0,'total':6,'rates':{'standard':7}}]"},
    };
    assert_true(RIG_PLAY(rig, steps));
    const struct fake_resource *stored = &rig->database->resources[0];
    assert_string_equal("Hamlet", stored->row.name);
    assert_string_equal("Rose", stored->row.venue);
    assert_string_equal("sad", stored->row.description);
    assert_string_equal("Europe/London", stored->row.timezone);
    assert_string_equal("GBP", stored->row.currency);
    assert_int_equal(1798140600000, stored->row.starts_ms);
    assert_int_equal(1798155000000, stored->row.ends_ms);
    assert_int_equal(300, stored->row.hold_ttl_s);
    assert_string_equal("A mug", stored->pools[2].title);
    assert_int_equal(3, stored->pool_count);
}

#define HALL                                                                                    \
    "'state':'open','sections':[{'section':'stalls','price':45,'rows':[{'row':'A','seats':4},"  \
    "{'row':'B','seats':4}]},{'section':'pit','capacity':5}],'rooms':[{'room':'double','from':" \
    "'2026-12-24','to':'2026-12-26','capacity':2}],'products':[{'product':'mug','capacity':3}]"

static void names_are_of_one_kind(void **state)
{
    static const struct rig_step steps[] = {
        {DEFINE("1", HALL), "'outcome':'defined'"},
        {DEFINE("2", "'products':[{'product':'pit','capacity':1}]"),
         "'reason':'bad_chart','retryable':false,'detail':'\\\"pit\\\" is a section and cannot "
         "become a product: use another name'"},
        {DEFINE("3", "'sections':[{'section':'double','capacity':1}]"), "'reason':'bad_chart'"},
        {DEFINE("4", "'rooms':[{'room':'mug','from':'2026-12-24','to':'2026-12-25','capacity':1}]"),
         "'reason':'bad_chart'"},
        {DEFINE("5", "'rooms':[{'room':'stalls','from':'2026-12-24','to':'2026-12-25',"
                     "'capacity':1}]"),
         "'reason':'bad_chart'"},
        /* a removed one keeps its name, since old bookings have it */
        {DEFINE("6", "'products':[{'product':'mug','capacity':0}]"), "'outcome':'defined'"},
        {DEFINE("7", "'sections':[{'section':'mug','capacity':1}]"), "'reason':'bad_chart'"},
        {DEFINE("8", "'products':[{'product':'mug','capacity':2}]"), "'outcome':'defined'"},
    };
    struct rig *rig = *state;
    assert_true(RIG_PLAY(rig, steps));
    assert_int_equal(5, rig->database->resources[0].pool_count);
}

static void what_is_new_must_have_units(void **state)
{
    static const struct rig_step steps[] = {
        {DEFINE("0", "'name':'r'"), "'outcome':'defined'"},
        {DEFINE("1", "'sections':[{'section':'pit','price':5}]"),
         "'reason':'bad_chart','retryable':false,'detail':'there is no \\\"pit\\\" yet: a new "
         "one needs rows or capacity'"},
        {DEFINE("2", "'products':[{'product':'mug','price':5}]"), "'reason':'bad_chart'"},
        {DEFINE("3", "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-25','price':"
                     "5}]"),
         "'reason':'bad_chart'"},
        {DEFINE("4", "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-25',"
                     "'capacity':2},{'room':'double','from':'2026-12-24','to':'2026-12-26',"
                     "'price':5}]"),
         "'reason':'bad_chart'"}, /* the second night is new */
        {DEFINE("5", "'sections':[{'section':'pit','capacity':0}],'products':[{'product':'mug',"
                     "'capacity':0}],'rooms':[{'room':'double','from':'2026-12-24','to':"
                     "'2026-12-25','capacity':0}]"),
         "'outcome':'defined'"}, /* removes what is not there */
    };
    struct rig *rig = *state;
    assert_true(RIG_PLAY(rig, steps));
    assert_int_equal(0, rig->database->resources[0].pool_count);
}

static void a_refused_define_changes_nothing(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
        {DEFINE("1", HALL), "'outcome':'defined'"},
        {BOOK("b", "{'seats':['A-1']}"), "'outcome':'confirmed'"},
        {DEFINE("2", "'name':'other','state':'closed','products':[{'product':'mug','capacity':"
                     "99}],'sections':[{'section':'stalls','capacity':0}]"),
         "'reason':'in_use'"},
        {PROBE("3"), "{'product':'mug','free':3"},
        {BOOK("4", "{'seats':['A-2']}"), "'outcome':'confirmed'"},
    };
    assert_true(RIG_PLAY(rig, steps));
    assert_null(rig->database->resources[0].row.name);
}

/* A room type for 65,000 nights comes and takes the place of another one, which is removed. */
static const struct decision_row *season(struct rig *rig, int number, const char *capacity)
{
    char request[300];
    (void)snprintf(request, sizeof request,
                   DEFINE("%s-%d", "'rooms':[{'room':'%d','from':'1970-01-01','to':'2147-12-19',"
                                   "'capacity':%s}]"),
                   capacity, number, number, capacity);
    const struct decision_row *row = rig_decide(rig, request);
    rig_seal(rig);
    return row;
}

static void what_was_removed_does_not_count(void **state)
{
    struct rig *rig = *state;
    for (int number = 1; number <= 3; number++) {
        assert_int_equal(USHER_DEFINED, season(rig, number, "1")->outcome);
        rig_commit(rig);
        assert_int_equal(65000, rig_resource(rig, "r")->free);
        assert_int_equal(USHER_LIMIT_EXCEEDED, season(rig, 99, "2")->reason);
        rig_commit(rig);
        if (number == 2)
            rig_restart(rig);
        assert_int_equal(USHER_DEFINED, season(rig, number, "0")->outcome);
        rig_commit(rig);
    }
    assert_int_equal(USHER_DEFINED, season(rig, 3, "3")->outcome); /* it comes back */
    rig_commit(rig);
    assert_int_equal(195000, rig_resource(rig, "r")->pool_count);
}

static void the_chart_is_named_by_its_content(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, DEFINE("1", HALL));
    const char *first =
        usher_arena_format(&rig->arena, "%s", rig->database->resources[0].row.chart);
    const struct usher_answer *price =
        rig_ask(rig, DEFINE("2", "'sections':[{'section':'stalls','price':1}]"));
    const struct usher_answer *other =
        rig_ask(rig, DEFINE("3", "'sections':[{'section':'stalls','rows':[{'row':'A','seats':"
                                 "4}]}]"));
    const struct usher_answer *back =
        rig_ask(rig, DEFINE("4", "'sections':[{'section':'stalls','rows':[{'row':'A','seats':4},"
                                 "{'row':'B','seats':4}]}]"));
    const struct usher_answer *none =
        rig_ask(rig, DEFINE("5", "'sections':[{'section':'stalls','capacity':8}]"));
    assert_string_equal(first, price->chart);
    assert_string_not_equal(first, other->chart);
    assert_string_equal(first, back->chart);
    assert_null(none->chart);
    assert_null(rig->database->resources[0].row.chart);
}

/* Each of them is another resource the first time, and the same the second. */
static const char *const parts[] = {
    "'name':'n'",
    "'venue':'v'",
    "'description':''",
    "'timezone':'Europe/Paris'",
    "'currency':'EUR'",
    "'state':'closed'",
    "'state':'open','starts_at':'2026-12-24T19:30:00Z'",
    "'ends_at':'2026-12-24T23:30:00Z'",
    "'opens_at':'1970-01-01T00:00:01Z'",
    "'closes_at':'2026-12-24T19:30:00Z'",
    "'hold_ttl_s':300",
    "'strategy':'first'",
    "'limits':{'units_per_request':8,'groups':[{'pools':['pit','mug'],'limit':4}]}",
    "'limits':{}",
    "'quotas':[{'quota':'q','pools':['pit','double'],'limit':9}]",
    "'quotas':[{'quota':'q','pools':['pit','double']},{'quota':'p','pools':['mug'],'limit':1}]",
    "'quotas':[{'quota':'q','pools':[]}]",
    ("'sections':[{'section':'stalls','rows':[{'row':'A','seats':4},{'row':'B','seats':4,'zone':"
     "'left'}]}]"),
    ("'sections':[{'section':'stalls','rows':[{'row':'A','seats':4,'features':{'aisle':[1]}},"
     "{'row':'B','seats':4,'ranks':[4,3,2,1]}]}]"),
    ("'sections':[{'section':'stalls','rows':[{'row':'A','seats':4,'numbers':['4','3','2','1']},"
     "{'row':'B','seats':4}]}]"),
    "'sections':[{'section':'stalls','rates':{'adult':5,'child':3}},{'section':'pit','price':1}]",
    "'sections':[{'section':'stalls','price':4}]",
    "'sections':[{'section':'pit','capacity':6}]",
    "'sections':[{'section':'pit','overbook':1}]",
    "'rooms':[{'room':'double','from':'2026-12-23','to':'2026-12-27','capacity':2}]",
    "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-26','price':3}]",
    "'products':[{'product':'mug','name':'A mug'}]",
    "'products':[{'product':'mug','properties':{'b':1,'a':2}}]",
    "'products':[{'product':'mug','capacity':0}]",
    "'sections':[{'section':'stalls','capacity':0}]",
};

static void a_define_says_whether_it_changes_anything(void **state)
{
    struct rig *rig = *state;
    assert_true(rig_says(rig, DEFINE("1", HALL), "'change':'created'"));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *first = usher_arena_format(&rig->arena, DEFINE("a%zu", "%s"), i, parts[i]);
        const char *second = usher_arena_format(&rig->arena, DEFINE("b%zu", "%s"), i, parts[i]);
        assert_true(rig_says(rig, first, "'change':'changed'"));
        int64_t rev = rig_resource(rig, "r")->row.rev;
        if (i % 2 == 0)
            rig_restart(rig);
        assert_true(rig_says(rig, second, "'change':'same'"));
        assert_int_equal(rev, rig_resource(rig, "r")->row.rev);
        assert_true(rig_says(rig, first, "'change':'changed'")); /* repeated */
    }
}

/* Entries override others, so what counts is where all of them end. */
static void a_define_that_comes_back_changes_nothing(void **state)
{
    struct rig *rig = *state;
    const char *chart = rig_ask(rig, DEFINE("1", HALL))->chart;
    static const struct rig_step steps[] = {
        {DEFINE("2", "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-26','price':9,"
                     "'capacity':7},{'room':'double','from':'2026-12-24','to':'2026-12-26',"
                     "'price':0,'capacity':2}]"),
         "'change':'same'"},
        {DEFINE("3", "'sections':[{'section':'gone','capacity':0}],'limits':{},"
                     "'quotas':[{'quota':'gone','pools':[]}]"),
         "'change':'same'"},
        {DEFINE("4", "'sections':[{'section':'stalls','rows':[{'row':'A','seats':4}]}]"),
         "'change':'changed'"},
    };
    assert_true(RIG_PLAY(rig, steps));
    const char *rows = usher_arena_format(
        &rig->arena,
        DEFINE("%s", "'chart':'%s','sections':[{'section':'stalls','rows':[{'row':'A','seats':"
                     "4}]}]"),
        "5", chart);
    assert_true(rig_says(rig, rows, "'change':'same'"));
}

/* What an earlier define of its batch changed is written nevertheless. */
static void the_same_in_the_batch_of_a_change(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, DEFINE("1", HALL));
    (void)rig_decide(rig, DEFINE("2", "'name':'n','sections':[{'section':'pit','capacity':6}]"));
    const struct decision_row *same =
        rig_decide(rig, DEFINE("3", "'name':'n','sections':[{'section':'pit','capacity':6}]"));
    assert_int_equal(USHER_SAME, rig_answer(rig, same)->change);
    rig_seal(rig);
    assert_int_equal(1, rig->batches[0].resource_count);
    assert_int_equal(1, rig->batches[0].pool_count);
    rig_commit(rig);
    assert_string_equal("n", rig->database->resources[0].row.name);
    const struct decision_row *alone = rig_decide(rig, DEFINE("4", HALL ",'name':'n'"));
    assert_int_equal(USHER_CHANGED, rig_answer(rig, alone)->change); /* the pit again */
    rig_seal(rig);
    rig_commit(rig);
    (void)rig_decide(rig, DEFINE("5", HALL));
    assert_false(rig_resource(rig, "r")->touched);
    assert_false(rig_resource(rig, "r")->redefined); /* readers are shown nothing */
    rig_seal(rig);
    assert_int_equal(0, rig->batches[0].resource_count);
    rig_commit(rig);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, open_rig, close_rig)
static const struct CMUnitTest tests[] = {
    RIG_TEST(a_new_resource_is_a_draft),
    RIG_TEST(what_is_left_out_stays),
    RIG_TEST(names_are_of_one_kind),
    RIG_TEST(what_is_new_must_have_units),
    RIG_TEST(a_refused_define_changes_nothing),
    RIG_TEST(what_was_removed_does_not_count),
    RIG_TEST(the_chart_is_named_by_its_content),
    RIG_TEST(a_define_says_whether_it_changes_anything),
    RIG_TEST(a_define_that_comes_back_changes_nothing),
    RIG_TEST(the_same_in_the_batch_of_a_change),
};
UNIT_TESTS(test_decide_define, tests, NULL, NULL)
