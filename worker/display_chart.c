/*
 * Writes the chart of a resource for dashboards: the sections with their rows and seats, the rooms
 * by night, the products, and what they cost. What changes with every booking is not in it. PURE.
 */
#include "display_picture.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void append_rates(struct usher_buffer *out, int64_t price)
{
    usher_buffer_text(out, ",\"rates\":{\"standard\":");
    usher_buffer_number(out, price);
    usher_buffer_text(out, "}");
}

static void append_head(struct usher_buffer *out, const char *word, const struct picture_pool *pool)
{
    usher_buffer_text(out, "{\"");
    usher_buffer_text(out, word);
    usher_buffer_text(out, "\":");
    usher_buffer_json_string(out, pool->name);
    if (pool->title != NULL) {
        usher_buffer_text(out, ",\"name\":");
        usher_buffer_json_string(out, pool->title);
    }
}

static void append_capacity(struct usher_buffer *out, const struct picture_pool *pool)
{
    usher_buffer_text(out, ",\"capacity\":");
    usher_buffer_number(out, pool->capacity);
    append_rates(out, pool->price);
}

/* ---- sections ---- */

static void append_label(struct usher_buffer *out, const struct usher_row *row, uint32_t index)
{
    usher_buffer_text(out, index == 0 ? "\"" : ",\"");
    usher_buffer_text(out, row->row);
    usher_buffer_text(out, "-");
    usher_buffer_number(out, (int64_t)row->first + index);
    usher_buffer_text(out, "\"");
}

static void append_row(struct usher_buffer *out, const struct usher_row *row, int64_t at)
{
    usher_buffer_text(out, "{\"row\":");
    usher_buffer_json_string(out, row->row);
    usher_buffer_text(out, ",\"at\":");
    usher_buffer_number(out, at);
    usher_buffer_text(out, ",\"labels\":[");
    for (uint32_t i = 0; i < row->seats; i++)
        append_label(out, row, i);
    usher_buffer_text(out, "]}");
}

static void append_seated(struct usher_buffer *out, const struct usher_section *section,
                          const struct picture_pool *pool)
{
    append_head(out, "section", pool);
    append_capacity(out, pool);
    usher_buffer_text(out, ",\"rows\":[");
    int64_t at = pool->first_seat;
    for (uint32_t i = 0; i < section->row_count; i++) {
        usher_buffer_text(out, i == 0 ? "" : ",");
        append_row(out, &section->rows[i], at);
        at += section->rows[i].seats;
    }
    usher_buffer_text(out, "]}");
}

static const struct picture_pool *pool_at_seat(const struct picture *picture, int64_t seat,
                                               const char *name)
{
    for (uint32_t i = 0; i < picture->pool_count; i++) {
        const struct picture_pool *pool = &picture->pools[i];
        if (pool->first_seat == seat && strcmp(pool->name, name) == 0)
            return pool;
    }
    return NULL;
}

/* Returns whether there were any. */
static bool append_chart_sections(struct usher_buffer *out, const struct picture *picture)
{
    if (picture->chart == NULL)
        return false;
    struct usher_arena arena = {0};
    const struct usher_section *sections;
    uint32_t count;
    enum usher_status status =
        usher_chart_decode(picture->chart, picture->chart_size, &arena, &sections, &count, NULL);
    assert(status == USHER_OK);
    int64_t seat = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct picture_pool *pool = pool_at_seat(picture, seat, sections[i].section);
        assert(pool != NULL);
        usher_buffer_text(out, i == 0 ? "" : ",");
        append_seated(out, &sections[i], pool);
        seat += pool->capacity;
    }
    usher_arena_deinit(&arena);
    return count > 0;
}

static void append_sections(struct usher_buffer *out, const struct picture *picture)
{
    usher_buffer_text(out, "{\"sections\":[");
    bool some = append_chart_sections(out, picture);
    for (uint32_t i = 0; i < picture->pool_count; i++) {
        const struct picture_pool *pool = &picture->pools[i];
        if (pool->kind == USHER_SECTION && pool->capacity > 0) {
            usher_buffer_text(out, some ? "," : "");
            append_head(out, "section", pool);
            append_capacity(out, pool);
            usher_buffer_text(out, "}");
            some = true;
        }
    }
}

/* ---- rooms ---- */

/* The nights of one type together, in order; the types by name. */
static int compare_nights(const void *left, const void *right)
{
    const struct picture_pool *a = *(const struct picture_pool *const *)left;
    const struct picture_pool *b = *(const struct picture_pool *const *)right;
    int names = strcmp(a->name, b->name);
    if (names != 0)
        return names;
    return (a->night > b->night) - (a->night < b->night);
}

/* A value for each night from the first to the last, null where there is none. */
static void append_nights(struct usher_buffer *out, const struct picture_pool *const *nights,
                          uint32_t count, bool prices)
{
    int32_t night = nights[0]->night;
    for (uint32_t i = 0; i < count; i++, night++) {
        for (; night < nights[i]->night; night++)
            usher_buffer_text(out, "null,");
        usher_buffer_number(out, prices ? nights[i]->price : nights[i]->capacity);
        usher_buffer_text(out, i + 1 < count ? "," : "");
    }
}

static void append_date(struct usher_buffer *out, const char *name, int32_t day)
{
    char text[USHER_NIGHT_SIZE];
    usher_night_format(day, text);
    usher_buffer_text(out, name);
    usher_buffer_json_string(out, text);
}

static void append_room(struct usher_buffer *out, const struct picture_pool *const *nights,
                        uint32_t count)
{
    append_head(out, "room", nights[0]);
    append_date(out, ",\"from\":", nights[0]->night);
    append_date(out, ",\"to\":", nights[count - 1]->night + 1);
    usher_buffer_text(out, ",\"capacity\":[");
    append_nights(out, nights, count, false);
    usher_buffer_text(out, "],\"rates\":{\"standard\":[");
    append_nights(out, nights, count, true);
    usher_buffer_text(out, "]}}");
}

static void append_rooms(struct usher_buffer *out, const struct picture *picture)
{
    const struct picture_pool **nights = calloc(picture->pool_count + 1, sizeof *nights);
    assert(nights != NULL);
    uint32_t count = 0;
    for (uint32_t i = 0; i < picture->pool_count; i++)
        if (picture->pools[i].kind == USHER_ROOM && picture->pools[i].capacity > 0)
            nights[count++] = &picture->pools[i];
    qsort(nights, count, sizeof(*nights), compare_nights);
    usher_buffer_text(out, "],\"rooms\":[");
    for (uint32_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && strcmp(nights[first]->name, nights[next]->name) == 0;)
            next++;
        usher_buffer_text(out, first == 0 ? "" : ",");
        append_room(out, nights + first, next - first);
    }
    free(nights);
}

static void append_products(struct usher_buffer *out, const struct picture *picture)
{
    usher_buffer_text(out, "],\"products\":[");
    bool some = false;
    for (uint32_t i = 0; i < picture->pool_count; i++) {
        const struct picture_pool *pool = &picture->pools[i];
        if (pool->kind == USHER_PRODUCT && pool->capacity > 0) {
            usher_buffer_text(out, some ? "," : "");
            append_head(out, "product", pool);
            append_capacity(out, pool);
            usher_buffer_text(out, "}");
            some = true;
        }
    }
    usher_buffer_text(out, "]}");
}

void display_chart_write(const struct picture *picture, struct usher_buffer *out)
{
    append_sections(out, picture);
    append_rooms(out, picture);
    append_products(out, picture);
}
