/* The distance of Damerau and Levenshtein (without overlapping swaps) over short names. */
#include "producer/base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    NAME_SIZE_MAX = 64
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One row of the table; `rows` are the last but one, the last, and the one to fill. */
static void distance_row(const char *a, size_t i, const char *b, size_t *const rows[3])
{
    const size_t *before2 = rows[0], *before1 = rows[1];
    size_t *row = rows[2];
    row[0] = i + 1;
    for (size_t j = 0; b[j] != '\0'; j++) {
        size_t replaced = before1[j] + (a[i] != b[j]);
        row[j + 1] = least(replaced, least(before1[j + 1], row[j]) + 1);
        if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
            row[j + 1] = least(row[j + 1], before2[j - 1] + 1);
    }
}

static size_t distance(const char *a, const char *b)
{
    size_t cells[3][NAME_SIZE_MAX + 1] = {{0}};
    size_t size = strlen(b);
    if (size > NAME_SIZE_MAX || strlen(a) > NAME_SIZE_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= size; j++)
        cells[2][j] = j;
    size_t *rows[3] = {cells[0], cells[1], cells[2]};
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t *oldest = rows[0];
        rows[0] = rows[1];
        rows[1] = rows[2];
        rows[2] = oldest;
        distance_row(a, i, b, rows);
    }
    return rows[2][size];
}

/*
 * A name that was cut short is nearer than any misspelling but one of a letter. So is one with
 * words too many, as to-customer for to: fields of JSON have them.
 */
static size_t distance_or_prefix(const char *name, const char *candidate)
{
    size_t size = strlen(name), first = strcspn(name, "-_");
    if (size >= 3 && strncmp(name, candidate, size) == 0)
        return 1;
    size_t letters = distance(name, candidate);
    bool has_more = first < size && strlen(candidate) == first && !strncmp(name, candidate, first);
    return has_more && letters > 2 ? 2 : letters;
}

static size_t distance_limit(size_t size)
{
    if (size <= 3)
        return 1;
    return size / 3 < 2 ? 2 : size / 3;
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    size_t d = distance_or_prefix(nearest->name, candidate);
    if (d > distance_limit(strlen(nearest->name)) || (nearest->best && d >= nearest->distance))
        return;
    nearest->best = candidate;
    nearest->distance = d;
}
