/*
 * Counts values in buckets that grow with the value, so that a quantile is at most 1/128 above the
 * true one, whatever the range. For latencies; of fixed size.
 */
#ifndef USHER_TESTS_HISTOGRAM_H
#define USHER_TESTS_HISTOGRAM_H

#include <stdint.h>

enum {
    HISTOGRAM_SUB_BITS = 7, /* 128 buckets for each power of two */
    HISTOGRAM_BUCKETS = (64 - HISTOGRAM_SUB_BITS) << HISTOGRAM_SUB_BITS,
};

/* Zero-initialise to make an empty one. */
struct histogram {
    int64_t count, sum, max;
    uint32_t buckets[HISTOGRAM_BUCKETS];
};

/* Counts one value; below 0 counts as 0. */
void histogram_record(struct histogram *histogram, int64_t value);

/*
 * The smallest value that at least `quantile` (0 … 1) of all are not above, rounded up to its
 * bucket's end and never above the largest. 0 where there is none.
 */
int64_t histogram_quantile(const struct histogram *histogram, double quantile);

/* Prints `,"name":{"mean":…,"p50":…,"p90":…,"p99":…,"p99.9":…,"max":…}` in ms; it counts ns. */
void histogram_print_ms(const struct histogram *histogram, const char *name);

#endif
