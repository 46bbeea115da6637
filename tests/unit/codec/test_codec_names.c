/*
 * The words of the contract.
 */
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_found_both_ways),
};
UNIT_TESTS(test_codec_names, tests, NULL, NULL)
