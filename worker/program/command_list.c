/* The lists of usher-worker: the columns of each, its filters, and the command; and a cart. */
#include "worker/program/command_list.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "worker/program/report.h"
#include "worker/program/report_hall.h"

static const char *filter(const struct report *report, const char *name)
{
    return options_text(report->options, name);
}

static int64_t limit(const struct report *report)
{
    return options_integer(report->options, "limit");
}

/* In seconds. */
static const char *since(struct report *report)
{
    return filter(report, "since") ? usher_arena_format(&report->arena, "%" PRId64,
                                                        options_integer(report->options, "since"))
                                   : NULL;
}

/* ---- resources ---- */

static const struct option_spec resource_specs[] = {
    {.name = "kind", .choices = "seats|standing|rooms|stock|mixed", .help = "only this kind"},
    {.name = "state",
     .choices = "draft|open|closed|ended",
     .help = "only those in this state; ended: over, but not closed"},
    {.name = "venue", .value_name = "NAME", .help = "only those at this venue"},
    {.name = "search",
     .value_name = "TEXT",
     .help = "only those with this in their id, name or venue, in upper or lower case"},
    {.name = "sort",
     .fallback = "starts",
     .choices = "starts|resource|name|sold|free|waiting",
     .help = "in this order, numbers from the highest; those that are over come last"},
};

static const struct option_group resource_options = WORKER_GROUP("Which", resource_specs);

static const struct report_column resource_columns[] = {
    {"resource", "resource", REPORT_TEXT, 0}, {"state", "state", REPORT_STATE, 0},
    {"kind", "kind", REPORT_TEXT, 6},         {"starts_at", "starts", REPORT_INSTANT, 0},
    {"sold", "sold", REPORT_NUMBER, 0},       {"held", "held", REPORT_NUMBER, 2},
    {"blocked", "blocked", REPORT_NUMBER, 4}, {"total", "of", REPORT_NUMBER, 0},
    {"waiting", "waiting", REPORT_NUMBER, 3}, {"takings", "takings", REPORT_MONEY, 7},
    {"name", "name", REPORT_PROSE, 1},        {"venue", "venue", REPORT_PROSE, 5},
    {"ended", NULL, REPORT_TEXT, 0},          {"currency", NULL, REPORT_TEXT, 0},
};

static const struct listing resource_list = {
    PG_VIEW_RESOURCES, resource_columns, REPORT_COUNT(resource_columns), "no matching resources"};

static enum usher_status list_resources(struct report *report, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {NULL, filter(report, "kind"), filter(report, "state"), filter(report, "venue"),
                    filter(report, "search"), filter(report, "sort")},
        .limit = limit(report),
    };
    return report_list(report, &resource_list, &question, err);
}

static enum usher_exit run_resources(const struct program_command *command, struct options *options,
                                     struct usher_error *err)
{
    (void)command;
    return report_run(options, list_resources, err);
}

static const struct option_group *const resources_groups[] = {
    &resource_options, &report_limit_options, &output_options,
    &report_options,   &postgres_options,     &common_options};

const struct program_command resources_command = {
    .name = "resources",
    .arguments = "",
    .help = "Lists resources, with their units by state and their takings.",
    .details =
        "A resource has ended at its ends_at; without one, a hotel with a timezone has ended\n"
        "after its last night. What has only started is sold, and has not ended.\n"
        "The role usher_reader suffices.\n",
    .example = "resources --state open",
    .table = WORKER_TABLE(resources_groups),
    .others = &worker_options,
    .run = run_resources,
};

/* ---- bookings ---- */

static const struct option_spec booking_specs[] = {
    {.name = "customer", .value_name = "ID", .help = "only those of this customer"},
    {.name = "resource", .value_name = "ID", .help = "only those of this resource"},
    {.name = "booking",
     .value_name = "ID",
     .help = "only this booking; of the --resource, or of each that has one of that id"},
    {.name = "seat",
     .value_name = "NAME",
     .help = "only the one that has this seat of the --resource now: held, sold or blocked"},
    {.name = "cart", .value_name = "NAME", .help = "only those in this cart, in all resources"},
    {.name = "state",
     .choices = "held|confirmed|blocked|waiting|released|expired|cancelled|left",
     .help = "only those in this state"},
};

static const struct option_group booking_options = WORKER_GROUP("Which", booking_specs);

static const struct report_column booking_columns[] = {
    {"resource", "resource", REPORT_TEXT, 0},
    {"booking", "booking", REPORT_TEXT, 0},
    {"customer", "customer", REPORT_TEXT, 0},
    {"state", "state", REPORT_STATE, 0},
    {"items", "units", REPORT_UNITS, 1},
    {"total", "total", REPORT_MONEY, 2},
    {"created_at", "created", REPORT_INSTANT, 3},
    {"sold_at", "sold", REPORT_INSTANT, 4},
    {"ends_at", "ends", REPORT_INSTANT, 5},
    {"cart", "cart", REPORT_TEXT, 7},
    {"payment", "payment", REPORT_TEXT, 6},
    {"note", "note", REPORT_PROSE, 8},
    {"units", NULL, REPORT_NUMBER, 0},
    {"currency", NULL, REPORT_TEXT, 0},
    {"ended_at", "ended", REPORT_INSTANT, 9},
    {"cause", "cause", REPORT_TEXT, 10},
    {"detail", "detail", REPORT_PROSE, 11},
};

static const struct listing booking_list = {PG_VIEW_BOOKINGS, booking_columns,
                                            REPORT_COUNT(booking_columns), "no such booking"};

static const struct listing open_hold_list = {PG_VIEW_OPEN_HOLDS, booking_columns,
                                              REPORT_COUNT(booking_columns), "no open holds"};

/* Without one of these, every booking or decision ever made would be read. */
static enum usher_status check_filters(const struct report *report, const char *const *enough,
                                       struct usher_error *err)
{
    struct usher_buffer names = {0};
    bool given = false;
    for (const char *const *name = enough; *name; name++) {
        given = given || filter(report, *name);
        usher_buffer_text(&names, name == enough ? "--" : name[1] ? ", --" : " or --");
        usher_buffer_text(&names, *name);
    }
    if (!given)
        usher_error_set(err, USHER_EXIT_USAGE, "%.*s is required", (int)names.size, names.at);
    usher_buffer_deinit(&names);
    return given ? USHER_OK : USHER_FATAL;
}

/* Adds where the seat is, by which the booking that has it is found. */
static enum usher_status add_seat(struct report *report, struct pg_view_question *question,
                                  struct usher_error *err)
{
    const char *resource = filter(report, "resource"), *seat = filter(report, "seat");
    struct report_hall hall;
    uint32_t unit;
    if (seat && !resource) {
        usher_error_set(err, USHER_EXIT_USAGE, "--seat needs --resource");
        return USHER_FATAL;
    }
    enum usher_status status = seat ? report_hall_read(report, resource, &hall, err) : USHER_OK;
    if (!seat || status != USHER_OK)
        return status;
    if (!report_hall_find(&hall, seat, &question->filters[4], &unit)) {
        status = report_no_resource(report, resource, err);
        if (status != USHER_OK)
            return status;
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "there is no seat \"%s\" in \"%s\": see usher-worker show %s", seat,
                        resource, resource);
        return USHER_FATAL;
    }
    question->filters[5] = usher_arena_number(&report->arena, unit);
    return USHER_OK;
}

/* There are few that are open, and an index has them in the order of their ends. */
static bool is_of_open_holds(const struct report *report)
{
    const char *state = filter(report, "state");
    return state && strcmp(state, "held") == 0 && !filter(report, "customer") &&
           !filter(report, "resource") && !filter(report, "booking") && !filter(report, "cart");
}

static enum usher_status list_bookings(struct report *report, struct usher_error *err)
{
    struct listing list = booking_list;
    struct pg_view_question question = {
        .filters = {filter(report, "customer"), filter(report, "resource"),
                    filter(report, "booking"),
                    filter(report, "state"), [6] = filter(report, "cart")},
        .limit = limit(report),
    };
    static const char *const enough[] = {"customer", "resource", "booking", "cart", NULL};
    enum usher_status status = add_seat(report, &question, err);
    if (status == USHER_OK && is_of_open_holds(report))
        return report_list(report, &open_hold_list, &question, err);
    if (status == USHER_OK)
        status = check_filters(report, enough, err);
    if (question.filters[4] && !filter(report, "customer") && !filter(report, "state"))
        list.nothing = "no booking has this seat";
    return status == USHER_OK ? report_list(report, &list, &question, err) : status;
}

static enum usher_exit run_bookings(const struct program_command *command, struct options *options,
                                    struct usher_error *err)
{
    (void)command;
    return report_run(options, list_bookings, err);
}

static const struct option_group *const bookings_groups[] = {
    &booking_options, &report_limit_options, &output_options,
    &report_options,  &postgres_options,     &common_options};

const struct program_command bookings_command = {
    .name = "bookings",
    .arguments = "",
    .help = "Lists the bookings of a customer, resource, cart, id or seat, the latest first.",
    .details =
        "--state held alone lists the open holds of all resources, those that end first at "
        "first.\nWith --json also their meta. The list of refunds is --state cancelled with --csv "
        "and "
        "a --limit;\nusher.audit has what came back of bookings that remain. The role usher_reader "
        "suffices.\n",
    .example = "bookings --customer c1",
    .table = WORKER_TABLE(bookings_groups),
    .others = &worker_options,
    .run = run_bookings,
};

/* ---- carts ---- */

static const struct option_spec carts_specs[] = {
    {.name = "customer", .value_name = "ID", .help = "only those of this customer"},
    {.name = "state",
     .choices = "held|waiting|confirmed|mixed|expired|cancelled",
     .help = "only those in this state; mixed: a part is sold, and another, held then, is not"},
    {.name = "since",
     .type = OPTION_DURATION,
     .min = 1,
     .max = INT64_C(100) * 366 * 86400,
     .help = "only those that were made or changed in the last 15m, 2h, 7d"},
};

static const struct option_group carts_options = WORKER_GROUP("Which", carts_specs);

enum {
    CART_NAME,
    CART_CUSTOMER,
};

static const struct report_column cart_columns[] = {
    [CART_NAME] = {"cart", "cart", REPORT_TEXT, 0},
    [CART_CUSTOMER] = {"customer", "customer", REPORT_TEXT, 0},
    {"state", "state", REPORT_STATE, 0},
    {"bookings", "bookings", REPORT_NUMBER, 0},
    {"units", "units", REPORT_NUMBER, 0},
    {"totals", "total", REPORT_TOTALS, 0},
    {"created_at", "created", REPORT_INSTANT, 0},
    {"modified_at", "modified", REPORT_INSTANT, 0},
    {"sold_at", "sold", REPORT_INSTANT, 0},
};

static const struct listing carts_list = {PG_VIEW_CARTS, cart_columns, REPORT_COUNT(cart_columns),
                                          "no such cart"};

static enum usher_status list_carts(struct report *report, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {filter(report, "customer"), filter(report, "state"), since(report)},
        .limit = limit(report),
    };
    return report_list(report, &carts_list, &question, err);
}

static enum usher_exit run_carts(const struct program_command *command, struct options *options,
                                 struct usher_error *err)
{
    (void)command;
    return report_run(options, list_carts, err);
}

static const struct option_group *const carts_groups[] = {&carts_options,    &report_limit_options,
                                                          &output_options,   &report_options,
                                                          &postgres_options, &common_options};

const struct program_command carts_command = {
    .name = "carts",
    .arguments = "",
    .help = "Lists carts over all resources, the latest first.",
    .details = "A cart is all that a customer holds or has bought under one name, in any number of "
               "resources.\n"
               "Without --customer and --since all carts ever made are read. The role usher_reader "
               "suffices.\n",
    .example = "carts --state mixed --since 1d",
    .table = WORKER_TABLE(carts_groups),
    .others = &worker_options,
    .run = run_carts,
};

/* ---- cart ---- */

static const struct option_spec cart_specs[] = {
    {.name = "customer", .value_name = "ID", .help = "only that of this customer"},
};

static const struct option_group cart_options = WORKER_GROUP("Which", cart_specs);

static const struct listing cart_list = {PG_VIEW_CART, cart_columns, REPORT_COUNT(cart_columns),
                                         NULL};

static const struct report_column line_columns[] = {
    {"resource", "resource", REPORT_TEXT, 0}, {"booking", "booking", REPORT_TEXT, 0},
    {"state", "state", REPORT_STATE, 0},      {"items", "units", REPORT_UNITS, 0},
    {"total", "total", REPORT_MONEY, 0},      {"created_at", "created", REPORT_INSTANT, 0},
    {"sold_at", "sold", REPORT_INSTANT, 0},   {"ends_at", "ends", REPORT_INSTANT, 0},
    {"payment", "payment", REPORT_TEXT, 0},   {"currency", NULL, REPORT_TEXT, 0},
};

static const struct listing line_list = {PG_VIEW_BOOKINGS, line_columns, REPORT_COUNT(line_columns),
                                         NULL};

static enum usher_status show_cart(struct report *report, const struct pg_view_rows *cart,
                                   struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {[0] = cart->values[CART_CUSTOMER], [6] = cart->values[CART_NAME]}};
    struct pg_view_rows rows;
    enum usher_status status = report_query(report, &line_list, question, &rows, err);
    if (status != USHER_OK)
        return status;
    report_print(report, &cart_list, cart, 0);
    fputc('\n', report->terminal.out);
    report_print(report, &line_list, &rows, 2);
    return USHER_OK;
}

static enum usher_status show_carts(struct report *report, struct usher_error *err)
{
    const char *name = report->options->arguments[0];
    const struct pg_view_question question = {.filters = {name, filter(report, "customer")}};
    struct pg_view_rows rows;
    enum usher_status status = report_query(report, &cart_list, question, &rows, err);
    if (status == USHER_OK && rows.count == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "there is no cart \"%s\": see usher-worker carts", name);
        status = USHER_FATAL;
    }
    const bool for_people = !report->json && !report->csv;
    if (status == USHER_OK && !for_people)
        report_print(report, &cart_list, &rows, 0);
    for (uint32_t i = 0; status == USHER_OK && for_people && i < rows.count; i++) {
        const struct pg_view_rows cart = {
            .values = &rows.values[(size_t)i * rows.column_count],
            .count = 1,
            .column_count = rows.column_count,
        };
        fputs(i > 0 ? "\n" : "", report->terminal.out);
        status = show_cart(report, &cart, err);
    }
    return status;
}

static enum usher_exit run_cart(const struct program_command *command, struct options *options,
                                struct usher_error *err)
{
    (void)command;
    return report_run(options, show_carts, err);
}

static const struct option_group *const cart_groups[] = {
    &cart_options, &output_options, &report_options, &postgres_options, &common_options};

const struct program_command cart_command = {
    .name = "cart",
    .arguments = "CART",
    .help = "Shows a cart: its state, totals, and its bookings in all resources.",
    .details = "One for each customer who has a cart of that name. With --json the bookings are "
               "\"lines\",\nwith their units; --csv leaves them out: see bookings --cart.\n"
               "The role usher_reader suffices.\n",
    .example = "cart basket-7 --customer c1",
    .table = WORKER_TABLE(cart_groups),
    .others = &worker_options,
    .run = run_cart,
};

/* ---- history ---- */

static const struct option_spec history_specs[] = {
    {.name = "resource", .value_name = "ID", .help = "only decisions about this resource"},
    {.name = "request",
     .value_name = "ID",
     .help = "only decisions on this request; of the --resource, or of each that had one of that "
             "id"},
    {.name = "booking",
     .value_name = "ID",
     .help = "only decisions about this booking; of the --resource, or of each that has one of "
             "that id"},
    {.name = "customer", .value_name = "ID", .help = "only decisions on requests of this customer"},
    {.name = "cart",
     .value_name = "NAME",
     .help = "only decisions about the bookings of this cart, in all resources"},
    {.name = "since",
     .type = OPTION_DURATION,
     .min = 1,
     .max = INT64_C(100) * 366 * 86400,
     .help = "only decisions of the last 15m, 2h, 7d"},
};

static const struct option_group history_options = WORKER_GROUP("Which", history_specs);

static const struct report_column history_columns[] = {
    {"decided_at", "decided", REPORT_INSTANT, 0},
    {"resource", "resource", REPORT_TEXT, 6},
    {"request_id", "request", REPORT_TEXT, 0},
    {"op", "op", REPORT_TEXT, 5},
    {"outcome", "outcome", REPORT_OUTCOME, 0},
    {"reason", "reason", REPORT_TEXT, 1},
    {"customer", "customer", REPORT_TEXT, 2},
    {"booking", "booking", REPORT_TEXT, 7},
    {"total", "total", REPORT_MONEY, 4},
    {"partition", "partition", REPORT_NUMBER, 10},
    {"seq", "seq", REPORT_NUMBER, 9},
    {"offset", "offset", REPORT_NUMBER, 8},
    {"detail", "detail", REPORT_DETAIL, 3},
    {"currency", NULL, REPORT_TEXT, 0},
    {"replayed", NULL, REPORT_TEXT, 0},
    {"answer", NULL, REPORT_SOURCE, 0},
};

static const struct listing history_list = {PG_VIEW_HISTORY, history_columns,
                                            REPORT_COUNT(history_columns), "no decisions found"};

/* Without a booking there is no index of customers: of all decisions they are not looked for. */
static void print_omission(const struct report *report)
{
    if (filter(report, "cart"))
        report_remark(report, "refusals are not listed; --resource ID without --cart lists them");
    else if (filter(report, "customer") && !filter(report, "resource") && !filter(report, "since"))
        report_remark(report, "refusals are not listed; add --resource ID, or --since 1h");
}

static enum usher_status list_history(struct report *report, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {filter(report, "customer"), filter(report, "resource"),
                    filter(report, "request"), filter(report, "booking"), since(report),
                    filter(report, "cart")},
        .limit = limit(report),
    };
    static const char *const enough[] = {"customer", "resource", "request", "booking",
                                         "cart",     "since",    NULL};
    enum usher_status status = check_filters(report, enough, err);
    if (status == USHER_OK)
        status = report_list(report, &history_list, &question, err);
    if (status == USHER_OK)
        print_omission(report);
    return status;
}

static enum usher_exit run_history(const struct program_command *command, struct options *options,
                                   struct usher_error *err)
{
    (void)command;
    return report_run(options, list_history, err);
}

static const struct option_group *const history_groups[] = {
    &history_options, &report_limit_options, &output_options,
    &report_options,  &postgres_options,     &common_options};

const struct program_command history_command = {
    .name = "history",
    .arguments = "",
    .help = "Lists decisions, the latest first: the outcome of a request, and its reason.",
    .details = "A --request or --booking alone is searched for in each resource, --since alone "
               "lists the latest decisions\n"
               "of all. Refusals concern no booking: they are found by --request, --resource or, "
               "in all resources,\n"
               "--since, which with --request or --customer reads all decisions since then. "
               "--customer alone lists the\n"
               "decisions about bookings. Unrequested decisions have no offset, and the request id "
               "of the booking.\n"
               "With --json also the "
               "published answers.\nThe role usher_reader suffices.\n",
    .example = "history --request web-4711",
    .table = WORKER_TABLE(history_groups),
    .others = &worker_options,
    .run = run_history,
};

/* ---- takings ---- */

static const struct report_column takings_columns[] = {
    {"resource", "resource", REPORT_TEXT, 0},
    {"today", "today", REPORT_MONEY, 0},
    {"last_hour", "last hour", REPORT_MONEY, 0},
    {"sales", "sales", REPORT_NUMBER, 1},
    {"cancellations", "cancellations", REPORT_NUMBER, 3},
    {"takings", "takings", REPORT_MONEY, 2},
    {"currency", NULL, REPORT_TEXT, 0},
};

static const struct listing takings_list = {PG_VIEW_TAKINGS, takings_columns,
                                            REPORT_COUNT(takings_columns), "nothing was sold"};

/* By the clocks of --time-zone, as all times. */
static int64_t midnight(void)
{
    time_t now = time(NULL);
    struct tm day;
    localtime_r(&now, &day);
    day.tm_hour = day.tm_min = day.tm_sec = 0;
    day.tm_isdst = -1;
    return mktime(&day);
}

static enum usher_status list_takings(struct report *report, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {usher_arena_format(&report->arena, "%" PRId64, midnight())},
        .limit = limit(report),
    };
    return report_list(report, &takings_list, &question, err);
}

static enum usher_exit run_takings(const struct program_command *command, struct options *options,
                                   struct usher_error *err)
{
    (void)command;
    return report_run(options, list_takings, err);
}

static const struct option_group *const takings_groups[] = {
    &report_limit_options, &output_options, &report_options, &postgres_options, &common_options};

const struct program_command takings_command = {
    .name = "takings",
    .arguments = "",
    .help = "Lists the takings of resources today and in the last hour, the highest first.",
    .details =
        "Sums what is kept for each quarter of an hour, since midnight in --time-zone: what was "
        "sold, changed or\ncancelled. The last hour begins with a quarter of an hour, so it is 60 "
        "to 75 minutes long.\n\"takings\" is the price of all units that are sold, as in "
        "resources. The role usher_reader suffices.\n",
    .example = "takings --watch=60",
    .table = WORKER_TABLE(takings_groups),
    .others = &worker_options,
    .run = run_takings,
};

/* ---- waiting ---- */

static const struct option_spec waiting_specs[] = {
    {.name = "resource", .value_name = "ID", .help = "only parties that wait for this resource"},
    {.name = "customer", .value_name = "ID", .help = "only this customer"},
};

static const struct option_group waiting_options = WORKER_GROUP("Who", waiting_specs);

static const struct report_column waiting_columns[] = {
    {"resource", "resource", REPORT_TEXT, 1}, {"position", "position", REPORT_NUMBER, 0},
    {"customer", "customer", REPORT_TEXT, 0}, {"booking", "booking", REPORT_TEXT, 2},
    {"items", "wants", REPORT_ITEMS, 0},      {"since", "since", REPORT_INSTANT, 4},
    {"until", "until", REPORT_INSTANT, 3},
};

static const struct listing waiting_list = {PG_VIEW_WAITING, waiting_columns,
                                            REPORT_COUNT(waiting_columns), "no waiting parties"};

static enum usher_status list_waiting(struct report *report, struct usher_error *err)
{
    const struct pg_view_question question = {
        .filters = {filter(report, "resource"), filter(report, "customer")},
        .limit = limit(report),
    };
    return report_list(report, &waiting_list, &question, err);
}

static enum usher_exit run_waiting(const struct program_command *command, struct options *options,
                                   struct usher_error *err)
{
    (void)command;
    return report_run(options, list_waiting, err);
}

static const struct option_group *const waiting_groups[] = {
    &waiting_options, &report_limit_options, &output_options,
    &report_options,  &postgres_options,     &common_options};

const struct program_command waiting_command = {
    .name = "waiting",
    .arguments = "",
    .help = "Lists waiting parties in order, with their requests.",
    .details = "The role usher_reader suffices.\n",
    .example = "waiting --resource show:hamlet",
    .table = WORKER_TABLE(waiting_groups),
    .others = &worker_options,
    .run = run_waiting,
};
