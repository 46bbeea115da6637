/*
 * usher-worker: the commands by name. What each does is in its command_*.c.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "worker/program/command_check.h"
#include "worker/program/command_migrate.h"
#include "worker/program/command_print_config.h"
#include "worker/program/command_reconcile.h"
#include "worker/program/command_run.h"
#include "worker/program/command_topics.h"

static const struct command {
    const char *name;
    const char *help;
    enum usher_exit (*run)(int argc, char *const *argv);
} commands[] = {
    {"run", "decide requests until told to stop", command_run},
    {"check", "are Kafka, PostgreSQL and Redis reached and as they should be?", command_check},
    {"migrate", "up | list | print: the database schema", command_migrate},
    {"topics", "create | check: the Kafka topics", command_topics},
    {"reconcile", "prove that PostgreSQL is consistent and Redis equal to it", command_reconcile},
    {"rebuild-cache", "delete what Redis shows and write it anew", command_rebuild_cache},
    {"print-config", "print every option, its value and where it came from", command_print_config},
};

enum {
    COMMAND_COUNT = sizeof commands / sizeof *commands
};

static void print_help(FILE *out)
{
    fprintf(out, "usage: usher-worker COMMAND [OPTIONS]\n\n"
                 "Hands out scarce inventory: one allocator for each Kafka partition, one\n"
                 "PostgreSQL transaction for each batch, no unit sold twice.\n\ncommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-14s %s\n", commands[i].name, commands[i].help);
    fprintf(
        out,
        "  %-14s print the version\n\n"
        "usher-worker COMMAND --help shows a command's options.\n\n"
        "exit codes: 0 done, 4 reconcile found a difference, 64 usage, 69 a dependency is down or\n"
        "a topic missing, 70 a bug or stuck, 77 access denied, 78 configuration, schema or "
        "partition "
        "count\n",
        "version");
}

static bool is_either(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static enum usher_exit complain(const char *name)
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
    return complain(name);
}

/* `help run` is `run --help`. */
static enum usher_exit run_help(char *name)
{
    char flag[] = "--help";
    char *const argv[] = {name, flag, NULL};
    return run_command(name, 2, argv);
}

static enum usher_exit answer(int argc, char **argv)
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

/* What could not be written is lost, whatever the command thought. */
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
    return (int)after_output(answer(argc, argv));
}
