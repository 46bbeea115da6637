/* The options of each command but define, with those of Kafka and the common ones. */
#include "producer/program/option_tables.h"

#include <string.h>

#include "producer/terminal/terminal.h"

/*
 * ==== Groups of options ====
 *
 * How tables of options are made.
 */

enum {
    OPTION_TTL_MAX_S = 31536000
};

#define OPTION_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A hold time, --ttl. */
#define OPTION_TTL(text)                                                                          \
    {                                                                                             \
        .name = "ttl", .type = OPTION_DURATION, .min = 1, .max = OPTION_TTL_MAX_S, .help = (text) \
    }

/* A table of the groups, those of Kafka and the common ones. */
#define OPTION_TABLE(table, ...)                                                             \
    static const struct option_group *const table##_groups[] = {__VA_ARGS__, &kafka_options, \
                                                                &common_options};            \
    const struct option_table table = {table##_groups, OPTION_COUNT(table##_groups)}

/* ==== Options of each command ==== */

/* What a request asks for; a flag that begins no item belongs to the one begun last. */
static const struct option_spec item_specs[] = {
    {.name = "seats",
     .type = OPTION_LIST,
     .value_name = "NAME,...",
     .help = "begins an item: these seats, as B-5,B-6 or B-5..B-8; not beside --section, "
             "which begins another"},
    {.name = "section",
     .type = OPTION_LIST,
     .value_name = "NAME",
     .help = "begins an item: units of this section, as many as --quantity says"},
    {.name = "product",
     .type = OPTION_LIST,
     .value_name = "NAME",
     .help = "begins an item: a product"},
    {.name = "room",
     .type = OPTION_LIST,
     .value_name = "TYPE",
     .help = "begins an item: rooms of this type, with --from and --to"},
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
     .help = "quantity of the preceding item (default: 1)"},
};

static const struct option_group item_group = {"Items", item_specs, OPTION_COUNT(item_specs)};

static const struct option_spec rate_specs[] = {
    {.name = "rate",
     .type = OPTION_LIST,
     .value_name = "NAME",
     .help =
         "rate of the preceding item, such as adult (default: standard, else the first listed)"},
};

static const struct option_group rate_group = {"Price", rate_specs, OPTION_COUNT(rate_specs)};

/* How the allocator is to choose seats. */
static const struct option_spec choice_specs[] = {
    {.name = "sections",
     .type = OPTION_LIST,
     .value_name = "NAME,...",
     .help = "begins an item: seats of one of these sections, the first that can serve it"},
    {.name = "together",
     .type = OPTION_BOOL,
     .help = "of the section before: side by side or not at all"},
    {.name = "features",
     .type = OPTION_LIST,
     .value_name = "NAME,...",
     .help = "of the section before: seats that have all of these, as accessible"},
    {.name = "avoid",
     .type = OPTION_LIST,
     .value_name = "NAME,...",
     .help = "of the section before: no seat that has one of these, as restricted_view"},
};

static const struct option_group choice_group = {"Choice of seats", choice_specs,
                                                 OPTION_COUNT(choice_specs)};

static const struct option_spec probe_specs[] = {
    {.name = "section", .type = OPTION_LIST, .value_name = "NAME", .help = "this section"},
    {.name = "product", .type = OPTION_LIST, .value_name = "NAME", .help = "this product"},
    {.name = "room",
     .type = OPTION_LIST,
     .value_name = "TYPE",
     .help = "rooms of this type, with --from and --to"},
    {.name = "from",
     .type = OPTION_LIST,
     .value_name = "DATE",
     .help = "first night of the room before, as 2026-12-24"},
    {.name = "to",
     .type = OPTION_LIST,
     .value_name = "DATE",
     .help = "day after the last night of the room before"},
};

static const struct option_group probe_group = {"What to show (default: all)", probe_specs,
                                                OPTION_COUNT(probe_specs)};

/* ---- single options that several commands have ---- */

#define CUSTOMER(text)                                         \
    {                                                          \
        .name = "customer", .value_name = "ID", .help = (text) \
    }

#define BOOKING(text)                                         \
    {                                                         \
        .name = "booking", .value_name = "ID", .help = (text) \
    }

#define CART(text)                                           \
    {                                                        \
        .name = "cart", .value_name = "NAME", .help = (text) \
    }

#define PAYMENT                                                                            \
    {                                                                                      \
        .name = "payment", .value_name = "TEXT", .help = "reference kept with the booking" \
    }

#define META                                                                            \
    {                                                                                   \
        .name = "meta", .value_name = "JSON", .help = "an object kept with the booking" \
    }

#define NOTE                                                \
    {                                                       \
        .name = "note", .value_name = "TEXT", .help = "why" \
    }

#define FORCE                                                                              \
    {                                                                                      \
        .name = "force", .type = OPTION_BOOL, .help = "the house acts: no customer needed" \
    }

#define SHORTAGE                                                \
    {                                                           \
        .name = "shortage", .choices = "all|partial",           \
        .help = "not enough left: nothing (all, the default), " \
                "or as many as can be had (partial)"            \
    }

#define FROM_BLOCK                                                               \
    {                                                                            \
        .name = "from-block", .value_name = "ID",                                \
        .help = "take the units out of this block, to which they do not go back" \
    }

#define FORCE_SALE                                                                         \
    {                                                                                      \
        .name = "force", .type = OPTION_BOOL,                                              \
        .help = "the house sells what is over: a show that has ended, nights before today" \
    }

static const struct option_spec hold_specs[] = {
    CUSTOMER("who the booking belongs to"),
    OPTION_TTL("how long to hold, such as 15m (default: that of the resource)"),
    CART("cart that the booking belongs to"),
    META,
    SHORTAGE,
    {.name = "wait-until",
     .value_name = "INSTANT",
     .help =
         "not enough left: join the waiting list until then, such as 2026-12-24T12:00:00Z or +2h"},
    FROM_BLOCK,
    FORCE_SALE,
};

static const struct option_group hold_group = {"Booking", hold_specs, OPTION_COUNT(hold_specs)};

static const struct option_spec book_specs[] = {
    CUSTOMER("who the booking belongs to"),
    PAYMENT,
    CART("cart that the booking belongs to"),
    META,
    SHORTAGE,
    FROM_BLOCK,
    FORCE_SALE,
};

static const struct option_group book_group = {"Booking", book_specs, OPTION_COUNT(book_specs)};

static const struct option_spec confirm_specs[] = {
    BOOKING("request id of the hold"),
    CART("or: all holds of this cart"),
    CUSTOMER("the owner"),
    PAYMENT,
};

static const struct option_group confirm_group = {"Booking", confirm_specs,
                                                  OPTION_COUNT(confirm_specs)};

static const struct option_spec release_specs[] = {
    BOOKING("request id of the hold or book"),
    CART("or: all of this cart"),
    CUSTOMER("the owner"),
    FORCE,
    NOTE,
};

static const struct option_group release_group = {"Booking", release_specs,
                                                  OPTION_COUNT(release_specs)};

static const struct option_spec extend_specs[] = {
    BOOKING("request id of the hold"),
    CART("or: all holds of this cart"),
    CUSTOMER("the owner"),
    OPTION_TTL("how long from now on, as 15m; never shorter than it was"),
};

static const struct option_group extend_group = {"Booking", extend_specs,
                                                 OPTION_COUNT(extend_specs)};

static const struct option_spec exchange_specs[] = {
    BOOKING("request id of the hold or book"),
    CUSTOMER("the owner"),
    FORCE,
};

static const struct option_group exchange_group = {"Booking", exchange_specs,
                                                   OPTION_COUNT(exchange_specs)};

static const struct option_spec transfer_specs[] = {
    BOOKING("request id of the hold or book"),
    CUSTOMER("the owner"),
    {.name = "to", .value_name = "ID", .help = "the new owner"},
    FORCE,
};

static const struct option_group transfer_group = {"Booking", transfer_specs,
                                                   OPTION_COUNT(transfer_specs)};

static const struct option_spec leave_specs[] = {
    BOOKING("request id of the hold that waits"),
    CUSTOMER("the owner"),
};

static const struct option_group leave_group = {"Booking", leave_specs, OPTION_COUNT(leave_specs)};

static const struct option_spec block_specs[] = {
    NOTE,
    {.name = "return-at",
     .value_name = "INSTANT",
     .help = "unsold units come back by themselves then, as 2026-12-24T12:00:00Z or +2d"},
    SHORTAGE,
};

static const struct option_group block_group = {"Block", block_specs, OPTION_COUNT(block_specs)};

static const struct option_spec unblock_specs[] = {
    BOOKING("request id of the block"),
    NOTE,
};

static const struct option_group unblock_group = {"Block", unblock_specs,
                                                  OPTION_COUNT(unblock_specs)};

static const struct option_spec open_specs[] = {NOTE};

static const struct option_group open_group = {"Resource", open_specs, OPTION_COUNT(open_specs)};

static const struct option_spec close_specs[] = {
    {.name = "cancel-bookings",
     .type = OPTION_BOOL,
     .help = "also cancel every booking; each gets an answer with the note"},
    NOTE,
};

static const struct option_group close_group = {"Resource", close_specs, OPTION_COUNT(close_specs)};

static const struct option_spec request_specs[] = {
    {.name = "request-id", .value_name = "ID", .help = "idempotency key (default: a new UUID)"},
    {.name = "client", .value_name = "NAME", .help = "the sending service, echoed in the answer"},
    {.name = "deadline",
     .value_name = "INSTANT|TIME",
     .help = "decided later than this, it is refused: an instant, or 5s from now"},
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .fallback = "5s",
     .min = 1,
     .max = 86400000,
     .help = "how long to wait for the answer"},
    {.name = "no-wait", .type = OPTION_BOOL, .help = "publish the request, wait for no answer"},
    {.name = "dry-run", .type = OPTION_BOOL, .help = "print the request, send nothing"},
};

/* What every request has: its id, --wait, --dry-run, ... */
static const struct option_group request_group = {"Request", request_specs,
                                                  OPTION_COUNT(request_specs)};

static const struct option_spec send_specs[] = {
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .implied = "5s",
     .value_name = "TIME",
     .min = 1,
     .max = 86400000,
     .help = "print the answers as they come, waiting so long for each (without TIME: 5s); as JSON "
             "lines unless on a terminal"},
    {.name = "in-flight",
     .type = OPTION_INTEGER,
     .fallback = "10000",
     .min = 1,
     .max = 100000,
     .help = "maximum number of requests in flight"},
    {.name = "strict",
     .type = OPTION_BOOL,
     .help = "send no line with a field that usher does not know, as a mistyped one"},
};

static const struct option_group send_group = {"Sending", send_specs, OPTION_COUNT(send_specs)};

static const struct option_spec watch_specs[] = {
    {.name = "from-beginning", .type = OPTION_BOOL, .help = "begin with the oldest answer kept"},
    {.name = "since",
     .value_name = "TIME|INSTANT",
     .help = "begin with the answers decided since then: 1h ago, or 2026-12-24T19:30:00Z"},
    {.name = "tail",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 100000,
     .help = "begin with the last N answers that are there"},
    {.name = "until-end",
     .type = OPTION_BOOL,
     .help = "print what is there (without --since and --tail: all) and end"},
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .fallback = "30s",
     .min = 1,
     .max = 86400000,
     .help = "with --until-end: give up when nothing has come for so long"},
    {.name = "after",
     .type = OPTION_LIST,
     .value_name = "PARTITION:SEQ[:OFFSET]",
     .help = "resume after this answer of a partition (one flag each); it was read at that offset "
             "of the topic: with --json each has its \"seq\" and, in \"record\", the other two"},
    {.name = "count", .type = OPTION_INTEGER, .min = 1, .max = INT64_MAX, .help = "end after N"},
};

static const struct option_group watch_group = {"Watching", watch_specs, OPTION_COUNT(watch_specs)};

static const struct option_spec filter_specs[] = {
    CUSTOMER("of this customer"),
    BOOKING("about this booking"),
    {.name = "op",
     .choices = "define|open|close|hold|book|confirm|release|cancel|extend|exchange|transfer|"
                "leave|block|unblock|probe",
     .value_name = "OP",
     .help = "to requests of this kind, as hold"},
    {.name = "outcome",
     .choices = "held|confirmed|released|extended|exchanged|cancelled|transferred|expired|waiting|"
                "left|blocked|defined|alive|refused|invalid",
     .value_name = "OUTCOME",
     .help = "with this outcome, as refused"},
};

static const struct option_group filter_group = {"Which answers", filter_specs,
                                                 OPTION_COUNT(filter_specs)};

static const struct option_spec chart_specs[] = {
    {.name = "width",
     .type = OPTION_INTEGER,
     .min = 40,
     .max = 1000,
     .help = "maximum width in columns (default: that of the terminal)"},
};

static const struct option_group chart_group = {"Drawing", chart_specs, OPTION_COUNT(chart_specs)};

/* ---- tables ---- */

OPTION_TABLE(send_table, &send_group, &output_options);

OPTION_TABLE(watch_table, &watch_group, &filter_group, &output_options);

OPTION_TABLE(hold_table, &item_group, &rate_group, &choice_group, &hold_group, &request_group,
             &output_options);

OPTION_TABLE(book_table, &item_group, &rate_group, &choice_group, &book_group, &request_group,
             &output_options);

OPTION_TABLE(confirm_table, &confirm_group, &item_group, &rate_group, &request_group,
             &output_options);

OPTION_TABLE(release_table, &release_group, &request_group, &output_options);

OPTION_TABLE(extend_table, &extend_group, &request_group, &output_options);

OPTION_TABLE(exchange_table, &item_group, &rate_group, &choice_group, &exchange_group,
             &request_group, &output_options);

OPTION_TABLE(transfer_table, &transfer_group, &request_group, &output_options);

OPTION_TABLE(leave_table, &leave_group, &request_group, &output_options);

OPTION_TABLE(block_table, &item_group, &choice_group, &block_group, &request_group,
             &output_options);

OPTION_TABLE(unblock_table, &unblock_group, &request_group, &output_options);

OPTION_TABLE(probe_table, &probe_group, &request_group, &output_options);

OPTION_TABLE(open_table, &open_group, &request_group, &output_options);

OPTION_TABLE(close_table, &close_group, &request_group, &output_options);

/* No Kafka: they look at files only. */
static const struct option_group *const chart_groups[] = {&chart_group, &output_options,
                                                          &common_options};

const struct option_table chart_table = {chart_groups, OPTION_COUNT(chart_groups)};

static const struct option_group *const validate_groups[] = {&common_options};

const struct option_table validate_table = {validate_groups, OPTION_COUNT(validate_groups)};

/* ==== Options of define ==== */

static const struct option_spec resource_specs[] = {
    {.name = "name", .value_name = "TEXT", .help = "of the resource, for people"},
    {.name = "venue", .value_name = "TEXT", .help = "where"},
    {.name = "description", .value_name = "TEXT", .help = "what"},
    {.name = "timezone", .value_name = "NAME", .help = "as Europe/London"},
    {.name = "currency",
     .value_name = "CODE",
     .help = "ISO 4217, as GBP: a price is 45.00 then; without it, 4500 (minor units)"},
    {.name = "starts-at", .value_name = "INSTANT", .help = "as 2026-12-24T19:30:00Z, or +2h"},
    {.name = "ends-at", .value_name = "INSTANT", .help = "as 2026-12-24T22:00:00Z"},
    {.name = "state",
     .choices = "draft|open|closed",
     .help = "whether it is on sale: a new resource is draft, not yet, unless this says open"},
    {.name = "opens-at", .value_name = "INSTANT", .help = "while open, sell from then on"},
    {.name = "closes-at", .value_name = "INSTANT", .help = "and until then"},
    OPTION_TTL("how long its holds last, as 15m"),
    {.name = "strategy",
     .choices = "best|first|random",
     .help = "seats for a quantity: the best (the default), the first of the chart, any"},
};

static const struct option_group resource_group = {"Resource", resource_specs,
                                                   OPTION_COUNT(resource_specs)};

static const struct option_spec pool_specs[] = {
    {.name = "section",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "stalls:price=45.00,rows=A:20+B:22 (row:seats, or row:seats:first number; C-F:18 is "
             "four rows), or standing:rates=adult:20.00+child:10.00,capacity=300,overbook=10"},
    {.name = "room",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help =
         "double:from=2026-01-01,to=2027-01-01,capacity=20,overbook=1,price=129.00 (or rates=); "
         "later ones override the nights that they cover"},
    {.name = "product",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "programme:capacity=500,price=8.00,name=Programme (or rates=, overbook=)"},
    {.name = "plan",
     .value_name = "FILE",
     .help = "rows of a hall: a pretix seating plan, whose categories become sections, or JSON "
             "{\"sections\":[{\"section\":...,\"rows\":[...]}]}; see chart check"},
    {.name = "chart",
     .value_name = "NAME",
     .help = "rows of a hall that was defined before, by its sha256:... as chart check says it"},
    {.name = "rates",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "prices of a section or product: stalls=adult:4500,child:2500, or balcony=3000"},
};

static const struct option_group pool_group = {"What is sold", pool_specs,
                                               OPTION_COUNT(pool_specs)};

static const struct option_spec terms_specs[] = {
    {.name = "limits",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "units_min=1,units_per_request=8,units_per_customer=10,holds_per_customer=2, or none; "
             "all limits that were are replaced"},
    {.name = "limit-group",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "units over several pools that a customer may have: stalls+balcony=4"},
    {.name = "quota",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "units over several pools that may be sold: fire:pools=stalls+standing,limit=800; "
             "fire:pools= removes it"},
};

static const struct option_group terms_group = {"Terms", terms_specs, OPTION_COUNT(terms_specs)};

static const struct option_spec define_file_specs[] = {
    {.name = "file",
     .value_name = "FILE",
     .help = "the define as JSON instead of the flags above; - is standard input"},
    {.name = "shows",
     .value_name = "FILE",
     .help = "many resources, a line of CSV each, see above; - is standard input"},
};

static const struct option_group define_file_group = {"Files", define_file_specs,
                                                      OPTION_COUNT(define_file_specs)};

OPTION_TABLE(define_table, &resource_group, &pool_group, &terms_group, &define_file_group,
             &request_group, &output_options);
