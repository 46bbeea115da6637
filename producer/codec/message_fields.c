/*
 * Reads JSON objects by tables of fields.
 */
#include "producer/codec/message_fields.h"

#include <string.h>

#include "producer/codec/message_canonical.h"
#include "producer/codec/message_ignored.h"
#include "producer/codec/message_text.h"
#include "usher/message.h"

static enum usher_status read_integer(const struct message_reader *reader,
                                      const struct message_place *place,
                                      const struct message_field *field, yyjson_val *value,
                                      int64_t *number)
{
    if (!yyjson_is_int(value))
        return message_wrong(reader, place, field->name, value, "is not an integer");
    *number = yyjson_get_sint(value);
    if (*number < field->min)
        return message_out_of_range(reader, place, field->name, *number, field->min);
    if (*number > field->max)
        return message_out_of_range(reader, place, field->name, *number, field->max);
    return USHER_OK;
}

static enum usher_status read_instant(const struct message_reader *reader,
                                      const struct message_place *place,
                                      const struct message_field *field, yyjson_val *value,
                                      int64_t *number)
{
    if (!yyjson_is_str(value) || !usher_instant_parse(yyjson_get_str(value), number)) {
        return message_wrong(reader, place, field->name, value,
                             "is not an instant in UTC such as 2026-12-24T19:30:00.000Z");
    }
    if (*number < field->min)
        return message_wrong(reader, place, field->name, value, "is not after 1970 began");
    return USHER_OK;
}

static enum usher_status read_night(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, yyjson_val *value,
                                    int64_t *number)
{
    int32_t day = 0;
    if (!yyjson_is_str(value) || !usher_night_parse(yyjson_get_str(value), &day))
        return message_wrong(reader, place, field->name, value, "is not a date such as 2026-12-24");
    *number = day;
    return USHER_OK;
}

static enum usher_status read_object(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *value,
                                     const char **text)
{
    if (!yyjson_is_obj(value))
        return message_wrong(reader, place, field->name, value, "is not an object");
    size_t size = 0;
    *text = message_canonical(reader->arena, value, MESSAGE_DIGITS_ALL, &size);
    if ((int64_t)size <= field->max)
        return USHER_OK;
    *text = NULL;
    return message_too_many(reader, place, field->name,
                            (struct message_count){(int64_t)size, "bytes", field->max});
}

static enum usher_status read_list(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, yyjson_val *value,
                                   yyjson_val **list)
{
    if (!yyjson_is_arr(value))
        return message_wrong(reader, place, field->name, value, "is not an array");
    size_t count = yyjson_arr_size(value);
    if ((int64_t)count < field->min)
        return message_empty(reader, place, field->name);
    if ((int64_t)count > field->max) {
        return message_too_many(reader, place, field->name,
                                (struct message_count){(int64_t)count, "values", field->max});
    }
    *list = value;
    return USHER_OK;
}

/* ---- objects and lists ---- */

static enum usher_status read_number(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *value,
                                     void *target)
{
    int64_t number = 0;
    enum usher_status status = USHER_OK;
    if (field->type == MESSAGE_INTEGER)
        status = read_integer(reader, place, field, value, &number);
    else if (field->type == MESSAGE_INSTANT)
        status = read_instant(reader, place, field, value, &number);
    else
        status = read_night(reader, place, field, value, &number);
    memcpy(target, &number, sizeof number);
    return status;
}

static enum usher_status read_string(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *value,
                                     void *target)
{
    const char *text = NULL;
    enum usher_status status = field->type == MESSAGE_OBJECT
                                   ? read_object(reader, place, field, value, &text)
                                   : message_read_text(reader, place, field, value, &text);
    memcpy(target, &text, sizeof text);
    return status;
}

static enum usher_status read_tree(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, yyjson_val *value,
                                   void *target)
{
    yyjson_val *tree = value;
    enum usher_status status = USHER_OK;
    if (field->type == MESSAGE_LIST)
        status = read_list(reader, place, field, value, &tree);
    else if (!yyjson_is_obj(value))
        status = message_wrong(reader, place, field->name, value, "is not an object");
    memcpy(target, &tree, sizeof tree);
    return status;
}

static enum usher_status read_flag(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, yyjson_val *value,
                                   void *target)
{
    if (!yyjson_is_bool(value))
        return message_wrong(reader, place, field->name, value, "is not true or false");
    bool flag = yyjson_is_true(value);
    memcpy(target, &flag, sizeof flag);
    return USHER_OK;
}

static enum usher_status read_field(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, yyjson_val *value,
                                    void *target)
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

/* Fields mostly come in the order of the table: the row behind the last one is tried first. */
static const struct message_field *field_named(const struct message_table *table, const char *name,
                                               size_t *next)
{
    for (size_t tried = 0; tried < table->count; tried++) {
        const struct message_field *field = &table->fields[*next];
        *next = *next + 1 < table->count ? *next + 1 : 0;
        if (field->name[0] == name[0] && strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

bool message_table_has(const struct message_table *table, const char *name)
{
    return field_named(table, name, &(size_t){0});
}

enum usher_status message_read_fields(const struct message_reader *reader,
                                      const struct message_place *place, yyjson_val *object,
                                      const struct message_table *table, void *out)
{
    size_t at, count, next = 0;
    yyjson_val *key, *value;
    yyjson_obj_foreach(object, at, count, key, value) {
        const struct message_field *field = field_named(table, yyjson_get_str(key), &next);
        if (yyjson_is_null(value))
            continue;
        if (!field) {
            message_ignore(reader, place, yyjson_get_str(key));
            continue;
        }
        void *target = (unsigned char *)out + field->offset;
        enum usher_status status = read_field(reader, place, field, value, target);
        if (status != USHER_OK)
            return status;
    }
    return USHER_OK;
}

enum usher_status message_read_list(const struct message_reader *reader,
                                    const struct message_place *up, const struct message_list *list,
                                    yyjson_val *values, void **elements)
{
    size_t at, count = yyjson_arr_size(values);
    yyjson_val *object;
    unsigned char *array = usher_arena_alloc(reader->arena, count * list->element_size);
    yyjson_arr_foreach(values, at, count, object) {
        struct message_place place = {up, list->name, (uint32_t)at};
        if (!yyjson_is_obj(object))
            return message_wrong(reader, &place, NULL, object, "is not an object");
        enum usher_status status =
            list->read(reader, &place, object, array + at * list->element_size);
        if (status != USHER_OK)
            return status;
    }
    *elements = array;
    return USHER_OK;
}
