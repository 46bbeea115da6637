/*
 * Steps of the loop that take a decided batch out of the partition: committed, then published and
 * shown, then acknowledged. No failure changes that order.
 */
#ifndef USHER_WORKER_PARTITION_COMMIT_H
#define USHER_WORKER_PARTITION_COMMIT_H

#include "usher/status.h"

struct partition;

/* Seals the open batch and begins its commit, if there is one and depth allows. */
enum usher_status commit_begin(struct partition *partition, struct usher_error *err);

/*
 * Deals with the batches that are now known to be committed, whose answers go to the outbox. Does
 * not wait for others.
 */
enum usher_status commit_finish(struct partition *partition, struct usher_error *err);

/* Sends the answers in the outbox, serves delivery reports, and acknowledges published answers. */
enum usher_status commit_report(struct partition *partition, struct usher_error *err);

#endif
