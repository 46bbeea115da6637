/*
 * What a partition keeps in memory once it is committed: its part of the process's memory, within
 * its own limits.
 */
#ifndef USHER_WORKER_PARTITION_RETENTION_H
#define USHER_WORKER_PARTITION_RETENTION_H

struct batch;
struct load_result;
struct partition;

/* Seals the batch, which evicts what is cold above the limits as they are now. */
void retention_seal(struct partition *partition, struct batch *batch);

/*
 * Evicts what is cold until what was loaded has room, before inventory_load; what finds none is
 * left out of the result, for another load.
 */
void retention_make_room(struct partition *partition, struct load_result *result);

/*
 * Evicts without a batch, where others need the memory: a partition that nobody asks keeps what it
 * has otherwise. Does nothing while a batch is open or in flight.
 */
void retention_trim(struct partition *partition);

/* Tells the budget and the metrics what is kept: it may have been loaded, or forgotten at once. */
void retention_note(struct partition *partition);

#endif
