/*
 * Limits, quotas and rates as the database keeps them: canonical text, and back again.
 */
#include <string.h>

#include "producer/codec/stored.h"
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

static struct stored_terms decoded(const char *text)
{
    struct stored_terms terms;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    const char *json = quotes_double(&arena, text);
    if (stored_terms_decode(json, strlen(json), &arena, &terms, &err) != USHER_OK)
        fail_msg("%s: %s", json, err.text);
    return terms;
}

/* ---- terms ---- */

static const char everything[] =
    "{'limits':{'units_min':1,'units_per_request':8,'units_per_customer':10,"
    "'holds_per_customer':2,'hold_total_s':1800,'house_hold_total_s':2592000,"
    "'groups':[{'pools':['stalls','circle'],'limit':4},"
    "{'pools':['p'],'limit':1}]},'quotas':[{'quota':'house','pools':['stalls','p'],'limit':100},"
    "{'quota':'press','pools':['p'],'limit':0}]}";

static const char *const canonical[] = {
    "{}",
    "{'limits':{}}",
    "{'limits':{'holds_per_customer':3}}",
    "{'limits':{'groups':[{'pools':['a'],'limit':0}]}}",
    everything,
    "{'quotas':[{'quota':'q','pools':['p'],'limit':20000000}]}",
    "{'quotas':[{'quota':'q','pools':['p'],'rate':'r','closes_at':'2030-01-01T00:00:00.000Z'}]}",
};

static void terms_come_back_as_they_were(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof canonical / sizeof canonical[0]; i++) {
        struct stored_terms terms = decoded(canonical[i]);
        struct usher_buffer out = {NULL, 0, 0};
        stored_terms_encode(&terms, &out);
        usher_buffer_append(&out, "", 1);
        assert_string_equal(out.at, quotes_double(&arena, canonical[i]));
        usher_buffer_deinit(&out);
    }
}

static void each_term_has_its_place(void **state)
{
    (void)state;
    struct stored_terms terms = decoded(everything);
    assert_int_equal(terms.limits->units_min, 1);
    assert_int_equal(terms.limits->units_per_request, 8);
    assert_int_equal(terms.limits->units_per_customer, 10);
    assert_int_equal(terms.limits->holds_per_customer, 2);
    assert_int_equal(terms.limits->hold_total_s, 1800);
    assert_int_equal(terms.limits->house_hold_total_s, 2592000);
    assert_int_equal(terms.limits->group_count, 2);
    assert_int_equal(terms.limits->groups[0].pool_count, 2);
    assert_string_equal(terms.limits->groups[0].pools[1], "circle");
    assert_int_equal(terms.limits->groups[1].limit, 1);
    assert_int_equal(terms.quota_count, 2);
    assert_string_equal(terms.quotas[1].quota, "press");
    assert_string_equal(terms.quotas[0].pools[1], "p");
    assert_int_equal(terms.quotas[0].limit, 100);

    terms = decoded(canonical[0]);
    assert_null(terms.limits);
    assert_int_equal(terms.quota_count, 0);
    terms = decoded(canonical[2]);
    assert_int_equal(terms.limits->units_min, 0);
    assert_int_equal(terms.limits->units_per_request, 0);
    assert_int_equal(terms.limits->units_per_customer, 0);
    assert_int_equal(terms.limits->holds_per_customer, 3);
}

static void what_are_no_terms_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "empty value instead of a JSON object"},
        {"[]", "an array instead of a JSON object"},
        {"{'limits':[]}", "limits: an array is not an object"},
        {"{'limits':{'units_min':0}}", "limits.units_min: 0 is below 1"},
        {"{'quotas':{}}", "quotas: an object is not an array"},
        {"{'quotas':[{'quota':'q','pools':[],'limit':1}]}", "quotas[0].pools: empty"},
        {"{'quotas':[{'quota':'q','pools':['p']}]}", "quotas[0].limit: missing"},
        {"{'quotas':[{'quota':'q','pools':['p'],'rate':'r'}]}", "quotas[0].limit: missing"},
        {"{'quotas':[{'quota':'q','pools':['p'],'limit':1},{'quota':'q','pools':['o'],'limit':1}]}",
         "quotas: duplicate quota \"q\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stored_terms terms;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(&arena, cases[i][0]);
        assert_int_equal(stored_terms_decode(json, strlen(json), &arena, &terms, &err),
                         USHER_REJECT);
        if (strstr(err.text, cases[i][1]) == NULL)
            fail_msg("%s: %s", json, err.text);
    }
}

/* ---- rates ---- */

/* The order is kept: the first listed is the price where no rate is named. */
static void rates_come_back_in_their_order(void **state)
{
    (void)state;
    const char *json = quotes_double(&arena, "[['child',2500],['adult',4500],['Zo\xc3\xab',0]]");
    const struct usher_rate *rates = NULL;
    uint32_t count = 0;
    assert_int_equal(stored_rates_decode(json, strlen(json), &arena, &rates, &count, NULL),
                     USHER_OK);
    assert_int_equal(count, 3);
    assert_string_equal(rates[0].rate, "child");
    assert_int_equal(rates[0].price, 2500);
    assert_string_equal(rates[1].rate, "adult");
    assert_int_equal(rates[2].price, 0);
    struct usher_buffer out = {NULL, 0, 0};
    stored_rates_encode(rates, count, &out);
    usher_buffer_append(&out, "", 1);
    assert_string_equal(out.at, json);
    usher_buffer_deinit(&out);
}

static void what_are_no_rates_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "empty value instead of a JSON array"},
        {"{}", "an object instead of a JSON array"},
        {"[", "not JSON"},
        {"[]", "rates: empty"},
        {"[7]", "rates[0]: not a name and a price"},
        {"[['a']]", "rates[0]: not a name and a price"},
        {"[['a',1,2]]", "rates[0]: not a name and a price"},
        {"[[1,'a']]", "rates[0].rates: 1 is not a string"},
        {"[['',1]]", "rates[0].rates: empty"},
        {"[['a','1']]", "rates[0].a: \"1\" is not an integer"},
        {"[['a',-1]]", "rates[0].a: -1 is not in 0 … 1000000000000"},
        {"[['a',1],['b',1],['a',2]]", "rates: duplicate rate \"a\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct usher_rate *rates = NULL;
        uint32_t count = 7;
        struct usher_error err = {USHER_EXIT_DONE, ""};
        const char *json = quotes_double(&arena, cases[i][0]);
        assert_int_equal(stored_rates_decode(json, strlen(json), &arena, &rates, &count, &err),
                         USHER_REJECT);
        if (strstr(err.text, cases[i][1]) == NULL)
            fail_msg("%s: %s", json, err.text);
    }
}

static void rates_end_at_their_limit(void **state)
{
    (void)state;
    for (int count = USHER_RATES_MAX; count <= USHER_RATES_MAX + 1; count++) {
        struct usher_buffer text = {NULL, 0, 0};
        usher_buffer_text(&text, "[");
        for (int i = 0; i < count; i++) {
            usher_buffer_text(&text, i > 0 ? ",[\"" : "[\"");
            usher_buffer_number(&text, i);
            usher_buffer_text(&text, "\",1]");
        }
        usher_buffer_text(&text, "]");
        const struct usher_rate *rates = NULL;
        uint32_t read = 0;
        assert_int_equal(stored_rates_decode(text.at, text.size, &arena, &rates, &read, NULL),
                         count == USHER_RATES_MAX ? USHER_OK : USHER_REJECT);
        usher_buffer_deinit(&text);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(terms_come_back_as_they_were),
    cmocka_unit_test(each_term_has_its_place),
    cmocka_unit_test(what_are_no_terms_is_rejected),
    cmocka_unit_test(rates_come_back_in_their_order),
    cmocka_unit_test(what_are_no_rates_is_rejected),
    cmocka_unit_test(rates_end_at_their_limit),
};
UNIT_TESTS(test_codec_terms, tests, NULL, arena_close)
