/*
 * Lines of bookings to JSON and back. Written for every booking, by appending; read only for those
 * that had left memory. PURE.
 */
#include "worker/inventory/booking_lines.h"

#include <assert.h>
#include <stdlib.h>
#include <yyjson.h>

#include "producer/base/allocate.h"
#include "usher/message.h"
#include "worker/inventory/catalogue.h"

static void write_units(const struct line *line, struct usher_buffer *out)
{
    if (!line->units) {
        usher_buffer_number(out, line->unit_count);
        return;
    }
    usher_buffer_append(out, "[", 1);
    for (uint32_t i = 0; i < line->unit_count; i++) {
        if (i > 0)
            usher_buffer_append(out, ",", 1);
        usher_buffer_number(out, line->units[i]);
    }
    usher_buffer_append(out, "]", 1);
}

static void write_line(const struct line *line, struct usher_buffer *out)
{
    assert(line->unit_count > 0);
    usher_buffer_append(out, "[", 1);
    usher_buffer_number(out, line->item);
    usher_buffer_append(out, ",", 1);
    usher_buffer_number(out, line->pool);
    usher_buffer_append(out, ",", 1);
    usher_buffer_number(out, line->price);
    usher_buffer_append(out, ",", 1);
    write_units(line, out);
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

/* The number, if it is one in 0 … `max`; else something below 0. */
static int64_t number_of(yyjson_val *value, int64_t max)
{
    int64_t number = yyjson_is_int(value) ? yyjson_get_sint(value) : -1;
    return number <= max ? number : -1;
}

static int64_t number_at(yyjson_val *array, size_t index, int64_t max)
{
    return number_of(yyjson_arr_get(array, index), max);
}

/* The rate, in the JSON's own memory. False: it is something else than a name. */
static bool read_rate(yyjson_val *array, const char **rate)
{
    yyjson_val *value = yyjson_arr_get(array, 5);
    *rate = yyjson_get_str(value);
    return !value || (*rate && **rate != '\0');
}

/* Reads the numbers into `units`, or a quantity. False: it is neither, or there are too many. */
static bool read_units(yyjson_val *value, struct line *line, int32_t *units, uint32_t room)
{
    if (!yyjson_is_arr(value)) {
        int64_t quantity = number_of(value, room);
        line->unit_count = quantity > 0 ? (uint32_t)quantity : 0;
        return quantity > 0;
    }
    size_t at, count = yyjson_arr_size(value);
    yyjson_val *number;
    if (count == 0 || count > room)
        return false;
    yyjson_arr_foreach(value, at, count, number) {
        int64_t unit = number_of(number, INT32_MAX);
        if (unit < 0)
            return false;
        units[at] = (int32_t)unit;
    }
    line->unit_count = (uint32_t)count;
    line->units = units;
    return true;
}

static bool read_line(yyjson_val *array, struct line *line, int32_t *units, uint32_t room)
{
    int64_t item = number_at(array, 0, UINT32_MAX);
    int64_t pool = number_at(array, 1, CATALOGUE_POOLS_MAX);
    int64_t price = number_at(array, 2, USHER_PRICE_MAX);
    int64_t seat_hash = yyjson_arr_size(array) > 4 ? number_at(array, 4, UINT32_MAX) : 0;
    const char *rate;
    if (!read_rate(array, &rate) || item < 0 || pool < 0 || price < 0 || seat_hash < 0)
        return false;
    *line = (struct line){.item = (uint32_t)item,
                          .pool = (uint32_t)pool,
                          .seat_hash = (uint32_t)seat_hash,
                          .price = price,
                          .rate = rate};
    return read_units(yyjson_arr_get(array, 3), line, units, room) &&
           (line->units || line->seat_hash == 0); /* seats have numbers */
}

/* Whether a unit is in the lines twice. */
static bool has_twice(const struct content *content)
{
    struct usher_arena arena = {0};
    const struct unit_set units = unit_set_of(content->lines, content->line_count, &arena);
    bool twice = unit_set_has_twice(&units);
    usher_arena_deinit(&arena);
    return twice;
}

static struct content *read_lines(yyjson_val *array)
{
    size_t count = yyjson_arr_size(array);
    if (!yyjson_is_arr(array) || count > USHER_UNITS_MAX)
        return NULL;
    struct line *lines = memory_calloc(count + 1, sizeof *lines);
    int32_t *units = memory_calloc(USHER_UNITS_MAX, sizeof *units);
    uint32_t used = 0;
    bool good = true;
    size_t at;
    yyjson_val *line;
    yyjson_arr_foreach(array, at, count, line) {
        good = good && read_line(line, &lines[at], units + used, USHER_UNITS_MAX - used);
        used += lines[at].unit_count;
    }
    struct content *content = good ? content_create(lines, (uint32_t)count) : NULL;
    free(lines);
    free(units);
    if (content && has_twice(content)) {
        free(content);
        return NULL;
    }
    return content;
}

struct content *lines_read(const char *json, size_t size)
{
    yyjson_doc *document = yyjson_read(json, size, 0);
    struct content *content = read_lines(yyjson_doc_get_root(document));
    yyjson_doc_free(document);
    return content;
}
