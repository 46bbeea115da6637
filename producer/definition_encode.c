/*
 * Writes what a define says, defaults left out. Part of the content hash, as request_encode.c.
 */
#include "definition_encode.h"

#include "message_append.h"

static void append_row(struct usher_buffer *out, const struct usher_row *row)
{
    message_append_text(out, "{\"row\"", row->row);
    message_append_number(out, ",\"seats\"", row->seats);
    if (row->first != 1)
        message_append_number(out, ",\"first\"", row->first);
    MESSAGE_LITERAL(out, "}");
}

static void append_section(struct usher_buffer *out, const struct usher_section *section)
{
    message_append_text(out, "{\"section\"", section->section);
    message_append_number(out, ",\"price\"", section->price);
    message_append_number(out, ",\"capacity\"", section->capacity);
    if (section->row_count > 0) {
        MESSAGE_LITERAL(out, ",\"rows\":[");
        for (uint32_t i = 0; i < section->row_count; i++) {
            message_append_comma(out, i);
            append_row(out, &section->rows[i]);
        }
        MESSAGE_LITERAL(out, "]");
    }
    MESSAGE_LITERAL(out, "}");
}

static void append_sections(struct usher_buffer *out, const struct usher_definition *definition)
{
    if (definition->section_count == 0)
        return;
    MESSAGE_LITERAL(out, ",\"sections\":[");
    for (uint32_t i = 0; i < definition->section_count; i++) {
        message_append_comma(out, i);
        append_section(out, &definition->sections[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

static void append_rooms(struct usher_buffer *out, const struct usher_definition *definition)
{
    if (definition->room_count == 0)
        return;
    MESSAGE_LITERAL(out, ",\"rooms\":[");
    for (uint32_t i = 0; i < definition->room_count; i++) {
        const struct usher_room *room = &definition->rooms[i];
        message_append_comma(out, i);
        message_append_text(out, "{\"room\"", room->room);
        message_append_night(out, ",\"from\"", room->from);
        message_append_night(out, ",\"to\"", room->to);
        message_append_number(out, ",\"capacity\"", room->capacity);
        message_append_number(out, ",\"price\"", room->price);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]");
}

static void append_products(struct usher_buffer *out, const struct usher_definition *definition)
{
    if (definition->product_count == 0)
        return;
    MESSAGE_LITERAL(out, ",\"products\":[");
    for (uint32_t i = 0; i < definition->product_count; i++) {
        const struct usher_product *product = &definition->products[i];
        message_append_comma(out, i);
        message_append_text(out, "{\"product\"", product->product);
        message_append_text(out, ",\"name\"", product->name);
        message_append_number(out, ",\"capacity\"", product->capacity);
        message_append_number(out, ",\"price\"", product->price);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]");
}

void definition_encode(const struct usher_definition *definition, struct usher_buffer *out)
{
    message_append_text(out, ",\"name\"", definition->name);
    message_append_text(out, ",\"venue\"", definition->venue);
    message_append_text(out, ",\"description\"", definition->description);
    message_append_text(out, ",\"timezone\"", definition->timezone);
    message_append_text(out, ",\"currency\"", definition->currency);
    message_append_text(out, ",\"state\"", usher_sale_state_name(definition->state));
    message_append_instant(out, ",\"starts_at\"", definition->starts_ms);
    message_append_instant(out, ",\"ends_at\"", definition->ends_ms);
    message_append_number(out, ",\"hold_ttl_s\"", definition->hold_ttl_s);
    append_sections(out, definition);
    append_rooms(out, definition);
    append_products(out, definition);
}
