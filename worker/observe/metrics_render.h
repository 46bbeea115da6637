/*
 * The metrics by the names of the contract, in the Prometheus text format, version 0.0.4.
 */
#ifndef USHER_WORKER_OBSERVE_METRICS_RENDER_H
#define USHER_WORKER_OBSERVE_METRICS_RENDER_H

#include "usher/memory.h"
#include "worker/observe/metrics.h"

/* Appends all metrics. Any thread. */
void metrics_render(struct metrics_registry *registry, struct usher_buffer *out);

#endif
