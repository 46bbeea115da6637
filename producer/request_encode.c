/*
 * Writes requests in the one form that they are published and hashed in: fields in a fixed order,
 * defaults left out. The content hash rests on these bytes: a change here needs a new
 * USHER_CODEC_VERSION.
 */
#include "usher/message.h"

#include <assert.h>

#include "definition_encode.h"
#include "message_append.h"

static void append_nights(struct usher_buffer *out, const struct usher_item *item)
{
    message_append_night(out, ",\"from\"", item->from);
    message_append_night(out, ",\"to\"", item->to);
}

static void append_item(struct usher_buffer *out, const struct usher_item *item)
{
    switch (item->kind) {
    case USHER_SEATS:
        message_append_texts(out, "{\"seats\"", item->seats, item->seat_count);
        break;
    case USHER_SECTION:
        message_append_text(out, "{\"section\"", item->pool);
        break;
    case USHER_ROOM:
        message_append_text(out, "{\"room\"", item->pool);
        append_nights(out, item);
        break;
    case USHER_PRODUCT:
        message_append_text(out, "{\"product\"", item->pool);
        break;
    }
    if (item->kind != USHER_SEATS)
        message_append_number(out, ",\"quantity\"", item->quantity);
    if (item->together)
        MESSAGE_LITERAL(out, ",\"together\":true");
    message_append_text(out, ",\"rate\"", item->rate);
    MESSAGE_LITERAL(out, "}");
}

static void append_items(struct usher_buffer *out, const struct usher_request *request)
{
    if (request->item_count == 0)
        return;
    MESSAGE_LITERAL(out, ",\"items\":[");
    for (uint32_t i = 0; i < request->item_count; i++) {
        message_append_comma(out, i);
        append_item(out, &request->items[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

void usher_request_encode(const struct usher_request *request, struct usher_buffer *out)
{
    assert(request->op != USHER_OP_NONE);

    MESSAGE_LITERAL(out, "{");
    if (request->request_id != NULL) {
        message_append_text(out, "\"request_id\"", request->request_id);
        MESSAGE_LITERAL(out, ",");
    }
    message_append_text(out, "\"op\"", usher_op_name(request->op));
    message_append_text(out, ",\"resource\"", request->resource);
    message_append_text(out, ",\"client\"", request->client);
    message_append_text(out, ",\"customer\"", request->customer);
    message_append_text(out, ",\"booking\"", request->booking);
    append_items(out, request);
    message_append_number(out, ",\"ttl_s\"", request->ttl_s);
    message_append_instant(out, ",\"deadline\"", request->deadline_ms);
    message_append_text(out, ",\"cart\"", request->cart);
    message_append_text(out, ",\"payment\"", request->payment);
    if (request->force)
        MESSAGE_LITERAL(out, ",\"force\":true");
    message_append_text(out, ",\"note\"", request->note);
    if (request->meta != NULL) {
        MESSAGE_LITERAL(out, ",\"meta\":");
        usher_buffer_text(out, request->meta);
    }
    if (request->definition != NULL)
        definition_encode(request->definition, out);
    MESSAGE_LITERAL(out, "}");
}
