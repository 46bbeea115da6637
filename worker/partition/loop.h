/*
 * The loop of a partition while it is owned. Knows the steps of commit.h and fill.h, and nothing of
 * how the partition came to be owned.
 */
#ifndef USHER_WORKER_PARTITION_LOOP_H
#define USHER_WORKER_PARTITION_LOOP_H

#include "usher/status.h"

struct partition;

/*
 * Decides requests until it is asked to stop, or the partition lives elsewhere, which is OK. RETRY,
 * REJECT: take over again.
 */
enum usher_status loop_run(struct partition *partition, struct usher_error *err);

/*
 * Does the same until a request is answered or nothing is left to do, which proves that the earlier
 * failure is over. As loop_run.
 */
enum usher_status loop_retry(struct partition *partition, struct usher_error *err);

/* Finishes work in flight, or abandons it at the deadline. */
enum usher_status loop_drain(struct partition *partition, struct usher_error *err);

#endif
