/*
 * Which rows the partition keeps in memory: its share of the process's memory, within its own
 * limits. And a trace of each request in the log.
 */
#ifndef USHER_WORKER_PARTITION_RETENTION_H
#define USHER_WORKER_PARTITION_RETENTION_H

#include "worker/inventory/inventory.h"
#include "worker/model/batch.h"
#include "worker/model/loads.h"
#include "worker/partition/pipeline.h"

struct partition;

/* Sets the inventory's limits before anything is evicted. Returns what it has then. */
struct inventory_size retention_limit(struct partition *partition);

/* Counts and frees what was evicted since. */
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

/*
 * Reports the rows that are kept to the budget and the metrics: they may have been loaded, or
 * dropped at once.
 */
void retention_note(struct partition *partition);

/*
 * ==== Trace ====
 *
 * What became of a request, for those who look for it in the log: at debug, a line for each load,
 * batch, decision, and range of answers delivered. At any other level a look at the level is all
 * that it costs.
 */

/* A load took `took_us` and brought this; `failed`: nothing. */
void trace_load(const struct partition *partition, const struct load_request *request,
                const struct load_result *result, int64_t took_us, bool failed);

/* A batch is committed, `commit_us` after its commit was begun. */
void trace_batch(const struct partition *partition, const struct batch *batch,
                 const struct batch_times *times, int64_t commit_us);

/* The answers after `from_seq` and up to `to_seq` are delivered. */
void trace_published(const struct partition *partition, int64_t from_seq, int64_t to_seq);

#endif
