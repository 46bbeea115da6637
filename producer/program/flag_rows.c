/* Reads the rows of a section out of a flag. */
#include "producer/program/flag_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "producer/program/flag_values.h"

enum {
    ROWS_MAX = 1000 /* a flag; more come by --plan or --file */
};

/* The list being filled. */
struct reading {
    struct usher_arena *arena;
    const char *what;
    struct usher_row *rows;
    uint32_t count;
};

static enum usher_status bad_row(const struct reading *reading, const char *text,
                                 const char *wanted, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is not %s", reading->what,
                    text, wanted);
    return USHER_FATAL;
}

/* A-F or 1-12 as numbers; false where the label is a row's own. */
static bool row_range(const char *label, int64_t *first, int64_t *last, bool *letters)
{
    struct usher_error ignored;
    char from[8], to[8];
    if (isupper((unsigned char)label[0]) && label[1] == '-' && isupper((unsigned char)label[2]) &&
        label[3] == '\0') {
        *first = (unsigned char)label[0];
        *last = (unsigned char)label[2];
        *letters = true;
        return true;
    }
    *letters = false;
    return sscanf(label, "%7[0-9]-%7[0-9]", from, to) == 2 &&
           strlen(from) + 1 + strlen(to) == strlen(label) &&
           flag_number("", from, ROWS_MAX, first, &ignored) == USHER_OK &&
           flag_number("", to, ROWS_MAX, last, &ignored) == USHER_OK;
}

/* One of them; cuts `text` at its colons. */
static enum usher_status read_row(const struct reading *reading, char *text, struct usher_row *row,
                                  struct usher_error *err)
{
    int64_t seats = 0, number = 1;
    char *colon = strchr(text, ':');
    if (!colon)
        return bad_row(reading, text, "ROW:SEATS or ROW:SEATS:FIRST", err);
    *colon = '\0';
    char *second = strchr(colon + 1, ':');
    if (second)
        *second = '\0';
    enum usher_status status =
        flag_number(reading->what, colon + 1, USHER_CAPACITY_MAX, &seats, err);
    if (status == USHER_OK && second)
        status = flag_number(reading->what, second + 1, USHER_CAPACITY_MAX, &number, err);
    if (status == USHER_OK && seats == 0)
        return bad_row(reading, text, "a row: it has no seats", err);
    *row = (struct usher_row){.row = text,
                              .seats = (uint32_t)seats,
                              .first = (uint32_t)number,
                              .first_given = number == 0};
    return status;
}

static enum usher_status add_rows(struct reading *reading, char *text, struct usher_error *err)
{
    struct usher_row row;
    int64_t first = 0, last = 0;
    bool letters = false;
    enum usher_status status = read_row(reading, text, &row, err);
    if (status != USHER_OK)
        return status;
    bool range = row_range(text, &first, &last, &letters);
    if (range && first > last)
        return bad_row(reading, text, "a range of rows", err);
    if (reading->count + (range ? last - first : 0) >= ROWS_MAX) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: more than %d rows",
                        reading->what, ROWS_MAX);
        return USHER_FATAL;
    }
    for (int64_t i = first; range && i <= last; i++) {
        row.row = letters ? usher_arena_format(reading->arena, "%c", (int)i)
                          : usher_arena_format(reading->arena, "%d", (int)i);
        reading->rows[reading->count++] = row;
    }
    if (!range)
        reading->rows[reading->count++] = row;
    return USHER_OK;
}

enum usher_status flag_rows(struct usher_arena *arena, const char *what, const char *text,
                            struct flag_rows *rows, struct usher_error *err)
{
    struct reading reading = {
        .arena = arena,
        .what = what,
        .rows = usher_arena_alloc(arena, ROWS_MAX * sizeof *reading.rows),
    };
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && *text != '\0') {
        size_t size = strcspn(text, "+");
        status = add_rows(&reading, usher_arena_text(arena, text, size), err);
        text += size + (text[size] == '+');
    }
    *rows = (struct flag_rows){.rows = reading.rows, .count = reading.count};
    return status;
}
