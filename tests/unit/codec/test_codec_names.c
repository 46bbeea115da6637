/*
 * The words of the contract.
 */
#include <yyjson.h>

#include "tests/unit/unit.h"
#include "usher/message.h"

static void names_are_found_both_ways(void **state)
{
    (void)state;
    for (int op = 1; op < USHER_OP_COUNT; op++)
        assert_int_equal(usher_op_named(usher_op_name((enum usher_op)op)), op);
    for (int outcome = 1; outcome < USHER_OUTCOME_COUNT; outcome++) {
        assert_int_equal(usher_outcome_named(usher_outcome_name((enum usher_outcome)outcome)),
                         outcome);
    }
    for (int reason = 1; reason < USHER_REASON_COUNT; reason++)
        assert_int_equal(usher_reason_named(usher_reason_name((enum usher_reason)reason)), reason);
    for (int state_index = 1; state_index <= USHER_CLOSED; state_index++) {
        enum usher_sale_state sale = (enum usher_sale_state)state_index;
        assert_int_equal(usher_sale_state_named(usher_sale_state_name(sale)), sale);
    }
    for (int i = 1; i <= USHER_RANDOM; i++) {
        enum usher_strategy strategy = (enum usher_strategy)i;
        assert_int_equal(usher_strategy_named(usher_strategy_name(strategy)), strategy);
    }
    for (int i = 1; i <= USHER_SAME; i++) {
        enum usher_change change = (enum usher_change)i;
        assert_int_equal(usher_change_named(usher_change_name(change)), change);
    }
    assert_null(usher_strategy_name(USHER_STRATEGY_ABSENT));
    assert_null(usher_change_name(USHER_CHANGE_ABSENT));
    assert_int_equal(usher_change_named("unchanged"), USHER_CHANGE_ABSENT);
    assert_int_equal(usher_strategy_named("worst"), USHER_STRATEGY_ABSENT);
    assert_null(usher_op_name(USHER_OP_NONE));
    assert_null(usher_reason_name(USHER_REASON_NONE));
    assert_null(usher_op_name((enum usher_op)77));
    assert_null(usher_outcome_name((enum usher_outcome)77));
    assert_null(usher_reason_name((enum usher_reason)77));
    assert_null(usher_sale_state_name((enum usher_sale_state)77));
    assert_null(usher_strategy_name((enum usher_strategy)77));
    assert_null(usher_change_name((enum usher_change)77));
    assert_false(usher_reason_retryable((enum usher_reason)77));
    assert_int_equal(usher_op_named("swap"), USHER_OP_NONE);
    assert_int_equal(usher_op_named(NULL), USHER_OP_NONE);
    assert_int_equal(usher_sale_state_named("on"), USHER_STATE_ABSENT);
}

static void a_new_id_may_succeed_after_these(void **state)
{
    (void)state;
    static const char *const retryable[] = {"too_late",     "not_on_sale", "limit_exceeded",
                                            "in_use",       "unit_taken",  "not_enough",
                                            "not_together", "internal"};
    size_t count = 0;
    for (int reason = 1; reason < USHER_REASON_COUNT; reason++)
        count += usher_reason_retryable((enum usher_reason)reason) ? 1 : 0;
    assert_int_equal(count, sizeof retryable / sizeof retryable[0]);
    for (size_t i = 0; i < count; i++)
        assert_true(usher_reason_retryable(usher_reason_named(retryable[i])));
}

static const char *op_name(size_t op)
{
    return usher_op_name((enum usher_op)op);
}

static const char *outcome_name(size_t outcome)
{
    return usher_outcome_name((enum usher_outcome)outcome);
}

static const char *reason_name(size_t reason)
{
    return usher_reason_name((enum usher_reason)reason);
}

/* Whether the schema of answers lists these names, and no others, in the order of their enum. */
static void check_words(yyjson_val *properties, const char *field, size_t count,
                        const char *(*name)(size_t))
{
    yyjson_val *words = yyjson_obj_get(yyjson_obj_get(properties, field), "enum");
    for (size_t i = 1; i < count; i++)
        if (!yyjson_equals_str(yyjson_arr_get(words, i - 1), name(i)))
            fail_msg("answer.schema.json: \"%s\" lacks \"%s\" in its place", field, name(i));
    assert_int_equal(yyjson_arr_size(words), count - 1);
}

/* It is what others read the precedence of reasons in. */
static void the_schema_has_the_words_in_their_order(void **state)
{
    (void)state;
    yyjson_doc *schema =
        yyjson_read_file("schema/messages/answer.schema.json", YYJSON_READ_NOFLAG, NULL, NULL);
    yyjson_val *properties = yyjson_obj_get(yyjson_doc_get_root(schema), "properties");
    check_words(properties, "op", USHER_OP_COUNT, op_name);
    check_words(properties, "outcome", USHER_OUTCOME_COUNT, outcome_name);
    check_words(properties, "reason", USHER_REASON_COUNT, reason_name);
    yyjson_doc_free(schema);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_found_both_ways),
    cmocka_unit_test(the_schema_has_the_words_in_their_order),
    cmocka_unit_test(a_new_id_may_succeed_after_these),
};
UNIT_TESTS(test_codec_names, tests, NULL, NULL)
