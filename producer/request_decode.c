/*
 * Reads a request: the envelope, what each op needs, and what this version refuses because it
 * would otherwise be ignored. Items and definitions have files of their own.
 */
#include "usher/message.h"

#include <string.h>

#include "definition_decode.h"
#include "message_fields.h"
#include "request_decode_items.h"

enum {
    TTL_MAX = 31536000,
    IDENTITY_FIELDS = 4, /* the first of request_fields: what an `invalid` answer echoes */
};

struct raw_request {
    struct usher_request request;
    const char *op, *shortage;
    json_t *items;
};

#define IN_REQUEST(member) offsetof(struct raw_request, request.member)

/* Those of most requests first: they are looked up from the top. */
static const struct message_field request_fields[] = {
    {"request_id", MESSAGE_ID, IN_REQUEST(request_id), 0, USHER_ID_MAX},
    {"op", MESSAGE_NAME, offsetof(struct raw_request, op), 0, USHER_NAME_MAX},
    {"resource", MESSAGE_ID, IN_REQUEST(resource), 0, USHER_ID_MAX},
    {"client", MESSAGE_NAME, IN_REQUEST(client), 0, USHER_ID_MAX},
    {"customer", MESSAGE_NAME, IN_REQUEST(customer), 0, USHER_ID_MAX},
    {"booking", MESSAGE_ID, IN_REQUEST(booking), 0, USHER_ID_MAX},
    {"items", MESSAGE_LIST, offsetof(struct raw_request, items), 0, USHER_ITEMS_MAX},
    {"ttl_s", MESSAGE_INTEGER, IN_REQUEST(ttl_s), 1, TTL_MAX},
    {"deadline", MESSAGE_INSTANT, IN_REQUEST(deadline_ms), 0, 0},
    {"payment", MESSAGE_NAME, IN_REQUEST(payment), 0, USHER_PAYMENT_MAX},
    {"cart", MESSAGE_NAME, IN_REQUEST(cart), 0, USHER_ID_MAX},
    {"force", MESSAGE_FLAG, IN_REQUEST(force), 0, 0},
    {"note", MESSAGE_TEXT, IN_REQUEST(note), 0, USHER_TEXT_MAX},
    {"meta", MESSAGE_OBJECT, IN_REQUEST(meta), 0, USHER_META_MAX},
    {"shortage", MESSAGE_NAME, offsetof(struct raw_request, shortage), 0, USHER_NAME_MAX},
    {"wait_until", MESSAGE_REFUSED, 0, 0, 0},
    {"return_at", MESSAGE_REFUSED, 0, 0, 0},
    {"from_block", MESSAGE_REFUSED, 0, 0, 0},
    {"to_customer", MESSAGE_REFUSED, 0, 0, 0},
    {"cancel_bookings", MESSAGE_REFUSED, 0, 0, 0},
};
static const struct message_table request_table = MESSAGE_TABLE(request_fields);

struct op_rules {
    bool takes_items, needs_items, needs_booking, needs_customer;
    bool house_may; /* "force": true stands in for the customer */
};

static const struct op_rules rules_of[USHER_OP_COUNT] = {
    [USHER_OP_HOLD] = {.takes_items = true, .needs_items = true, .needs_customer = true},
    [USHER_OP_BOOK] = {.takes_items = true, .needs_items = true, .needs_customer = true},
    [USHER_OP_CONFIRM] = {.needs_booking = true, .needs_customer = true},
    [USHER_OP_RELEASE] = {.needs_booking = true, .needs_customer = true, .house_may = true},
    [USHER_OP_CANCEL] = {.needs_booking = true, .needs_customer = true, .house_may = true},
    [USHER_OP_PROBE] = {.takes_items = true},
};

/* ---- op ---- */

static bool is_later_op(const char *name)
{
    static const char *const later[] = {"extend", "exchange", "transfer",
                                        "leave",  "block",    "unblock"};
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
        if (strcmp(name, later[i]) == 0)
            return true;
    return false;
}

static enum usher_status op_read(const struct message_reader *reader, const char *name,
                                 enum usher_op *op)
{
    if (name == NULL)
        return message_fail(reader, NULL, "op", "missing");
    *op = usher_op_named(name);
    if (*op != USHER_OP_NONE)
        return USHER_OK;
    if (is_later_op(name)) {
        usher_error_set(reader->err, USHER_EXIT_BAD_INPUT,
                        "op \"%s\" is not supported by this version", name);
        return USHER_REJECT;
    }
    return message_fail(reader, NULL, "op",
                        "\"%s\" is none of define, open, close, hold, book, confirm, release, "
                        "cancel, probe",
                        name);
}

/* ---- what an op needs ---- */

static enum usher_status need(const struct message_reader *reader, const char *field,
                              const char *value, enum usher_op op)
{
    if (value != NULL)
        return USHER_OK;
    return message_fail(reader, NULL, field, "missing, op \"%s\" needs it", usher_op_name(op));
}

static enum usher_status parties_check(const struct message_reader *reader,
                                       const struct usher_request *request)
{
    const struct op_rules *rules = &rules_of[request->op];
    if (rules->needs_booking && request->booking == NULL && request->cart != NULL) {
        return message_fail(reader, NULL, "booking",
                            "missing, \"cart\" in its place is not supported by this version");
    }
    enum usher_status status = USHER_OK;
    if (rules->needs_booking)
        status = need(reader, "booking", request->booking, request->op);
    if (status == USHER_OK && rules->needs_customer && !(rules->house_may && request->force))
        status = need(reader, "customer", request->customer, request->op);
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

static enum usher_status items_read(const struct message_reader *reader, json_t *items,
                                    struct usher_request *request)
{
    const struct op_rules *rules = &rules_of[request->op];
    bool is_empty = items == NULL || json_array_size(items) == 0;
    if (is_empty && rules->needs_items) {
        return message_fail(reader, NULL, "items", "%s, op \"%s\" needs some",
                            items == NULL ? "missing" : "empty", usher_op_name(request->op));
    }
    if (is_empty)
        return USHER_OK;
    if (!rules->takes_items) {
        return message_fail(reader, NULL, "items", "not supported with op \"%s\" by this version",
                            usher_op_name(request->op));
    }
    return request_decode_items(reader, items, request);
}

static enum usher_status shortage_check(const struct message_reader *reader, const char *shortage)
{
    if (shortage == NULL || strcmp(shortage, "all") == 0)
        return USHER_OK;
    return message_fail(reader, NULL, "shortage", "\"%s\" is not supported by this version",
                        shortage);
}

/* ---- all of it ---- */

static enum usher_status body_read(const struct message_reader *reader, json_t *root,
                                   struct raw_request *raw)
{
    enum usher_status status = envelope_check(reader, &raw->request);
    if (status == USHER_OK)
        status = shortage_check(reader, raw->shortage);
    if (status == USHER_OK)
        status = items_read(reader, raw->items, &raw->request);
    if (status == USHER_OK && raw->request.op == USHER_OP_DEFINE) {
        struct usher_definition *definition = usher_arena_alloc(reader->arena, sizeof(*definition));
        raw->request.definition = definition;
        status = definition_decode(reader, root, definition);
    }
    return status;
}

static enum usher_status root_read(const struct message_reader *reader, json_t *root, size_t size,
                                   struct usher_request *request)
{
    struct raw_request raw;
    memset(&raw, 0, sizeof(raw));
    raw.request.ttl_s = USHER_ABSENT;
    raw.request.deadline_ms = USHER_ABSENT;
    raw.request.wait_until_ms = USHER_ABSENT;
    raw.request.return_at_ms = USHER_ABSENT;

    enum usher_status status = message_read_fields(reader, NULL, root, &request_table, &raw);
    if (status == USHER_OK)
        status = op_read(reader, raw.op, &raw.request.op);
    if (status == USHER_OK && size > USHER_REQUEST_SIZE_MAX && raw.request.op != USHER_OP_DEFINE) {
        usher_error_set(reader->err, USHER_EXIT_BAD_INPUT, "%zu bytes are more than %d", size,
                        USHER_REQUEST_SIZE_MAX);
        status = USHER_REJECT;
    }
    if (status == USHER_OK)
        status = body_read(reader, root, &raw);
    *request = raw.request;
    return status;
}

/* What an `invalid` answer says of its request: each field by itself, the bad ones left out. */
static void salvage(struct usher_arena *arena, json_t *root, struct usher_request *request)
{
    const struct message_reader silent = {arena, NULL};
    struct raw_request raw;
    memset(&raw, 0, sizeof(raw));
    for (size_t i = 0; i < IDENTITY_FIELDS; i++) {
        const struct message_table one = {&request_fields[i], 1};
        if (message_read_fields(&silent, NULL, root, &one, &raw) != USHER_OK)
            continue; /* a bad value leaves NULL behind */
    }
    *request = raw.request;
    request->op = usher_op_named(raw.op);
}

enum usher_status usher_request_decode(const void *data, size_t size, struct usher_arena *arena,
                                       struct usher_request *request, struct usher_error *err)
{
    const struct message_reader reader = {arena, err};
    memset(request, 0, sizeof(*request));
    if (size > USHER_DEFINE_SIZE_MAX) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%zu bytes are more than %d", size,
                        USHER_DEFINE_SIZE_MAX);
        return USHER_REJECT;
    }
    json_t *root = message_parse(data, size, err);
    if (root == NULL)
        return USHER_REJECT;
    enum usher_status status = root_read(&reader, root, size, request);
    if (status != USHER_OK)
        salvage(arena, root, request);
    json_decref(root);
    return status;
}
