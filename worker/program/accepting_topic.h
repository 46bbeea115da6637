/*
 * `usher-worker partition accept-topic`: says what topics that were recreated mean for the
 * partitions, asks, and has them go on with these. Knows the partitions' rows and how far the logs
 * go, not how a row is changed.
 */
#ifndef USHER_WORKER_PROGRAM_ACCEPTING_TOPIC_H
#define USHER_WORKER_PROGRAM_ACCEPTING_TOPIC_H

#include "worker/program/look.h"

/*
 * Has a partition (without --partition: each of them) begin the topics of --topic at their start.
 * FATAL: 64 something is missing, or nobody is there to say yes; 65 a worker that has not halted is
 * connected (but with a new topic of requests because of which another partition halted), the
 * topics do not fit what is recorded, or the partition moved meanwhile; 77 not the owner of the
 * schema. RETRY: a dependency is away (69).
 */
USHER_MUST_CHECK enum usher_status accepting_topic_run(struct looking *looking, int32_t partition,
                                                       struct usher_error *err);

#endif
