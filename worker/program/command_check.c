/*
 * `usher-worker check`: checks that every dependency is reachable and set up correctly. Prints a
 * line for each, with what to do. Changes nothing.
 */
#include "worker/program/command_check.h"

#include "producer/kafka/kafka_options.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_topics.h"
#include "worker/observe/http.h"
#include "worker/postgres/pg_check.h"
#include "worker/program/findings_print.h"
#include "worker/program/worker_options.h"
#include "worker/redis/redis_check.h"

enum {
    REQUEST_TIMEOUT_MS = 5000
};

static void tell(const struct findings *findings, enum finding_level level, const char *text)
{
    findings->tell(findings->context, level, text);
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
    if (!settings->redis) {
        tell(findings, FINDING_GOOD, "redis: none configured, availability is not published");
        return USHER_EXIT_DONE;
    }
    enum usher_status status = redis_check(settings->redis, settings->redis_prefix, &evicts, &err);
    tell(findings, status == USHER_OK ? FINDING_GOOD : FINDING_WRONG,
         status == USHER_OK ? "redis: answers" : err.text);
    if (evicts) {
        tell(findings, FINDING_WARNING,
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
    tell(findings, FINDING_WRONG, err.text);
    return err.exit_code;
}

static enum usher_exit check_all(const struct worker_settings *settings,
                                 const struct findings *findings)
{
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

static enum usher_exit run_check(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &check_command, argc, argv, &code)) {
        struct findings_printer printer = findings_printer_of(&options);
        const struct findings findings = findings_to(&printer);
        code = check_all(&settings, &findings);
    }
    options_deinit(&options);
    return code;
}

static const struct option_group *const check_groups[] = {&kafka_options,  &postgres_options,
                                                          &redis_options,  &http_options,
                                                          &output_options, &common_options};

const struct worker_command check_command = {
    .name = "check",
    .arguments = "",
    .help = "Checks that Kafka, PostgreSQL and Redis can be reached and are set up correctly.",
    .details = "Prints a line for each check, with what to do where one fails. Changes nothing.\n",
    .example = "check",
    .table = WORKER_TABLE(check_groups),
    .run = run_check,
};
