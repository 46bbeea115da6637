/*
 * Runs of free seats in a row. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_SEAT_RUNS_H
#define USHER_WORKER_INVENTORY_SEAT_RUNS_H

#include <stdint.h>

#include "worker/inventory/resource.h"

/* Neighbouring free seats of one row, by unit. */
struct seat_run {
    uint32_t first, length;
};

/* Finds the lowest run of set bits, one per unit, in a row from unit `from` on. Length 0: none. */
struct seat_run seat_runs_next(const uint64_t *bits, const struct seat_row *row, uint32_t from);

#endif
