/*
 * Writes answers. The body is what a decision stores; the envelope is put around it each time it
 * is sent. Fields come in one fixed order, and absent ones are left out: equal answers are equal
 * bytes. Written by appending, since every booking pays for it.
 */
#include "producer/codec/answer_encode.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/message_append.h"
#include "producer/codec/message_names.h"

void usher_answer_init(struct usher_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->source_offset = USHER_ABSENT;
    answer->together = -1;
    answer->overbooked = USHER_ABSENT;
    answer->total = USHER_ABSENT;
    answer->difference = USHER_ABSENT;
    answer->position = USHER_ABSENT;
    answer->opens_ms = USHER_ABSENT;
    answer->closes_ms = USHER_ABSENT;
    answer->ends_ms = USHER_ABSENT;
    answer->waiting = USHER_ABSENT;
    answer->expires_ms = USHER_ABSENT;
    answer->rev = USHER_ABSENT;
    answer->free = USHER_ABSENT;
}

static void append_tokens(struct usher_buffer *out, const int32_t *tokens, uint32_t count)
{
    MESSAGE_LITERAL(out, ",\"tokens\":[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        usher_buffer_number(out, tokens[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

static void append_room_units(struct usher_buffer *out, const struct usher_units *units)
{
    message_append_text(out, ",\"room\"", units->pool);
    message_append_night(out, ",\"night\"", units->night);
    append_tokens(out, units->tokens, units->quantity);
}

static void append_units(struct usher_buffer *out, const struct usher_units *units)
{
    MESSAGE_LITERAL(out, "{\"item\":");
    usher_buffer_number(out, units->item);
    switch (units->kind) {
    case USHER_SEATS:
        message_append_text(out, ",\"section\"", units->pool);
        message_append_texts(out, ",\"seats\"", units->seats, units->quantity);
        if (units->places)
            message_append_texts(out, ",\"places\"", units->places, units->quantity);
        break;
    case USHER_SECTION:
        message_append_text(out, ",\"section\"", units->pool);
        message_append_number(out, ",\"quantity\"", units->quantity);
        break;
    case USHER_ROOM:
        append_room_units(out, units);
        break;
    case USHER_PRODUCT:
        message_append_text(out, ",\"product\"", units->pool);
        message_append_number(out, ",\"quantity\"", units->quantity);
        break;
    }
    message_append_number(out, ",\"price\"", units->price);
    message_append_text(out, ",\"rate\"", units->rate);
    message_append_text(out, ",\"booking\"", units->booking);
    if (units->together != 0)
        usher_buffer_text(out, units->together > 0 ? ",\"together\":true" : ",\"together\":false");
    MESSAGE_LITERAL(out, "}");
}

static void append_units_list(struct usher_buffer *out, const char *name,
                              const struct usher_units *units, uint32_t count)
{
    if (count == 0)
        return;
    usher_buffer_text(out, name);
    MESSAGE_LITERAL(out, ":[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        append_units(out, &units[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

static void append_shortfall(struct usher_buffer *out, const struct usher_shortfall *line)
{
    MESSAGE_LITERAL(out, "{\"item\":");
    usher_buffer_number(out, line->item);
    message_append_number(out, ",\"asked\"", line->asked);
    message_append_number(out, ",\"given\"", line->given);
    message_append_text(out, ",\"reason\"", usher_reason_name(line->reason));
    message_append_number(out, ",\"free\"", line->free);
    if (line->taken_count > 0)
        message_append_texts(out, ",\"taken\"", line->taken, line->taken_count);
    if (line->places)
        message_append_texts(out, ",\"places\"", line->places, line->taken_count);
    message_append_text(out, ",\"unknown\"", line->unknown);
    if (line->known_count > 0)
        message_append_texts(out, ",\"known\"", line->known, line->known_count);
    MESSAGE_LITERAL(out, "}");
}

static void append_shortfalls(struct usher_buffer *out, const struct usher_shortfall *lines,
                              uint32_t count)
{
    if (count == 0)
        return;
    MESSAGE_LITERAL(out, ",\"items\":[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        append_shortfall(out, &lines[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

/* One value per night, null where there is none. */
static void append_values(struct usher_buffer *out, const int64_t *values, uint32_t count)
{
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        if (values[i] == USHER_ABSENT)
            MESSAGE_LITERAL(out, "null");
        else
            usher_buffer_number(out, values[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

static void append_nights(struct usher_buffer *out, const char *name, const int64_t *values,
                          uint32_t count)
{
    usher_buffer_text(out, name);
    MESSAGE_LITERAL(out, ":");
    append_values(out, values, count);
}

static void append_night_rates(struct usher_buffer *out, const struct usher_pool_status *pool)
{
    if (pool->night_rate_count == 0)
        return;
    MESSAGE_LITERAL(out, ",\"rates\":{");
    for (uint32_t i = 0; i < pool->night_rate_count; i++) {
        message_append_comma(out, i);
        usher_buffer_json_string(out, pool->night_rates[i].rate);
        MESSAGE_LITERAL(out, ":");
        append_values(out, pool->night_rates[i].prices, pool->night_count);
    }
    MESSAGE_LITERAL(out, "}");
}

static void append_room_status(struct usher_buffer *out, const struct usher_pool_status *pool)
{
    MESSAGE_LITERAL(out, "{\"room\":");
    usher_buffer_json_string(out, pool->pool);
    message_append_night(out, ",\"from\"", pool->from);
    append_nights(out, ",\"free\"", pool->night_free, pool->night_count);
    append_nights(out, ",\"total\"", pool->night_total, pool->night_count);
    append_nights(out, ",\"price\"", pool->night_price, pool->night_count);
    append_night_rates(out, pool);
    MESSAGE_LITERAL(out, "}");
}

static void append_counted_status(struct usher_buffer *out, const struct usher_pool_status *pool)
{
    usher_buffer_text(out, pool->kind == USHER_PRODUCT ? "{\"product\":" : "{\"section\":");
    usher_buffer_json_string(out, pool->pool);
    message_append_number(out, ",\"free\"", pool->free);
    message_append_number(out, ",\"held\"", pool->held);
    message_append_number(out, ",\"sold\"", pool->sold);
    message_append_number(out, ",\"blocked\"", pool->blocked);
    message_append_number(out, ",\"total\"", pool->total);
    if (pool->overbook > 0)
        message_append_number(out, ",\"overbook\"", pool->overbook);
    if (pool->rate_count > 0) {
        MESSAGE_LITERAL(out, ",\"rates\":");
        message_append_rates(out, pool->rates, pool->rate_count);
    } else if (pool->price != USHER_ABSENT) {
        message_append_number(out, ",\"rates\":{\"standard\"", pool->price);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "}");
}

static void append_booking_status(struct usher_buffer *out,
                                  const struct usher_booking_status *booking)
{
    MESSAGE_LITERAL(out, "{\"booking\":");
    usher_buffer_json_string(out, booking->booking);
    message_append_text(out, ",\"state\"", booking->state);
    message_append_text(out, ",\"customer\"", booking->customer);
    message_append_text(out, ",\"cart\"", booking->cart);
    message_append_text(out, ",\"payment\"", booking->payment);
    message_append_number(out, ",\"units\"", booking->units);
    message_append_number(out, ",\"total\"", booking->total);
    message_append_instant(out, ",\"expires_at\"", booking->expires_ms);
    message_append_number(out, ",\"position\"", booking->position);
    MESSAGE_LITERAL(out, "}");
}

static void append_bookings(struct usher_buffer *out, const struct usher_answer *answer)
{
    MESSAGE_LITERAL(out, ",\"bookings\":[");
    for (uint32_t i = 0; i < answer->bookings_count; i++) {
        message_append_comma(out, i);
        append_booking_status(out, &answer->bookings[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

static void append_pools(struct usher_buffer *out, const struct usher_answer *answer)
{
    MESSAGE_LITERAL(out, ",\"pools\":[");
    for (uint32_t i = 0; i < answer->pools_count; i++) {
        message_append_comma(out, i);
        if (answer->pools[i].kind == USHER_ROOM)
            append_room_status(out, &answer->pools[i]);
        else
            append_counted_status(out, &answer->pools[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

static void append_verdict(struct usher_buffer *out, const struct usher_answer *answer)
{
    bool negative = answer->outcome == USHER_REFUSED || answer->outcome == USHER_INVALID;
    assert(answer->outcome != USHER_OUTCOME_NONE);
    assert(negative == (answer->reason != USHER_REASON_NONE));

    MESSAGE_LITERAL(out, "\"outcome\":");
    usher_buffer_json_string(out, usher_outcome_name(answer->outcome));
    message_append_text(out, ",\"change\"", change_words.names[answer->change]);
    if (negative) {
        message_append_text(out, ",\"reason\"", usher_reason_name(answer->reason));
        usher_buffer_text(out, answer->retryable ? ",\"retryable\":true" : ",\"retryable\":false");
    }
    message_append_text(out, ",\"detail\"", answer->detail);
    if (answer->ignored_count > 0)
        message_append_texts(out, ",\"ignored\"", answer->ignored, answer->ignored_count);
    if (answer->cause) {
        MESSAGE_LITERAL(out, ",\"unasked\":true");
        message_append_text(out, ",\"cause\"", answer->cause);
    }
}

static void append_sums(struct usher_buffer *out, const struct usher_answer *answer)
{
    if (answer->together >= 0)
        usher_buffer_text(out, answer->together > 0 ? ",\"together\":true" : ",\"together\":false");
    message_append_number(out, ",\"overbooked\"", answer->overbooked);
    message_append_number(out, ",\"total\"", answer->total);
    message_append_number(out, ",\"difference\"", answer->difference);
    message_append_text(out, ",\"currency\"", answer->currency);
}

/* The state of the sale, as answered to probe. */
static void append_sale(struct usher_buffer *out, const struct usher_answer *answer)
{
    message_append_text(out, ",\"state\"", usher_sale_state_name(answer->state));
    message_append_instant(out, ",\"opens_at\"", answer->opens_ms);
    message_append_instant(out, ",\"closes_at\"", answer->closes_ms);
    message_append_instant(out, ",\"ends_at\"", answer->ends_ms);
    message_append_text(out, ",\"timezone\"", answer->timezone);
    message_append_number(out, ",\"waiting\"", answer->waiting);
}

void answer_body_encode(const struct usher_answer *answer, struct usher_buffer *out)
{
    append_verdict(out, answer);
    message_append_text(out, ",\"booking\"", answer->booking);
    message_append_text(out, ",\"customer\"", answer->customer);
    message_append_text(out, ",\"cart\"", answer->cart);
    message_append_text(out, ",\"payment\"", answer->payment);
    append_units_list(out, ",\"units\"", answer->units, answer->units_count);
    append_units_list(out, ",\"returned\"", answer->returned, answer->returned_count);
    append_shortfalls(out, answer->items, answer->items_count);
    message_append_text(out, ",\"own_hold\"", answer->own_hold);
    append_sums(out, answer);
    message_append_instant(out, ",\"expires_at\"", answer->expires_ms);
    message_append_number(out, ",\"position\"", answer->position);
    if (answer->bookings_count > 0)
        append_bookings(out, answer);
    else if (answer->outcome == USHER_ALIVE) /* always: none is an answer too */
        append_pools(out, answer);
    message_append_text(out, ",\"next\"", answer->next);
    append_sale(out, answer);
    message_append_text(out, ",\"chart\"", answer->chart);
    message_append_instant(out, ",\"decided_at\"", answer->decided_ms);
    message_append_number(out, ",\"rev\"", answer->rev);
    message_append_number(out, ",\"free\"", answer->free);
}

void answer_wrap(const struct usher_answer *answer, const char *body, size_t body_size,
                 struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "{\"request_id\":");
    usher_buffer_json_string(out, answer->request_id);
    message_append_text(out, ",\"op\"", usher_op_name(answer->op));
    message_append_text(out, ",\"resource\"", answer->resource);
    message_append_text(out, ",\"client\"", answer->client);
    MESSAGE_LITERAL(out, ",");
    usher_buffer_append(out, body, body_size);
    if (answer->replayed)
        MESSAGE_LITERAL(out, ",\"replayed\":true");
    message_append_number(out, ",\"seq\"", answer->seq);
    message_append_number(out, ",\"epoch\"", answer->epoch);
    if (answer->source_offset != USHER_ABSENT) {
        message_append_number(out, ",\"source\":{\"partition\"", answer->source_partition);
        message_append_number(out, ",\"offset\"", answer->source_offset);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "}");
}
