/*
 * What the codec takes as JSON, and how it writes a value down: rules of the contract and of the
 * content hash, whatever library reads.
 */
#include <stdio.h>
#include <string.h>

#include "quotes.h"
#include "tests/unit/unit.h"
#include "usher/message.h"

#define WITH(fields)                                                                          \
    "{'request_id':'r','op':'hold','resource':'s','customer':'c','items':[{'seats':['A-1']}]" \
    "," fields "}"

struct row {
    const char *json, *complaint; /* NULL: taken */
};

static const struct row rows[] = {
    /* What stands around it. */
    {WITH("'n':1") " \t\r\n", NULL},
    {WITH("'n':1") "{}", "not JSON: unexpected content after document"},
    {"\xef\xbb\xbf" WITH("'n':1"), "not JSON: byte order mark"},
    {WITH("'n':1,"), "not JSON: "},
    {WITH("'n':[1,]"), "not JSON: "},
    {WITH("'n':/* */1"), "not JSON: "},
    {WITH("'n':'\x01'"), "not JSON: unexpected control character"},

    /* Numbers: those of 64 bits and a sign, and what a double can hold. */
    {WITH("'n':[9223372036854775807,-9223372036854775808,-0,1e308,1e-400,5E-324]"), NULL},
    {WITH("'n':9223372036854775808"), "n: number too large 9223372036854775808 (byte 92)"},
    {WITH("'n':18446744073709551616"), "n: number too large 18446744073709551616 (byte 92)"},
    {WITH("'n':-9223372036854775809"), "n: number too large -9223372036854775809 (byte 92)"},
    {WITH("'n':{'a':[1e309]}"), "n.a[0]: number too large 1e309"},
    {WITH("'n':[[1],[0,{'a\x7f':1e400}]]"), "n[1][1].a?: number too large 1e400 (byte "},
    {"{'request_id':'r','op':'hold','resource':'s','items':[{'quantity':1},{'quantity':-1e999}]}",
     "items[1].quantity: number too large -1e999 (byte "},
    {WITH("'ttl_s':-0"), "ttl_s: 0 is below 1"},
    {WITH("'ttl_s':60.0"), "ttl_s: 60.0 is not an integer"},
    {WITH("'ttl_s':1e2"), "ttl_s: 100.0 is not an integer"},
    {WITH("'n':+1"), "not JSON: "},
    {WITH("'n':1."), "not JSON: "},
    {WITH("'n':-"), "not JSON: "},
    {WITH("'n':Infinity"), "not JSON: "},

    /* Text. */
    {WITH("'n':'\\ud834\\udd1e\\\\u0000\\/'"), NULL},
    {WITH("'n':'\\udc00'"), "not JSON: "},
    {WITH("'n':'\\ud834x'"), "not JSON: "},
    {WITH("'n':'\\u12g4'"), "not JSON: "},
    {WITH("'n':'\\u0000'"), "n: \\u0000 in a string (byte 93)"},
    {WITH("'a\\u0000':1"), "not JSON: \\u0000 in a string"},
    {WITH("'n':'\xc0\x80'"), "not JSON: invalid UTF-8"},
    {WITH("'n':'\xed\xa0\x80'"), "not JSON: invalid UTF-8"},
    {WITH("'n':'\xf4\x90\x80\x80'"), "not JSON: invalid UTF-8"},

    /* Keys are there once, however they are written, in what is not known as well. */
    {WITH("'n':{'a':1,'A':2,'':3}"), NULL},
    {WITH("'n':[{'a':1,'\\u0061':2}]"), "n[0]: duplicate object key \"a\" (byte 101)"},
    {WITH("'n':{'':1,'':2}"), "n: duplicate object key \"\""},
    {WITH("'n':{'\xc3\xab':1,'\xc3\xab':2}"), "n: duplicate object key \"??\""},
    {WITH("'op':null"), "not JSON: duplicate object key \"op\""},
};

static void json_is_read_strictly(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct usher_request request;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(&arena, rows[i].json), *wanted = rows[i].complaint;
        enum usher_status status = usher_request_decode(json, strlen(json), &arena, &request, &err);
        if (status != (wanted == NULL ? USHER_OK : USHER_REJECT) ||
            (wanted != NULL && strncmp(err.text, wanted, strlen(wanted)) != 0))
            fail_msg("%s\n  wanted: %s\n  got: %s", json, wanted == NULL ? "ok" : wanted, err.text);
    }
    usher_arena_deinit(&arena);
}

/* A NUL ends no message, wherever it stands: inside of text, behind a number, at the end. */
static void a_nul_is_refused_at_every_place(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_request request;
    const char *json = quotes_double(&arena, WITH("'n':[12,true,'x']"));
    size_t size = strlen(json);
    assert_int_equal(usher_request_decode(json, size, &arena, &request, NULL), USHER_OK);
    for (size_t at = 0; at <= size; at++) {
        char broken[200];
        memcpy(broken, json, at);
        broken[at] = '\0';
        memcpy(broken + at + 1, json + at, size - at);
        assert_int_equal(usher_request_decode(broken, size + 1, &arena, &request, NULL),
                         USHER_REJECT);
    }
    usher_arena_deinit(&arena);
}

/* An object of `count` keys, the last of them as the one at `as`. */
static enum usher_status decode_keys(int count, int as)
{
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_buffer json = {NULL, 0, 0};
    struct usher_request request;
    usher_buffer_text(&json, quotes_double(&arena, WITH("'n':{'last':0")));
    json.size -= 1; /* the brace */
    for (int i = 0; i < count; i++) {
        usher_buffer_text(&json, ",\"k");
        usher_buffer_number(&json, i == count - 1 ? as : i);
        usher_buffer_text(&json, "\":0");
    }
    usher_buffer_text(&json, "}}");
    enum usher_status status = usher_request_decode(json.at, json.size, &arena, &request, NULL);
    usher_buffer_deinit(&json);
    usher_arena_deinit(&arena);
    return status;
}

static void a_key_twice_is_found_in_objects_of_all_sizes(void **state)
{
    (void)state;
    for (int count = 2; count < 40; count++) {
        assert_int_equal(decode_keys(count, count - 1), USHER_OK);
        for (int as = 0; as < count - 1; as++)
            assert_int_equal(decode_keys(count, as), USHER_REJECT);
    }
    assert_int_equal(decode_keys(5000, 4999), USHER_OK);
    assert_int_equal(decode_keys(5000, 0), USHER_REJECT);
    assert_int_equal(decode_keys(5000, 4998), USHER_REJECT);
}

/* The content hash rests on these bytes. */
static void meta_has_one_canonical_form(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{ }", "{}"},
        {"{'b':1,'a':{'z':[],'y':{}},'':null}", "{'':null,'a':{'y':{},'z':[]},'b':1}"},
        {"{'a':[true,false,null]}", "{'a':[true,false,null]}"},
        {"{'a':[0,-0,-5,9223372036854775807,-9223372036854775808]}",
         "{'a':[0,0,-5,9223372036854775807,-9223372036854775808]}"},
        {"{'a':[0.1,1.0,-0.0,1E5,1e-7,1.5e300]}",
         "{'a':[0.10000000000000001,1.0,-0.0,100000.0,9.9999999999999995e-8,"
         "1.5000000000000001e300]}"},
        {"{'a':[100000000000000000.0,1e16,123456789.125,1e-400]}",
         "{'a':[1e17,10000000000000000.0,123456789.125,0.0]}"},
        {"{'a':'\\u0001\\b\\f\\n\\r\\t\\u001F\\u007f\\/\\u00e9\\ud834\\udd1e\\\\'}",
         "{'a':'\\u0001\\b\\f\\n\\r\\t\\u001F\x7f/\xc3\xa9\xf0\x9d\x84\x9e\\\\'}"},
        {"{'b\\u0022':'\\u0022'}", "{'b\\\"':'\\\"'}"},
    };
    struct usher_arena arena = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct usher_request request;
        const char *json = usher_arena_format(
            &arena, "{\"request_id\":\"r\",\"op\":\"open\",\"resource\":\"s\",\"meta\":%s}",
            quotes_double(&arena, cases[i][0]));
        assert_int_equal(usher_request_decode(json, strlen(json), &arena, &request, NULL),
                         USHER_OK);
        assert_string_equal(request.meta, quotes_double(&arena, cases[i][1]));
    }
    usher_arena_deinit(&arena);
}

/* Numbers of plans are rounded: the largest must not become one that is none. */
static void a_plan_can_be_read_again(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_buffer out = {NULL, 0, 0};
    struct usher_request request;
    const char *json = quotes_double(
        &arena, "{'request_id':'r','op':'define','resource':'s','plan':{'categories':[],'zones':[],"
                "'x':[1.7976931348623157e308,-1.79769313486231E308,0.1,2e3]}}");
    assert_int_equal(usher_request_decode(json, strlen(json), &arena, &request, NULL), USHER_OK);
    assert_string_equal(request.definition->plan,
                        quotes_double(&arena, "{'categories':[],'x':[1.7976931348623157e308,"
                                              "-1.7976931348623099e308,0.1,2000.0],'zones':[]}"));
    usher_request_encode(&request, &out);
    assert_int_equal(usher_request_decode(out.at, out.size, &arena, &request, NULL), USHER_OK);
    usher_buffer_deinit(&out);
    usher_arena_deinit(&arena);
}

/* What was decoded does not need the bytes that it was decoded of. */
static void a_request_outlives_its_bytes(void **state)
{
    (void)state;
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_request request;
    const char *json = quotes_double(&arena, WITH("'note':'a\\nb','client':'web'"));
    char bytes[200];
    size_t size = strlen(json);
    memcpy(bytes, json, size);
    assert_int_equal(usher_request_decode(bytes, size, &arena, &request, NULL), USHER_OK);
    memset(bytes, 'x', sizeof bytes);
    assert_string_equal(request.note, "a\nb");
    assert_string_equal(request.client, "web");
    assert_string_equal(request.items[0].seats[0], "A-1");
    usher_arena_deinit(&arena);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(json_is_read_strictly),
    cmocka_unit_test(a_nul_is_refused_at_every_place),
    cmocka_unit_test(a_key_twice_is_found_in_objects_of_all_sizes),
    cmocka_unit_test(meta_has_one_canonical_form),
    cmocka_unit_test(a_plan_can_be_read_again),
    cmocka_unit_test(a_request_outlives_its_bytes),
};
UNIT_TESTS(test_codec_json, tests, NULL, NULL)
