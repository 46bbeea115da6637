/*
 * `usher-worker print-config`: prints every option, its value and where it comes from.
 */
#include "worker/program/command_print_config.h"

#include <stdio.h>

#include "producer/base/options_print.h"
#include "worker/program/worker_options.h"

static enum usher_exit run_print_config(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &print_config_command, argc, argv, &code))
        options_print_config(&options, stdout);
    options_deinit(&options);
    return code;
}

const struct worker_command print_config_command = {
    .name = "print-config",
    .arguments = "",
    .help = "Prints every option with its value and where that comes from.",
    .details = "Secrets are shown as ****.\n",
    .example = "print-config --config usher.conf",
    .table = {.groups = worker_groups, .group_count = WORKER_GROUP_COUNT},
    .run = run_print_config,
};
