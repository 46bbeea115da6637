/*
 * Writes the manual pages and completions of the programs out of their tables of commands and
 * options: manual page|bash|zsh|fish producer|worker|dashboard DATE. Run by the build, not
 * installed.
 */
#include <string.h>

#include "deploy/manual/manual.h"
#include "producer/program/commands.h"
#include "usher/status.h"
#include "worker/dashboard/dashboard_commands.h"
#include "worker/program/worker_commands.h"

/* The codes that each program's help lists, too. */

static const struct manual_exit producer_exits[] = {
    {USHER_EXIT_DONE, "success"},
    {USHER_EXIT_REFUSED, "the request was refused"},
    {USHER_EXIT_USAGE, "usage"},
    {USHER_EXIT_BAD_INPUT, "bad input data"},
    {USHER_EXIT_UNAVAILABLE, "Kafka is down"},
    {USHER_EXIT_BUG, "a bug"},
    {USHER_EXIT_OUTPUT, "the output could not be written"},
    {USHER_EXIT_NO_ANSWER, "no answer in time"},
    {USHER_EXIT_DENIED, "access denied"},
    {USHER_EXIT_CONFIG, "wrong configuration"},
    {0, NULL},
};

static const struct manual_exit worker_exits[] = {
    {USHER_EXIT_DONE, "success"},
    {USHER_EXIT_REFUSED, "forget-customer left bookings that are not over"},
    {USHER_EXIT_DIFFERENCE, "reconcile found a difference"},
    {USHER_EXIT_USAGE, "usage"},
    {USHER_EXIT_BAD_INPUT, "no such resource, cart, dead letter or offset"},
    {USHER_EXIT_UNAVAILABLE, "a dependency is down, or a topic is missing"},
    {USHER_EXIT_BUG, "a bug, or a process that was stuck"},
    {USHER_EXIT_OUTPUT, "the output could not be written"},
    {USHER_EXIT_DENIED, "access denied"},
    {USHER_EXIT_CONFIG, "wrong configuration, schema or number of partitions"},
    {0, NULL},
};

static const struct manual_exit dashboard_exits[] = {
    {USHER_EXIT_DONE, "success"},
    {USHER_EXIT_USAGE, "usage"},
    {USHER_EXIT_UNAVAILABLE, "the address is in use"},
    {USHER_EXIT_BUG, "a bug"},
    {USHER_EXIT_OUTPUT, "the output could not be written"},
    {USHER_EXIT_CONFIG, "wrong configuration"},
    {0, NULL},
};

static struct manual_program producer(void)
{
    struct manual_program program = {
        .name = "usher-producer",
        .purpose = "publish booking requests to usher and show its answers",
        .description = "usher sells scarce things and never sells the same unit twice. "
                       "usher-producer publishes requests to its Kafka topic, waits for their "
                       "answers and prints them.",
        .section = "1",
        .others = {"usher-dashboard 8", "usher-worker 8"},
        .exits = producer_exits,
    };
    program.commands = producer_commands(&program.command_count);
    return program;
}

static struct manual_program worker(void)
{
    return (struct manual_program){
        .name = "usher-worker",
        .purpose = "decide booking requests, one allocator per Kafka partition",
        .description = "usher sells scarce things and never sells the same unit twice. "
                       "usher-worker takes requests from Kafka, decides them serially, records "
                       "them in PostgreSQL, answers on Kafka, and shows availability in Redis. "
                       "At an alert, usher-worker help with its name prints what to do.",
        .section = "8",
        .others = {"usher-producer 1", "usher-dashboard 8"},
        .pages = worker_runbook,
        .commands = worker_commands,
        .command_count = worker_command_count,
        .exits = worker_exits,
    };
}

static struct manual_program dashboard(void)
{
    return (struct manual_program){
        .name = "usher-dashboard",
        .purpose = "show to browsers what usher sells, live",
        .description = "usher sells scarce things and never sells the same unit twice. "
                       "usher-dashboard shows browsers the availability that usher-worker keeps in "
                       "Redis, and staff the bookings in PostgreSQL. It writes nothing, and does "
                       "not connect to Kafka.",
        .section = "8",
        .others = {"usher-producer 1", "usher-worker 8"},
        .commands = dashboard_commands,
        .command_count = dashboard_command_count,
        .exits = dashboard_exits,
    };
}

static int usage(void)
{
    fprintf(stderr, "usage: manual page|bash|zsh|fish producer|worker|dashboard DATE\n");
    return USHER_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(const struct manual_program *program, FILE *out);
    } shells[] = {{"bash", manual_bash}, {"zsh", manual_zsh}, {"fish", manual_fish}};
    if (argc != 4)
        return usage();
    struct manual_program program = strcmp(argv[2], "worker") == 0      ? worker()
                                    : strcmp(argv[2], "dashboard") == 0 ? dashboard()
                                                                        : producer();
    if (strcmp(argv[1], "page") == 0) {
        manual_page(&program, argv[3], stdout);
        return USHER_EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, argv[1]) == 0) {
            shells[i].write(&program, stdout);
            return USHER_EXIT_DONE;
        }
    }
    return usage();
}
