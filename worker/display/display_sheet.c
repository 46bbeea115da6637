/*
 * Copies the catalogue of one resource. All of a sheet lies in one piece of memory, since there is
 * one for every warm resource.
 */
#include "worker/display/display_sheet.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* ---- one piece of memory ---- */

/* With `at` NULL it only counts, so that one walk serves both for measuring and for filling. */
struct piece {
    char *at;
    size_t used;
};

static void *piece_take(struct piece *piece, size_t size)
{
    size_t start = piece->used;
    piece->used += size;
    return piece->at ? piece->at + start : NULL;
}

static void *piece_array(struct piece *piece, size_t count, size_t size)
{
    size_t alignment = alignof(max_align_t);
    piece->used = (piece->used + alignment - 1) / alignment * alignment;
    return piece_take(piece, count * size);
}

static const char *piece_bytes(struct piece *piece, const void *bytes, size_t size)
{
    if (!bytes)
        return NULL;
    char *copy = piece_take(piece, size);
    return copy ? memcpy(copy, bytes, size) : NULL;
}

static const char *piece_text(struct piece *piece, const char *text)
{
    return piece_bytes(piece, text, text ? strlen(text) + 1 : 0);
}

/* ---- pools ---- */

static bool same_text(const char *left, const char *right)
{
    return left && right && strcmp(left, right) == 0;
}

/* The nights of a room type follow each other: they share one copy of its name and of its rates. */
static void copy_pool(struct piece *piece, struct sheet_pool *pools, const struct pool_row *rows,
                      uint32_t index)
{
    const struct pool_row *row = &rows[index];
    bool same_name = index > 0 && same_text(row->name, rows[index - 1].name);
    bool same_rates = index > 0 && same_text(row->rates, rows[index - 1].rates);
    const char *name = same_name ? NULL : piece_text(piece, row->name);
    const char *rates = same_rates ? NULL : piece_text(piece, row->rates);
    const char *title = piece_text(piece, row->title);
    const char *properties = piece_text(piece, row->properties);
    if (!pools)
        return;
    assert(row->index == index);
    pools[index] = (struct sheet_pool){
        .name = same_name ? pools[index - 1].name : name,
        .title = title,
        .kind = row->kind,
        .night = row->night,
        .capacity = row->capacity,
        .price = row->price,
        .rates = same_rates ? pools[index - 1].rates : rates,
        .properties = properties,
        .first_seat = SHEET_NO_SEATS,
    };
}

/* Places (or, without memory, measures) all parts. */
static struct sheet *place(struct piece *piece, const struct loaded_resource *loaded)
{
    const struct resource_row *row = &loaded->row;
    struct sheet *sheet = piece_array(piece, 1, sizeof *sheet);
    const struct sheet catalogue = {
        .no = row->no,
        .state = row->state,
        .starts_ms = row->starts_ms,
        .opens_ms = row->opens_ms,
        .closes_ms = row->closes_ms,
        .pools = piece_array(piece, loaded->pool_count, sizeof *catalogue.pools),
        .pool_count = loaded->pool_count,
        .id = piece_text(piece, row->id),
        .name = piece_text(piece, row->name),
        .timezone = piece_text(piece, row->timezone),
        .currency = piece_text(piece, row->currency),
        .chart_name = piece_text(piece, row->chart),
        .chart = piece_bytes(piece, loaded->chart.content, loaded->chart.content_size),
        .chart_size = loaded->chart.content ? loaded->chart.content_size : 0,
    };
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        copy_pool(piece, catalogue.pools, loaded->pools, i);
    if (sheet)
        *sheet = catalogue;
    return sheet;
}

/* ---- seats ---- */

/* Both lists have the same order as a rule, so that the search begins after the last one found. */
static struct sheet_pool *seated_pool(struct sheet *sheet, const char *name, size_t size,
                                      uint32_t *at)
{
    for (uint32_t i = 0; i < sheet->pool_count; i++) {
        uint32_t index = (*at + i) % sheet->pool_count;
        struct sheet_pool *pool = &sheet->pools[index];
        if (pool->kind == USHER_SEATS && strncmp(pool->name, name, size) == 0 &&
            pool->name[size] == '\0') {
            *at = index + 1;
            return pool;
        }
    }
    return NULL;
}

/*
 * The sections of the chart, one after another, make up the seats string. Of the chart only their
 * names are looked for, which is much less than to decode it: no name has a quote in it, so that
 * these characters begin a section wherever they are.
 */
static void seat_pools(struct sheet *sheet)
{
    static const char opening[] = "{\"section\":\"";
    const char *at = sheet->chart;
    const char *end = at + sheet->chart_size;
    uint32_t index = 0;
    while ((at = memmem(at, (size_t)(end - at), opening, sizeof opening - 1)) != NULL) {
        at += sizeof opening - 1;
        const char *quote = memchr(at, '"', (size_t)(end - at));
        assert(quote);
        struct sheet_pool *pool = seated_pool(sheet, at, (size_t)(quote - at), &index);
        assert(pool && pool->first_seat == SHEET_NO_SEATS);
        pool->first_seat = sheet->seat_count;
        sheet->seat_count += (uint32_t)pool->capacity;
        at = quote;
    }
}

/* ---- sheets ---- */

struct sheet *sheet_create(const struct loaded_resource *loaded)
{
    struct piece piece = {0};
    (void)place(&piece, loaded);
    piece = (struct piece){.at = calloc(1, piece.used)};
    assert(piece.at);
    struct sheet *sheet = place(&piece, loaded);
    atomic_init(&sheet->holders, 1);
    if (sheet->chart)
        seat_pools(sheet);
    for (uint32_t i = 0; i < sheet->pool_count; i++) {
        sheet->total += sheet->pools[i].capacity;
        sheet->shown_count += sheet->pools[i].capacity > 0;
    }
    return sheet;
}

struct sheet *sheet_hold(struct sheet *sheet)
{
    atomic_fetch_add_explicit(&sheet->holders, 1, memory_order_relaxed);
    return sheet;
}

void sheet_release(struct sheet *sheet)
{
    if (sheet && atomic_fetch_sub_explicit(&sheet->holders, 1, memory_order_acq_rel) == 1)
        free(sheet);
}
