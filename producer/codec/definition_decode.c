/* The catalogue part of a request from JSON. Inside of the codec only. */
#include "producer/codec/definition_decode.h"

#include <stdlib.h>
#include <string.h>

#include "producer/codec/definition_rows.h"
#include "producer/codec/definition_terms.h"
#include "producer/codec/message_append.h"
#include "producer/codec/message_fields.h"
#include "producer/codec/seating_plan.h"

/* ==== Pools ==== */

enum {
    ROWS_MAX = USHER_DEFINE_SIZE_MAX, /* the size of the text is the bound */
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
    {"rows", MESSAGE_LIST, IN_POOL(rows), 1, ROWS_MAX},
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

static enum usher_status definition_rooms_decode(const struct message_reader *reader,
                                                 yyjson_val *list, const struct usher_room **rooms,
                                                 uint32_t *count)
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

static enum usher_status definition_products_decode(const struct message_reader *reader,
                                                    yyjson_val *list,
                                                    const struct usher_product **products,
                                                    uint32_t *count)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &product_list, list, &elements);
    *products = elements;
    *count = (uint32_t)yyjson_arr_size(list);
    return status;
}

/* ==== Definitions ==== */

enum {
    CHART_NAME_SIZE = 71,             /* sha256: and 64 digits */
    LIST_MAX = USHER_DEFINE_SIZE_MAX, /* the size of the text is the bound */
    NIGHTS_MAX = 4000000,             /* nights of all rooms[] of a define */
};

struct raw_definition {
    struct usher_definition definition;
    const char *state, *strategy;
    yyjson_val *sections, *rooms, *products, *limits, *quotas, *plan;
};

#define IN_DEFINITION(member) offsetof(struct raw_definition, definition.member)

static const struct message_field definition_fields[] = {
    {"name", MESSAGE_LABEL, IN_DEFINITION(name), 0, USHER_TEXT_MAX},
    {"venue", MESSAGE_LABEL, IN_DEFINITION(venue), 0, USHER_TEXT_MAX},
    {"description", MESSAGE_LABEL, IN_DEFINITION(description), 0, USHER_DESCRIPTION_MAX},
    {"timezone", MESSAGE_TIMEZONE, IN_DEFINITION(timezone), 0, USHER_NAME_MAX},
    {"currency", MESSAGE_CURRENCY, IN_DEFINITION(currency), 0, 3},
    {"starts_at", MESSAGE_INSTANT, IN_DEFINITION(starts_ms), 1, 0},
    {"ends_at", MESSAGE_INSTANT, IN_DEFINITION(ends_ms), 1, 0},
    {"hold_ttl_s", MESSAGE_INTEGER, IN_DEFINITION(hold_ttl_s), 1, USHER_TTL_MAX},
    {"state", MESSAGE_TEXT, offsetof(struct raw_definition, state), 0, USHER_NAME_MAX},
    {"sections", MESSAGE_LIST, offsetof(struct raw_definition, sections), 0, LIST_MAX},
    {"rooms", MESSAGE_LIST, offsetof(struct raw_definition, rooms), 0, LIST_MAX},
    {"products", MESSAGE_LIST, offsetof(struct raw_definition, products), 0, LIST_MAX},
    {"opens_at", MESSAGE_INSTANT, IN_DEFINITION(opens_ms), 1, 0},
    {"closes_at", MESSAGE_INSTANT, IN_DEFINITION(closes_ms), 1, 0},
    {"strategy", MESSAGE_TEXT, offsetof(struct raw_definition, strategy), 0, USHER_NAME_MAX},
    {"limits", MESSAGE_MAP, offsetof(struct raw_definition, limits), 0, 0},
    {"quotas", MESSAGE_LIST, offsetof(struct raw_definition, quotas), 0, USHER_QUOTAS_MAX},
    {"plan", MESSAGE_MAP, offsetof(struct raw_definition, plan), 0, 0},
    {"chart", MESSAGE_TEXT, IN_DEFINITION(chart), 0, CHART_NAME_SIZE},
};

static const struct message_table definition_table = MESSAGE_TABLE(definition_fields);

/* ---- parts ---- */

static enum usher_status words_read(const struct message_reader *reader,
                                    const struct raw_definition *raw,
                                    struct usher_definition *definition)
{
    definition->state = usher_sale_state_named(raw->state);
    if (raw->state && definition->state == USHER_STATE_ABSENT) {
        return message_fail(reader, NULL, "state", "\"%s\" is not draft, open or closed",
                            raw->state);
    }
    definition->strategy = usher_strategy_named(raw->strategy);
    if (raw->strategy && definition->strategy == USHER_STRATEGY_ABSENT) {
        return message_fail(reader, NULL, "strategy", "\"%s\" is not best, first or random",
                            raw->strategy);
    }
    return USHER_OK;
}

static enum usher_status pools_read(const struct message_reader *reader,
                                    const struct raw_definition *raw,
                                    struct usher_definition *definition)
{
    enum usher_status status = USHER_OK;
    if (raw->sections) {
        status = definition_sections_decode(reader, raw->sections, &definition->sections,
                                            &definition->section_count);
    }
    if (status == USHER_OK && raw->rooms) {
        status = definition_rooms_decode(reader, raw->rooms, &definition->rooms,
                                         &definition->room_count);
    }
    if (status == USHER_OK && raw->products) {
        status = definition_products_decode(reader, raw->products, &definition->products,
                                            &definition->product_count);
    }
    return status;
}

static enum usher_status terms_read(const struct message_reader *reader,
                                    const struct raw_definition *raw,
                                    struct usher_definition *definition)
{
    enum usher_status status = USHER_OK;
    if (raw->limits)
        status = terms_decode_limits(reader, raw->limits, &definition->limits);
    if (status == USHER_OK && raw->quotas) {
        status =
            terms_decode_quotas(reader, raw->quotas, &definition->quotas, &definition->quota_count);
    }
    if (status == USHER_OK && definition->opens_ms != 0 && definition->closes_ms != 0 &&
        definition->opens_ms >= definition->closes_ms)
        return message_clash(reader, NULL, MESSAGE_NOT_BEFORE, "opens_at", "closes_at");
    if (status == USHER_OK && definition->starts_ms != 0 && definition->ends_ms != 0 &&
        definition->starts_ms > definition->ends_ms)
        return message_clash(reader, NULL, MESSAGE_NOT_BEFORE, "starts_at", "ends_at");
    return status;
}

/* A plan that breaks a rule of charts is a request that can be read, and is refused for it. */
static void plan_read(const struct message_reader *reader, yyjson_val *plan,
                      struct usher_definition *definition)
{
    struct message_fault fault = {0};
    const struct message_reader of_plan = {.arena = reader->arena, .fault = &fault};
    definition->plan = message_canonical(reader->arena, plan, MESSAGE_DIGITS_DRAWN, &(size_t){0});
    if (plan_decode(&of_plan, plan, &definition->plan_sections, &definition->plan_section_count) ==
        USHER_OK)
        return;
    definition->plan_sections = NULL;
    definition->plan_section_count = 0;
    definition->fault = message_fault_text(reader->arena, &fault);
}

static bool is_chart_name(const char *text)
{
    return strncmp(text, "sha256:", 7) == 0 && strlen(text) == CHART_NAME_SIZE &&
           strspn(text + 7, "0123456789abcdef") == CHART_NAME_SIZE - 7;
}

static enum usher_status layout_read(const struct message_reader *reader,
                                     const struct raw_definition *raw,
                                     struct usher_definition *definition)
{
    if (definition->chart && raw->plan)
        return message_clash(reader, NULL, MESSAGE_CONFLICT, "chart", "plan");
    if (definition->chart && !is_chart_name(definition->chart)) {
        return message_fail(reader, NULL, "chart",
                            "\"%s\" is not sha256: and 64 hexadecimal digits", definition->chart);
    }
    if (raw->plan)
        plan_read(reader, raw->plan, definition);
    return USHER_OK;
}

/* ---- all of it ---- */

static enum usher_status totals_check(const struct message_reader *reader,
                                      const struct usher_definition *definition)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < definition->section_count; i++)
        seats += definition_rows_seats(&definition->sections[i]);
    for (uint32_t i = 0; i < definition->plan_section_count; i++)
        seats += definition_rows_seats(&definition->plan_sections[i]);
    if (seats > DEFINITION_SEATS_MAX) {
        return message_too_many(reader, NULL, "sections",
                                (struct message_count){seats, "seats", DEFINITION_SEATS_MAX});
    }
    int64_t nights = 0;
    for (uint32_t i = 0; i < definition->room_count; i++)
        nights += definition->rooms[i].to - definition->rooms[i].from;
    if (nights > NIGHTS_MAX) {
        return message_too_many(reader, NULL, "rooms",
                                (struct message_count){nights, "nights", NIGHTS_MAX});
    }
    return USHER_OK;
}

struct named_pool {
    const char *name;
    enum usher_kind kind;
    bool of_plan;
};

static int compare_pools(const void *left, const void *right)
{
    const struct named_pool *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (int)a->of_plan - (int)b->of_plan;
}

/*
 * One name is one pool, whatever its kind. Only a room type may come again, for other nights, and a
 * section of the plan, with its price.
 */
static bool may_both(const struct named_pool *one, const struct named_pool *other)
{
    return strcmp(one->name, other->name) != 0 ||
           (one->kind == other->kind &&
            (one->kind == USHER_ROOM || one->of_plan != other->of_plan));
}

static size_t pools_list(const struct usher_definition *definition, struct named_pool *pools)
{
    size_t count = 0;
    for (uint32_t i = 0; i < definition->section_count; i++)
        pools[count++] = (struct named_pool){definition->sections[i].section, USHER_SECTION, false};
    for (uint32_t i = 0; i < definition->plan_section_count; i++) {
        pools[count++] =
            (struct named_pool){definition->plan_sections[i].section, USHER_SECTION, true};
    }
    for (uint32_t i = 0; i < definition->room_count; i++)
        pools[count++] = (struct named_pool){definition->rooms[i].room, USHER_ROOM, false};
    for (uint32_t i = 0; i < definition->product_count; i++)
        pools[count++] = (struct named_pool){definition->products[i].product, USHER_PRODUCT, false};
    return count;
}

static enum usher_status names_check(const struct message_reader *reader,
                                     const struct usher_definition *definition)
{
    size_t most = (size_t)definition->section_count + definition->plan_section_count +
                  definition->room_count + definition->product_count;
    struct named_pool *pools = usher_arena_alloc(reader->arena, most * sizeof *pools);
    size_t count = pools_list(definition, pools);
    qsort(pools, count, sizeof *pools, compare_pools);
    for (size_t i = 1; i < count; i++)
        if (!may_both(&pools[i - 1], &pools[i]))
            return message_duplicate(reader, NULL, NULL, "pool", pools[i].name);
    return USHER_OK;
}

bool definition_has_field(const char *name)
{
    return message_table_has(&definition_table, name);
}

enum usher_status definition_decode(const struct message_reader *reader, yyjson_val *object,
                                    struct usher_definition *definition)
{
    struct raw_definition raw;
    memset(&raw, 0, sizeof raw);

    /* The object is that of the request, whose reader knows which of its fields are unknown. */
    const struct message_reader of_root = {.arena = reader->arena, .fault = reader->fault};
    enum usher_status status = message_read_fields(&of_root, NULL, object, &definition_table, &raw);
    if (status != USHER_OK)
        return status;
    *definition = raw.definition;
    status = words_read(reader, &raw, definition);
    if (status == USHER_OK)
        status = pools_read(reader, &raw, definition);
    if (status == USHER_OK)
        status = terms_read(reader, &raw, definition);
    if (status == USHER_OK)
        status = layout_read(reader, &raw, definition);
    if (status == USHER_OK)
        status = totals_check(reader, definition);
    return status == USHER_OK ? names_check(reader, definition) : status;
}
