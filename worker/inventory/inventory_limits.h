/*
 * How much an inventory keeps in memory.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_LIMITS_H
#define USHER_WORKER_INVENTORY_INVENTORY_LIMITS_H

#include <stdint.h>

/* How much is kept once it is cold and committed. More is kept while it must be. */
struct inventory_limits {
    uint32_t bookings;
    uint32_t resources;
    uint64_t units; /* over the resources in memory */
    uint32_t ids;
    uint64_t pools; /* over the resources in memory */
};

#endif
