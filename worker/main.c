/* usher-worker: finds the command by its name. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "worker/program/worker_commands.h"

static void print_help(FILE *out)
{
    fprintf(out, "usage: usher-worker COMMAND [OPTIONS]\n\n"
                 "Allocates scarce inventory: one allocator per Kafka partition, one PostgreSQL\n"
                 "transaction per batch, no unit sold twice.\n\ncommands:\n");
    for (size_t i = 0; i < worker_command_count; i++)
        fprintf(out, "  %-15s %s\n", worker_commands[i]->name, worker_commands[i]->help);
    fprintf(out,
            "  %-15s Prints the version.\n\n"
            "usher-worker COMMAND --help shows the options of a command.\n\n"
            "exit codes: 0 success, 3 forget-customer left what is not over, 4 reconcile found a\n"
            "difference, 64 usage, 65 no such resource, dead letter or offset, 69 a dependency\n"
            "is down or a topic is missing, 70 a bug or a stuck process, 74 the output could not\n"
            "be written, 77 access denied, 78 wrong configuration, schema or partition count\n",
            "version");
}

static bool is_either(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static enum usher_exit report_unknown(const char *name)
{
    struct nearest nearest = {.name = name};
    for (size_t i = 0; i < worker_command_count; i++)
        nearest_offer(&nearest, worker_commands[i]->name);
    fprintf(stderr, "usher-worker: unknown command \"%s\"", name);
    if (nearest.best)
        fprintf(stderr, ", did you mean \"%s\"?", nearest.best);
    fprintf(stderr, " (usher-worker --help)\n");
    return USHER_EXIT_USAGE;
}

static enum usher_exit run_command(const char *name, int argc, char *const *argv)
{
    for (size_t i = 0; i < worker_command_count; i++)
        if (strcmp(worker_commands[i]->name, name) == 0)
            return worker_commands[i]->run(argc, argv);
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
    if (!help && !is_either(argv[1], "version", "--version") && strcmp(argv[1], "-V") != 0)
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
    return USHER_EXIT_OUTPUT;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return USHER_EXIT_USAGE;
    }
    return (int)after_output(dispatch(argc, argv));
}
