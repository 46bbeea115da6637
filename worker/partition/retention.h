/*
 * Which rows the partition keeps in memory: its share of the process's memory, within its own
 * limits.
 */
#ifndef USHER_WORKER_PARTITION_RETENTION_H
#define USHER_WORKER_PARTITION_RETENTION_H

#include "worker/inventory/inventory.h"
#include "worker/model/loads.h"

struct partition;

/* Sets the inventory's limits before anything is evicted. Returns its size before that. */
struct inventory_size retention_limit(struct partition *partition);

/* Frees the rows evicted since, and counts them. */
void retention_free(struct partition *partition, const struct inventory_size *before);

/*
 * Evicts cold rows until the loaded ones have room, before inventory_load. Rows that find none are
 * left out of the result, for another load.
 */
void retention_make_room(struct partition *partition, struct load_result *result);

/*
 * If memory is tight: gives free memory back. While no batch is open or in flight also evicts rows,
 * for an idle partition would keep its rows otherwise.
 */
void retention_trim(struct partition *partition);

/* Reports the rows that are kept to the budget and the metrics, and returns their number. */
struct inventory_size retention_note(struct partition *partition);

#endif
