/* usher-worker: finds the command by its name. What each does is in its command_*.c. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "worker/program/command_check.h"
#include "worker/program/command_migrate.h"
#include "worker/program/command_partition.h"
#include "worker/program/command_print_config.h"
#include "worker/program/command_reconcile.h"
#include "worker/program/command_run.h"
#include "worker/program/command_topics.h"

static const struct command {
    const char *name;
    const char *help;
    enum usher_exit (*run)(int argc, char *const *argv);
} commands[] = {
    {"run", "process requests until stopped", command_run},
    {"check", "check that Kafka, PostgreSQL and Redis are reachable and set up correctly",
     command_check},
    {"migrate", "up | list | print: create, list or print the database schema", command_migrate},
    {"topics", "create | check: create or check the Kafka topics", command_topics},
    {"partition", "reset-clock: set the time of a partition back after a clock was ahead",
     command_partition},
    {"reconcile", "verify that PostgreSQL is consistent and that Redis matches it",
     command_reconcile},
    {"rebuild-cache", "delete the keys in Redis and write them again from PostgreSQL",
     command_rebuild_cache},
    {"print-config", "print every option with its value and source", command_print_config},
};

enum {
    COMMAND_COUNT = sizeof commands / sizeof *commands
};

static void print_help(FILE *out)
{
    fprintf(out, "usage: usher-worker COMMAND [OPTIONS]\n\n"
                 "Allocates scarce inventory: one allocator per Kafka partition, one PostgreSQL\n"
                 "transaction per batch, no unit sold twice.\n\ncommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-14s %s\n", commands[i].name, commands[i].help);
    fprintf(
        out,
        "  %-14s print the version\n\n"
        "usher-worker COMMAND --help shows the options of a command.\n\n"
        "exit codes: 0 success, 4 reconcile found a difference, 64 usage, 69 a dependency is down\n"
        "or a topic is missing, 70 a bug or a stuck process, 77 access denied, 78 wrong\n"
        "configuration, schema or partition count\n",
        "version");
}

static bool is_either(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static enum usher_exit report_unknown(const char *name)
{
    struct nearest nearest = {.name = name};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        nearest_offer(&nearest, commands[i].name);
    fprintf(stderr, "usher-worker: unknown command \"%s\"", name);
    if (nearest.best)
        fprintf(stderr, ", did you mean \"%s\"?", nearest.best);
    fprintf(stderr, " (usher-worker --help)\n");
    return USHER_EXIT_USAGE;
}

static enum usher_exit run_command(const char *name, int argc, char *const *argv)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc, argv);
    return report_unknown(name);
}

/* `help run` is `run --help`. */
static enum usher_exit run_help(char *name)
{
    char flag[] = "--help";
    char *const argv[] = {name, flag, NULL};
    return run_command(name, 2, argv);
}

static enum usher_exit dispatch(int argc, char **argv)
{
    bool help = is_either(argv[1], "help", "--help") || strcmp(argv[1], "-h") == 0;
    if (help && argc > 2)
        return run_help(argv[2]);
    if (!help && !is_either(argv[1], "version", "--version"))
        return run_command(argv[1], argc - 1, argv + 1);
    if (help)
        print_help(stdout);
    else
        printf("usher-worker %s\n", USHER_VERSION);
    return USHER_EXIT_DONE;
}

/* A command that succeeded has failed if its output could not be written. */
static enum usher_exit after_output(enum usher_exit code)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != USHER_EXIT_DONE)
        return code;
    fprintf(stderr, "usher-worker: could not write the output\n");
    return USHER_EXIT_UNAVAILABLE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return USHER_EXIT_USAGE;
    }
    return (int)after_output(dispatch(argc, argv));
}
