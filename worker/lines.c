/*
 * Lines of bookings to JSON and back. Written for every booking, by appending; read only for those
 * that had left memory. PURE.
 */
#include "lines.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>

#include "usher/message.h"

static void write_line(const struct line *line, struct usher_buffer *out)
{
    usher_buffer_append(out, "[", 1);
    usher_buffer_number(out, line->item);
    usher_buffer_append(out, ",", 1);
    usher_buffer_number(out, line->pool);
    usher_buffer_append(out, ",", 1);
    usher_buffer_number(out, line->price);
    usher_buffer_append(out, ",[", 2);
    for (uint32_t i = 0; i < line->unit_count; i++) {
        if (i > 0)
            usher_buffer_append(out, ",", 1);
        usher_buffer_number(out, line->units[i]);
    }
    usher_buffer_append(out, "]", 1);
    if (line->seat_hash != 0 || line->rate) {
        usher_buffer_append(out, ",", 1);
        usher_buffer_number(out, line->seat_hash);
    }
    if (line->rate) {
        usher_buffer_append(out, ",", 1);
        usher_buffer_json_string(out, line->rate);
    }
    usher_buffer_append(out, "]", 1);
}

void lines_write(const struct content *content, struct usher_buffer *out)
{
    usher_buffer_append(out, "[", 1);
    for (uint32_t i = 0; i < content->line_count; i++) {
        if (i > 0)
            usher_buffer_append(out, ",", 1);
        write_line(&content->lines[i], out);
    }
    usher_buffer_append(out, "]", 1);
}

/* The number at `index` of an array, if it is one in 0 … `max`; else -1. */
static int64_t number_at(const json_t *array, size_t index, int64_t max)
{
    const json_t *value = json_array_get(array, index);
    if (!json_is_integer(value))
        return -1;
    int64_t number = json_integer_value(value);
    return number >= 0 && number <= max ? number : -1;
}

/* The rate, in the JSON's own memory. False: it is something else than a name. */
static bool read_rate(const json_t *array, const char **rate)
{
    const json_t *value = json_array_get(array, 5);
    *rate = json_string_value(value);
    return !value || (*rate && **rate != '\0');
}

static bool read_line(const json_t *array, struct line *line, int32_t *units, uint32_t room)
{
    int64_t item = number_at(array, 0, UINT32_MAX);
    int64_t pool = number_at(array, 1, USHER_POOLS_MAX);
    int64_t price = number_at(array, 2, USHER_PRICE_MAX);
    const json_t *list = json_array_get(array, 3);
    int64_t seat_hash = json_array_size(array) > 4 ? number_at(array, 4, UINT32_MAX) : 0;
    size_t count = json_array_size(list);
    const char *rate;
    if (!read_rate(array, &rate) || item < 0 || pool < 0 || price < 0 || seat_hash < 0 ||
        count > room)
        return false;
    *line = (struct line){.item = (uint32_t)item,
                          .pool = (uint32_t)pool,
                          .seat_hash = (uint32_t)seat_hash,
                          .unit_count = (uint32_t)count,
                          .price = price,
                          .rate = rate,
                          .units = units};
    for (size_t i = 0; i < count; i++) {
        int64_t unit = number_at(list, i, INT32_MAX);
        if (unit < 0)
            return false;
        units[i] = (int32_t)unit;
    }
    return count > 0;
}

static struct content *read_lines(const json_t *array)
{
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > USHER_UNITS_MAX)
        return NULL;
    struct line *lines = calloc(count + 1, sizeof(*lines));
    int32_t *units = calloc(USHER_UNITS_MAX, sizeof(*units));
    assert(lines && units);
    uint32_t used = 0;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = read_line(json_array_get(array, i), &lines[i], units + used, USHER_UNITS_MAX - used);
        used += lines[i].unit_count;
    }
    struct content *content = good ? content_create(lines, (uint32_t)count) : NULL;
    free(lines);
    free(units);
    return content;
}

struct content *lines_read(const char *json, size_t size)
{
    json_t *root = json_loadb(json, size, 0, NULL);
    struct content *content = read_lines(root);
    json_decref(root);
    return content;
}
