/*
 * Tells the log about each request, for people who look for one: at debug, a line for each load,
 * batch, decision, and range of answers delivered. At any other level it only looks at the level.
 */
#ifndef USHER_WORKER_PARTITION_TRACE_H
#define USHER_WORKER_PARTITION_TRACE_H

#include "worker/model/loads.h"
#include "worker/partition/pipeline.h"

struct partition;

/* A load took `took_us` and brought these rows. `failed`: it brought nothing. */
void trace_load(const struct partition *partition, const struct load_request *request,
                const struct load_result *result, int64_t took_us, bool failed);

/* A batch is committed, `commit_us` after its commit was begun. */
void trace_batch(const struct partition *partition, const struct batch *batch,
                 const struct batch_times *times, int64_t commit_us);

/* The answers after `from_seq` and up to `to_seq` are delivered. */
void trace_published(const struct partition *partition, int64_t from_seq, int64_t to_seq);

#endif
