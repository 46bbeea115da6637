/* The options of each command, put together from groups. */
#include "command.h"

#include <string.h>

#include "kafka_options.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    TTL_MAX_S = 31536000
};

/* What a request asks for; the flags after --section, --room or --product belong to that item. */
static const struct option_spec item_specs[] = {
    {.name = "seats",
     .type = OPTION_LIST,
     .value_name = "NAME,...",
     .help = "an item: these seats, as B-5,B-6"},
    {.name = "section",
     .type = OPTION_LIST,
     .value_name = "NAME",
     .help = "an item: units of this section"},
    {.name = "product", .type = OPTION_LIST, .value_name = "NAME", .help = "an item: a product"},
    {.name = "room",
     .type = OPTION_LIST,
     .value_name = "TYPE",
     .help = "an item: rooms of this type, with --from and --to"},
    {.name = "from",
     .type = OPTION_LIST,
     .value_name = "DATE",
     .help = "first night of the room before, as 2026-12-24"},
    {.name = "to",
     .type = OPTION_LIST,
     .value_name = "DATE",
     .help = "day of departure of the room before"},
    {.name = "quantity",
     .type = OPTION_LIST,
     .value_name = "N",
     .help = "how many of the item before (default: 1)"},
    {.name = "together",
     .type = OPTION_BOOL,
     .help = "of the section before: side by side or not at all"},
};
static const struct option_group item_group = {"Items", item_specs, COUNT(item_specs)};

static const struct option_spec hold_specs[] = {
    {.name = "customer", .value_name = "ID", .help = "who the booking belongs to"},
    {.name = "ttl",
     .type = OPTION_DURATION,
     .min = 1,
     .max = TTL_MAX_S,
     .help = "how long to hold, as 15m (default: as the resource says)"},
    {.name = "cart", .value_name = "NAME", .help = "cart that the booking belongs to"},
    {.name = "meta", .value_name = "JSON", .help = "an object kept with the booking"},
};
static const struct option_group hold_group = {"Booking", hold_specs, COUNT(hold_specs)};

static const struct option_spec book_specs[] = {
    {.name = "customer", .value_name = "ID", .help = "who the booking belongs to"},
    {.name = "payment", .value_name = "TEXT", .help = "reference kept with the booking"},
    {.name = "cart", .value_name = "NAME", .help = "cart that the booking belongs to"},
    {.name = "meta", .value_name = "JSON", .help = "an object kept with the booking"},
};
static const struct option_group book_group = {"Booking", book_specs, COUNT(book_specs)};

static const struct option_spec confirm_specs[] = {
    {.name = "booking", .value_name = "ID", .help = "request id of the hold"},
    {.name = "customer", .value_name = "ID", .help = "its owner"},
    {.name = "cart", .value_name = "NAME", .help = "its cart; the booking is needed, too"},
    {.name = "payment", .value_name = "TEXT", .help = "reference kept with the booking"},
};
static const struct option_group confirm_group = {"Booking", confirm_specs, COUNT(confirm_specs)};

static const struct option_spec release_specs[] = {
    {.name = "booking", .value_name = "ID", .help = "request id of the hold or book"},
    {.name = "customer", .value_name = "ID", .help = "its owner"},
    {.name = "cart", .value_name = "NAME", .help = "its cart; the booking is needed, too"},
    {.name = "force", .type = OPTION_BOOL, .help = "the house acts: no customer needed"},
    {.name = "note", .value_name = "TEXT", .help = "why"},
};
static const struct option_group release_group = {"Booking", release_specs, COUNT(release_specs)};

static const struct option_spec state_specs[] = {
    {.name = "note", .value_name = "TEXT", .help = "why"},
};
static const struct option_group state_group = {"Resource", state_specs, COUNT(state_specs)};

static const struct option_spec define_specs[] = {
    {.name = "section",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "stalls:price=4500,rows=A:20+B:22 (row:seats, or row:seats:first number; C-F:18 is "
             "four rows), or standing:price=2000,capacity=300"},
    {.name = "room",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "double:from=2026-01-01,to=2027-01-01,capacity=20,price=12900; later ones override "
             "the nights that they cover"},
    {.name = "product",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "programme:capacity=500,price=800,name=Programme"},
    {.name = "name", .value_name = "TEXT", .help = "of the resource, for people"},
    {.name = "venue", .value_name = "TEXT", .help = "where"},
    {.name = "description", .value_name = "TEXT", .help = "what"},
    {.name = "timezone", .value_name = "NAME", .help = "as Europe/London"},
    {.name = "currency", .value_name = "CODE", .help = "ISO 4217, as GBP; prices are minor units"},
    {.name = "starts-at", .value_name = "INSTANT", .help = "as 2026-12-24T19:30:00Z"},
    {.name = "ends-at", .value_name = "INSTANT", .help = "as 2026-12-24T22:00:00Z"},
    {.name = "state",
     .choices = "draft|open|closed",
     .help = "whether it is on sale: a new resource is draft, not yet, unless this says open"},
    {.name = "ttl",
     .type = OPTION_DURATION,
     .min = 1,
     .max = TTL_MAX_S,
     .help = "how long its holds last, as 15m"},
    {.name = "file",
     .value_name = "FILE",
     .help = "the define as JSON instead of the flags above; - is standard input"},
};
static const struct option_group define_group = {"Resource", define_specs, COUNT(define_specs)};

static const struct option_spec request_specs[] = {
    {.name = "request-id", .value_name = "ID", .help = "idempotency key (default: a new UUID)"},
    {.name = "client", .value_name = "NAME", .help = "the sending service, echoed in the answer"},
    {.name = "deadline",
     .value_name = "INSTANT|TIME",
     .help = "decided later than this, it is refused: an instant, or 5s from now"},
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .implied = "5s",
     .value_name = "TIME",
     .min = 1,
     .max = 86400000,
     .help = "wait for the answer and print it (alone: 5s)"},
    {.name = "json", .type = OPTION_BOOL, .help = "print the answer as it is on the wire"},
    {.name = "dry-run", .type = OPTION_BOOL, .help = "print the request, send nothing"},
};
static const struct option_group request_group = {"Request", request_specs, COUNT(request_specs)};

static const struct option_spec send_specs[] = {
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .implied = "5s",
     .value_name = "TIME",
     .min = 1,
     .max = 86400000,
     .help = "print the answers as they come, waiting so long for each (alone: 5s)"},
    {.name = "in-flight",
     .type = OPTION_INTEGER,
     .fallback = "10000",
     .min = 1,
     .max = 100000,
     .help = "requests under way at most"},
};
static const struct option_group send_group = {"Sending", send_specs, COUNT(send_specs)};

static const struct option_spec watch_specs[] = {
    {.name = "from-beginning", .type = OPTION_BOOL, .help = "start with the oldest answer kept"},
    {.name = "until-end", .type = OPTION_BOOL, .help = "end where the log ended at the start"},
    {.name = "count", .type = OPTION_INTEGER, .min = 1, .max = INT64_MAX, .help = "end after N"},
    {.name = "json", .type = OPTION_BOOL, .help = "print answers as they are on the wire"},
};
static const struct option_group watch_group = {"Watching", watch_specs, COUNT(watch_specs)};

static const struct option_spec bench_specs[] = {
    {.name = "rate",
     .type = OPTION_INTEGER,
     .fallback = "1000",
     .min = 0,
     .max = 1000000,
     .help = "requests a second, sent on time whatever comes back; 0: full load"},
    {.name = "in-flight",
     .type = OPTION_INTEGER,
     .fallback = "5000",
     .min = 1,
     .max = 100000,
     .help = "at full load: requests under way"},
    {.name = "count",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 100000000,
     .help = "requests to measure"},
    {.name = "seconds",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 3600,
     .help = "instead of --count: how long to measure (default: 10)"},
    {.name = "warmup",
     .type = OPTION_DURATION_MS,
     .fallback = "1s",
     .min = 0,
     .max = 600000,
     .help = "load before the measurement"},
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .fallback = "10s",
     .min = 1,
     .max = 600000,
     .help = "for the last answers"},
    {.name = "answers", .value_name = "FILE", .help = "keep all answers here, as JSON lines"},
    {.name = "json", .type = OPTION_BOOL, .help = "print the figures as JSON"},
};
static const struct option_group bench_group = {"Load", bench_specs, COUNT(bench_specs)};

/* ---- tables ---- */

#define TABLE(table, ...)                                                                    \
    static const struct option_group *const table##_groups[] = {__VA_ARGS__, &kafka_options, \
                                                                &common_options};            \
    const struct option_table table = {table##_groups, COUNT(table##_groups)}

TABLE(send_table, &send_group);
TABLE(watch_table, &watch_group);
TABLE(bench_table, &item_group, &bench_group);
TABLE(define_table, &define_group, &request_group);
TABLE(hold_table, &item_group, &hold_group, &request_group);
TABLE(book_table, &item_group, &book_group, &request_group);
TABLE(confirm_table, &confirm_group, &request_group);
TABLE(release_table, &release_group, &request_group);
TABLE(cancel_table, &release_group, &request_group);
TABLE(probe_table, &item_group, &request_group);
TABLE(state_table, &state_group, &request_group);

const char *option_if_any(const struct options *options, const char *name)
{
    for (size_t i = 0; i < options->value_count; i++)
        if (strcmp(options->values[i].spec->name, name) == 0)
            return options->values[i].text;
    return NULL;
}
