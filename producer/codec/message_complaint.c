/*
 * What a message is complained of. Every complaint names the field and the value, since it goes
 * back to people who see neither this code nor their message.
 */
#include "producer/codec/message_fields.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    PLACE_SIZE = 160,
    VALUE_SHOWN = 48,
};

static void place_format(const struct message_place *place, char text[PLACE_SIZE])
{
    char up[PLACE_SIZE] = "";
    if (place->up)
        place_format(place->up, up);
    const char *dot = up[0] == '\0' ? "" : ".";
    if (place->index == MESSAGE_NO_INDEX)
        (void)snprintf(text, PLACE_SIZE, "%.100s%s%s", up, dot, place->list);
    else
        (void)snprintf(text, PLACE_SIZE, "%.100s%s%s[%u]", up, dot, place->list, place->index);
}

enum usher_status message_fail(const struct message_reader *reader,
                               const struct message_place *place, const char *field,
                               const char *format, ...)
{
    char where[PLACE_SIZE] = "";
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);

    if (place)
        place_format(place, where);
    const char *dot = place && field ? "." : "";
    usher_error_set(reader->err, USHER_EXIT_BAD_INPUT, "%s%s%s: %s", where, dot, field ? field : "",
                    why);
    return USHER_REJECT;
}

/* A value as a complaint shows it; long strings are cut between characters. */
static const char *value_format(struct usher_arena *arena, yyjson_val *value)
{
    if (yyjson_is_ctn(value))
        return yyjson_is_arr(value) ? "an array" : "an object";
    if (!yyjson_is_str(value))
        return message_canonical(arena, value, MESSAGE_DIGITS_SHOWN, &(size_t){0});
    const char *string = yyjson_get_str(value);
    size_t size = yyjson_get_len(value);
    if (size <= VALUE_SHOWN)
        return usher_arena_format(arena, "\"%s\"", string);
    size = VALUE_SHOWN;
    while (((unsigned char)string[size] & 0xC0U) == 0x80U)
        size--;
    return usher_arena_format(arena, "\"%.*s…\"", (int)size, string);
}

enum usher_status message_wrong(const struct message_reader *reader,
                                const struct message_place *place, const char *field,
                                yyjson_val *value, const char *what)
{
    return message_fail(reader, place, field, "%s %s", value_format(reader->arena, value), what);
}
