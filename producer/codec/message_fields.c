/* Reads and writes JSON objects by tables of fields. Knows JSON, not what the fields mean. */
#include "producer/codec/message_fields.h"

#include <assert.h>
#include <string.h>

#include "producer/base/calendar.h"
#include "producer/base/currency.h"
#include "producer/base/utf8.h"
#include "producer/codec/message_append.h"
#include "producer/codec/message_parse.h"
#include "producer/codec/timezone.h"

/* ==== Rows ==== */

/* Fields mostly come in the order of the table: the row behind the last one is tried first. */
static const struct message_field *field_named(const struct message_table *table, const char *name,
                                               size_t *next)
{
    size_t count = table->count, at = *next;
    for (size_t tried = 0; tried < count; tried++) {
        const struct message_field *field = &table->fields[at];
        at = at + 1 < count ? at + 1 : 0;
        if (field->name[0] != name[0] || strcmp(field->name, name) != 0)
            continue;
        *next = at;
        return field;
    }
    return NULL;
}

const struct message_field *message_field_of(const struct message_table *table, const char *name)
{
    return field_named(table, name, &(size_t){0});
}

const char *message_field_help(const struct message_field *field, enum usher_op op)
{
    const struct message_option *option = field->option;
    for (size_t i = 0; option && i < MESSAGE_COUNT_OF(option->help); i++)
        if ((option->help[i].ops >> (unsigned)op & 1U) != 0)
            return option->help[i].text;
    return NULL;
}

enum {
    FIELDS_MAX = 64 /* of a table: a bit each */
};

/* ==== Reading ==== */

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
                                    void *target)
{
    int32_t day = 0;
    if (!yyjson_is_str(value) || !usher_night_parse(yyjson_get_str(value), &day))
        return message_wrong(reader, place, field->name, value, "is not a date such as 2026-12-24");
    memcpy(target, &day, sizeof day);
    return USHER_OK;
}

static enum usher_status read_object(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *value,
                                     const char **text)
{
    bool drawn = field->type == MESSAGE_DRAWING;
    if (!yyjson_is_obj(value))
        return message_wrong(reader, place, field->name, value, "is not an object");
    size_t size = 0;
    *text = message_canonical(reader->arena, value,
                              drawn ? MESSAGE_DIGITS_DRAWN : MESSAGE_DIGITS_ALL, &size);
    if (drawn || (int64_t)size <= field->max)
        return USHER_OK;
    *text = NULL;
    return message_too_many(reader, place, field->name,
                            (struct message_count){(int64_t)size, "bytes", field->max});
}

static enum usher_status check_list(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, yyjson_val *value)
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
    return USHER_OK;
}

/* ---- values of one word ---- */

/* A number; it is given, even if it is 0. */
static enum usher_status read_number(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *value,
                                     void *out)
{
    int64_t number = 0;
    unsigned char *target = (unsigned char *)out + field->offset;
    if (field->loose && !yyjson_is_int(value))
        return USHER_OK;
    enum usher_status status = field->type == MESSAGE_INSTANT
                                   ? read_instant(reader, place, field, value, &number)
                                   : read_integer(reader, place, field, value, &number);
    if (field->type == MESSAGE_COUNT)
        memcpy(target, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    else
        memcpy(target, &number, sizeof number);
    if (field->beside > 0)
        *((bool *)out + field->beside) = true;
    return status;
}

static enum usher_status read_string(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *value,
                                     void *target)
{
    const char *text = NULL;
    enum usher_status status = field->type == MESSAGE_OBJECT || field->type == MESSAGE_DRAWING
                                   ? read_object(reader, place, field, value, &text)
                                   : message_read_text(reader, place, field, value, &text);
    memcpy(target, &text, sizeof text);
    return status;
}

static enum usher_status read_word(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, yyjson_val *value,
                                   void *target)
{
    unsigned word = 0;
    bool few = field->words->count < 5;
    if (!yyjson_is_str(value))
        return message_wrong(reader, place, field->name, value, "is not a string");
    if (!message_word_named(field->words, yyjson_get_str(value), &word) && !field->loose) {
        const char *words =
            message_words_text(reader->arena, field->words, ", ", few ? " or " : ", ");
        return message_wrong(
            reader, place, field->name, value,
            usher_arena_format(reader->arena, "is %s %s", few ? "not" : "none of", words));
    }
    memcpy(target, &word, sizeof word);
    return USHER_OK;
}

static enum usher_status read_flag(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, yyjson_val *value,
                                   void *target)
{
    if (!yyjson_is_bool(value))
        return field->loose
                   ? USHER_OK
                   : message_wrong(reader, place, field->name, value, "is not true or false");
    int64_t no = field->type == MESSAGE_FLAG ? 0 : -1 - field->absent;
    memcpy(target, &(int8_t){yyjson_is_true(value) ? 1 : (int8_t)no}, sizeof(int8_t));
    return USHER_OK;
}

static enum usher_status read_tree(const struct message_reader *reader,
                                   const struct message_place *place,
                                   const struct message_field *field, yyjson_val *value,
                                   void *target)
{
    enum usher_status status = USHER_OK;
    if (field->type == MESSAGE_LIST)
        status = check_list(reader, place, field, value);
    else if (!yyjson_is_obj(value))
        status = message_wrong(reader, place, field->name, value, "is not an object");
    memcpy(target, &value, sizeof(yyjson_val *));
    return status;
}

/* ---- lists and parts ---- */

static void put_list(const struct message_field *field, void *out, const void *list, size_t count)
{
    assert(field->beside > 0);
    memcpy((unsigned char *)out + field->offset, &list, sizeof list);
    memcpy((unsigned char *)out + field->beside, &(uint32_t){(uint32_t)count}, sizeof(uint32_t));
}

static enum usher_status read_texts(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, yyjson_val *value, void *out)
{
    const struct message_field each = {field->name, (enum message_type)field->each,
                                       .max = field->each == MESSAGE_TEXT ? INT64_MAX
                                                                          : USHER_NAME_MAX};
    const char *const *texts = NULL;
    if (field->parallel && yyjson_arr_size(value) != MESSAGE_VALUE(uint32_t, out, field->beside))
        return USHER_OK;
    enum usher_status status = check_list(reader, place, field, value);
    if (status == USHER_OK)
        status = message_read_texts(reader, place, &each, value, &texts);
    put_list(field, out, texts, yyjson_arr_size(value));
    return status;
}

static enum usher_status read_rates(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, yyjson_val *object,
                                    void *out)
{
    const struct message_place inside = {place, field->name, MESSAGE_NO_INDEX};
    if (!yyjson_is_obj(object))
        return message_wrong(reader, place, field->name, object, "is not an object");
    enum usher_status status = message_check_rate_count(reader, place, yyjson_obj_size(object));
    if (status != USHER_OK)
        return status;
    size_t at, count = yyjson_obj_size(object);
    yyjson_val *key, *price;
    struct usher_rate *rates = usher_arena_alloc(reader->arena, count * sizeof *rates);
    yyjson_obj_foreach(object, at, count, key, price) {
        status = message_read_key(reader, place, &message_rate_name, key, &rates[at].rate);
        if (status == USHER_OK)
            status = message_read_price(reader, &inside, rates[at].rate, price, &rates[at].price);
        if (status != USHER_OK)
            return status;
    }
    put_list(field, out, rates, count);
    return USHER_OK;
}

static enum usher_status read_part(const struct message_reader *reader,
                                   const struct message_place *up,
                                   const struct message_field *field, yyjson_val *object,
                                   void *target)
{
    const struct message_place place = {up, field->name, MESSAGE_NO_INDEX};
    if (!yyjson_is_obj(object))
        return message_wrong(reader, up, field->name, object, "is not an object");
    const void *part = usher_arena_alloc(reader->arena, field->of->size);
    memcpy(target, &part, sizeof part);
    return message_read_object(reader, &place, object, field->of, (void *)(uintptr_t)part);
}

static void set_absent(const struct message_table *table, void *out)
{
    for (size_t i = 0; i < table->count; i++)
        message_set_absent(&table->fields[i], out);
}

static enum usher_status read_parts(const struct message_reader *reader,
                                    const struct message_place *up,
                                    const struct message_field *field, yyjson_val *list, void *out)
{
    enum usher_status status = check_list(reader, up, field, list);
    if (status != USHER_OK)
        return status;
    const struct message_table *table = field->of;
    size_t at, count = yyjson_arr_size(list);
    yyjson_val *object;
    unsigned char *parts = usher_arena_alloc(reader->arena, count * table->size), *part = parts;
    yyjson_arr_foreach(list, at, count, object) {
        const struct message_place place = {up, field->name, (uint32_t)at};
        if (!yyjson_is_obj(object))
            return message_wrong(reader, &place, NULL, object, "is not an object");
        if (table->lenient)
            set_absent(table, part);
        status = message_read_object(reader, &place, object, table, part);
        if (status != USHER_OK)
            return status;
        if (table->named_by > 0 && !MESSAGE_VALUE(const char *, part, table->named_by))
            memset(part, 0, table->size);
        else
            part += table->size;
    }
    put_list(field, out, parts, (size_t)(part - parts) / table->size);
    return USHER_OK;
}

/* ---- objects ---- */

static enum usher_status read_field(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, yyjson_val *value, void *out)
{
    void *target = (unsigned char *)out + field->offset;
    switch (field->type) {
    case MESSAGE_ID:
    case MESSAGE_NAME:
    case MESSAGE_POOL:
    case MESSAGE_ROW:
    case MESSAGE_LABEL:
    case MESSAGE_TEXT:
    case MESSAGE_CURRENCY:
    case MESSAGE_TIMEZONE:
    case MESSAGE_OBJECT:
    case MESSAGE_DRAWING:
        return read_string(reader, place, field, value, target);
    case MESSAGE_INTEGER:
    case MESSAGE_SECONDS:
    case MESSAGE_PRICE:
    case MESSAGE_COUNT:
    case MESSAGE_INSTANT:
        return read_number(reader, place, field, value, out);
    case MESSAGE_NIGHT:
        return read_night(reader, place, field, value, target);
    case MESSAGE_WORD:
        return read_word(reader, place, field, value, target);
    case MESSAGE_TEXTS:
        return read_texts(reader, place, field, value, out);
    case MESSAGE_RATES:
        return read_rates(reader, place, field, value, out);
    case MESSAGE_PART:
        return read_part(reader, place, field, value, target);
    case MESSAGE_PARTS:
        return read_parts(reader, place, field, value, out);
    case MESSAGE_OWN:
        return field->own->read ? field->own->read(reader, place, field, value, out) : USHER_OK;
    case MESSAGE_LIST:
    case MESSAGE_MAP:
        return read_tree(reader, place, field, value, target);
    case MESSAGE_FLAG:
    case MESSAGE_WHETHER:
        break;
    }
    return read_flag(reader, place, field, value, target);
}

static bool is_known(const struct message_reader *reader, const struct message_place *place,
                     const char *name)
{
    return !place && reader->also && message_field_of(reader->also, name);
}

/* Whether the field is read behind all else of its object. */
static bool waits(const struct message_table *table, const struct message_field *field)
{
    return field->of || (table->lenient && field->type >= MESSAGE_TEXTS);
}

/* What waits in a lenient object has its type all the same. */
static enum usher_status check_waiting(const struct message_reader *reader,
                                       const struct message_place *place,
                                       const struct message_field *field, yyjson_val *value)
{
    if (field->loose)
        return USHER_OK;
    if (field->type != MESSAGE_PART && (field->type != MESSAGE_OWN || !field->own->is_object))
        return check_list(reader, place, field, value);
    return yyjson_is_obj(value)
               ? USHER_OK
               : message_wrong(reader, place, field->name, value, "is not an object");
}

/* Reads what there is: parts wait, so that what is unknown is named from the top. */
static enum usher_status read_given(const struct message_reader *reader,
                                    struct message_object *object, void *out)
{
    const struct message_table *table = object->table;
    const struct message_place *place = object->place;
    size_t at, count, next = 0;
    yyjson_val *key, *value, **values = object->values;
    uint64_t given = 0, waiting = 0;
    assert(table->count <= FIELDS_MAX);
    yyjson_obj_foreach(object->value, at, count, key, value) {
        const char *name = yyjson_get_str(key);
        const struct message_field *field = field_named(table, name, &next);
        enum usher_status status = USHER_OK;
        if (yyjson_is_null(value) || (!field && is_known(reader, place, name)))
            continue;
        if (!field) {
            message_ignore(reader, place, name);
            continue;
        }
        size_t row = (size_t)(field - table->fields);
        given |= UINT64_C(1) << row;
        values[row] = value;
        if (!waits(table, field)) {
            status = read_field(reader, place, field, value, out);
        } else {
            waiting |= UINT64_C(1) << row;
            if (table->lenient)
                status = check_waiting(reader, place, field, value);
        }
        if (status != USHER_OK)
            return status;
    }
    object->given = given;
    object->waiting = waiting;
    return USHER_OK;
}

enum usher_status message_read_lists(const struct message_reader *reader,
                                     const struct message_object *object, uint32_t kinds, void *out)
{
    uint64_t waiting = object->waiting;
    for (size_t row = 0; waiting != 0; row++, waiting >>= 1) {
        const struct message_field *field = &object->table->fields[row];
        uint32_t of = field->kinds & ~MESSAGE_ALWAYS;
        if ((waiting & 1U) == 0 || (of != 0 && (of & kinds) == 0))
            continue;
        enum usher_status status =
            read_field(reader, object->place, field, object->values[row], out);
        if (status != USHER_OK)
            return status;
    }
    return USHER_OK;
}

enum usher_status message_read_fields(const struct message_reader *reader,
                                      const struct message_place *place, yyjson_val *value,
                                      const struct message_table *table, void *out)
{
    yyjson_val *values[FIELDS_MAX];
    struct message_object object = {place, value, table, 0, 0, values};
    enum usher_status status = read_given(reader, &object, out);
    return status == USHER_OK ? message_read_lists(reader, &object, MESSAGE_ANY, out) : status;
}

enum usher_status message_read_object(const struct message_reader *reader,
                                      const struct message_place *place, yyjson_val *value,
                                      const struct message_table *table, void *out)
{
    yyjson_val *values[FIELDS_MAX];
    struct message_object object = {place, value, table, 0, 0, values};
    if (table->read)
        return table->read(reader, place, value, out);
    enum usher_status status = read_given(reader, &object, out);
    if (status == USHER_OK && !(table->lenient && table->check))
        status = message_read_lists(reader, &object, MESSAGE_ANY, out);
    for (size_t i = 0; status == USHER_OK && i < table->count && table->fields[i].needed; i++)
        if ((object.given >> i & 1U) == 0)
            status = message_missing(reader, place, table->fields[i].name);
    return status == USHER_OK && table->check ? table->check(reader, &object, out) : status;
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

/*
 * Whether plain text has what is not seen: a mark of direction, a separator of lines. Two names
 * that look the same must be the same.
 */
static bool has_hidden(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at >= 0xC2 && utf8_control_size(at, strnlen(at, 4)) > 0)
            return true;
    return false;
}

/* What is wrong with the characters of `text`, NULL where nothing is. */
static const char *text_fault(enum message_type type, const char *text)
{
    bool is_name = type == MESSAGE_NAME || type == MESSAGE_POOL || type == MESSAGE_ROW;
    if (type == MESSAGE_ID && !message_is_id(text))
        return "has characters other than A-Za-z0-9_.:-";
    if ((is_name || type == MESSAGE_LABEL) && !is_plain(text))
        return "has a control character, quote or backslash";
    if (is_name && has_hidden(text))
        return "has an invisible character, as a mark of direction";
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
    bool may_be_empty = field->type == MESSAGE_TEXT || field->type == MESSAGE_ROW ||
                        (field->type == MESSAGE_LABEL && field->min == 0);
    if (size == 0 && !may_be_empty)
        return message_empty(reader, place, field->name);
    /* Of a currency the length says nothing that the list of them does not. */
    if ((int64_t)size > field->max && field->type != MESSAGE_CURRENCY) {
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

/* ---- rates ---- */

const struct message_field message_rate_name = {"rates", MESSAGE_NAME, .max = USHER_NAME_MAX};

enum usher_status message_read_price(const struct message_reader *reader,
                                     const struct message_place *rates, const char *rate,
                                     yyjson_val *value, int64_t *price)
{
    if (!yyjson_is_int(value))
        return message_wrong(reader, rates, rate, value, "is not an integer");
    *price = yyjson_get_sint(value);
    if (*price >= 0 && *price <= USHER_PRICE_MAX)
        return USHER_OK;
    return message_fail(reader, rates, rate, "%lld is not in 0 … %lld", (long long)*price,
                        (long long)USHER_PRICE_MAX);
}

enum usher_status message_check_rate_count(const struct message_reader *reader,
                                           const struct message_place *place, size_t count)
{
    if (count == 0)
        return message_empty(reader, place, "rates");
    if (count <= USHER_RATES_MAX)
        return USHER_OK;
    return message_too_many(reader, place, "rates",
                            (struct message_count){(int64_t)count, "values", USHER_RATES_MAX});
}

/* ==== Writing ==== */

/* ---- values ---- */

/* What is no instant stands as a number: a decoder refuses it. */
static void append_instant(struct usher_buffer *out, int64_t ms)
{
    char text[USHER_INSTANT_SIZE];
    if (ms < 0 || ms / CALENDAR_MS_A_DAY > CALENDAR_LAST_DAY) {
        usher_buffer_number(out, ms);
        return;
    }
    usher_instant_format(ms, text);
    usher_buffer_json_string(out, text);
}

/* As an instant. */
static void append_night(struct usher_buffer *out, int32_t day)
{
    char text[USHER_NIGHT_SIZE];
    if (day < 0 || day > CALENDAR_LAST_DAY) {
        usher_buffer_number(out, day);
        return;
    }
    usher_night_format(day, text);
    usher_buffer_json_string(out, text);
}

static void append_word(struct usher_buffer *out, const struct message_words *words, uint32_t value)
{
    if (value < words->count)
        usher_buffer_json_string(out, words->names[value]);
    else
        usher_buffer_number(out, value);
}

static void append_element(struct usher_buffer *out, const struct message_table *table,
                           const void *element)
{
    if (table->append) {
        table->append(out, element);
        return;
    }
    MESSAGE_LITERAL(out, "{");
    message_append_fields(out, table, element);
    MESSAGE_LITERAL(out, "}");
}

static void append_parts(struct usher_buffer *out, const struct message_table *table,
                         const void *parts, uint32_t count)
{
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        append_element(out, table, (const char *)parts + i * table->size);
    }
    MESSAGE_LITERAL(out, "]");
}

void message_append_value(struct usher_buffer *out, const struct message_field *field,
                          const void *object)
{
    size_t at = field->offset;
    switch (field->type) {
    case MESSAGE_ID:
    case MESSAGE_NAME:
    case MESSAGE_POOL:
    case MESSAGE_ROW:
    case MESSAGE_LABEL:
    case MESSAGE_TEXT:
    case MESSAGE_CURRENCY:
    case MESSAGE_TIMEZONE:
        usher_buffer_json_string(out, MESSAGE_VALUE(const char *, object, at));
        break;
    case MESSAGE_OBJECT:
    case MESSAGE_DRAWING:
        usher_buffer_text(out, MESSAGE_VALUE(const char *, object, at));
        break;
    case MESSAGE_WORD:
        append_word(out, field->words, MESSAGE_VALUE(uint32_t, object, at));
        break;
    case MESSAGE_INTEGER:
    case MESSAGE_SECONDS:
    case MESSAGE_PRICE:
        usher_buffer_number(out, MESSAGE_VALUE(int64_t, object, at));
        break;
    case MESSAGE_COUNT:
        usher_buffer_number(out, MESSAGE_VALUE(uint32_t, object, at));
        break;
    case MESSAGE_FLAG:
    case MESSAGE_WHETHER:
        usher_buffer_text(out, MESSAGE_VALUE(int8_t, object, at) > 0 ? "true" : "false");
        break;
    case MESSAGE_INSTANT:
        append_instant(out, MESSAGE_VALUE(int64_t, object, at));
        break;
    case MESSAGE_NIGHT:
        append_night(out, MESSAGE_VALUE(int32_t, object, at));
        break;
    case MESSAGE_TEXTS:
        message_append_strings(out, MESSAGE_VALUE(const char *const *, object, at),
                               MESSAGE_VALUE(uint32_t, object, field->beside));
        break;
    case MESSAGE_RATES:
        message_append_rates(out, MESSAGE_VALUE(const struct usher_rate *, object, at),
                             MESSAGE_VALUE(uint32_t, object, field->beside));
        break;
    case MESSAGE_PART:
        append_element(out, field->of, MESSAGE_VALUE(const void *, object, at));
        break;
    case MESSAGE_PARTS:
        append_parts(out, field->of, MESSAGE_VALUE(const void *, object, at),
                     MESSAGE_VALUE(uint32_t, object, field->beside));
        break;
    case MESSAGE_OWN:
        field->own->append(out, field, object);
        break;
    case MESSAGE_LIST:
    case MESSAGE_MAP:
        assert(false); /* a field that is only read */
    }
}

void message_append_fields(struct usher_buffer *out, const struct message_table *table,
                           const void *object)
{
    const struct message_field *end = table->fields + table->count;
    uint32_t kinds = table->kinds ? table->kinds(object) : 0;
    for (const struct message_field *field = table->fields; field < end; field++)
        message_append_field(out, field, kinds, object);
}
