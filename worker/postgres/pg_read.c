/*
 * Columns to fields, from left to right as the lists of columns in the header have them.
 */
#include "worker/postgres/pg_read.h"

#include <inttypes.h>

#include "worker/postgres/pg_rows.h"

void pg_read_resource(struct pg_row *row, struct resource_row *resource)
{
    *resource = (struct resource_row){0};
    resource->no = pg_row_int8(row, 0);
    resource->id = pg_row_text(row, NULL);
    resource->state = usher_sale_state_named(pg_row_text(row, NULL));
    resource->name = pg_row_text(row, NULL);
    resource->venue = pg_row_text(row, NULL);
    resource->description = pg_row_text(row, NULL);
    resource->timezone = pg_row_text(row, NULL);
    resource->currency = pg_row_text(row, NULL);
    resource->starts_ms = pg_row_ms(row, USHER_ABSENT);
    resource->ends_ms = pg_row_ms(row, USHER_ABSENT);
    resource->hold_ttl_s = pg_row_int8(row, USHER_ABSENT);
    resource->rev = pg_row_int8(row, 0);
    resource->chart = pg_row_text(row, NULL);
    resource->opens_ms = pg_row_ms(row, USHER_ABSENT);
    resource->closes_ms = pg_row_ms(row, USHER_ABSENT);
    resource->strategy = usher_strategy_named(pg_row_text(row, NULL));
    resource->terms = pg_row_text(row, NULL);
    resource->cancelling = pg_row_text(row, NULL);
    resource->unserved = pg_row_bool(row);
}

void pg_read_pool(struct pg_row *row, struct pool_row *pool)
{
    *pool = (struct pool_row){0};
    pool->no = pg_row_int8(row, 0);
    pool->resource_no = pg_row_int8(row, 0);
    pool->index = (uint32_t)pg_row_int4(row, 0);
    pool->kind = pg_kind_named(pg_row_text(row, NULL));
    pool->name = pg_row_text(row, NULL);
    pool->night = pg_row_day(row, NIGHT_NONE);
    pool->title = pg_row_text(row, NULL);
    pool->capacity = (uint32_t)pg_row_int4(row, 0);
    pool->price = pg_row_int8(row, 0);
    pool->overbook = (uint32_t)pg_row_int4(row, 0);
    pool->rates = pg_row_text(row, NULL);
    pool->properties = pg_row_text(row, NULL);
}

void pg_read_booking(struct pg_row *row, struct booking_row *booking)
{
    *booking = (struct booking_row){0};
    booking->no = pg_row_int8(row, 0);
    booking->resource_no = pg_row_int8(row, 0);
    booking->state = pg_booking_state_named(pg_row_text(row, NULL));
    booking->from = booking->state;
    booking->request_id = pg_row_text(row, NULL);
    booking->client = pg_row_text(row, NULL);
    booking->customer = pg_row_text(row, NULL);
    booking->cart = pg_row_text(row, NULL);
    booking->payment = pg_row_text(row, NULL);
    booking->note = pg_row_text(row, NULL);
    booking->meta = pg_row_text(row, NULL);
    booking->op = usher_op_named(pg_row_text(row, NULL));
    booking->created_ms = pg_row_ms(row, USHER_ABSENT);
    booking->expires_ms = pg_row_ms(row, USHER_ABSENT);
    booking->ttl_s = pg_row_int8(row, USHER_ABSENT);
    booking->total = pg_row_int8(row, 0);
    booking->wants = pg_row_text(row, NULL);
    booking->lines = pg_row_text(row, &booking->lines_size);
}

/* Stored by a newer program, or by a foreign hand. */
static enum usher_status unknown_name(int64_t seq, const char *column, const char *name,
                                      struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "seq %" PRId64 " has the %s \"%s\", which this program does not know: run the "
                    "newer program",
                    seq, column, name);
    return USHER_HALT;
}

static enum usher_status read_names(struct pg_row *row, struct decision_row *decision,
                                    struct usher_error *err)
{
    const char *op = pg_row_text(row, NULL);
    const char *outcome = pg_row_text(row, NULL);
    const char *reason = pg_row_text(row, NULL);
    decision->op = usher_op_named(op);
    decision->outcome = usher_outcome_named(outcome);
    decision->reason = usher_reason_named(reason);
    if (op && decision->op == USHER_OP_NONE)
        return unknown_name(decision->seq, "op", op, err);
    if (decision->outcome == USHER_OUTCOME_NONE)
        return unknown_name(decision->seq, "outcome", outcome ? outcome : "", err);
    if (reason && decision->reason == USHER_REASON_NONE)
        return unknown_name(decision->seq, "reason", reason, err);
    return USHER_OK;
}

static enum usher_status read_decision(struct pg_row *row, struct decision_row *decision,
                                       struct usher_error *err)
{
    *decision = (struct decision_row){0};
    decision->seq = pg_row_int8(row, 0);
    decision->epoch = pg_row_int4(row, 0);
    decision->codec = pg_row_int2(row);
    decision->source_offset = pg_row_int8(row, OFFSET_NONE);
    decision->resource_no = pg_row_int8(row, 0);
    decision->booking_no = pg_row_int8(row, 0);
    decision->key = pg_row_text(row, &decision->key_size);
    decision->request_id = pg_row_text(row, NULL);
    decision->resource = pg_row_text(row, NULL);
    decision->client = pg_row_text(row, NULL);
    enum usher_status status = read_names(row, decision, err);
    pg_row_uuid(row, decision->id_hash);
    pg_row_uuid(row, decision->content_hash);
    decision->first = pg_row_bool(row);
    decision->replayed = pg_row_bool(row);
    decision->traceparent = pg_row_text(row, NULL);
    decision->cloud_events = pg_row_bool(row);
    decision->decided_ms = pg_row_ms(row, USHER_ABSENT);
    decision->appended_ms = pg_row_ms(row, USHER_ABSENT);
    decision->body = pg_row_text(row, &decision->body_size);
    decision->booking_nos = pg_row_int8s(row, &decision->booking_no_count);
    return status;
}

static enum usher_status read_dead_letter(struct pg_row *row, struct dead_letter_row *dead_letter,
                                          struct usher_error *err)
{
    *dead_letter = (struct dead_letter_row){0};
    dead_letter->seq = pg_row_int8(row, 0);
    dead_letter->source_offset = pg_row_int8(row, OFFSET_NONE);
    dead_letter->truncated = pg_row_bool(row);
    const char *reason = pg_row_text(row, NULL);
    dead_letter->reason = usher_reason_named(reason);
    dead_letter->key = pg_row_text(row, &dead_letter->key_size);
    dead_letter->value = pg_row_text(row, &dead_letter->value_size);
    return dead_letter->reason == USHER_REASON_NONE
               ? unknown_name(dead_letter->seq, "reason", reason ? reason : "", err)
               : USHER_OK;
}

struct booking_row *pg_read_bookings(const PGresult *result, struct usher_arena *arena,
                                     uint32_t *count)
{
    struct booking_row *rows;

    *count = (uint32_t)PQntuples(result);
    rows = usher_arena_alloc(arena, *count * sizeof *rows);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);

        pg_read_booking(&row, &rows[i]);
    }
    return rows;
}

enum usher_status pg_read_decisions(const PGresult *result, struct usher_arena *arena,
                                    struct decision_row **rows, uint32_t *count,
                                    struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    *count = (uint32_t)PQntuples(result);
    *rows = usher_arena_alloc(arena, *count * sizeof **rows);
    for (uint32_t i = 0; status == USHER_OK && i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        status = read_decision(&row, &(*rows)[i], err);
    }
    return status;
}

enum usher_status pg_read_dead_letters(const PGresult *result, struct usher_arena *arena,
                                       struct dead_letter_row **rows, uint32_t *count,
                                       struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    *count = (uint32_t)PQntuples(result);
    *rows = usher_arena_alloc(arena, *count * sizeof **rows);
    for (uint32_t i = 0; status == USHER_OK && i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        status = read_dead_letter(&row, &(*rows)[i], err);
    }
    return status;
}
