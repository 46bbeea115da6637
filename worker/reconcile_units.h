/*
 * Proofs about one resource as the database has it, before anything is drawn from it. PURE.
 */
#ifndef USHER_WORKER_RECONCILE_UNITS_H
#define USHER_WORKER_RECONCILE_UNITS_H

#include <stdint.h>

#include "rows.h"

/* Receives each difference as a line of text. */
struct reconcile_report {
    void *context;
    void (*line)(void *context, const char *resource, const char *text);
};

struct reconcile_sums {
    int64_t total, held, sold;
};

/*
 * Checks that every unit lies inside its pool, is held or sold, and is taken once (so that free +
 * held + sold = capacity with free not below 0, in each pool), and that the chart has the seats of
 * the pools. Returns how many differences there are; where none, adds to `sums`.
 */
uint64_t reconcile_units(const struct loaded_resource *loaded, struct reconcile_sums *sums,
                         const struct reconcile_report *report);

#endif
