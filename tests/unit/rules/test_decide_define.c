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

static void later_nights_override_earlier_ones(void **state)
{
    static const struct rig_step steps[] = {
        {DEFINE("1", "'rooms':[{'room':'double','from':'2026-12-20','to':'2026-12-30','capacity':"
                     "2,'price':100},{'room':'double','from':'2026-12-24','to':'2026-12-26',"
                     "'price':189},{'room':'double','from':'2026-12-25','to':'2026-12-27',"
                     "'capacity':3},{'room':'single','from':'2026-12-24','to':'2026-12-25',"
                     "'capacity':1}]"),
         "'free':23"},
        {DEFINE("2", "'rooms':[{'room':'double','from':'2026-12-18','to':'2026-12-19','capacity':"
                     "1,'price':50},{'room':'double','from':'2026-12-21','to':'2026-12-23',"
                     "'capacity':0},{'room':'twin','from':'2026-12-01','to':'2026-12-05',"
                     "'capacity':0}]"),
         "'free':20"},
        {PROBE("3"),
         "'pools':[{'room':'double','from':'2026-12-18',"
         "'free':[1,null,2,null,null,2,2,3,3,2,2,2],'total':[1,null,2,null,null,2,2,3,3,2,2,2],"
         "'price':[50,null,100,null,null,100,189,189,100,100,100,100]},"
         "{'room':'single','from':'2026-12-24','free':[1],'total':[1],'price':[0]}]"},
        {DEFINE("4", "'rooms':[{'room':'double','from':'2026-12-21','to':'2026-12-23',"
                     "'capacity':4,'price':9}]"),
         "'free':28"},
        {ASK("5", "probe", ",'items':[{'room':'double','from':'2026-12-19','to':'2026-12-23'}]"),
         "'free':[null,2,4,4],'total':[null,2,4,4],'price':[null,100,9,9]}]"},
    };
    assert_true(RIG_PLAY(*state, steps));
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

static void no_seat_is_there_twice(void **state)
{
    static const struct rig_step steps[] = {
        {DEFINE("1", HALL), "'outcome':'defined'"},
        {DEFINE("2", "'sections':[{'section':'balcony','rows':[{'row':'A','seats':1,'first':4}]}]"),
         "'reason':'bad_chart','retryable':false,'detail':'seat \\\"A-4\\\" is in section "
         "\\\"stalls\\\" and in section \\\"balcony\\\": sections that a define does not name "
         "stay"},
        {DEFINE("3", "'sections':[{'section':'balcony','rows':[{'row':'C','seats':2},{'row':'C',"
                     "'seats':2,'first':2}]}]"),
         "'detail':'seat \\\"C-2\\\" is twice in section \\\"balcony\\\"'"},
        {DEFINE("4", "'sections':[{'section':'balcony','rows':[{'row':'A','seats':2,'first':5}]}]"),
         "'outcome':'defined'"},
        /* what goes away in the same define is not in the way */
        {DEFINE("5", "'sections':[{'section':'stalls','capacity':0},{'section':'gallery','rows':"
                     "[{'row':'A','seats':4}]}]"),
         "'outcome':'defined'"},
        {BOOK("6", "{'seats':['A-4','A-5']}"),
         "'units':[{'item':0,'section':'gallery','seats':['A-4'],'price':0},"
         "{'item':0,'section':'balcony','seats':['A-5'],'price':0}]"},
        /* rows are the capacity */
        {DEFINE("7", "'sections':[{'section':'box','capacity':0,'rows':[{'row':'L','seats':2}]}]"),
         "'outcome':'defined'"},
        {BOOK("8", "{'seats':['L-2']}"), "'outcome':'confirmed'"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

static void units_in_use_stay(void **state)
{
    static const struct rig_step steps[] = {
        {DEFINE("1", HALL), "'outcome':'defined'"},
        {BOOK("b", "{'seats':['A-1']},{'section':'pit','quantity':3},{'room':'double','from':"
                   "'2026-12-25','to':'2026-12-26','quantity':1},{'product':'mug','quantity':2}"),
         "'outcome':'confirmed'"},
        /* free rows come and go behind a seat that is taken, which stays where it is */
        {DEFINE("2", "'sections':[{'section':'stalls','rows':[{'row':'A','seats':4}]}]"),
         "'outcome':'defined'"},
        {DEFINE("3", "'sections':[{'section':'stalls','rows':[{'row':'B','seats':5},"
                     "{'row':'A','seats':4}]}]"),
         "'reason':'in_use','retryable':true,'detail':'seat \\\"A-1\\\" of \\\"stalls\\\" is held, "
         "sold or blocked, and has to stay where it is'"},
        {DEFINE("4", "'sections':[{'section':'stalls','rows':[{'row':'A','seats':4},"
                     "{'row':'B','seats':4}],'price':50}]"),
         "'outcome':'defined'"}, /* the same rows */
        {DEFINE("5", "'sections':[{'section':'stalls','capacity':8}]"), "'reason':'in_use'"},
        {DEFINE("6", "'sections':[{'section':'stalls','capacity':0}]"), "'reason':'in_use'"},
        {DEFINE("7", "'sections':[{'section':'pit','capacity':2}]"), "'reason':'in_use'"},
        {DEFINE("8", "'sections':[{'section':'pit','capacity':3}]"), "'outcome':'defined'"},
        {DEFINE("9", "'sections':[{'section':'pit','rows':[{'row':'P','seats':9}]}]"),
         "'reason':'in_use'"},
        {DEFINE("10", "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-26',"
                      "'capacity':0}]"),
         "'detail':'1 unit of \\\"double\\\" on 2026-12-25 is held, sold or blocked'"},
        {DEFINE("11", "'rooms':[{'room':'double','from':'2026-12-24','to':'2026-12-25',"
                      "'capacity':0},{'room':'double','from':'2026-12-25','to':'2026-12-26',"
                      "'capacity':1}]"),
         "'outcome':'defined'"},
        {DEFINE("12", "'products':[{'product':'mug','capacity':1}]"), "'reason':'in_use'"},
        {DEFINE("13", "'products':[{'product':'mug','capacity':40}]"), "'outcome':'defined'"},
        {PROBE("14"),
         "'pools':[{'section':'stalls','free':7,'held':0,'sold':1,'blocked':0,'total':8,'rates':"
         "{'standard':50}},{'section':'pit','free':0,'held':0,'sold':3,'blocked':0,'total':3,"
         "'rates':{'standard':0}},{'product':'mug','free':38,'held':0,'sold':2,'blocked':0,"
         "'total':40,'rates':{'standard':0}},{'room':'double','from':'2026-12-25','free':[0],"
         "'total':[1],'price':[0]}]"},
        {ASK("x", "cancel", ",'customer':'c','booking':'b'"), "'outcome':'cancelled'"},
        {DEFINE("15", "'sections':[{'section':'stalls','capacity':8},{'section':'pit','rows':"
                      "[{'row':'P','seats':9}]}]"),
         "'outcome':'defined'"},
        {BOOK("c", "{'section':'stalls','quantity':8},{'seats':['P-9']}"), "'outcome':'confirmed'"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

/* Capacity goes down over free units only, whichever numbers are taken. */
static void what_is_taken_bounds_the_capacity(void **state)
{
    static const struct rig_step steps[] = {
        {DEFINE("1", HALL), "'outcome':'defined'"},
        {BOOK("b1", "{'section':'pit','quantity':3}"), "'outcome':'confirmed'"},
        {BOOK("b2", "{'section':'pit','quantity':1}"), "'outcome':'confirmed'"},
        {ASK("x", "cancel", ",'customer':'c','booking':'b1'"), "'outcome':'cancelled'"},
        {DEFINE("2", "'sections':[{'section':'pit','capacity':1}]"), "'outcome':'defined'"},
        {BOOK("b3", "{'section':'pit','quantity':1}"), "'reason':'not_enough'"},
        {BOOK("b4", "{'seats':['A-1']}"), "'outcome':'confirmed'"},
        {DEFINE("3", "'sections':[{'section':'pit','capacity':0}]"), "'reason':'in_use'"},
        {DEFINE("4", "'sections':[{'section':'pit','capacity':2}]"), "'outcome':'defined'"},
        {BOOK("b5", "{'section':'pit','quantity':1}"), "'outcome':'confirmed'"},
        {BOOK("b6", "{'section':'pit','quantity':1}"), "'reason':'not_enough'"},
    };
    assert_true(RIG_PLAY(*state, steps));
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

static void there_is_an_end_to_pools(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
        {DEFINE("1", "'rooms':[{'room':'double','from':'1970-01-01','to':'2149-06-01','capacity':"
                     "1},{'room':'twin','from':'2026-01-01','to':'2026-02-01','capacity':1}]"),
         "'reason':'limit_exceeded','retryable':true,'detail':'more than the maximum of 65535 "
         "pools'"},
        {DEFINE("2", "'rooms':[{'room':'double','from':'1970-01-01','to':'2149-06-01','capacity':"
                     "1}]"),
         "'outcome':'defined'"},
    };
    assert_true(RIG_PLAY(rig, steps));
}

/* A mistyped year would take memory for every night up to it. */
static void there_is_an_end_to_calendars(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
        {DEFINE("1", "'rooms':[{'room':'double','from':'2026-01-01','to':'2028-01-01','capacity':"
                     "1},{'room':'double','from':'9026-01-01','to':'9026-01-02','capacity':1}]"),
         "'reason':'limit_exceeded','retryable':true,'detail':'more than the maximum of 250000 "
         "nights from the first to the last of each room type'"},
        {DEFINE("2", "'rooms':[{'room':'double','from':'2026-01-01','to':'2028-01-01','capacity':"
                     "1},{'room':'twin','from':'2026-01-01','to':'2028-01-01','capacity':1}]"),
         "'outcome':'defined'"},
        /* 248,540 nights of one, 730 of the other and, in the end, 731 */
        {DEFINE("3", "'rooms':[{'room':'double','from':'2706-06-25','to':'2706-06-26','capacity':"
                     "1}]"),
         "'outcome':'defined'"},
        {DEFINE("4", "'rooms':[{'room':'twin','from':'2028-01-01','to':'2028-01-02','capacity':"
                     "1}]"),
         "'outcome':'defined'"},
        {DEFINE("5", "'rooms':[{'room':'twin','from':'2031-01-01','to':'2031-01-02','capacity':"
                     "1}]"),
         "'reason':'limit_exceeded'"},
    };
    assert_true(RIG_PLAY(rig, steps));
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

/* Far nights of the past and of the future, one of them at a time. */
static void nights_that_were_removed_do_not_count(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
#define FAR(id, night, morning, capacity)                                  \
    DEFINE(id, "'rooms':[{'room':'twin','from':'" night "','to':'" morning \
               "','capacity':" capacity "}]")
        {FAR("1", "1970-01-01", "1970-01-02", "1"), "'outcome':'defined'"},
        {FAR("2", "3000-01-01", "3000-01-02", "1"), "'reason':'limit_exceeded'"},
        {FAR("3", "1970-01-01", "1970-01-02", "0"), "'outcome':'defined'"},
        {FAR("4", "3000-01-01", "3000-01-02", "1"), "'outcome':'defined'"},
        {FAR("5", "1970-01-01", "1970-01-02", "1"), "'reason':'limit_exceeded'"},
        {FAR("6", "9999-01-01", "9999-01-02", "1"), "'reason':'limit_exceeded'"},
    };
    assert_true(RIG_PLAY(rig, steps));
}

static void there_is_an_end_to_units_over_all_pools(void **state)
{
    struct rig *rig = *state;
    static const struct rig_step steps[] = {
        {DEFINE("1", "'rooms':[{'room':'double','from':'2026-01-01','to':'2026-01-04','capacity':"
                     "10000000}]"),
         "'reason':'limit_exceeded','retryable':true,'detail':'more than the maximum of 20000000 "
         "units'"},
        {DEFINE("2", "'rooms':[{'room':'double','from':'2026-01-01','to':'2026-01-03','capacity':"
                     "10000000}]"),
         "'outcome':'defined'"},
    };
    assert_true(RIG_PLAY(rig, steps));
}

static void there_is_an_end_to_what_is_overbooked(void **state)
{
    static const struct rig_step steps[] = {
        {DEFINE("1", "'products':[{'product':'mug','capacity':10000000}]"), "'defined'"},
        {DEFINE("2", "'products':[{'product':'mug','overbook':1}]"),
         "'reason':'limit_exceeded','retryable':true,'detail':'pool \\\"mug\\\" "
         "exceeds the maximum of 10000000 units'"},
        {DEFINE("3", "'products':[{'product':'mug','capacity':9999999,'overbook':1}]"),
         "'defined'"},
    };
    assert_true(RIG_PLAY(*state, steps));
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

static void only_new_or_only_existing(void **state)
{
    static const struct rig_step steps[] = {
        {DEFINE("1", "'only':'existing'," HALL),
         "'outcome':'refused','reason':'unknown_resource','retryable':false,'decided_at'"},
        {DEFINE("2", "'only':'new'," HALL), "'change':'created'"},
        {DEFINE("3", "'only':'new'," HALL),
         "'outcome':'refused','reason':'already_exists','retryable':false,'decided_at'"},
        {DEFINE("2", "'only':'new'," HALL), "'change':'created'"}, /* repeated */
        {DEFINE("2", HALL), "'reason':'id_reused'"},
        {DEFINE("1", "'only':'existing'," HALL), "'change':'same'"},
        {DEFINE("4", "'only':'existing','name':'n'"), "'change':'changed'"},
    };
    assert_true(RIG_PLAY(*state, steps));
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, open_rig, close_rig)
static const struct CMUnitTest tests[] = {
    RIG_TEST(a_new_resource_is_a_draft),
    RIG_TEST(what_is_left_out_stays),
    RIG_TEST(later_nights_override_earlier_ones),
    RIG_TEST(names_are_of_one_kind),
    RIG_TEST(what_is_new_must_have_units),
    RIG_TEST(no_seat_is_there_twice),
    RIG_TEST(units_in_use_stay),
    RIG_TEST(what_is_taken_bounds_the_capacity),
    RIG_TEST(a_refused_define_changes_nothing),
    RIG_TEST(there_is_an_end_to_pools),
    RIG_TEST(there_is_an_end_to_calendars),
    RIG_TEST(what_was_removed_does_not_count),
    RIG_TEST(nights_that_were_removed_do_not_count),
    RIG_TEST(there_is_an_end_to_units_over_all_pools),
    RIG_TEST(there_is_an_end_to_what_is_overbooked),
    RIG_TEST(the_chart_is_named_by_its_content),
    RIG_TEST(a_define_says_whether_it_changes_anything),
    RIG_TEST(a_define_that_comes_back_changes_nothing),
    RIG_TEST(the_same_in_the_batch_of_a_change),
    RIG_TEST(only_new_or_only_existing),
};
UNIT_TESTS(test_decide_define, tests, NULL, NULL)
