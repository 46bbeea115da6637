/* A growing array, copied and sorted when a quantile is asked for. */
#include "latency.h"

#include <stdlib.h>
#include <string.h>

void latency_record(struct latency *latency, int64_t us)
{
    if (latency->count == latency->capacity) {
        latency->capacity = latency->capacity == 0 ? 4096 : 2 * latency->capacity;
        latency->us = realloc(latency->us, latency->capacity * sizeof *latency->us);
        if (latency->us == NULL)
            abort();
    }
    latency->us[latency->count++] = us;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

double latency_ms(const struct latency *latency, size_t last, double quantile)
{
    size_t count = latency->count < last ? latency->count : last;
    if (count == 0)
        return 0;
    int64_t *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        abort();
    memcpy(sorted, latency->us + latency->count - count, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    size_t rank = (size_t)(quantile * (double)count);
    int64_t us = sorted[rank < count ? rank : count - 1];
    free(sorted);
    return (double)us / 1000;
}

void latency_deinit(struct latency *latency)
{
    free(latency->us);
    *latency = (struct latency){0};
}
