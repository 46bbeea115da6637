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
#include "producer/terminal/local_time.h"
#include "producer/terminal/text_table.h"

enum {
    REPORT_COLUMNS_MAX = 20,
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

/* A spreadsheet calculates a cell that begins so, also with the wide forms of East Asian input. */
static bool is_formula(const char *text)
{
    static const char *const wide[] = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0)
            return true;
    return *text != '\0' && strchr("=+-@\t\r\n", *text);
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
            const char *value = report_csv_value(&row, k, &is_text, &arena);
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
