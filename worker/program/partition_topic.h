/*
 * Recreated topics: shows their effect on the partitions, asks for confirmation, and has them
 * continue with these. Knows the partitions' rows and the ends of the logs; pg_partition changes
 * the rows.
 */
#ifndef USHER_WORKER_PROGRAM_PARTITION_TOPIC_H
#define USHER_WORKER_PROGRAM_PARTITION_TOPIC_H

#include <stdint.h>

#include "worker/program/report.h"

/*
 * Has a partition (without --partition: each of them) begin the topics of --topic at their start.
 * FATAL: 64 an option is missing, or not confirmed; 65 a worker that has not halted is connected
 * (but with a new topic of requests because of which another partition halted), the topics do not
 * fit what is recorded, that of requests is no new one, or the partition moved meanwhile; 77 not
 * the owner of the schema. RETRY: a dependency is away (69).
 */
USHER_MUST_CHECK enum usher_status partition_accept_topic(struct report *report, int32_t partition,
                                                          struct usher_error *err);

#endif
