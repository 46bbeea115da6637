/* The lists of usher-worker: the columns of each, its filters, and the command. */
#include "worker/program/command_look.h"

#include <inttypes.h>

#include "worker/program/look.h"

static const char *filter(const struct looking *looking, const char *name)
{
    return options_text(looking->options, name);
}

static int64_t limit(const struct looking *looking)
{
    return options_integer(looking->options, "limit");
}

/* ---- resources ---- */

static const struct option_spec resource_specs[] = {
    {.name = "kind", .choices = "seats|standing|rooms|stock|mixed", .help = "only this kind"},
    {.name = "state", .choices = "draft|open|closed", .help = "only those in this state"},
    {.name = "venue", .value_name = "NAME", .help = "only those at this venue"},
};

static const struct option_group resource_options = WORKER_GROUP("Which", resource_specs);

static const struct look_column resource_columns[] = {
    {"resource", "resource", LOOK_TEXT}, {"state", "state", LOOK_STATE},
    {"kind", "kind", LOOK_TEXT},         {"starts_at", "starts", LOOK_INSTANT},
    {"sold", "sold", LOOK_NUMBER},       {"held", "held", LOOK_NUMBER},
    {"blocked", "blocked", LOOK_NUMBER}, {"total", "of", LOOK_NUMBER},
    {"waiting", "waiting", LOOK_NUMBER}, {"name", "name", LOOK_TEXT},
    {"venue", "venue", LOOK_TEXT},
};

static const struct look resource_list = {PG_VIEW_RESOURCES, resource_columns,
                                          LOOK_COUNT(resource_columns), "no matching resources"};

static enum usher_status list_resources(struct looking *looking, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {NULL, filter(looking, "kind"), filter(looking, "state"),
                    filter(looking, "venue")},
        .limit = limit(looking),
    };
    return look_list(looking, &resource_list, &question, err);
}

static enum usher_exit run_resources(const struct program_command *command, struct options *options,
                                     struct usher_error *err)
{
    (void)command;
    return look_run(options, list_resources, err);
}

static const struct option_group *const resources_groups[] = {
    &resource_options, &look_limit_options, &output_options, &postgres_options, &common_options};

const struct program_command resources_command = {
    .name = "resources",
    .arguments = "",
    .help = "Lists what is sold, and how much of it.",
    .details = "In the order in which they start. The role usher_reader suffices.\n",
    .example = "resources --state open",
    .table = WORKER_TABLE(resources_groups),
    .others = &worker_options,
    .run = run_resources,
};

/* ---- bookings ---- */

static const struct option_spec booking_specs[] = {
    {.name = "customer", .value_name = "ID", .help = "only those of this customer"},
    {.name = "resource", .value_name = "ID", .help = "only those of this resource"},
    {.name = "booking", .value_name = "ID", .help = "this one, of the --resource"},
    {.name = "seat",
     .value_name = "NAME",
     .help = "who has this seat of the --resource now: held, sold or blocked"},
    {.name = "state",
     .choices = "held|confirmed|blocked|waiting|released|expired|cancelled|left",
     .help = "only those in this state"},
};

static const struct option_group booking_options = WORKER_GROUP("Which", booking_specs);

static const struct look_column booking_columns[] = {
    {"resource", "resource", LOOK_TEXT},     {"booking", "booking", LOOK_TEXT},
    {"customer", "customer", LOOK_TEXT},     {"state", "state", LOOK_STATE},
    {"units", "units", LOOK_NUMBER},         {"total", "total", LOOK_MONEY},
    {"created_at", "created", LOOK_INSTANT}, {"sold_at", "sold", LOOK_INSTANT},
    {"ends_at", "ends", LOOK_INSTANT},       {"cart", "cart", LOOK_TEXT},
    {"payment", "payment", LOOK_TEXT},       {"note", "note", LOOK_TEXT},
    {"currency", NULL, LOOK_TEXT},
};

static const struct look booking_list = {PG_VIEW_BOOKINGS, booking_columns,
                                         LOOK_COUNT(booking_columns), "no such booking"};

/* Ids are those of a resource, and without one of the others every booking ever made would be read.
 */
static enum usher_status check_filters(const struct looking *looking, const char *const *ids,
                                       struct usher_error *err)
{
    for (; *ids; ids++) {
        if (filter(looking, *ids) && !filter(looking, "resource")) {
            usher_error_set(err, USHER_EXIT_USAGE,
                            "of which resource? --%s is unique within a --resource", *ids);
            return USHER_FATAL;
        }
    }
    if (!filter(looking, "customer") && !filter(looking, "resource")) {
        usher_error_set(err, USHER_EXIT_USAGE, "whose? --customer or --resource is missing");
        return USHER_FATAL;
    }
    return USHER_OK;
}

/* Adds where the seat is, by which the booking that has it is found. */
static enum usher_status add_seat(struct looking *looking, struct pg_view_question *question,
                                  struct usher_error *err)
{
    const char *resource = filter(looking, "resource"), *seat = filter(looking, "seat");
    struct look_hall hall;
    uint32_t unit;
    enum usher_status status = seat ? look_hall_read(looking, resource, &hall, err) : USHER_OK;
    if (!seat || status != USHER_OK)
        return status;
    if (!look_hall_find(&hall, seat, &question->filters[4], &unit)) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "there is no seat \"%s\" in \"%s\": see usher-worker show %s", seat,
                        resource, resource);
        return USHER_FATAL;
    }
    question->filters[5] = usher_arena_number(&looking->arena, unit);
    return USHER_OK;
}

static enum usher_status list_bookings(struct looking *looking, struct usher_error *err)
{
    struct look list = booking_list;
    struct pg_view_question question = {
        .filters = {filter(looking, "customer"), filter(looking, "resource"),
                    filter(looking, "booking"), filter(looking, "state")},
        .limit = limit(looking),
    };
    static const char *const ids[] = {"booking", "seat", NULL};
    enum usher_status status = check_filters(looking, ids, err);
    if (status == USHER_OK)
        status = add_seat(looking, &question, err);
    if (question.filters[4] && !filter(looking, "customer") && !filter(looking, "state"))
        list.nothing = "nobody has this seat";
    return status == USHER_OK ? look_list(looking, &list, &question, err) : status;
}

static enum usher_exit run_bookings(const struct program_command *command, struct options *options,
                                    struct usher_error *err)
{
    (void)command;
    return look_run(options, list_bookings, err);
}

static const struct option_group *const bookings_groups[] = {
    &booking_options, &look_limit_options, &output_options, &postgres_options, &common_options};

const struct program_command bookings_command = {
    .name = "bookings",
    .arguments = "",
    .help = "Lists the bookings of a customer or a resource, or who has a seat, the latest first.",
    .details = "With --json also their units, payment and meta. The role usher_reader suffices.\n",
    .example = "bookings --customer c1",
    .table = WORKER_TABLE(bookings_groups),
    .others = &worker_options,
    .run = run_bookings,
};

/* ---- history ---- */

static const struct option_spec history_specs[] = {
    {.name = "resource", .value_name = "ID", .help = "only what was decided about this resource"},
    {.name = "request", .value_name = "ID", .help = "only of this request, to the --resource"},
    {.name = "booking", .value_name = "ID", .help = "only about this booking, of the --resource"},
    {.name = "customer", .value_name = "ID", .help = "only what this customer asked for"},
    {.name = "since",
     .type = OPTION_DURATION,
     .min = 1,
     .max = INT64_C(100) * 366 * 86400,
     .help = "only what was decided in the last 15m, 2h, 7d"},
};

static const struct option_group history_options = WORKER_GROUP("Which", history_specs);

static const struct look_column history_columns[] = {
    {"decided_at", "decided", LOOK_INSTANT},
    {"resource", "resource", LOOK_TEXT},
    {"request_id", "request", LOOK_TEXT},
    {"op", "op", LOOK_TEXT},
    {"outcome", "outcome", LOOK_OUTCOME},
    {"reason", "reason", LOOK_TEXT},
    {"customer", "customer", LOOK_TEXT},
    {"booking", "booking", LOOK_TEXT},
    {"total", "total", LOOK_MONEY},
    {"partition", "partition", LOOK_NUMBER},
    {"seq", "seq", LOOK_NUMBER},
    {"offset", "offset", LOOK_NUMBER},
    {"detail", "detail", LOOK_DETAIL},
    {"currency", NULL, LOOK_TEXT},
    {"replayed", NULL, LOOK_TEXT},
    {"answer", NULL, LOOK_TEXT},
};

static const struct look history_list = {
    PG_VIEW_HISTORY, history_columns, LOOK_COUNT(history_columns), "nothing was decided about it"};

/* In seconds. */
static const char *since(struct looking *looking)
{
    return filter(looking, "since") ? usher_arena_format(&looking->arena, "%" PRId64,
                                                         options_integer(looking->options, "since"))
                                    : NULL;
}

/* Without a booking there is no index of customers: of all decisions they are not looked for. */
static void say_what_is_left_out(const struct looking *looking)
{
    if (!filter(looking, "resource") && !filter(looking, "since"))
        fprintf(stderr, "usher-worker: only what became of bookings; refusals are found with "
                        "--resource ID, or --since 1h\n");
}

static enum usher_status list_history(struct looking *looking, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {filter(looking, "customer"), filter(looking, "resource"),
                    filter(looking, "request"), filter(looking, "booking"), since(looking)},
        .limit = limit(looking),
    };
    static const char *const ids[] = {"request", "booking", NULL};
    enum usher_status status = check_filters(looking, ids, err);
    if (status == USHER_OK)
        status = look_list(looking, &history_list, &question, err);
    if (status == USHER_OK)
        say_what_is_left_out(looking);
    return status;
}

static enum usher_exit run_history(const struct program_command *command, struct options *options,
                                   struct usher_error *err)
{
    (void)command;
    return look_run(options, list_history, err);
}

static const struct option_group *const history_groups[] = {
    &history_options, &look_limit_options, &output_options, &postgres_options, &common_options};

const struct program_command history_command = {
    .name = "history",
    .arguments = "",
    .help = "Lists what was decided, the latest first: what became of a request, and why.",
    .details = "What was refused concerns no booking, and is found by its --resource, or of all "
               "resources by --since, which\n"
               "reads all that was decided since then; a --customer alone has what became of "
               "bookings. What happened without\n"
               "a request has no offset, and the request id of the booking. With --json also the "
               "answers as they were given.\n"
               "The role usher_reader suffices.\n",
    .example = "history --resource show:hamlet --request web-4711",
    .table = WORKER_TABLE(history_groups),
    .others = &worker_options,
    .run = run_history,
};

/* ---- waiting ---- */

static const struct option_spec waiting_specs[] = {
    {.name = "resource", .value_name = "ID", .help = "only who waits for this resource"},
    {.name = "customer", .value_name = "ID", .help = "only this customer"},
};

static const struct option_group waiting_options = WORKER_GROUP("Who", waiting_specs);

static const struct look_column waiting_columns[] = {
    {"resource", "resource", LOOK_TEXT}, {"position", "position", LOOK_NUMBER},
    {"customer", "customer", LOOK_TEXT}, {"booking", "booking", LOOK_TEXT},
    {"items", "wants", LOOK_ITEMS},      {"since", "since", LOOK_INSTANT},
    {"until", "until", LOOK_INSTANT},
};

static const struct look waiting_list = {PG_VIEW_WAITING, waiting_columns,
                                         LOOK_COUNT(waiting_columns), "nobody waits"};

static enum usher_status list_waiting(struct looking *looking, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {filter(looking, "resource"), filter(looking, "customer")},
        .limit = limit(looking),
    };
    return look_list(looking, &waiting_list, &question, err);
}

static enum usher_exit run_waiting(const struct program_command *command, struct options *options,
                                   struct usher_error *err)
{
    (void)command;
    return look_run(options, list_waiting, err);
}

static const struct option_group *const waiting_groups[] = {
    &waiting_options, &look_limit_options, &output_options, &postgres_options, &common_options};

const struct program_command waiting_command = {
    .name = "waiting",
    .arguments = "",
    .help = "Lists the waiting lists: who is next, and what they want.",
    .details = "The role usher_reader suffices.\n",
    .example = "waiting --resource show:hamlet",
    .table = WORKER_TABLE(waiting_groups),
    .others = &worker_options,
    .run = run_waiting,
};
