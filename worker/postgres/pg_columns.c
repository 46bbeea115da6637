/*
 * Tables of columns, and the names of the enums among them. The compiler compares each field with
 * its kind.
 */
#include "worker/postgres/pg_columns.h"

#include <stdbool.h>
#include <string.h>

#include "usher/message.h"
#include "worker/model/rows.h"

/* ---- names ---- */

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

static const char *state_name(enum booking_state state)
{
    return state_names[state];
}

static enum booking_state state_named(const char *name)
{
    enum booking_state state = name ? BOOKING_LEFT : BOOKING_NONE;
    while (state > BOOKING_NONE && strcmp(state_names[state], name) != 0)
        state--;
    return state;
}

static const char *kind_name(enum usher_kind kind)
{
    return kind_names[kind];
}

static enum usher_kind kind_named(const char *name)
{
    enum usher_kind kind = name ? USHER_PRODUCT : USHER_SEATS;
    while (kind > USHER_SEATS && strcmp(kind_names[kind], name) != 0)
        kind--;
    return kind;
}

static const struct pg_names states = {state_name, state_named};
static const struct pg_names kinds = {kind_name, kind_named};
static const struct pg_names ops = {usher_op_name, usher_op_named};
static const struct pg_names outcomes = {usher_outcome_name, usher_outcome_named};
static const struct pg_names reasons = {usher_reason_name, usher_reason_named};
static const struct pg_names sale_states = {usher_sale_state_name, usher_sale_state_named};
static const struct pg_names strategies = {usher_strategy_name, usher_strategy_named};

/* ---- columns ---- */

/* Where ROW has the field, which must be of that type: anything else does not compile. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a type */
#define AT(field, type) _Generic(((ROW *)0)->field, type : offsetof(ROW, field))

/* The members of a struct pg_column: its name in SQL and its field in ROW. */
#define PARTITION(column) (column), PG_COLUMN_PARTITION, 0, 0, 0, NULL
#define BOOL(column, field) (column), PG_COLUMN_BOOL, AT(field, bool), 0, 0, NULL
#define INT2(column, field) (column), PG_COLUMN_INT2, AT(field, int16_t), 0, 0, NULL
#define INT4(column, field) (column), PG_COLUMN_INT4, AT(field, int32_t), 0, 0, NULL
#define COUNT(column, field) (column), PG_COLUMN_INT4, AT(field, uint32_t), 0, 0, NULL
#define INT8(column, field, null) (column), PG_COLUMN_INT8, AT(field, int64_t), 0, (null), NULL
#define SECONDS(column, field) \
    (column), PG_COLUMN_SECONDS, AT(field, int64_t), 0, USHER_ABSENT, NULL
#define TIME(column, field) (column), PG_COLUMN_TIME, AT(field, int64_t), 0, USHER_ABSENT, NULL
#define DAY(column, field) (column), PG_COLUMN_DAY, AT(field, int32_t), 0, NIGHT_NONE, NULL
#define HASH(column, field) (column), PG_COLUMN_HASH, offsetof(ROW, field), 0, 0, NULL
#define NAME(column, field, values) (column), PG_COLUMN_NAME, AT(field, unsigned), 0, 0, &(values)
#define TEXT(column, field) (column), PG_COLUMN_TEXT, AT(field, const char *), 0, 0, NULL
#define SIZED_TEXT(column, field, size) \
    (column), PG_COLUMN_SIZED_TEXT, AT(field, const char *), AT(size, size_t), 0, NULL
#define BYTES(column, field, size) \
    (column), PG_COLUMN_BYTES, AT(field, const void *), AT(size, size_t), 0, NULL
#define NUMBERS(column, field, count) \
    (column), PG_COLUMN_NUMBERS, AT(field, const int64_t *), AT(count, uint32_t), 0, NULL

/* A bigint that is never NULL: no number is that low. */
#define NEVER INT64_MIN

#define ROW struct allocation_row
static const struct pg_column allocation[] = {
    {INT8("pool", pool, NEVER)},
    {INT8("booking", booking, NEVER)},
    {INT4("unit", unit)},
};
#undef ROW

#define ROW struct booking_row
static const struct pg_column booking[] = {
    {INT8("no", no, NEVER)},
    {PARTITION("partition")},
    {INT8("resource_no", resource_no, NEVER)},
    {TIME("created_at", created_ms)},
    {TIME("expires_at", expires_ms)},
    {INT8("total", total, NEVER)},
    {NAME("state", state, states)},
    {NAME("op", op, ops)},
    {TEXT("request_id", request_id)},
    {TEXT("client", client)},
    {TEXT("customer", customer)},
    {TEXT("cart", cart)},
    {TEXT("payment", payment)},
    {TEXT("note", note)},
    {SIZED_TEXT("lines", lines, lines_size)},
    {TEXT("meta", meta)},
    {SECONDS("ttl_s", ttl_s)},
    {TEXT("wants", wants)},
    {TIME("sold_at", sold_ms)},
};

static const struct pg_column booking_change[] = {
    {INT8("no", no, NEVER)},
    {NAME("was", from, states)},
    {NAME("state", state, states)},
    {TIME("created_at", created_ms)},
    {TIME("expires_at", expires_ms)},
    {SECONDS("ttl_s", ttl_s)},
    {INT8("total", total, NEVER)},
    {TEXT("customer", customer)},
    {TEXT("cart", cart)},
    {TEXT("payment", payment)},
    {TEXT("note", note)},
    {TEXT("wants", wants)},
    {SIZED_TEXT("lines", lines, lines_size)},
};
#undef ROW

#define ROW struct pg_cart_decision
static const struct pg_column cart_decision[] = {
    {INT8("booking", booking, NEVER)},
    {INT8("seq", seq, NEVER)},
};
#undef ROW

#define ROW struct chart_row
static const struct pg_column chart[] = {
    {TEXT("hash", name)},
    {SIZED_TEXT("content", content, content_size)},
};
#undef ROW

#define ROW struct dead_letter_row
static const struct pg_column dead_letter[] = {
    {INT8("seq", seq, NEVER)},      {INT8("source_offset", source_offset, OFFSET_NONE)},
    {BOOL("truncated", truncated)}, {NAME("reason", reason, reasons)},
    {BYTES("key", key, key_size)},  {BYTES("value", value, value_size)},
};
#undef ROW

#define ROW struct decision_row
static const struct pg_column decision[] = {
    {INT8("seq", seq, NEVER)},
    {INT8("source_offset", source_offset, OFFSET_NONE)},
    {INT8("resource_no", resource_no, 0)},
    {INT8("booking_no", booking_no, 0)},
    {TIME("decided_at", decided_ms)},
    {TIME("appended_at", appended_ms)},
    {PARTITION("partition")},
    {INT4("epoch", epoch)},
    {INT2("codec", codec)},
    {BOOL("first", first)},
    {BOOL("replayed", replayed)},
    {BOOL("cloud_events", cloud_events)},
    {HASH("id_hash", id_hash)},
    {HASH("content_hash", content_hash)},
    {NAME("outcome", outcome, outcomes)},
    {NAME("op", op, ops)},
    {NAME("reason", reason, reasons)},
    {TEXT("request_id", request_id)},
    {TEXT("resource", resource)},
    {BYTES("key", key, key_size)},
    {TEXT("client", client)},
    {TEXT("traceparent", traceparent)},
    {SIZED_TEXT("body", body, body_size)},
    {NUMBERS("booking_nos", booking_nos, booking_no_count)},
};
#undef ROW

#define ROW struct pool_row
static const struct pg_column pool[] = {
    {INT8("no", no, NEVER)},
    {INT8("resource_no", resource_no, NEVER)},
    {COUNT("index", index)},
    {NAME("kind", kind, kinds)},
    {TEXT("name", name)},
    {DAY("night", night)},
    {TEXT("title", title)},
    {COUNT("capacity", capacity)},
    {INT8("price", price, NEVER)},
    {COUNT("overbook", overbook)},
    {TEXT("rates", rates)},
    {TEXT("properties", properties)},
    {COUNT("held", taken.held)},
    {COUNT("sold", taken.sold)},
    {COUNT("blocked", taken.blocked)},
};

static const struct pg_column pool_change[] = {
    {INT8("no", no, NEVER)},
    {INT8("resource_no", resource_no, NEVER)},
    {COUNT("index", index)},
    {NAME("kind", kind, kinds)},
    {TEXT("title", title)},
    {COUNT("capacity", capacity)},
    {INT8("price", price, NEVER)},
    {COUNT("overbook", overbook)},
    {TEXT("rates", rates)},
    {TEXT("properties", properties)},
    {COUNT("was_held", was.held)},
    {COUNT("was_sold", was.sold)},
    {COUNT("was_blocked", was.blocked)},
    {COUNT("held", taken.held)},
    {COUNT("sold", taken.sold)},
    {COUNT("blocked", taken.blocked)},
};
#undef ROW

#define ROW struct pool_move
static const struct pg_column pool_move[] = {
    {INT8("no", no, NEVER)},           {COUNT("was_held", was.held)},
    {COUNT("was_sold", was.sold)},     {COUNT("was_blocked", was.blocked)},
    {COUNT("held", taken.held)},       {COUNT("sold", taken.sold)},
    {COUNT("blocked", taken.blocked)},
};
#undef ROW

#define ROW struct resource_row
static const struct pg_column resource[] = {
    {INT8("no", no, NEVER)},
    {TEXT("id", id)},
    {NAME("state", state, sale_states)},
    {TEXT("name", name)},
    {TEXT("venue", venue)},
    {TEXT("description", description)},
    {TEXT("timezone", timezone)},
    {TEXT("currency", currency)},
    {TIME("starts_at", starts_ms)},
    {TIME("ends_at", ends_ms)},
    {INT8("hold_ttl_s", hold_ttl_s, USHER_ABSENT)},
    {INT8("rev", rev, NEVER)},
    {TEXT("chart", chart)},
    {TIME("opens_at", opens_ms)},
    {TIME("closes_at", closes_ms)},
    {NAME("strategy", strategy, strategies)},
    {TEXT("terms", terms)},
    {TEXT("cancelling", cancelling)},
    {BOOL("unserved", unserved)},
};
#undef ROW

#define ROW struct resource_mark
static const struct pg_column resource_mark[] = {
    {INT8("no", no, NEVER)},
    {INT8("rev", rev, NEVER)},
    {TEXT("cancelling", cancelling)},
    {BOOL("unserved", unserved)},
};
#undef ROW

#define COLUMNS(row, columns) sizeof(row), (columns), sizeof(columns) / sizeof *(columns)

const struct pg_row_columns pg_row_columns[PG_ROW_TYPE_COUNT] = {
    [PG_ROW_ALLOCATION] = {"usher.allocation_row", COLUMNS(struct allocation_row, allocation)},
    [PG_ROW_BOOKING] = {"usher.new_booking_row", COLUMNS(struct booking_row, booking)},
    [PG_ROW_BOOKING_CHANGE] = {"usher.booking_change_row",
                               COLUMNS(struct booking_row, booking_change)},
    [PG_ROW_CART_DECISION] = {"usher.cart_decision_row",
                              COLUMNS(struct pg_cart_decision, cart_decision)},
    [PG_ROW_CHART] = {"usher.chart_row", COLUMNS(struct chart_row, chart)},
    [PG_ROW_DEAD_LETTER] = {"usher.dead_letter_row", COLUMNS(struct dead_letter_row, dead_letter)},
    [PG_ROW_DECISION] = {"usher.decision_row", COLUMNS(struct decision_row, decision)},
    [PG_ROW_POOL] = {"usher.pool_row", COLUMNS(struct pool_row, pool)},
    [PG_ROW_POOL_CHANGE] = {"usher.pool_change_row", COLUMNS(struct pool_row, pool_change)},
    [PG_ROW_POOL_MOVE] = {"usher.pool_move_row", COLUMNS(struct pool_move, pool_move)},
    [PG_ROW_RESOURCE] = {"usher.resource_row", COLUMNS(struct resource_row, resource)},
    [PG_ROW_RESOURCE_MARK] = {"usher.resource_mark_row",
                              COLUMNS(struct resource_mark, resource_mark)},
};
