/*
 * `usher-worker check` checks that every dependency is reachable and set up correctly, and prints
 * a line for each, with what to do; `print-config` prints every option, its value and where it
 * comes from.
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
#include "producer/base/options.h"
#include "producer/base/plural.h"
#include "producer/codec/timezone.h"
#include "producer/kafka/kafka_options.h"
#include "producer/terminal/terminal.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_topics.h"
#include "worker/observe/http.h"
#include "worker/postgres/pg_check.h"
#include "worker/program/command_reconcile.h"
#include "worker/program/system_timezones.h"
#include "worker/program/worker_options.h"
#include "worker/redis/redis_check.h"

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

/* ---- print-config ---- */

static enum usher_exit run_print_config(const struct program_command *command,
                                        struct options *options, struct usher_error *err)
{
    struct worker_settings settings;
    (void)command;
    if (worker_settings_read(options, &settings, err) != USHER_OK)
        return err->exit_code;
    program_print_config(options);
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
