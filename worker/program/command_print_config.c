/*
 * `usher-worker print-config`: prints every option, its value and where it comes from.
 */
#include "worker/program/command_print_config.h"

#include <stdio.h>

#include "producer/base/options_print.h"
#include "worker/program/worker_options.h"

enum usher_exit command_print_config(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, "print-config", argc, argv, &code))
        options_print_config(&options, stdout);
    options_deinit(&options);
    return code;
}
