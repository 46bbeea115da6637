/*
 * Seating plans of pretix: what rows and sections they become, and what is complained of, by zone,
 * row and seat.
 */
#include <stdio.h>
#include <string.h>

#include "quotes.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

static struct usher_arena arena;

static int arena_close(void **state)
{
    (void)state;
    usher_arena_deinit(&arena);
    return 0;
}

#define SEAT(name, category)                                                                       \
    "{'seat_guid':'" name "','seat_number':'1','category':'" category "','position':{'x':1,'y':2}" \
    "}"
#define SEAT_WITH(name, category, rest)                                                    \
    "{'seat_guid':'" name "','seat_number':'1','category':'" category "','position':{'x':" \
    "1,'y':2}," rest "}"
#define ROW(name, seats) "{'row_number':'" name "','seats':[" seats "]}"
#define ZONE(name, rows) "{'name':'" name "','position':{'x':0,'y':0},'rows':[" rows "]}"
#define PLAN(zones) \
    "{'name':'p','categories':[{'name':'a','color':'red'},{'name':'b'}],'zones':[" zones "]}"

static uint32_t count;

static const struct usher_section *decoded(const char *text)
{
    const struct usher_section *sections = NULL;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    const char *json = quotes_double(&arena, text);
    if (usher_plan_decode(json, strlen(json), &arena, &sections, &count, &err) != USHER_OK)
        fail_msg("%s: %s", json, err.text);
    return sections;
}

/* ---- what a plan becomes ---- */

/* The sections and rows of a plan as JSON of a chart: every seat in its place. */
static void assert_chart(const char *plan, const char *chart)
{
    struct usher_buffer out = {NULL, 0, 0};
    const struct usher_section *sections = decoded(plan);
    usher_chart_encode(sections, count, &out);
    usher_buffer_append(&out, "", 1);
    assert_string_equal(out.at, quotes_double(&arena, chart));
    usher_buffer_deinit(&out);
}

/* A row of several categories is cut, and what was side by side stays so. */
static void each_category_is_a_section(void **state)
{
    (void)state;
    assert_chart(
        PLAN(ZONE("left", ROW("1", SEAT("g1", "b") "," SEAT("g2", "a") "," SEAT("g3", "a")) "," ROW(
                              "2", SEAT("g4", "a") "," SEAT("g5", "b") "," SEAT(
                                       "g6", "a"))) "," ZONE("right", ROW("1", SEAT("g7", "a")))),
        "{'sections':["
        "{'section':'a','rows':["
        "{'row':'1','seats':2,'first':1,'zone':'left','names':['g2','g3'],'x':[1,1],'y':[2,2]},"
        "{'row':'2','seats':1,'first':1,'zone':'left','names':['g4'],'x':[1],'y':[2]},"
        "{'row':'2','seats':1,'first':1,'zone':'left','names':['g6'],'x':[1],'y':[2]},"
        "{'row':'1','seats':1,'first':1,'zone':'right','names':['g7'],'x':[1],'y':[2]}]},"
        "{'section':'b','rows':["
        "{'row':'1','seats':1,'first':1,'zone':'left','names':['g1'],'x':[1],'y':[2]},"
        "{'row':'2','seats':1,'first':1,'zone':'left','names':['g5'],'x':[1],'y':[2]}]}]}");
    const struct usher_section *section = decoded(PLAN(ZONE("z", ROW("1", SEAT("g", "b")))));
    assert_int_equal(count, 1);
    assert_string_equal(section->section, "b");
    assert_false(section->price_given || section->capacity_given || section->overbook_given);
    assert_null(section->rates);
}

/* The position of a seat is relative to its row, and that to its zone. */
static void positions_add_up(void **state)
{
    (void)state;
    assert_chart(
        "{'categories':[{'name':'a'}],'size':{'width':9,'height':9},'zones':[{'zone_id':'id',"
        "'position':{'x':10.2,'y':-3},'areas':[{'shape':'circle'}],'rows':[{'row_number':'',"
        "'row_label':'R','position':{'x':0.3,'y':1},'seats':["
        "{'seat_guid':'p','category':'a','position':{'x':0,'y':0},'radius':12},"
        "{'seat_guid':'q','category':'a','position':{'x':-20.5,'y':1.49}}]}]}]}",
        "{'sections':[{'section':'a','rows':[{'row':'','seats':2,'first':1,'zone':'id',"
        "'names':['p','q'],'x':[11,-10],'y':[-2,-1]}]}]}");
    assert_chart("{'categories':[{'name':'a'}],'zones':[{'rows':[{'row_number':'A','seats':["
                 "{'seat_guid':'p','category':'a','position':{'x':1,'y':1}}]}]}]}",
                 "{'sections':[{'section':'a','rows':[{'row':'A','seats':1,'first':1,"
                 "'names':['p'],'x':[1],'y':[1]}]}]}");
}

/* Extensions of seats: places are counted within the row that a run becomes. */
static void ranks_and_features_are_taken_along(void **state)
{
    (void)state;
    assert_chart(
        PLAN(ZONE(
            "z",
            ROW("1",
                SEAT_WITH("g1", "b", "'rank':9,'features':['front']") "," SEAT_WITH("g2", "a", "'rank':2,'features':['front','aisle','aisle']") "," SEAT_WITH(
                    "g3", "a",
                    "'rank':0,'features':[]") "," SEAT_WITH("g4", "a",
                                                            "'rank':1,'features':['aisle']")))),
        "{'sections':[{'section':'a','rows':[{'row':'1','seats':3,'first':1,'zone':'z',"
        "'names':['g2','g3','g4'],'ranks':[2,0,1],'x':[1,1,1],'y':[2,2,2],"
        "'features':{'aisle':[1,3],'front':[1]}}]},"
        "{'section':'b','rows':[{'row':'1','seats':1,'first':1,'zone':'z','names':['g1'],"
        "'ranks':[9],'x':[1],'y':[2],'features':{'front':[1]}}]}]}");
}

#define UUID "3f2b8c1e-5a4d-4e6f-9b7a-0123456789"
#define NUMBERED(name, number) \
    "{'seat_guid':'" name "','seat_number':'" number "','category':'a','position':{'x':1,'y':2}}"

/* People know a seat by its number where its guid is a UUID, in whichever form. */
static void numbers_of_uuids_are_kept(void **state)
{
    (void)state;
    assert_chart(
        PLAN(ZONE(
            "z",
            ROW("1",
                NUMBERED(UUID "aB", "7") "," NUMBERED("3F2B8C1E5A4D4E6F9B7A0123456789CD", "8a") "," NUMBERED(
                    UUID "ef",
                    "") "," NUMBERED("z-1-9",
                                     "9"))) "," ZONE("y",
                                                     ROW("1",
                                                         NUMBERED(UUID "a", "7") "," NUMBERED(
                                                             UUID "abc",
                                                             "8") "," NUMBERED("g3f2b8c1e-5a4d-"
                                                                               "4e6f-9b7a-"
                                                                               "0123456789a",
                                                                               "9")))),
        "{'sections':[{'section':'a','rows':[{'row':'1','seats':4,'first':1,'zone':'z',"
        "'names':['" UUID "aB','3F2B8C1E5A4D4E6F9B7A0123456789CD','" UUID "ef','z-1-9'],"
        "'numbers':['7','8a','" UUID "ef','z-1-9'],'x':[1,1,1,1],'y':[2,2,2,2]},"
        "{'row':'1','seats':3,'first':1,'zone':'y','names':['" UUID "a','" UUID "abc',"
        "'g3f2b8c1e-5a4d-4e6f-9b7a-0123456789a'],'x':[1,1,1],'y':[2,2,2]}]}]}");
}

/* What a chart holds comes back from it: the plan itself is not needed any more. */
static void the_chart_of_a_plan_can_be_read(void **state)
{
    (void)state;
    const struct usher_section *sections = decoded(
        PLAN(ZONE("z", ROW("", SEAT_WITH("g1", "a", "'rank':3,'features':['x']") "," SEAT_WITH(
                                   "g2", "a", "'rank':4")))));
    struct usher_buffer once = {NULL, 0, 0}, twice = {NULL, 0, 0};
    const struct usher_section *back = NULL;
    uint32_t back_count = 0;
    usher_chart_encode(sections, count, &once);
    assert_int_equal(usher_chart_decode(once.at, once.size, &arena, &back, &back_count, NULL),
                     USHER_OK);
    usher_chart_encode(back, back_count, &twice);
    assert_int_equal(once.size, twice.size);
    assert_memory_equal(once.at, twice.at, once.size);
    usher_buffer_deinit(&once);
    usher_buffer_deinit(&twice);
}

/* ---- what a plan must not be ---- */

#define ID65 "12345678901234567890123456789012345678901234567890123456789012345"

static const char *const faults[][2] = {
    {"", "empty value"},
    {"[]", "an array instead of a JSON object"},
    {"{}", "plan: categories: missing, or not a list"},
    {"{'categories':[]}", "plan: zones: missing"},
    {"{'categories':[7],'zones':[]}", "plan: not an object"},
    {"{'categories':[{}],'zones':[]}", "plan: a category has no name"},
    {"{'categories':[{'name':'a/b'}],'zones':[]}", "plan: name: \"a/b\" has a slash"},
    {"{'categories':[{'name':''}],'zones':[]}", "plan: name: empty"},
    {"{'categories':[{'name':'" ID65 "'}],'zones':[]}",
     "plan: name: 65 bytes exceed the maximum of 64"},
    {"{'categories':[{'name':'a'},{'name':'b'},{'name':'a'}],'zones':[]}",
     "plan: duplicate category \"a\""},
    {PLAN(""), "plan: no seats"},
    {PLAN(ZONE("z", "")), "plan: no seats"},
    {PLAN("7," ZONE("z", ROW("1", SEAT("g", "a")))), "zone 1: not an object"},
    {PLAN("{'name':'y'}," ZONE("z", ROW("1", SEAT("g", "a")))), "zone \"y\": rows: missing"},
    {PLAN("{'name':'a\\\\b','rows':[]}," ZONE("z", ROW("1", SEAT("g", "a")))),
     "zone 1: name: \"a\\b\" has a control character"},
    {PLAN("{'position':{'x':1},'rows':[]}," ZONE("z", ROW("1", SEAT("g", "a")))),
     "zone 1: position: x and y are not numbers"},
    {PLAN(ZONE("z", "[]," ROW("1", SEAT("g", "a")))), "zone \"z\", row 1: not an object"},
    {PLAN(ZONE("z", ROW("1", SEAT("g", "a")) ",{'seats':[]}")),
     "zone \"z\", row 2: row_number: missing"},
    {PLAN(ZONE("z", "{'row_number':5,'seats':[]}," ROW("1", SEAT("g", "a")))),
     "zone \"z\", row 1: row_number: 5 is not a string"},
    {PLAN(ZONE("z", "{'row_number':'5'}," ROW("1", SEAT("g", "a")))),
     "zone \"z\", row \"5\": seats: missing"},
    {PLAN(ZONE("z", ROW("1", SEAT("g", "a") ",'x'"))), "zone \"z\", row \"1\", seat 2: not an"},
    {PLAN(ZONE("z", ROW("1", "{'category':'a','position':{'x':0,'y':0}}"))),
     "zone \"z\", row \"1\", seat 1: seat_guid: missing"},
    {PLAN(ZONE("z", ROW("1", SEAT("", "a")))), "row \"1\", seat 1: seat_guid: empty"},
    {PLAN(ZONE("z", ROW("1", SEAT(ID65, "a")))),
     "seat 1: seat_guid: 65 bytes exceed the maximum of 64"},
    {PLAN(ZONE("z", ROW("1", SEAT("a\\\\b", "a")))), "seat 1: seat_guid: \"a\\b\" has a control"},
    {PLAN(ZONE("z", ROW("1", SEAT("g", "a") "," SEAT("h", "vip")))),
     "zone \"z\", row \"1\", seat \"h\": unknown category \"vip\""},
    {PLAN(ZONE("z", ROW("1", SEAT("g", "")))), "seat \"g\": unknown category \"\""},
    {PLAN(ZONE("z", ROW("1", "{'seat_guid':'g','position':{'x':0,'y':0}}"))),
     "seat \"g\": unknown category \"\""},
    {"{'categories':[],'zones':[" ZONE("z", ROW("1", SEAT("g", "a"))) "]}",
     "seat \"g\": unknown category \"a\""},
    {PLAN(ZONE("z", ROW("1", "{'seat_guid':'g','category':'a'}"))),
     "seat \"g\": position: missing"},
    {PLAN(ZONE("z", ROW("1", "{'seat_guid':'g','category':'a','position':{'x':'0','y':0}}"))),
     "seat \"g\": position: x and y are not numbers"},
    {PLAN(ZONE("z", ROW("1", "{'seat_guid':'g','category':'a','position':{'x':1e300,'y':0}}"))),
     "seat \"g\": position: out of range"},
    {PLAN(ZONE("z", ROW("1", SEAT_WITH("g", "a", "'rank':-1")))), "seat 1: rank: -1 is below 0"},
    {PLAN(ZONE("z", ROW("1", SEAT_WITH("g", "a", "'features':[7]")))),
     "seat \"g\": features: 7 is not a string"},
    {PLAN(ZONE("z", ROW("1", SEAT_WITH("g", "a", "'rank':1") "," SEAT("h", "a")))),
     "zone \"z\", row \"1\", seat \"h\": no rank, but others in its row have one"},
    {PLAN(ZONE("z", ROW("1", SEAT("g", "a"))) "," ZONE(
         "y", ROW("2", SEAT("f", "b") "," SEAT("g", "b")))),
     "zone \"y\", row \"2\", seat \"g\": also in zone \"z\", row \"1\""},
};

static void each_fault_names_zone_row_and_seat(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const struct usher_section *sections = NULL;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(&arena, faults[i][0]);
        enum usher_status status =
            usher_plan_decode(json, strlen(json), &arena, &sections, &count, &err);
        if (status != USHER_REJECT || strstr(err.text, faults[i][1]) == NULL)
            fail_msg("%s\n  wanted: %s\n  got: %s", json, faults[i][1], err.text);
    }
}

/* ---- large ones ---- */

static void seats_append(struct usher_buffer *out, uint32_t first, uint32_t seats, const char *rest)
{
    for (uint32_t i = first; i < first + seats; i++) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       "%s{'seat_guid':'%u','category':'a','position':{'x':%u,'y':0}%s}",
                       i > first ? "," : "", i, i, rest);
        usher_buffer_text(out, text);
    }
}

/* A row of `seats` plain ones and one more for each of so many features. */
static enum usher_status row_decode(uint32_t seats, uint32_t features, struct usher_error *err)
{
    const struct usher_section *sections = NULL;
    struct usher_buffer plan = {NULL, 0, 0};
    usher_buffer_text(&plan, "{'categories':[{'name':'a'}],'zones':[{'rows':[{'row_number':'A',"
                             "'seats':[");
    seats_append(&plan, 0, seats, "");
    for (uint32_t i = 0; i < features; i++) {
        char rest[32];
        (void)snprintf(rest, sizeof rest, ",'features':['f%u']", i);
        usher_buffer_text(&plan, ",");
        seats_append(&plan, seats + i, 1, rest);
    }
    usher_buffer_text(&plan, "]}]}]}");
    usher_buffer_append(&plan, "", 1);
    const char *json = quotes_double(&arena, plan.at);
    usher_buffer_deinit(&plan);
    return usher_plan_decode(json, strlen(json), &arena, &sections, &count, err);
}

static void rows_end_at_their_limits(void **state)
{
    (void)state;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    assert_int_equal(row_decode(10000, 0, &err), USHER_OK);
    assert_int_equal(row_decode(10001, 0, &err), USHER_REJECT);
    assert_string_equal(err.text, "row \"A\": 10001 seats exceed the maximum of 10000");
    assert_int_equal(row_decode(1, 100, &err), USHER_OK);
    assert_int_equal(row_decode(1, 101, &err), USHER_REJECT);
    assert_string_equal(err.text, "row \"A\": 101 features exceed the maximum of 100");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_category_is_a_section),
    cmocka_unit_test(positions_add_up),
    cmocka_unit_test(ranks_and_features_are_taken_along),
    cmocka_unit_test(numbers_of_uuids_are_kept),
    cmocka_unit_test(the_chart_of_a_plan_can_be_read),
    cmocka_unit_test(each_fault_names_zone_row_and_seat),
    cmocka_unit_test(rows_end_at_their_limits),
};
UNIT_TESTS(test_codec_plan, tests, NULL, arena_close)
