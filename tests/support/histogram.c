/* Buckets of a power of two each, divided into 128 equal ones; the first 256 hold one value each.
 */
#include "histogram.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

static size_t bucket_of(uint64_t value)
{
    if (value < (UINT64_C(2) << HISTOGRAM_SUB_BITS))
        return (size_t)value;
    int shift = 63 - __builtin_clzll(value) - HISTOGRAM_SUB_BITS;
    return ((size_t)shift << HISTOGRAM_SUB_BITS) + (size_t)(value >> shift);
}

/* The largest value of a bucket. */
static uint64_t bucket_end(size_t bucket)
{
    if (bucket < ((size_t)2 << HISTOGRAM_SUB_BITS))
        return bucket;
    int shift = (int)(bucket >> HISTOGRAM_SUB_BITS) - 1;
    uint64_t top = bucket - ((uint64_t)shift << HISTOGRAM_SUB_BITS);
    return ((top + 1) << shift) - 1;
}

void histogram_record(struct histogram *histogram, int64_t value)
{
    if (value < 0)
        value = 0;
    size_t bucket = bucket_of((uint64_t)value);
    assert(bucket < HISTOGRAM_BUCKETS);
    histogram->buckets[bucket]++;
    histogram->count++;
    histogram->sum += value;
    if (value > histogram->max)
        histogram->max = value;
}

int64_t histogram_quantile(const struct histogram *histogram, double quantile)
{
    double wanted = quantile * (double)histogram->count;
    int64_t seen = 0;
    for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        seen += histogram->buckets[bucket];
        if (histogram->buckets[bucket] == 0 || (double)seen < wanted)
            continue;
        uint64_t end = bucket_end(bucket);
        return end < (uint64_t)histogram->max ? (int64_t)end : histogram->max;
    }
    return histogram->max;
}

void histogram_print_ms(const struct histogram *histogram, const char *name)
{
    static const struct {
        const char *name;
        double quantile;
    } quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}};
    double mean = histogram->count == 0 ? 0 : (double)histogram->sum / (double)histogram->count;
    printf(",\"%s\":{\"mean\":%.3f", name, mean / 1e6);
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        printf(",\"%s\":%.3f", quantiles[i].name,
               (double)histogram_quantile(histogram, quantiles[i].quantile) / 1e6);
    printf("}");
}
