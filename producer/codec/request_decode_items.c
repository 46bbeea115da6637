/*
 * Reads the items of a request: named seats, a quantity of a section (or of one of several) or of a
 * product, rooms for nights. An item that names two kinds is refused, since ignoring one
 * could sell what was not wanted.
 */
#include "producer/codec/request_decode_items.h"

#include <stdlib.h>
#include <string.h>

#include "producer/codec/message_fields.h"
#include "producer/codec/message_text.h"

struct raw_item {
    const char *section, *room, *product, *rate;
    yyjson_val *seats, *sections, *features, *avoid;
    int64_t quantity, from, to;
    bool together;
};

static const struct message_field item_fields[] = {
    {"seats", MESSAGE_LIST, offsetof(struct raw_item, seats), 1, USHER_UNITS_MAX},
    {"section", MESSAGE_POOL, offsetof(struct raw_item, section), 0, USHER_NAME_MAX},
    {"room", MESSAGE_POOL, offsetof(struct raw_item, room), 0, USHER_NAME_MAX},
    {"product", MESSAGE_POOL, offsetof(struct raw_item, product), 0, USHER_NAME_MAX},
    {"quantity", MESSAGE_INTEGER, offsetof(struct raw_item, quantity), 1, USHER_UNITS_MAX},
    {"from", MESSAGE_NIGHT, offsetof(struct raw_item, from), 0, 0},
    {"to", MESSAGE_NIGHT, offsetof(struct raw_item, to), 0, 0},
    {"together", MESSAGE_FLAG, offsetof(struct raw_item, together), 0, 0},
    {"rate", MESSAGE_NAME, offsetof(struct raw_item, rate), 0, USHER_NAME_MAX},
    {"sections", MESSAGE_LIST, offsetof(struct raw_item, sections), 0, USHER_CHOICES_MAX},
    {"features", MESSAGE_LIST, offsetof(struct raw_item, features), 0, USHER_CHOICES_MAX},
    {"avoid", MESSAGE_LIST, offsetof(struct raw_item, avoid), 0, USHER_CHOICES_MAX},
};
static const struct message_table item_table = MESSAGE_TABLE(item_fields);

static const struct message_field seat_field = {"seats", MESSAGE_NAME, 0, 0, USHER_NAME_MAX};
static const struct message_field choice_field = {"sections", MESSAGE_POOL, 0, 0, USHER_NAME_MAX};
static const struct message_field feature_field = {"features", MESSAGE_NAME, 0, 0, USHER_NAME_MAX};
static const struct message_field avoid_field = {"avoid", MESSAGE_NAME, 0, 0, USHER_NAME_MAX};

/* ---- kinds ---- */

static enum usher_status kind_of(const struct message_reader *reader,
                                 const struct message_place *place, const struct raw_item *raw,
                                 struct usher_item *item)
{
    const struct {
        const char *name;
        bool is_named;
        enum usher_kind kind;
    } kinds[] = {
        {"seats", raw->seats, USHER_SEATS},
        {"section", raw->section, USHER_SECTION},
        {"room", raw->room, USHER_ROOM},
        {"product", raw->product, USHER_PRODUCT},
        {"sections", yyjson_arr_size(raw->sections) > 0, USHER_SECTION},
    };
    const char *found = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!kinds[i].is_named)
            continue;
        if (found) {
            return message_fail(reader, place, NULL, "has both \"%s\" and \"%s\"", found,
                                kinds[i].name);
        }
        found = kinds[i].name;
        item->kind = kinds[i].kind;
    }
    if (!found)
        return message_fail(reader, place, NULL, "has no seats, section, room or product");
    return USHER_OK;
}

static enum usher_status seats_read(const struct message_reader *reader,
                                    const struct message_place *place, const struct raw_item *raw,
                                    struct usher_item *item)
{
    size_t count = yyjson_arr_size(raw->seats);
    if (raw->quantity != USHER_ABSENT && raw->quantity != (int64_t)count) {
        return message_fail(reader, place, "quantity", "%lld is not the number of seats named, %zu",
                            (long long)raw->quantity, count);
    }
    item->seat_count = (uint32_t)count;
    item->quantity = (uint32_t)count;
    return message_read_texts(reader, place, &seat_field, raw->seats, &item->seats);
}

/* Acceptable sections and required features, of an item that leaves the choice of seats to usher.
 */
static enum usher_status choices_read(const struct message_reader *reader,
                                      const struct message_place *place, const struct raw_item *raw,
                                      struct usher_item *item)
{
    item->section_count = (uint32_t)yyjson_arr_size(raw->sections);
    item->feature_count = (uint32_t)yyjson_arr_size(raw->features);
    item->avoid_count = (uint32_t)yyjson_arr_size(raw->avoid);
    if (item->section_count + item->feature_count + item->avoid_count == 0)
        return USHER_OK;
    if (item->kind != USHER_SECTION) {
        return message_fail(reader, place, item->feature_count > 0 ? "features" : "avoid",
                            "only allowed with a quantity of a section");
    }
    enum usher_status status =
        message_read_texts(reader, place, &choice_field, raw->sections, &item->sections);
    if (status == USHER_OK)
        status = message_read_texts(reader, place, &feature_field, raw->features, &item->features);
    if (status == USHER_OK)
        status = message_read_texts(reader, place, &avoid_field, raw->avoid, &item->avoid);
    return status;
}

static enum usher_status nights_read(const struct message_reader *reader,
                                     const struct message_place *place, const struct raw_item *raw,
                                     struct usher_item *item)
{
    if (item->kind != USHER_ROOM) {
        if (raw->from == USHER_ABSENT && raw->to == USHER_ABSENT)
            return USHER_OK;
        return message_fail(reader, place, raw->from == USHER_ABSENT ? "to" : "from",
                            "only allowed with a room");
    }
    if (raw->from == USHER_ABSENT || raw->to == USHER_ABSENT)
        return message_missing(reader, place, raw->from == USHER_ABSENT ? "from" : "to");
    if (raw->from >= raw->to)
        return message_clash(reader, place, MESSAGE_NOT_BEFORE, "from", "to");
    if (raw->to - raw->from > USHER_NIGHTS_MAX) {
        return message_too_many(
            reader, place, "to",
            (struct message_count){raw->to - raw->from, "nights", USHER_NIGHTS_MAX});
    }
    item->from = (int32_t)raw->from;
    item->to = (int32_t)raw->to;
    return USHER_OK;
}

static enum usher_status pool_read(const struct message_reader *reader,
                                   const struct message_place *place, const struct raw_item *raw,
                                   struct usher_item *item)
{
    if (raw->quantity == USHER_ABSENT)
        return message_missing(reader, place, "quantity");
    item->quantity = (uint32_t)raw->quantity;
    item->together = item->kind == USHER_SECTION && raw->together;
    item->pool = item->kind == USHER_SECTION ? raw->section
                 : item->kind == USHER_ROOM  ? raw->room
                                             : raw->product;
    return nights_read(reader, place, raw, item);
}

/* ---- one item ---- */

static enum usher_status item_from_raw(const struct message_reader *reader,
                                       const struct message_place *place,
                                       const struct raw_item *raw, struct usher_item *item)
{
    enum usher_status status = kind_of(reader, place, raw, item);
    if (status != USHER_OK)
        return status;
    item->rate = raw->rate;
    status = choices_read(reader, place, raw, item);
    if (status != USHER_OK)
        return status;
    if (item->kind != USHER_SEATS)
        return pool_read(reader, place, raw, item);
    status = nights_read(reader, place, raw, item);
    return status == USHER_OK ? seats_read(reader, place, raw, item) : status;
}

static enum usher_status item_read(const struct message_reader *reader,
                                   const struct message_place *place, yyjson_val *object,
                                   void *element)
{
    struct raw_item raw = {.quantity = USHER_ABSENT, .from = USHER_ABSENT, .to = USHER_ABSENT};
    enum usher_status status = message_read_fields(reader, place, object, &item_table, &raw);
    return status == USHER_OK ? item_from_raw(reader, place, &raw, element) : status;
}

/* Refuses fields that leave a choice, where there is none; `why` says so. */
static enum usher_status no_choice_check(const struct message_reader *reader,
                                         const struct message_place *place,
                                         const struct raw_item *raw, const char *why)
{
    if (yyjson_arr_size(raw->sections) > 0)
        return message_fail(reader, place, "sections", "%s", why);
    if (yyjson_arr_size(raw->features) > 0)
        return message_fail(reader, place, "features", "%s", why);
    if (yyjson_arr_size(raw->avoid) > 0)
        return message_fail(reader, place, "avoid", "%s", why);
    return USHER_OK;
}

/* A confirm selects units that the booking already has: there is nothing to choose. */
static enum usher_status pick_read(const struct message_reader *reader,
                                   const struct message_place *place, yyjson_val *object,
                                   void *element)
{
    struct raw_item raw = {.quantity = USHER_ABSENT, .from = USHER_ABSENT, .to = USHER_ABSENT};
    enum usher_status status = message_read_fields(reader, place, object, &item_table, &raw);
    if (status == USHER_OK) {
        status = no_choice_check(reader, place, &raw,
                                 "not allowed: a confirm selects units of its booking");
    }
    return status == USHER_OK ? item_from_raw(reader, place, &raw, element) : status;
}

/* A probe names a pool and takes nothing: single seats have no counts to show. */
static enum usher_status probe_item_read(const struct message_reader *reader,
                                         const struct message_place *place, yyjson_val *object,
                                         void *element)
{
    struct raw_item raw = {.quantity = 1, .from = USHER_ABSENT, .to = USHER_ABSENT};
    enum usher_status status = message_read_fields(reader, place, object, &item_table, &raw);
    if (status == USHER_OK && raw.seats)
        return message_fail(reader, place, "seats", "a probe names a section, room or product");
    if (status == USHER_OK)
        status = no_choice_check(reader, place, &raw, "a probe names a section, room or product");
    return status == USHER_OK ? item_from_raw(reader, place, &raw, element) : status;
}

static const struct message_list item_list = {"items", sizeof(struct usher_item), item_read};
static const struct message_list pick_list = {"items", sizeof(struct usher_item), pick_read};
static const struct message_list probe_list = {"items", sizeof(struct usher_item), probe_item_read};

/* ---- all items ---- */

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static enum usher_status seats_check(const struct message_reader *reader,
                                     const struct usher_request *request, size_t seat_count)
{
    const char **seats = usher_arena_alloc(reader->arena, seat_count * sizeof *seats);
    size_t count = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct usher_item *item = &request->items[i];
        for (uint32_t seat = 0; seat < item->seat_count; seat++)
            seats[count++] = item->seats[seat];
    }
    qsort(seats, count, sizeof *seats, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(seats[i - 1], seats[i]) == 0)
            return message_duplicate(reader, NULL, "items", "seat", seats[i]);
    return USHER_OK;
}

static enum usher_status items_check(const struct message_reader *reader,
                                     const struct usher_request *request)
{
    int64_t units = 0;
    size_t seats = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct usher_item *item = &request->items[i];
        int64_t nights = item->kind == USHER_ROOM ? item->to - item->from : 1;
        units += (int64_t)item->quantity * nights;
        seats += item->seat_count;
    }
    if (units > USHER_UNITS_MAX) {
        return message_too_many(reader, NULL, "items",
                                (struct message_count){units, "units", USHER_UNITS_MAX});
    }
    return seats > 1 ? seats_check(reader, request, seats) : USHER_OK;
}

enum usher_status request_decode_items(const struct message_reader *reader, yyjson_val *list,
                                       struct usher_request *request)
{
    void *elements = NULL;
    const struct message_list *rules = request->op == USHER_OP_PROBE     ? &probe_list
                                       : request->op == USHER_OP_CONFIRM ? &pick_list
                                                                         : &item_list;
    enum usher_status status = message_read_list(reader, NULL, rules, list, &elements);
    if (status != USHER_OK)
        return status;
    request->items = elements;
    request->item_count = (uint32_t)yyjson_arr_size(list);
    return items_check(reader, request);
}
