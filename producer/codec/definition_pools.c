/*
 * Reads the pools that a define names: sections with rows or by capacity, rooms by night, products;
 * their prices, and what may be sold beyond them.
 */
#include "producer/codec/definition_pools.h"

#include "producer/codec/definition_rows.h"
#include "producer/codec/message_fields.h"
#include "producer/codec/terms_decode.h"

enum {
    LIST_MAX = USHER_DEFINE_SIZE_MAX, /* the size of the text is the bound */
};

/* ---- what they have in common ---- */

struct raw_pool {
    const char *section, *room, *product, *name, *properties;
    int64_t from, to, price, capacity, overbook;
    yyjson_val *rows, *rates;
};

static const struct raw_pool nothing_given = {
    .from = USHER_ABSENT,
    .to = USHER_ABSENT,
    .price = USHER_ABSENT,
    .capacity = USHER_ABSENT,
    .overbook = USHER_ABSENT,
};

#define IN_POOL(member) offsetof(struct raw_pool, member)

/* The number that was read, and whether it was there. */
static int64_t given(int64_t number, bool *is_given)
{
    *is_given = number != USHER_ABSENT;
    return *is_given ? number : 0;
}

static enum usher_status capacity_check(const struct message_reader *reader,
                                        const struct message_place *place,
                                        const struct raw_pool *raw)
{
    if (raw->capacity == USHER_ABSENT || raw->overbook == USHER_ABSENT)
        return USHER_OK;
    int64_t all = raw->capacity + raw->overbook;
    if (all <= USHER_CAPACITY_MAX)
        return USHER_OK;
    return message_too_many(reader, place, "overbook",
                            (struct message_count){all, "units in all", USHER_CAPACITY_MAX});
}

static enum usher_status rates_read(const struct message_reader *reader,
                                    const struct message_place *place, const struct raw_pool *raw,
                                    const struct usher_rate **rates, uint32_t *count)
{
    if (!raw->rates)
        return USHER_OK;
    if (raw->price != USHER_ABSENT)
        return message_clash(reader, place, MESSAGE_CONFLICT, "rates", "price");
    return terms_decode_rates(reader, place, raw->rates, rates, count);
}

/* ---- sections ---- */

static const struct message_field section_fields[] = {
    {"section", MESSAGE_POOL, IN_POOL(section), 0, USHER_NAME_MAX},
    {"price", MESSAGE_INTEGER, IN_POOL(price), 0, USHER_PRICE_MAX},
    {"capacity", MESSAGE_INTEGER, IN_POOL(capacity), 0, USHER_CAPACITY_MAX},
    {"rows", MESSAGE_LIST, IN_POOL(rows), 1, LIST_MAX},
    {"rates", MESSAGE_MAP, IN_POOL(rates), 0, 0},
    {"overbook", MESSAGE_INTEGER, IN_POOL(overbook), 0, USHER_CAPACITY_MAX},
};
static const struct message_table section_table = MESSAGE_TABLE(section_fields);

static enum usher_status section_read(const struct message_reader *reader,
                                      const struct message_place *place, yyjson_val *object,
                                      void *element)
{
    struct raw_pool raw = nothing_given;
    enum usher_status status = message_read_fields(reader, place, object, &section_table, &raw);
    if (status != USHER_OK)
        return status;
    if (!raw.section)
        return message_missing(reader, place, "section");
    struct usher_section *section = element;
    section->section = raw.section;
    section->price = given(raw.price, &section->price_given);
    section->capacity = given(raw.capacity, &section->capacity_given);
    section->overbook = given(raw.overbook, &section->overbook_given);
    status = capacity_check(reader, place, &raw);
    if (status == USHER_OK)
        status = rates_read(reader, place, &raw, &section->rates, &section->rate_count);
    if (status == USHER_OK && raw.rows)
        status = definition_rows_decode(reader, place, raw.rows, section);
    return status;
}

static const struct message_list section_list = {"sections", sizeof(struct usher_section),
                                                 section_read};

enum usher_status definition_sections_decode(const struct message_reader *reader, yyjson_val *list,
                                             const struct usher_section **sections, uint32_t *count)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &section_list, list, &elements);
    *sections = elements;
    *count = (uint32_t)yyjson_arr_size(list);
    return status;
}

/* ---- rooms ---- */

static const struct message_field room_fields[] = {
    {"room", MESSAGE_POOL, IN_POOL(room), 0, USHER_NAME_MAX},
    {"from", MESSAGE_NIGHT, IN_POOL(from), 0, 0},
    {"to", MESSAGE_NIGHT, IN_POOL(to), 0, 0},
    {"price", MESSAGE_INTEGER, IN_POOL(price), 0, USHER_PRICE_MAX},
    {"capacity", MESSAGE_INTEGER, IN_POOL(capacity), 0, USHER_CAPACITY_MAX},
    {"rates", MESSAGE_MAP, IN_POOL(rates), 0, 0},
    {"overbook", MESSAGE_INTEGER, IN_POOL(overbook), 0, USHER_CAPACITY_MAX},
};
static const struct message_table room_table = MESSAGE_TABLE(room_fields);

static enum usher_status nights_check(const struct message_reader *reader,
                                      const struct message_place *place, const struct raw_pool *raw)
{
    if (!raw->room)
        return message_missing(reader, place, "room");
    if (raw->from == USHER_ABSENT || raw->to == USHER_ABSENT)
        return message_missing(reader, place, raw->from == USHER_ABSENT ? "from" : "to");
    if (raw->from >= raw->to)
        return message_clash(reader, place, MESSAGE_NOT_BEFORE, "from", "to");
    if (raw->to - raw->from > USHER_POOLS_MAX) {
        return message_too_many(
            reader, place, "to",
            (struct message_count){raw->to - raw->from, "nights", USHER_POOLS_MAX});
    }
    return USHER_OK;
}

static enum usher_status room_read(const struct message_reader *reader,
                                   const struct message_place *place, yyjson_val *object,
                                   void *element)
{
    struct raw_pool raw = nothing_given;
    enum usher_status status = message_read_fields(reader, place, object, &room_table, &raw);
    if (status == USHER_OK)
        status = nights_check(reader, place, &raw);
    if (status == USHER_OK)
        status = capacity_check(reader, place, &raw);
    if (status != USHER_OK)
        return status;
    struct usher_room *room = element;
    room->room = raw.room;
    room->from = (int32_t)raw.from;
    room->to = (int32_t)raw.to;
    room->price = given(raw.price, &room->price_given);
    room->capacity = given(raw.capacity, &room->capacity_given);
    room->overbook = given(raw.overbook, &room->overbook_given);
    return rates_read(reader, place, &raw, &room->rates, &room->rate_count);
}

static const struct message_list room_list = {"rooms", sizeof(struct usher_room), room_read};

enum usher_status definition_rooms_decode(const struct message_reader *reader, yyjson_val *list,
                                          const struct usher_room **rooms, uint32_t *count)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &room_list, list, &elements);
    *rooms = elements;
    *count = (uint32_t)yyjson_arr_size(list);
    return status;
}

/* ---- products ---- */

static const struct message_field product_fields[] = {
    {"product", MESSAGE_POOL, IN_POOL(product), 0, USHER_NAME_MAX},
    {"name", MESSAGE_LABEL, IN_POOL(name), 0, USHER_TEXT_MAX},
    {"price", MESSAGE_INTEGER, IN_POOL(price), 0, USHER_PRICE_MAX},
    {"capacity", MESSAGE_INTEGER, IN_POOL(capacity), 0, USHER_CAPACITY_MAX},
    {"rates", MESSAGE_MAP, IN_POOL(rates), 0, 0},
    {"overbook", MESSAGE_INTEGER, IN_POOL(overbook), 0, USHER_CAPACITY_MAX},
    {"properties", MESSAGE_OBJECT, IN_POOL(properties), 0, USHER_META_MAX},
};
static const struct message_table product_table = MESSAGE_TABLE(product_fields);

static enum usher_status product_read(const struct message_reader *reader,
                                      const struct message_place *place, yyjson_val *object,
                                      void *element)
{
    struct raw_pool raw = nothing_given;
    enum usher_status status = message_read_fields(reader, place, object, &product_table, &raw);
    if (status == USHER_OK && !raw.product)
        return message_missing(reader, place, "product");
    if (status == USHER_OK)
        status = capacity_check(reader, place, &raw);
    if (status != USHER_OK)
        return status;
    struct usher_product *product = element;
    product->product = raw.product;
    product->name = raw.name;
    product->price = given(raw.price, &product->price_given);
    product->capacity = given(raw.capacity, &product->capacity_given);
    product->overbook = given(raw.overbook, &product->overbook_given);
    product->properties = raw.properties;
    return rates_read(reader, place, &raw, &product->rates, &product->rate_count);
}

static const struct message_list product_list = {"products", sizeof(struct usher_product),
                                                 product_read};

enum usher_status definition_products_decode(const struct message_reader *reader, yyjson_val *list,
                                             const struct usher_product **products, uint32_t *count)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &product_list, list, &elements);
    *products = elements;
    *count = (uint32_t)yyjson_arr_size(list);
    return status;
}
