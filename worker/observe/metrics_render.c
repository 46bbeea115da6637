/*
 * The table of all metrics, and how each kind is written. Counters are summed over the partitions;
 * the position of a partition has a label.
 */
#include "worker/observe/metrics_render.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "worker/observe/metrics_process.h"

enum {
    LABELS_SIZE = 96
};

/* ---- the text format ---- */

static void head(struct usher_buffer *out, const char *name, const char *type, const char *help)
{
    const char *const parts[] = {"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        usher_buffer_text(out, parts[i]);
}

/* Values of labels are names of usher: they need no escaping. */
static void line(struct usher_buffer *out, const char *name, const char *labels, const char *value)
{
    const char *const parts[] = {name, labels, " ", value, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        usher_buffer_text(out, parts[i]);
}

static void integer_line(struct usher_buffer *out, const char *name, const char *labels,
                         int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    line(out, name, labels, text);
}

static void real_line(struct usher_buffer *out, const char *name, const char *labels, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    line(out, name, labels, text);
}

static void milliseconds_line(struct usher_buffer *out, const char *name, const char *labels,
                              int64_t ms)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", (double)ms / 1000);
    line(out, name, labels, text);
}

static void histogram_lines(struct usher_buffer *out, const char *name,
                            const struct metrics_bounds *bounds, const int64_t *counts, int64_t sum)
{
    char part[96];
    char labels[32];
    int64_t count = 0;
    double divisor = (double)bounds->divisor;
    snprintf(part, sizeof part, "%s_bucket", name);
    for (uint32_t i = 0; i < bounds->count; i++) {
        count += counts[i];
        snprintf(labels, sizeof labels, "{le=\"%g\"}", (double)bounds->at[i] / divisor);
        integer_line(out, part, labels, count);
    }
    count += counts[bounds->count];
    integer_line(out, part, "{le=\"+Inf\"}", count);
    snprintf(part, sizeof part, "%s_sum", name);
    real_line(out, part, "", (double)sum / divisor);
    snprintf(part, sizeof part, "%s_count", name);
    integer_line(out, part, "", count);
}

/* ---- the kinds of metrics ---- */

/* One rendering of all metrics. */
struct scrape {
    const struct metrics_registry *registry;
    struct process_usage process;
    struct usher_buffer *out;
};

struct metric {
    const char *name, *type, *help;
    void (*write)(const struct metric *metric, const struct scrape *scrape);
    size_t offset; /* of the value in what `write` reads */
    const struct metrics_bounds *bounds;
};

static const _Atomic int64_t *value_at(const void *base, size_t offset)
{
    return (const void *)((const char *)base + offset);
}

static int64_t get(const _Atomic int64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static int64_t sum_at(const struct scrape *scrape, size_t offset)
{
    int64_t sum = 0;
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next)
        sum += get(value_at(part, offset));
    return sum;
}

static void write_sum(const struct metric *metric, const struct scrape *scrape)
{
    integer_line(scrape->out, metric->name, "", sum_at(scrape, metric->offset));
}

/* Skips zeros: there are hundreds of pairs. */
static void write_requests(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (size_t i = 0; i < (size_t)USHER_OP_COUNT * USHER_OUTCOME_COUNT; i++) {
        int64_t sum = sum_at(scrape, metric->offset + i * sizeof(int64_t));
        const char *op = usher_op_name((enum usher_op)(i / USHER_OUTCOME_COUNT));
        const char *outcome = usher_outcome_name((enum usher_outcome)(i % USHER_OUTCOME_COUNT));
        if (sum == 0)
            continue;
        snprintf(labels, sizeof labels, "{op=\"%s\",outcome=\"%s\"}", op ? op : "none",
                 outcome ? outcome : "none");
        integer_line(scrape->out, metric->name, labels, sum);
    }
}

static void write_reason(const struct metric *metric, const struct scrape *scrape,
                         enum usher_reason reason, int64_t least)
{
    char labels[LABELS_SIZE];
    int64_t sum = sum_at(scrape, metric->offset + (size_t)reason * sizeof(int64_t));
    if (sum < least)
        return;
    snprintf(labels, sizeof labels, "{reason=\"%s\"}", usher_reason_name(reason));
    integer_line(scrape->out, metric->name, labels, sum);
}

/* Skips zeros: there are dozens of reasons. */
static void write_refusals(const struct metric *metric, const struct scrape *scrape)
{
    for (int reason = USHER_REASON_NONE + 1; reason < USHER_REASON_COUNT; reason++)
        write_reason(metric, scrape, (enum usher_reason)reason, 1);
}

/* Shows zeros: an alert on an increase must see the first one. */
static void write_dead_letters(const struct metric *metric, const struct scrape *scrape)
{
    write_reason(metric, scrape, USHER_MALFORMED, 0);
    write_reason(metric, scrape, USHER_WRONG_PARTITION, 0);
    write_reason(metric, scrape, USHER_INTERNAL, 0);
}

static void write_histogram(const struct metric *metric, const struct scrape *scrape)
{
    int64_t counts[METRICS_BUCKETS_MAX + 1];
    for (size_t i = 0; i <= metric->bounds->count; i++)
        counts[i] = sum_at(scrape, metric->offset + offsetof(struct metrics_histogram, counts[i]));
    int64_t sum = sum_at(scrape, metric->offset + offsetof(struct metrics_histogram, sum));
    histogram_lines(scrape->out, metric->name, metric->bounds, counts, sum);
}

static const char *partition_label(const struct metrics *part, char labels[LABELS_SIZE])
{
    snprintf(labels, LABELS_SIZE, "{partition=\"%d\"}", part->partition);
    return labels;
}

/* Of a revoked partition, only shows that it is not assigned. */
static void write_partitions(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    bool always = metric->offset == offsetof(struct metrics, assigned);
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next)
        if (always || get(&part->assigned))
            integer_line(scrape->out, metric->name, partition_label(part, labels),
                         get(value_at(part, metric->offset)));
}

static void write_partition_times(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next)
        if (get(&part->assigned))
            milliseconds_line(scrape->out, metric->name, partition_label(part, labels),
                              get(value_at(part, metric->offset)));
}

static void write_cache(const struct metric *metric, const struct scrape *scrape)
{
    static const char *const results[METRICS_CACHE_RESULT_COUNT] = {
        [METRICS_CACHE_WRITTEN] = "{result=\"written\"}",
        [METRICS_CACHE_STALE] = "{result=\"stale\"}",
        [METRICS_CACHE_GAP] = "{result=\"gap\"}",
        [METRICS_CACHE_DROPPED] = "{result=\"dropped\"}",
        [METRICS_CACHE_FAILED] = "{result=\"failed\"}",
    };
    for (size_t i = 0; i < METRICS_CACHE_RESULT_COUNT; i++)
        integer_line(scrape->out, metric->name, results[i],
                     get(&scrape->registry->cache_writes[i]));
}

static void write_dependencies(const struct metric *metric, const struct scrape *scrape)
{
    static const char *const names[METRICS_DEPENDENCY_COUNT] = {
        [METRICS_KAFKA] = "{dependency=\"kafka\"}",
        [METRICS_POSTGRES] = "{dependency=\"postgres\"}",
        [METRICS_REDIS] = "{dependency=\"redis\"}",
    };
    for (size_t i = 0; i < METRICS_DEPENDENCY_COUNT; i++) {
        int64_t state = get(&scrape->registry->dependencies[i]);
        if (state != METRICS_UNSEEN)
            integer_line(scrape->out, metric->name, names[i], state == METRICS_UP);
    }
}

static void write_evicted(const struct metric *metric, const struct scrape *scrape)
{
    static const char *const kinds[METRICS_KIND_COUNT] = {
        [METRICS_RESOURCES] = "{kind=\"resources\"}",
        [METRICS_BOOKINGS] = "{kind=\"bookings\"}",
        [METRICS_IDS] = "{kind=\"request_ids\"}",
    };
    for (size_t i = 0; i < METRICS_KIND_COUNT; i++)
        integer_line(scrape->out, metric->name, kinds[i],
                     sum_at(scrape, metric->offset + i * sizeof(int64_t)));
}

static void write_own(const struct metric *metric, const struct scrape *scrape)
{
    integer_line(scrape->out, metric->name, "", get(value_at(scrape->registry, metric->offset)));
}

static void write_build(const struct metric *metric, const struct scrape *scrape)
{
    integer_line(scrape->out, metric->name, "{version=\"" USHER_VERSION "\"}", 1);
}

static void write_process(const struct metric *metric, const struct scrape *scrape)
{
    const void *value = (const char *)&scrape->process + metric->offset;
    real_line(scrape->out, metric->name, "", *(const double *)value);
}

/* ---- the table ---- */

#define PARTITION(member) offsetof(struct metrics, member)
#define OWN(member) offsetof(struct metrics_registry, member)
#define PROCESS(member) offsetof(struct process_usage, member)

static const struct metric table[] = {
    {"usher_requests_total", "counter", "Decisions by operation and outcome.", write_requests,
     PARTITION(requests), NULL},
    {"usher_refusals_total", "counter", "Refused and invalid requests by reason.", write_refusals,
     PARTITION(refusals), NULL},
    {"usher_dead_letters_total", "counter", "Dead letters by reason.", write_dead_letters,
     PARTITION(dead_letters), NULL},
    {"usher_request_bytes_total", "counter",
     "Bytes taken from the log, unpacked: keys, values and headers.", write_sum,
     PARTITION(request_bytes), NULL},
    {"usher_unreadable_requests_total", "counter",
     "Records taken from the log whose batch cannot be unpacked.", write_sum, PARTITION(unreadable),
     NULL},
    {"usher_holds_expired_total", "counter", "Holds that expired.", write_sum,
     PARTITION(holds_expired), NULL},
    {"usher_results_published_total", "counter", "Answers delivered to the result topic.",
     write_sum, PARTITION(results_published), NULL},
    {"usher_fenced_total", "counter", "Partitions lost to a new owner while assigned.", write_sum,
     PARTITION(fenced), NULL},

    {"usher_request_wait_seconds", "histogram", "From a request's append time to its decision.",
     write_histogram, PARTITION(request_wait), &metrics_latency_bounds},
    {"usher_request_latency_seconds", "histogram",
     "From a request's append time to the delivery of its answer.", write_histogram,
     PARTITION(request_latency), &metrics_latency_bounds},
    {"usher_batch_requests", "histogram", "Requests per batch.", write_histogram,
     PARTITION(batch_requests), &metrics_request_bounds},
    {"usher_batch_load_seconds", "histogram", "Loading what was not in memory, per batch.",
     write_histogram, PARTITION(batch_load), &metrics_latency_bounds},
    {"usher_batch_decide_seconds", "histogram", "Deciding, per batch.", write_histogram,
     PARTITION(batch_decide), &metrics_latency_bounds},
    {"usher_batch_commit_seconds", "histogram", "Committing, per batch.", write_histogram,
     PARTITION(batch_commit), &metrics_latency_bounds},
    {"usher_batch_publish_seconds", "histogram",
     "From the commit to the delivery of the last answer, per batch.", write_histogram,
     PARTITION(batch_publish), &metrics_latency_bounds},
    {"usher_recovery_seconds", "histogram", "Taking over a partition, until it decides again.",
     write_histogram, PARTITION(recovery), &metrics_recovery_bounds},

    {"usher_partition_assigned", "gauge", "1: assigned to this worker; 0: was assigned before.",
     write_partitions, PARTITION(assigned), NULL},
    {"usher_partition_epoch", "gauge",
     "How often the partition was acquired, by a new owner or after a failure.", write_partitions,
     PARTITION(epoch), NULL},
    {"usher_partition_committed_offset", "gauge", "The next offset, as committed to the database.",
     write_partitions, PARTITION(committed_offset), NULL},
    {"usher_partition_halted", "gauge", "1: halted until an operator intervenes, see /status.",
     write_partitions, PARTITION(halted), NULL},
    {"usher_partition_retries", "gauge",
     "Failures in a row without a commit between them; see /status.", write_partitions,
     PARTITION(retries), NULL},
    {"usher_partition_lag_messages", "gauge", "Requests in the log that are not decided yet.",
     write_partitions, PARTITION(lag), NULL},
    {"usher_display_lag_decisions", "gauge", "Decisions that Redis does not show yet.",
     write_partitions, PARTITION(display_lag), NULL},
    {"usher_partition_oldest_pending_timestamp_seconds", "gauge",
     "Append time of the oldest unanswered request; 0: none.", write_partition_times,
     PARTITION(oldest_pending_ms), NULL},
    {"usher_partition_clock_ahead_seconds", "gauge",
     "How far the last decision's time is ahead of the database's clock.", write_partition_times,
     PARTITION(clock_ahead_ms), NULL},
    {"usher_outbox_pending_results", "gauge", "Answers not delivered yet.", write_sum,
     PARTITION(outbox_pending), NULL},

    {"usher_memory_max_bytes", "gauge", "USHER_MEMORY_MAX, or what follows from the machine.",
     write_own, OWN(memory_max), NULL},
    {"usher_memory_free_bytes", "gauge", "What the process may still use below that.", write_own,
     OWN(memory_free), NULL},
    {"usher_memory_tight", "gauge", "1: partitions keep less than their limits allow.", write_own,
     OWN(memory_tight), NULL},
    {"usher_memory_kept_bytes", "gauge", "Memory of what the partition keeps, estimated.",
     write_partitions, PARTITION(kept_bytes), NULL},
    {"usher_memory_resources", "gauge", "Resources in memory.", write_partitions,
     PARTITION(kept_resources), NULL},
    {"usher_memory_units", "gauge", "Seats and rooms of those resources.", write_partitions,
     PARTITION(kept_units), NULL},
    {"usher_memory_bookings", "gauge", "Bookings in memory.", write_partitions,
     PARTITION(kept_bookings), NULL},
    {"usher_memory_request_ids", "gauge", "Request ids in memory.", write_partitions,
     PARTITION(kept_ids), NULL},
    {"usher_memory_evicted_total", "counter", "What left memory to make room, by kind.",
     write_evicted, PARTITION(evicted), NULL},

    {"usher_cache_writes_total", "counter", "Cache updates by result.", write_cache, 0, NULL},
    {"usher_dependency_up", "gauge", "1: the last call succeeded; 0: it failed.",
     write_dependencies, 0, NULL},
    {"usher_build_info", "gauge", "1, with the version.", write_build, 0, NULL},

    {"process_cpu_seconds_total", "counter", "CPU time of the process.", write_process,
     PROCESS(cpu_seconds), NULL},
    {"process_resident_memory_bytes", "gauge", "Resident memory.", write_process,
     PROCESS(resident_bytes), NULL},
    {"process_virtual_memory_bytes", "gauge", "Virtual memory.", write_process,
     PROCESS(virtual_bytes), NULL},
    {"process_open_fds", "gauge", "Open file descriptors.", write_process,
     PROCESS(open_descriptors), NULL},
    {"process_max_fds", "gauge", "Limit of file descriptors.", write_process,
     PROCESS(max_descriptors), NULL},
    {"process_start_time_seconds", "gauge", "When the process started.", write_process,
     PROCESS(start_seconds), NULL},
};

void metrics_render(struct metrics_registry *registry, struct usher_buffer *out)
{
    struct scrape scrape = {.registry = registry, .out = out};
    process_usage_read(&scrape.process);
    pthread_mutex_lock(&registry->lock);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        head(out, table[i].name, table[i].type, table[i].help);
        table[i].write(&table[i], &scrape);
    }
    pthread_mutex_unlock(&registry->lock);
}
