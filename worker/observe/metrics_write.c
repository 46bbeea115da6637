/* How each kind of metric is written: see metrics_write.h. */
#include "worker/observe/metrics_write.h"

#include <inttypes.h>
#include <stdio.h>

#include "producer/base/log.h"

enum {
    LABELS_SIZE = 96
};

/* ---- the text format ---- */

void write_head(struct usher_buffer *out, const char *name, const char *type, const char *help)
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

void write_sum(const struct metric *metric, const struct scrape *scrape)
{
    integer_line(scrape->out, metric->name, "", sum_at(scrape, metric->offset));
}

/* Skips zeros: there are hundreds of pairs. */
void write_requests(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (size_t i = 0; i < (size_t)USHER_OP_COUNT * USHER_OUTCOME_COUNT; i++) {
        int64_t sum = sum_at(scrape, metric->offset + i * sizeof(int64_t));
        const char *op = usher_op_name((enum usher_op)(i / USHER_OUTCOME_COUNT));
        const char *outcome = usher_outcome_name((enum usher_outcome)(i % USHER_OUTCOME_COUNT));
        if (sum == 0)
            continue;
        snprintf(labels, sizeof labels, "{op=\"%s\",outcome=\"%s\"}", op ? op : "none",
                 outcome ? outcome : "repeated");
        integer_line(scrape->out, metric->name, labels, sum);
    }
}

/* Shows zeros of none but those that come about without a request. */
void write_unrequested(const struct metric *metric, const struct scrape *scrape)
{
    static const enum usher_outcome outcomes[] = {USHER_EXPIRED, USHER_LEFT, USHER_HELD,
                                                  USHER_RELEASED, USHER_CANCELLED};
    char labels[LABELS_SIZE];
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        snprintf(labels, sizeof labels, "{outcome=\"%s\"}", usher_outcome_name(outcomes[i]));
        integer_line(scrape->out, metric->name, labels,
                     sum_at(scrape, metric->offset + (size_t)outcomes[i] * sizeof(int64_t)));
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
void write_refusals(const struct metric *metric, const struct scrape *scrape)
{
    for (int reason = USHER_REASON_NONE + 1; reason < USHER_REASON_COUNT; reason++)
        write_reason(metric, scrape, (enum usher_reason)reason, 1);
}

/* Shows zeros: an alert on an increase must see the first one. */
void write_dead_letters(const struct metric *metric, const struct scrape *scrape)
{
    write_reason(metric, scrape, USHER_MALFORMED, 0);
    write_reason(metric, scrape, USHER_WRONG_PARTITION, 0);
    write_reason(metric, scrape, USHER_INTERNAL, 0);
}

void write_histogram(const struct metric *metric, const struct scrape *scrape)
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

/* Of those that are assigned, or `all` that ever were; only values from `least` on. */
static void partition_lines(const struct metric *metric, const struct scrape *scrape, bool all,
                            int64_t least)
{
    char labels[LABELS_SIZE];
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next) {
        int64_t value = get(value_at(part, metric->offset));
        if ((all || get(&part->assigned)) && value >= least)
            integer_line(scrape->out, metric->name, partition_label(part, labels), value);
    }
}

void write_partitions(const struct metric *metric, const struct scrape *scrape)
{
    partition_lines(metric, scrape, false, INT64_MIN);
}

void write_known(const struct metric *metric, const struct scrape *scrape)
{
    partition_lines(metric, scrape, false, 0);
}

void write_all_partitions(const struct metric *metric, const struct scrape *scrape)
{
    partition_lines(metric, scrape, true, INT64_MIN);
}

void write_units(const struct metric *metric, const struct scrape *scrape)
{
    static const char *const states[METRICS_UNIT_STATE_COUNT] = {
        [METRICS_UNITS_FREE] = "free",
        [METRICS_UNITS_HELD] = "held",
        [METRICS_UNITS_SOLD] = "sold",
        [METRICS_UNITS_BLOCKED] = "blocked",
    };
    char labels[LABELS_SIZE];
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next) {
        for (size_t i = 0; get(&part->assigned) && i < METRICS_UNIT_STATE_COUNT; i++) {
            snprintf(labels, sizeof labels, "{partition=\"%d\",state=\"%s\"}", part->partition,
                     states[i]);
            integer_line(scrape->out, metric->name, labels,
                         get(value_at(part, metric->offset + i * sizeof(int64_t))));
        }
    }
}

void write_partition_times(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next)
        if (get(&part->assigned))
            milliseconds_line(scrape->out, metric->name, partition_label(part, labels),
                              get(value_at(part, metric->offset)));
}

void write_cache(const struct metric *metric, const struct scrape *scrape)
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

static const char *dependency_label(size_t dependency, char labels[LABELS_SIZE])
{
    snprintf(labels, LABELS_SIZE, "{dependency=\"%s\"}",
             metrics_dependency_name((enum metrics_dependency)dependency));
    return labels;
}

void write_dependencies(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (size_t i = 0; i < METRICS_DEPENDENCY_COUNT; i++) {
        int64_t state = get(&scrape->registry->dependencies[i]);
        if (state != METRICS_UNSEEN)
            integer_line(scrape->out, metric->name, dependency_label(i, labels),
                         state == METRICS_UP);
    }
}

void write_reconnects(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (size_t i = 0; i < METRICS_DEPENDENCY_COUNT; i++)
        integer_line(scrape->out, metric->name, dependency_label(i, labels),
                     get(&scrape->registry->reconnects[i]));
}

void write_log_lines(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (int level = LOG_LEVEL_ERROR; level < LOG_LEVEL_COUNT; level++) {
        snprintf(labels, sizeof labels, "{level=\"%s\"}", log_level_name((enum log_level)level));
        integer_line(scrape->out, metric->name, labels, (int64_t)log_lines((enum log_level)level));
    }
}

void write_evicted(const struct metric *metric, const struct scrape *scrape)
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

void write_own(const struct metric *metric, const struct scrape *scrape)
{
    integer_line(scrape->out, metric->name, "", get(value_at(scrape->registry, metric->offset)));
}

void write_build(const struct metric *metric, const struct scrape *scrape)
{
    integer_line(scrape->out, metric->name, "{version=\"" USHER_VERSION "\"}", 1);
}

void write_process(const struct metric *metric, const struct scrape *scrape)
{
    const void *value = (const char *)&scrape->process + metric->offset;
    real_line(scrape->out, metric->name, "", *(const double *)value);
}
