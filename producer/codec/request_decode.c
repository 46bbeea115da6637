/* Requests from JSON, for callers that want a fault as data. Not installed. */
#include "producer/codec/request_decode.h"

#include <stdlib.h>
#include <string.h>

#include "producer/codec/definition_decode.h"
#include "producer/codec/message_fields.h"
#include "producer/codec/message_names.h"
#include "producer/codec/message_parse.h"

/* ==== Requests ==== */

enum {
    FRAME_SIZE = 5,      /* of a schema registry */
    IDENTITY_FIELDS = 4, /* the first of request_fields: what an `invalid` answer echoes */
};

struct raw_request {
    struct usher_request request;
    const char *op, *shortage;
    yyjson_val *items;
};

#define IN_REQUEST(member) offsetof(struct raw_request, request.member)

/* In the order that most requests have them in: each is looked for behind the one before. */
static const struct message_field request_fields[] = {
    {"request_id", MESSAGE_ID, IN_REQUEST(request_id), 0, USHER_ID_MAX},
    {"op", MESSAGE_NAME, offsetof(struct raw_request, op), 0, USHER_NAME_MAX},
    {"resource", MESSAGE_ID, IN_REQUEST(resource), 0, USHER_ID_MAX},
    {"client", MESSAGE_NAME, IN_REQUEST(client), 0, USHER_ID_MAX},
    {"customer", MESSAGE_NAME, IN_REQUEST(customer), 0, USHER_ID_MAX},
    {"booking", MESSAGE_ID, IN_REQUEST(booking), 0, USHER_ID_MAX},
    {"items", MESSAGE_LIST, offsetof(struct raw_request, items), 0, USHER_ITEMS_MAX},
    {"ttl_s", MESSAGE_INTEGER, IN_REQUEST(ttl_s), 1, USHER_TTL_MAX},
    {"deadline", MESSAGE_INSTANT, IN_REQUEST(deadline_ms), 1, 0},
    {"payment", MESSAGE_NAME, IN_REQUEST(payment), 0, USHER_PAYMENT_MAX},
    {"cart", MESSAGE_NAME, IN_REQUEST(cart), 0, USHER_ID_MAX},
    {"force", MESSAGE_FLAG, IN_REQUEST(force), 0, 0},
    {"note", MESSAGE_TEXT, IN_REQUEST(note), 0, USHER_TEXT_MAX},
    {"meta", MESSAGE_OBJECT, IN_REQUEST(meta), 0, USHER_META_MAX},
    {"shortage", MESSAGE_NAME, offsetof(struct raw_request, shortage), 0, USHER_NAME_MAX},
    {"wait_until", MESSAGE_INSTANT, IN_REQUEST(wait_until_ms), 1, 0},
    {"return_at", MESSAGE_INSTANT, IN_REQUEST(return_at_ms), 1, 0},
    {"from_block", MESSAGE_ID, IN_REQUEST(from_block), 0, USHER_ID_MAX},
    {"to_customer", MESSAGE_NAME, IN_REQUEST(to_customer), 0, USHER_ID_MAX},
    {"cancel_bookings", MESSAGE_FLAG, IN_REQUEST(cancel_bookings), 0, 0},
};

static const struct message_table request_table = MESSAGE_TABLE(request_fields);

/* ---- op ---- */

static enum usher_status op_read(const struct message_reader *reader, const char *name,
                                 enum usher_op *op)
{
    if (!name)
        return message_missing(reader, NULL, "op");
    *op = usher_op_named(name);
    if (*op != USHER_OP_NONE)
        return USHER_OK;
    return message_fail(reader, NULL, "op",
                        "\"%s\" is none of define, open, close, hold, book, confirm, release, "
                        "cancel, extend, exchange, transfer, leave, block, unblock, probe",
                        name);
}

/* ---- what an op needs ---- */

static enum usher_status need(const struct message_reader *reader, const char *field, bool is_given,
                              enum usher_op op)
{
    if (is_given)
        return USHER_OK;
    return message_op_fault(reader, MESSAGE_MISSING, field, usher_op_name(op));
}

static enum usher_status booking_check(const struct message_reader *reader,
                                       const struct usher_request *request)
{
    const struct op_rules *rules = op_rules(request->op);
    if (!rules->needs_booking || request->booking)
        return USHER_OK;
    if (!rules->or_cart)
        return need(reader, "booking", false, request->op);
    if (!request->cart) {
        return message_fail(reader, NULL, "booking",
                            "missing, required by op \"%s\" unless a \"cart\" is given",
                            usher_op_name(request->op));
    }
    if (!request->customer)
        return message_fail(reader, NULL, "customer", "missing, required by \"cart\"");
    return USHER_OK;
}

static enum usher_status parties_check(const struct message_reader *reader,
                                       const struct usher_request *request)
{
    const struct op_rules *rules = op_rules(request->op);
    enum usher_status status = booking_check(reader, request);
    if (status == USHER_OK && rules->needs_customer && !(rules->house_may && request->force))
        status = need(reader, "customer", request->customer, request->op);
    if (status == USHER_OK && rules->needs_recipient)
        status = need(reader, "to_customer", request->to_customer, request->op);
    if (status == USHER_OK && rules->needs_ttl)
        status = need(reader, "ttl_s", request->ttl_s != 0, request->op);
    return status;
}

static enum usher_status envelope_check(const struct message_reader *reader,
                                        const struct usher_request *request)
{
    enum usher_status status = need(reader, "request_id", request->request_id, request->op);
    if (status == USHER_OK)
        status = need(reader, "resource", request->resource, request->op);
    return status == USHER_OK ? parties_check(reader, request) : status;
}

/* ---- what only some ops carry out ---- */

#define OP(name) (1U << (unsigned)USHER_OP_##name)

/* An op refuses what it would not carry out: ignoring a condition would sell wrongly. */
static enum usher_status conditions_check(const struct message_reader *reader,
                                          const struct usher_request *request)
{
    const struct {
        const char *field;
        bool is_given;
        unsigned ops;
    } conditions[] = {
        {"shortage", request->shortage != USHER_SHORTAGE_ALL, OP(HOLD) | OP(BOOK) | OP(BLOCK)},
        {"wait_until", request->wait_until_ms != 0, OP(HOLD)},
        {"return_at", request->return_at_ms != 0, OP(BLOCK)},
        {"from_block", request->from_block, OP(HOLD) | OP(BOOK)},
        {"to_customer", request->to_customer, OP(TRANSFER)},
        {"cancel_bookings", request->cancel_bookings, OP(CLOSE)},
    };
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        if (conditions[i].is_given && (conditions[i].ops >> (unsigned)request->op & 1U) == 0) {
            return message_op_fault(reader, MESSAGE_NOT_ALLOWED, conditions[i].field,
                                    usher_op_name(request->op));
        }
    }
    if (request->wait_until_ms != 0 && request->from_block)
        return message_clash(reader, NULL, MESSAGE_CONFLICT, "wait_until", "from_block");
    return USHER_OK;
}

static enum usher_status shortage_read(const struct message_reader *reader, const char *name,
                                       enum usher_shortage *shortage)
{
    if (!name || strcmp(name, "all") == 0)
        return USHER_OK;
    if (strcmp(name, "partial") != 0)
        return message_fail(reader, NULL, "shortage", "\"%s\" is not all or partial", name);
    *shortage = USHER_SHORTAGE_PARTIAL;
    return USHER_OK;
}

static enum usher_status items_read(const struct message_reader *reader, yyjson_val *items,
                                    struct usher_request *request)
{
    const struct op_rules *rules = op_rules(request->op);
    bool is_empty = !items || yyjson_arr_size(items) == 0;
    if (is_empty && rules->needs_items) {
        return message_op_fault(reader, items ? MESSAGE_EMPTY : MESSAGE_MISSING, "items",
                                usher_op_name(request->op));
    }
    if (is_empty)
        return USHER_OK;
    if (!rules->takes_items)
        return message_op_fault(reader, MESSAGE_NOT_ALLOWED, "items", usher_op_name(request->op));
    if (rules->needs_booking && !request->booking)
        return message_fail(reader, NULL, "items", "only allowed with a \"booking\"");
    return request_decode_items(reader, items, request);
}

/* ---- all of it ---- */

static enum usher_status body_read(const struct message_reader *reader, yyjson_val *root,
                                   struct raw_request *raw)
{
    enum usher_status status = envelope_check(reader, &raw->request);
    if (status == USHER_OK)
        status = shortage_read(reader, raw->shortage, &raw->request.shortage);
    if (status == USHER_OK)
        status = conditions_check(reader, &raw->request);
    if (status == USHER_OK)
        status = items_read(reader, raw->items, &raw->request);
    if (status == USHER_OK && raw->request.op == USHER_OP_DEFINE) {
        struct usher_definition *definition = usher_arena_alloc(reader->arena, sizeof *definition);
        raw->request.definition = definition;
        status = definition_decode(reader, root, definition);
    }
    return status;
}

/* The root of a define is read by two tables: what neither knows is ignored. */
static void define_ignore(const struct message_reader *reader, yyjson_val *root)
{
    size_t at, count;
    yyjson_val *key, *value;
    reader->ignored->count = 0;
    yyjson_obj_foreach(root, at, count, key, value) {
        const char *name = yyjson_get_str(key);
        if (!yyjson_is_null(value) && !message_table_has(&request_table, name) &&
            !definition_has_field(name))
            message_ignore(reader, NULL, name);
    }
}

static void ignored_put(const struct message_reader *reader, struct usher_request *request)
{
    const struct message_ignored *ignored = reader->ignored;
    if (ignored->count == 0)
        return;
    const char **names = usher_arena_alloc(reader->arena, ignored->count * sizeof *names);
    memcpy(names, ignored->names, ignored->count * sizeof *names);
    request->ignored = names;
    request->ignored_count = ignored->count;
}

static enum usher_status root_read(const struct message_reader *reader, yyjson_val *root,
                                   size_t size, struct usher_request *request)
{
    struct raw_request raw;
    memset(&raw, 0, sizeof raw);
    enum usher_status status = message_read_fields(reader, NULL, root, &request_table, &raw);
    if (status == USHER_OK)
        status = op_read(reader, raw.op, &raw.request.op);
    if (status == USHER_OK && size > USHER_REQUEST_SIZE_MAX && raw.request.op != USHER_OP_DEFINE) {
        status = message_too_many(
            reader, NULL, NULL,
            (struct message_count){(int64_t)size, "bytes", USHER_REQUEST_SIZE_MAX});
    }
    if (status == USHER_OK && raw.request.op == USHER_OP_DEFINE)
        define_ignore(reader, root);
    if (status == USHER_OK)
        status = body_read(reader, root, &raw);
    if (status == USHER_OK)
        ignored_put(reader, &raw.request);
    *request = raw.request;
    return status;
}

/* What an `invalid` answer says of its request: each field by itself, the bad ones left out. */
static void salvage(struct usher_arena *arena, yyjson_val *root, struct usher_request *request)
{
    const struct message_reader silent = {.arena = arena};
    struct raw_request raw;
    memset(&raw, 0, sizeof raw);
    for (size_t i = 0; i < IDENTITY_FIELDS; i++) {
        const struct message_table one = {&request_fields[i], 1};
        if (message_read_fields(&silent, NULL, root, &one, &raw) != USHER_OK)
            continue; /* a bad value leaves NULL behind */
    }
    *request = raw.request;
    request->op = usher_op_named(raw.op);
}

/* ---- the framing of a schema registry: a zero, 4 bytes for the schema's number, the value ---- */

static bool is_framed(const char *data, size_t size)
{
    return size > FRAME_SIZE && data[0] == '\0';
}

/* A serializer of JSON Schema writes an object behind it; one of Avro or Protobuf does not. */
static bool is_framed_json(const char *data, size_t size)
{
    size_t at = FRAME_SIZE;
    while (at < size && strchr(" \t\r\n", data[at]) && data[at] != '\0')
        at++;
    return at < size && data[at] == '{';
}

/* ---- the request ---- */

enum usher_status request_decode(const void *data, size_t size, struct usher_arena *arena,
                                 struct usher_request *request, struct message_fault *fault)
{
    struct message_ignored ignored;
    const struct message_reader reader = {arena, fault, &ignored};
    ignored.count = 0;
    memset(request, 0, sizeof *request);
    if (size > USHER_DEFINE_SIZE_MAX) {
        return message_too_many(
            &reader, NULL, NULL,
            (struct message_count){(int64_t)size, "bytes", USHER_DEFINE_SIZE_MAX});
    }
    if (is_framed(data, size)) {
        if (!is_framed_json(data, size))
            return message_fail(&reader, NULL, NULL,
                                "looks like Schema Registry framing: publish "
                                "plain JSON");
        data = (const char *)data + FRAME_SIZE;
        size -= FRAME_SIZE;
    }
    struct message_tree tree;
    enum usher_status status = message_parse(&reader, data, size, &tree);
    if (status == USHER_OK) {
        status = root_read(&reader, tree.root, size, request);
        if (status != USHER_OK)
            salvage(arena, tree.root, request);
    }
    message_tree_close(&tree);
    return status;
}

enum usher_status usher_request_decode(const void *data, size_t size, struct usher_arena *arena,
                                       struct usher_request *request, struct usher_error *err)
{
    struct message_fault fault = {0};
    enum usher_status status = request_decode(data, size, arena, request, &fault);
    return message_fault_report(arena, &fault, status, err);
}

/* ==== Items ==== */

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
