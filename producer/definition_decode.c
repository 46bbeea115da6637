/*
 * Reads what a define says: sections with rows or by capacity, rooms by night, products. Checks
 * each by itself and against the others of the same request; what the resource already has is
 * not known here.
 */
#include "definition_decode.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROW_SEATS_MAX = 10000,
    FIRST_MAX = 1000000,
    TTL_MAX = 31536000,
    LIST_MAX = USHER_DEFINE_SIZE_MAX, /* the size of the text is the bound */
    SEATS_MAX = 4000000,              /* seats a define: a row of 10,000 is only a few bytes */
    NIGHTS_MAX = 4000000,             /* nights of all rooms[] of a define */
};

/* ---- rows ---- */

struct raw_row {
    const char *row;
    int64_t seats, first;
};

static const struct message_field row_fields[] = {
    {"row", MESSAGE_NAME, offsetof(struct raw_row, row), 0, USHER_NAME_MAX},
    {"seats", MESSAGE_INTEGER, offsetof(struct raw_row, seats), 1, ROW_SEATS_MAX},
    {"first", MESSAGE_INTEGER, offsetof(struct raw_row, first), 0, FIRST_MAX},
};
static const struct message_table row_table = MESSAGE_TABLE(row_fields);

/* The name of the row's last seat, its longest: row-number. */
static size_t seat_name_size(const struct raw_row *row)
{
    size_t size = strlen(row->row) + 1;
    for (int64_t number = row->first + row->seats - 1; number > 0; number /= 10)
        size++;
    return size;
}

static enum usher_status row_read(const struct message_reader *reader,
                                  const struct message_place *place, json_t *object, void *element)
{
    struct raw_row raw = {.row = NULL, .seats = USHER_ABSENT, .first = 1};
    enum usher_status status = message_read_fields(reader, place, object, &row_table, &raw);
    if (status != USHER_OK)
        return status;
    if (raw.row == NULL)
        return message_fail(reader, place, "row", "missing");
    if (raw.seats == USHER_ABSENT)
        return message_fail(reader, place, "seats", "missing");
    if (seat_name_size(&raw) > USHER_NAME_MAX) {
        return message_fail(reader, place, "row",
                            "\"%s\" with its seat numbers gives names of more than %d bytes",
                            raw.row, USHER_NAME_MAX);
    }
    struct usher_row *row = element;
    row->row = raw.row;
    row->seats = (uint32_t)raw.seats;
    row->first = (uint32_t)raw.first;
    return USHER_OK;
}

static const struct message_list row_list = {"rows", sizeof(struct usher_row), row_read};

static int64_t rows_seats(const struct usher_section *section)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        seats += section->rows[i].seats;
    return seats;
}

/* ---- sections ---- */

struct raw_section {
    const char *section;
    int64_t price, capacity;
    json_t *rows;
};

static const struct message_field section_fields[] = {
    {"section", MESSAGE_POOL, offsetof(struct raw_section, section), 0, USHER_NAME_MAX},
    {"price", MESSAGE_INTEGER, offsetof(struct raw_section, price), 0, USHER_PRICE_MAX},
    {"capacity", MESSAGE_INTEGER, offsetof(struct raw_section, capacity), 0, USHER_CAPACITY_MAX},
    {"rows", MESSAGE_LIST, offsetof(struct raw_section, rows), 1, LIST_MAX},
    {"rates", MESSAGE_REFUSED, 0, 0, 0},
    {"overbook", MESSAGE_REFUSED, 0, 0, 0},
};
static const struct message_table section_table = MESSAGE_TABLE(section_fields);

static enum usher_status section_rows_read(const struct message_reader *reader,
                                           const struct message_place *place, json_t *rows,
                                           struct usher_section *section)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, place, &row_list, rows, &elements);
    if (status != USHER_OK)
        return status;
    section->rows = elements;
    section->row_count = (uint32_t)json_array_size(rows);

    int64_t seats = rows_seats(section);
    if (seats > USHER_CAPACITY_MAX) {
        return message_fail(reader, place, "rows", "%lld seats are more than %d", (long long)seats,
                            USHER_CAPACITY_MAX);
    }
    if (section->capacity > 0 && section->capacity != seats) {
        return message_fail(reader, place, "capacity", "%lld is not the %lld seats of the rows",
                            (long long)section->capacity, (long long)seats);
    }
    return USHER_OK;
}

static enum usher_status section_read(const struct message_reader *reader,
                                      const struct message_place *place, json_t *object,
                                      void *element)
{
    struct raw_section raw = {NULL, USHER_ABSENT, USHER_ABSENT, NULL};
    enum usher_status status = message_read_fields(reader, place, object, &section_table, &raw);
    if (status != USHER_OK)
        return status;
    if (raw.section == NULL)
        return message_fail(reader, place, "section", "missing");
    struct usher_section *section = element;
    section->section = raw.section;
    section->price = raw.price;
    section->capacity = raw.capacity;
    section->overbook = USHER_ABSENT;
    return raw.rows == NULL ? USHER_OK : section_rows_read(reader, place, raw.rows, section);
}

static const struct message_list section_list = {"sections", sizeof(struct usher_section),
                                                 section_read};

enum usher_status definition_sections_decode(const struct message_reader *reader, json_t *list,
                                             const struct usher_section **sections, uint32_t *count)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &section_list, list, &elements);
    *sections = elements;
    *count = (uint32_t)json_array_size(list);
    return status;
}

/* ---- rooms ---- */

struct raw_room {
    const char *room;
    int64_t from, to, capacity, price;
};

static const struct message_field room_fields[] = {
    {"room", MESSAGE_POOL, offsetof(struct raw_room, room), 0, USHER_NAME_MAX},
    {"from", MESSAGE_NIGHT, offsetof(struct raw_room, from), 0, 0},
    {"to", MESSAGE_NIGHT, offsetof(struct raw_room, to), 0, 0},
    {"price", MESSAGE_INTEGER, offsetof(struct raw_room, price), 0, USHER_PRICE_MAX},
    {"capacity", MESSAGE_INTEGER, offsetof(struct raw_room, capacity), 0, USHER_CAPACITY_MAX},
    {"rates", MESSAGE_REFUSED, 0, 0, 0},
    {"overbook", MESSAGE_REFUSED, 0, 0, 0},
};
static const struct message_table room_table = MESSAGE_TABLE(room_fields);

static enum usher_status room_check(const struct message_reader *reader,
                                    const struct message_place *place, const struct raw_room *raw)
{
    if (raw->room == NULL)
        return message_fail(reader, place, "room", "missing");
    if (raw->from == USHER_ABSENT || raw->to == USHER_ABSENT)
        return message_fail(reader, place, raw->from == USHER_ABSENT ? "from" : "to", "missing");
    if (raw->from >= raw->to)
        return message_fail(reader, place, "from", "not before \"to\"");
    if (raw->to - raw->from > USHER_POOLS_MAX) {
        return message_fail(reader, place, "to", "%lld nights are more than %d",
                            (long long)(raw->to - raw->from), USHER_POOLS_MAX);
    }
    return USHER_OK;
}

static enum usher_status room_read(const struct message_reader *reader,
                                   const struct message_place *place, json_t *object, void *element)
{
    struct raw_room raw = {NULL, USHER_ABSENT, USHER_ABSENT, USHER_ABSENT, USHER_ABSENT};
    enum usher_status status = message_read_fields(reader, place, object, &room_table, &raw);
    if (status == USHER_OK)
        status = room_check(reader, place, &raw);
    if (status != USHER_OK)
        return status;
    struct usher_room *room = element;
    room->room = raw.room;
    room->from = (int32_t)raw.from;
    room->to = (int32_t)raw.to;
    room->capacity = raw.capacity;
    room->price = raw.price;
    room->overbook = USHER_ABSENT;
    return USHER_OK;
}

static const struct message_list room_list = {"rooms", sizeof(struct usher_room), room_read};

/* ---- products ---- */

static const struct message_field product_fields[] = {
    {"product", MESSAGE_POOL, offsetof(struct usher_product, product), 0, USHER_NAME_MAX},
    {"name", MESSAGE_LABEL, offsetof(struct usher_product, name), 0, USHER_TEXT_MAX},
    {"price", MESSAGE_INTEGER, offsetof(struct usher_product, price), 0, USHER_PRICE_MAX},
    {"capacity", MESSAGE_INTEGER, offsetof(struct usher_product, capacity), 0, USHER_CAPACITY_MAX},
    {"rates", MESSAGE_REFUSED, 0, 0, 0},
    {"overbook", MESSAGE_REFUSED, 0, 0, 0},
    {"properties", MESSAGE_REFUSED, 0, 0, 0},
};
static const struct message_table product_table = MESSAGE_TABLE(product_fields);

static enum usher_status product_read(const struct message_reader *reader,
                                      const struct message_place *place, json_t *object,
                                      void *element)
{
    struct usher_product *product = element;
    product->capacity = USHER_ABSENT;
    product->price = USHER_ABSENT;
    product->overbook = USHER_ABSENT;
    enum usher_status status = message_read_fields(reader, place, object, &product_table, product);
    if (status == USHER_OK && product->product == NULL)
        return message_fail(reader, place, "product", "missing");
    return status;
}

static const struct message_list product_list = {"products", sizeof(struct usher_product),
                                                 product_read};

/* ---- all of it ---- */

struct raw_definition {
    struct usher_definition definition;
    const char *state;
    json_t *sections, *rooms, *products;
};

#define IN_DEFINITION(member) offsetof(struct raw_definition, definition.member)

static const struct message_field definition_fields[] = {
    {"name", MESSAGE_LABEL, IN_DEFINITION(name), 0, USHER_TEXT_MAX},
    {"venue", MESSAGE_LABEL, IN_DEFINITION(venue), 0, USHER_TEXT_MAX},
    {"description", MESSAGE_LABEL, IN_DEFINITION(description), 0, USHER_DESCRIPTION_MAX},
    {"timezone", MESSAGE_TIMEZONE, IN_DEFINITION(timezone), 0, USHER_NAME_MAX},
    {"currency", MESSAGE_CURRENCY, IN_DEFINITION(currency), 0, 3},
    {"starts_at", MESSAGE_INSTANT, IN_DEFINITION(starts_ms), 0, 0},
    {"ends_at", MESSAGE_INSTANT, IN_DEFINITION(ends_ms), 0, 0},
    {"hold_ttl_s", MESSAGE_INTEGER, IN_DEFINITION(hold_ttl_s), 1, TTL_MAX},
    {"state", MESSAGE_TEXT, offsetof(struct raw_definition, state), 0, USHER_NAME_MAX},
    {"sections", MESSAGE_LIST, offsetof(struct raw_definition, sections), 0, LIST_MAX},
    {"rooms", MESSAGE_LIST, offsetof(struct raw_definition, rooms), 0, LIST_MAX},
    {"products", MESSAGE_LIST, offsetof(struct raw_definition, products), 0, LIST_MAX},
    {"opens_at", MESSAGE_REFUSED, 0, 0, 0},
    {"closes_at", MESSAGE_REFUSED, 0, 0, 0},
    {"strategy", MESSAGE_REFUSED, 0, 0, 0},
    {"limits", MESSAGE_REFUSED, 0, 0, 0},
    {"quotas", MESSAGE_REFUSED, 0, 0, 0},
    {"overbook", MESSAGE_REFUSED, 0, 0, 0},
    {"plan", MESSAGE_REFUSED, 0, 0, 0},
    {"chart", MESSAGE_REFUSED, 0, 0, 0},
};
static const struct message_table definition_table = MESSAGE_TABLE(definition_fields);

static enum usher_status lists_read(const struct message_reader *reader,
                                    const struct raw_definition *raw,
                                    struct usher_definition *definition)
{
    void *elements = NULL;
    enum usher_status status = USHER_OK;
    if (raw->sections != NULL) {
        status = definition_sections_decode(reader, raw->sections, &definition->sections,
                                            &definition->section_count);
    }
    if (status == USHER_OK && raw->rooms != NULL) {
        status = message_read_list(reader, NULL, &room_list, raw->rooms, &elements);
        definition->rooms = elements;
        definition->room_count = (uint32_t)json_array_size(raw->rooms);
    }
    if (status == USHER_OK && raw->products != NULL) {
        status = message_read_list(reader, NULL, &product_list, raw->products, &elements);
        definition->products = elements;
        definition->product_count = (uint32_t)json_array_size(raw->products);
    }
    return status;
}

static enum usher_status totals_check(const struct message_reader *reader,
                                      const struct usher_definition *definition)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < definition->section_count; i++)
        seats += rows_seats(&definition->sections[i]);
    if (seats > SEATS_MAX) {
        return message_fail(reader, NULL, "sections", "%lld seats are more than %d",
                            (long long)seats, SEATS_MAX);
    }
    int64_t nights = 0;
    for (uint32_t i = 0; i < definition->room_count; i++)
        nights += definition->rooms[i].to - definition->rooms[i].from;
    if (nights > NIGHTS_MAX) {
        return message_fail(reader, NULL, "rooms", "%lld nights are more than %d",
                            (long long)nights, NIGHTS_MAX);
    }
    return USHER_OK;
}

struct named_pool {
    const char *name;
    enum usher_kind kind;
};

static int compare_pools(const void *left, const void *right)
{
    return strcmp(((const struct named_pool *)left)->name,
                  ((const struct named_pool *)right)->name);
}

/* One name is one pool, whatever its kind; only a room type may come again, for other nights. */
static enum usher_status names_check(const struct message_reader *reader,
                                     const struct usher_definition *definition)
{
    size_t all =
        (size_t)definition->section_count + definition->room_count + definition->product_count;
    struct named_pool *pools = usher_arena_alloc(reader->arena, all * sizeof(*pools));
    size_t count = 0;
    for (uint32_t i = 0; i < definition->section_count; i++)
        pools[count++] = (struct named_pool){definition->sections[i].section, USHER_SECTION};
    for (uint32_t i = 0; i < definition->room_count; i++)
        pools[count++] = (struct named_pool){definition->rooms[i].room, USHER_ROOM};
    for (uint32_t i = 0; i < definition->product_count; i++)
        pools[count++] = (struct named_pool){definition->products[i].product, USHER_PRODUCT};
    qsort(pools, count, sizeof(*pools), compare_pools);
    for (size_t i = 1; i < count; i++) {
        bool is_room_again = pools[i].kind == USHER_ROOM && pools[i - 1].kind == USHER_ROOM;
        if (!is_room_again && compare_pools(&pools[i - 1], &pools[i]) == 0) {
            usher_error_set(reader->err, USHER_EXIT_BAD_INPUT, "pool \"%s\" is given twice",
                            pools[i].name);
            return USHER_REJECT;
        }
    }
    return USHER_OK;
}

enum usher_status definition_decode(const struct message_reader *reader, json_t *object,
                                    struct usher_definition *definition)
{
    struct raw_definition raw;
    memset(&raw, 0, sizeof(raw));
    raw.definition.starts_ms = USHER_ABSENT;
    raw.definition.ends_ms = USHER_ABSENT;
    raw.definition.hold_ttl_s = USHER_ABSENT;
    raw.definition.opens_ms = USHER_ABSENT;
    raw.definition.closes_ms = USHER_ABSENT;

    enum usher_status status = message_read_fields(reader, NULL, object, &definition_table, &raw);
    if (status != USHER_OK)
        return status;
    *definition = raw.definition;
    definition->state = usher_sale_state_named(raw.state);
    if (raw.state != NULL && definition->state == USHER_STATE_ABSENT) {
        return message_fail(reader, NULL, "state", "\"%s\" is not draft, open or closed",
                            raw.state);
    }
    status = lists_read(reader, &raw, definition);
    if (status == USHER_OK)
        status = totals_check(reader, definition);
    return status == USHER_OK ? names_check(reader, definition) : status;
}
