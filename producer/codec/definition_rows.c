/*
 * Reads and writes rows of seats: in short form by number, or each seat with its name, rank and
 * position. Whether names are unique in the resource is not known here.
 */
#include "producer/codec/definition_rows.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/codec/message_append.h"

enum {
    FIRST_MAX = 1000000,
    LIST_MAX = USHER_DEFINE_SIZE_MAX, /* the size of the text is the bound */
};

struct raw_row {
    const char *row, *zone;
    int64_t seats, first;
    yyjson_val *names, *numbers, *ranks, *x, *y, *features;
};

static const struct message_field row_fields[] = {
    {"row", MESSAGE_ROW, offsetof(struct raw_row, row), .max = USHER_NAME_MAX, .needed = true},
    {"seats", MESSAGE_INTEGER, offsetof(struct raw_row, seats), .min = 1,
     .max = DEFINITION_ROW_SEATS_MAX, .needed = true},
    {"first", MESSAGE_INTEGER, offsetof(struct raw_row, first), .max = FIRST_MAX},
    {"zone", MESSAGE_NAME, offsetof(struct raw_row, zone), .max = USHER_NAME_MAX},
    {"names", MESSAGE_LIST, offsetof(struct raw_row, names), .max = LIST_MAX},
    {"ranks", MESSAGE_LIST, offsetof(struct raw_row, ranks), .max = LIST_MAX},
    {"x", MESSAGE_LIST, offsetof(struct raw_row, x), .max = LIST_MAX},
    {"y", MESSAGE_LIST, offsetof(struct raw_row, y), .max = LIST_MAX},
    {"features", MESSAGE_MAP, offsetof(struct raw_row, features), .max = 0},
    {"numbers", MESSAGE_LIST, offsetof(struct raw_row, numbers), .max = LIST_MAX},
};
static const struct message_table raw_table = MESSAGE_TABLE(row_fields);

static const struct message_field name_field = {"names", MESSAGE_NAME, 0, .max = USHER_NAME_MAX};
static const struct message_field number_field = {"numbers", MESSAGE_NAME, 0,
                                                  .max = USHER_NAME_MAX};
static const struct message_field rank_field = {"ranks", MESSAGE_INTEGER, 0,
                                                .max = DEFINITION_RANK_MAX};
static const struct message_field x_field = {
    "x", MESSAGE_INTEGER, 0, .min = -DEFINITION_POSITION_MAX, .max = DEFINITION_POSITION_MAX};
static const struct message_field y_field = {
    "y", MESSAGE_INTEGER, 0, .min = -DEFINITION_POSITION_MAX, .max = DEFINITION_POSITION_MAX};
static const struct message_field feature_field = {"features", MESSAGE_NAME, 0,
                                                   .max = USHER_NAME_MAX};

/* ---- a value for each seat ---- */

static enum usher_status count_check(const struct message_reader *reader,
                                     const struct message_place *place, const char *field,
                                     yyjson_val *list, const struct usher_row *row)
{
    size_t size = yyjson_arr_size(list);
    if (size == row->seats)
        return USHER_OK;
    return message_fail(reader, place, field, "%zu, where the row has %u seat%s", size, row->seats,
                        PLURAL(row->seats));
}

static enum usher_status texts_read(const struct message_reader *reader,
                                    const struct message_place *place,
                                    const struct message_field *field, yyjson_val *list,
                                    const struct usher_row *row, const char *const **texts)
{
    if (!list)
        return USHER_OK;
    enum usher_status status = count_check(reader, place, field->name, list, row);
    return status == USHER_OK ? message_read_texts(reader, place, field, list, texts) : status;
}

static enum usher_status integers_read(const struct message_reader *reader,
                                       const struct message_place *place,
                                       const struct message_field *field, yyjson_val *list,
                                       const int32_t **values)
{
    size_t at, count = yyjson_arr_size(list);
    yyjson_val *value;
    int32_t *array = usher_arena_alloc(reader->arena, count * sizeof *array);
    yyjson_arr_foreach(list, at, count, value) {
        int64_t number = yyjson_get_sint(value);
        if (!yyjson_is_int(value))
            return message_wrong(reader, place, field->name, value, "is not an integer");
        if (number < field->min || number > field->max) {
            return message_fail(reader, place, field->name, "%lld is not in %lld … %lld",
                                (long long)number, (long long)field->min, (long long)field->max);
        }
        array[at] = (int32_t)number;
    }
    *values = array;
    return USHER_OK;
}

static enum usher_status ranks_read(const struct message_reader *reader,
                                    const struct message_place *place, const struct raw_row *raw,
                                    struct usher_row *row)
{
    if (!raw->ranks)
        return USHER_OK;
    enum usher_status status = count_check(reader, place, "ranks", raw->ranks, row);
    return status == USHER_OK ? integers_read(reader, place, &rank_field, raw->ranks, &row->ranks)
                              : status;
}

static enum usher_status positions_read(const struct message_reader *reader,
                                        const struct message_place *place,
                                        const struct raw_row *raw, struct usher_row *row)
{
    if (!raw->x && !raw->y)
        return USHER_OK;
    if (!raw->x || !raw->y)
        return message_missing(reader, place, raw->x ? "y" : "x");
    enum usher_status status = count_check(reader, place, "x", raw->x, row);
    if (status == USHER_OK)
        status = count_check(reader, place, "y", raw->y, row);
    if (status == USHER_OK)
        status = integers_read(reader, place, &x_field, raw->x, &row->x);
    return status == USHER_OK ? integers_read(reader, place, &y_field, raw->y, &row->y) : status;
}

/* ---- features ---- */

static int compare_places(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static int compare_features(const void *left, const void *right)
{
    return strcmp(((const struct usher_row_feature *)left)->feature,
                  ((const struct usher_row_feature *)right)->feature);
}

/* Places are counted from 1 in JSON, from 0 here. */
static enum usher_status places_read(const struct message_reader *reader,
                                     const struct message_place *features, yyjson_val *list,
                                     uint32_t row_seats, struct usher_row_feature *feature)
{
    size_t at, count = yyjson_arr_size(list);
    yyjson_val *value;
    if (!yyjson_is_arr(list) || count == 0)
        return message_fail(reader, features, feature->feature, "lists no seats");
    uint32_t *places = usher_arena_alloc(reader->arena, count * sizeof *places);
    yyjson_arr_foreach(list, at, count, value) {
        int64_t place = yyjson_get_sint(value);
        if (!yyjson_is_int(value) || place < 1 || place > row_seats) {
            return message_wrong(reader, features, feature->feature, value,
                                 "is not the place of a seat, counted from 1");
        }
        places[at] = (uint32_t)place - 1;
    }
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 1; i < count; i++) {
        if (places[i - 1] == places[i]) {
            return message_fail(reader, features, feature->feature, "lists seat %u twice",
                                places[i] + 1);
        }
    }
    feature->seats = places;
    feature->seat_count = (uint32_t)count;
    return USHER_OK;
}

static enum usher_status features_read(const struct message_reader *reader,
                                       const struct message_place *row_place, yyjson_val *map,
                                       struct usher_row *row)
{
    const struct message_place place = {row_place, "features", MESSAGE_NO_INDEX};
    size_t at, count = yyjson_obj_size(map);
    yyjson_val *key, *list;
    if (count > DEFINITION_FEATURES_MAX) {
        return message_too_many(
            reader, row_place, "features",
            (struct message_count){(int64_t)count, "values", DEFINITION_FEATURES_MAX});
    }
    struct usher_row_feature *features = usher_arena_alloc(reader->arena, count * sizeof *features);
    yyjson_obj_foreach(map, at, count, key, list) {
        struct usher_row_feature *feature = &features[at];
        enum usher_status status =
            message_read_key(reader, row_place, &feature_field, key, &feature->feature);
        if (status == USHER_OK)
            status = places_read(reader, &place, list, row->seats, feature);
        if (status != USHER_OK)
            return status;
    }
    if (count > 1)
        qsort(features, count, sizeof *features, compare_features);
    row->features = features;
    row->feature_count = (uint32_t)count;
    return USHER_OK;
}

/* ---- rows ---- */

/* The name of the row's last seat, its longest: row-number. */
static size_t seat_name_size(const struct usher_row *row)
{
    size_t size = strlen(row->row) + 1;
    for (uint32_t number = row->first + row->seats - 1; number > 0; number /= 10)
        size++;
    return size;
}

/* A row without names gives its own to the seats. */
static enum usher_status naming_check(const struct message_reader *reader,
                                      const struct message_place *place,
                                      const struct usher_row *row)
{
    if (row->names)
        return USHER_OK;
    if (row->row[0] == '\0')
        return message_empty(reader, place, "row");
    if (seat_name_size(row) <= USHER_NAME_MAX)
        return USHER_OK;
    return message_fail(reader, place, "row",
                        "\"%s\" with its seat numbers gives names of more than %d bytes", row->row,
                        USHER_NAME_MAX);
}

static enum usher_status row_read(const struct message_reader *reader,
                                  const struct message_place *place, yyjson_val *object, void *out)
{
    struct raw_row raw = {.first = 1};
    enum usher_status status = message_read_object(reader, place, object, &raw_table, &raw);
    if (status != USHER_OK)
        return status;
    struct usher_row *row = out;
    row->row = raw.row;
    row->seats = (uint32_t)raw.seats;
    row->first = (uint32_t)raw.first;
    row->first_given = raw.first == 0;
    row->zone = raw.zone;
    status = texts_read(reader, place, &name_field, raw.names, row, &row->names);
    if (status == USHER_OK)
        status = texts_read(reader, place, &number_field, raw.numbers, row, &row->numbers);
    if (status == USHER_OK)
        status = naming_check(reader, place, row);
    if (status == USHER_OK)
        status = ranks_read(reader, place, &raw, row);
    if (status == USHER_OK)
        status = positions_read(reader, place, &raw, row);
    return status == USHER_OK && raw.features ? features_read(reader, place, raw.features, row)
                                              : status;
}

/* ---- writing ---- */

static void append_integers(struct usher_buffer *out, const char *name, const int32_t *values,
                            uint32_t count)
{
    if (!values)
        return;
    message_append_name(out, name);
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        usher_buffer_number(out, values[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

/* Places are counted from 1 in JSON, from 0 here. */
static void append_features(struct usher_buffer *out, const struct usher_row *row)
{
    message_append_name(out, ",\"features\"");
    MESSAGE_LITERAL(out, "{");
    for (uint32_t i = 0; i < row->feature_count; i++) {
        const struct usher_row_feature *feature = &row->features[i];
        message_append_comma(out, i);
        usher_buffer_json_string(out, feature->feature);
        MESSAGE_LITERAL(out, ":[");
        for (uint32_t seat = 0; seat < feature->seat_count; seat++) {
            message_append_comma(out, seat);
            usher_buffer_number(out, (int64_t)feature->seats[seat] + 1);
        }
        MESSAGE_LITERAL(out, "]");
    }
    MESSAGE_LITERAL(out, "}");
}

uint32_t definition_row_first(const struct usher_row *row)
{
    return row->first > 0 || row->first_given ? row->first : 1;
}

void definition_encode_seats(const struct usher_row *row, struct usher_buffer *out)
{
    message_append_text(out, ",\"zone\"", row->zone);
    if (row->names)
        message_append_texts(out, ",\"names\"", row->names, row->seats);
    if (row->numbers)
        message_append_texts(out, ",\"numbers\"", row->numbers, row->seats);
    append_integers(out, ",\"ranks\"", row->ranks, row->seats);
    append_integers(out, ",\"x\"", row->x, row->seats);
    append_integers(out, ",\"y\"", row->y, row->seats);
    if (row->feature_count > 0)
        append_features(out, row);
}

static void row_append(struct usher_buffer *out, const void *object)
{
    const struct usher_row *row = object;
    MESSAGE_LITERAL(out, "{");
    message_append_text(out, ",\"row\"", row->row);
    if (row->seats != 0)
        message_append_number(out, ",\"seats\"", row->seats);
    if (row->first != 1 && (row->first > 0 || row->first_given))
        message_append_number(out, ",\"first\"", row->first);
    definition_encode_seats(row, out);
    MESSAGE_LITERAL(out, "}");
}

const struct message_table definition_row_table = {
    .fields = row_fields,
    .count = MESSAGE_COUNT_OF(row_fields),
    .size = sizeof(struct usher_row),
    .read = row_read,
    .append = row_append,
};

int64_t definition_rows_seats(const struct usher_section *section)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        seats += section->rows[i].seats;
    return seats;
}

enum usher_status definition_rows_check(const struct message_reader *reader,
                                        const struct message_place *place,
                                        const struct usher_section *section)
{
    int64_t seats = definition_rows_seats(section);
    if (seats > USHER_CAPACITY_MAX) {
        return message_too_many(reader, place, "rows",
                                (struct message_count){seats, "seats", USHER_CAPACITY_MAX});
    }
    if (section->capacity > 0 && section->capacity != seats) {
        return message_fail(reader, place, "capacity", "%lld is not the %lld seat%s of the rows",
                            (long long)section->capacity, (long long)seats, PLURAL(seats));
    }
    return USHER_OK;
}
