/*
 * Draws the picture of one resource and moves it unit by unit. All of a picture lies in one piece
 * of memory, since there is one for every warm resource.
 */
#include "display_picture.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORD_BITS = 64
};

static uint32_t word_count(uint32_t seat_count)
{
    return (seat_count + WORD_BITS - 1) / WORD_BITS;
}

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
    return piece->at == NULL ? NULL : piece->at + start;
}

static void *piece_array(struct piece *piece, size_t count, size_t size)
{
    size_t alignment = alignof(max_align_t);
    piece->used = (piece->used + alignment - 1) / alignment * alignment;
    return piece_take(piece, count * size);
}

static const char *piece_text(struct piece *piece, const char *text)
{
    if (text == NULL)
        return NULL;
    size_t size = strlen(text) + 1;
    char *copy = piece_take(piece, size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

/* The nights of a room type follow each other and share one copy of its name. */
static bool same_name(const struct loaded_resource *loaded, uint32_t index)
{
    return index > 0 && strcmp(loaded->pools[index].name, loaded->pools[index - 1].name) == 0;
}

static void copy_pools(struct piece *piece, struct picture *picture,
                       const struct loaded_resource *loaded)
{
    for (uint32_t i = 0; i < loaded->pool_count; i++) {
        const struct pool_row *row = &loaded->pools[i];
        bool shared = same_name(loaded, i);
        const char *name = shared ? NULL : piece_text(piece, row->name);
        const char *title = piece_text(piece, row->title);
        if (piece->at == NULL)
            continue;
        assert(row->index == i);
        picture->pools[i] = (struct picture_pool){
            .name = shared ? picture->pools[i - 1].name : name,
            .title = title,
            .kind = row->kind,
            .night = row->night,
            .price = row->price,
            .capacity = row->capacity,
            .first_seat = PICTURE_NO_SEATS,
        };
    }
}

static const char *copy_chart(struct piece *piece, const struct chart_row *chart)
{
    if (chart->content == NULL)
        return NULL;
    char *copy = piece_take(piece, chart->content_size);
    return copy == NULL ? NULL : memcpy(copy, chart->content, chart->content_size);
}

/* Places (or, without memory, measures) all parts; the counts of the picture are set. */
static void place(struct piece *piece, struct picture *picture,
                  const struct loaded_resource *loaded)
{
    const struct resource_row *row = &loaded->row;
    picture->pools = piece_array(piece, picture->pool_count, sizeof *picture->pools);
    picture->seats_changed =
        piece_array(piece, word_count(picture->seat_count), sizeof *picture->seats_changed);
    picture->pools_changed =
        piece_array(piece, picture->pool_count, sizeof *picture->pools_changed);
    picture->seats = piece_take(piece, picture->seat_count);
    picture->id = piece_text(piece, row->id);
    picture->name = piece_text(piece, row->name);
    picture->timezone = piece_text(piece, row->timezone);
    picture->currency = piece_text(piece, row->currency);
    picture->chart_name = piece_text(piece, row->chart);
    picture->chart = copy_chart(piece, &loaded->chart);
    copy_pools(piece, picture, loaded);
}

/* ---- drawing ---- */

static uint32_t section_seats(const struct usher_section *section)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        count += section->rows[i].seats;
    return count;
}

static uint32_t chart_seats(const struct usher_section *sections, uint32_t count)
{
    uint32_t seats = 0;
    for (uint32_t i = 0; i < count; i++)
        seats += section_seats(&sections[i]);
    return seats;
}

/* Both lists have the same order as a rule, so that the search begins after the last one found. */
static struct picture_pool *seated_pool(struct picture *picture, const char *name, uint32_t *at)
{
    for (uint32_t i = 0; i < picture->pool_count; i++) {
        uint32_t index = (*at + i) % picture->pool_count;
        struct picture_pool *pool = &picture->pools[index];
        if (pool->kind == USHER_SEATS && strcmp(pool->name, name) == 0) {
            *at = index + 1;
            return pool;
        }
    }
    return NULL;
}

/* The sections of the chart, one after another, make up the seats string. */
static void seat_pools(struct picture *picture, const struct usher_section *sections,
                       uint32_t count)
{
    int64_t first = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t seats = section_seats(&sections[i]);
        struct picture_pool *pool = seated_pool(picture, sections[i].section, &at);
        assert(pool != NULL && pool->capacity == seats);
        pool->first_seat = first;
        first += seats;
    }
    assert(first == picture->seat_count);
}

static void sum_up(struct picture *picture)
{
    for (uint32_t i = 0; i < picture->pool_count; i++)
        picture->total += picture->pools[i].capacity;
}

static void put_unit(struct picture *picture, uint32_t pool_index, int32_t unit,
                     enum booking_state state);

void picture_init(struct picture *picture, const struct loaded_resource *loaded)
{
    struct usher_arena arena = {0};
    const struct usher_section *sections = NULL;
    uint32_t section_count = 0;
    if (loaded->chart.content != NULL) {
        enum usher_status status =
            usher_chart_decode(loaded->chart.content, loaded->chart.content_size, &arena, &sections,
                               &section_count, NULL);
        assert(status == USHER_OK);
    }
    *picture = (struct picture){
        .no = loaded->row.no,
        .state = loaded->row.state,
        .starts_ms = loaded->row.starts_ms,
        .chart_size = loaded->chart.content == NULL ? 0 : loaded->chart.content_size,
        .pool_count = loaded->pool_count,
        .seat_count = chart_seats(sections, section_count),
        .rev = loaded->row.rev,
    };
    struct piece piece = {0};
    place(&piece, picture, loaded);
    picture->memory = calloc(1, piece.used + 1);
    assert(picture->memory != NULL);
    piece = (struct piece){.at = picture->memory};
    place(&piece, picture, loaded);
    memset(picture->seats, '.', picture->seat_count);
    seat_pools(picture, sections, section_count);
    sum_up(picture);
    for (uint32_t i = 0; i < loaded->unit_count; i++)
        put_unit(picture, loaded->units[i].pool, loaded->units[i].unit, loaded->units[i].state);
    picture_settle(picture);
    usher_arena_deinit(&arena);
}

void picture_deinit(struct picture *picture)
{
    free(picture->memory);
    *picture = (struct picture){0};
}

/* ---- moving ---- */

static char seat_character(enum booking_state state)
{
    return state == BOOKING_HELD ? 'h' : state == BOOKING_CONFIRMED ? 's' : '.';
}

static void touch_seat(struct picture *picture, uint32_t seat)
{
    uint32_t word = seat / WORD_BITS;
    picture->seats_changed[word] |= UINT64_C(1) << seat % WORD_BITS;
    if (picture->word_first > word)
        picture->word_first = word;
    if (picture->word_end <= word)
        picture->word_end = word + 1;
}

static void touch_pool(struct picture *picture, uint32_t index)
{
    if (!picture->pools[index].changed) {
        picture->pools[index].changed = true;
        picture->pools_changed[picture->pools_changed_count++] = index;
    }
}

static void count(struct picture *picture, struct picture_pool *pool, enum booking_state state,
                  int64_t difference)
{
    if (state == BOOKING_HELD) {
        pool->held += difference;
        picture->held += difference;
    } else if (state == BOOKING_CONFIRMED) {
        pool->sold += difference;
        picture->sold += difference;
    }
    assert(pool->held >= 0 && pool->sold >= 0 && pool->held + pool->sold <= pool->capacity);
}

static void put_unit(struct picture *picture, uint32_t pool_index, int32_t unit,
                     enum booking_state state)
{
    assert(pool_index < picture->pool_count);
    struct picture_pool *pool = &picture->pools[pool_index];
    assert(unit >= 0 && unit < pool->capacity);
    count(picture, pool, state, 1);
    touch_pool(picture, pool_index);
    if (pool->first_seat != PICTURE_NO_SEATS) {
        uint32_t seat = (uint32_t)(pool->first_seat + unit);
        picture->seats[seat] = seat_character(state);
        touch_seat(picture, seat);
    }
}

void picture_move(struct picture *picture, const struct unit_change *change)
{
    assert(change->pool < picture->pool_count);
    struct picture_pool *pool = &picture->pools[change->pool];
    if (pool->first_seat != PICTURE_NO_SEATS)
        assert(picture->seats[pool->first_seat + change->unit] == seat_character(change->from));
    count(picture, pool, change->from, -1);
    put_unit(picture, change->pool, change->unit, change->to);
}

void picture_settle(struct picture *picture)
{
    for (uint32_t i = picture->word_first; i < picture->word_end; i++)
        picture->seats_changed[i] = 0;
    picture->word_first = UINT32_MAX;
    picture->word_end = 0;
    for (uint32_t i = 0; i < picture->pools_changed_count; i++)
        picture->pools[picture->pools_changed[i]].changed = false;
    picture->pools_changed_count = 0;
}
