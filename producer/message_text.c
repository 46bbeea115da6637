/*
 * Reads text out of JSON: what characters and lengths each type of text allows.
 */
#include "message_fields.h"

#include <string.h>

static bool is_id(const char *text)
{
    return text[strspn(
               text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-")] == '\0';
}

/* No control character (C0, DEL, C1), quote or backslash: then it needs no escape anywhere. */
static bool is_plain(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++)
        if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7F || (*at == 0xC2 && at[1] < 0xA0))
            return false;
    return true;
}

static bool is_currency(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3 && text[3] == '\0';
}

static bool is_timezone(const char *text)
{
    const char *others = "_+-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    bool is_letter_first = (text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= 'a' && text[0] <= 'z');
    return is_letter_first && text[strspn(text, others)] == '\0';
}

/* What is wrong with the characters of `text`, NULL where nothing is. */
static const char *text_fault(enum message_type type, const char *text)
{
    if (type == MESSAGE_ID && !is_id(text))
        return "has characters other than A-Za-z0-9_.:-";
    if ((type == MESSAGE_NAME || type == MESSAGE_POOL || type == MESSAGE_LABEL) && !is_plain(text))
        return "has a control character, quote or backslash";
    if (type == MESSAGE_POOL && strchr(text, '/') != NULL)
        return "has a slash";
    if (type == MESSAGE_CURRENCY && !is_currency(text))
        return "is not three capital letters";
    if (type == MESSAGE_TIMEZONE && !is_timezone(text))
        return "is not the name of a time zone, such as Europe/London";
    return NULL;
}

enum usher_status message_read_text(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, json_t *value,
                                    const char **text)
{
    if (!json_is_string(value))
        return message_wrong(reader, place, field->name, value, "is not a string");
    size_t size = json_string_length(value);
    if (size == 0 && field->type != MESSAGE_TEXT && field->type != MESSAGE_LABEL)
        return message_fail(reader, place, field->name, "empty");
    if ((int64_t)size > field->max) {
        return message_fail(reader, place, field->name, "%zu bytes are more than %lld", size,
                            (long long)field->max);
    }
    const char *fault = text_fault(field->type, json_string_value(value));
    if (fault != NULL)
        return message_wrong(reader, place, field->name, value, fault);
    *text = usher_arena_text(reader->arena, json_string_value(value), size);
    return USHER_OK;
}

enum usher_status message_read_key(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, const char *key,
                                   const char **text)
{
    size_t size = strlen(key);
    if (size == 0)
        return message_fail(reader, place, field->name, "an empty name");
    if ((int64_t)size > field->max) {
        return message_fail(reader, place, field->name, "a name of %zu bytes, more than %lld", size,
                            (long long)field->max);
    }
    const char *fault = text_fault(field->type, key);
    if (fault != NULL)
        return message_fail(reader, place, field->name, "\"%s\" %s", key, fault);
    *text = usher_arena_text(reader->arena, key, size);
    return USHER_OK;
}

enum usher_status message_read_texts(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, json_t *list,
                                     const char *const **texts)
{
    size_t count = json_array_size(list);
    const char **array = usher_arena_alloc(reader->arena, count * sizeof(*array));
    for (size_t i = 0; i < count; i++) {
        json_t *value = json_array_get(list, i);
        enum usher_status status = message_read_text(reader, place, field, value, &array[i]);
        if (status != USHER_OK)
            return status;
    }
    *texts = array;
    return USHER_OK;
}
