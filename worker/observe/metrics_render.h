/*
 * The metrics by the names of the contract, and the usage of the process, in the Prometheus text
 * format, version 0.0.4.
 */
#ifndef USHER_WORKER_OBSERVE_METRICS_RENDER_H
#define USHER_WORKER_OBSERVE_METRICS_RENDER_H

#include <stdint.h>

#include "usher/memory.h"
#include "worker/observe/metrics.h"

/* Appends all metrics. Any thread. */
void metrics_render(struct metrics_registry *registry, struct usher_buffer *out);

/* Appends a JSON array of the refused demand of a partition. Any thread. */
void metrics_render_refused(struct metrics_registry *registry, int32_t partition,
                            struct usher_buffer *out);

/* Reads the resident memory of the process, quickly; 0: it could not be read. */
int64_t process_resident_bytes(void);

#endif
