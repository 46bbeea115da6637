/*
 * Writes the metrics out in the Prometheus text format. Counters are summed over the partitions;
 * where a partition stands is shown for each.
 */
#include "worker/observe/metrics.h"

#include <stdio.h>
#include <string.h>

#include "worker/observe/metrics_process.h"
#include "worker/observe/metrics_state.h"

/* ---- lines ---- */

static void head(struct usher_buffer *out, const char *name, const char *type, const char *help)
{
    const char *const parts[] = {"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        usher_buffer_text(out, parts[i]);
}

/* Values of labels are names of ours: nothing in them needs escaping. */
static void line(struct usher_buffer *out, const char *name, const char *labels, int64_t value)
{
    usher_buffer_text(out, name);
    usher_buffer_text(out, labels);
    usher_buffer_text(out, " ");
    usher_buffer_number(out, value);
    usher_buffer_text(out, "\n");
}

static void append_real(struct usher_buffer *out, double value)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%.15g", value);
    usher_buffer_append(out, text, (size_t)size);
}

static void real_line(struct usher_buffer *out, const char *name, const char *labels, double value)
{
    usher_buffer_text(out, name);
    usher_buffer_text(out, labels);
    usher_buffer_text(out, " ");
    append_real(out, value);
    usher_buffer_text(out, "\n");
}

static const char *or_none(const char *name)
{
    return name == NULL ? "none" : name;
}

/* ---- counters by label ---- */

/* Sums what `of` takes from each part; the lock is held. */
static uint64_t sum_at(const struct metrics_registry *registry, size_t offset)
{
    uint64_t sum = 0;
    for (const struct metrics *part = registry->parts; part != NULL; part = part->next) {
        const void *at = (const char *)part + offset;
        sum += atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_relaxed);
    }
    return sum;
}

static void render_requests(const struct metrics_registry *registry, struct usher_buffer *out)
{
    char labels[96];
    head(out, "usher_requests_total", "counter", "Decisions by operation and outcome.");
    for (int op = 0; op < USHER_OP_COUNT; op++) {
        for (int outcome = 0; outcome < USHER_OUTCOME_COUNT; outcome++) {
            size_t offset = offsetof(struct metrics, requests) +
                            ((size_t)op * USHER_OUTCOME_COUNT + (size_t)outcome) * sizeof(uint64_t);
            uint64_t sum = sum_at(registry, offset);
            if (sum > 0) {
                snprintf(labels, sizeof labels, "{op=\"%s\",outcome=\"%s\"}",
                         or_none(usher_op_name((enum usher_op)op)),
                         or_none(usher_outcome_name((enum usher_outcome)outcome)));
                line(out, "usher_requests_total", labels, (int64_t)sum);
            }
        }
    }
}

static void render_reason(const struct metrics_registry *registry, struct usher_buffer *out,
                          const char *name, size_t offset, enum usher_reason reason)
{
    char labels[64];
    snprintf(labels, sizeof labels, "{reason=\"%s\"}", usher_reason_name(reason));
    line(out, name, labels, (int64_t)sum_at(registry, offset + (size_t)reason * sizeof(uint64_t)));
}

/* Only what has happened: there are dozens of reasons. */
static void render_refusals(const struct metrics_registry *registry, struct usher_buffer *out)
{
    size_t offset = offsetof(struct metrics, refusals);
    head(out, "usher_refusals_total", "counter", "Refused and invalid requests by reason.");
    for (int reason = USHER_REASON_NONE + 1; reason < USHER_REASON_COUNT; reason++)
        if (sum_at(registry, offset + (size_t)reason * sizeof(uint64_t)) > 0)
            render_reason(registry, out, "usher_refusals_total", offset, (enum usher_reason)reason);
}

/* All from 0 on: an alarm on an increase has to see the first. */
static void render_dead_letters(const struct metrics_registry *registry, struct usher_buffer *out)
{
    static const enum usher_reason reasons[] = {USHER_MALFORMED, USHER_WRONG_PARTITION,
                                                USHER_INTERNAL};
    head(out, "usher_dead_letters_total", "counter", "Records set aside by reason.");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        render_reason(registry, out, "usher_dead_letters_total",
                      offsetof(struct metrics, dead_letters), reasons[i]);
}

static void render_counters(const struct metrics_registry *registry, struct usher_buffer *out)
{
    render_requests(registry, out);
    render_refusals(registry, out);
    render_dead_letters(registry, out);
    head(out, "usher_holds_expired_total", "counter", "Holds that ran out of time.");
    line(out, "usher_holds_expired_total", "",
         (int64_t)sum_at(registry, offsetof(struct metrics, holds_expired)));
    head(out, "usher_results_published_total", "counter", "Answers delivered to the result topic.");
    line(out, "usher_results_published_total", "",
         (int64_t)sum_at(registry, offsetof(struct metrics, results_published)));
    head(out, "usher_fenced_total", "counter", "Partitions lost to another owner while held.");
    line(out, "usher_fenced_total", "",
         (int64_t)sum_at(registry, offsetof(struct metrics, fenced)));
}

/* ---- histograms ---- */

struct histogram_text {
    const char *name, *help;
    size_t offset; /* in struct metrics */
    const struct histogram_bounds *bounds;
};

static void bucket_line(struct usher_buffer *out, const char *name, const char *bound,
                        uint64_t count)
{
    usher_buffer_text(out, name);
    usher_buffer_text(out, "_bucket{le=\"");
    usher_buffer_text(out, bound);
    usher_buffer_text(out, "\"} ");
    usher_buffer_number(out, (int64_t)count);
    usher_buffer_text(out, "\n");
}

static void render_histogram(const struct metrics_registry *registry, struct usher_buffer *out,
                             const struct histogram_text *text)
{
    const struct histogram_bounds *bounds = text->bounds;
    char name[96];
    char bound[32];
    uint64_t count = 0;
    head(out, text->name, "histogram", text->help);
    for (uint32_t i = 0; i <= bounds->count; i++) {
        size_t at = text->offset + offsetof(struct histogram, buckets) + i * sizeof(uint64_t);
        count += sum_at(registry, at);
        if (i < bounds->count)
            snprintf(bound, sizeof bound, "%g", (double)bounds->at[i] / (double)bounds->divisor);
        bucket_line(out, text->name, i < bounds->count ? bound : "+Inf", count);
    }
    uint64_t sum = sum_at(registry, text->offset + offsetof(struct histogram, sum));
    snprintf(name, sizeof name, "%s_sum", text->name);
    real_line(out, name, "", (double)sum / (double)bounds->divisor);
    snprintf(name, sizeof name, "%s_count", text->name);
    line(out, name, "", (int64_t)count);
}

static void render_histograms(const struct metrics_registry *registry, struct usher_buffer *out)
{
    static const struct histogram_text texts[] = {
        {"usher_request_wait_seconds", "From a request's append time to its decision.",
         offsetof(struct metrics, request_wait), &bounds_latency},
        {"usher_request_latency_seconds", "From a request's append time to its answer's delivery.",
         offsetof(struct metrics, request_latency), &bounds_latency},
        {"usher_batch_requests", "Requests a batch.", offsetof(struct metrics, batch_requests),
         &bounds_requests},
        {"usher_batch_load_seconds", "Reading what memory lacked, by batch.",
         offsetof(struct metrics, batch_load), &bounds_latency},
        {"usher_batch_decide_seconds", "Deciding, by batch.",
         offsetof(struct metrics, batch_decide), &bounds_latency},
        {"usher_batch_commit_seconds", "Committing, by batch.",
         offsetof(struct metrics, batch_commit), &bounds_latency},
        {"usher_batch_publish_seconds", "From the commit to the last answer's delivery, by batch.",
         offsetof(struct metrics, batch_publish), &bounds_latency},
        {"usher_recovery_seconds", "Taking a partition over, until it decides again.",
         offsetof(struct metrics, recovery), &bounds_recovery},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        render_histogram(registry, out, &texts[i]);
}

/* ---- gauges of each partition ---- */

struct gauge_text {
    const char *name, *help;
    size_t offset; /* in struct metrics */
};

static void render_gauge(const struct metrics_registry *registry, struct usher_buffer *out,
                         const struct gauge_text *text)
{
    char labels[48];
    head(out, text->name, "gauge", text->help);
    for (const struct metrics *part = registry->parts; part != NULL; part = part->next) {
        if (!atomic_load_explicit(&part->assigned, memory_order_relaxed))
            continue;
        const void *at = (const char *)part + text->offset;
        snprintf(labels, sizeof labels, "{partition=\"%d\"}", part->partition);
        line(out, text->name, labels,
             atomic_load_explicit((const _Atomic int64_t *)at, memory_order_relaxed));
    }
}

static void render_oldest(const struct metrics_registry *registry, struct usher_buffer *out)
{
    static const char name[] = "usher_partition_oldest_pending_timestamp_seconds";
    char labels[48];
    head(out, name, "gauge", "Append time of the oldest request not answered yet; 0: none.");
    for (const struct metrics *part = registry->parts; part != NULL; part = part->next) {
        if (atomic_load_explicit(&part->assigned, memory_order_relaxed)) {
            snprintf(labels, sizeof labels, "{partition=\"%d\"}", part->partition);
            int64_t ms = atomic_load_explicit(&part->oldest_pending_ms, memory_order_relaxed);
            usher_buffer_text(out, name);
            usher_buffer_text(out, labels);
            char value[40];
            snprintf(value, sizeof value, " %.3f\n", (double)ms / 1000);
            usher_buffer_text(out, value);
        }
    }
}

static void render_assigned(const struct metrics_registry *registry, struct usher_buffer *out)
{
    static const char name[] = "usher_partition_assigned";
    char labels[48];
    head(out, name, "gauge", "1: this worker has the partition; 0: it had it.");
    for (const struct metrics *part = registry->parts; part != NULL; part = part->next) {
        snprintf(labels, sizeof labels, "{partition=\"%d\"}", part->partition);
        line(out, name, labels, atomic_load_explicit(&part->assigned, memory_order_relaxed));
    }
}

static void render_partitions(const struct metrics_registry *registry, struct usher_buffer *out)
{
    static const struct gauge_text texts[] = {
        {"usher_partition_epoch",
         "How often the partition was acquired: by a new owner, or again after trouble.",
         offsetof(struct metrics, epoch)},
        {"usher_partition_committed_offset", "The next offset, as in the database.",
         offsetof(struct metrics, committed_offset)},
        {"usher_partition_halted", "1: it waits for a person, see /status.",
         offsetof(struct metrics, halted)},
        {"usher_partition_lag_messages", "Requests in the log that are not decided.",
         offsetof(struct metrics, lag)},
    };
    render_assigned(registry, out);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        render_gauge(registry, out, &texts[i]);
    render_oldest(registry, out);
    head(out, "usher_outbox_pending_results", "gauge", "Answers not delivered yet.");
    line(out, "usher_outbox_pending_results", "",
         (int64_t)sum_at(registry, offsetof(struct metrics, outbox_pending)));
}

/* ---- the process ---- */

static void render_cache(struct metrics_registry *registry, struct usher_buffer *out)
{
    static const char *const results[METRICS_CACHE_RESULT_COUNT] = {
        [METRICS_CACHE_WRITTEN] = "{result=\"written\"}",
        [METRICS_CACHE_STALE] = "{result=\"stale\"}",
        [METRICS_CACHE_GAP] = "{result=\"gap\"}",
        [METRICS_CACHE_DROPPED] = "{result=\"dropped\"}",
        [METRICS_CACHE_HEALED] = "{result=\"healed\"}",
        [METRICS_CACHE_FAILED] = "{result=\"failed\"}",
    };
    head(out, "usher_cache_writes_total", "counter",
         "Updates for the cache by what became of them.");
    for (int i = 0; i < METRICS_CACHE_RESULT_COUNT; i++) {
        line(out, "usher_cache_writes_total", results[i],
             (int64_t)atomic_load_explicit(&registry->cache_writes[i], memory_order_relaxed));
    }
}

static void render_dependencies(struct metrics_registry *registry, struct usher_buffer *out)
{
    static const char *const names[METRICS_DEPENDENCY_COUNT] = {
        [METRICS_KAFKA] = "{dependency=\"kafka\"}",
        [METRICS_POSTGRES] = "{dependency=\"postgres\"}",
        [METRICS_REDIS] = "{dependency=\"redis\"}",
    };
    head(out, "usher_dependency_up", "gauge", "1: it answered last; 0: it failed last.");
    for (int i = 0; i < METRICS_DEPENDENCY_COUNT; i++) {
        int state = atomic_load_explicit(&registry->dependencies[i], memory_order_relaxed);
        if (state != DEPENDENCY_UNKNOWN)
            line(out, "usher_dependency_up", names[i], state == DEPENDENCY_UP);
    }
}

static void render_worker(struct metrics_registry *registry, struct usher_buffer *out)
{
    render_cache(registry, out);
    render_dependencies(registry, out);
    head(out, "usher_reconcile_differences", "gauge",
         "Resources that the last sweep of the cache found different from the database.");
    line(out, "usher_reconcile_differences", "",
         atomic_load_explicit(&registry->reconcile_differences, memory_order_relaxed));
    head(out, "usher_build_info", "gauge", "1, with the version.");
    line(out, "usher_build_info", "{version=\"" USHER_VERSION "\"}", 1);
}

static void render_process(struct usher_buffer *out)
{
    struct process_usage usage;
    process_usage_read(&usage);
    head(out, "process_cpu_seconds_total", "counter", "CPU time of the process.");
    real_line(out, "process_cpu_seconds_total", "", usage.cpu_seconds);
    head(out, "process_resident_memory_bytes", "gauge", "Resident memory.");
    line(out, "process_resident_memory_bytes", "", usage.resident_bytes);
    head(out, "process_virtual_memory_bytes", "gauge", "Virtual memory.");
    line(out, "process_virtual_memory_bytes", "", usage.virtual_bytes);
    head(out, "process_open_fds", "gauge", "Open file descriptors.");
    line(out, "process_open_fds", "", usage.open_descriptors);
    head(out, "process_max_fds", "gauge", "Limit of file descriptors.");
    line(out, "process_max_fds", "", usage.max_descriptors);
    head(out, "process_start_time_seconds", "gauge", "When the process began.");
    real_line(out, "process_start_time_seconds", "", usage.start_seconds);
}

void metrics_render(struct metrics_registry *registry, struct usher_buffer *out)
{
    pthread_mutex_lock(&registry->lock);
    render_counters(registry, out);
    render_histograms(registry, out);
    render_partitions(registry, out);
    pthread_mutex_unlock(&registry->lock);
    render_worker(registry, out);
    render_process(out);
}
