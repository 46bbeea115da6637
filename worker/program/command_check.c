/*
 * `usher-worker check` checks that every dependency is reachable and set up correctly, and
 * prints a line for each, with what to do; `migrate` applies the schema, with a role that may
 * change it; `topics` creates the topics or checks them; `print-config` prints every option, its
 * value and where it comes from.
 */
#include "worker/program/command_check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "producer/base/calendar.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"
#include "producer/base/options.h"
#include "producer/base/plural.h"
#include "producer/codec/timezone.h"
#include "producer/kafka/kafka_options.h"
#include "producer/terminal/terminal.h"
#include "usher/message.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_topics.h"
#include "worker/observe/http.h"
#include "worker/postgres/pg_check.h"
#include "worker/postgres/pg_migrate.h"
#include "worker/program/command_reconcile.h"
#include "worker/program/system_timezones.h"
#include "worker/program/worker_options.h"
#include "worker/redis/redis_store.h"

/* ==== Check ==== */

enum {
    REQUEST_TIMEOUT_MS = 5000,
    PAUSE_S = 1 /* between two rounds of a check that waits */
};

/* A flag only: a check that waits is asked for where something is started. */
static const struct option_spec check_specs[] = {
    {.name = "wait",
     .type = OPTION_DURATION,
     .implied = "5m",
     .min = 1,
     .max = 86400,
     .help = "check again until nothing fails, at most this long"},
};

static const struct option_group check_options = WORKER_GROUP("Check", check_specs);

static void report_finding(const struct findings *findings, enum finding_level level,
                           const char *text)
{
    findings->report(findings->context, level, text);
}

/* Returns 0, which is not compared, where Kafka does not answer. */
static int32_t count_partitions(const struct worker_settings *settings)
{
    int32_t count = 0;
    struct kafka_base *kafka = NULL;
    const struct kafka_base_settings base = {.kafka = &settings->kafka,
                                             .request_timeout_ms = REQUEST_TIMEOUT_MS};
    if (kafka_base_open(&base, &kafka, NULL) == USHER_OK &&
        kafka_base_partitions(kafka, &count, NULL) != USHER_OK)
        count = 0;
    if (kafka_base_close(kafka, REQUEST_TIMEOUT_MS, NULL) != USHER_OK)
        count = 0;
    return count;
}

static enum usher_exit check_postgres(const struct worker_settings *settings,
                                      const struct findings *findings)
{
    struct usher_error err = {0};
    enum usher_status status =
        pg_check(&settings->postgres, count_partitions(settings), findings, &err);
    return status == USHER_OK ? USHER_EXIT_DONE : err.exit_code;
}

static enum usher_exit check_redis(const struct worker_settings *settings,
                                   const struct findings *findings)
{
    struct usher_error err = {0};
    bool evicts;
    if (!settings->redis.uri) {
        report_finding(findings, FINDING_NOTE,
                       "redis: not configured (USHER_REDIS is empty): this worker publishes no "
                       "availability; if others do, Redis becomes stale");
        return USHER_EXIT_DONE;
    }
    enum usher_status status = redis_check(&settings->redis, &evicts, &err);
    report_finding(findings, status == USHER_OK ? FINDING_GOOD : FINDING_WRONG,
                   status == USHER_OK ? "redis: answers" : err.text);
    if (evicts) {
        report_finding(findings, FINDING_WARNING,
                       "redis: it may evict keys: set maxmemory-policy noeviction");
    }
    return status == USHER_OK ? USHER_EXIT_DONE : err.exit_code;
}

static enum usher_exit check_http(const struct worker_settings *settings,
                                  const struct findings *findings)
{
    struct usher_error err = {0};
    if (http_check(settings->http_listen, &err) == USHER_OK)
        return USHER_EXIT_DONE;
    report_finding(findings, FINDING_WRONG, err.text);
    return err.exit_code;
}

/* A release that is not newer cannot know better, and one that differs nowhere need not. */
static void check_timezones(const struct findings *findings)
{
    static const char folder[] = "/usr/share/zoneinfo";
    char release[TIMEZONES_RELEASE_SIZE], zone[TIMEZONE_NAME_SIZE], text[300];
    if (!system_timezones_release(folder, release) || strcmp(release, timezone_release) <= 0)
        return;
    int32_t today = (int32_t)(clock_wall_ms() / CALENDAR_MS_A_DAY);
    uint32_t count = system_timezones_compare(folder, today, zone);
    if (count == 0)
        return;
    snprintf(text, sizeof text,
             "time zones: this program has release %s, the system %s, by which days begin at other "
             "times in %" PRIu32 " zone%s within two years, such as %s: upgrade usher",
             timezone_release, release, count, PLURAL(count), zone);
    report_finding(findings, FINDING_WARNING, text);
}

static enum usher_exit check_all(const struct worker_settings *settings,
                                 const struct findings *findings)
{
    check_timezones(findings);
    const struct kafka_topic_plan plan = {.timeout_ms = REQUEST_TIMEOUT_MS};
    const enum usher_exit codes[] = {
        kafka_check(&settings->kafka, &plan, findings),
        check_postgres(settings, findings),
        check_redis(settings, findings),
        check_http(settings, findings),
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] != USHER_EXIT_DONE)
            return codes[i];
    return USHER_EXIT_DONE;
}

/* Prints what the checks find, unless it is what the last round found: the caller frees that. */
static enum usher_exit check_round(const struct worker_settings *settings,
                                   struct findings_printer printer, char **last)
{
    char *text = NULL;
    size_t size;
    printer.terminal.out = open_memstream(&text, &size);
    assert(printer.terminal.out);
    const struct findings findings = findings_to(&printer);
    enum usher_exit code = check_all(settings, &findings);
    fclose(printer.terminal.out);
    if (!*last || strcmp(*last, text) != 0) {
        fputs(text, stdout);
        fflush(stdout);
    }
    free(*last);
    *last = text;
    return code;
}

/*
 * Whatever fails may be about to pass: topics and tables that are being created, a role that has no
 * password yet.
 */
static enum usher_exit check_until_good(const struct worker_settings *settings,
                                        const struct findings_printer *printer, int64_t wait_s)
{
    char *last = NULL;
    enum usher_exit code;
    const int64_t deadline_ms = clock_ms() + wait_s * 1000;
    while ((code = check_round(settings, *printer, &last)) != USHER_EXIT_DONE &&
           clock_ms() < deadline_ms)
        nanosleep(&(struct timespec){.tv_sec = PAUSE_S}, NULL);
    free(last);
    return code;
}

static enum usher_exit run_check(const struct program_command *command, struct options *options,
                                 struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    if (worker_settings_read(options, &settings, err) != USHER_OK)
        return err->exit_code;
    struct findings_printer printer = findings_printer_of(options);
    const struct findings findings = findings_to(&printer);
    return options_has(options, "wait")
               ? check_until_good(&settings, &printer, options_integer(options, "wait"))
               : check_all(&settings, &findings);
}

static const struct option_group *const check_groups[] = {
    &check_options, &kafka_options,  &postgres_options, &redis_options,
    &http_options,  &output_options, &common_options};

const struct program_command check_command = {
    .name = "check",
    .arguments = "",
    .help = "Checks that Kafka, PostgreSQL and Redis can be reached and are set up correctly.",
    .details = "Prints a line for each check, with advice if one fails. Changes nothing. With "
               "--wait it checks again until\n"
               "nothing fails, and prints changed lines: for containers that start before their "
               "database.\n",
    .example = "check",
    .table = WORKER_TABLE(check_groups),
    .others = &worker_options,
    .run = run_check,
};

/* ==== Migrate ==== */

/* ---- list ---- */

static void print_state(void *context, const struct pg_migration_state *state)
{
    char at[USHER_INSTANT_SIZE];
    (void)context;
    if (state->database)
        printf("%s: ", state->database);
    if (state->applied_ms == 0) {
        printf("%s pending", state->name);
        if (state->way == PG_WAY_ROLLING)
            printf(", rolling: workers of schema version %" PRId32 " and later go on",
                   state->program);
        else if (state->way == PG_WAY_STOP)
            printf(", stop the workers first");
        printf("\n");
        return;
    }
    usher_instant_format(state->applied_ms, at);
    printf("%s %s %s by %s\n", state->name,
           state->changed ? "applied with different content" : "applied", at, state->by);
}

static void print_state_json(void *context, const struct pg_migration_state *state)
{
    char at[USHER_INSTANT_SIZE] = "";
    struct usher_buffer json = {0};
    (void)context;
    if (state->applied_ms != 0)
        usher_instant_format(state->applied_ms, at);
    json_text(&json, "{\"migration\":", state->name);
    if (state->database)
        json_text(&json, ",\"database\":", state->database);
    json_text(&json, ",\"state\":",
              state->applied_ms == 0 ? "pending"
              : state->changed       ? "changed"
                                     : "applied");
    json_text(&json, ",\"at\":", state->applied_ms != 0 ? at : NULL);
    json_text(&json, ",\"by\":", state->by);
    if (state->way != PG_WAY_NONE)
        json_text(&json, ",\"workers\":", state->way == PG_WAY_ROLLING ? "rolling" : "stop");
    if (state->way == PG_WAY_ROLLING)
        json_number(&json, ",\"from_version\":", state->program);
    usher_buffer_text(&json, "}");
    printf("%.*s\n", (int)json.size, json.at);
    usher_buffer_deinit(&json);
}

/* ---- the actions ---- */

static enum usher_status up(const struct pg_settings *settings, const struct options *options,
                            struct usher_error *err)
{
    static const struct pg_migration_reporter reporter = {print_state, NULL};
    const char *shard = options_text(options, "shard");
    enum usher_status status = shard ? worker_check_shard("--shard", shard, err) : USHER_OK;
    if (status == USHER_OK)
        status = pg_migrate_up(settings, &reporter, stdout, err);
    return status == USHER_OK && shard ? pg_migrate_shard(settings, shard, stdout, err) : status;
}

static enum usher_status list(const struct pg_settings *settings, const struct options *options,
                              struct usher_error *err)
{
    const struct pg_migration_reporter reporter = {
        options_bool(options, "json") ? print_state_json : print_state, NULL};
    return pg_migrate_list(settings, &reporter, err);
}

static enum usher_status print_all(const struct pg_settings *settings,
                                   const struct options *options, struct usher_error *err)
{
    (void)settings;
    (void)options;
    return pg_migrate_print(NULL, stdout, err);
}

static const struct {
    const char *name;
    enum usher_status (*run)(const struct pg_settings *settings, const struct options *options,
                             struct usher_error *err);
    const char *takes; /* flags */
} actions[] = {
    {"up", up, "shard"},
    {"list", list, "json"},
    {"print", print_all, ""},
};

static enum usher_status migrate(const struct pg_settings *settings, const struct options *options,
                                 struct usher_error *err)
{
    const char *action = options->arguments[0];
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, action) != 0)
            continue;
        enum usher_status status =
            worker_check_flags(options, &migrate_command, actions[i].takes, err);
        return status == USHER_OK ? actions[i].run(settings, options, err) : status;
    }
    usher_error_set(err, USHER_EXIT_USAGE, "unknown action \"%s\": use migrate up, list or print",
                    action);
    return USHER_FATAL;
}

static enum usher_exit run_migrate(const struct program_command *command, struct options *options,
                                   struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    enum usher_status status = worker_settings_read(options, &settings, err);
    if (status == USHER_OK)
        status = migrate(&settings.postgres, options, err);
    return worker_end(status, err);
}

/* A flag only. */
static const struct option_spec migrate_specs[] = {
    {.name = "json", .type = OPTION_BOOL, .help = "list: print JSON, a line for each"},
    {.name = "shard",
     .value_name = "NAME",
     .help = "up: the name of this database, or of the one of several that has none yet"},
};

static const struct option_group migrate_options = {
    .title = "Migrations",
    .specs = migrate_specs,
    .count = sizeof migrate_specs / sizeof *migrate_specs,
};

static const struct option_group *const migrate_groups[] = {&migrate_options, &postgres_options,
                                                            &common_options};

const struct program_command migrate_command = {
    .name = "migrate",
    .arguments = "up|list|print",
    .help = "Brings the database to the schema of this version, or shows what is missing.",
    .details =
        "up applies the missing migrations, each in a transaction, and prints their names; it\n"
        "needs a role that may create roles and the schema. If USHER_POSTGRES names several\n"
        "databases, each is migrated, and gets a permanent name by --shard. list prints all\n"
        "migrations, with the time when each was applied, or its demand on the workers: rolling\n"
        "(they go on meanwhile), or to stop them first; up says so, too, before it applies any.\n"
        "print writes their SQL for somebody else to run; it needs no database.\n",
    .example = "migrate up",
    .table = WORKER_TABLE(migrate_groups),
    .others = &worker_options,
    .run = run_migrate,
};

/* ==== Topics ==== */

/* Flags only: they are used once, when usher is set up. */
static const struct option_spec topics_specs[] = {
    {.name = "partitions",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 100000,
     .help = "create: number of partitions, default 12; check: expected number"},
    {.name = "replication",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 100,
     .help = "create: replication factor, default that of the broker; "
             "from 3 on min.insync.replicas is set to 2"},
    {.name = "retention",
     .type = OPTION_DURATION,
     .min = 3600,
     .max = 315360000, /* ten years */
     .fallback = "7d",
     .help = "create: retention of records, which limits how long an outage may last"},
};

static const struct option_group topics_options = WORKER_GROUP("Topics", topics_specs);

enum {
    PARTITIONS = 12,
    TIMEOUT_MS = 10000,
};

static enum usher_exit create_topics(const struct options *options,
                                     const struct usher_kafka_settings *settings,
                                     const struct findings *findings)
{
    struct kafka_topic_plan plan = {
        .partitions = PARTITIONS,
        .replication = -1,
        .retention_ms = options_integer(options, "retention") * 1000,
        .timeout_ms = TIMEOUT_MS,
    };
    if (options_has(options, "partitions"))
        plan.partitions = (int32_t)options_integer(options, "partitions");
    if (options_has(options, "replication"))
        plan.replication = (int32_t)options_integer(options, "replication");
    return kafka_topics_create(settings, &plan, findings);
}

static enum usher_exit check_topics(const struct options *options,
                                    const struct usher_kafka_settings *settings,
                                    const struct findings *findings)
{
    struct kafka_topic_plan plan = {
        .partitions = (int32_t)options_integer(options, "partitions"),
        .timeout_ms = TIMEOUT_MS,
    };
    return kafka_check(settings, &plan, findings);
}

static const struct {
    const char *name;
    enum usher_exit (*run)(const struct options *options,
                           const struct usher_kafka_settings *settings,
                           const struct findings *findings);
    const char *takes; /* flags */
} topics_actions[] = {
    {"create", create_topics, "partitions replication retention json"},
    {"check", check_topics, "partitions json"},
};

enum {
    ACTION_COUNT = sizeof topics_actions / sizeof *topics_actions
};

static enum usher_exit run_topics(const struct program_command *command, struct options *options,
                                  struct usher_error *err)
{
    struct usher_kafka_settings settings;
    const char *action = options->arguments[0];
    size_t i = 0;
    while (i < ACTION_COUNT && strcmp(topics_actions[i].name, action) != 0)
        i++;
    if (i == ACTION_COUNT) {
        usher_error_set(err, USHER_EXIT_USAGE, "unknown action \"%s\": use topics create or check",
                        action);
        return err->exit_code;
    }
    enum usher_status status = worker_check_flags(options, command, topics_actions[i].takes, err);
    if (status == USHER_OK)
        status = kafka_settings_read(options, &settings, err);
    if (status != USHER_OK)
        return err->exit_code;
    struct findings_printer printer = findings_printer_of(options);
    const struct findings findings = findings_to(&printer);
    return topics_actions[i].run(options, &settings, &findings);
}

static const struct option_group *const topics_groups[] = {&topics_options, &kafka_options,
                                                           &output_options, &common_options};

const struct program_command topics_command = {
    .name = "topics",
    .arguments = "create|check",
    .help = "Creates the topics in Kafka, or checks them.",
    .details = "create creates missing topics; their number of partitions is permanent. check "
               "prints a line for each\n"
               "topic, with advice if one is wrong.\n",
    .example = "topics create --partitions 12 --replication 3",
    .table = WORKER_TABLE(topics_groups),
    .others = &worker_options,
    .run = run_topics,
};

/* ==== Print-config ==== */

static enum usher_exit run_print_config(const struct program_command *command,
                                        struct options *options, struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    if (worker_settings_read(options, &settings, err) != USHER_OK)
        return err->exit_code;
    if (options_bool(options, "json"))
        options_print_config_json(options, stdout);
    else
        options_print_config(options, stdout);
    return USHER_EXIT_DONE;
}

/* All options are its subject; these are its own. */
static const struct option_group *const print_config_groups[] = {&output_options, &common_options};

const struct program_command print_config_command = {
    .name = "print-config",
    .arguments = "",
    .help = "Prints every option with its value and its source.",
    .details = "Secrets are shown as ****.\n",
    .example = "print-config --config usher.conf",
    .table = WORKER_TABLE(print_config_groups),
    .others = &worker_options,
    .run = run_print_config,
};
