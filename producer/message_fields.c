/*
 * Reads JSON objects by tables of fields.
 */
#include "message_fields.h"

#include <string.h>

#include "usher/message.h"

static enum usher_status read_integer(const struct message_reader *reader,
                                      const struct message_place *place,
                                      const struct message_field *field, json_t *value,
                                      int64_t *number)
{
    if (!json_is_integer(value))
        return message_wrong(reader, place, field->name, value, "is not an integer");
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
        return message_wrong(reader, place, field->name, value,
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
    if (!json_is_string(value) || !usher_night_parse(json_string_value(value), &day))
        return message_wrong(reader, place, field->name, value, "is not a date such as 2026-12-24");
    *number = day;
    return USHER_OK;
}

/* Canonical: sorted keys, no white space, so that equal objects are equal text. */
static enum usher_status read_object(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, json_t *value,
                                     const char **text)
{
    if (!json_is_object(value))
        return message_wrong(reader, place, field->name, value, "is not an object");
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
    if (!json_is_array(value))
        return message_wrong(reader, place, field->name, value, "is not an array");
    size_t count = json_array_size(value);
    if ((int64_t)count < field->min)
        return message_fail(reader, place, field->name, "empty");
    if ((int64_t)count > field->max) {
        return message_fail(reader, place, field->name, "%zu are more than %lld", count,
                            (long long)field->max);
    }
    *list = value;
    return USHER_OK;
}

/* ---- objects and lists ---- */

static enum usher_status read_number(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, json_t *value, void *target)
{
    int64_t number = 0;
    enum usher_status status = USHER_OK;
    if (field->type == MESSAGE_INTEGER)
        status = read_integer(reader, place, field, value, &number);
    else if (field->type == MESSAGE_INSTANT)
        status = read_instant(reader, place, field, value, &number);
    else
        status = read_night(reader, place, field, value, &number);
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
    if (field->type == MESSAGE_LIST)
        status = read_list(reader, place, field, value, &tree);
    else if (!json_is_object(value))
        status = message_wrong(reader, place, field->name, value, "is not an object");
    memcpy(target, &tree, sizeof(tree));
    return status;
}

static enum usher_status read_flag(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, json_t *value, void *target)
{
    if (!json_is_boolean(value))
        return message_wrong(reader, place, field->name, value, "is not true or false");
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
        break;
    }
    return read_flag(reader, place, field, value, target);
}

static const struct message_field *field_named(const struct message_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *known = table->fields[i].name;
        if (known[0] == name[0] && strcmp(known, name) == 0)
            return &table->fields[i];
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
        if (field == NULL || json_is_null(value))
            continue;
        void *target = (unsigned char *)out + field->offset;
        enum usher_status status = read_field(reader, place, field, value, target);
        if (status != USHER_OK)
            return status;
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
        if (!json_is_object(object))
            return message_wrong(reader, &place, NULL, object, "is not an object");
        enum usher_status status =
            list->read(reader, &place, object, array + i * list->element_size);
        if (status != USHER_OK)
            return status;
    }
    *elements = array;
    return USHER_OK;
}
