/*
 * The kinds of metrics: how a value, or those of each partition, operation, reason, … become lines
 * of the Prometheus text format. For the table of metrics_render.c only, which has the names.
 */
#ifndef USHER_WORKER_OBSERVE_METRICS_WRITE_H
#define USHER_WORKER_OBSERVE_METRICS_WRITE_H

#include <stddef.h>

#include "usher/memory.h"
#include "worker/observe/metrics.h"
#include "worker/observe/metrics_process.h"

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

/* Appends the lines that come before a metric's values. */
void write_head(struct usher_buffer *out, const char *name, const char *type, const char *help);

/* ---- of struct metrics, by an offset in it ---- */

/* Summed over the partitions. */
void write_sum(const struct metric *metric, const struct scrape *scrape);
void write_histogram(const struct metric *metric, const struct scrape *scrape);

/* By operation and outcome; by outcome; by reason; by kind of what is kept. Summed over the
 * partitions. */
void write_requests(const struct metric *metric, const struct scrape *scrape);
void write_unrequested(const struct metric *metric, const struct scrape *scrape);
void write_refusals(const struct metric *metric, const struct scrape *scrape);
void write_dead_letters(const struct metric *metric, const struct scrape *scrape);
void write_evicted(const struct metric *metric, const struct scrape *scrape);

/* By partition, of those that are assigned; what may be unknown (negative), where it is not;
 * units also by state; the times are kept in milliseconds. */
void write_partitions(const struct metric *metric, const struct scrape *scrape);
void write_known(const struct metric *metric, const struct scrape *scrape);
void write_units(const struct metric *metric, const struct scrape *scrape);
void write_partition_times(const struct metric *metric, const struct scrape *scrape);

/* The same of those that were assigned, too: a counter must not go back. */
void write_all_partitions(const struct metric *metric, const struct scrape *scrape);

/* ---- of the process ---- */

/* A value of the registry, by an offset in it. */
void write_own(const struct metric *metric, const struct scrape *scrape);

/* By result; by dependency; by level of the log. */
void write_cache(const struct metric *metric, const struct scrape *scrape);
void write_dependencies(const struct metric *metric, const struct scrape *scrape);
void write_reconnects(const struct metric *metric, const struct scrape *scrape);
void write_log_lines(const struct metric *metric, const struct scrape *scrape);

void write_build(const struct metric *metric, const struct scrape *scrape);

/* A value of struct process_usage, by an offset in it. */
void write_process(const struct metric *metric, const struct scrape *scrape);

#endif
