/* A resource as it is now: its head, its hall with the state of each seat, pools, waiting list. */
#include "worker/program/command_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/terminal/chart_draw.h"
#include "usher/message.h"
#include "worker/program/look.h"

static const struct option_spec show_specs[] = {
    {.name = "from",
     .value_name = "DATE",
     .help = "rooms from this night on; default: the first that is not over; with --json: all"},
    {.name = "to",
     .value_name = "DATE",
     .help = "rooms before this night; default: a month later; with --json: all"},
};

static const struct option_group show_options = WORKER_GROUP("Nights", show_specs);

/* ---- the head ---- */

enum {
    HEAD_NAME,
    HEAD_VENUE,
    HEAD_STATE,
    HEAD_STARTS,
    HEAD_OPENS,
    HEAD_CLOSES,
    HEAD_CURRENCY,
    HEAD_TOTAL,
    HEAD_HELD,
    HEAD_SOLD,
    HEAD_BLOCKED,
    HEAD_WAITING,
    HEAD_TAKINGS,
    HEAD_TERMS,
};

static const struct look_column head_columns[] = {
    [HEAD_NAME] = {.name = "name"},         [HEAD_VENUE] = {.name = "venue"},
    [HEAD_STATE] = {.name = "state"},       [HEAD_STARTS] = {.name = "starts_at"},
    [HEAD_OPENS] = {.name = "opens_at"},    [HEAD_CLOSES] = {.name = "closes_at"},
    [HEAD_CURRENCY] = {.name = "currency"}, [HEAD_TOTAL] = {.name = "total"},
    [HEAD_HELD] = {.name = "held"},         [HEAD_SOLD] = {.name = "sold"},
    [HEAD_BLOCKED] = {.name = "blocked"},   [HEAD_WAITING] = {.name = "waiting"},
    [HEAD_TAKINGS] = {.name = "takings"},   [HEAD_TERMS] = {.name = "terms"},
};

static const struct look head_list = {PG_VIEW_RESOURCE, head_columns, LOOK_COUNT(head_columns),
                                      NULL};

static void print_time(struct looking *looking, const char *word, const char *at)
{
    if (at)
        fprintf(looking->terminal.out, ", %s%s", word, look_instant(at, &looking->arena));
}

static void print_head(struct looking *looking, const char *resource, const char *const *head)
{
    FILE *out = looking->terminal.out;
    terminal_print(&looking->terminal, TERMINAL_STRONG, "%s", resource);
    if (head[HEAD_NAME])
        fprintf(out, "  %s", head[HEAD_NAME]);
    if (head[HEAD_VENUE])
        fprintf(out, ", %s", head[HEAD_VENUE]);
    print_time(looking, "", head[HEAD_STARTS]);
    fprintf(out, "\n  ");
    terminal_print(&looking->terminal, look_state_colour(head[HEAD_STATE]), "%s", head[HEAD_STATE]);
    print_time(looking, "on sale from ", head[HEAD_OPENS]);
    print_time(looking, "until ", head[HEAD_CLOSES]);
    fprintf(out, ", %s sold, %s held, %s blocked of %s", head[HEAD_SOLD], head[HEAD_HELD],
            head[HEAD_BLOCKED], head[HEAD_TOTAL] ? head[HEAD_TOTAL] : "0");
    if (strcmp(head[HEAD_WAITING], "0") != 0)
        fprintf(out, ", %s waiting", head[HEAD_WAITING]);
    fprintf(out, ", takings %s\n",
            look_money(head[HEAD_TAKINGS], head[HEAD_CURRENCY], &looking->arena));
    look_terms_print(head[HEAD_TERMS], out);
}

/* ---- the hall ---- */

struct hall {
    struct look_hall layout;
    char **states; /* of each section */
};

static char character_of(const char *state)
{
    return strcmp(state, "held") == 0 ? 'h' : strcmp(state, "confirmed") == 0 ? 's' : 'x';
}

static void make_free(struct hall *hall, struct usher_arena *arena)
{
    hall->states =
        usher_arena_alloc(arena, (hall->layout.section_count + 1) * sizeof *hall->states);
    for (uint32_t i = 0; i < hall->layout.section_count; i++) {
        size_t seats = 0;
        for (uint32_t k = 0; k < hall->layout.sections[i].row_count; k++)
            seats += hall->layout.sections[i].rows[k].seats;
        hall->states[i] = usher_arena_alloc(arena, seats + 1);
        memset(hall->states[i], '.', seats);
        hall->states[i][seats] = '\0';
    }
}

/* A row of the view: section, unit, state. */
static void take_seat(struct hall *hall, const char *const *seat)
{
    size_t unit = strtoul(seat[1], NULL, 10);
    for (uint32_t i = 0; i < hall->layout.section_count; i++)
        if (strcmp(hall->layout.sections[i].section, seat[0]) == 0 &&
            unit < strlen(hall->states[i]))
            hall->states[i][unit] = character_of(seat[2]);
}

static void draw_hall(struct looking *looking, const struct hall *hall)
{
    const struct chart_drawing drawing = {
        .sections = hall->layout.sections,
        .section_count = hall->layout.section_count,
        .states = (const char *const *)hall->states,
        .width = looking->terminal.width,
        .colour = looking->terminal.colour,
        .out = looking->terminal.out,
    };
    fputc('\n', looking->terminal.out);
    chart_draw(&drawing);
}

static enum usher_status show_hall(struct looking *looking, const char *resource,
                                   struct usher_error *err)
{
    static const char *const seat[] = {"section", "unit", "state"};
    const struct pg_view_question question = {.view = PG_VIEW_SEATS,
                                              .filters = {resource},
                                              .columns = seat,
                                              .column_count = LOOK_COUNT(seat)};
    struct hall hall = {.states = NULL};
    struct pg_view_rows rows;
    enum usher_status status = look_hall_read(looking, resource, &hall.layout, err);
    if (status != USHER_OK || hall.layout.section_count == 0)
        return status;
    make_free(&hall, &looking->arena);
    status = pg_views_ask(looking->views, &question, &looking->arena, &rows, err);
    const char *const *at = rows.values;
    for (uint32_t i = 0; status == USHER_OK && i < rows.count; i++, at += LOOK_COUNT(seat))
        take_seat(&hall, at);
    if (status == USHER_OK)
        draw_hall(looking, &hall);
    return status;
}

/* ---- pools, waiting list ---- */

enum {
    POOL_NIGHT
};

static const struct look_column pool_columns[] = {
    [POOL_NIGHT] = {"night", "night", LOOK_TEXT},
    {"pool", "pool", LOOK_TEXT},
    {"free", "free", LOOK_NUMBER},
    {"held", "held", LOOK_NUMBER},
    {"sold", "sold", LOOK_NUMBER},
    {"blocked", "blocked", LOOK_NUMBER},
    {"total", "of", LOOK_NUMBER},
    {"price", "price", LOOK_MONEY},
    {"rates", "rates", LOOK_RATES},
    {"currency", NULL, LOOK_TEXT},
};

static const struct look pool_list = {PG_VIEW_POOLS, pool_columns, LOOK_COUNT(pool_columns), NULL};

static const struct look_column party_columns[] = {
    {"position", "waiting", LOOK_NUMBER}, {"customer", "customer", LOOK_TEXT},
    {"booking", "booking", LOOK_TEXT},    {"items", "wants", LOOK_ITEMS},
    {"until", "until", LOOK_INSTANT},
};

static const struct look party_list = {PG_VIEW_WAITING, party_columns, LOOK_COUNT(party_columns),
                                       NULL};

static enum usher_status show_list(struct looking *looking, const struct look *look,
                                   const struct pg_view_question *question,
                                   struct pg_view_rows *rows, struct usher_error *err)
{
    enum usher_status status = look_ask(looking, look, *question, rows, err);
    if (status == USHER_OK && rows->count > 0) {
        fputc('\n', looking->terminal.out);
        look_print(looking, look, rows, 2);
    }
    return status;
}

/* ---- all ---- */

/* Which nights there are, and which of them are shown, as dates. */
enum {
    NIGHTS_FIRST,
    NIGHTS_LAST,
    NIGHTS_BEGIN,
    NIGHTS_END,
};

static const struct look_column night_columns[] = {
    [NIGHTS_FIRST] = {.name = "first"},
    [NIGHTS_LAST] = {.name = "last"},
    [NIGHTS_BEGIN] = {.name = "begins"},
    [NIGHTS_END] = {.name = "ends"},
};

static const struct look night_list = {PG_VIEW_NIGHTS, night_columns, LOOK_COUNT(night_columns),
                                       NULL};

static bool has_nights(const struct pg_view_rows *pools)
{
    bool found = false;
    for (uint32_t i = 0; i < pools->count && !found; i++)
        found = pools->values[(size_t)i * pools->column_count + POOL_NIGHT];
    return found;
}

static enum usher_status show_pools(struct looking *looking, const char *resource,
                                    struct usher_error *err)
{
    struct pg_view_rows rows, pools;
    struct pg_view_question question = {.filters = {resource,
                                                    options_text(looking->options, "from"),
                                                    options_text(looking->options, "to")}};
    enum usher_status status = look_ask(looking, &night_list, question, &rows, err);
    if (status != USHER_OK || rows.count == 0)
        return status;
    const char *const *nights = rows.values;
    question.filters[1] = nights[NIGHTS_BEGIN];
    question.filters[2] = nights[NIGHTS_END];
    status = show_list(looking, &pool_list, &question, &pools, err);
    if (status == USHER_OK && nights[NIGHTS_FIRST] && !has_nights(&pools))
        fprintf(looking->terminal.out, "\n  no nights from %s to %s: it has %s to %s\n",
                nights[NIGHTS_BEGIN], nights[NIGHTS_END], nights[NIGHTS_FIRST],
                nights[NIGHTS_LAST]);
    return status;
}

static enum usher_status show_for_people(struct looking *looking, const char *resource,
                                         struct usher_error *err)
{
    struct pg_view_rows rows;
    const struct pg_view_question parties = {.filters = {resource}, .limit = 20};
    enum usher_status status = show_hall(looking, resource, err);
    if (status == USHER_OK)
        status = show_pools(looking, resource, err);
    if (status == USHER_OK)
        status = show_list(looking, &party_list, &parties, &rows, err);
    return status;
}

static enum usher_status check_night(const struct looking *looking, const char *option,
                                     struct usher_error *err)
{
    int32_t day;
    const char *text = options_text(looking->options, option);
    if (!text || usher_night_parse(text, &day))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "could not read --%s: \"%s\" is no date, as 2026-12-24",
                    option, text);
    return USHER_FATAL;
}

static enum usher_status show(struct looking *looking, struct usher_error *err)
{
    const char *resource = looking->options->arguments[0];
    const struct pg_view_question question = {.filters = {resource,
                                                          options_text(looking->options, "from"),
                                                          options_text(looking->options, "to")}};
    struct pg_view_rows rows;
    enum usher_status status = check_night(looking, "from", err);
    if (status == USHER_OK)
        status = check_night(looking, "to", err);
    if (status == USHER_OK)
        status = look_ask(looking, &head_list, question, &rows, err);
    if (status == USHER_OK && rows.count == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "there is no resource \"%s\": see usher-worker resources", resource);
        status = USHER_FATAL;
    }
    if (status != USHER_OK)
        return status;
    if (looking->json) {
        look_print(looking, &head_list, &rows, 0);
        return USHER_OK;
    }
    print_head(looking, resource, rows.values);
    return show_for_people(looking, resource, err);
}

static enum usher_exit run_show(const struct program_command *command, struct options *options,
                                struct usher_error *err)
{
    (void)command;
    return look_run(options, show, err);
}

static const struct option_group *const show_groups[] = {&show_options, &output_options,
                                                         &postgres_options, &common_options};

const struct program_command show_command = {
    .name = "show",
    .arguments = "RESOURCE",
    .help = "Shows a resource as it is now: its hall, pools, prices and waiting list.",
    .details =
        "A seat is '.' free, 'h' held, 's' sold, 'x' blocked; with --json, \"hall\" has the rows, "
        "each with the names\nof its seats and, in \"states\", such a character for each; "
        "\"pools\" "
        "has every night of a room,\nor those asked for.\nThe role usher_reader suffices.\n",
    .example = "show show:hamlet",
    .table = WORKER_TABLE(show_groups),
    .others = &worker_options,
    .run = run_show,
};
