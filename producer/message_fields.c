/*
 * Reads JSON objects by tables of fields. Every complaint names the field and the value, since it
 * goes back to people who see neither this code nor their message.
 */
#include "message_fields.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "usher/message.h"

enum {
    PLACE_SIZE = 160,
    VALUE_SIZE = 64,
    VALUE_SHOWN = 48
};

/* ---- complaints ---- */

static void place_format(const struct message_place *place, char text[PLACE_SIZE])
{
    char up[PLACE_SIZE] = "";
    if (place->up != NULL) {
        place_format(place->up, up);
    }
    (void)snprintf(text, PLACE_SIZE, "%.100s%s%s[%u]", up, up[0] == '\0' ? "" : ".", place->list,
                   place->index);
}

enum usher_status message_fail(const struct message_reader *reader,
                               const struct message_place *place, const char *field,
                               const char *format, ...)
{
    char where[PLACE_SIZE] = "";
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);

    if (place != NULL) {
        place_format(place, where);
    }
    const char *dot = place != NULL && field != NULL ? "." : "";
    usher_error_set(reader->err, USHER_EXIT_BAD_INPUT, "%s%s%s: %s", where, dot,
                    field == NULL ? "" : field, why);
    return USHER_REJECT;
}

/* A value as a complaint shows it; long strings are cut between characters. */
static const char *value_format(json_t *value, char text[VALUE_SIZE])
{
    if (json_is_string(value)) {
        const char *string = json_string_value(value);
        size_t size = json_string_length(value);
        if (size <= VALUE_SHOWN) {
            (void)snprintf(text, VALUE_SIZE, "\"%s\"", string);
            return text;
        }
        size = VALUE_SHOWN;
        while (((unsigned char)string[size] & 0xC0U) == 0x80U) {
            size--;
        }
        (void)snprintf(text, VALUE_SIZE, "\"%.*s…\"", (int)size, string);
        return text;
    }
    if (json_is_array(value) || json_is_object(value)) {
        return json_is_array(value) ? "an array" : "an object";
    }
    size_t size = json_dumpb(value, text, VALUE_SIZE - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    text[size < VALUE_SIZE - 1 ? size : VALUE_SIZE - 1] = '\0';
    return text;
}

static enum usher_status wrong(const struct message_reader *reader,
                               const struct message_place *place, const struct message_field *field,
                               json_t *value, const char *what)
{
    char text[VALUE_SIZE];
    return message_fail(reader, place, field->name, "%s %s", value_format(value, text), what);
}

/* ---- text ---- */

static bool is_id(const char *text)
{
    return text[strspn(
               text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-")] == '\0';
}

/* No control character (C0, DEL, C1), quote or backslash: then it needs no escape anywhere. */
static bool is_plain(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7F ||
            (*at == 0xC2 && at[1] < 0xA0)) {
            return false;
        }
    }
    return true;
}

static bool is_currency(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3 && text[3] == '\0';
}

static bool is_timezone(const char *text)
{
    const char *others = "_+-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return text[0] >= 'A' && text[strspn(text, others)] == '\0';
}

/* What is wrong with the characters of `text`, NULL where nothing is. */
static const char *text_fault(enum message_type type, const char *text)
{
    if (type == MESSAGE_ID && !is_id(text)) {
        return "has characters other than A-Za-z0-9_.:-";
    }
    if ((type == MESSAGE_NAME || type == MESSAGE_POOL || type == MESSAGE_LABEL) &&
        !is_plain(text)) {
        return "has a control character, quote or backslash";
    }
    if (type == MESSAGE_POOL && strchr(text, '/') != NULL) {
        return "has a slash";
    }
    if (type == MESSAGE_CURRENCY && !is_currency(text)) {
        return "is not three capital letters";
    }
    if (type == MESSAGE_TIMEZONE && !is_timezone(text)) {
        return "is not the name of a time zone, such as Europe/London";
    }
    return NULL;
}

enum usher_status message_read_text(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, json_t *value,
                                    const char **text)
{
    if (!json_is_string(value)) {
        return wrong(reader, place, field, value, "is not a string");
    }
    size_t size = json_string_length(value);
    if (size == 0 && field->type != MESSAGE_TEXT && field->type != MESSAGE_LABEL) {
        return message_fail(reader, place, field->name, "empty");
    }
    if ((int64_t)size > field->max) {
        return message_fail(reader, place, field->name, "%zu bytes are more than %lld", size,
                            (long long)field->max);
    }
    const char *fault = text_fault(field->type, json_string_value(value));
    if (fault != NULL) {
        return wrong(reader, place, field, value, fault);
    }
    *text = usher_arena_text(reader->arena, json_string_value(value), size);
    return USHER_OK;
}

/* ---- other types ---- */

static enum usher_status read_integer(const struct message_reader *reader,
                                      const struct message_place *place,
                                      const struct message_field *field, json_t *value,
                                      int64_t *number)
{
    if (!json_is_integer(value)) {
        return wrong(reader, place, field, value, "is not an integer");
    }
    *number = json_integer_value(value);
    if (*number < field->min) {
        return message_fail(reader, place, field->name, "%lld is below %lld", (long long)*number,
                            (long long)field->min);
    }
    if (*number > field->max) {
        return message_fail(reader, place, field->name, "%lld is above %lld", (long long)*number,
                            (long long)field->max);
    }
    return USHER_OK;
}

static enum usher_status read_instant(const struct message_reader *reader,
                                      const struct message_place *place,
                                      const struct message_field *field, json_t *value,
                                      int64_t *number)
{
    if (!json_is_string(value) || !usher_instant_parse(json_string_value(value), number)) {
        return wrong(reader, place, field, value,
                     "is not an instant such as 2026-12-24T19:30:00.000Z");
    }
    return USHER_OK;
}

static enum usher_status read_night(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, json_t *value,
                                    int64_t *number)
{
    int32_t day = 0;
    if (!json_is_string(value) || !usher_night_parse(json_string_value(value), &day)) {
        return wrong(reader, place, field, value, "is not a date such as 2026-12-24");
    }
    *number = day;
    return USHER_OK;
}

/* Canonical: sorted keys, no white space, so that equal objects are equal text. */
static enum usher_status read_object(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, json_t *value,
                                     const char **text)
{
    if (!json_is_object(value)) {
        return wrong(reader, place, field, value, "is not an object");
    }
    char canonical[USHER_META_MAX];
    size_t size = json_dumpb(value, canonical, sizeof(canonical), JSON_COMPACT | JSON_SORT_KEYS);
    if (size > sizeof(canonical) || (int64_t)size > field->max) {
        return message_fail(reader, place, field->name, "%zu bytes are more than %lld", size,
                            (long long)field->max);
    }
    *text = usher_arena_text(reader->arena, canonical, size);
    return USHER_OK;
}

static enum usher_status read_list(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, json_t *value, json_t **list)
{
    if (!json_is_array(value)) {
        return wrong(reader, place, field, value, "is not an array");
    }
    size_t count = json_array_size(value);
    if ((int64_t)count < field->min) {
        return message_fail(reader, place, field->name, "empty");
    }
    if ((int64_t)count > field->max) {
        return message_fail(reader, place, field->name, "%zu are more than %lld", count,
                            (long long)field->max);
    }
    *list = value;
    return USHER_OK;
}

static enum usher_status refuse(const struct message_reader *reader,
                                const struct message_place *place,
                                const struct message_field *field, json_t *value)
{
    bool is_empty_list = json_is_array(value) && json_array_size(value) == 0;
    bool is_empty_object = json_is_object(value) && json_object_size(value) == 0;
    if (json_is_false(value) || is_empty_list || is_empty_object) {
        return USHER_OK;
    }
    char where[PLACE_SIZE] = "";
    if (place != NULL) {
        place_format(place, where);
    }
    usher_error_set(reader->err, USHER_EXIT_BAD_INPUT,
                    "%s%s\"%s\" is not supported by this version", where, place == NULL ? "" : ": ",
                    field->name);
    return USHER_REJECT;
}

/* ---- objects and lists ---- */

static enum usher_status read_number(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, json_t *value, void *target)
{
    int64_t number = 0;
    enum usher_status status = USHER_OK;
    if (field->type == MESSAGE_INTEGER) {
        status = read_integer(reader, place, field, value, &number);
    } else if (field->type == MESSAGE_INSTANT) {
        status = read_instant(reader, place, field, value, &number);
    } else {
        status = read_night(reader, place, field, value, &number);
    }
    memcpy(target, &number, sizeof(number));
    return status;
}

static enum usher_status read_string(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, json_t *value, void *target)
{
    const char *text = NULL;
    enum usher_status status = field->type == MESSAGE_OBJECT
                                   ? read_object(reader, place, field, value, &text)
                                   : message_read_text(reader, place, field, value, &text);
    memcpy(target, &text, sizeof(text));
    return status;
}

static enum usher_status read_tree(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, json_t *value, void *target)
{
    json_t *tree = value;
    enum usher_status status = USHER_OK;
    if (field->type == MESSAGE_LIST) {
        status = read_list(reader, place, field, value, &tree);
    } else if (!json_is_object(value)) {
        status = wrong(reader, place, field, value, "is not an object");
    }
    memcpy(target, &tree, sizeof(tree));
    return status;
}

static enum usher_status read_flag(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, json_t *value, void *target)
{
    if (!json_is_boolean(value)) {
        return wrong(reader, place, field, value, "is not true or false");
    }
    bool flag = json_is_true(value);
    memcpy(target, &flag, sizeof(flag));
    return USHER_OK;
}

static enum usher_status read_field(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, json_t *value, void *target)
{
    switch (field->type) {
    case MESSAGE_ID:
    case MESSAGE_NAME:
    case MESSAGE_POOL:
    case MESSAGE_LABEL:
    case MESSAGE_TEXT:
    case MESSAGE_CURRENCY:
    case MESSAGE_TIMEZONE:
    case MESSAGE_OBJECT:
        return read_string(reader, place, field, value, target);
    case MESSAGE_INTEGER:
    case MESSAGE_INSTANT:
    case MESSAGE_NIGHT:
        return read_number(reader, place, field, value, target);
    case MESSAGE_LIST:
    case MESSAGE_MAP:
        return read_tree(reader, place, field, value, target);
    case MESSAGE_FLAG:
        return read_flag(reader, place, field, value, target);
    case MESSAGE_REFUSED:
        break;
    }
    return refuse(reader, place, field, value);
}

static const struct message_field *field_named(const struct message_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *known = table->fields[i].name;
        if (known[0] == name[0] && strcmp(known, name) == 0) {
            return &table->fields[i];
        }
    }
    return NULL;
}

enum usher_status message_read_fields(const struct message_reader *reader,
                                      const struct message_place *place, json_t *object,
                                      const struct message_table *table, void *out)
{
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        const struct message_field *field = field_named(table, json_object_iter_key(at));
        json_t *value = json_object_iter_value(at);
        if (field == NULL || json_is_null(value)) {
            continue;
        }
        void *target = (unsigned char *)out + field->offset;
        enum usher_status status = read_field(reader, place, field, value, target);
        if (status != USHER_OK) {
            return status;
        }
    }
    return USHER_OK;
}

enum usher_status message_read_list(const struct message_reader *reader,
                                    const struct message_place *up, const struct message_list *list,
                                    json_t *values, void **elements)
{
    size_t count = json_array_size(values);
    unsigned char *array = usher_arena_alloc(reader->arena, count * list->element_size);
    for (size_t i = 0; i < count; i++) {
        struct message_place place = {up, list->name, (uint32_t)i};
        json_t *object = json_array_get(values, i);
        if (!json_is_object(object)) {
            char text[VALUE_SIZE];
            return message_fail(reader, &place, NULL, "%s is not an object",
                                value_format(object, text));
        }
        enum usher_status status =
            list->read(reader, &place, object, array + i * list->element_size);
        if (status != USHER_OK) {
            return status;
        }
    }
    *elements = array;
    return USHER_OK;
}
