/*
 * The options of each command: those of requests out of the tables of fields, which say what each
 * operation takes, the others as they stand here; with those of Kafka and the common ones.
 */
#include "producer/program/option_tables.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/definition_fields.h"
#include "producer/codec/request_fields.h"
#include "producer/kafka/kafka_options.h"
#include "producer/terminal/terminal.h"

#define OPTION_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ==== Options of their own ==== */

/* What every request has beside its fields: how its answer is awaited. */
static const struct option_spec answer_specs[] = {
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .fallback = "5s",
     .min = 1,
     .max = 86400000,
     .help = "how long to wait for the answer"},
    {.name = "no-wait",
     .type = OPTION_BOOL,
     .help = "publish the request, do not wait for its answer"},
    {.name = "dry-run", .type = OPTION_BOOL, .help = "print the request, send nothing"},
};

static const struct option_spec take_specs[] = {
    {.name = "line",
     .type = OPTION_LIST,
     .value_name = "RESOURCE",
     .help = "a line of the cart, with the items that follow (one flag each)"},
};

static const struct option_spec sell_specs[] = {
    {.name = "line",
     .type = OPTION_LIST,
     .value_name = "RESOURCE/BOOKING",
     .help = "a line of the cart (one flag each)"},
};

/* Of the commands that several resources can be named to. */
static const struct option_group take_group = {"Cart over several resources, in place of RESOURCE",
                                               take_specs, OPTION_COUNT(take_specs)};
static const struct option_group sell_group = {"Cart over several resources, in place of RESOURCE",
                                               sell_specs, OPTION_COUNT(sell_specs)};

static const struct option_spec send_specs[] = {
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .implied = "5s",
     .value_name = "TIME",
     .min = 1,
     .max = 86400000,
     .help = "print answers as they arrive, waiting up to TIME for each (default: 5s); as JSON "
             "lines unless on a terminal"},
    {.name = "in-flight",
     .type = OPTION_INTEGER,
     .fallback = "10000",
     .min = 1,
     .max = 100000,
     .help = "maximum number of requests in flight"},
    {.name = "strict",
     .type = OPTION_BOOL,
     .help = "do not send lines with unknown fields, such as mistyped ones"},
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
     .help = "begin with the last N answers"},
    {.name = "until-end",
     .type = OPTION_BOOL,
     .help = "print existing answers (all, without --since and --tail) and exit"},
    {.name = "wait",
     .type = OPTION_DURATION_MS,
     .fallback = "30s",
     .min = 1,
     .max = 86400000,
     .help = "with --until-end: give up after this long without an answer"},
    {.name = "after",
     .type = OPTION_LIST,
     .value_name = "PARTITION:SEQ[:OFFSET]",
     .help = "resume after this answer of a partition (one flag each); it was read at that offset "
             "of the topic: with --json each has its \"seq\" and, in \"record\", the other two"},
    {.name = "count", .type = OPTION_INTEGER, .min = 1, .max = INT64_MAX, .help = "end after N"},
};

static const struct option_group watch_group = {"Watching", watch_specs, OPTION_COUNT(watch_specs)};

enum {
    FILTER_OP = 2, /* places of those that choose among words */
    FILTER_OUTCOME = 3,
};

static const struct option_spec filter_specs[] = {
    {.name = "customer", .value_name = "ID", .help = "of this customer"},
    {.name = "booking", .value_name = "ID", .help = "about this booking"},
    {.name = "op", .value_name = "OP", .help = "to requests of this kind, as hold"},
    {.name = "outcome", .value_name = "OUTCOME", .help = "with this outcome, as refused"},
};

static const struct option_spec chart_specs[] = {
    {.name = "width",
     .type = OPTION_INTEGER,
     .min = 40,
     .max = 1000,
     .help = "maximum width in columns (default: that of the terminal)"},
};

static const struct option_group chart_group = {"Drawing", chart_specs, OPTION_COUNT(chart_specs)};

static const struct option_spec rows_specs[] = {
    {.name = "room", .value_name = "NAME", .help = "room type of rows that name none"},
    {.name = "rows",
     .type = OPTION_INTEGER,
     .fallback = "1000",
     .min = 1,
     .max = 2000,
     .help = "rows in one define"},
    {.name = "request-id",
     .value_name = "ID",
     .help = "what the ids of the requests begin with, before -1, -2, ... (default: random)"},
    {.name = "client", .value_name = "NAME", .help = "name of the sending service"},
};

static const struct option_group rows_group = {"Rows", rows_specs, OPTION_COUNT(rows_specs)};

/* What a define has beside its fields. */
static const struct option_spec rates_spec = {
    .name = "rates",
    .type = OPTION_LIST,
    .value_name = "SPEC",
    .help = "prices of a section or product: stalls=adult:4500,child:2500, or balcony=3000",
};

static const struct option_spec limit_group_spec = {
    .name = "limit-group",
    .type = OPTION_LIST,
    .value_name = "SPEC",
    .help = "units over several pools that a customer may have: stalls+balcony=4",
};

static const struct option_spec only_specs[] = {
    {.name = "only-new",
     .type = OPTION_BOOL,
     .help = "refuse (already_exists) where it was defined before"},
    {.name = "only-existing",
     .type = OPTION_BOOL,
     .help = "refuse (unknown_resource) where it was not"},
};

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

/* ==== Tables ==== */

enum {
    GROUPS_MAX = 12, /* of a table */
    SPECS_MAX = 32,  /* of a group */
    KNOWN_MAX = 64,  /* groups of all commands */
};

/* A table while it is put together, for the commands of an operation. */
struct making {
    enum usher_op op;
    struct option_table *table;
    const struct option_group **groups;
};

/* Tables last as long as the program. */
static struct usher_arena arena;

static struct making begin_table(enum usher_op op)
{
    struct making making = {.op = op, .table = usher_arena_alloc(&arena, sizeof *making.table)};
    making.groups = usher_arena_alloc(&arena, GROUPS_MAX * sizeof *making.groups);
    making.table->groups = making.groups;
    return making;
}

static bool is_same(const struct option_group *one, const struct option_group *other)
{
    bool same = strcmp(one->title, other->title) == 0 && one->count == other->count;
    for (size_t i = 0; same && i < one->count; i++)
        same = strcmp(one->specs[i].name, other->specs[i].name) == 0 &&
               strcmp(one->specs[i].help, other->specs[i].help) == 0;
    return same;
}

/* Commands share groups that are the same, so that the manual describes each once. */
static const struct option_group *share(const struct option_group *group)
{
    static const struct option_group *known[KNOWN_MAX];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (is_same(known[i], group))
            return known[i];
    assert(count < KNOWN_MAX);
    known[count++] = group;
    return group;
}

static void add_group(struct making *making, const struct option_group *group)
{
    assert(making->table->group_count < GROUPS_MAX);
    if (group->count > 0)
        making->groups[making->table->group_count++] = share(group);
}

/* Output, Kafka, and what every command has. */
static const struct option_table *end_table(struct making *making)
{
    add_group(making, &output_options);
    add_group(making, &kafka_options);
    add_group(making, &common_options);
    return making->table;
}

/* ---- options of fields ---- */

/* A group that is filled: its specs are `specs`. */
struct filling {
    struct option_group group;
    struct option_spec specs[SPECS_MAX];
};

static struct filling *begin_group(const char *title)
{
    struct filling *filling = usher_arena_alloc(&arena, sizeof *filling);
    filling->group = (struct option_group){.title = title, .specs = filling->specs};
    return filling;
}

static void add_spec(struct filling *filling, const struct option_spec *spec)
{
    assert(filling->group.count < SPECS_MAX);
    filling->specs[filling->group.count++] = *spec;
}

/* The option of a field; what an item has, and what a define lists, may be given several times. */
static struct option_spec spec_of(const struct message_field *field, const char *help, bool of_item)
{
    struct option_spec spec = {
        .name = field->option->flag,
        .type = of_item || field->of ? OPTION_LIST : OPTION_TEXT,
        .value_name = field->option->value,
        .help = help,
    };
    if (field->type == MESSAGE_FLAG)
        spec.type = OPTION_BOOL;
    if (field->type == MESSAGE_WORD)
        spec.choices = message_words_text(&arena, field->words, "|", "|");
    if (field->type == MESSAGE_SECONDS) {
        spec.type = OPTION_DURATION;
        spec.min = field->min;
        spec.max = field->max;
    }
    return spec;
}

/* What most options of an operation stand under. */
static const char *heading_of_op(enum usher_op op)
{
    if (op == USHER_OP_BLOCK || op == USHER_OP_UNBLOCK)
        return "Block";
    if (op == USHER_OP_DEFINE)
        return "The house";
    return op == USHER_OP_OPEN || op == USHER_OP_CLOSE ? "Resource" : "Booking";
}

static const char *heading_of(const struct message_field *field, enum usher_op op)
{
    if (op == USHER_OP_PROBE && message_field_of(&item_table, field->name))
        return "What to show (default: all)";
    if (field->option->heading)
        return field->option->heading;
    return field->option->help[0].ops == MESSAGE_ANY ? "Request" : heading_of_op(op);
}

/* The fields that stand under the title of the group. */
static struct filling *add_fields(const struct making *making, const char *title,
                                  const struct message_table *table)
{
    struct filling *filling = begin_group(title);
    for (size_t i = 0; i < table->count; i++) {
        const struct message_field *field = &table->fields[i];
        const char *help = message_field_help(field, making->op);
        if (!help || strcmp(heading_of(field, making->op), title) != 0)
            continue;
        struct option_spec spec = spec_of(field, help, table == &item_table);
        add_spec(filling, &spec);
    }
    return filling;
}

static void add_items(struct making *making)
{
    static const char *const headings[] = {"Items", "Price", "Choice of seats",
                                           "What to show (default: all)"};
    for (size_t i = 0; i < OPTION_COUNT(headings); i++)
        add_group(making, &add_fields(making, headings[i], &item_table)->group);
}

static void add_definition(struct making *making)
{
    struct filling *resource = add_fields(making, "Resource", &definition_table);
    struct filling *sold = add_fields(making, "What is sold", &definition_table);
    struct filling *terms = add_fields(making, "Terms", &definition_table);
    for (size_t i = 0; i < OPTION_COUNT(only_specs); i++)
        add_spec(resource, &only_specs[i]);
    add_spec(sold, &rates_spec);
    add_spec(terms, &limit_group_spec);
    add_group(making, &resource->group);
    add_group(making, &sold->group);
    add_group(making, &terms->group);
    add_group(making, &define_file_group);
}

/* ---- of each command ---- */

const struct option_table *request_options(enum usher_op op)
{
    struct making making = begin_table(op);
    const struct message_field *items = message_field_of(&request_table, "items");
    bool needs_items = (items->needed_by >> op & 1U) != 0;
    struct filling *request = add_fields(&making, "Request", &request_table);
    if (needs_items)
        add_items(&making);
    if (op == USHER_OP_DEFINE)
        add_definition(&making);
    add_group(&making, &add_fields(&making, heading_of_op(op), &request_table)->group);
    if (!needs_items)
        add_items(&making);
    if (op == USHER_OP_HOLD || op == USHER_OP_BOOK)
        add_group(&making, &take_group);
    if (op == USHER_OP_CONFIRM || op == USHER_OP_EXTEND || op == USHER_OP_RELEASE)
        add_group(&making, &sell_group);
    for (size_t i = 0; i < OPTION_COUNT(answer_specs); i++)
        add_spec(request, &answer_specs[i]);
    add_group(&making, &request->group);
    return end_table(&making);
}

const struct option_table *send_options(enum usher_op op)
{
    struct making making = begin_table(op);
    add_group(&making, &send_group);
    return end_table(&making);
}

const struct option_table *watch_options(enum usher_op op)
{
    struct making making = begin_table(op);
    struct filling *filter = begin_group("Which answers");
    for (size_t i = 0; i < OPTION_COUNT(filter_specs); i++)
        add_spec(filter, &filter_specs[i]);
    filter->specs[FILTER_OP].choices = message_words_text(&arena, &op_words, "|", "|");
    filter->specs[FILTER_OUTCOME].choices = message_words_text(&arena, &outcome_words, "|", "|");
    add_group(&making, &watch_group);
    add_group(&making, &filter->group);
    return end_table(&making);
}

/* No Kafka: they look at files only. */
const struct option_table *chart_options(enum usher_op op)
{
    struct making making = begin_table(op);
    add_group(&making, &chart_group);
    add_group(&making, &output_options);
    add_group(&making, &common_options);
    return making.table;
}

const struct option_table *restrictions_options(enum usher_op op)
{
    struct making making = begin_table(op);
    add_group(&making, &rows_group);
    add_group(&making, &common_options);
    return making.table;
}

const struct option_table *validate_options(enum usher_op op)
{
    struct making making = begin_table(op);
    add_group(&making, &common_options);
    return making.table;
}
