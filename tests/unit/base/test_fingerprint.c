/*
 * The fingerprint of a record is stored: these values, calculated by Python's hashlib, must never
 * change.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/base/fingerprint.h"

static int64_t of(const char *key, const char *value)
{
    return record_fingerprint(key, key ? strlen(key) : 0, value, value ? strlen(value) : 0);
}

static void test_known_values(void **state)
{
    (void)state;
    assert_true(of("show:hamlet", "{}") == INT64_C(-4950038451314578847));
    assert_true(of(NULL, "{}") == INT64_C(6264185141802537235));
    assert_true(of("", "{}") == INT64_C(-7209473859906413805));
    assert_true(of(NULL, NULL) == INT64_C(1343108722416799325));
}

/* Where the key ends counts. */
static void test_key_and_value_do_not_run_together(void **state)
{
    (void)state;
    assert_true(of("a", "bc") == INT64_C(-1617983570760238644));
    assert_true(of("ab", "c") == INT64_C(2957243908281160298));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_known_values),
    cmocka_unit_test(test_key_and_value_do_not_run_together),
};
UNIT_TESTS(test_fingerprint, tests, NULL, NULL)
