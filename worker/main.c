/* usher-worker: its commands in the frame of a program. */
#include "build.h"
#include "producer/codec/timezone.h"
#include "worker/program/worker_commands.h"

static const char head[] =
    "usage: usher-worker COMMAND [OPTIONS]\n\n"
    "Allocates scarce inventory: one allocator per Kafka partition, one PostgreSQL\n"
    "transaction per batch, no unit sold twice.\n\ncommands:\n";

static const char foot[] =
    "  version         Prints the version.\n\n"
    "usher-worker COMMAND --help shows the options of a command, usher-worker help ALERT\n"
    "the runbook's page of an alert, such as UsherNoWorker.\n\n"
    "exit codes: 0 success, 3 forget-customer left bookings that are not over, 4 reconcile\n"
    "found a difference, 64 usage, 65 no such resource, cart, dead letter or offset, 69 a\n"
    "dependency is down or a topic is missing, 70 a bug or a stuck process, 74 the output could\n"
    "not be written, 77 access denied, 78 wrong configuration, schema or partition count\n";

/* Browsers have a program of their own. */
static const struct program_other elsewhere[] = {{"dashboard", "usher-dashboard run"},
                                                 {NULL, NULL}};

int main(int argc, char **argv)
{
    const struct program program = {
        .name = "usher-worker",
        .version = USHER_BUILD,
        .timezones = timezone_release,
        .options = "[OPTIONS]",
        .head = head,
        .foot = foot,
        .pages = worker_runbook,
        .others = elsewhere,
        .commands = worker_commands,
        .command_count = worker_command_count,
    };
    return program_run(&program, argc, argv);
}
