/* The histogram: its error bound, at every size of value. */
#include <stdlib.h>

#include "histogram.h"
#include "tests/unit/unit.h"

static struct histogram histogram;

static int setup(void **state)
{
    (void)state;
    histogram = (struct histogram){0};
    return 0;
}

static void test_empty(void **state)
{
    (void)state;
    assert_int_equal(histogram_quantile(&histogram, 0.5), 0);
}

/* With one large value behind it, so that the maximum does not correct the rounding. */
static void test_error_bound(void **state)
{
    (void)state;
    for (int64_t value = 0; value < INT64_MAX / 4; value += 1 + value / 97) {
        histogram = (struct histogram){0};
        histogram_record(&histogram, value);
        histogram_record(&histogram, INT64_MAX / 2);
        int64_t shown = histogram_quantile(&histogram, 0.5);
        assert_true(shown >= value);
        assert_true(shown - value <= value / 128);
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_quantiles_of_a_sample(void **state)
{
    enum {
        COUNT = 100000
    };
    static const double quantiles[] = {0.0, 0.5, 0.9, 0.99, 0.999, 1.0};
    static int64_t values[COUNT];
    uint64_t random = 88172645463325252;
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        values[i] = (int64_t)(random >> (20 + random % 40));
        histogram_record(&histogram, values[i]);
    }
    qsort(values, COUNT, sizeof values[0], compare);
    assert_int_equal(histogram.count, COUNT);
    assert_int_equal(histogram.max, values[COUNT - 1]);
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        size_t rank = (size_t)(quantiles[i] * COUNT);
        int64_t exact = values[rank == 0 ? 0 : rank - 1];
        int64_t shown = histogram_quantile(&histogram, quantiles[i]);
        assert_true(shown >= exact);
        assert_true(shown - exact <= exact / 128);
    }
}

static void test_negative_counts_as_zero(void **state)
{
    (void)state;
    histogram_record(&histogram, -5);
    assert_int_equal(histogram.count, 1);
    assert_int_equal(histogram.sum, 0);
    assert_int_equal(histogram_quantile(&histogram, 1), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_empty, setup),
    cmocka_unit_test_setup(test_error_bound, setup),
    cmocka_unit_test_setup(test_quantiles_of_a_sample, setup),
    cmocka_unit_test_setup(test_negative_counts_as_zero, setup),
};
UNIT_TESTS(test_histogram, tests, NULL, NULL)
