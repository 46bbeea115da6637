/*
 * Filling a batch: the steps of the loop that decide. Part of the allocator. Each does what there
 * is room for now, and returns the status of what it had to load.
 */
#ifndef USHER_WORKER_PARTITION_FILL_H
#define USHER_WORKER_PARTITION_FILL_H

#include <stdint.h>

#include "usher/status.h"

struct partition;

/* How many records may be decided now; 0: wait for what is in flight. */
uint32_t fill_room(struct partition *partition);

/* Decides the records at hand. */
enum usher_status fill_ready(struct partition *partition, struct usher_error *err);

/*
 * Waiting lists, and bookings of resources that are cancelled: so many a batch, after the
 * requests.
 */
enum usher_status fill_work(struct partition *partition, struct usher_error *err);

/*
 * Expires by the clock what the log's time would: on a partition whose log was drained for a while
 * nothing waits that could still confirm.
 */
enum usher_status fill_idle(struct partition *partition, struct usher_error *err);

#endif
