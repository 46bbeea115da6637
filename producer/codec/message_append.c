/*
 * Fields of JSON, appended to a buffer. Inside of the codec only. `name` comes with its quotes and
 * what stands before it, such as ",\"price\""; its comma is left out behind the brace that an
 * object begins with. Absent values append nothing.
 */
#include "producer/codec/message_append.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "usher/message.h"

/* ==== Fields ==== */

void message_append_name(struct usher_buffer *out, const char *name)
{
    bool first = out->size > 0 && out->at[out->size - 1] == '{';
    usher_buffer_text(out, first && *name == ',' ? name + 1 : name);
    MESSAGE_LITERAL(out, ":");
}

void message_append_text(struct usher_buffer *out, const char *name, const char *text)
{
    if (text) {
        message_append_name(out, name);
        usher_buffer_json_string(out, text);
    }
}

void message_append_number(struct usher_buffer *out, const char *name, int64_t number)
{
    if (number != USHER_ABSENT) {
        message_append_name(out, name);
        usher_buffer_number(out, number);
    }
}

void message_append_instant(struct usher_buffer *out, const char *name, int64_t ms)
{
    if (ms != USHER_ABSENT) {
        char text[USHER_INSTANT_SIZE];
        usher_instant_format(ms, text);
        message_append_text(out, name, text);
    }
}

static inline void append_key(struct usher_buffer *out, const char *name, size_t size)
{
    char *start = usher_buffer_reserve(out, size + 4), *to = start;
    if (out->size > 0 && start[-1] != '{')
        *to++ = ',';
    *to++ = '"';
    memcpy(to, name, size);
    memcpy(to + size, "\":", 2);
    out->size += (size_t)(to - start) + size + 2;
}

void message_append_key(struct usher_buffer *out, const char *name, size_t size)
{
    append_key(out, name, size);
}

void message_append_key_text(struct usher_buffer *out, const char *name, size_t size,
                             const char *text)
{
    append_key(out, name, size);
    usher_buffer_json_string(out, text);
}

void message_append_key_number(struct usher_buffer *out, const char *name, size_t size,
                               int64_t number)
{
    append_key(out, name, size);
    usher_buffer_number(out, number);
}

void message_append_strings(struct usher_buffer *out, const char *const *texts, uint32_t count)
{
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        usher_buffer_json_string(out, texts[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

void message_append_texts(struct usher_buffer *out, const char *name, const char *const *texts,
                          uint32_t count)
{
    message_append_name(out, name);
    message_append_strings(out, texts, count);
}

void message_append_rates(struct usher_buffer *out, const struct usher_rate *rates, uint32_t count)
{
    MESSAGE_LITERAL(out, "{");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        usher_buffer_json_string(out, rates[i].rate);
        MESSAGE_LITERAL(out, ":");
        usher_buffer_number(out, rates[i].price);
    }
    MESSAGE_LITERAL(out, "}");
}

void message_append_comma(struct usher_buffer *out, uint32_t index)
{
    if (index > 0)
        MESSAGE_LITERAL(out, ",");
}

/* ==== Canonical JSON ==== */

enum {
    REAL_SIZE = 40,
};

struct member {
    yyjson_val *key, *value;
};

static void append_value(struct usher_buffer *out, yyjson_val *value, int digits);

/* Rounded to fewer digits, the largest numbers would be too large to be read again. */
static int digits_of(double number, int digits)
{
    return fabs(number) < 1.7976931348623e308 ? digits : MESSAGE_DIGITS_ALL;
}

/* As %g has it, but with a point in every locale, and distinct from an integer: 1.0, 1e5, 1e-7. */
static void append_real(struct usher_buffer *out, double number, int digits)
{
    char text[REAL_SIZE];
    (void)snprintf(text, sizeof text, "%.*g", digits_of(number, digits), number);
    size_t mantissa = strcspn(text, "e");
    for (size_t i = 0; i < mantissa; i++)
        if (!strchr("-0123456789", text[i]))
            text[i] = '.';
    usher_buffer_append(out, text, mantissa);
    if (text[mantissa] == 'e') {
        MESSAGE_LITERAL(out, "e");
        usher_buffer_number(out, strtol(text + mantissa + 1, NULL, 10));
    } else if (!memchr(text, '.', mantissa)) {
        MESSAGE_LITERAL(out, ".0");
    }
}

static void append_number(struct usher_buffer *out, yyjson_val *value, int digits)
{
    if (yyjson_is_real(value))
        append_real(out, yyjson_get_real(value), digits);
    else
        usher_buffer_number(out, yyjson_get_sint(value));
}

static void append_escape(struct usher_buffer *out, char byte)
{
    static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = strchr(named, byte);
    char text[8];
    int size = found ? snprintf(text, sizeof text, "\\%c", letters[found - named])
                     : snprintf(text, sizeof text, "\\u%04X", (unsigned)(unsigned char)byte);
    usher_buffer_append(out, text, (size_t)size);
}

static void append_string(struct usher_buffer *out, yyjson_val *value)
{
    const char *string = yyjson_get_str(value);
    size_t size = yyjson_get_len(value), plain = 0;
    MESSAGE_LITERAL(out, "\"");
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)string[i] >= 0x20 && string[i] != '"' && string[i] != '\\')
            continue;
        usher_buffer_append(out, string + plain, i - plain);
        append_escape(out, string[i]);
        plain = i + 1;
    }
    usher_buffer_append(out, string + plain, size - plain);
    MESSAGE_LITERAL(out, "\"");
}

static void append_array(struct usher_buffer *out, yyjson_val *array, int digits)
{
    size_t at, count;
    yyjson_val *value;
    MESSAGE_LITERAL(out, "[");
    yyjson_arr_foreach(array, at, count, value) {
        message_append_comma(out, at > 0);
        append_value(out, value, digits);
    }
    MESSAGE_LITERAL(out, "]");
}

static int compare_members(const void *left, const void *right)
{
    return strcmp(yyjson_get_str(((const struct member *)left)->key),
                  yyjson_get_str(((const struct member *)right)->key));
}

static void append_object(struct usher_buffer *out, yyjson_val *object, int digits)
{
    size_t at, count = yyjson_obj_size(object);
    struct member *members = memory_calloc(count, sizeof *members);
    yyjson_val *key, *value;
    yyjson_obj_foreach(object, at, count, key, value)
        members[at] = (struct member){key, value};
    qsort(members, count, sizeof *members, compare_members);
    MESSAGE_LITERAL(out, "{");
    for (at = 0; at < count; at++) {
        message_append_comma(out, at > 0);
        append_string(out, members[at].key);
        MESSAGE_LITERAL(out, ":");
        append_value(out, members[at].value, digits);
    }
    MESSAGE_LITERAL(out, "}");
    free(members);
}

static void append_value(struct usher_buffer *out, yyjson_val *value, int digits)
{
    if (yyjson_is_obj(value))
        append_object(out, value, digits);
    else if (yyjson_is_arr(value))
        append_array(out, value, digits);
    else if (yyjson_is_str(value))
        append_string(out, value);
    else if (yyjson_is_num(value))
        append_number(out, value, digits);
    else
        usher_buffer_text(out, yyjson_is_null(value)   ? "null"
                               : yyjson_is_true(value) ? "true"
                                                       : "false");
}

const char *message_canonical(struct usher_arena *arena, yyjson_val *value, int digits,
                              size_t *size)
{
    struct usher_buffer out = {NULL, 0, 0};
    append_value(&out, value, digits);
    const char *text = usher_arena_text(arena, out.at, out.size);
    *size = out.size;
    usher_buffer_deinit(&out);
    return text;
}
