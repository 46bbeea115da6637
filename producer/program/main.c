/* usher-producer: finds the command, loads its options, runs it. */
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "producer/base/options.h"
#include "producer/program/commands.h"
#include "producer/terminal/local_time.h"
#include "producer/terminal/terminal.h"

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int print_usage(FILE *out, int exit_code)
{
    fprintf(out, "usage: usher-producer COMMAND [ARGUMENTS]\n\n"
                 "Publishes booking requests to usher and shows its answers.\n\n");
    for (size_t i = 0; i < command_count; i++)
        fprintf(out, "  %-8s %-15s %s\n", commands[i].name, commands[i].arguments,
                commands[i].help);
    fprintf(out, "  %-8s %-15s %s\n", "version", "", "Prints the version.");
    fprintf(out, "  %-8s %-15s %s\n", "help", "[COMMAND]", "Prints this, or a command's options.");
    fprintf(out, "\nexit codes: 0 done, 3 refused, 64 usage, 65 bad input data, 69 Kafka is down,\n"
                 "74 the output could not be written, 75 no answer in time, 77 access denied,\n"
                 "78 wrong configuration\n");
    return exit_code;
}

static int print_version(void)
{
    printf("usher-producer %s (librdkafka %s)\n", USHER_VERSION, rd_kafka_version_str());
    return USHER_EXIT_DONE;
}

static int print_command_help(const struct command *command)
{
    printf("usage: usher-producer %s %s [FLAGS]\n\n%s\n", command->name, command->arguments,
           command->help);
    if (command->details)
        printf("\n%s", command->details);
    printf("\nexample: usher-producer %s\n", command->example);
    options_print_help(command->table, stdout);
    return USHER_EXIT_DONE;
}

static int unknown_command(const char *name)
{
    struct nearest nearest = {.name = name};
    for (size_t i = 0; i < command_count; i++)
        nearest_offer(&nearest, commands[i].name);
    nearest_offer(&nearest, "version");
    nearest_offer(&nearest, "help");
    fprintf(stderr, "usher-producer: unknown command \"%s\"", name);
    if (nearest.best)
        fprintf(stderr, "; did you mean \"%s\"?\n", nearest.best);
    else
        fprintf(stderr, "; see usher-producer help\n");
    return USHER_EXIT_USAGE;
}

static enum usher_status check_arguments(const struct command *command,
                                         const struct options *options, struct usher_error *err)
{
    if (options->argument_count < command->argument_min) {
        usher_error_set(err, USHER_EXIT_USAGE, "usage: usher-producer %s %s [FLAGS]", command->name,
                        command->arguments);
        return USHER_FATAL;
    }
    if (options->argument_count > command->argument_max) {
        usher_error_set(err, USHER_EXIT_USAGE, "unexpected argument \"%s\"",
                        options->arguments[command->argument_max]);
        return USHER_FATAL;
    }
    return USHER_OK;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct usher_error err = {.text = ""};
    int exit_code = USHER_EXIT_DONE;
    enum usher_status status = options_load(&options, command->table, argc, argv, &err);
    if (status == USHER_OK && options.mode == OPTIONS_RUN)
        status = check_arguments(command, &options, &err);
    if (status != USHER_OK) {
        exit_code = (int)err.exit_code;
    } else if (options.mode == OPTIONS_HELP) {
        exit_code = print_command_help(command);
    } else if (options.mode == OPTIONS_VERSION) {
        exit_code = print_version();
    } else {
        options_apply_log(&options);
        exit_code = (int)command->run(command, &options, &err);
    }
    if (exit_code != USHER_EXIT_DONE && err.text[0] != '\0')
        terminal_end_program("usher-producer", err.text);
    options_deinit(&options);
    return exit_code;
}

static bool is_help(const char *name)
{
    return strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
}

static int help(const char *name)
{
    if (!name || is_help(name) || strcmp(name, "version") == 0)
        return print_usage(stdout, USHER_EXIT_DONE);
    const struct command *command = find_command(name);
    return command ? print_command_help(command) : unknown_command(name);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    local_time_init();
    int exit_code;
    if (argc < 2)
        exit_code = print_usage(stderr, USHER_EXIT_USAGE);
    else if (is_help(name))
        exit_code = help(argc > 2 ? argv[2] : NULL);
    else if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0 ||
             strcmp(name, "-V") == 0)
        exit_code = print_version();
    else if (find_command(name))
        exit_code = run_command(find_command(name), argc - 1, argv + 1);
    else
        exit_code = unknown_command(name);
    /* Data that could not be written is lost, whatever the command thought. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && exit_code == USHER_EXIT_DONE) {
        fprintf(stderr, "usher-producer: could not write the output\n");
        exit_code = USHER_EXIT_OUTPUT;
    }
    return exit_code;
}
