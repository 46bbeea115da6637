/* CSV, record by record: see csv.h. */
#include "producer/program/csv.h"

#include <stdbool.h>
#include <string.h>

#include "producer/base/utf8.h"

/* One record being read. */
struct csv_reading {
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

static enum usher_status fail_csv(const struct csv_reading *csv_reading, const char *reason)
{
    usher_error_set(csv_reading->err, USHER_EXIT_BAD_INPUT,
                    "could not read \"%s\" line %ld column %zu: %s", csv_reading->csv->name,
                    csv_reading->csv->line + 1, csv_reading->record->count + 1, reason);
    return USHER_REJECT;
}

/* ---- fields ---- */

/* Up to the quote that ends it; a line end inside belongs to it. */
static enum usher_status read_quoted(struct csv_reading *csv_reading)
{
    struct csv *csv = csv_reading->csv;
    long first_line = csv->line + 1;
    skip(csv, 1);
    while (!at_end(csv)) {
        char byte = *csv->at;
        if (byte == '"' && (csv->left == 1 || csv->at[1] != '"')) {
            skip(csv, 1);
            if (at_end(csv) || *csv->at == ',' || line_end(csv) > 0)
                return USHER_OK;
            return fail_csv(csv_reading, "text stands behind the quote that ends the field");
        }
        csv->line += byte == '\n';
        usher_buffer_append(&csv_reading->field, &byte, 1);
        skip(csv, byte == '"' ? 2 : 1);
    }
    usher_error_set(csv_reading->err, USHER_EXIT_BAD_INPUT,
                    "could not read \"%s\" line %ld column %zu: the quote is never closed",
                    csv->name, first_line, csv_reading->record->count + 1);
    return USHER_REJECT;
}

static enum usher_status read_plain(struct csv_reading *csv_reading)
{
    struct csv *csv = csv_reading->csv;
    const char *from = csv->at;
    while (!at_end(csv) && *csv->at != ',' && line_end(csv) == 0) {
        if (*csv->at == '"')
            return fail_csv(csv_reading, "a quote inside a field that does not begin with one");
        if (*csv->at == '\r')
            return fail_csv(csv_reading, "a carriage return that ends no line");
        skip(csv, 1);
    }
    usher_buffer_append(&csv_reading->field, from, (size_t)(csv->at - from));
    return USHER_OK;
}

/* Keeps the field that was read. */
static enum usher_status add_field(struct csv_reading *csv_reading)
{
    struct csv_record *record = csv_reading->record;
    const char *text = csv_reading->field.size == 0 ? "" : csv_reading->field.at;
    if (!utf8_is_valid(text, csv_reading->field.size) ||
        memchr(text, '\0', csv_reading->field.size))
        return fail_csv(csv_reading, "it is not text in UTF-8");
    if (record->count == csv_reading->room) {
        csv_reading->room = csv_reading->room == 0 ? 16 : 2 * csv_reading->room;
        const char **fields =
            usher_arena_alloc(csv_reading->csv->arena, csv_reading->room * sizeof *fields);
        if (record->count > 0)
            memcpy(fields, record->fields, record->count * sizeof *fields);
        record->fields = fields;
    }
    record->fields[record->count++] =
        usher_arena_text(csv_reading->csv->arena, text, csv_reading->field.size);
    csv_reading->field.size = 0;
    return USHER_OK;
}

static enum usher_status read_field(struct csv_reading *csv_reading)
{
    struct csv *csv = csv_reading->csv;
    enum usher_status status =
        !at_end(csv) && *csv->at == '"' ? read_quoted(csv_reading) : read_plain(csv_reading);
    return status == USHER_OK ? add_field(csv_reading) : status;
}

/* ---- records ---- */

static enum usher_status read_record(struct csv_reading *csv_reading)
{
    struct csv *csv = csv_reading->csv;
    enum usher_status status = read_field(csv_reading);
    while (status == USHER_OK && !at_end(csv) && *csv->at == ',') {
        skip(csv, 1);
        status = read_field(csv_reading);
    }
    skip_line(csv);
    return status;
}

enum usher_status csv_next(struct csv *csv, struct csv_record *record, struct usher_error *err)
{
    struct csv_reading csv_reading = {.csv = csv, .record = record, .err = err};
    while (line_end(csv) > 0)
        skip_line(csv);
    if (at_end(csv))
        return USHER_HALT;
    *record = (struct csv_record){.line = csv->line + 1};
    enum usher_status status = read_record(&csv_reading);
    usher_buffer_deinit(&csv_reading.field);
    return status;
}
