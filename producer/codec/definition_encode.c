/*
 * Writes what a define says, defaults left out. Part of the content hash, as request_encode.c: new
 * fields stand behind the old ones and are left out where they are absent.
 */
#include "producer/codec/definition_encode.h"

#include "producer/codec/definition_terms.h"
#include "producer/codec/message_append.h"

static void append_integers(struct usher_buffer *out, const char *name, const int32_t *values,
                            uint32_t count)
{
    if (!values)
        return;
    message_append_name(out, name);
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        usher_buffer_number(out, values[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

/* Places are counted from 1 in JSON, from 0 here. */
static void append_features(struct usher_buffer *out, const struct usher_row *row)
{
    message_append_name(out, ",\"features\"");
    MESSAGE_LITERAL(out, "{");
    for (uint32_t i = 0; i < row->feature_count; i++) {
        const struct usher_row_feature *feature = &row->features[i];
        message_append_comma(out, i);
        usher_buffer_json_string(out, feature->feature);
        MESSAGE_LITERAL(out, ":[");
        for (uint32_t seat = 0; seat < feature->seat_count; seat++) {
            message_append_comma(out, seat);
            usher_buffer_number(out, (int64_t)feature->seats[seat] + 1);
        }
        MESSAGE_LITERAL(out, "]");
    }
    MESSAGE_LITERAL(out, "}");
}

uint32_t definition_row_first(const struct usher_row *row)
{
    return row->first > 0 || row->first_given ? row->first : 1;
}

void definition_encode_seats(const struct usher_row *row, struct usher_buffer *out)
{
    message_append_text(out, ",\"zone\"", row->zone);
    if (row->names)
        message_append_texts(out, ",\"names\"", row->names, row->seats);
    append_integers(out, ",\"ranks\"", row->ranks, row->seats);
    append_integers(out, ",\"x\"", row->x, row->seats);
    append_integers(out, ",\"y\"", row->y, row->seats);
    if (row->feature_count > 0)
        append_features(out, row);
}

static void append_row(struct usher_buffer *out, const struct usher_row *row)
{
    MESSAGE_LITERAL(out, "{");
    message_append_text(out, ",\"row\"", row->row);
    message_append_given(out, ",\"seats\"", row->seats, false);
    if (row->first != 1)
        message_append_given(out, ",\"first\"", row->first, row->first_given);
    definition_encode_seats(row, out);
    MESSAGE_LITERAL(out, "}");
}

static void append_rates(struct usher_buffer *out, const struct usher_rate *rates, uint32_t count)
{
    if (count > 0) {
        message_append_name(out, ",\"rates\"");
        terms_encode_rates(rates, count, out);
    }
}

static void append_section(struct usher_buffer *out, const struct usher_section *section)
{
    MESSAGE_LITERAL(out, "{");
    message_append_text(out, ",\"section\"", section->section);
    message_append_given(out, ",\"price\"", section->price, section->price_given);
    message_append_given(out, ",\"capacity\"", section->capacity, section->capacity_given);
    if (section->row_count > 0) {
        message_append_name(out, ",\"rows\"");
        MESSAGE_LITERAL(out, "[");
        for (uint32_t i = 0; i < section->row_count; i++) {
            message_append_comma(out, i);
            append_row(out, &section->rows[i]);
        }
        MESSAGE_LITERAL(out, "]");
    }
    append_rates(out, section->rates, section->rate_count);
    message_append_given(out, ",\"overbook\"", section->overbook, section->overbook_given);
    MESSAGE_LITERAL(out, "}");
}

static void append_sections(struct usher_buffer *out, const struct usher_definition *definition)
{
    if (definition->section_count == 0)
        return;
    message_append_name(out, ",\"sections\"");
    MESSAGE_LITERAL(out, "[");
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
    message_append_name(out, ",\"rooms\"");
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < definition->room_count; i++) {
        const struct usher_room *room = &definition->rooms[i];
        message_append_comma(out, i);
        MESSAGE_LITERAL(out, "{");
        message_append_text(out, ",\"room\"", room->room);
        message_append_stay(out, room->from, room->to);
        message_append_given(out, ",\"capacity\"", room->capacity, room->capacity_given);
        message_append_given(out, ",\"price\"", room->price, room->price_given);
        append_rates(out, room->rates, room->rate_count);
        message_append_given(out, ",\"overbook\"", room->overbook, room->overbook_given);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]");
}

/* JSON as it is; NULL is absent. */
static void append_object(struct usher_buffer *out, const char *name, const char *json)
{
    if (json) {
        message_append_name(out, name);
        usher_buffer_text(out, json);
    }
}

static void append_products(struct usher_buffer *out, const struct usher_definition *definition)
{
    if (definition->product_count == 0)
        return;
    message_append_name(out, ",\"products\"");
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < definition->product_count; i++) {
        const struct usher_product *product = &definition->products[i];
        message_append_comma(out, i);
        MESSAGE_LITERAL(out, "{");
        message_append_text(out, ",\"product\"", product->product);
        message_append_text(out, ",\"name\"", product->name);
        message_append_given(out, ",\"capacity\"", product->capacity, product->capacity_given);
        message_append_given(out, ",\"price\"", product->price, product->price_given);
        append_rates(out, product->rates, product->rate_count);
        message_append_given(out, ",\"overbook\"", product->overbook, product->overbook_given);
        append_object(out, ",\"properties\"", product->properties);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]");
}

static void append_terms(struct usher_buffer *out, const struct usher_definition *definition)
{
    message_append_moment(out, ",\"opens_at\"", definition->opens_ms);
    message_append_moment(out, ",\"closes_at\"", definition->closes_ms);
    message_append_word(out, ",\"strategy\"", usher_strategy_name(definition->strategy),
                        definition->strategy);
    if (definition->limits) {
        message_append_name(out, ",\"limits\"");
        terms_encode_limits(definition->limits, out);
    }
    if (definition->quota_count > 0) {
        message_append_name(out, ",\"quotas\"");
        terms_encode_quotas(definition->quotas, definition->quota_count, out);
    }
}

void definition_encode(const struct usher_definition *definition, struct usher_buffer *out)
{
    message_append_text(out, ",\"name\"", definition->name);
    message_append_text(out, ",\"venue\"", definition->venue);
    message_append_text(out, ",\"description\"", definition->description);
    message_append_text(out, ",\"timezone\"", definition->timezone);
    message_append_text(out, ",\"currency\"", definition->currency);
    message_append_word(out, ",\"state\"", usher_sale_state_name(definition->state),
                        definition->state);
    message_append_moment(out, ",\"starts_at\"", definition->starts_ms);
    message_append_moment(out, ",\"ends_at\"", definition->ends_ms);
    message_append_given(out, ",\"hold_ttl_s\"", definition->hold_ttl_s, false);
    append_sections(out, definition);
    append_rooms(out, definition);
    append_products(out, definition);
    append_terms(out, definition);
    append_object(out, ",\"plan\"", definition->plan);
    message_append_text(out, ",\"chart\"", definition->chart);
}
