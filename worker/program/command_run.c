/* `usher-worker run`: decides requests until it is stopped. */
#include "worker/program/command_run.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_group.h"
#include "worker/kafka/kafka_outbox.h"
#include "worker/observe/http.h"
#include "worker/observe/memory_limit.h"
#include "worker/observe/metrics.h"
#include "worker/observe/metrics_render.h"
#include "worker/observe/process.h"
#include "worker/observe/service_manager.h"
#include "worker/partition/memory_budget.h"
#include "worker/postgres/pg_check.h"
#include "worker/postgres/pg_partition.h"
#include "worker/postgres/pg_record.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_views.h"
#include "worker/program/worker_options.h"
#include "worker/program/worker_process.h"
#include "worker/redis/redis_cache.h"

enum {
    WATCH_MS = 60000, /* how often carts that are sold in a part are counted … */
    WATCH_TURN_MS = 200,
    WATCH_CLOSE_MS = 2000,
};

enum {
    CACHE_CLOSE_MS = 2000,
    KAFKA_CLOSE_MS = 3000,
    POSITIONS_TIMEOUT_MS = 3000,
    STUCK_MS = 60000,      /* no call into a port takes this long */
    JOIN_AGAIN_MS = 10000, /* from the end of a drain to joining the group again, at most */
};

/* The adapters of a partition, except its log. */
struct partition_adapters {
    struct record_port *record;
    struct kafka_outbox *outbox;
};

struct worker {
    const struct worker_settings *settings;
    struct metrics_registry *metrics;
    struct kafka_base *kafka;
    struct pg_settings positions_settings;
    struct pg_positions *positions;
    struct redis_cache *cache;
    struct cache_port cache_port;
    int64_t memory_max;
    struct memory_budget *budget;
    struct group *group;
    struct kafka_group *membership;
    struct group_port port;
    struct http_server *http;
    struct service_manager *manager;
    int32_t partition_count;
    struct partition_adapters *adapters; /* by partition */
    pthread_t watch;                     /* 0: not started */
    _Atomic bool stopping, ended;
    const struct options *options; /* as they were loaded */
};

/* ---- callbacks of the group ---- */

static enum usher_status read_positions(void *self, struct known_position *known,
                                        struct usher_error *err)
{
    struct worker *worker = self;
    enum usher_status status = pg_positions_read(worker->positions, known, err);
    metrics_dependency(worker->metrics, METRICS_POSTGRES,
                       status == USHER_OK && pg_positions_complete(worker->positions));
    for (int32_t i = 0; i < worker->partition_count; i++)
        metrics_shard(worker->metrics, i, pg_positions_shard(worker->positions, i));
    return status;
}

static void kafka_seen(void *self, bool up)
{
    struct worker *worker = self;
    metrics_dependency(worker->metrics, METRICS_KAFKA, up);
}

static void open_partition(void *self, int32_t partition, struct partition_ports *ports)
{
    struct worker *worker = self;
    struct partition_adapters *adapters = &worker->adapters[partition];
    adapters->record = pg_record_open(&(struct pg_record_options){
        .connection = worker->settings->postgres,
        .partition = partition,
        .partition_count = worker->partition_count,
        .positions =
            pg_session_databases(&worker->settings->postgres) > 1 ? worker->positions : NULL,
    });
    adapters->outbox =
        kafka_outbox_new(worker->kafka, &(struct kafka_outbox_settings){.partition = partition});
    ports->record = *adapters->record;
    ports->outbox = kafka_outbox_port(adapters->outbox);
    ports->cache = worker->cache_port;
    ports->metrics = metrics_of(worker->metrics, partition);
    ports->budget = worker->budget;
}

static void close_partition(void *self, int32_t partition)
{
    struct worker *worker = self;
    struct partition_adapters *adapters = &worker->adapters[partition];
    metrics_assigned(metrics_of(worker->metrics, partition), false);
    kafka_outbox_close(adapters->outbox);
    pg_record_close(adapters->record);
    *adapters = (struct partition_adapters){0};
}

static void turned(void *self)
{
    const struct worker *worker = self;
    if (service_manager_is_due(worker->manager)) {
        struct service_health health = process_health(worker->group, worker->partition_count);
        service_manager_tell(worker->manager, &health);
    }
}

/* ---- callbacks of HTTP ---- */

static bool is_alive(void *self, char *why, size_t size)
{
    const struct worker *worker = self;
    return group_alive(worker->group, why, size);
}

static bool is_ready(void *self, char *why, size_t size)
{
    const struct worker *worker = self;
    return group_ready(worker->group, why, size);
}

static void render_metrics(void *self, struct usher_buffer *out)
{
    const struct worker *worker = self;
    metrics_render(worker->metrics, out);
}

static uint32_t list_partitions(void *self, struct partition_view *partitions, uint32_t max)
{
    uint32_t count = 0;
    const struct worker *worker = self;
    for (int32_t i = 0; i < worker->partition_count; i++) {
        struct partition_view view;
        if (!group_snapshot(worker->group, i, &view))
            continue;
        if (count < max)
            partitions[count] = view;
        count++;
    }
    return count;
}

static void list_refused(void *self, int32_t partition, struct usher_buffer *out)
{
    const struct worker *worker = self;
    metrics_render_refused(worker->metrics, partition, out);
}

static const char *dependency_state(const struct worker *worker, enum metrics_dependency dependency)
{
    static const char *const states[] = {
        [METRICS_UNSEEN] = "unseen", [METRICS_DOWN] = "down", [METRICS_UP] = "up"};
    if (dependency == METRICS_REDIS && !worker->settings->redis.uri)
        return "none";
    return states[metrics_dependency_state(worker->metrics, dependency)];
}

/* Redis is for display only. */
static uint32_t list_dependencies(void *self, struct http_dependency *dependencies, uint32_t max)
{
    const struct worker *worker = self;
    for (uint32_t i = 0; i < METRICS_DEPENDENCY_COUNT && i < max; i++) {
        enum metrics_dependency dependency = (enum metrics_dependency)i;
        dependencies[i] = (struct http_dependency){
            .name = metrics_dependency_name(dependency),
            .state = dependency_state(worker, dependency),
            .counts = dependency != METRICS_REDIS,
        };
    }
    return METRICS_DEPENDENCY_COUNT;
}

/* ---- callbacks of signals ---- */

static void stop(void *self)
{
    struct worker *worker = self;
    worker->stopping = true;
    service_manager_stopping(worker->manager, "finishing work in flight");
}

/* Only the log can change at run time; all other options need a restart. */
static void reload(void *self)
{
    const struct worker *worker = self;
    struct options options;
    struct usher_error err = {0};
    enum usher_status status =
        program_load(&options, &run_command, worker->options->argc, worker->options->argv, &err);
    if (status == USHER_OK)
        log_info(NULL,
                 "reloaded the options: the log level is %s, the format %s; all others need a "
                 "restart",
                 options_text(&options, "USHER_LOG_LEVEL"),
                 options_text(&options, "USHER_LOG_FORMAT"));
    (void)worker_end(status, &err);
    options_deinit(&options);
}

/* ---- carts that are sold in a part ---- */

/* Closes the connection where it fails: another one is tried the next time. */
static int64_t count_mixed_carts(const struct worker *worker, struct pg_views **views)
{
    static const char *const columns[] = {"carts"};
    const struct pg_view_question question = {
        .view = PG_VIEW_MIXED_CARTS, .columns = columns, .column_count = 1};
    struct usher_arena arena = {0};
    struct usher_error err;
    struct pg_view_rows rows;
    int64_t count = -1;
    enum usher_status status =
        *views ? USHER_OK : pg_views_open(&worker->settings->postgres, views, &err);
    if (status == USHER_OK)
        status = pg_views_ask(*views, &question, &arena, &rows, &err);
    if (status == USHER_OK)
        status = pg_views_missing(*views, &err);
    if (status == USHER_OK) {
        count = strtoll(rows.values[0], NULL, 10);
    } else {
        log_debug(NULL, "could not count mixed carts: %s", err.text);
        pg_views_close(*views);
        *views = NULL;
    }
    usher_arena_deinit(&arena);
    return count;
}

/* A cart lies in several partitions: the owner of the first counts them all. */
static void *watch_carts(void *argument)
{
    struct worker *worker = argument;
    struct pg_views *views = NULL;
    int64_t next_ms = 0;
    while (!worker->ended) {
        struct partition_view view;
        nanosleep(&(struct timespec){.tv_nsec = WATCH_TURN_MS * 1000000L}, NULL);
        bool owns = group_snapshot(worker->group, 0, &view);
        if (!owns)
            metrics_set(&worker->metrics->usher_carts_mixed, -1);
        if (!owns || clock_ms() < next_ms)
            continue;
        metrics_set(&worker->metrics->usher_carts_mixed, count_mixed_carts(worker, &views));
        next_ms = clock_ms() + WATCH_MS;
    }
    pg_views_close(views);
    return NULL;
}

static enum usher_status start_watch(struct worker *worker, struct usher_error *err)
{
    (void)err;
    int failed = pthread_create(&worker->watch, NULL, watch_carts, worker);
    assert(!failed);
    return USHER_OK;
}

/* False: it waits for the database. */
static bool end_watch(struct worker *worker)
{
    struct timespec until;
    worker->ended = true;
    if (!worker->watch)
        return true;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WATCH_CLOSE_MS / 1000;
    return pthread_timedjoin_np(worker->watch, NULL, &until) == 0;
}

/* ---- opening: each needs the ones before it ---- */

/* Before any thread: see memory_budget_prepare. */
static enum usher_status find_memory(struct worker *worker, struct usher_error *err)
{
    memory_budget_prepare();
    worker->memory_max = worker->settings->memory_max;
    if (worker->memory_max > 0)
        return USHER_OK;
    const struct memory_limit limit = memory_limit_read("");
    worker->memory_max = limit.bytes / 4 * 3;
    if (worker->memory_max >= MEMORY_MIN)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "three quarters of the %lld MiB that this %s has are too little: a worker "
                    "needs %d MiB, or set USHER_MEMORY_MAX",
                    (long long)(limit.bytes >> 20), limit.of_a_group ? "control group" : "machine",
                    MEMORY_MIN >> 20);
    return USHER_FATAL;
}

static enum usher_status open_kafka(struct worker *worker, struct usher_error *err)
{
    const struct kafka_base_settings settings = {.kafka = &worker->settings->kafka};
    enum usher_status status = process_check_descriptors(1, err);
    if (status == USHER_OK)
        status = kafka_base_open(&settings, &worker->kafka, err);
    if (status == USHER_OK)
        status = kafka_base_partitions(worker->kafka, &worker->partition_count, err);
    metrics_dependency(worker->metrics, METRICS_KAFKA, status == USHER_OK);
    metrics_set(&worker->metrics->usher_partitions, worker->partition_count);
    /* It may come to own all of them. */
    return status == USHER_OK ? process_check_descriptors(worker->partition_count, err) : status;
}

static enum usher_status open_budget(struct worker *worker, struct usher_error *err)
{
    (void)err;
    worker->budget =
        memory_budget_open(worker->memory_max, worker->partition_count, worker->metrics);
    log_info(NULL, "up to %lld MiB of memory may be used", (long long)(worker->memory_max >> 20));
    return USHER_OK;
}

static enum usher_status open_cache(struct worker *worker, struct usher_error *err)
{
    const struct redis_cache_settings settings = {
        .redis = &worker->settings->redis,
        .worker = {.name = worker->settings->name,
                   .version = worker->settings->version,
                   .host = worker->settings->host,
                   .http = worker->settings->http_listen},
        .partition_count = worker->partition_count,
        .queue_bytes = memory_budget_shown_bytes(worker->memory_max),
        .metrics = worker->metrics,
    };
    if (!worker->settings->redis.uri)
        log_warning(NULL, "USHER_REDIS is empty: no availability is published; availability of its "
                          "partitions in Redis becomes stale");
    return redis_cache_open(&settings, &worker->cache, &worker->cache_port, err);
}

static void log_finding(void *context, enum finding_level level, const char *text)
{
    (void)context;
    (void)level;
    log_warning(NULL, "%s", text);
}

/* It starts all the same: what is really lost or hidden halts its partition, or has it try again.
 */
static enum usher_status check_tables(struct worker *worker, struct usher_error *err)
{
    const struct findings findings = {.report = log_finding};
    (void)err;
    pg_check_tables(&worker->settings->postgres, &findings);
    return USHER_OK;
}

static enum usher_status open_group(struct worker *worker, struct usher_error *err)
{
    const struct group_settings settings = {
        .partition_count = worker->partition_count,
        .stuck_ms = STUCK_MS,
        .allocator = worker->settings->allocator,
    };
    const struct group_hooks hooks = {
        .self = worker,
        .read_positions = read_positions,
        .kafka_seen = kafka_seen,
        .open = open_partition,
        .close = close_partition,
        .turned = turned,
    };
    worker->adapters = memory_calloc((size_t)worker->partition_count, sizeof *worker->adapters);
    /* Read on the thread that serves the group membership, which must not wait for long. */
    worker->positions_settings = worker->settings->postgres;
    worker->positions_settings.connect_timeout_ms = POSITIONS_TIMEOUT_MS;
    worker->positions_settings.query_timeout_ms = POSITIONS_TIMEOUT_MS;
    worker->positions = pg_positions_open(&worker->positions_settings, worker->partition_count);
    worker->group = group_create(&settings, &hooks);
    return group_read_positions(worker->group, err);
}

static enum usher_status open_http(struct worker *worker, struct usher_error *err)
{
    const struct http_settings settings = {
        .listen = worker->settings->http_listen,
        .worker = worker->settings->name,
        .version = worker->settings->version,
        .configuration = worker->settings->digest,
        .source = {.self = worker,
                   .alive = is_alive,
                   .ready = is_ready,
                   .metrics = render_metrics,
                   .partitions = list_partitions,
                   .refused = list_refused,
                   .dependencies = list_dependencies},
    };
    return http_open(&settings, &worker->http, err);
}

static enum usher_status join_group(struct worker *worker, struct usher_error *err)
{
    const struct group_handler handler = group_handler(worker->group);
    const struct kafka_group_settings settings = {
        .group_id = worker->settings->group,
        .partition_count = worker->partition_count,
        .session_timeout_ms = worker->settings->session_timeout_ms,
        .heartbeat_ms = worker->settings->heartbeat_ms,
        .rebalance_timeout_ms = (int)worker->settings->allocator.drain_timeout_ms + JOIN_AGAIN_MS,
        .queue_bytes = memory_budget_queue_bytes(worker->memory_max, worker->partition_count),
    };
    enum usher_status status =
        kafka_group_open(worker->kafka, &settings, &handler, &worker->membership, err);
    if (status == USHER_OK)
        worker->port = kafka_group_port(worker->membership);
    return status;
}

static enum usher_status work(struct worker *worker, struct usher_error *err)
{
    static enum usher_status (*const openers[])(struct worker *, struct usher_error *) = {
        find_memory, open_kafka, open_budget, open_group,   open_cache,
        open_http,   join_group, start_watch, check_tables,
    };
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        enum usher_status status = openers[i](worker, err);
        if (status != USHER_OK)
            return status;
    }
    log_info(NULL, "usher-worker %s started", worker->settings->version);
    return group_run(worker->group, &worker->port, &worker->stopping, err);
}

/* A handle that hangs after a broker's restart must not keep the process alive: nothing is lost. */
static void close_worker(struct worker *worker, enum usher_exit code)
{
    struct usher_error err;
    http_close(worker->http);
    bool watch_ended = end_watch(worker);
    kafka_group_close(worker->membership);
    redis_cache_close(worker->cache, CACHE_CLOSE_MS);
    if (!watch_ended)
        _exit((int)code);
    group_destroy(worker->group);
    memory_budget_close(worker->budget);
    pg_positions_close(worker->positions);
    free(worker->adapters);
    if (kafka_base_close(worker->kafka, KAFKA_CLOSE_MS, &err) != USHER_OK) {
        log_warning(NULL, "%s", err.text);
        _exit((int)code);
    }
    metrics_close(worker->metrics);
}

static enum usher_exit run_worker(const struct program_command *command, struct options *options,
                                  struct usher_error *err)
{
    struct worker_settings settings;
    static struct worker worker; /* the thread of the signals may outlive this call */
    (void)command;
    if (worker_settings_read(options, &settings, err) != USHER_OK)
        return err->exit_code;
    process_raise_descriptors();
    worker.settings = &settings;
    worker.options = options;
    worker.metrics = metrics_open(settings.version);
    worker.manager = service_manager_open();
    process_start_signals(
        &(struct signals_handler){.self = &worker, .stop = stop, .reload = reload});
    enum usher_exit code = worker_end(work(&worker, err), err);
    close_worker(&worker, code);
    log_info(NULL, "usher-worker stopped");
    return code;
}

const struct program_command run_command = {
    .name = "run",
    .arguments = "",
    .help = "Decides requests until it is stopped.",
    .details = "TERM and INT stop it once work in flight is done, a second one at once; HUP "
               "reads the level and format of the log\n"
               "again. Any number of workers may run: each partition has one of them.\n",
    .example = "run --config usher.conf",
    .table = &worker_options,
    .run = run_worker,
};
