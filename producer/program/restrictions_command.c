/*
 * The command that turns stay restrictions, as channel managers send them, into defines: CSV or
 * JSON lines in, one request per so many rows out, for the command send. It holds one define in
 * memory. Does not know Kafka.
 */
#include "producer/program/restrictions_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/nearest.h"
#include "producer/base/plural.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/message_parse.h"
#include "producer/program/csv.h"
#include "producer/program/flag_values.h"
#include "producer/program/lines.h"
#include "producer/program/request_build.h"

enum {
    DATES_MAX = 1000000 /* of the rows of a define: a worker merges them one by one */
};

/* A column, and the field of a restriction that it gives; NULL: `arrival`, which gives two. */
static const struct column {
    const char *name, *field;
} columns[] = {
    {"arrival", NULL},
    {"room", "room"},
    {"rate", "rate"},
    {"days", "days"},
    {"min", "min_stay_arrival"},
    {"max", "max_stay"},
    {"min_through", "min_stay_through"},
    {"cta", "closed_to_arrival"},
    {"ctd", "closed_to_departure"},
    {"stop", "stop_sell"},
};

enum {
    COLUMN_COUNT = sizeof columns / sizeof columns[0]
};

/* Rows on their way into a define. */
struct import {
    struct options *options;
    struct lines lines;
    const char *id;                         /* that those of the requests begin with */
    struct usher_arena header_arena, arena; /* of the first line of a file; of a define */
    const struct column **header;           /* of the file; NULL: its rows are JSON */
    size_t header_count;
    struct usher_restriction *rows;
    uint32_t row_count, row_limit;
    int64_t dates, all_rows, defines;
};

/* ---- complaints ---- */

static enum usher_status fail(const struct import *import, const char *reason,
                              struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not use \"%s\" line %ld: %s",
                    import->lines.name, import->lines.number, reason);
    return USHER_FATAL;
}

static enum usher_status unknown_column(struct import *import, const char *name,
                                        struct usher_error *err)
{
    struct nearest nearest = {.name = name};
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        nearest_offer(&nearest, columns[i].name);
    return fail(import,
                usher_arena_format(&import->arena, "unknown column \"%s\"%s%s%s", name,
                                   nearest.best ? "; did you mean \"" : "; see restrictions --help",
                                   nearest.best ? nearest.best : "", nearest.best ? "\"?" : ""),
                err);
}

static const struct column *find_column(const char *name)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

/* ---- one value ---- */

/* Channels write a truth in several ways. */
static const char *truth_of(const char *text)
{
    static const char *const words[][2] = {{"1", "true"},  {"y", "true"},  {"Y", "true"},
                                           {"0", "false"}, {"n", "false"}, {"N", "false"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i][0]) == 0)
            return words[i][1];
    return text;
}

/* A date, or the first and the last one of several: 2026-12-19..2027-04-03. */
static enum usher_status set_arrival(const struct flag_source *source,
                                     struct usher_restriction *row, struct usher_error *err)
{
    struct flag_source date = *source;
    const char *dots = strstr(source->text, "..");
    if (dots)
        date.text = usher_arena_text(source->arena, source->text, (size_t)(dots - source->text));
    enum usher_status status =
        flag_field(&date, message_field_of(&restriction_table, "from"), row, err);
    if (dots)
        date.text = dots + 2;
    if (status == USHER_OK)
        status = flag_field(&date, message_field_of(&restriction_table, "to"), row, err);
    row->to++;
    return status;
}

/* An empty value leaves the rule as it is. */
static enum usher_status set_value(struct import *import, const struct column *column,
                                   const char *text, struct usher_error *err)
{
    struct usher_restriction *row = &import->rows[import->row_count];
    const struct message_field *field =
        column->field ? message_field_of(&restriction_table, column->field) : NULL;
    const struct flag_source source = {
        .arena = &import->arena,
        .what = usher_arena_format(&import->arena, "\"%s\" line %ld (%s)", import->lines.name,
                                   import->lines.number, column->name),
        .text = field && field->type == MESSAGE_WHETHER ? truth_of(text) : text,
        .separator = '+'};
    if (*text == '\0')
        return USHER_OK;
    enum usher_status status =
        field ? flag_field(&source, field, row, err) : set_arrival(&source, row, err);
    if (status != USHER_OK)
        err->exit_code = USHER_EXIT_BAD_INPUT;
    return status;
}

/* ---- one row ---- */

static void encode(const struct import *import, const struct usher_restriction *rows,
                   uint32_t count, const char *id, struct usher_buffer *out)
{
    const struct usher_definition definition = {.restrictions = rows, .restriction_count = count};
    const struct usher_request request = {.request_id = id,
                                          .op = USHER_OP_DEFINE,
                                          .resource = import->options->arguments[0],
                                          .client = options_text(import->options, "client"),
                                          .definition = &definition};
    usher_request_encode(&request, out);
}

/* Whether a worker would accept a define of the row. */
static enum usher_status check_row(struct import *import, const struct usher_restriction *row,
                                   struct usher_error *err)
{
    static const char place[] = "restrictions[0].";
    struct usher_buffer json = {0};
    struct usher_request request;
    struct usher_error bad = {0};
    if (!row->room)
        return fail(import, "it has no room, and there is no --room", err);
    if (row->to == 0)
        return fail(import, "it has no arrival", err);
    if (row->from >= row->to)
        return fail(import, "arrival: the first date is after the last", err);
    encode(import, row, 1, import->id, &json);
    enum usher_status status =
        usher_request_decode(json.at, json.size, &import->arena, &request, &bad);
    usher_buffer_deinit(&json);
    const char *reason =
        strncmp(bad.text, place, strlen(place)) == 0 ? bad.text + strlen(place) : bad.text;
    return status == USHER_OK ? USHER_OK : fail(import, reason, err);
}

static enum usher_status set_json(struct import *import, yyjson_val *root, struct usher_error *err)
{
    size_t at, count, place, size;
    yyjson_val *key, *value, *one;
    enum usher_status status = USHER_OK;
    yyjson_obj_foreach(root, at, count, key, value) {
        const struct column *column = find_column(yyjson_get_str(key));
        const char *text = yyjson_is_str(value) ? yyjson_get_str(value) : "";
        if (!column)
            return unknown_column(import, yyjson_get_str(key), err);
        if (yyjson_is_int(value))
            text = usher_arena_format(&import->arena, "%" PRId64, yyjson_get_sint(value));
        else if (yyjson_is_bool(value))
            text = yyjson_is_true(value) ? "true" : "false";
        else if (!yyjson_is_str(value) && !yyjson_is_null(value) && !yyjson_is_arr(value))
            return fail(import, "a value is neither text, number, truth nor list", err);
        yyjson_arr_foreach(value, place, size, one) {
            text = usher_arena_format(&import->arena, "%s%s%s", text, place > 0 ? "+" : "",
                                      yyjson_is_str(one) ? yyjson_get_str(one) : "?");
        }
        status = set_value(import, column, text, err);
        if (status != USHER_OK)
            return status;
    }
    return status;
}

static enum usher_status read_json(struct import *import, const char *line, size_t size,
                                   struct usher_error *err)
{
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = &import->arena, .fault = &fault};
    struct message_tree tree = {.root = NULL};
    enum usher_status status = message_parse(&reader, line, size, &tree);
    status = status == USHER_OK ? set_json(import, tree.root, err)
                                : fail(import, message_fault_text(&import->arena, &fault), err);
    message_tree_close(&tree);
    return status;
}

static enum usher_status read_header(struct import *import, const struct csv_record *record,
                                     struct usher_error *err)
{
    usher_arena_reset(&import->header_arena);
    import->header =
        usher_arena_alloc(&import->header_arena, record->count * sizeof *import->header);
    import->header_count = record->count;
    for (size_t i = 0; i < record->count; i++) {
        import->header[i] = find_column(record->fields[i]);
        if (!import->header[i])
            return unknown_column(import, record->fields[i], err);
        for (size_t j = 0; j < i; j++)
            if (import->header[j] == import->header[i])
                return fail(import,
                            usher_arena_format(&import->arena, "column \"%s\" comes twice",
                                               record->fields[i]),
                            err);
    }
    return USHER_OK;
}

/* `*is_row`: it was no header. */
static enum usher_status read_csv(struct import *import, const char *line, size_t size,
                                  bool *is_row, struct usher_error *err)
{
    struct csv csv = {.name = import->lines.name,
                      .at = line,
                      .left = size,
                      .arena = &import->arena,
                      .line = import->lines.number - 1};
    struct csv_record record;
    enum usher_status status = csv_next(&csv, &record, err);
    *is_row = import->header;
    if (status != USHER_OK)
        return USHER_FATAL;
    if (!import->header)
        return read_header(import, &record, err);
    if (record.count != import->header_count)
        return fail(import, "it has more or fewer columns than the first line", err);
    for (size_t i = 0; status == USHER_OK && i < record.count; i++)
        status = set_value(import, import->header[i], record.fields[i], err);
    return status;
}

/* ---- defines ---- */

static void print_define(struct import *import)
{
    struct usher_buffer json = {0};
    if (import->row_count == 0)
        return;
    encode(import, import->rows, import->row_count,
           usher_arena_format(&import->arena, "%s-%" PRId64, import->id, ++import->defines), &json);
    printf("%.*s\n", (int)json.size, json.at);
    fflush(stdout);
    usher_buffer_deinit(&json);
    import->row_count = 0;
    import->dates = 0;
    usher_arena_reset(&import->arena);
}

static enum usher_status add_row(struct import *import, struct usher_error *err)
{
    struct usher_restriction *row = &import->rows[import->row_count];
    enum usher_status status = check_row(import, row, err);
    if (status != USHER_OK)
        return status;
    import->row_count++;
    import->all_rows++;
    import->dates += row->to - row->from;
    if (import->row_count == import->row_limit || import->dates >= DATES_MAX)
        print_define(import);
    return USHER_OK;
}

static enum usher_status read_line(struct import *import, const char *line, size_t size,
                                   struct usher_error *err)
{
    bool is_row = true;
    if (import->lines.number == 1)
        import->header = NULL;
    if (size == 0)
        return USHER_OK;
    import->rows[import->row_count] =
        (struct usher_restriction){.room = options_text(import->options, "room")};
    enum usher_status status = *line == '{' && !import->header
                                   ? read_json(import, line, size, err)
                                   : read_csv(import, line, size, &is_row, err);
    return status == USHER_OK && is_row ? add_row(import, err) : status;
}

static enum usher_status read_all(struct import *import, struct usher_error *err)
{
    const char *line;
    size_t size;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK || status == USHER_RETRY) {
        status = lines_next(&import->lines, -1, &line, &size, err);
        if (status == USHER_OK)
            status = read_line(import, line, size, err);
    }
    if (status != USHER_HALT)
        return status;
    print_define(import);
    return USHER_OK;
}

enum usher_exit restrictions_command(const struct program_command *command, struct options *options,
                                     struct usher_error *err)
{
    (void)command;
    char id[REQUEST_ID_SIZE];
    request_id_random(id);
    struct import import = {
        .options = options,
        .lines = {.paths = options->arguments + 1, .path_count = options->argument_count - 1},
        .id = options_has(options, "request-id") ? options_text(options, "request-id") : id,
        .row_limit = (uint32_t)options_integer(options, "rows"),
    };
    import.rows = usher_arena_alloc(&options->arena, import.row_limit * sizeof *import.rows);
    enum usher_status status = read_all(&import, err);
    if (status == USHER_OK)
        fprintf(stderr, "%" PRId64 " row%s in %" PRId64 " define%s\n", import.all_rows,
                PLURAL(import.all_rows), import.defines, PLURAL(import.defines));
    lines_deinit(&import.lines);
    usher_arena_deinit(&import.header_arena);
    usher_arena_deinit(&import.arena);
    return status == USHER_OK ? USHER_EXIT_DONE : err->exit_code;
}
