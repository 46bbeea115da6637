/* `usher-worker partition ACTION`: reads its options; pg_partition does the work. */
#include "worker/program/command_partition.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "usher/message.h"
#include "worker/postgres/pg_partition.h"
#include "worker/program/worker_options.h"

static const struct option_spec partition_specs[] = {
    {.name = "partition",
     .type = OPTION_INTEGER,
     .min = 0,
     .max = 99999,
     .help = "number of the partition"},
};

static const struct option_group partition_options = WORKER_GROUP("Partition", partition_specs);

static void print_reset(int32_t partition, const struct pg_clock_reset *reset, FILE *out)
{
    char was[USHER_INSTANT_SIZE];
    char became[USHER_INSTANT_SIZE];
    char last_end[USHER_INSTANT_SIZE];
    usher_instant_format(reset->was_ms, was);
    usher_instant_format(reset->became_ms, became);
    usher_instant_format(reset->last_end_ms, last_end);
    fprintf(out, "partition %" PRId32 ": ", partition);
    if (reset->was_ms == 0)
        fprintf(out, "it has decided nothing yet: nothing to do\n");
    else if (reset->was_ms == reset->became_ms)
        fprintf(out, "its time is %s, not ahead of the database's clock: nothing to do\n", was);
    else
        fprintf(out, "its time was set back from %s to %s\n", was, became);
    if (reset->ends_late > 0) {
        fprintf(out,
                "%" PRId64 " holds, waiting parties and blocks were made under the wrong clock and "
                "keep their ends, the last one %s\n",
                reset->ends_late, last_end);
    }
}

static enum usher_status reset_clock(const struct pg_settings *settings, int32_t partition,
                                     FILE *out, struct usher_error *err)
{
    struct pg_clock_reset reset;
    enum usher_status status = pg_partition_reset_clock(settings, partition, &reset, err);
    if (status == USHER_OK)
        print_reset(partition, &reset, out);
    return status;
}

static const struct {
    const char *name;
    enum usher_status (*run)(const struct pg_settings *, int32_t, FILE *, struct usher_error *);
} actions[] = {
    {"reset-clock", reset_clock},
};

enum {
    ACTION_COUNT = sizeof actions / sizeof *actions
};

static enum usher_status run(const struct options *options, const struct pg_settings *settings,
                             struct usher_error *err)
{
    const char *action = options->arguments[0];
    size_t i = 0;
    while (i < ACTION_COUNT && strcmp(actions[i].name, action) != 0)
        i++;
    if (i < ACTION_COUNT && options_has(options, "partition"))
        return actions[i].run(settings, (int32_t)options_integer(options, "partition"), stdout,
                              err);
    if (i < ACTION_COUNT)
        usher_error_set(err, USHER_EXIT_USAGE, "which partition? --partition N is missing");
    else
        usher_error_set(err, USHER_EXIT_USAGE, "unknown action \"%s\": use partition reset-clock",
                        action);
    return USHER_FATAL;
}

static enum usher_exit run_partition(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &partition_command, argc, argv, &code)) {
        struct usher_error err = {0};
        code = worker_end(run(&options, &settings.postgres, &err), &err);
    }
    options_deinit(&options);
    return code;
}

static const struct option_group *const partition_groups[] = {&partition_options, &postgres_options,
                                                              &common_options};

const struct worker_command partition_command = {
    .name = "partition",
    .arguments = "reset-clock",
    .help = "Changes the state of one partition, by hand.",
    .details =
        "reset-clock sets the time of a partition back to that of the database after a clock was "
        "ahead;\n"
        "then the next epoch of the partition begins.\n",
    .example = "partition reset-clock --partition 3",
    .table = WORKER_TABLE(partition_groups),
    .run = run_partition,
};
