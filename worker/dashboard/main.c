/* usher-dashboard: its commands in the frame of a program. */
#include "build.h"
#include "producer/codec/timezone.h"
#include "worker/dashboard/dashboard_commands.h"

static const char head[] =
    "usage: usher-dashboard COMMAND [OPTIONS]\n\n"
    "Shows what usher sells to browsers, live, and to staff what it has recorded. Reads Redis\n"
    "and, for staff, PostgreSQL. Writes nothing.\n\ncommands:\n";

static const char foot[] =
    "  version         Prints the version.\n\n"
    "usher-dashboard COMMAND --help shows the options of a command.\n\n"
    "exit codes: 0 success, 64 usage, 69 the address is in use, 70 a bug, 74 the output could\n"
    "not be written, 78 wrong configuration\n";

int main(int argc, char **argv)
{
    const struct program program = {
        .name = "usher-dashboard",
        .version = USHER_BUILD,
        .timezones = timezone_release,
        .options = "[OPTIONS]",
        .head = head,
        .foot = foot,
        .commands = dashboard_commands,
        .command_count = dashboard_command_count,
    };
    return program_run(&program, argc, argv);
}
