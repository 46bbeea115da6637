/*
 * How a worker comes to own a partition, and to own it again after a failure. Each function is one
 * try. RETRY: begin again with takeover_acquire after a while.
 */
#ifndef USHER_WORKER_PARTITION_TAKEOVER_H
#define USHER_WORKER_PARTITION_TAKEOVER_H

#include <stdint.h>

#include "usher/status.h"

struct partition;

/* Raises the epoch, reads the position, and drops everything not known to be committed. */
enum usher_status takeover_acquire(struct partition *partition, struct usher_error *err);

/*
 * Instead of that, after a refused commit: drops as much, in the same epoch. RETRY: the last
 * committed batch is not certain.
 */
enum usher_status takeover_rewind(struct partition *partition, struct usher_error *err);

/* Checks that the request log, the result log and the database fit together. */
enum usher_status takeover_verify(struct partition *partition, struct usher_error *err);

/* Publishes committed answers that are not yet in the result log. */
enum usher_status takeover_catch_up(struct partition *partition, struct usher_error *err);

/*
 * Whether the log goes on where the database ends. No record may lie between the last one taken or
 * decided and `until`, the first offset that is taken or passed since the takeover. Asks Kafka only
 * if the two differ.
 */
enum usher_status takeover_verify_joint(struct partition *partition, int64_t until,
                                        struct usher_error *err);

#endif
