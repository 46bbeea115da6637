/* Rows are centred, as in a hall; short ones (boxes) share a line. */
#include "picture.h"

#include <stdio.h>
#include <string.h>
#include <yyjson.h>

enum {
    WIDTH = 32,    /* seats of the longest row that is printed whole */
    SHORT = 8,     /* rows up to this many seats share a line */
    LINE_ROWS = 8, /* rows that share one, at most */
    GAP = 2,       /* between the moments */
    MOMENTS = 2,
};

struct picture {
    const struct screen *screen;
    const struct picture_moment *moments;
    size_t seat_count;
    struct usher_buffer line;
};

/* Rows that are printed as one line. */
struct row_span {
    size_t at[LINE_ROWS], seats[LINE_ROWS];
    size_t count;
    size_t width; /* with the blanks between them */
};

static void blanks(struct picture *picture, size_t count)
{
    for (size_t i = 0; i < count; i++)
        usher_buffer_text(&picture->line, " ");
}

static void append_moment(struct picture *picture, const struct row_span *span, const char *seats)
{
    size_t left = span->width < WIDTH ? (WIDTH - span->width) / 2 : 0;
    blanks(picture, left);
    for (size_t i = 0; i < span->count; i++) {
        blanks(picture, i == 0 ? 0 : 1);
        screen_append_seats(picture->screen, &picture->line, seats + span->at[i], span->seats[i]);
    }
    if (left + span->width < WIDTH)
        blanks(picture, WIDTH - left - span->width);
}

static void print_span(struct picture *picture, const char *section, const char *row,
                       const struct row_span *span)
{
    screen_append(&picture->line, "  %-8s %-2s ", section, row);
    for (int i = 0; i < MOMENTS; i++) {
        blanks(picture, i == 0 ? 0 : GAP);
        append_moment(picture, span, picture->moments[i].seats);
    }
    screen_line(&picture->line);
}

/* Adds the row if it is one that fits; false: the line is full. */
static bool add_row(struct row_span *span, size_t at, size_t seats)
{
    size_t width = span->count == 0 ? seats : span->width + 1 + seats;
    if (span->count == LINE_ROWS ||
        (span->count > 0 && (seats > SHORT || span->seats[0] > SHORT || width > WIDTH)))
        return false;
    span->at[span->count] = at;
    span->seats[span->count] = seats;
    span->count++;
    span->width = width;
    return true;
}

/* False where the layout has seats that the strings have not. */
static bool print_section(struct picture *picture, yyjson_val *section)
{
    yyjson_val *rows = yyjson_obj_get(section, "rows");
    const char *title = yyjson_get_str(yyjson_obj_get(section, "section"));
    struct row_span span = {.count = 0};
    const char *first = NULL;
    size_t i, count;
    yyjson_val *row;
    yyjson_arr_foreach(rows, i, count, row) {
        const char *name = yyjson_get_str(yyjson_obj_get(row, "row"));
        size_t at = (size_t)yyjson_get_sint(yyjson_obj_get(row, "at"));
        size_t seats = yyjson_arr_size(yyjson_obj_get(row, "labels"));
        if (title == NULL || name == NULL || at + seats > picture->seat_count)
            return false;
        if (!add_row(&span, at, seats)) {
            print_span(picture, title, first, &span);
            title = "";
            span = (struct row_span){.count = 0};
            (void)add_row(&span, at, seats);
        }
        first = span.count == 1 ? name : first;
    }
    if (span.count > 0)
        print_span(picture, title, first, &span);
    return true;
}

static void print_titles(struct picture *picture)
{
    screen_append(&picture->line, "  %-8s %-2s ", "", "");
    for (int i = 0; i < MOMENTS; i++) {
        int size = (int)strlen(picture->moments[i].title);
        int left = size < WIDTH ? (WIDTH - size) / 2 : 0;
        screen_append(&picture->line, "%*s%-*s", left, "", WIDTH + GAP - left,
                      picture->moments[i].title);
    }
    screen_line(&picture->line);
}

enum usher_status picture_print(const struct screen *screen, const char *layout,
                                const struct picture_moment moments[2], struct usher_error *err)
{
    struct picture picture = {
        .screen = screen,
        .moments = moments,
        .seat_count = strlen(moments[1].seats),
    };
    yyjson_doc *document = yyjson_read(layout, strlen(layout), YYJSON_READ_NOFLAG);
    yyjson_val *sections = yyjson_obj_get(yyjson_doc_get_root(document), "sections");
    bool good = yyjson_arr_size(sections) > 0 && strlen(moments[0].seats) == picture.seat_count;
    if (good)
        print_titles(&picture);
    size_t at, count;
    yyjson_val *section;
    yyjson_arr_foreach(sections, at, count, section)
        good = good && print_section(&picture, section);
    yyjson_doc_free(document);
    usher_buffer_deinit(&picture.line);
    if (good)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_DIFFERENCE,
                    "could not draw the hall: its layout and its seats in Redis do not match");
    return USHER_REJECT;
}
