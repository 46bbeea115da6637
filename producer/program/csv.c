/* Reads comma-separated values by RFC 4180. */
#include "producer/program/csv.h"

#include <stdbool.h>
#include <string.h>

#include "producer/base/utf8.h"

/* One record being read. */
struct reading {
    struct csv *csv;
    struct csv_record *record;
    struct usher_buffer field; /* the one being read */
    size_t room;               /* of record->fields */
    struct usher_error *err;
};

static bool at_end(const struct csv *csv)
{
    return csv->left == 0;
}

static void skip(struct csv *csv, size_t size)
{
    csv->at += size;
    csv->left -= size;
}

/* The size of a line end here; 0: there is none. */
static size_t line_end(const struct csv *csv)
{
    if (csv->left > 0 && csv->at[0] == '\n')
        return 1;
    return csv->left > 1 && csv->at[0] == '\r' && csv->at[1] == '\n' ? 2 : 0;
}

static void skip_line(struct csv *csv)
{
    const char *end = at_end(csv) ? NULL : memchr(csv->at, '\n', csv->left);
    skip(csv, end ? (size_t)(end - csv->at) + 1 : csv->left);
    csv->line++;
}

static enum usher_status fail(const struct reading *reading, const char *reason)
{
    usher_error_set(reading->err, USHER_EXIT_BAD_INPUT,
                    "could not read \"%s\" line %ld column %zu: %s", reading->csv->name,
                    reading->csv->line + 1, reading->record->count + 1, reason);
    return USHER_REJECT;
}

/* ---- fields ---- */

/* Up to the quote that ends it; a line end inside belongs to it. */
static enum usher_status read_quoted(struct reading *reading)
{
    struct csv *csv = reading->csv;
    long first_line = csv->line + 1;
    skip(csv, 1);
    while (!at_end(csv)) {
        char byte = *csv->at;
        if (byte == '"' && (csv->left == 1 || csv->at[1] != '"')) {
            skip(csv, 1);
            if (at_end(csv) || *csv->at == ',' || line_end(csv) > 0)
                return USHER_OK;
            return fail(reading, "text stands behind the quote that ends the field");
        }
        csv->line += byte == '\n';
        usher_buffer_append(&reading->field, &byte, 1);
        skip(csv, byte == '"' ? 2 : 1);
    }
    usher_error_set(reading->err, USHER_EXIT_BAD_INPUT,
                    "could not read \"%s\" line %ld column %zu: the quote is never closed",
                    csv->name, first_line, reading->record->count + 1);
    return USHER_REJECT;
}

static enum usher_status read_plain(struct reading *reading)
{
    struct csv *csv = reading->csv;
    const char *from = csv->at;
    while (!at_end(csv) && *csv->at != ',' && line_end(csv) == 0) {
        if (*csv->at == '"')
            return fail(reading, "a quote inside a field that does not begin with one");
        if (*csv->at == '\r')
            return fail(reading, "a carriage return that ends no line");
        skip(csv, 1);
    }
    usher_buffer_append(&reading->field, from, (size_t)(csv->at - from));
    return USHER_OK;
}

/* Keeps the field that was read. */
static enum usher_status add_field(struct reading *reading)
{
    struct csv_record *record = reading->record;
    const char *text = reading->field.size == 0 ? "" : reading->field.at;
    if (!utf8_is_valid(text, reading->field.size) || memchr(text, '\0', reading->field.size))
        return fail(reading, "it is not text in UTF-8");
    if (record->count == reading->room) {
        reading->room = reading->room == 0 ? 16 : 2 * reading->room;
        const char **fields =
            usher_arena_alloc(reading->csv->arena, reading->room * sizeof *fields);
        if (record->count > 0)
            memcpy(fields, record->fields, record->count * sizeof *fields);
        record->fields = fields;
    }
    record->fields[record->count++] =
        usher_arena_text(reading->csv->arena, text, reading->field.size);
    reading->field.size = 0;
    return USHER_OK;
}

static enum usher_status read_field(struct reading *reading)
{
    struct csv *csv = reading->csv;
    enum usher_status status =
        !at_end(csv) && *csv->at == '"' ? read_quoted(reading) : read_plain(reading);
    return status == USHER_OK ? add_field(reading) : status;
}

/* ---- records ---- */

static enum usher_status read_record(struct reading *reading)
{
    struct csv *csv = reading->csv;
    enum usher_status status = read_field(reading);
    while (status == USHER_OK && !at_end(csv) && *csv->at == ',') {
        skip(csv, 1);
        status = read_field(reading);
    }
    skip_line(csv);
    return status;
}

enum usher_status csv_next(struct csv *csv, struct csv_record *record, struct usher_error *err)
{
    static const char mark[] = "\xEF\xBB\xBF";
    struct reading reading = {.csv = csv, .record = record, .err = err};
    if (csv->line == 0 && csv->left >= 3 && memcmp(csv->at, mark, 3) == 0)
        skip(csv, 3);
    while (line_end(csv) > 0)
        skip_line(csv);
    if (at_end(csv))
        return USHER_HALT;
    *record = (struct csv_record){.line = csv->line + 1};
    enum usher_status status = read_record(&reading);
    usher_buffer_deinit(&reading.field);
    return status;
}
