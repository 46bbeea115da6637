/* Reads JSON objects by tables of fields. Knows JSON, not what the fields mean. */
#include "producer/codec/message_fields.h"

#include <string.h>

#include "producer/base/currency.h"
#include "producer/codec/message_append.h"
#include "producer/codec/message_parse.h"
#include "producer/codec/timezone.h"
#include "usher/message.h"

/* ==== Objects ==== */

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

/* ==== Text ==== */

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

/* Whether a text has only the characters of an id, A-Za-z0-9_.:- (contract of the messages). */
static bool message_is_id(const char *text)
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
