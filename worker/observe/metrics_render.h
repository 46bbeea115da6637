/*
 * The metrics by the names of the contract, and the usage of the process, in the Prometheus text
 * format, version 0.0.4.
 */
#ifndef USHER_WORKER_OBSERVE_METRICS_RENDER_H
#define USHER_WORKER_OBSERVE_METRICS_RENDER_H

#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "worker/observe/metrics.h"

/* Appends all metrics. Any thread. */
void metrics_render(struct metrics_registry *registry, struct usher_buffer *out);

/* Appends a JSON array of the refused demand of a partition. Any thread. */
void metrics_render_refused(struct metrics_registry *registry, int32_t partition,
                            struct usher_buffer *out);

/*
 * ==== Usage of the process ====
 *
 * The usage of this process as the operating system counts it, for the process_* metrics.
 */

struct process_usage {
    double cpu_seconds, start_seconds; /* start: since 1970 */
    double resident_bytes, virtual_bytes;
    double open_descriptors, max_descriptors;
};

/* Reads only the resident memory, quickly; 0: it could not be read. */
int64_t process_resident_bytes(void);

/*
 * ==== Kinds of metrics ====
 *
 * The kinds of metrics: how a value, or those of each partition, operation, reason, … become lines
 * of the Prometheus text format. For the table of metrics_render.c only, which has the names.
 */

/* One rendering of all metrics. */
struct scrape {
    const struct metrics_registry *registry;
    struct process_usage process;
    struct usher_buffer *out;
};

/* A row of the table. */
struct metric {
    const char *name, *type, *help;
    void (*write)(const struct metric *metric, const struct scrape *scrape);
    size_t offset; /* of the value in what `write` reads */
    const struct metrics_bounds *bounds;
};

/* ---- of struct metrics, by an offset in it ---- */

/* Summed over the partitions. */
void write_sum(const struct metric *metric, const struct scrape *scrape);

void write_units(const struct metric *metric, const struct scrape *scrape);

#endif
