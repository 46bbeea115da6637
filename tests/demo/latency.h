/*
 * Every measured time of an account, kept as it is: exact quantiles, of all or of the latest.
 */
#ifndef LATENCY_H
#define LATENCY_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise to make an empty one. */
struct latency {
    int64_t *us;
    size_t count, capacity;
};

void latency_record(struct latency *latency, int64_t us);

/* Milliseconds that `quantile` (0 … 1) of the latest `last` times are not above; 0 without any. */
double latency_ms(const struct latency *latency, size_t last, double quantile);

void latency_deinit(struct latency *latency);

#endif
