/*
 * `usher-worker partition skip`: says what would be lost, asks, and passes over it. Knows Kafka and
 * the partition's row, not how the row is moved.
 */
#ifndef USHER_WORKER_PROGRAM_PASSING_H
#define USHER_WORKER_PROGRAM_PASSING_H

#include "worker/program/look.h"

/*
 * Passes over the requests of a partition before --to. FATAL: 64 something is missing, or nobody is
 * there to say yes; 65 the offset is none that can be passed to, or the partition moved meanwhile;
 * 77 not the owner of the schema. RETRY: a dependency is away (69).
 */
USHER_MUST_CHECK enum usher_status passing_run(struct looking *looking, int32_t partition,
                                               struct usher_error *err);

#endif
