/*
 * Proofs about the units of one resource as the database has it, before anything is drawn from it:
 * its pools, prices, chart and waiting list. Knows neither Redis nor terms.
 */
#ifndef USHER_WORKER_RECONCILE_RECONCILE_UNITS_H
#define USHER_WORKER_RECONCILE_RECONCILE_UNITS_H

#include <stdint.h>

#include "worker/model/rows.h"
#include "worker/reconcile/reconcile_report.h"

struct reconcile_sums {
    int64_t total, held, sold, blocked;
};

/*
 * Checks that every unit is held, sold or blocked, and taken once; that seats lie inside their
 * section, and no pool has more taken than there is (so that free + held + sold + blocked =
 * capacity, with free not below 0); that the chart has the seats of the pools; that prices fit the
 * rates; that the waiting list is in order and can be read. Returns how many differences there are;
 * where none, adds to `sums`.
 */
uint64_t reconcile_units(const struct loaded_resource *loaded, struct reconcile_sums *sums,
                         const struct reconcile_report *report);

#endif
