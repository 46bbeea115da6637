/* The commands of usher-producer, with what their help says. */
#include "producer/program/commands.h"

#include "producer/program/chart_command.h"
#include "producer/program/define_command.h"
#include "producer/program/option_tables.h"
#include "producer/program/request_command.h"
#include "producer/program/restrictions_command.h"
#include "producer/program/send_command.h"
#include "producer/program/validate_command.h"
#include "producer/program/watch_command.h"

/* Lines of at most 100 columns, as the help of the options. */
static const char define_details[] =
    "Fields not given stay as they were; pools that are named are created or set, capacity 0 "
    "removes.\n"
    "rates= replaces all rates of a pool; price= sets its rate \"standard\" and leaves the "
    "others.\n"
    "A new resource is draft: nothing is sold before --state open, or the command open.\n"
    "The answer is created, changed or unchanged: nothing differs from before.\n"
    "\n"
    "--shows FILE defines many resources, a line of CSV each (RFC 4180, UTF-8; the first line "
    "names\n"
    "the columns). A field of a line overrides the flag, an empty one leaves it to the flag. "
    "Columns:\n"
    "  resource (needed), name, venue, description, timezone, currency, starts_at, ends_at, "
    "opens_at,\n"
    "  closes_at, state, ttl, strategy, and rates:SECTION with adult:4500,child:2500 or 4500\n"
    "Nothing is sent if any line is bad. The rows of --plan are sent once to each partition; all "
    "other\n"
    "resources name the chart. Waits for the answers, up to 60s each or as --wait says; refusals "
    "are\n"
    "printed, or with --json all answers. Exit code 3 if any was refused.\n"
    "\n"
    "All requests of a run have one request id, which the summary prints; the next run has another "
    "one\n"
    "and is decided again, so that the catalogue is as the file says, whatever was changed since. "
    "To\n"
    "continue a run that was interrupted, give its --request-id: requests that were decided are\n"
    "answered again, refusals too, and the others are decided.\n";

#define CART_DETAILS                                                                               \
    "With --line, a cart over several resources, all or nothing: hold, or book, each --line with " \
    "its\n"                                                                                        \
    "items; extend, confirm or release the bookings that hold has printed. --cart and --customer " \
    "are\n"                                                                                        \
    "needed. Exit code 3 names the lines that failed. Run a command that was interrupted again:\n" \
    "it continues where it stopped. A cart that was refused needs another name.\n"

static const char wait_details[] =
    "With --wait-until, a request that cannot be served now joins the waiting list; it becomes a "
    "hold\n"
    "by itself, with an unrequested answer (see watch), or ends at that time. leave gives up the "
    "place.\n"
    "\n" CART_DETAILS;

static const char cart_details[] = CART_DETAILS;

static const char restrictions_details[] =
    "Rows are CSV, whose first line names the columns, or JSON lines with the same names:\n"
    "  arrival (needed): a date, or the first and the last one, 2026-12-19..2027-04-03;\n"
    "  room (needed without --room), rate (without it: all rates), days (as sat+sun: only these);\n"
    "  min and max: minimum and maximum nights of a stay that arrives on the date;\n"
    "  min_through: minimum nights of a stay with a night on the date;\n"
    "  cta, ctd, stop: closed to arrival or departure, stop sell: true, 1, Y or false, 0, N.\n"
    "An empty value leaves a rule as it is. 0 and false remove the rule. Later rows override\n"
    "earlier ones.\n"
    "\n"
    "Prints one define, a line of JSON, for each --rows rows. Without FILE: standard input. The\n"
    "first bad row ends the command: the error names its line, and the exit code is 65. The\n"
    "defines before it are printed.\n";

static struct row {
    struct program_command command;
    const struct option_table *(*options)(enum usher_op op);
} rows[] = {
    {{"send", "[FILE...]", "Publishes requests, given as JSON lines on standard input or in files.",
      NULL, "send --wait requests.jsonl", .run = send_command},
     send_options},
    {{"validate", "[FILE...]",
      "Checks requests without sending them: JSON lines, or a file of one definition.",
      "Prints the line and the fault of each request that a worker would answer with malformed, "
      "and of each\n"
      "with an unknown field. Without FILE: standard input. Exit code 65 if there was any.\n"
      "The state of resources is not checked: whether seats exist, or are free.\n",
      "validate requests.jsonl", .run = validate_command},
     validate_options},
    {{"define", "[RESOURCE]", "Creates or changes a resource: its units, prices and terms of sale.",
      define_details, "define show:hamlet --plan hall.json --rates stalls=adult:4500,child:2500",
      .run = define_command},
     request_options},
    {{"restrictions", "RESOURCE [FILE...]",
      "Turns stay restrictions, as channel managers send them, into defines for send.",
      restrictions_details, "restrictions hotel:alps rows.csv | usher-producer send --wait",
      .run = restrictions_command},
     restrictions_options},
    {{"hold", "[RESOURCE]", "Holds units for a time.", wait_details,
      "hold show:hamlet --customer c1 --section stalls --quantity 2 --together",
      .run = request_command},
     request_options},
    {{"book", "[RESOURCE]", "Books units at once, without a hold.", cart_details,
      "book show:hamlet --customer c1 --seats B-5,B-6 --rate adult --payment pi_3Q",
      .run = request_command},
     request_options},
    {{"confirm", "[RESOURCE]", "Confirms a hold; with items: only these, the rest is released.",
      cart_details, "confirm show:hamlet --customer c1 --booking h1 --payment pi_3Q",
      .run = request_command},
     request_options},
    {{"release", "[RESOURCE]", "Releases a hold.", cart_details,
      "release show:hamlet --customer c1 --booking h1", .run = request_command},
     request_options},
    {{"extend", "[RESOURCE]", "Extends a hold.", cart_details,
      "extend show:hamlet --customer c1 --booking h1 --ttl 10m", .run = request_command},
     request_options},
    {{"exchange", "RESOURCE",
      "Exchanges the units of a booking or block in one step: name all units that it is to have.",
      NULL, "exchange show:hamlet --customer c1 --booking h1 --seats C-1,C-2",
      .run = request_command},
     request_options},
    {{"cancel", "RESOURCE", "Cancels a booking.", NULL,
      "cancel show:hamlet --booking h1 --force --note \"could not come\"", .run = request_command},
     request_options},
    {{"transfer", "RESOURCE",
      "Transfers a booking to another customer; with items: only these, as a new booking.", NULL,
      "transfer show:hamlet --customer c1 --booking h1 --to c2", .run = request_command},
     request_options},
    {{"leave", "RESOURCE", "Leaves the waiting list.", NULL,
      "leave show:hamlet --customer c1 --booking h1", .run = request_command},
     request_options},
    {{"block", "RESOURCE", "Takes units off sale, for the house.", NULL,
      "block show:hamlet --seats A-1,A-2 --note press --return-at 2026-12-24T12:00:00Z",
      .run = request_command},
     request_options},
    {{"unblock", "RESOURCE", "Puts blocked units back on sale.", NULL,
      "unblock show:hamlet --booking b1", .run = request_command},
     request_options},
    {{"open", "RESOURCE", "Starts selling.", NULL, "open show:hamlet", .run = request_command},
     request_options},
    {{"close", "RESOURCE", "Stops selling.", NULL,
      "close show:hamlet --cancel-bookings --note \"the play is off\"", .run = request_command},
     request_options},
    {{"probe", "RESOURCE", "Shows what is free now, or the state of a booking or a cart.", NULL,
      "probe show:hamlet --booking h1", .run = request_command},
     request_options},
    {{"chart", "check|draw FILE", "Checks or draws the rows of a hall.",
      "FILE is a pretix seating plan, or JSON with sections and rows; - is standard input.\n"
      "check prints its content and the chart's name, or its fault, with zone, row and seat.\n"
      "draw shows it zone by zone. Nothing is sent.\n",
      "chart draw hall.json", .run = chart_command},
     chart_options},
    {{"watch", "[RESOURCE]", "Follows the answers.", NULL,
      "watch --from-beginning --until-end --json", .run = watch_command},
     watch_options},
};

enum {
    COMMAND_COUNT = sizeof rows / sizeof rows[0]
};

const struct program_command *const *producer_commands(size_t *count)
{
    static const struct program_command *commands[COMMAND_COUNT];
    *count = COMMAND_COUNT;
    for (size_t i = 0; !commands[COMMAND_COUNT - 1] && i < COMMAND_COUNT; i++) {
        struct program_command *command = &rows[i].command;
        command->table = rows[i].options(usher_op_named(command->name));
        commands[i] = command;
    }
    return commands;
}
