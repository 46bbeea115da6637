/*
 * Which rows the partition keeps in memory: its share of the process's memory, within its own
 * limits.
 */
#ifndef USHER_WORKER_PARTITION_RETENTION_H
#define USHER_WORKER_PARTITION_RETENTION_H

#include "worker/inventory/inventory.h"
#include "worker/model/loads.h"

struct partition;

/* Sets the inventory's limits before anything is evicted. Returns what it has then. */
struct inventory_size retention_limit(struct partition *partition);

/* Frees the rows evicted since, and counts them. */
void retention_free(struct partition *partition, const struct inventory_size *before);

/*
 * Evicts what is cold until what was loaded has room, before inventory_load; what finds none is
 * left out of the result, for another load.
 */
void retention_make_room(struct partition *partition, struct load_result *result);

/*
 * Where others need memory: gives back what is free here, and evicts rows while no batch is open or
 * in flight, for an idle partition would keep its rows otherwise.
 */
void retention_trim(struct partition *partition);

/* Reports the rows that are kept to the budget and the metrics, and returns their number. */
struct inventory_size retention_note(struct partition *partition);

#endif
