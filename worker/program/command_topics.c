/* `usher-worker topics` creates the topics or checks them. */
#include "worker/program/command_topics.h"

#include <stdint.h>
#include <string.h>

#include "producer/base/options.h"
#include "producer/kafka/kafka_options.h"
#include "producer/terminal/terminal.h"
#include "worker/kafka/kafka_topics.h"
#include "worker/program/command_reconcile.h"

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
} actions[] = {
    {"create", create_topics, "partitions replication retention json"},
    {"check", check_topics, "partitions json"},
};

enum {
    ACTION_COUNT = sizeof actions / sizeof *actions
};

static enum usher_exit run_topics(const struct program_command *command, struct options *options,
                                  struct usher_error *err)
{
    struct usher_kafka_settings settings;
    const char *action = options->arguments[0];
    size_t i = 0;
    while (i < ACTION_COUNT && strcmp(actions[i].name, action) != 0)
        i++;
    if (i == ACTION_COUNT) {
        usher_error_set(err, USHER_EXIT_USAGE, "unknown action \"%s\": use topics create or check",
                        action);
        return err->exit_code;
    }
    enum usher_status status = worker_check_flags(options, command, actions[i].takes, err);
    if (status == USHER_OK)
        status = kafka_settings_read(options, &settings, err);
    if (status != USHER_OK)
        return err->exit_code;
    struct findings_printer printer = findings_printer_of(options);
    const struct findings findings = findings_to(&printer);
    return actions[i].run(options, &settings, &findings);
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
