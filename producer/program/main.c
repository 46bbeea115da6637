/* usher-producer: its commands in the frame of a program. */
#include <librdkafka/rdkafka.h>
#include <stdio.h>

#include "build.h"
#include "producer/codec/timezone.h"
#include "producer/program/commands.h"
#include "producer/terminal/local_time.h"

static const char head[] = "usage: usher-producer COMMAND [ARGUMENTS]\n\n"
                           "Publishes booking requests to usher and shows its answers.\n\n";

static const char foot[] =
    "  version                  Prints the version.\n"
    "  help     [COMMAND]       Prints this, or a command's options.\n"
    "\nexit codes: 0 done, 3 refused, 64 usage, 65 bad input data, 69 Kafka is down,\n"
    "70 a bug, 74 the output could not be written, 75 no answer in time,\n"
    "77 access denied, 78 wrong configuration\n";

/* Looking at what is there needs PostgreSQL, and so the other program. */
static const struct program_other looking[] = {
    {"resources", "usher-worker resources"},       {"show", "usher-worker show"},
    {"bookings", "usher-worker bookings"},         {"history", "usher-worker history"},
    {"waiting", "usher-worker waiting"},           {"status", "usher-worker status"},
    {"dead-letters", "usher-worker dead-letters"}, {NULL, NULL},
};

int main(int argc, char **argv)
{
    char version[100];
    struct program program = {
        .name = "usher-producer",
        .version = version,
        .timezones = timezone_release,
        .options = "[FLAGS]",
        .head = head,
        .foot = foot,
        .shows_arguments = true,
        .others = looking,
    };
    snprintf(version, sizeof version, "%s, librdkafka %s", USHER_BUILD, rd_kafka_version_str());
    program.commands = producer_commands(&program.command_count);
    local_time_init();
    return program_run(&program, argc, argv);
}
