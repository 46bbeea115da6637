/* A resource as it is now: its head, its hall with the state of each seat, pools, waiting list. */
#include "worker/program/command_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/stored.h"
#include "producer/terminal/chart_draw.h"
#include "producer/terminal/pool_table.h"
#include "usher/message.h"
#include "worker/program/report.h"
#include "worker/program/report_hall.h"

static const struct option_spec show_specs[] = {
    {.name = "from",
     .value_name = "DATE",
     .help = "rooms from this night on; default: the first that is not over; with --json and "
             "--csv: all"},
    {.name = "to",
     .value_name = "DATE",
     .help = "rooms before this night; default: a month later; with --json and --csv: all"},
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

static const struct report_column head_columns[] = {
    [HEAD_NAME] = {.name = "name"},         [HEAD_VENUE] = {.name = "venue"},
    [HEAD_STATE] = {.name = "state"},       [HEAD_STARTS] = {.name = "starts_at"},
    [HEAD_OPENS] = {.name = "opens_at"},    [HEAD_CLOSES] = {.name = "closes_at"},
    [HEAD_CURRENCY] = {.name = "currency"}, [HEAD_TOTAL] = {.name = "total"},
    [HEAD_HELD] = {.name = "held"},         [HEAD_SOLD] = {.name = "sold"},
    [HEAD_BLOCKED] = {.name = "blocked"},   [HEAD_WAITING] = {.name = "waiting"},
    [HEAD_TAKINGS] = {.name = "takings"},   [HEAD_TERMS] = {.name = "terms"},
};

static const struct listing head_list = {PG_VIEW_RESOURCE, head_columns, REPORT_COUNT(head_columns),
                                         NULL};

static void print_time(struct report *report, const char *word, const char *at)
{
    if (at)
        fprintf(report->terminal.out, ", %s%s", word, report_instant(at, &report->arena));
}

static const struct report_column end_columns[] = {{.name = "ended"}};

static const struct listing end_list = {PG_VIEW_RESOURCES, end_columns, REPORT_COUNT(end_columns),
                                        NULL};

/* The state of a resource, as the list of all says it. */
static enum usher_status read_state(struct report *report, const char *resource, const char **state,
                                    struct usher_error *err)
{
    struct pg_view_rows rows;
    const struct pg_view_question question = {.filters = {resource}};
    enum usher_status status = report_query(report, &end_list, question, &rows, err);
    if (status == USHER_OK && rows.count == 1 && strcmp(rows.values[0], "true") == 0)
        *state = "ended";
    return status;
}

static void print_head(struct report *report, const char *resource, const char *const *head,
                       const char *state)
{
    FILE *out = report->terminal.out;
    terminal_print(&report->terminal, TERMINAL_STRONG, "%s", resource);
    if (head[HEAD_NAME])
        fprintf(out, "  %s", head[HEAD_NAME]);
    if (head[HEAD_VENUE])
        fprintf(out, ", %s", head[HEAD_VENUE]);
    print_time(report, "", head[HEAD_STARTS]);
    fprintf(out, "\n  ");
    terminal_print(&report->terminal, report_state_colour(state), "%s", state);
    print_time(report, "on sale from ", head[HEAD_OPENS]);
    print_time(report, head[HEAD_OPENS] ? "until " : "on sale until ", head[HEAD_CLOSES]);
    fprintf(out, ", %s sold, %s held, %s blocked of %s", head[HEAD_SOLD], head[HEAD_HELD],
            head[HEAD_BLOCKED], head[HEAD_TOTAL] ? head[HEAD_TOTAL] : "0");
    if (strcmp(head[HEAD_WAITING], "0") != 0)
        fprintf(out, ", %s waiting", head[HEAD_WAITING]);
    fprintf(out, ", takings %s\n",
            report_money(head[HEAD_TAKINGS], head[HEAD_CURRENCY], &report->arena));
    report_terms_print(head[HEAD_TERMS], out);
}

/* ---- the hall ---- */

struct hall {
    struct report_hall layout;
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

static void draw_hall(struct report *report, const struct hall *hall)
{
    const struct chart_drawing drawing = {
        .sections = hall->layout.sections,
        .section_count = hall->layout.section_count,
        .states = (const char *const *)hall->states,
        .width = report->terminal.width,
        .colour = report->terminal.colour,
        .out = report->terminal.out,
    };
    fputc('\n', report->terminal.out);
    chart_draw(&drawing);
}

static enum usher_status show_hall(struct report *report, const char *resource,
                                   struct usher_error *err)
{
    static const char *const seat[] = {"section", "unit", "state"};
    const struct pg_view_question question = {.view = PG_VIEW_SEATS,
                                              .filters = {resource},
                                              .columns = seat,
                                              .column_count = REPORT_COUNT(seat)};
    struct hall hall = {.states = NULL};
    struct pg_view_rows rows;
    enum usher_status status = report_hall_read(report, resource, &hall.layout, err);
    if (status != USHER_OK || hall.layout.section_count == 0)
        return status;
    make_free(&hall, &report->arena);
    status = pg_views_ask(report->views, &question, &report->arena, &rows, err);
    const char *const *at = rows.values;
    for (uint32_t i = 0; status == USHER_OK && i < rows.count; i++, at += REPORT_COUNT(seat))
        take_seat(&hall, at);
    if (status == USHER_OK)
        draw_hall(report, &hall);
    return status;
}

/* ---- pools ---- */

enum {
    POOL_NIGHT,
    POOL_KIND,
    POOL_NAME,
    POOL_FREE,
    POOL_HELD,
    POOL_SOLD,
    POOL_BLOCKED,
    POOL_TOTAL,
    POOL_OVERBOOK,
    POOL_OVER,
    POOL_PRICE,
    POOL_RATES,
    POOL_CURRENCY,
    POOL_RESTRICTIONS,
    POOL_LEFT,
};

static const struct report_column pool_columns[] = {
    [POOL_NIGHT] = {.name = "night", .kind = REPORT_TEXT},
    [POOL_KIND] = {.name = "kind", .kind = REPORT_TEXT},
    [POOL_NAME] = {.name = "pool", .kind = REPORT_TEXT},
    [POOL_FREE] = {.name = "free", .kind = REPORT_NUMBER},
    [POOL_HELD] = {.name = "held", .kind = REPORT_NUMBER},
    [POOL_SOLD] = {.name = "sold", .kind = REPORT_NUMBER},
    [POOL_BLOCKED] = {.name = "blocked", .kind = REPORT_NUMBER},
    [POOL_TOTAL] = {.name = "total", .kind = REPORT_NUMBER},
    [POOL_OVERBOOK] = {.name = "overbook", .kind = REPORT_NUMBER},
    [POOL_OVER] = {.name = "over", .kind = REPORT_NUMBER},
    [POOL_PRICE] = {.name = "price", .kind = REPORT_MONEY},
    [POOL_RATES] = {.name = "rates", .kind = REPORT_RATES},
    [POOL_CURRENCY] = {.name = "currency", .kind = REPORT_TEXT},
    [POOL_RESTRICTIONS] = {.name = "restrictions", .kind = REPORT_TEXT},
    [POOL_LEFT] = {.name = "left_at_rates", .kind = REPORT_TEXT},
};

static const struct listing pool_list = {PG_VIEW_POOLS, pool_columns, REPORT_COUNT(pool_columns),
                                         NULL};

/* A room type whose nights are gathered; by night, or USHER_ABSENT. */
struct room {
    int64_t *free, *total, *price;
    int64_t **prices; /* by rate */
    struct usher_night_rate *rates;
    bool is_named; /* some night has named rates */
};

/* Pools that are gathered from rows, and what belongs to those that are rooms. */
struct gathering {
    struct usher_arena *arena;
    struct usher_pool_status *pools;
    struct room *rooms;
    uint32_t count;
    int32_t first; /* night of all room types */
    uint32_t night_count;
};

static int64_t number_of(const char *text)
{
    return text ? strtoll(text, NULL, 10) : USHER_ABSENT;
}

static void set_range(struct gathering *gathering, const struct pg_view_rows *rows)
{
    int32_t last = INT32_MIN, night;
    gathering->first = INT32_MAX;
    for (uint32_t i = 0; i < rows->count; i++) {
        const char *text = rows->values[(size_t)i * rows->column_count + POOL_NIGHT];
        if (!text || !usher_night_parse(text, &night))
            continue;
        gathering->first = night < gathering->first ? night : gathering->first;
        last = night > last ? night : last;
    }
    gathering->night_count = last < gathering->first ? 0 : (uint32_t)(last - gathering->first) + 1;
}

static int64_t *no_nights(const struct gathering *gathering)
{
    int64_t *values = usher_arena_alloc(gathering->arena, gathering->night_count * sizeof *values);
    for (uint32_t i = 0; i < gathering->night_count; i++)
        values[i] = USHER_ABSENT;
    return values;
}

static struct usher_pool_status *add_pool(struct gathering *gathering, const char *const *row)
{
    bool is_product = strcmp(row[POOL_KIND], "product") == 0;
    struct usher_pool_status *pool = &gathering->pools[gathering->count++];
    *pool = (struct usher_pool_status){.kind = is_product ? USHER_PRODUCT : USHER_SECTION,
                                       .pool = row[POOL_NAME],
                                       .free = number_of(row[POOL_FREE]),
                                       .held = number_of(row[POOL_HELD]),
                                       .sold = number_of(row[POOL_SOLD]),
                                       .blocked = number_of(row[POOL_BLOCKED]),
                                       .total = number_of(row[POOL_TOTAL]),
                                       .overbook = number_of(row[POOL_OVERBOOK]),
                                       .price = number_of(row[POOL_PRICE])};
    return pool;
}

static struct room *find_room(struct gathering *gathering, const char *const *row)
{
    for (uint32_t i = 0; i < gathering->count; i++)
        if (gathering->pools[i].kind == USHER_ROOM &&
            strcmp(gathering->pools[i].pool, row[POOL_NAME]) == 0)
            return &gathering->rooms[i];
    struct room *room = &gathering->rooms[gathering->count];
    struct usher_pool_status *pool = add_pool(gathering, row);
    room->free = no_nights(gathering);
    room->total = no_nights(gathering);
    room->price = no_nights(gathering);
    room->prices = usher_arena_alloc(gathering->arena, USHER_RATES_MAX * sizeof *room->prices);
    room->rates = usher_arena_alloc(gathering->arena, USHER_RATES_MAX * sizeof *room->rates);
    pool->kind = USHER_ROOM;
    pool->from = gathering->first;
    pool->night_count = gathering->night_count;
    pool->night_free = room->free;
    pool->night_total = room->total;
    pool->night_price = room->price;
    pool->night_rates = room->rates;
    return room;
}

static void set_rate(struct gathering *gathering, struct usher_pool_status *pool, struct room *room,
                     const struct usher_rate *rate, uint32_t night)
{
    uint32_t i = 0;
    while (i < pool->night_rate_count && strcmp(room->rates[i].rate, rate->rate) != 0)
        i++;
    if (i == USHER_RATES_MAX)
        return;
    if (i == pool->night_rate_count) {
        room->prices[i] = no_nights(gathering);
        room->rates[i] = (struct usher_night_rate){rate->rate, room->prices[i]};
        pool->night_rate_count++;
    }
    room->prices[i][night] = rate->price;
}

/* A night without named rates beside others with them has the one that probes show, too. */
static void add_night(struct gathering *gathering, const char *const *row, int32_t day)
{
    struct room *room = find_room(gathering, row);
    struct usher_pool_status *pool = &gathering->pools[room - gathering->rooms];
    uint32_t night = (uint32_t)(day - gathering->first), count = 1;
    const struct usher_rate standard = {.rate = "standard", .price = number_of(row[POOL_PRICE])};
    const struct usher_rate *rates = &standard;
    struct usher_error err;
    room->free[night] = number_of(row[POOL_FREE]);
    room->total[night] = number_of(row[POOL_TOTAL]);
    room->price[night] = standard.price;
    room->is_named |=
        row[POOL_RATES] && stored_rates_decode(row[POOL_RATES], strlen(row[POOL_RATES]),
                                               gathering->arena, &rates, &count, &err) == USHER_OK;
    for (uint32_t i = 0; i < count; i++)
        set_rate(gathering, pool, room, &rates[i], night);
}

static void set_rates(const struct gathering *gathering, struct usher_pool_status *pool,
                      const char *json)
{
    struct usher_error err;
    if (json && stored_rates_decode(json, strlen(json), gathering->arena, &pool->rates,
                                    &pool->rate_count, &err) != USHER_OK)
        pool->rate_count = 0;
}

static void gather(struct gathering *gathering, const struct pg_view_rows *rows)
{
    int32_t day;
    size_t most = (size_t)rows->count + 1;
    gathering->pools = usher_arena_alloc(gathering->arena, most * sizeof *gathering->pools);
    gathering->rooms = usher_arena_alloc(gathering->arena, most * sizeof *gathering->rooms);
    set_range(gathering, rows);
    for (uint32_t i = 0; i < rows->count; i++) {
        const char *const *row = &rows->values[(size_t)i * rows->column_count];
        if (!row[POOL_NIGHT])
            set_rates(gathering, add_pool(gathering, row), row[POOL_RATES]);
        else if (usher_night_parse(row[POOL_NIGHT], &day))
            add_night(gathering, row, day);
    }
    for (uint32_t i = 0; i < gathering->count; i++)
        if (gathering->pools[i].kind == USHER_ROOM && !gathering->rooms[i].is_named)
            gathering->pools[i].night_rate_count = 0;
}

static void print_pools(struct report *report, const struct pg_view_rows *rows)
{
    struct gathering gathering = {.arena = &report->arena};
    gather(&gathering, rows);
    const struct pool_list list = {gathering.pools, gathering.count,
                                   rows->count > 0 ? rows->values[POOL_CURRENCY] : NULL};
    if (rows->count > 0)
        fputc('\n', report->terminal.out);
    pool_table_print(&list, &report->terminal);
}

/* ---- more than there is ---- */

static const char *const *row_at(const struct pg_view_rows *rows, uint32_t at)
{
    return &rows->values[(size_t)at * rows->column_count];
}

/* Sections and products have a column for what is overbooked as a rule. */
static void print_over_pools(const struct pg_view_rows *rows, FILE *out)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        const char *const *row = row_at(rows, i);
        const char *night = row[POOL_NIGHT];
        int64_t over = number_of(row[POOL_HELD]) + number_of(row[POOL_SOLD]) +
                       number_of(row[POOL_BLOCKED]) - number_of(row[POOL_TOTAL]) +
                       (night ? number_of(row[POOL_OVERBOOK]) : 0);
        if (over > 0)
            fprintf(out, "  %s%s%s: %" PRId64 " over\n", row[POOL_NAME], night ? " " : "",
                    night ? night : "", over);
    }
}

static bool is_in_quota(const struct usher_quota *quota, const char *const *row)
{
    bool is = false;
    for (uint32_t i = 0; !is && i < quota->pool_count; i++)
        is = strcmp(quota->pools[i], row[POOL_NAME]) == 0;
    return is;
}

/* What is used of a quota on a night (NULL: none of its pools has one); all else counts, too. */
static int64_t used_on(const struct usher_quota *quota, const struct pg_view_rows *rows,
                       const char *night)
{
    int64_t used = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        const char *const *row = row_at(rows, i);
        bool counts = !row[POOL_NIGHT] || (night && strcmp(row[POOL_NIGHT], night) == 0);
        if (counts && is_in_quota(quota, row))
            used += number_of(row[POOL_HELD]) + number_of(row[POOL_SOLD]);
    }
    return used;
}

/* Whether it is the first row of its night among those of the quota. */
static bool begins_night(const struct usher_quota *quota, const struct pg_view_rows *rows,
                         uint32_t at)
{
    const char *night = row_at(rows, at)[POOL_NIGHT];
    bool begins = night && is_in_quota(quota, row_at(rows, at));
    for (uint32_t i = 0; begins && i < at; i++) {
        const char *const *row = row_at(rows, i);
        begins =
            !row[POOL_NIGHT] || strcmp(row[POOL_NIGHT], night) != 0 || !is_in_quota(quota, row);
    }
    return begins;
}

static void print_over_quota(const struct usher_quota *quota, const struct pg_view_rows *rows,
                             FILE *out)
{
    bool has_nights = false;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (!begins_night(quota, rows, i))
            continue;
        const char *night = row_at(rows, i)[POOL_NIGHT];
        int64_t over = used_on(quota, rows, night) - quota->limit;
        has_nights = true;
        if (over > 0)
            fprintf(out, "  quota %s %s: %" PRId64 " over\n", quota->quota, night, over);
    }
    int64_t over = used_on(quota, rows, NULL) - quota->limit;
    if (!has_nights && over > 0)
        fprintf(out, "  quota %s: %" PRId64 " over\n", quota->quota, over);
}

/* "  stalls: 2 left at rate early" of each rate in {"early":2}; of a night only where none is. */
static void print_left_of(struct report *report, const char *const *row)
{
    const struct stored_use *uses;
    uint32_t count;
    struct usher_error err;
    const char *night = row[POOL_NIGHT];
    const char *json = usher_arena_format(&report->arena, "{\"pool\":%s}", row[POOL_LEFT]);
    if (stored_uses_decode(json, strlen(json), &report->arena, &uses, &count, &err) != USHER_OK)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (uses[i].rate && (!night || uses[i].units == 0))
            fprintf(report->terminal.out, "  %s%s%s: %" PRId64 " left at rate %s\n", row[POOL_NAME],
                    night ? " " : "", night ? night : "", uses[i].units, uses[i].rate);
}

static void print_left(struct report *report, const struct pg_view_rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (row_at(rows, i)[POOL_LEFT])
            print_left_of(report, row_at(rows, i));
}

/* Says how much more is held or sold than a capacity or a quota that was lowered. */
static void print_over(struct report *report, const char *json, const struct pg_view_rows *rows)
{
    struct stored_terms terms;
    struct usher_error err;
    print_over_pools(rows, report->terminal.out);
    if (json && stored_terms_decode(json, strlen(json), &report->arena, &terms, &err) == USHER_OK)
        for (uint32_t i = 0; i < terms.quota_count; i++)
            if (!terms.quotas[i].rate) /* what is left there is shown below */
                print_over_quota(&terms.quotas[i], rows, report->terminal.out);
}

/* ---- stay restrictions ---- */

static bool is_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The row of the next night of the same room type; rows->count: there is none. */
static uint32_t next_night(const struct pg_view_rows *rows, uint32_t at)
{
    uint32_t next = at + 1;
    while (next < rows->count &&
           !(row_at(rows, next)[POOL_NIGHT] &&
             is_text(row_at(rows, next)[POOL_NAME], row_at(rows, at)[POOL_NAME])))
        next++;
    return next;
}

/* Nights of a room type that follow each other in the list, with the same rules, are one line. */
static void print_restrictions(struct report *report, const struct pg_view_rows *rows)
{
    bool *done = usher_arena_alloc(&report->arena, (rows->count + 1) * sizeof *done);
    for (uint32_t i = 0; i < rows->count; i++) {
        const char *const *row = row_at(rows, i);
        if (done[i] || !row[POOL_RESTRICTIONS])
            continue;
        uint32_t last = i, next;
        while ((next = next_night(rows, last)) < rows->count &&
               is_text(row_at(rows, next)[POOL_RESTRICTIONS], row[POOL_RESTRICTIONS]))
            done[last = next] = true;
        fprintf(report->terminal.out, "  %s %s%s%s: %s\n", row[POOL_NAME], row[POOL_NIGHT],
                last > i ? ".." : "", last > i ? row_at(rows, last)[POOL_NIGHT] : "",
                report_restrictions(row[POOL_RESTRICTIONS], &report->arena));
    }
}

/* ---- waiting list ---- */

enum {
    PARTIES_MAX = 20
};

static const struct report_column party_columns[] = {
    {"position", "waiting", REPORT_NUMBER, 0}, {"customer", "customer", REPORT_TEXT, 0},
    {"booking", "booking", REPORT_TEXT, 1},    {"items", "wants", REPORT_ITEMS, 0},
    {"until", "until", REPORT_INSTANT, 2},
};

static const struct listing party_list = {PG_VIEW_WAITING, party_columns,
                                          REPORT_COUNT(party_columns), NULL};

static enum usher_status show_parties(struct report *report, const char *resource,
                                      struct usher_error *err)
{
    const struct pg_view_question question = {.filters = {resource}, .limit = PARTIES_MAX};
    struct pg_view_rows rows;
    enum usher_status status = report_query(report, &party_list, question, &rows, err);
    if (status != USHER_OK || rows.count == 0)
        return status;
    fputc('\n', report->terminal.out);
    report_print(report, &party_list, &rows, 2);
    if (rows.count == PARTIES_MAX)
        report_remark(report, "only the first %d parties are shown; see usher-worker waiting",
                      PARTIES_MAX);
    return USHER_OK;
}

/* ---- all ---- */

/* Which nights there are, and which of them are shown, as dates. */
enum {
    NIGHTS_FIRST,
    NIGHTS_LAST,
    NIGHTS_BEGIN,
    NIGHTS_END,
};

static const struct report_column night_columns[] = {
    [NIGHTS_FIRST] = {.name = "first"},
    [NIGHTS_LAST] = {.name = "last"},
    [NIGHTS_BEGIN] = {.name = "begins"},
    [NIGHTS_END] = {.name = "ends"},
};

static const struct listing night_list = {PG_VIEW_NIGHTS, night_columns,
                                          REPORT_COUNT(night_columns), NULL};

static bool has_nights(const struct pg_view_rows *pools)
{
    bool found = false;
    for (uint32_t i = 0; i < pools->count && !found; i++)
        found = pools->values[(size_t)i * pools->column_count + POOL_NIGHT];
    return found;
}

static enum usher_status show_pools(struct report *report, const char *resource, const char *terms,
                                    struct usher_error *err)
{
    struct pg_view_rows rows, pools;
    struct pg_view_question question = {.filters = {resource, options_text(report->options, "from"),
                                                    options_text(report->options, "to")}};
    enum usher_status status = report_query(report, &night_list, question, &rows, err);
    if (status != USHER_OK || rows.count == 0)
        return status;
    const char *const *nights = rows.values;
    question.filters[1] = nights[NIGHTS_BEGIN];
    question.filters[2] = nights[NIGHTS_END];
    status = report_query(report, &pool_list, question, &pools, err);
    if (status != USHER_OK)
        return status;
    print_pools(report, &pools);
    print_restrictions(report, &pools);
    print_over(report, terms, &pools);
    print_left(report, &pools);
    if (nights[NIGHTS_FIRST] && !has_nights(&pools))
        fprintf(report->terminal.out, "\n  no nights from %s to %s: it has %s to %s\n",
                nights[NIGHTS_BEGIN], nights[NIGHTS_END], nights[NIGHTS_FIRST],
                nights[NIGHTS_LAST]);
    return status;
}

static enum usher_status show_for_people(struct report *report, const char *resource,
                                         const char *terms, struct usher_error *err)
{
    enum usher_status status = show_hall(report, resource, err);
    if (status == USHER_OK)
        status = show_pools(report, resource, terms, err);
    if (status == USHER_OK)
        status = show_parties(report, resource, err);
    return status;
}

static enum usher_status check_night(const struct report *report, const char *option,
                                     struct usher_error *err)
{
    int32_t day;
    const char *text = options_text(report->options, option);
    if (!text || usher_night_parse(text, &day))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "could not read --%s: \"%s\" is no date, as 2026-12-24",
                    option, text);
    return USHER_FATAL;
}

static enum usher_status show(struct report *report, struct usher_error *err)
{
    const char *resource = report->options->arguments[0];
    const struct pg_view_question question = {.filters = {resource,
                                                          options_text(report->options, "from"),
                                                          options_text(report->options, "to")}};
    struct pg_view_rows rows;
    enum usher_status status = check_night(report, "from", err);
    if (status == USHER_OK)
        status = check_night(report, "to", err);
    if (status == USHER_OK)
        status = report_query(report, &head_list, question, &rows, err);
    if (status != USHER_OK)
        return status;
    if (rows.count == 0)
        return report_no_resource(report, resource, err);
    if (report->csv)
        return report_list(report, &pool_list, &question, err);
    if (report->json) {
        report_print(report, &head_list, &rows, 0);
        return USHER_OK;
    }
    const char *state = rows.values[HEAD_STATE];
    status = read_state(report, resource, &state, err);
    if (status != USHER_OK)
        return status;
    print_head(report, resource, rows.values, state);
    return show_for_people(report, resource, rows.values[HEAD_TERMS], err);
}

static enum usher_exit run_show(const struct program_command *command, struct options *options,
                                struct usher_error *err)
{
    (void)command;
    return report_run(options, show, err);
}

static const struct option_group *const show_groups[] = {
    &show_options, &output_options, &report_options, &postgres_options, &common_options};

const struct program_command show_command = {
    .name = "show",
    .arguments = "RESOURCE",
    .help = "Shows a resource as it is now: its hall, pools, prices and waiting list.",
    .details =
        "A seat is '.' free, 'h' held, 's' sold, 'x' blocked; with --json, \"hall\" has the rows, "
        "each with the names\nof its seats and, in \"states\", such a character for each; "
        "\"pools\" "
        "has every night of a room,\nor those asked for; so has --csv, which is these pools "
        "alone.\nThe role usher_reader suffices.\n",
    .example = "show show:hamlet",
    .table = WORKER_TABLE(show_groups),
    .others = &worker_options,
    .run = run_show,
};
