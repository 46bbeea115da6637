/*
 * What is not asked for: zeroed structs, zeros that are given, and fields that nobody knows.
 */
#include <string.h>

#include "decoded.h"
#include "quotes.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

static struct usher_arena arena;

static struct usher_request decoded(const char *text)
{
    return request_decoded(&arena, text);
}

static int arena_close(void **state)
{
    (void)state;
    usher_arena_deinit(&arena);
    return 0;
}

/* ---- what is zeroed asks for nothing ---- */

static void assert_encodes(const struct usher_request *request, const char *wanted)
{
    struct usher_buffer out = {NULL, 0, 0};
    usher_request_encode(request, &out);
    usher_buffer_append(&out, "", 1);
    assert_string_equal(out.at, quotes_double(&arena, wanted));
    usher_buffer_deinit(&out);
}

static void a_zeroed_request_asks_for_nothing(void **state)
{
    (void)state;
    struct usher_request request = {0};
    assert_encodes(&request, "{}");
    for (int op = USHER_OP_DEFINE; op < USHER_OP_COUNT; op++) {
        request.op = (enum usher_op)op;
        assert_encodes(&request,
                       usher_arena_format(&arena, "{'op':'%s'}", usher_op_name(request.op)));
    }
}

static void a_zeroed_item_asks_for_nothing(void **state)
{
    (void)state;
    static const struct usher_item items[] = {
        {.kind = USHER_SEATS},
        {.kind = USHER_SECTION},
        {.kind = USHER_ROOM},
        {.kind = USHER_PRODUCT},
        {.kind = USHER_SECTION, .pool = "stalls"},
    };
    const struct usher_request request = {.items = items, .item_count = 5};
    assert_encodes(&request, "{'items':[{},{},{},{},{'section':'stalls'}]}");
}

static void a_zeroed_definition_changes_nothing(void **state)
{
    (void)state;
    static const struct usher_row row;
    static const struct usher_section sections[] = {
        {.section = NULL}, {.section = "stalls"}, {.rows = &row, .row_count = 1}};
    static const struct usher_room room;
    static const struct usher_product product;
    static const struct usher_quota quota;
    static const struct usher_limits limits;
    struct usher_definition definition = {0};
    const struct usher_request request = {.definition = &definition};
    assert_encodes(&request, "{}");
    definition.limits = &limits;
    assert_encodes(&request, "{'limits':{}}");
    definition = (struct usher_definition){.sections = sections,
                                           .section_count = 3,
                                           .rooms = &room,
                                           .room_count = 1,
                                           .products = &product,
                                           .product_count = 1,
                                           .quotas = &quota,
                                           .quota_count = 1};
    assert_encodes(&request, "{'sections':[{},{'section':'stalls'},{'rows':[{}]}],'rooms':[{}],"
                             "'products':[{}],'quotas':[{}]}");
}

static void zero_is_written_where_it_is_given(void **state)
{
    (void)state;
#define GIVEN .price_given = true, .capacity_given = true, .overbook_given = true
#define ZEROS "'price':0,'capacity':0,'overbook':0"
    static const char *const no_pools[1];
    static const struct usher_row rows[] = {{.row = "A", .first_given = true}, {.row = "B"}};
    static const struct usher_section sections[] = {{.section = "a", GIVEN},
                                                    {.section = "b", .rows = rows, .row_count = 2}};
    static const struct usher_room room = {.room = "c", .to = 1, GIVEN};
    static const struct usher_product product = {.product = "d", GIVEN};
    static const struct usher_quota quotas[] = {{.quota = "e", .limit_given = true},
                                                {.quota = "f", .pools = no_pools}};
    const struct usher_definition definition = {.sections = sections,
                                                .section_count = 2,
                                                .rooms = &room,
                                                .room_count = 1,
                                                .products = &product,
                                                .product_count = 1,
                                                .quotas = quotas,
                                                .quota_count = 2};
    const struct usher_request request = {.definition = &definition};
    assert_encodes(&request,
                   "{'sections':[{'section':'a'," ZEROS "},{'section':'b','rows':[{'row':'A',"
                   "'first':0},{'row':'B'}]}],'rooms':[{'room':'c','from':'1970-01-01','to':"
                   "'1970-01-02','capacity':0,'price':0,'overbook':0}],'products':[{'product':'d',"
                   "'capacity':0,'price':0,'overbook':0}],'quotas':[{'quota':'e','limit':0},"
                   "{'quota':'f','pools':[]}]}");
}

static void the_instant_that_stands_for_none_is_refused(void **state)
{
    (void)state;
    static const char *const fields[] = {"deadline", "wait_until", "return_at", "opens_at"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct usher_request request;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(
            &arena, usher_arena_format(&arena,
                                       "{'request_id':'a','op':'define','resource':'s',"
                                       "'%s':'1970-01-01T00:00:00.000Z'}",
                                       fields[i]));
        assert_int_equal(usher_request_decode(json, strlen(json), &arena, &request, &err),
                         USHER_REJECT);
        assert_non_null(strstr(err.text, "is not after 1970 began"));
    }
}

/* ---- what a schema registry puts in front ---- */

static void framing_is_skipped_or_named(void **state)
{
    (void)state;
    static const char json[] =
        "\0\0\0\0\7\n{\"request_id\":\"a\",\"op\":\"probe\",\"resource\":\"s\"}";
    static const char avro[] = "\0\0\0\0\7\x02\x06"
                               "abc";
    struct usher_request request;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    assert_int_equal(usher_request_decode(json, sizeof json - 1, &arena, &request, &err), USHER_OK);
    assert_string_equal(request.request_id, "a");
    assert_int_equal(usher_request_decode(avro, sizeof avro - 1, &arena, &request, &err),
                     USHER_REJECT);
    assert_string_equal(err.text, "looks like Schema Registry framing: publish plain JSON");
    assert_int_equal(usher_request_decode(json, 5, &arena, &request, &err), USHER_REJECT);
    assert_non_null(strstr(err.text, "not JSON"));
}

/* ---- what nobody knows ---- */

static void assert_ignores(const char *json, const char *wanted)
{
    struct usher_request request = decoded(json);
    struct usher_buffer names = {NULL, 0, 0};
    for (uint32_t i = 0; i < request.ignored_count; i++) {
        usher_buffer_text(&names, request.ignored[i]);
        usher_buffer_text(&names, " ");
    }
    usher_buffer_append(&names, "", 1);
    assert_string_equal(names.at, wanted);
    usher_buffer_deinit(&names);
}

static void unknown_fields_are_named(void **state)
{
    (void)state;
#define HOLD(more) "{'request_id':'a','op':'hold','resource':'s','customer':'c'," more "}"
    assert_ignores(HOLD("'items':[{'seats':['A-1']}]"), "");
    assert_ignores(HOLD("'items':[{'section':'x','quantity':1,'togehter':true}],'ttl':60"),
                   "ttl items[0].togehter ");
    assert_ignores(HOLD("'items':[{'seats':['A-1']}],'ttl':null,'meta':{'any':1}"), "");
    /* A hold is not a define, and a define is not a plan. */
    assert_ignores(HOLD("'items':[{'seats':['A-1']}],'sections':[]"), "sections ");
    assert_ignores("{'request_id':'a','op':'define','resource':'s','nmae':'x','name':'y',"
                   "'sections':[{'section':'a','prize':1,'rows':[{'row':'A','seats':1,'sets':2}]}],"
                   "'rooms':[{'room':'r','from':'2026-01-01','to':'2026-01-02','till':1}],"
                   "'products':[{'product':'p','properties':{'x':1},'proprties':{}}],"
                   "'limits':{'units':1,'groups':[{'pools':['a'],'limit':1,'of':2}]},"
                   "'quotas':[{'quota':'q','pools':[],'max':1}],'plan':{'zones':[],'mine':1}}",
                   "nmae sections[0].prize sections[0].rows[0].sets rooms[0].till "
                   "products[0].proprties limits.units limits.groups[0].of quotas[0].max ");
}

static void unknown_fields_are_bounded(void **state)
{
    (void)state;
    assert_ignores(HOLD("'items':[{'seats':['A-1']}],'a':1,'b':1,'d':1,'e':1,'f':1,'g':1,'h':1,"
                        "'i':1,'j':1,'k':1,'l':1,'m':1"),
                   "a b d e f g h i j k ");
#define SIXTY "123456789012345678901234567890123456789012345678901234567890"
    assert_ignores(HOLD("'items':[{'seats':['A-1']}],'" SIXTY "12345':1,'" SIXTY "123é':1"),
                   SIXTY "1234 " SIXTY "123 ");
}
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_zeroed_request_asks_for_nothing),
    cmocka_unit_test(a_zeroed_item_asks_for_nothing),
    cmocka_unit_test(a_zeroed_definition_changes_nothing),
    cmocka_unit_test(zero_is_written_where_it_is_given),
    cmocka_unit_test(the_instant_that_stands_for_none_is_refused),
    cmocka_unit_test(framing_is_skipped_or_named),
    cmocka_unit_test(unknown_fields_are_named),
    cmocka_unit_test(unknown_fields_are_bounded),
};
UNIT_TESTS(test_codec_given, tests, NULL, arena_close)
