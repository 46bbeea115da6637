/*
 * How many files the process may have open: connections, and the pipes of the Kafka clients.
 */
#ifndef USHER_WORKER_PROGRAM_DESCRIPTORS_H
#define USHER_WORKER_PROGRAM_DESCRIPTORS_H

#include <stdint.h>

#include "usher/status.h"

/* Raises the soft limit to the hard one: the usual soft limit is too low for 50 partitions. */
void descriptors_raise_limit(void);

/*
 * FATAL (78) where the limit does not allow a worker that owns so many partitions: it would stay
 * up without being able to connect.
 */
USHER_MUST_CHECK enum usher_status descriptors_suffice(int32_t partition_count,
                                                       struct usher_error *err);

#endif
