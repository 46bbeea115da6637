/*
 * What the commands that look around share: rows of the views as a table for people, as lines of
 * JSON, or as CSV. Knows views, not what they mean.
 */
#include "worker/program/report.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "producer/base/nearest.h"
#include "producer/codec/answer_words.h"
#include "producer/codec/stored.h"
#include "producer/terminal/chart_draw.h"
#include "producer/terminal/local_time.h"
#include "producer/terminal/money.h"
#include "producer/terminal/text_table.h"

/* ==== Columns as text ==== */

enum {
    REPORT_COLUMNS_MAX = 20
};

/* A row of it, one text for each column. */
struct report_row {
    const struct listing *listing;
    const char *const *values;
};

/* A text that is being written. */
struct words {
    FILE *out;
    char *text;
    size_t size;
};

static void begin_words(struct words *words)
{
    words->out = open_memstream(&words->text, &words->size);
    assert(words->out);
}

static const char *end_words(const struct words *words, struct usher_arena *arena)
{
    fclose(words->out);
    const char *copy = usher_arena_text(arena, words->text, words->size);
    free(words->text);
    return copy;
}

/* As RFC 3339 has it: "2026-12-24 19:30:05.123+00" with T, and with Z in place of +00. */
static const char *rfc3339(const char *text, struct usher_arena *arena)
{
    size_t size = text ? strlen(text) : 0;
    if (size < strlen("2026-12-24 19:30:05+00") || strcmp(text + size - 3, "+00") != 0)
        return text;
    char *copy = usher_arena_text(arena, text, size);
    *strchr(copy, ' ') = 'T';
    memcpy(copy + size - 3, "Z", 2);
    return copy;
}

const char *report_instant(const char *text, struct usher_arena *arena)
{
    char local[LOCAL_TIME_SIZE];
    int64_t ms;
    if (!text || !usher_instant_parse(rfc3339(text, arena), &ms))
        return text;
    local_time_stamp(ms, local);
    return usher_arena_text(arena, local, strlen(local));
}

const char *report_money(const char *minor, const char *currency, struct usher_arena *arena)
{
    struct words words;
    if (!minor)
        return NULL;
    begin_words(&words);
    money_print_total(strtoll(minor, NULL, 10), currency, words.out);
    return end_words(&words, arena);
}

enum terminal_colour report_state_colour(const char *state)
{
    static const struct {
        const char *state;
        enum terminal_colour colour;
    } colours[] = {
        {"open", TERMINAL_GOOD},       {"confirmed", TERMINAL_GOOD}, {"owned", TERMINAL_GOOD},
        {"draft", TERMINAL_WARNING},   {"held", TERMINAL_WARNING},   {"waiting", TERMINAL_WARNING},
        {"no worker", TERMINAL_BAD},   {"halted", TERMINAL_BAD},     {"blocked", TERMINAL_STRONG},
        {"closed", TERMINAL_FAINT},    {"released", TERMINAL_FAINT}, {"expired", TERMINAL_FAINT},
        {"cancelled", TERMINAL_FAINT}, {"left", TERMINAL_FAINT},     {"ended", TERMINAL_FAINT},
        {"mixed", TERMINAL_BAD},
    };
    for (size_t i = 0; state && i < sizeof colours / sizeof *colours; i++)
        if (strcmp(colours[i].state, state) == 0)
            return colours[i].colour;
    return TERMINAL_PLAIN;
}

/* The row's value in a column of that name, or NULL. */
static const char *report_value(const struct report_row *row, const char *name)
{
    for (uint32_t i = 0; i < row->listing->column_count; i++)
        if (strcmp(row->listing->columns[i].name, name) == 0)
            return row->values[i];
    return NULL;
}

/* ---- by the kind of the column ---- */

static const char *instant_text(const struct report_row *row, const char *value,
                                struct usher_arena *arena)
{
    (void)row;
    return report_instant(value, arena);
}

static const char *money_text(const struct report_row *row, const char *value,
                              struct usher_arena *arena)
{
    return report_money(value, report_value(row, "currency"), arena);
}

static const char *state_text(const struct report_row *row, const char *state,
                              struct usher_arena *arena)
{
    const char *ended = report_value(row, "ended");
    (void)arena;
    return ended && strcmp(ended, "true") == 0 ? "ended" : state;
}

/* The answer of the row; false: it has none that can be read. */
static bool answer_of(const struct report_row *row, struct usher_arena *arena,
                      struct usher_answer *answer)
{
    struct usher_error err;
    const char *json = report_value(row, "answer");
    usher_answer_init(answer);
    return json && usher_answer_decode(json, strlen(json), arena, answer, &err) == USHER_OK;
}

static const char *outcome_text(const struct report_row *row, const char *name,
                                struct usher_arena *arena)
{
    const char *replayed = report_value(row, "replayed");
    enum usher_outcome outcome = usher_outcome_named(name);
    struct usher_answer answer;
    enum usher_change change = outcome == USHER_DEFINED && answer_of(row, arena, &answer)
                                   ? answer.change
                                   : USHER_CHANGE_ABSENT;
    if (outcome != USHER_OUTCOME_NONE)
        name = answer_word(usher_op_named(report_value(row, "op")), outcome, change);
    bool repeated = replayed && strcmp(replayed, "true") == 0;
    return repeated ? usher_arena_format(arena, "%s (repeated)", name) : name;
}

static const char *detail_text(const struct report_row *row, const char *detail,
                               struct usher_arena *arena)
{
    struct usher_answer answer;
    struct usher_buffer text = {0};
    if (!answer_of(row, arena, &answer))
        return detail;
    usher_buffer_text(&text, detail ? detail : "");
    if (answer.outcome == USHER_TRANSFERRED && answer.customer) {
        usher_buffer_text(&text, "to ");
        usher_buffer_text(&text, answer.customer);
    }
    for (uint32_t i = 0; i < answer.items_count; i++) {
        usher_buffer_text(&text, text.size > 0 ? "; " : "");
        answer_shortfall_append(&answer.items[i], &text);
    }
    if (answer.own_hold) {
        usher_buffer_text(&text, text.size > 0 ? "; own hold " : "own hold ");
        usher_buffer_text(&text, answer.own_hold);
    }
    const char *copy = usher_arena_text(arena, text.at, text.size);
    usher_buffer_deinit(&text);
    return copy;
}

/* "adult 45.00, child 25.00" */
static const char *rates_text(const struct report_row *row, const char *json,
                              struct usher_arena *arena)
{
    const struct usher_rate *rates;
    uint32_t count;
    struct usher_error err;
    if (!json || stored_rates_decode(json, strlen(json), arena, &rates, &count, &err) != USHER_OK)
        return json;
    struct words words;
    begin_words(&words);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(words.out, "%s%s ", i > 0 ? ", " : "", rates[i].rate);
        money_print(rates[i].price, report_value(row, "currency"), words.out);
    }
    return end_words(&words, arena);
}

static void print_names(const char *between, const char *const *names, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i > 0 ? between : "", names[i]);
}

/* "stalls or circle 2, adult, together" */
static void print_item(const struct usher_item *item, const char *const *places, FILE *out)
{
    char from[USHER_NIGHT_SIZE], to[USHER_NIGHT_SIZE];
    if (item->kind == USHER_SEATS)
        seat_ranges_print(item->seats, places, item->seat_count, out);
    else if (item->section_count > 0)
        print_names(" or ", item->sections, item->section_count, out);
    else
        fprintf(out, "%s", item->pool);
    if (item->kind != USHER_SEATS)
        fprintf(out, " %u", item->quantity);
    if (item->kind == USHER_ROOM) {
        usher_night_format(item->from, from);
        usher_night_format(item->to, to);
        fprintf(out, " from %s to %s", from, to);
    }
    if (item->rate)
        fprintf(out, ", %s", item->rate);
    fprintf(out, "%s", item->together ? ", together" : "");
    fprintf(out, "%s", item->feature_count > 0 ? ", with " : "");
    print_names(" and ", item->features, item->feature_count, out);
    fprintf(out, "%s", item->avoid_count > 0 ? ", without " : "");
    print_names(" and ", item->avoid, item->avoid_count, out);
}

/* `places` of the seats of each item, for people; NULL: there are none. */
static const char *write_items(const struct usher_item *items, const char *const *const *places,
                               uint32_t count, struct usher_arena *arena)
{
    struct words words;
    begin_words(&words);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(words.out, "%s", i > 0 ? "; " : "");
        print_item(&items[i], places ? places[i] : NULL, words.out);
    }
    return end_words(&words, arena);
}

static const char *items_text(const struct report_row *row, const char *json,
                              struct usher_arena *arena)
{
    (void)row;
    struct usher_request wants;
    struct usher_error err;
    const char *hold =
        usher_arena_format(arena, "{\"op\":\"hold\",\"items\":%s}", json ? json : "[]");
    if (!json || wants_decode(hold, strlen(hold), arena, &wants, &err) != USHER_OK)
        return json;
    return write_items(wants.items, NULL, wants.item_count, arena);
}

/* The night after those of the item, of which it has as many rooms, at the same rate. */
static bool goes_on(const struct usher_item *item, const struct usher_units *units)
{
    const bool same_rate = item->rate && units->rate ? strcmp(item->rate, units->rate) == 0
                                                     : !item->rate && !units->rate;
    return item->kind == USHER_ROOM && units->kind == USHER_ROOM && item->to == units->night &&
           item->quantity == units->quantity && strcmp(item->pool, units->pool) == 0 && same_rate;
}

/* As items that would ask for them: nights in a row as one stay. */
static const char *units_text(const struct report_row *row, const char *json,
                              struct usher_arena *arena)
{
    (void)row;
    struct usher_answer booked;
    struct usher_error err;
    const char *held =
        usher_arena_format(arena, "{\"outcome\":\"held\",\"units\":%s}", json ? json : "[]");
    usher_answer_init(&booked);
    if (!json || usher_answer_decode(held, strlen(held), arena, &booked, &err) != USHER_OK)
        return json;
    struct usher_item *items = usher_arena_alloc(arena, (booked.units_count + 1) * sizeof *items);
    const char *const **places =
        usher_arena_alloc(arena, (booked.units_count + 1) * sizeof *places);
    uint32_t count = 0;
    for (uint32_t i = 0; i < booked.units_count; i++) {
        const struct usher_units *units = &booked.units[i];
        if (count > 0 && goes_on(&items[count - 1], units)) {
            items[count - 1].to++;
            continue;
        }
        places[count] = units->places;
        items[count++] = (struct usher_item){.kind = units->kind,
                                             .pool = units->pool,
                                             .quantity = units->quantity,
                                             .seats = units->seats,
                                             .seat_count = units->quantity,
                                             .from = units->night,
                                             .to = units->night + 1,
                                             .rate = units->rate};
    }
    return write_items(items, places, count, arena);
}

/* "EUR 90.00, GBP 45.00", of {"EUR":9000,"GBP":4500} */
static const char *totals_text(const struct report_row *row, const char *json,
                               struct usher_arena *arena)
{
    char *end = NULL;
    const char *between = "";
    struct words words;
    (void)row;
    begin_words(&words);
    for (const char *at = json; at && (at = strchr(at, '"')); at = end) {
        size_t size = strcspn(at + 1, "\"");
        const char *currency = size > 0 ? usher_arena_text(arena, at + 1, size) : NULL;
        const char *amount = at + size + 2;
        fputs(between, words.out);
        money_print_total(strtoll(amount + strcspn(amount, "-0123456789"), &end, 10), currency,
                          words.out);
        between = ", ";
    }
    return end_words(&words, arena);
}

/* A cell of the row as it is printed, by the kind of its column; in the arena, never NULL. */
static const char *report_cell(const struct report_row *row, uint32_t column,
                               struct usher_arena *arena)
{
    static const char *(*const texts[])(const struct report_row *, const char *,
                                        struct usher_arena *) = {
        [REPORT_INSTANT] = instant_text, [REPORT_MONEY] = money_text,
        [REPORT_OUTCOME] = outcome_text, [REPORT_DETAIL] = detail_text,
        [REPORT_RATES] = rates_text,     [REPORT_ITEMS] = items_text,
        [REPORT_UNITS] = units_text,     [REPORT_STATE] = state_text,
        [REPORT_TOTALS] = totals_text,
    };
    enum report_kind kind = row->listing->columns[column].kind;
    const char *value = row->values[column];
    if (kind < REPORT_COUNT(texts) && texts[kind])
        value = texts[kind](row, value, arena);
    return value ? value : "";
}

/* ==== Rows ==== */

enum {
    KAFKA_CLOSE_MS = 5000,
    NAMES_MAX = 100000, /* of resources, among which the nearest is looked for */
};

static const struct option_spec limit_specs[] = {
    {.name = "limit",
     .type = OPTION_INTEGER,
     .fallback = "100",
     .min = 1,
     .max = 1000000,
     .help = "rows at most"},
};

const struct option_group report_limit_options = WORKER_GROUP("List", limit_specs);

static const struct option_spec report_specs[] = {
    {.name = "csv",
     .type = OPTION_BOOL,
     .help = "print CSV (RFC 4180), for spreadsheets: amounts as 45.00, times in UTC; a text that "
             "a spreadsheet would take for a formula begins with an apostrophe"},
    {.name = "watch",
     .type = OPTION_DURATION,
     .implied = "2s",
     .min = 1,
     .max = 86400,
     .help = "on a terminal: look again every 2s, or as given, until Ctrl-C"},
    {.name = "time-zone",
     .value_name = "NAME",
     .help = "times by the clocks of a place, as Europe/Paris; default: those of this machine, or "
             "of TZ; JSON and CSV have UTC"},
    {.name = "utc", .type = OPTION_BOOL, .help = "times in UTC"},
};

const struct option_group report_options = WORKER_GROUP("Display", report_specs);

/* ---- rows ---- */

enum usher_status report_query(struct report *report, const struct listing *listing,
                               struct pg_view_question question, struct pg_view_rows *rows,
                               struct usher_error *err)
{
    const char *names[REPORT_COLUMNS_MAX];
    assert(listing->column_count <= REPORT_COLUMNS_MAX);
    for (uint32_t i = 0; i < listing->column_count; i++)
        names[i] = listing->columns[i].name;
    question.view = listing->view;
    if (!report->json) {
        question.columns = names;
        question.column_count = listing->column_count;
    }
    return pg_views_ask(report->views, &question, &report->arena, rows, err);
}

static bool may_be_cut(enum report_kind kind)
{
    return kind == REPORT_PROSE || kind == REPORT_DETAIL || kind == REPORT_RATES ||
           kind == REPORT_ITEMS || kind == REPORT_UNITS;
}

static void print_table(const struct report *report, const struct listing *listing,
                        const struct pg_view_rows *rows, int indent)
{
    struct text_table table;
    struct text_column columns[REPORT_COLUMNS_MAX];
    struct usher_arena arena = {0};
    size_t shown = 0;
    for (uint32_t i = 0; i < listing->column_count; i++) {
        const struct report_column *column = &listing->columns[i];
        bool right = column->kind == REPORT_NUMBER || column->kind == REPORT_MONEY;
        if (column->title)
            columns[shown++] = (struct text_column){.title = column->title,
                                                    .align = right ? TEXT_RIGHT : TEXT_LEFT,
                                                    .cut = may_be_cut(column->kind),
                                                    .drop = column->drop};
    }
    text_table_init(&table, columns, shown);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct report_row row = {listing, &rows->values[(size_t)i * rows->column_count]};
        for (uint32_t k = 0; k < listing->column_count; k++) {
            const char *cell = report_cell(&row, k, &arena);
            bool state = listing->columns[k].kind == REPORT_STATE;
            if (listing->columns[k].title)
                text_table_add(&table, state ? report_state_colour(cell) : TERMINAL_PLAIN, "%s",
                               cell);
        }
    }
    text_table_print(&table, &report->terminal, indent);
    text_table_deinit(&table);
    usher_arena_deinit(&arena);
}

/* ---- as CSV, by RFC 4180 ---- */

/* "45.00": a number, without its currency, which has a column of its own. */
static const char *amount_text(const struct report_row *row, const char *minor,
                               struct usher_arena *arena)
{
    struct words words;
    if (!minor)
        return NULL;
    begin_words(&words);
    money_print(strtoll(minor, NULL, 10), report_value(row, "currency"), words.out);
    return end_words(&words, arena);
}

/* A spreadsheet calculates a cell that begins so, also with the wide forms of East Asian input. */
static bool is_formula(const char *text)
{
    static const char *const wide[] = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0)
            return true;
    return *text != '\0' && strchr("=+-@\t\r\n", *text);
}

/* The value of a cell, and whether somebody may have written it. */
static const char *csv_value(const struct report_row *row, uint32_t column, bool *is_text,
                             struct usher_arena *arena)
{
    const char *value = row->values[column];
    enum report_kind kind = row->listing->columns[column].kind;
    *is_text = kind != REPORT_NUMBER && kind != REPORT_MONEY && kind != REPORT_INSTANT;
    if (kind == REPORT_INSTANT)
        return rfc3339(value, arena);
    if (kind == REPORT_MONEY)
        return amount_text(row, value, arena);
    if (kind == REPORT_STATE || kind == REPORT_OUTCOME || (!value && kind != REPORT_DETAIL))
        return value;
    return report_cell(row, column, arena);
}

/* NULL is nothing, an empty text a pair of quotes. */
static void print_field(const char *text, bool is_text, FILE *out)
{
    const char *mark = text && is_text && is_formula(text) ? "'" : "";
    if (!text || (*text != '\0' && !strpbrk(text, ",\"\r\n"))) {
        fprintf(out, "%s%s", mark, text ? text : "");
        return;
    }
    fprintf(out, "\"%s", mark);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* With the names of the view. */
static void print_csv(const struct report *report, const struct listing *listing,
                      const struct pg_view_rows *rows)
{
    FILE *out = report->terminal.out;
    struct usher_arena arena = {0};
    const char *between = "";
    for (uint32_t k = 0; k < listing->column_count; k++) {
        if (listing->columns[k].kind == REPORT_SOURCE)
            continue;
        fprintf(out, "%s%s", between, listing->columns[k].name);
        between = ",";
    }
    fputs("\r\n", out);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct report_row row = {listing, &rows->values[(size_t)i * rows->column_count]};
        between = "";
        for (uint32_t k = 0; k < listing->column_count; k++) {
            bool is_text;
            if (listing->columns[k].kind == REPORT_SOURCE)
                continue;
            const char *value = csv_value(&row, k, &is_text, &arena);
            fputs(between, out);
            print_field(value, is_text, out);
            between = ",";
        }
        fputs("\r\n", out);
        usher_arena_reset(&arena);
    }
    usher_arena_deinit(&arena);
}

/* ---- in any form ---- */

void report_print(const struct report *report, const struct listing *listing,
                  const struct pg_view_rows *rows, int indent)
{
    FILE *out = report->terminal.out;
    bool is_table = !report->json && !report->csv;
    if (report->csv)
        print_csv(report, listing, rows);
    for (uint32_t i = 0; report->json && i < rows->count; i++)
        fprintf(out, "%s\n", rows->values[i]);
    if (is_table && rows->count > 0)
        print_table(report, listing, rows, indent);
    else if (is_table && listing->nothing)
        fprintf(out, "%s\n", listing->nothing);
}

void report_remark(const struct report *report, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (report->watch_s == 0) {
        terminal_complain("usher-worker", "%s", text);
        return;
    }
    terminal_write(report->terminal.out, text, strlen(text));
    fputc('\n', report->terminal.out);
}

/* ---- what there is none of ---- */

/* An id, or without its kind: people say "hamlet" of "show:hamlet". */
static bool offer_resource(struct nearest *nearest, const char *id)
{
    const char *colon = strrchr(id, ':');
    nearest_offer(nearest, id);
    if (colon)
        nearest_offer(nearest, colon + 1);
    return nearest->best == id || (colon && nearest->best == colon + 1);
}

enum usher_status report_no_resource(struct report *report, const char *resource,
                                     struct usher_error *err)
{
    static const char *const names[] = {"resource"};
    const struct pg_view_question question = {.view = PG_VIEW_NAMES,
                                              .filters = {resource},
                                              .columns = names,
                                              .column_count = 1,
                                              .limit = NAMES_MAX};
    struct pg_view_rows rows;
    struct nearest nearest = {.name = resource};
    const char *found = NULL;
    enum usher_status status = pg_views_ask(report->views, &question, &report->arena, &rows, err);
    for (uint32_t i = 0; status == USHER_OK && i < rows.count; i++) {
        if (strcmp(rows.values[i], resource) == 0)
            return USHER_OK;
        found = offer_resource(&nearest, rows.values[i]) ? rows.values[i] : found;
    }
    if (status != USHER_OK)
        return status;
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "there is no resource \"%s\"%s%s%s", resource,
                    found ? "; did you mean \"" : ": see usher-worker resources",
                    found ? found : "", found ? "\"?" : "");
    return USHER_FATAL;
}

/* Nothing was found: of a resource that there is none of, for that reason. */
static void explain_nothing(struct report *report)
{
    struct usher_error err;
    const char *resource = options_text_if_any(report->options, "resource");
    if (resource && report_no_resource(report, resource, &err) != USHER_OK)
        report_remark(report, "%s", err.text);
}

enum usher_status report_list(struct report *report, const struct listing *listing,
                              const struct pg_view_question *question, struct usher_error *err)
{
    struct pg_view_rows rows;
    enum usher_status status = report_query(report, listing, *question, &rows, err);
    if (status != USHER_OK)
        return status;
    report_print(report, listing, &rows, 0);
    if (question->limit > 0 && rows.count == question->limit)
        report_remark(report, "only the first %" PRId64 " are shown; see --limit", question->limit);
    if (rows.count == 0)
        explain_nothing(report);
    return USHER_OK;
}

/* ---- a command ---- */

enum usher_status report_open_kafka(struct report *report, int timeout_ms, int32_t *partitions,
                                    struct usher_error *err)
{
    const struct kafka_base_settings settings = {.kafka = &report->settings.kafka,
                                                 .request_timeout_ms = timeout_ms};
    enum usher_status status =
        report->kafka ? USHER_OK : kafka_base_open(&settings, &report->kafka, err);
    return status == USHER_OK ? kafka_base_partitions(report->kafka, partitions, err) : status;
}

/* A handle that hangs after a broker's restart must not keep the process alive: nothing is lost. */
static void close_kafka(const struct report *report, enum usher_exit code)
{
    struct usher_error err;
    if (kafka_base_close(report->kafka, KAFKA_CLOSE_MS, &err) == USHER_OK)
        return;
    fprintf(stderr, "usher-worker: %s\n", err.text);
    fflush(stdout);
    _exit((int)code);
}

/* FATAL with exit code 64: flags that do not go together, or a time zone that is not known here. */
static enum usher_status begin_display(const struct report *report, struct usher_error *err)
{
    bool utc = options_bool(report->options, "utc");
    const char *zone = options_text(report->options, "time-zone");
    bool is_table = !report->json && !report->csv;
    if (report->json && report->csv)
        usher_error_set(err, USHER_EXIT_USAGE, "give either --json or --csv");
    else if (report->watch_s > 0 && (!is_table || !report->terminal.is_terminal))
        usher_error_set(err, USHER_EXIT_USAGE,
                        "--watch draws on a terminal: it takes neither --json nor --csv, and no "
                        "other output");
    else if (utc && zone)
        usher_error_set(err, USHER_EXIT_USAGE, "give either --time-zone or --utc");
    else if (!local_time_choose(utc ? "UTC" : zone))
        usher_error_set(
            err, USHER_EXIT_USAGE,
            "could not use --time-zone: \"%s\" is not the name of a time zone that this "
            "machine knows, such as Europe/London",
            zone);
    else
        return USHER_OK;
    return USHER_FATAL;
}

static enum usher_status look(struct report *report,
                              enum usher_status (*run)(struct report *, struct usher_error *),
                              struct usher_error *err)
{
    enum usher_status status =
        report->views ? USHER_OK : pg_views_open(&report->settings.postgres, &report->views, err);
    if (status == USHER_OK)
        status = run(report, err);
    /* What was not found may be in a database that is away. */
    if (report->views && (status == USHER_OK || err->exit_code == USHER_EXIT_BAD_INPUT)) {
        struct usher_error missing;
        enum usher_status found = pg_views_missing(report->views, &missing);
        if (found != USHER_OK) {
            *err = missing;
            status = found;
        }
    }
    return status;
}

/* ---- a screen that is drawn again ---- */

/* There is nothing to clean up: the server notices that its client has gone. */
static void on_interrupt(int number)
{
    (void)number;
    _exit(USHER_EXIT_DONE);
}

/* In place, line by line, so that nothing flickers; what does not fit is cut. In one write. */
static void draw(const char *text, int height)
{
    struct usher_buffer screen = {0};
    usher_buffer_text(&screen, "\033[?7l\033[H");
    for (int line = 1; line < height && *text != '\0'; line++) {
        size_t size = strcspn(text, "\n");
        usher_buffer_append(&screen, text, size);
        usher_buffer_text(&screen, "\033[K\r\n");
        text += size + (text[size] == '\n');
    }
    usher_buffer_text(&screen, "\033[J\033[?7h");
    fwrite(screen.at, 1, screen.size, stdout);
    fflush(stdout);
    usher_buffer_deinit(&screen);
}

static void print_time(const struct report *report)
{
    char now[LOCAL_TIME_SIZE];
    local_time_stamp(clock_wall_ms(), now);
    terminal_print(&report->terminal, TERMINAL_FAINT, "%s, every %" PRId64 " s", now,
                   report->watch_s);
    fprintf(report->terminal.out, "\n\n");
}

/* What is away is told, and asked for again. Statuses of `run`, but RETRY. */
static enum usher_status watch_once(struct report *report,
                                    enum usher_status (*run)(struct report *, struct usher_error *),
                                    struct usher_error *err)
{
    char *text;
    size_t size;
    report->terminal = terminal_of(stdout, report->options); /* it may have another size by now */
    report->terminal.out = open_memstream(&text, &size);
    assert(report->terminal.out);
    print_time(report);
    enum usher_status status = look(report, run, err);
    if (status == USHER_RETRY) {
        report_remark(report, "%s", err->text);
        pg_views_close(report->views);
        report->views = NULL;
        status = USHER_OK;
    }
    fclose(report->terminal.out);
    if (status == USHER_OK)
        draw(text, report->terminal.height);
    free(text);
    usher_arena_reset(&report->arena);
    return status;
}

static enum usher_status watch(struct report *report,
                               enum usher_status (*run)(struct report *, struct usher_error *),
                               struct usher_error *err)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    const struct timespec pause = {.tv_sec = report->watch_s};
    enum usher_status status;
    sigaction(SIGINT, &action, NULL);
    printf("\033[2J");
    while ((status = watch_once(report, run, err)) == USHER_OK)
        nanosleep(&pause, NULL);
    return status;
}

enum usher_exit report_run(struct options *options,
                           enum usher_status (*run)(struct report *, struct usher_error *),
                           struct usher_error *err)
{
    struct report report = {
        .options = options,
        .terminal = terminal_of(stdout, options),
        .json = options_bool(options, "json"),
        .csv = options_bool(options, "csv"),
        .watch_s = options_integer(options, "watch"),
    };
    enum usher_status status = begin_display(&report, err);
    if (status == USHER_OK)
        status = worker_settings_read(options, &report.settings, err);
    if (status == USHER_OK)
        status = report.watch_s > 0 ? watch(&report, run, err) : look(&report, run, err);
    enum usher_exit code = worker_end(status, err);
    pg_views_close(report.views);
    close_kafka(&report, code);
    usher_arena_deinit(&report.arena);
    return code;
}

/* ==== Limits and quotas ==== */

/* "  at most 8 per customer"; 0: there is no such limit. */
static void print_limit(const char *before, int64_t limit, const char *after, FILE *out)
{
    if (limit > 0)
        fprintf(out, "  %s %" PRId64 " %s\n", before, limit, after);
}

/* "at most 20 of stalls, circle" */
static void print_pools(const char *const *pools, uint32_t count, int64_t limit, FILE *out)
{
    fprintf(out, "at most %" PRId64 " of", limit);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s %s", i > 0 ? "," : "", pools[i]);
}

static void print_limits(const struct usher_limits *limits, FILE *out)
{
    print_limit("at least", limits->units_min, "per request", out);
    print_limit("at most", limits->units_per_request, "per request", out);
    print_limit("at most", limits->units_per_customer, "per customer", out);
    print_limit("at most", limits->holds_per_customer, "holds per customer", out);
    print_limit("at most", limits->hold_total_s, "s per hold in all", out);
    for (uint32_t i = 0; i < limits->group_count; i++) {
        const struct usher_limit_group *group = &limits->groups[i];
        fprintf(out, "  ");
        print_pools(group->pools, group->pool_count, group->limit, out);
        fprintf(out, " per customer\n");
    }
}

void report_terms_print(const char *json, FILE *out)
{
    struct usher_arena arena = {0};
    struct stored_terms terms;
    struct usher_error err;
    if (json && stored_terms_decode(json, strlen(json), &arena, &terms, &err) == USHER_OK) {
        if (terms.limits)
            print_limits(terms.limits, out);
        for (uint32_t i = 0; i < terms.quota_count; i++) {
            const struct usher_quota *quota = &terms.quotas[i];
            fprintf(out, "  quota %s: ", quota->quota);
            print_pools(quota->pools, quota->pool_count, quota->limit, out);
            fprintf(out, "\n");
        }
    } else if (json) {
        fprintf(out, "  terms %s\n", json);
    }
    usher_arena_deinit(&arena);
}

/* ==== Hall ==== */

enum usher_status report_hall_read(struct report *report, const char *resource,
                                   struct report_hall *hall, struct usher_error *err)
{
    static const char *const layout[] = {"layout"};
    const struct pg_view_question question = {
        .view = PG_VIEW_HALL, .filters = {resource}, .columns = layout, .column_count = 1};
    struct pg_view_rows rows;
    *hall = (struct report_hall){.sections = NULL};
    enum usher_status status = pg_views_ask(report->views, &question, &report->arena, &rows, err);
    if (status != USHER_OK || rows.count == 0)
        return status;
    return usher_chart_decode(rows.values[0], rows.sizes[0], &report->arena, &hall->sections,
                              &hall->section_count, err);
}

static bool is_called(const struct usher_row *row, uint32_t at, const char *seat)
{
    char name[2 * USHER_NAME_MAX];
    if (row->names)
        return strcmp(row->names[at], seat) == 0;
    snprintf(name, sizeof name, "%s-%" PRIu32, row->row, row->first + at);
    return strcmp(name, seat) == 0;
}

bool report_hall_find(const struct report_hall *hall, const char *seat, const char **section,
                      uint32_t *unit)
{
    for (uint32_t i = 0; i < hall->section_count; i++) {
        *section = hall->sections[i].section;
        *unit = 0;
        for (uint32_t k = 0; k < hall->sections[i].row_count; k++) {
            const struct usher_row *row = &hall->sections[i].rows[k];
            for (uint32_t at = 0; at < row->seats; at++, (*unit)++)
                if (is_called(row, at, seat))
                    return true;
        }
    }
    return false;
}
