/* Seats in a row for people: see seat_ranges.h. */
#include "producer/terminal/seat_ranges.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANGE_SEATS_MIN = 3, /* "A-5 A-6" is as short as a range */
    DIGITS_MAX = 9,
};

/* The label in the first `size` bytes as a range of one seat. */
static bool read_label(const char *text, size_t size, struct seat_range *range)
{
    char number[DIGITS_MAX + 1] = "";
    size_t row = size;
    while (row > 0 && isdigit((unsigned char)text[row - 1]))
        row--;
    if (row == 0 || text[row - 1] != '-' || row == size || size - row > DIGITS_MAX ||
        size >= SEAT_LABEL_SIZE)
        return false;
    memcpy(number, text + row, size - row);
    *range = (struct seat_range){.row = text, .row_size = (int)row};
    range->first = range->last = (uint32_t)strtoul(number, NULL, 10);
    range->digits = text[row] == '0' ? (int)(size - row) : 1;
    return true;
}

static bool same_row(const struct seat_range *a, const struct seat_range *b)
{
    return a->row_size == b->row_size && memcmp(a->row, b->row, (size_t)a->row_size) == 0;
}

bool seat_range_read(const char *text, struct seat_range *range)
{
    struct seat_range last;
    const char *dots = strstr(text, "..");
    if (!dots || !read_label(text, (size_t)(dots - text), range) ||
        !read_label(dots + 2, strlen(dots + 2), &last) || !same_row(range, &last))
        return false;
    range->last = last.first;
    return range->first <= range->last;
}

void seat_range_label(const struct seat_range *range, uint32_t number, char label[SEAT_LABEL_SIZE])
{
    snprintf(label, SEAT_LABEL_SIZE, "%.*s%0*u", range->row_size, range->row, range->digits,
             number);
}

/* How many of the seats are neighbours from the first one on. */
static uint32_t count_neighbours(const char *const *seats, uint32_t count)
{
    struct seat_range range;
    char label[SEAT_LABEL_SIZE];
    uint32_t same = 1;
    if (!read_label(seats[0], strlen(seats[0]), &range))
        return 1;
    for (; same < count; same++) {
        seat_range_label(&range, range.first + same, label);
        if (strcmp(label, seats[same]) != 0)
            break;
    }
    return same;
}

void seat_ranges_print(const char *const *seats, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t same = count_neighbours(seats + i, count - i);
        fprintf(out, "%s%s", i == 0 ? "" : " ", seats[i]);
        if (same >= RANGE_SEATS_MIN)
            fprintf(out, "..%s", seats[i + same - 1]);
        i += same >= RANGE_SEATS_MIN ? same : 1;
    }
}
