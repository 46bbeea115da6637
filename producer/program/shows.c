/*
 * Resources to define, from a CSV file: one per line, with the options as defaults for fields left
 * empty. Does not know Kafka.
 */
#include "producer/program/shows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "producer/base/plural.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/request_fields.h"
#include "producer/program/csv.h"
#include "producer/program/flag_values.h"
#include "producer/program/lines.h"
#include "producer/program/request_build.h"
#include "producer/terminal/terminal.h"

/* ==== Requests ==== */

/* Without the rows of the plan: prices and capacities stay. */
static void name_chart(const struct shows *shows, struct usher_definition *definition,
                       struct usher_arena *arena)
{
    struct usher_section *sections =
        usher_arena_alloc(arena, (definition->section_count + 1) * sizeof *sections);
    for (uint32_t i = 0; i < definition->section_count; i++) {
        sections[i] = definition->sections[i];
        sections[i].rows = NULL;
        sections[i].row_count = 0;
    }
    definition->sections = sections;
    definition->plan = NULL;
    definition->chart = shows->chart->name;
}

void show_encode(const struct shows *shows, const struct show *show, bool with_plan,
                 struct usher_buffer *out)
{
    struct usher_arena arena = {0};
    struct usher_definition definition = show->definition;
    struct usher_request request = {
        .request_id = shows->request_id,
        .op = USHER_OP_DEFINE,
        .resource = show->resource,
        .client = shows->client,
        .deadline_ms = shows->deadline_ms,
        .only = shows->only,
        .definition = &definition,
    };
    if (!with_plan && shows->chart)
        name_chart(shows, &definition, &arena);
    usher_request_encode(&request, out);
    usher_arena_deinit(&arena);
}

/*
 * Whether a worker would accept the request. REJECT: the reader's fault says what is wrong; FATAL
 * with exit code 65 in `err`: the rows break a rule of charts.
 */
static enum usher_status show_check(const struct shows *shows, const struct show *show,
                                    bool with_plan, const struct message_reader *reader,
                                    struct usher_error *err)
{
    struct usher_buffer json = {0};
    struct usher_request request;
    show_encode(shows, show, with_plan, &json);
    enum usher_status status =
        request_decode(json.at, json.size, reader->arena, &request, reader->fault);
    if (status == USHER_OK)
        status = definition_check_chart(request.definition, err);
    usher_buffer_deinit(&json);
    return status;
}

/*
 * ==== Lines ====
 *
 * Reads the lines of a CSV file of resources. For shows.c.
 */

/* Where the lines come from, and what the flags say. */
struct shows_source {
    struct options *options;
    const char *path;
    const struct definition_flags *base;
};

enum {
    REPORTED_MAX = 20
};

static const char rates_prefix[] = "rates:";

/* The file being read. */
struct reading {
    const struct shows_source *source;
    struct shows *shows;
    struct csv_record header, record;
    size_t rates_columns;
    size_t room;                    /* of shows->at */
    size_t bad;                     /* lines */
    struct definition_flags priced; /* of the first good line */
    struct usher_error *err;
};

/* ---- faults ---- */

/* The field of a line, as "shows.csv" line 3 column 4 (starts_at). */
static const char *place_of(struct reading *reading, size_t column)
{
    return usher_arena_format(&reading->source->options->arena, "\"%s\" line %ld column %zu (%s)",
                              reading->source->path, reading->record.line, column + 1,
                              reading->header.fields[column]);
}

static void report_bad_line(struct reading *reading, const char *text)
{
    if (reading->bad++ < REPORTED_MAX)
        terminal_complain("usher-producer", "%s", text);
}

static enum usher_status fail(struct reading *reading, const char *reason)
{
    usher_error_set(reading->err, USHER_EXIT_BAD_INPUT, "could not read \"%s\": %s",
                    reading->source->path, reason);
    return USHER_FATAL;
}

/* The column that gave the field of a fault; false: an option did. */
static bool find_column(const struct reading *reading, const char *field, size_t *column)
{
    const struct message_field *row = message_field_of(&definition_table, field);
    const char *name = row && row->option ? definition_column(row) : field;
    for (size_t i = 0; i < reading->header.count; i++) {
        bool given = *reading->record.fields[i] != '\0' || strcmp(name, "resource") == 0;
        if (strcmp(reading->header.fields[i], name) != 0 || !given)
            continue;
        *column = i;
        return true;
    }
    return false;
}

static void report_fault(struct reading *reading, const struct definition_flags *flags,
                         const struct message_fault *fault, struct usher_error *err)
{
    static const struct usher_request no_request;
    struct options *options = reading->source->options;
    struct request_origin origin = {
        .options = options, .request = &no_request, .definition = flags};
    const char *field = request_fault_field(fault);
    size_t column;
    if (field && reading->record.fields && find_column(reading, field, &column))
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not use %s: %s",
                        place_of(reading, column),
                        message_fault_reason(&options->arena, fault, NULL));
    else
        request_fault_report(&origin, fault, err);
}

/* ---- one line ---- */

/* A copy whose prices may be set without touching those of the flags. */
static struct definition_flags copy_flags(const struct reading *reading)
{
    struct usher_arena *arena = &reading->source->options->arena;
    struct definition_flags copy = *reading->source->base;
    size_t sections = copy.definition.section_count + reading->rates_columns;
    if (reading->rates_columns == 0)
        return copy;
    copy.sections = usher_arena_alloc(arena, (sections + 1) * sizeof *copy.sections);
    copy.section_origins = usher_arena_alloc(arena, (sections + 1) * sizeof(char *));
    copy.products =
        usher_arena_alloc(arena, (copy.definition.product_count + 1) * sizeof *copy.products);
    for (uint32_t i = 0; i < copy.definition.section_count; i++) {
        copy.sections[i] = reading->source->base->sections[i];
        copy.section_origins[i] = reading->source->base->section_origins[i];
    }
    for (uint32_t i = 0; i < copy.definition.product_count; i++)
        copy.products[i] = reading->source->base->products[i];
    copy.definition.sections = copy.sections;
    copy.definition.products = copy.products;
    return copy;
}

static enum usher_status set_rates(struct reading *reading, struct definition_flags *flags,
                                   size_t column, struct usher_error *err)
{
    const char *what = place_of(reading, column);
    struct flag_source source = {.arena = &reading->source->options->arena,
                                 .what = what,
                                 .text = reading->record.fields[column],
                                 .currency = flags->definition.currency};
    struct spec_rates rates = {.pool = reading->header.fields[column] + strlen(rates_prefix)};
    enum usher_status status = spec_rates_value(&source, &rates, err);
    return status == USHER_OK ? definition_set_rates(flags, &rates, what, err) : status;
}

static bool is_of_rates(const struct reading *reading, size_t column)
{
    return strncmp(reading->header.fields[column], rates_prefix, strlen(rates_prefix)) == 0;
}

/* A run that is gone on with reads the file again: it would be another instant then. */
static enum usher_status from_now(const char *what, const char *text, struct usher_error *err)
{
    usher_error_set(
        err, USHER_EXIT_BAD_INPUT,
        "could not use %s: \"%s\" counts from now, and a file may be read again; give an "
        "instant such as 2026-12-24T19:30:00Z",
        what, text);
    return USHER_FATAL;
}

static enum usher_status set_field(struct reading *reading, struct definition_flags *flags,
                                   struct show *show, size_t column, struct usher_error *err)
{
    const char *name = reading->header.fields[column], *text = reading->record.fields[column];
    if (strcmp(name, "resource") == 0) {
        show->resource = text;
        return USHER_OK;
    }
    if (*text == '\0')
        return USHER_OK;
    const struct message_field *field = definition_field(name);
    const struct flag_source source = {
        .arena = &reading->source->options->arena, .what = place_of(reading, column), .text = text};
    if (*text == '+' && field->type == MESSAGE_INSTANT)
        return from_now(source.what, text, err);
    return flag_field(&source, field, &flags->definition, err);
}

static enum usher_status check_show(struct reading *reading, const struct definition_flags *flags,
                                    const struct show *show, struct usher_error *err)
{
    struct usher_arena scratch = {0};
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = &scratch, .fault = &fault};
    enum usher_status status = show_check(reading->shows, show, false, &reader, err);
    if (status == USHER_REJECT)
        report_fault(reading, flags, &fault, err);
    usher_arena_deinit(&scratch);
    return status;
}

static enum usher_status read_show(struct reading *reading, struct show *show,
                                   struct usher_error *err)
{
    struct definition_flags flags = copy_flags(reading);
    enum usher_status status = USHER_OK;
    *show = (struct show){.line = reading->record.line};
    if (reading->record.count != reading->header.count) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "could not read \"%s\" line %ld: %zu column%s, where the first line names "
                        "%zu",
                        reading->source->path, reading->record.line, reading->record.count,
                        PLURAL(reading->record.count), reading->header.count);
        return USHER_FATAL;
    }
    for (size_t i = 0; status == USHER_OK && i < reading->header.count; i++)
        if (!is_of_rates(reading, i))
            status = set_field(reading, &flags, show, i, err);
    /* Behind the currency, wherever its column is. */
    for (size_t i = 0; status == USHER_OK && i < reading->header.count; i++)
        if (is_of_rates(reading, i) && *reading->record.fields[i] != '\0')
            status = set_rates(reading, &flags, i, err);
    show->definition = flags.definition;
    if (status == USHER_OK)
        status = check_show(reading, &flags, show, err);
    if (status == USHER_OK && reading->shows->count == 0)
        reading->priced = flags;
    return status;
}

static void add_show(struct reading *reading)
{
    struct shows *shows = reading->shows;
    struct usher_error err = {.text = ""};
    if (shows->count == reading->room) {
        size_t room = reading->room == 0 ? 256 : 2 * reading->room;
        struct show *grown =
            usher_arena_alloc(&reading->source->options->arena, room * sizeof *grown);
        if (shows->count > 0)
            memcpy(grown, shows->at, shows->count * sizeof *grown);
        shows->at = grown;
        reading->room = room;
    }
    if (read_show(reading, &shows->at[shows->count], &err) == USHER_OK)
        shows->count++;
    else
        report_bad_line(reading, err.text);
}

/* ---- the first line ---- */

/* Spreadsheets of some languages write other separators. */
static const char *other_separator(const struct reading *reading)
{
    if (reading->header.count > 1)
        return NULL;
    return strchr(reading->header.fields[0], ';')    ? "semicolons"
           : strchr(reading->header.fields[0], '\t') ? "tabs"
                                                     : NULL;
}

static enum usher_status unknown_column(struct reading *reading, size_t column)
{
    const char *name = reading->header.fields[column], *separator = other_separator(reading);
    if (separator) {
        usher_error_set(reading->err, USHER_EXIT_BAD_INPUT,
                        "could not read \"%s\" line %ld: its columns are separated by %s, not by "
                        "commas",
                        reading->source->path, reading->header.line, separator);
        return USHER_FATAL;
    }
    struct nearest nearest = {.name = name};
    nearest_offer(&nearest, "resource");
    const struct message_field *field = NULL;
    while ((field = definition_text_after(field)))
        nearest_offer(&nearest, definition_column(field));
    usher_error_set(reading->err, USHER_EXIT_BAD_INPUT,
                    "could not read \"%s\" line %ld column %zu: unknown \"%s\"%s%s%s",
                    reading->source->path, reading->header.line, column + 1, name,
                    nearest.best ? "; did you mean \"" : "; see define --help",
                    nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
    return USHER_FATAL;
}

static enum usher_status check_header(struct reading *reading)
{
    bool resource = false;
    for (size_t i = 0; i < reading->header.count; i++) {
        const char *name = reading->header.fields[i];
        bool is_rates = strncmp(name, rates_prefix, strlen(rates_prefix)) == 0 &&
                        name[strlen(rates_prefix)] != '\0';
        bool is_resource = strcmp(name, "resource") == 0;
        if (!is_rates && !is_resource && !definition_field(name))
            return unknown_column(reading, i);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(reading->header.fields[k], name) != 0)
                continue;
            usher_error_set(reading->err, USHER_EXIT_BAD_INPUT,
                            "could not read \"%s\" line %ld column %zu: duplicate \"%s\"",
                            reading->source->path, reading->header.line, i + 1, name);
            return USHER_FATAL;
        }
        reading->rates_columns += is_rates;
        resource = resource || is_resource;
    }
    return resource ? USHER_OK : fail(reading, "its first line has no column \"resource\"");
}

/* ---- all lines ---- */

static int compare_shows(const void *left, const void *right)
{
    const struct show *const *a = left, *const *b = right;
    int order = strcmp((*a)->resource, (*b)->resource);
    return order != 0 ? order : (*a)->line < (*b)->line ? -1 : 1;
}

/* Two lines for one resource are an error: the second would silently win. */
static void report_duplicates(struct reading *reading)
{
    const struct shows *shows = reading->shows;
    const struct show **sorted =
        usher_arena_alloc(&reading->source->options->arena, (shows->count + 1) * sizeof *sorted);
    char text[400];
    for (size_t i = 0; i < shows->count; i++)
        sorted[i] = &shows->at[i];
    qsort(sorted, shows->count, sizeof *sorted, compare_shows);
    for (size_t i = 1; i < shows->count; i++) {
        if (strcmp(sorted[i - 1]->resource, sorted[i]->resource) != 0)
            continue;
        snprintf(text, sizeof text, "could not use \"%s\" line %ld: \"%s\" is on line %ld already",
                 reading->source->path, sorted[i]->line, sorted[i]->resource, sorted[i - 1]->line);
        report_bad_line(reading, text);
    }
}

/*
 * Reads all of them into shows->at. FATAL with exit code 65; bad lines were reported on stderr.
 */
static enum usher_status shows_lines_read(const struct shows_source *source, struct csv *csv,
                                          struct shows *shows, struct usher_error *err)
{
    struct reading reading = {.source = source, .shows = shows, .err = err};
    struct usher_error bad = {.text = ""};
    enum usher_status status = csv_next(csv, &reading.header, err);
    if (status == USHER_HALT)
        return fail(&reading, "it is empty");
    if (status != USHER_OK || check_header(&reading) != USHER_OK)
        return USHER_FATAL;
    while ((status = csv_next(csv, &reading.record, &bad)) != USHER_HALT)
        if (status == USHER_OK)
            add_show(&reading);
        else
            report_bad_line(&reading, bad.text);
    report_duplicates(&reading);
    if (reading.bad == 0 && shows->count == 0)
        return fail(&reading, "it has no line after the first");
    if (reading.bad == 0) {
        definition_warn_unpriced(&reading.priced);
        return USHER_OK;
    }
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "%zu line%s of \"%s\" %s bad; nothing was sent",
                    reading.bad, PLURAL(reading.bad), source->path,
                    reading.bad == 1 ? "is" : "are");
    return USHER_FATAL;
}

/* ==== Shows ==== */

/* ---- the flags ---- */

static bool has_rows(const struct chart_file *chart)
{
    for (uint32_t i = 0; chart && i < chart->section_count; i++)
        if (chart->sections[i].row_count > 0)
            return true;
    return false;
}

/* Rows beside those of the plan would make it another chart than the one that is named. */
static enum usher_status check_rows(const struct definition_flags *base, struct usher_error *err)
{
    for (uint32_t i = 0; i < base->definition.section_count; i++) {
        if (base->sections[i].row_count == 0 || definition_is_of_plan(base, &base->sections[i]))
            continue;
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use %s: with --shows all rows come from --plan",
                        base->section_origins[i]);
        return USHER_FATAL;
    }
    return USHER_OK;
}

static enum usher_status check_flags(const struct options *options, struct usher_error *err)
{
    if (options->argument_count > 0) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not use \"%s\": --shows names the resources",
                        options->arguments[0]);
        return USHER_FATAL;
    }
    if (options_has(options, "file")) {
        usher_error_set(err, USHER_EXIT_USAGE, "give either --shows or --file");
        return USHER_FATAL;
    }
    if (options_bool(options, "no-wait")) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use --no-wait: --shows waits for the answers");
        return USHER_FATAL;
    }
    return request_check_text(options, err);
}

/* Reports what is wrong with the options once, not per line. */
static enum usher_status check_sample(struct options *options, const struct shows *shows,
                                      const struct definition_flags *base, struct usher_error *err)
{
    static const struct usher_request no_request;
    struct show sample = {.resource = "sample", .definition = base->definition};
    struct request_origin origin = {.options = options, .request = &no_request, .definition = base};
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = &options->arena, .fault = &fault};
    enum usher_status status = show_check(shows, &sample, true, &reader, err);
    if (status == USHER_REJECT)
        request_fault_report(&origin, &fault, err);
    return status == USHER_OK ? USHER_OK : USHER_FATAL;
}

static enum usher_status read_flags(struct options *options, struct definition_flags *base,
                                    struct shows *shows, struct usher_error *err)
{
    const char *deadline = options_text(options, "deadline");
    enum usher_status status = definition_build(options, base, err);
    if (status == USHER_OK && deadline)
        status = flag_deadline("--deadline", deadline, &shows->deadline_ms, err);
    if (status == USHER_OK)
        status = check_sample(options, shows, base, err);
    if (status == USHER_OK && has_rows(base->chart)) {
        shows->chart = base->chart;
        status = check_rows(base, err);
    }
    return status;
}

enum usher_status shows_read(struct options *options, struct shows *shows, struct usher_error *err)
{
    char *id = usher_arena_alloc(&options->arena, REQUEST_ID_SIZE);
    struct definition_flags *base = usher_arena_alloc(&options->arena, sizeof *base);
    struct usher_buffer text = {0};
    struct shows_source source = {
        .options = options, .path = options_text(options, "shows"), .base = base};
    request_id_random(id);
    *shows = (struct shows){
        .request_id = options_has(options, "request-id") ? options_text(options, "request-id") : id,
        .client = options_text(options, "client"),
        .flags = &base->definition,
    };
    enum usher_status status = check_flags(options, err);
    if (status == USHER_OK)
        status = flag_only(options, &shows->only, err);
    if (status == USHER_OK)
        status = read_flags(options, base, shows, err);
    if (status == USHER_OK)
        status = json_file_bytes(source.path, &text, err);
    struct csv csv = {
        .name = source.path, .at = text.at, .left = text.size, .arena = &options->arena};
    if (status == USHER_OK)
        status = shows_lines_read(&source, &csv, shows, err);
    usher_buffer_deinit(&text);
    return status;
}
