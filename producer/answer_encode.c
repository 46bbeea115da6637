/*
 * Writes answers. The body is what a decision stores; the envelope is put around it each time it
 * is sent. Fields come in one fixed order, and absent ones are left out: equal answers are equal
 * bytes. Written by appending, since every booking pays for it.
 */
#include "usher/message.h"

#include <assert.h>
#include <string.h>

#define LITERAL(out, text) usher_buffer_append(out, text, sizeof(text) - 1)

void usher_answer_init(struct usher_answer *answer)
{
    memset(answer, 0, sizeof(*answer));
    answer->source_offset = USHER_ABSENT;
    answer->total = USHER_ABSENT;
    answer->expires_ms = USHER_ABSENT;
    answer->rev = USHER_ABSENT;
    answer->free = USHER_ABSENT;
}

/* `name` comes with its quotes and the comma before it. */
static void append_text(struct usher_buffer *out, const char *name, const char *text)
{
    if (text != NULL) {
        usher_buffer_text(out, name);
        LITERAL(out, ":");
        usher_buffer_json_string(out, text);
    }
}

static void append_number(struct usher_buffer *out, const char *name, int64_t number)
{
    if (number != USHER_ABSENT) {
        usher_buffer_text(out, name);
        LITERAL(out, ":");
        usher_buffer_number(out, number);
    }
}

static void append_instant(struct usher_buffer *out, const char *name, int64_t ms)
{
    if (ms != USHER_ABSENT) {
        char text[USHER_INSTANT_SIZE];
        usher_instant_format(ms, text);
        append_text(out, name, text);
    }
}

static void append_comma(struct usher_buffer *out, uint32_t index)
{
    if (index > 0) {
        LITERAL(out, ",");
    }
}

static void append_texts(struct usher_buffer *out, const char *const *texts, uint32_t count)
{
    LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        append_comma(out, i);
        usher_buffer_json_string(out, texts[i]);
    }
    LITERAL(out, "]");
}

static void append_tokens(struct usher_buffer *out, const int32_t *tokens, uint32_t count)
{
    LITERAL(out, ",\"tokens\":[");
    for (uint32_t i = 0; i < count; i++) {
        append_comma(out, i);
        usher_buffer_number(out, tokens[i]);
    }
    LITERAL(out, "]");
}

static void append_room_units(struct usher_buffer *out, const struct usher_units *units)
{
    char night[USHER_NIGHT_SIZE];
    usher_night_format(units->night, night);
    append_text(out, ",\"room\"", units->pool);
    append_text(out, ",\"night\"", night);
    append_tokens(out, units->tokens, units->quantity);
}

static void append_units(struct usher_buffer *out, const struct usher_units *units)
{
    LITERAL(out, "{\"item\":");
    usher_buffer_number(out, units->item);
    switch (units->kind) {
    case USHER_SEATS:
        append_text(out, ",\"section\"", units->pool);
        LITERAL(out, ",\"seats\":");
        append_texts(out, units->seats, units->quantity);
        break;
    case USHER_SECTION:
        append_text(out, ",\"section\"", units->pool);
        append_number(out, ",\"quantity\"", units->quantity);
        break;
    case USHER_ROOM:
        append_room_units(out, units);
        break;
    case USHER_PRODUCT:
        append_text(out, ",\"product\"", units->pool);
        append_number(out, ",\"quantity\"", units->quantity);
        break;
    }
    append_number(out, ",\"price\"", units->price);
    LITERAL(out, "}");
}

static void append_units_list(struct usher_buffer *out, const char *name,
                              const struct usher_units *units, uint32_t count)
{
    if (count == 0) {
        return;
    }
    usher_buffer_text(out, name);
    LITERAL(out, ":[");
    for (uint32_t i = 0; i < count; i++) {
        append_comma(out, i);
        append_units(out, &units[i]);
    }
    LITERAL(out, "]");
}

static void append_shortfall(struct usher_buffer *out, const struct usher_shortfall *line)
{
    LITERAL(out, "{\"item\":");
    usher_buffer_number(out, line->item);
    append_number(out, ",\"asked\"", line->asked);
    append_number(out, ",\"given\"", line->given);
    append_text(out, ",\"reason\"", usher_reason_name(line->reason));
    append_number(out, ",\"free\"", line->free);
    if (line->taken_count > 0) {
        LITERAL(out, ",\"taken\":");
        append_texts(out, line->taken, line->taken_count);
    }
    LITERAL(out, "}");
}

static void append_shortfalls(struct usher_buffer *out, const struct usher_shortfall *lines,
                              uint32_t count)
{
    if (count == 0) {
        return;
    }
    LITERAL(out, ",\"items\":[");
    for (uint32_t i = 0; i < count; i++) {
        append_comma(out, i);
        append_shortfall(out, &lines[i]);
    }
    LITERAL(out, "]");
}

/* A value a night, null where there is no such night. */
static void append_nights(struct usher_buffer *out, const char *name, const int64_t *values,
                          uint32_t count)
{
    usher_buffer_text(out, name);
    LITERAL(out, ":[");
    for (uint32_t i = 0; i < count; i++) {
        append_comma(out, i);
        if (values[i] == USHER_ABSENT) {
            LITERAL(out, "null");
        } else {
            usher_buffer_number(out, values[i]);
        }
    }
    LITERAL(out, "]");
}

static void append_room_status(struct usher_buffer *out, const struct usher_pool_status *pool)
{
    char from[USHER_NIGHT_SIZE];
    usher_night_format(pool->from, from);
    LITERAL(out, "{\"room\":");
    usher_buffer_json_string(out, pool->pool);
    append_text(out, ",\"from\"", from);
    append_nights(out, ",\"free\"", pool->night_free, pool->night_count);
    append_nights(out, ",\"total\"", pool->night_total, pool->night_count);
    append_nights(out, ",\"price\"", pool->night_price, pool->night_count);
    LITERAL(out, "}");
}

static void append_counted_status(struct usher_buffer *out, const struct usher_pool_status *pool)
{
    usher_buffer_text(out, pool->kind == USHER_PRODUCT ? "{\"product\":" : "{\"section\":");
    usher_buffer_json_string(out, pool->pool);
    append_number(out, ",\"free\"", pool->free);
    append_number(out, ",\"held\"", pool->held);
    append_number(out, ",\"sold\"", pool->sold);
    append_number(out, ",\"blocked\"", pool->blocked);
    append_number(out, ",\"total\"", pool->total);
    if (pool->price != USHER_ABSENT) {
        append_number(out, ",\"rates\":{\"standard\"", pool->price);
        LITERAL(out, "}");
    }
    LITERAL(out, "}");
}

/* Only probe answers with pools, and then always: none is an answer too. */
static void append_pools(struct usher_buffer *out, const struct usher_answer *answer)
{
    if (answer->outcome != USHER_ALIVE) {
        return;
    }
    LITERAL(out, ",\"pools\":[");
    for (uint32_t i = 0; i < answer->pools_count; i++) {
        append_comma(out, i);
        if (answer->pools[i].kind == USHER_ROOM) {
            append_room_status(out, &answer->pools[i]);
        } else {
            append_counted_status(out, &answer->pools[i]);
        }
    }
    LITERAL(out, "]");
}

static void append_verdict(struct usher_buffer *out, const struct usher_answer *answer)
{
    bool negative = answer->outcome == USHER_REFUSED || answer->outcome == USHER_INVALID;
    assert(answer->outcome != USHER_OUTCOME_NONE);
    assert(negative == (answer->reason != USHER_REASON_NONE));

    LITERAL(out, "\"outcome\":");
    usher_buffer_json_string(out, usher_outcome_name(answer->outcome));
    if (negative) {
        append_text(out, ",\"reason\"", usher_reason_name(answer->reason));
        usher_buffer_text(out, usher_reason_retryable(answer->reason) ? ",\"retryable\":true"
                                                                      : ",\"retryable\":false");
    }
    append_text(out, ",\"detail\"", answer->detail);
    if (answer->cause != NULL) {
        LITERAL(out, ",\"unasked\":true");
        append_text(out, ",\"cause\"", answer->cause);
    }
}

void usher_answer_body_encode(const struct usher_answer *answer, struct usher_buffer *out)
{
    append_verdict(out, answer);
    append_text(out, ",\"booking\"", answer->booking);
    append_text(out, ",\"customer\"", answer->customer);
    append_text(out, ",\"cart\"", answer->cart);
    append_text(out, ",\"payment\"", answer->payment);
    append_units_list(out, ",\"units\"", answer->units, answer->units_count);
    append_units_list(out, ",\"returned\"", answer->returned, answer->returned_count);
    append_shortfalls(out, answer->items, answer->items_count);
    append_number(out, ",\"total\"", answer->total);
    append_text(out, ",\"currency\"", answer->currency);
    append_instant(out, ",\"expires_at\"", answer->expires_ms);
    append_pools(out, answer);
    append_text(out, ",\"next\"", answer->next);
    append_text(out, ",\"chart\"", answer->chart);
    append_instant(out, ",\"decided_at\"", answer->decided_ms);
    append_number(out, ",\"rev\"", answer->rev);
    append_number(out, ",\"free\"", answer->free);
}

void usher_answer_wrap(const struct usher_answer *answer, const char *body, size_t body_size,
                       struct usher_buffer *out)
{
    LITERAL(out, "{\"request_id\":");
    usher_buffer_json_string(out, answer->request_id);
    append_text(out, ",\"op\"", usher_op_name(answer->op));
    append_text(out, ",\"resource\"", answer->resource);
    append_text(out, ",\"client\"", answer->client);
    LITERAL(out, ",");
    usher_buffer_append(out, body, body_size);
    if (answer->replayed) {
        LITERAL(out, ",\"replayed\":true");
    }
    append_number(out, ",\"seq\"", answer->seq);
    append_number(out, ",\"epoch\"", answer->epoch);
    if (answer->source_offset != USHER_ABSENT) {
        append_number(out, ",\"source\":{\"partition\"", answer->source_partition);
        append_number(out, ",\"offset\"", answer->source_offset);
        LITERAL(out, "}");
    }
    LITERAL(out, "}");
}
