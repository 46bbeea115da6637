/*
 * How each kind of metric is written. The rows of metrics.def are its table. Counters are summed
 * over the partitions; the position of a partition has a label.
 */
#include "worker/observe/metrics_render.h"

#include <dirent.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "producer/base/json_member.h"
#include "producer/base/log.h"
#include "usher/message.h"

/*
 * ==== Kinds of metrics ====
 *
 * How a value, or those of each partition, operation, reason, … become lines of the text format.
 */

/* As the operating system counts it, for the process_* metrics. */
struct process_usage {
#define PROCESS_METRIC(name, kind, help) double name;
#include "worker/observe/metrics.def"
};

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

enum {
    LABELS_SIZE = 96
};

/* ---- the text format ---- */

/* Appends the lines that come before a metric's values. */
static void write_head(struct usher_buffer *out, const char *name, const char *type,
                       const char *help)
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

static int64_t sum_at(const struct scrape *scrape, size_t offset)
{
    int64_t sum = 0;
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next)
        sum += metrics_get(value_at(part, offset));
    return sum;
}

/* Summed over the partitions. */
static void write_partition_sum(const struct metric *metric, const struct scrape *scrape)
{
    integer_line(scrape->out, metric->name, "", sum_at(scrape, metric->offset));
}

/*
 * By operation and outcome; by outcome; by reason; by kind of what is kept. Summed over the
 * partitions.
 * Skips zeros: there are hundreds of pairs.
 */
static void write_labelled_requests(const struct metric *metric, const struct scrape *scrape)
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
static void write_labelled_unrequested(const struct metric *metric, const struct scrape *scrape)
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
static void write_labelled_refusals(const struct metric *metric, const struct scrape *scrape)
{
    for (int reason = USHER_REASON_NONE + 1; reason < USHER_REASON_COUNT; reason++)
        write_reason(metric, scrape, (enum usher_reason)reason, 1);
}

/* Shows zeros: an alert on an increase must see the first one. */
static void write_labelled_dead_letters(const struct metric *metric, const struct scrape *scrape)
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

/* Of those that are assigned, or `all` that ever were; only values from `least` on. */
static void partition_lines(const struct metric *metric, const struct scrape *scrape, bool all,
                            int64_t least)
{
    char labels[LABELS_SIZE];
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next) {
        int64_t value = metrics_get(value_at(part, metric->offset));
        if ((all || metrics_get(&part->usher_partition_assigned)) && value >= least)
            integer_line(scrape->out, metric->name, partition_label(part, labels), value);
    }
}

/*
 * By partition, of those that are assigned; what may be unknown (negative), where it is not;
 * units also by state; the times are kept in milliseconds.
 */
static void write_partition_each(const struct metric *metric, const struct scrape *scrape)
{
    partition_lines(metric, scrape, false, INT64_MIN);
}

static void write_partition_known(const struct metric *metric, const struct scrape *scrape)
{
    partition_lines(metric, scrape, false, 0);
}

/* The same of those that were assigned, too: a counter must not go back. */
static void write_partition_ever(const struct metric *metric, const struct scrape *scrape)
{
    partition_lines(metric, scrape, true, INT64_MIN);
}

static void write_labelled_units(const struct metric *metric, const struct scrape *scrape)
{
    static const char *const states[METRICS_UNIT_STATE_COUNT] = {
        [METRICS_UNITS_FREE] = "free",
        [METRICS_UNITS_HELD] = "held",
        [METRICS_UNITS_SOLD] = "sold",
        [METRICS_UNITS_BLOCKED] = "blocked",
    };
    char labels[LABELS_SIZE];
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next) {
        for (size_t i = 0;
             metrics_get(&part->usher_partition_assigned) && i < METRICS_UNIT_STATE_COUNT; i++) {
            snprintf(labels, sizeof labels, "{partition=\"%d\",state=\"%s\"}", part->partition,
                     states[i]);
            integer_line(scrape->out, metric->name, labels,
                         metrics_get(value_at(part, metric->offset + i * sizeof(int64_t))));
        }
    }
}

static void write_partition_time(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next)
        if (metrics_get(&part->usher_partition_assigned))
            milliseconds_line(scrape->out, metric->name, partition_label(part, labels),
                              metrics_get(value_at(part, metric->offset)));
}

static void write_shards(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (const struct metrics *part = scrape->registry->parts; part; part = part->next) {
        if (!metrics_get(&part->usher_partition_assigned) || part->shard[0] == '\0')
            continue;
        snprintf(labels, sizeof labels, "{partition=\"%d\",shard=\"%s\"}", part->partition,
                 part->shard);
        integer_line(scrape->out, metric->name, labels, 1);
    }
}

/* By result; by dependency; by level of the log. */
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
                     metrics_get(&scrape->registry->cache_writes[i]));
}

static const char *dependency_label(size_t dependency, char labels[LABELS_SIZE])
{
    snprintf(labels, LABELS_SIZE, "{dependency=\"%s\"}",
             metrics_dependency_name((enum metrics_dependency)dependency));
    return labels;
}

static void write_dependencies(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (size_t i = 0; i < METRICS_DEPENDENCY_COUNT; i++) {
        int64_t state = metrics_get(&scrape->registry->dependencies[i]);
        if (state != METRICS_UNSEEN)
            integer_line(scrape->out, metric->name, dependency_label(i, labels),
                         state == METRICS_UP);
    }
}

static void write_reconnects(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (size_t i = 0; i < METRICS_DEPENDENCY_COUNT; i++)
        integer_line(scrape->out, metric->name, dependency_label(i, labels),
                     metrics_get(&scrape->registry->reconnects[i]));
}

static void write_log_lines(const struct metric *metric, const struct scrape *scrape)
{
    char labels[LABELS_SIZE];
    for (int level = LOG_LEVEL_ERROR; level < LOG_LEVEL_COUNT; level++) {
        snprintf(labels, sizeof labels, "{level=\"%s\"}", log_level_name((enum log_level)level));
        integer_line(scrape->out, metric->name, labels, (int64_t)log_lines((enum log_level)level));
    }
}

static void write_labelled_evicted(const struct metric *metric, const struct scrape *scrape)
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

/* A value of the registry, by an offset in it. */
static void write_worker_value(const struct metric *metric, const struct scrape *scrape)
{
    integer_line(scrape->out, metric->name, "",
                 metrics_get(value_at(scrape->registry, metric->offset)));
}

static void write_worker_known(const struct metric *metric, const struct scrape *scrape)
{
    if (metrics_get(value_at(scrape->registry, metric->offset)) >= 0)
        write_worker_value(metric, scrape);
}

static void write_build(const struct metric *metric, const struct scrape *scrape)
{
    char labels[80];
    snprintf(labels, sizeof labels, "{version=\"%s\"}", scrape->registry->version);
    integer_line(scrape->out, metric->name, labels, 1);
}

/* A value of struct process_usage, by an offset in it. */
static void write_process(const struct metric *metric, const struct scrape *scrape)
{
    const void *value = (const char *)&scrape->process + metric->offset;
    real_line(scrape->out, metric->name, "", *(const double *)value);
}

/* ==== Usage of the process ==== */

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Parses /proc/self/stat after the name of the process, which may contain anything. */
static void read_stat(uint64_t *start_ticks, int64_t *virtual_bytes, int64_t *resident_pages)
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    if (!file)
        return;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    const char *rest = strrchr(text, ')');
    if (!rest ||
        sscanf(rest,
               ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d"
               " %" SCNu64 " %" SCNd64 " %" SCNd64,
               start_ticks, virtual_bytes, resident_pages) != 3) {
        *start_ticks = 0;
        *virtual_bytes = *resident_pages = 0;
    }
}

int64_t process_resident_bytes(void)
{
    int64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*d %" SCNd64, &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/*
 * As the kernel says it, in whole seconds: the same at each scrape, so that a change of the start
 * time is a start.
 */
static double boot_seconds(void)
{
    char line[256];
    double seconds = 0;
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file) && sscanf(line, "btime %lf", &seconds) != 1)
        continue;
    fclose(file);
    return seconds;
}

static int64_t count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return 0;
    int64_t count = -1; /* the one that reads them */
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* Reads /proc and the limits; what cannot be read is 0. */
static void process_usage_read(struct process_usage *usage)
{
    uint64_t start_ticks = 0;
    int64_t virtual_bytes = 0;
    int64_t resident_pages = 0;
    struct rusage self = {0};
    struct rlimit files = {0};
    read_stat(&start_ticks, &virtual_bytes, &resident_pages);
    getrusage(RUSAGE_SELF, &self);
    getrlimit(RLIMIT_NOFILE, &files);
    *usage = (struct process_usage){
        .process_cpu_seconds_total = seconds_of(self.ru_utime) + seconds_of(self.ru_stime),
        .process_start_time_seconds =
            boot_seconds() + (double)start_ticks / (double)sysconf(_SC_CLK_TCK),
        .process_resident_memory_bytes = (double)(resident_pages * sysconf(_SC_PAGESIZE)),
        .process_virtual_memory_bytes = (double)virtual_bytes,
        .process_open_fds = (double)count_descriptors(),
        .process_max_fds = (double)files.rlim_cur,
    };
}

/* ==== The table ==== */

static const char counter[] = "counter", gauge[] = "gauge";

static const struct metric table[] = {
#define PARTITION_METRIC(name, kind, lines, help) \
    {#name, kind, help, write_partition_##lines, offsetof(struct metrics, name), NULL},
#define PARTITION_METRICS(name, size, kind, lines, help) \
    {#name, kind, help, write_labelled_##lines, offsetof(struct metrics, name), NULL},
#define PARTITION_TIME(name, help) PARTITION_METRIC(name, gauge, time, help)
#define PARTITION_HISTOGRAM(name, bounds, help) \
    {#name, "histogram", help, write_histogram, offsetof(struct metrics, name), &(bounds)},
#define WORKER_METRIC(name, kind, lines, help) \
    {#name, kind, help, write_worker_##lines, offsetof(struct metrics_registry, name), NULL},
#define PROCESS_METRIC(name, kind, help) \
    {#name, kind, help, write_process, offsetof(struct process_usage, name), NULL},
#define OTHER_METRIC(name, kind, lines, help) {#name, kind, help, write_##lines, 0, NULL},
#include "worker/observe/metrics.def"
};

void metrics_render(struct metrics_registry *registry, struct usher_buffer *out)
{
    struct scrape scrape = {.registry = registry, .out = out};
    process_usage_read(&scrape.process);
    pthread_mutex_lock(&registry->lock);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        write_head(out, table[i].name, table[i].type, table[i].help);
        table[i].write(&table[i], &scrape);
    }
    pthread_mutex_unlock(&registry->lock);
}

/* ==== Refused demand ==== */

static void append_instant(struct usher_buffer *out, const char *name, int64_t ms)
{
    char text[USHER_INSTANT_SIZE];
    usher_instant_format(ms, text);
    json_text(out, name, text);
}

void metrics_render_refused(struct metrics_registry *registry, int32_t partition,
                            struct usher_buffer *out)
{
    struct metrics_refused *refused = &metrics_of(registry, partition)->refused;
    usher_buffer_text(out, "[");
    pthread_mutex_lock(&refused->lock);
    for (uint32_t i = 0; i < refused->count; i++) {
        const struct metrics_refused_row *row = &refused->rows[i];
        json_text(out, i == 0 ? "{\"resource\":" : ",{\"resource\":", row->resource);
        json_text(out, ",\"reason\":", usher_reason_name(row->reason));
        json_number(out, ",\"requests\":", row->requests);
        append_instant(out, ",\"since\":", row->since_ms);
        append_instant(out, ",\"last_at\":", row->last_ms);
        usher_buffer_text(out, "}");
    }
    pthread_mutex_unlock(&refused->lock);
    usher_buffer_text(out, "]");
}
