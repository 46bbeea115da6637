/*
 * Encodes and decodes the part of a waiting hold that is decided again whenever units come free.
 */
#include "producer/codec/request_wants.h"

#include <string.h>

#include "producer/codec/message_fields.h"
#include "producer/codec/message_parse.h"
#include "producer/codec/request_decode_items.h"

void wants_encode(const struct usher_request *request, struct usher_buffer *out)
{
    const struct usher_request wants = {
        .op = USHER_OP_HOLD,
        .items = request->items,
        .item_count = request->item_count,
        .ttl_s = request->ttl_s,
        .shortage = request->shortage,
    };
    usher_request_encode(&wants, out);
}

struct raw_wants {
    struct usher_request request;
    const char *op, *shortage;
    yyjson_val *items;
};

static const struct message_field wants_fields[] = {
    {"op", MESSAGE_TEXT, offsetof(struct raw_wants, op), 0, USHER_NAME_MAX},
    {"items", MESSAGE_LIST, offsetof(struct raw_wants, items), 1, USHER_ITEMS_MAX},
    {"ttl_s", MESSAGE_INTEGER, offsetof(struct raw_wants, request.ttl_s), 1, USHER_TTL_MAX},
    {"shortage", MESSAGE_TEXT, offsetof(struct raw_wants, shortage), 0, USHER_NAME_MAX},
};
static const struct message_table wants_table = MESSAGE_TABLE(wants_fields);

static enum usher_status wants_read(const struct message_reader *reader, yyjson_val *root,
                                    struct usher_request *request)
{
    struct raw_wants raw = {.request = {.op = USHER_OP_HOLD}};
    enum usher_status status = message_read_fields(reader, NULL, root, &wants_table, &raw);
    if (status != USHER_OK)
        return status;
    if (usher_op_named(raw.op) != USHER_OP_HOLD)
        return message_fail(reader, NULL, "op", "not hold");
    if (!raw.items)
        return message_missing(reader, NULL, "items");
    if (raw.shortage && strcmp(raw.shortage, "partial") != 0)
        return message_fail(reader, NULL, "shortage", "\"%s\" is not partial", raw.shortage);
    raw.request.shortage = raw.shortage ? USHER_SHORTAGE_PARTIAL : USHER_SHORTAGE_ALL;
    *request = raw.request;
    return request_decode_items(reader, raw.items, request);
}

enum usher_status wants_decode(const char *json, size_t size, struct usher_arena *arena,
                               struct usher_request *request, struct usher_error *err)
{
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = arena, .fault = &fault};
    *request = (struct usher_request){.op = USHER_OP_HOLD};
    struct message_tree tree;
    enum usher_status status = message_parse(&reader, json, size, &tree);
    if (status == USHER_OK)
        status = wants_read(&reader, tree.root, request);
    message_tree_close(&tree);
    return message_fault_report(arena, &fault, status, err);
}
