/*
 * Writes requests in the one form that they are published and hashed in: fields in a fixed order,
 * defaults left out. The content hash rests on these bytes: what could be asked before must be
 * written as before, else USHER_CODEC_VERSION must change. A new field that is left out where it
 * is absent changes no old bytes.
 */
#include "usher/message.h"

#include "producer/codec/definition_encode.h"
#include "producer/codec/message_append.h"

static void append_item(struct usher_buffer *out, const struct usher_item *item)
{
    MESSAGE_LITERAL(out, "{");
    switch (item->kind) {
    case USHER_SEATS:
        if (item->seat_count > 0)
            message_append_texts(out, ",\"seats\"", item->seats, item->seat_count);
        break;
    case USHER_SECTION:
        if (item->section_count > 0)
            message_append_texts(out, ",\"sections\"", item->sections, item->section_count);
        else
            message_append_text(out, ",\"section\"", item->pool);
        break;
    case USHER_ROOM:
        message_append_text(out, ",\"room\"", item->pool);
        message_append_stay(out, item->from, item->to);
        break;
    case USHER_PRODUCT:
        message_append_text(out, ",\"product\"", item->pool);
        break;
    }
    if (item->kind != USHER_SEATS)
        message_append_given(out, ",\"quantity\"", item->quantity, false);
    if (item->together)
        message_append_true(out, ",\"together\"");
    message_append_text(out, ",\"rate\"", item->rate);
    if (item->feature_count > 0)
        message_append_texts(out, ",\"features\"", item->features, item->feature_count);
    if (item->avoid_count > 0)
        message_append_texts(out, ",\"avoid\"", item->avoid, item->avoid_count);
    MESSAGE_LITERAL(out, "}");
}

static void append_items(struct usher_buffer *out, const struct usher_request *request)
{
    if (request->item_count == 0)
        return;
    message_append_name(out, ",\"items\"");
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < request->item_count; i++) {
        message_append_comma(out, i);
        append_item(out, &request->items[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

/* What makes a request conditional; few requests are. */
static void append_conditions(struct usher_buffer *out, const struct usher_request *request)
{
    if (request->shortage == USHER_SHORTAGE_PARTIAL)
        message_append_text(out, ",\"shortage\"", "partial");
    message_append_moment(out, ",\"wait_until\"", request->wait_until_ms);
    message_append_moment(out, ",\"return_at\"", request->return_at_ms);
    message_append_text(out, ",\"from_block\"", request->from_block);
    message_append_text(out, ",\"to_customer\"", request->to_customer);
    if (request->cancel_bookings)
        message_append_true(out, ",\"cancel_bookings\"");
}

void usher_request_encode(const struct usher_request *request, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "{");
    message_append_text(out, ",\"request_id\"", request->request_id);
    message_append_word(out, ",\"op\"", usher_op_name(request->op), request->op);
    message_append_text(out, ",\"resource\"", request->resource);
    message_append_text(out, ",\"client\"", request->client);
    message_append_text(out, ",\"customer\"", request->customer);
    message_append_text(out, ",\"booking\"", request->booking);
    append_items(out, request);
    message_append_given(out, ",\"ttl_s\"", request->ttl_s, false);
    message_append_moment(out, ",\"deadline\"", request->deadline_ms);
    message_append_text(out, ",\"cart\"", request->cart);
    message_append_text(out, ",\"payment\"", request->payment);
    if (request->force)
        message_append_true(out, ",\"force\"");
    message_append_text(out, ",\"note\"", request->note);
    if (request->meta) {
        message_append_name(out, ",\"meta\"");
        usher_buffer_text(out, request->meta);
    }
    append_conditions(out, request);
    if (request->definition)
        definition_encode(request->definition, out);
    MESSAGE_LITERAL(out, "}");
}
