/*
 * `usher-worker print-config`: prints every option, its value and where it comes from.
 */
#include "worker/program/command_print_config.h"

#include <stdio.h>

#include "producer/base/options_print.h"
#include "producer/terminal/terminal.h"
#include "worker/program/worker_options.h"

static enum usher_exit run_print_config(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &print_config_command, argc, argv, &code)) {
        if (options_bool(&options, "json"))
            options_print_config_json(&options, stdout);
        else
            options_print_config(&options, stdout);
    }
    options_deinit(&options);
    return code;
}

/* All options are its subject; these are its own. */
static const struct option_group *const print_config_groups[] = {&output_options, &common_options};

const struct worker_command print_config_command = {
    .name = "print-config",
    .arguments = "",
    .help = "Prints every option with its value and where that comes from.",
    .details = "Secrets are shown as ****.\n",
    .example = "print-config --config usher.conf",
    .table = WORKER_TABLE(print_config_groups),
    .run = run_print_config,
};
