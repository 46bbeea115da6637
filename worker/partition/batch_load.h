/*
 * Loads what a batch needs before anything of it is decided; no more at once than the database
 * serves within a bounded time, so that nothing is too large to be decided.
 */
#ifndef USHER_WORKER_PARTITION_BATCH_LOAD_H
#define USHER_WORKER_PARTITION_BATCH_LOAD_H

#include <stdint.h>

#include "usher/status.h"

struct input;
struct partition;

/*
 * Loads into the open batch what the inputs and what falls due until `until_ms` (0: nothing) need;
 * `*count` inputs, from the first on, may then be decided. Commits in flight are left alone
 * meanwhile: what they touched is in memory, and the database still shows the past. RETRY: the next
 * load asks for less; HALT. Asked to stop, it ends between two pages: OK, and no input may be
 * decided.
 */
enum usher_status batch_load(struct partition *partition, const struct input *inputs,
                             uint32_t *count, int64_t until_ms, struct usher_error *err);

#endif
