/*
 * Columns in the order of the composite types in schema/postgres: change both together.
 */
#include "worker/postgres/pg_rows.h"

#include <string.h>

#include "worker/postgres/pg_value.h"

static const char *const state_names[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = "held",           [BOOKING_CONFIRMED] = "confirmed",
    [BOOKING_BLOCKED] = "blocked",     [BOOKING_WAITING] = "waiting",
    [BOOKING_RELEASED] = "released",   [BOOKING_EXPIRED] = "expired",
    [BOOKING_CANCELLED] = "cancelled", [BOOKING_LEFT] = "left",
};

static const char *const kind_names[] = {
    [USHER_SEATS] = "seats",
    [USHER_SECTION] = "section",
    [USHER_ROOM] = "room",
    [USHER_PRODUCT] = "product",
};

enum booking_state pg_booking_state_named(const char *name)
{
    enum booking_state state = BOOKING_HELD;

    while (state < BOOKING_LEFT && strcmp(state_names[state], name) != 0)
        state++;
    return state;
}

enum usher_kind pg_kind_named(const char *name)
{
    enum usher_kind kind = USHER_SEATS;

    while (kind < USHER_PRODUCT && strcmp(kind_names[kind], name) != 0)
        kind++;
    return kind;
}

enum usher_status pg_row_types_read(struct pg_connection *connection, struct pg_row_types *types,
                                    struct usher_error *err)
{
    PGresult *result;
    struct pg_row row;
    enum usher_status status = pg_connection_query(
        connection,
        "select 'usher.allocation_row'::regtype::int4, 'usher.booking_row'::regtype::int4,"
        "       'usher.booking_change_row'::regtype::int4, 'usher.chart_row'::regtype::int4,"
        "       'usher.resource_row'::regtype::int4, 'usher.resource_mark_row'::regtype::int4,"
        "       'usher.pool_row'::regtype::int4, 'usher.decision_row'::regtype::int4,"
        "       'usher.dead_letter_row'::regtype::int4, 'usher.cart_decision_row'::regtype::int4",
        NULL, &result, err);

    if (status != USHER_OK)
        return status;
    row = pg_row_of(result, 0, NULL);
    types->allocation = (uint32_t)pg_row_int4(&row, 0);
    types->booking = (uint32_t)pg_row_int4(&row, 0);
    types->booking_change = (uint32_t)pg_row_int4(&row, 0);
    types->chart = (uint32_t)pg_row_int4(&row, 0);
    types->resource = (uint32_t)pg_row_int4(&row, 0);
    types->resource_mark = (uint32_t)pg_row_int4(&row, 0);
    types->pool = (uint32_t)pg_row_int4(&row, 0);
    types->decision = (uint32_t)pg_row_int4(&row, 0);
    types->dead_letter = (uint32_t)pg_row_int4(&row, 0);
    types->cart_decision = (uint32_t)pg_row_int4(&row, 0);
    PQclear(result);
    return USHER_OK;
}

void pg_rows_allocations(struct pg_array *array, const struct pg_row_types *types,
                         const struct allocation_row *rows, uint32_t count)
{
    pg_array_begin(array, types->allocation);
    for (uint32_t i = 0; i < count; i++) {
        pg_array_row(array);
        pg_array_int8(array, rows[i].pool);
        pg_array_int8(array, rows[i].booking);
        pg_array_int4(array, rows[i].unit);
    }
}

void pg_rows_bookings(struct pg_array *array, const struct pg_row_types *types,
                      const struct batch *batch)
{
    pg_array_begin(array, types->booking);
    for (uint32_t i = 0; i < batch->booking_count; i++) {
        const struct booking_row *row = &batch->bookings[i];

        pg_array_row(array);
        pg_array_int8(array, row->no);
        pg_array_int4(array, batch->partition);
        pg_array_int8(array, row->resource_no);
        pg_array_timestamp(array, row->created_ms, USHER_ABSENT);
        pg_array_timestamp(array, row->expires_ms, USHER_ABSENT);
        pg_array_int8(array, row->total);
        pg_array_text(array, state_names[row->state]);
        pg_array_text(array, usher_op_name(row->op));
        pg_array_text(array, row->request_id);
        pg_array_text(array, row->client);
        pg_array_text(array, row->customer);
        pg_array_text(array, row->cart);
        pg_array_text(array, row->payment);
        pg_array_text(array, row->note);
        pg_array_text_sized(array, row->lines, row->lines_size);
        pg_array_text(array, row->meta);
        pg_array_int4_or_null(array, row->ttl_s, USHER_ABSENT);
        pg_array_text(array, row->wants);
    }
}

void pg_rows_booking_changes(struct pg_array *array, const struct pg_row_types *types,
                             const struct booking_row *rows, uint32_t count)
{
    pg_array_begin(array, types->booking_change);
    for (uint32_t i = 0; i < count; i++) {
        const struct booking_row *row = &rows[i];

        pg_array_row(array);
        pg_array_int8(array, row->no);
        pg_array_text(array, state_names[row->from]);
        pg_array_text(array, state_names[row->state]);
        pg_array_timestamp(array, row->created_ms, USHER_ABSENT);
        pg_array_timestamp(array, row->expires_ms, USHER_ABSENT);
        pg_array_int4_or_null(array, row->ttl_s, USHER_ABSENT);
        pg_array_int8(array, row->total);
        pg_array_text(array, row->customer);
        pg_array_text(array, row->cart);
        pg_array_text(array, row->payment);
        pg_array_text(array, row->note);
        pg_array_text(array, row->wants);
        pg_array_text_sized(array, row->lines, row->lines_size);
    }
}

void pg_rows_resource_marks(struct pg_array *array, const struct pg_row_types *types,
                            const struct resource_mark *marks, uint32_t count)
{
    pg_array_begin(array, types->resource_mark);
    for (uint32_t i = 0; i < count; i++) {
        pg_array_row(array);
        pg_array_int8(array, marks[i].no);
        pg_array_int8(array, marks[i].rev);
        pg_array_text(array, marks[i].cancelling);
        pg_array_bool(array, marks[i].unserved);
    }
}

void pg_rows_charts(struct pg_array *array, const struct pg_row_types *types,
                    const struct chart_row *rows, uint32_t count)
{
    pg_array_begin(array, types->chart);
    for (uint32_t i = 0; i < count; i++) {
        pg_array_row(array);
        pg_array_text(array, rows[i].name);
        pg_array_text_sized(array, rows[i].content, rows[i].content_size);
    }
}

void pg_rows_decisions(struct pg_array *array, const struct pg_row_types *types,
                       const struct batch *batch)
{
    pg_array_begin(array, types->decision);
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *row = &batch->decisions[i];

        pg_array_row(array);
        pg_array_int8(array, row->seq);
        pg_array_int8_or_null(array, row->source_offset, OFFSET_NONE);
        pg_array_int8_or_null(array, row->resource_no, 0);
        pg_array_int8_or_null(array, row->booking_no, 0);
        pg_array_timestamp(array, row->decided_ms, USHER_ABSENT);
        pg_array_timestamp(array, row->appended_ms, USHER_ABSENT);
        pg_array_int4(array, batch->partition);
        pg_array_int4(array, row->epoch);
        pg_array_int2(array, row->codec);
        pg_array_bool(array, row->first);
        pg_array_bool(array, row->replayed);
        pg_array_bool(array, row->cloud_events);
        pg_array_uuid(array, row->id_hash);
        pg_array_uuid(array, row->content_hash);
        pg_array_text(array, usher_outcome_name(row->outcome));
        pg_array_text(array, usher_op_name(row->op));
        pg_array_text(array, usher_reason_name(row->reason));
        pg_array_text(array, row->request_id);
        pg_array_text(array, row->resource);
        pg_array_bytes(array, row->key, row->key_size);
        pg_array_text(array, row->client);
        pg_array_text(array, row->traceparent);
        pg_array_text_sized(array, row->body, row->body_size);
        pg_array_int8s(array, row->booking_nos, row->booking_no_count);
    }
}

void pg_rows_cart_decisions(struct pg_array *array, const struct pg_row_types *types,
                            const struct decision_row *rows, uint32_t count)
{
    pg_array_begin(array, types->cart_decision);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < rows[i].booking_no_count; j++) {
            pg_array_row(array);
            pg_array_int8(array, rows[i].booking_nos[j]);
            pg_array_int8(array, rows[i].seq);
        }
    }
}

void pg_rows_dead_letters(struct pg_array *array, const struct pg_row_types *types,
                          const struct dead_letter_row *rows, uint32_t count)
{
    pg_array_begin(array, types->dead_letter);
    for (uint32_t i = 0; i < count; i++) {
        const struct dead_letter_row *row = &rows[i];

        pg_array_row(array);
        pg_array_int8(array, row->seq);
        pg_array_int8(array, row->source_offset);
        pg_array_bool(array, row->truncated);
        pg_array_text(array, usher_reason_name(row->reason));
        pg_array_bytes(array, row->key, row->key_size);
        pg_array_bytes(array, row->value, row->value_size);
    }
}

void pg_rows_add_resource(struct pg_array *array, const struct resource_row *row)
{
    pg_array_row(array);
    pg_array_int8(array, row->no);
    pg_array_text(array, row->id);
    pg_array_text(array, usher_sale_state_name(row->state));
    pg_array_text(array, row->name);
    pg_array_text(array, row->venue);
    pg_array_text(array, row->description);
    pg_array_text(array, row->timezone);
    pg_array_text(array, row->currency);
    pg_array_timestamp(array, row->starts_ms, USHER_ABSENT);
    pg_array_timestamp(array, row->ends_ms, USHER_ABSENT);
    pg_array_int8_or_null(array, row->hold_ttl_s, USHER_ABSENT);
    pg_array_int8(array, row->rev);
    pg_array_text(array, row->chart);
    pg_array_timestamp(array, row->opens_ms, USHER_ABSENT);
    pg_array_timestamp(array, row->closes_ms, USHER_ABSENT);
    pg_array_text(array, usher_strategy_name(row->strategy));
    pg_array_text(array, row->terms);
    pg_array_text(array, row->cancelling);
    pg_array_bool(array, row->unserved);
}

void pg_rows_add_pool(struct pg_array *array, const struct pool_row *row)
{
    pg_array_row(array);
    pg_array_int8(array, row->no);
    pg_array_int8(array, row->resource_no);
    pg_array_int4(array, (int32_t)row->index);
    pg_array_text(array, kind_names[row->kind]);
    pg_array_text(array, row->name);
    pg_array_date(array, row->night, NIGHT_NONE);
    pg_array_text(array, row->title);
    pg_array_int4(array, (int32_t)row->capacity);
    pg_array_int8(array, row->price);
    pg_array_int4(array, (int32_t)row->overbook);
    pg_array_text(array, row->rates);
    pg_array_text(array, row->properties);
}
