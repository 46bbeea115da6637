/*
 * The options of usher-worker: one table for all its commands, and the settings read from them.
 * Knows the adapters' settings, not the adapters.
 */
#include "worker/program/worker_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/log.h"
#include "producer/kafka/kafka_options.h"
#include "producer/terminal/terminal.h"
#include "worker/partition/memory_budget.h"
#include "worker/postgres/pg_session.h"

static const struct option_spec member_specs[] = {
    {.name = "USHER_KAFKA_GROUP",
     .fallback = "usher",
     .value_name = "NAME",
     .help = "consumer group of all workers of one installation"},
    {.name = "USHER_KAFKA_SESSION_TIMEOUT",
     .type = OPTION_DURATION_MS,
     .fallback = "6s",
     .min = 500,
     .max = 300000,
     .help = "Kafka reassigns a worker's partitions after this long without a heartbeat"},
    {.name = "USHER_KAFKA_HEARTBEAT",
     .type = OPTION_DURATION_MS,
     .fallback = "500ms",
     .min = 50,
     .max = 60000,
     .help = "interval of heartbeats to Kafka, a third of the session timeout at most"},
    {.name = "USHER_WORKER_NAME",
     .value_name = "NAME",
     .help = "name of this worker for operators; default: host and process id"},
};

static const struct option_spec work_specs[] = {
    {.name = "USHER_HOLD_TTL",
     .type = OPTION_DURATION,
     .fallback = "15m",
     .min = 1,
     .max = 31536000,
     .help = "how long a hold lasts if its request has no ttl_s"},
    {.name = "USHER_HOLD_TTL_MAX",
     .type = OPTION_DURATION,
     .fallback = "24h",
     .min = 1,
     .max = 31536000,
     .help = "how long a hold may last at most"},
    {.name = "USHER_HOUSE_HOLD_TTL_MAX",
     .type = OPTION_DURATION,
     .fallback = "365d",
     .min = 1,
     .max = 31536000,
     .help = "the same of the house (force), where the limits of the resource let it hold longer"},
    {.name = "USHER_BATCH_LIMIT",
     .type = OPTION_INTEGER,
     .fallback = "1000",
     .min = 1,
     .max = 10000,
     .help = "maximum number of requests per batch"},
    {.name = "USHER_BATCHES_IN_FLIGHT",
     .type = OPTION_INTEGER,
     .fallback = "1",
     .min = 1,
     .max = 8,
     .help = "commits in flight at once; 2 or 3 if the database is more than 0.5 ms away"},
    {.name = "USHER_MEMORY_MAX",
     .type = OPTION_SIZE,
     .min = MEMORY_MIN,
     .max = INT64_C(1) << 50,
     .help = "memory that the worker may use, shared by its partitions; default: three quarters of "
             "its control group's limit, or of the machine's memory"},
    {.name = "USHER_BOOKINGS_IN_MEMORY",
     .type = OPTION_INTEGER,
     .fallback = "500000",
     .min = 1000,
     .max = 100000000,
     .help = "cold bookings kept in memory per partition"},
    {.name = "USHER_RESOURCES_IN_MEMORY",
     .type = OPTION_INTEGER,
     .fallback = "200000",
     .min = 10,
     .max = 10000000,
     .help = "resources kept in memory per partition"},
    {.name = "USHER_UNITS_IN_MEMORY",
     .type = OPTION_INTEGER,
     .fallback = "20000000",
     .min = 1000,
     .max = 10000000000,
     .help = "maximum number of units of those resources"},
    {.name = "USHER_IDS_IN_MEMORY",
     .type = OPTION_INTEGER,
     .fallback = "1000000",
     .min = 1000,
     .max = 100000000,
     .help = "request ids kept in memory per partition"},
    {.name = "USHER_DRAIN_TIMEOUT",
     .type = OPTION_DURATION_MS,
     .fallback = "10s",
     .min = 100,
     .max = 600000,
     .help = "time to finish work in flight when a worker stops"},
};

static const struct option_spec http_specs[] = {
    {.name = "USHER_HTTP_LISTEN",
     .fallback = "127.0.0.1:8080",
     .value_name = "HOST:PORT",
     .help = "address that serves /, /livez, /readyz, /metrics and /status"},
};

static const struct option_group member_options = WORKER_GROUP("Membership", member_specs);

static const struct option_group work_options = WORKER_GROUP("Work", work_specs);

const struct option_group http_options = WORKER_GROUP("HTTP", http_specs);

static const struct option_group *const worker_groups[] = {
    &kafka_options, &member_options, &postgres_options, &redis_options,
    &work_options,  &http_options,   &common_options,
};

const struct option_table worker_options = {
    .groups = worker_groups,
    .group_count = sizeof worker_groups / sizeof worker_groups[0],
};

static const char *host_name(struct options *options)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    return usher_arena_format(&options->arena, "%s", host);
}

/* By default host and process id: unique among the workers that an operator compares. */
static const char *worker_name(struct options *options, const char *host)
{
    const char *given = options_text(options, "USHER_WORKER_NAME");
    return given ? given : usher_arena_format(&options->arena, "%s:%ld", host, (long)getpid());
}

static void read_allocator(const struct options *options, struct partition_settings *allocator)
{
    *allocator = (struct partition_settings){
        .batch_limit = (uint32_t)options_integer(options, "USHER_BATCH_LIMIT"),
        .batches_in_flight = (uint32_t)options_integer(options, "USHER_BATCHES_IN_FLIGHT"),
        .hold_ttl_s = options_integer(options, "USHER_HOLD_TTL"),
        .hold_ttl_max_s = options_integer(options, "USHER_HOLD_TTL_MAX"),
        .house_hold_ttl_max_s = options_integer(options, "USHER_HOUSE_HOLD_TTL_MAX"),
        .limits = {.bookings = (uint32_t)options_integer(options, "USHER_BOOKINGS_IN_MEMORY"),
                   .resources = (uint32_t)options_integer(options, "USHER_RESOURCES_IN_MEMORY"),
                   .units = (uint64_t)options_integer(options, "USHER_UNITS_IN_MEMORY"),
                   .ids = (uint32_t)options_integer(options, "USHER_IDS_IN_MEMORY"),
                   .pools = UINT64_MAX}, /* by the memory alone */
        .drain_timeout_ms = options_integer(options, "USHER_DRAIN_TIMEOUT"),
    };
}

/* A default above the maximum is clamped silently; an explicit value above it is an error. */
static enum usher_status check_holds(const struct options *options, struct usher_error *err)
{
    if (!options_was_given(options, "USHER_HOLD_TTL") ||
        options_integer(options, "USHER_HOLD_TTL") <=
            options_integer(options, "USHER_HOLD_TTL_MAX"))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG, "USHER_HOLD_TTL is longer than USHER_HOLD_TTL_MAX");
    return USHER_FATAL;
}

/*
 * A member whose session ends between two heartbeats takes the partitions of all others along,
 * again and again. A third is what Kafka's documentation advises.
 */
static enum usher_status check_heartbeat(const struct options *options, struct usher_error *err)
{
    int64_t heartbeat_ms = options_integer(options, "USHER_KAFKA_HEARTBEAT");
    int64_t session_ms = options_integer(options, "USHER_KAFKA_SESSION_TIMEOUT");
    if (heartbeat_ms <= session_ms / 3)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "USHER_KAFKA_HEARTBEAT is %" PRId64
                    " ms, more than a third of USHER_KAFKA_SESSION_TIMEOUT, %" PRId64
                    " ms: the session would end between two heartbeats",
                    heartbeat_ms, session_ms);
    return USHER_FATAL;
}

/* Each worker may have its own, also the level and the form of its log. */
static const char *const own_keys[] = {
    "USHER_CONFIG",      "USHER_LOG_LEVEL",   "USHER_LOG_FORMAT",
    "USHER_WORKER_NAME", "USHER_HTTP_LISTEN", NULL,
};

enum usher_status worker_settings_read(struct options *options, struct worker_settings *settings,
                                       struct usher_error *err)
{
    *settings = (struct worker_settings){
        .group = options_text(options, "USHER_KAFKA_GROUP"),
        .session_timeout_ms = (int)options_integer(options, "USHER_KAFKA_SESSION_TIMEOUT"),
        .heartbeat_ms = (int)options_integer(options, "USHER_KAFKA_HEARTBEAT"),
        .http_listen = options_text(options, "USHER_HTTP_LISTEN"),
        .version = options->version,
        .host = host_name(options),
        .memory_max = options_integer(options, "USHER_MEMORY_MAX"),
    };
    settings->name = worker_name(options, settings->host);
    options_digest(options, own_keys, settings->digest);
    settings->redis = redis_settings_of(options);
    read_allocator(options, &settings->allocator);
    enum usher_status status = kafka_settings_read(options, &settings->kafka, err);
    if (status == USHER_OK)
        status = pg_settings_read(options, &settings->postgres, err);
    settings->postgres.owner = settings->name;
    if (status == USHER_OK)
        status = check_holds(options, err);
    return status == USHER_OK ? check_heartbeat(options, err) : status;
}

/* Whether one of the words is this name. */
static bool has_word(const char *words, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = words; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name, size) == 0 && (at[size] == ' ' || at[size] == '\0'))
            return true;
    }
    return false;
}

enum usher_status worker_check_flags(const struct options *options,
                                     const struct program_command *command, const char *takes,
                                     struct usher_error *err)
{
    for (size_t i = 0; i < options->given_count; i++) {
        const struct option_spec *spec = options->given[i].spec;
        bool is_own = !option_has_key(spec) && spec->short_flag == 0;
        if (!is_own || strcmp(spec->name, "color") == 0 || has_word(takes, spec->name))
            continue;
        usher_error_set(err, USHER_EXIT_USAGE, "%s %s takes no --%s", command->name,
                        options->arguments[0], spec->name);
        return USHER_FATAL;
    }
    return USHER_OK;
}

/* As usher.shard has them. */
enum usher_status worker_check_shard(const char *flag, const char *name, struct usher_error *err)
{
    const size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (size > 0 && size < PG_SHARD_SIZE && name[size] == '\0' && !strchr("_-", name[0]))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read %s: \"%s\" is no name of a shard, which has up to %d of a-z, "
                    "0-9, _ and -, and begins with a letter or a digit",
                    flag, name, PG_SHARD_SIZE - 1);
    return USHER_FATAL;
}

enum usher_exit worker_end(enum usher_status status, struct usher_error *err)
{
    if (status == USHER_OK)
        return USHER_EXIT_DONE;
    if (err->exit_code != USHER_EXIT_DIFFERENCE)
        terminal_end_program("usher-worker", err->text);
    err->text[0] = '\0';
    return err->exit_code != USHER_EXIT_DONE ? err->exit_code : USHER_EXIT_BUG;
}
