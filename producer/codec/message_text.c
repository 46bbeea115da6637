/*
 * Reads text out of JSON: what characters and lengths each type of text allows.
 */
#include "producer/codec/message_text.h"

#include <string.h>

#include "producer/base/currency.h"
#include "producer/codec/timezone.h"

/* What a byte may be part of: every name goes through here byte by byte, so they are looked up. */
enum {
    IN_ID = 1,
    IN_PLAIN = 2,
};

#define P IN_PLAIN
#define I (IN_PLAIN | IN_ID)
/* clang-format off */
static const uint8_t parts_of[256] = {
    /* control characters */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    /* !"#$%&'()*+,-./ 0123456789:;<=>? */
    P, P, 0, P, P, P, P, P, P, P, P, P, P, I, I, P, I, I, I, I, I, I, I, I, I, I, I, P, P, P, P, P,
    /* @A...Z[\]^_ */
    P, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, P, 0, P, P, I,
    /* `a...z{|}~ DEL */
    P, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, P, P, P, P, 0,
    /* bytes of longer characters; 0xC2 begins C1 as well, see is_plain */
    P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
    P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
    P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
    P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
};
/* clang-format on */
#undef P
#undef I

bool message_is_id(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while ((parts_of[*at] & IN_ID) != 0)
        at++;
    return *at == '\0';
}

/* No control character (C0, DEL, C1), quote or backslash: then it needs no escape anywhere. */
static bool is_plain(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while ((parts_of[*at] & IN_PLAIN) != 0 && (*at != 0xC2 || at[1] >= 0xA0))
        at++;
    return *at == '\0';
}

/* What is wrong with the characters of `text`, NULL where nothing is. */
static const char *text_fault(enum message_type type, const char *text)
{
    bool is_name = type == MESSAGE_NAME || type == MESSAGE_POOL || type == MESSAGE_LABEL;
    if (type == MESSAGE_ID && !message_is_id(text))
        return "has characters other than A-Za-z0-9_.:-";
    if (is_name && !is_plain(text))
        return "has a control character, quote or backslash";
    if (type == MESSAGE_POOL && strchr(text, '/'))
        return "has a slash";
    if (type == MESSAGE_CURRENCY && currency_exponent(text) < 0)
        return "is not a currency of ISO 4217, such as GBP";
    if (type == MESSAGE_TIMEZONE && !timezone_is_known(text))
        return "is not the name of a time zone, such as Europe/London";
    return NULL;
}

enum usher_status message_read_text(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, yyjson_val *value,
                                    const char **text)
{
    if (!yyjson_is_str(value))
        return message_wrong(reader, place, field->name, value, "is not a string");
    size_t size = yyjson_get_len(value);
    if (size == 0 && field->type != MESSAGE_TEXT && field->type != MESSAGE_LABEL)
        return message_empty(reader, place, field->name);
    if ((int64_t)size > field->max) {
        return message_too_many(reader, place, field->name,
                                (struct message_count){(int64_t)size, "bytes", field->max});
    }
    const char *fault = text_fault(field->type, yyjson_get_str(value));
    if (fault)
        return message_wrong(reader, place, field->name, value, fault);
    *text = yyjson_get_str(value);
    return USHER_OK;
}

enum usher_status message_read_key(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, yyjson_val *key,
                                   const char **text)
{
    size_t size = yyjson_get_len(key);
    if (size == 0)
        return message_fail(reader, place, field->name, "an empty name");
    if ((int64_t)size > field->max) {
        return message_fail(reader, place, field->name,
                            "a name of %zu bytes exceeds the maximum of %lld", size,
                            (long long)field->max);
    }
    *text = yyjson_get_str(key);
    const char *fault = text_fault(field->type, *text);
    if (fault)
        return message_fail(reader, place, field->name, "\"%s\" %s", *text, fault);
    return USHER_OK;
}

enum usher_status message_read_texts(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *list,
                                     const char *const **texts)
{
    size_t at, count = yyjson_arr_size(list);
    yyjson_val *value;
    const char **array = usher_arena_alloc(reader->arena, count * sizeof *array);
    yyjson_arr_foreach(list, at, count, value) {
        enum usher_status status = message_read_text(reader, place, field, value, &array[at]);
        if (status != USHER_OK)
            return status;
    }
    *texts = array;
    return USHER_OK;
}
