/*
 * Tables of columns, and rows written and read by them, column by column. The compiler compares
 * each field with its kind.
 */
#include "worker/postgres/pg_rows.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/calendar.h"
#include "usher/message.h"
#include "worker/model/rows.h"

/* ==== Rows ==== */

/* ---- types ---- */

static bool has_columns(const char *names, const struct pg_row_columns *expected)
{
    for (uint32_t i = 0; i < expected->count; i++) {
        size_t size = strlen(expected->columns[i].name);
        if (strncmp(names, expected->columns[i].name, size) != 0 ||
            names[size] != (i + 1 < expected->count ? ' ' : '\0'))
            return false;
        names += size + 1;
    }
    return true;
}

static enum usher_status read_types(const PGresult *result, struct pg_row_types *types,
                                    struct usher_error *err)
{
    for (int i = 0; i < PG_ROW_TYPE_COUNT; i++) {
        struct pg_row row = pg_row_of(result, i, NULL);
        types->oids[i] = (uint32_t)pg_row_int4(&row, 0);
        if (!has_columns(PQgetvalue(result, i, row.column), &pg_row_columns[i])) {
            usher_error_set(err, USHER_EXIT_CONFIG,
                            "could not use the schema: type %s has different columns: "
                            "the schema is of another version",
                            pg_row_columns[i].type);
            return USHER_FATAL;
        }
    }
    return USHER_OK;
}

enum usher_status pg_row_types_read(struct pg_connection *connection, struct pg_row_types *types,
                                    struct usher_error *err)
{
    struct pg_array names = {0};
    pg_array_begin(&names, PG_TYPE_TEXT);
    for (int i = 0; i < PG_ROW_TYPE_COUNT; i++)
        pg_array_text(&names, pg_row_columns[i].type);

    struct pg_params params = {0};
    pg_params_array(&params, &names);
    PGresult *result;
    enum usher_status status =
        pg_connection_query(connection, row_types_sql, &params, &result, err);
    if (status == USHER_OK)
        status = read_types(result, types, err);
    PQclear(result);
    pg_array_deinit(&names);
    return status;
}

/* ---- writing ---- */

void pg_rows_begin(struct pg_array *array, const struct pg_row_types *types, enum pg_row_type type)
{
    pg_array_begin(array, types->oids[type]);
}

static void write_column(struct pg_array *array, const struct pg_column *column, const char *row,
                         int32_t partition)
{
    const void *field = row + column->at;
    const void *size = row + column->size_at;
    switch (column->kind) {
    case PG_COLUMN_PARTITION:
        pg_array_int4(array, partition);
        break;
    case PG_COLUMN_BOOL:
        pg_array_bool(array, *(const bool *)field);
        break;
    case PG_COLUMN_INT2:
        pg_array_int2(array, *(const int16_t *)field);
        break;
    case PG_COLUMN_INT4:
        pg_array_int4(array, *(const int32_t *)field);
        break;
    case PG_COLUMN_INT8:
        pg_array_int8_or_null(array, *(const int64_t *)field, column->none);
        break;
    case PG_COLUMN_SECONDS:
        pg_array_int4_or_null(array, *(const int64_t *)field, column->none);
        break;
    case PG_COLUMN_TIME:
        pg_array_timestamp(array, *(const int64_t *)field, column->none);
        break;
    case PG_COLUMN_DAY:
        pg_array_date(array, *(const int32_t *)field, (int32_t)column->none);
        break;
    case PG_COLUMN_HASH:
        pg_array_uuid(array, field);
        break;
    case PG_COLUMN_NAME:
        pg_array_text(array, column->names->name(*(const unsigned *)field));
        break;
    case PG_COLUMN_TEXT:
        pg_array_text(array, *(const char *const *)field);
        break;
    case PG_COLUMN_SIZED_TEXT:
        pg_array_text_sized(array, *(const char *const *)field, *(const size_t *)size);
        break;
    case PG_COLUMN_BYTES:
        pg_array_bytes(array, *(const void *const *)field, *(const size_t *)size);
        break;
    case PG_COLUMN_NUMBERS:
        pg_array_int8s(array, *(const int64_t *const *)field, *(const uint32_t *)size);
        break;
    }
}

void pg_rows_add(struct pg_array *array, enum pg_row_type type, const void *row, int32_t partition)
{
    const struct pg_row_columns *columns = &pg_row_columns[type];
    pg_array_row(array);
    for (uint32_t i = 0; i < columns->count; i++)
        write_column(array, &columns->columns[i], row, partition);
}

/* ---- reading ---- */

/* The next column of the result with that name, from `from` on: most often the first one looked at.
 */
static int find_column(const PGresult *result, const char *name, int from)
{
    int count = PQnfields(result);
    for (int i = 0; i < count; i++) {
        int column = (from + i) % count;
        if (strcmp(PQfname(result, column), name) == 0)
            return column;
    }
    return -1;
}

struct pg_rows pg_rows_of(const PGresult *result, enum pg_row_type type, struct usher_arena *arena)
{
    struct pg_rows rows = {.result = result, .arena = arena, .type = type};
    const struct pg_row_columns *columns = &pg_row_columns[type];
    int next = 0;
    assert(columns->count <= PG_COLUMNS_MAX);
    for (uint32_t i = 0; i < columns->count; i++) {
        rows.at[i] = find_column(result, columns->columns[i].name, next);
        next = rows.at[i] + 1;
    }
    return rows;
}

/* The text of the next column within the result, or NULL. */
static const char *peek_text(const struct pg_row *row)
{
    if (PQgetisnull(row->result, row->row, row->column))
        return NULL;
    return PQgetvalue(row->result, row->row, row->column);
}

/* An unknown name was stored by a newer program, or by a foreign hand. */
static bool read_name(const struct pg_row *row, const struct pg_names *names, unsigned *value)
{
    const char *text = peek_text(row);
    *value = names->named(text);
    const char *known = names->name(*value);
    return !text || (known && strcmp(known, text) == 0);
}

/* Whether messages can say it. */
static bool is_time(int64_t ms)
{
    return ms >= 0 && ms / CALENDAR_MS_A_DAY <= CALENDAR_LAST_DAY;
}

static int64_t read_time(struct pg_row *row, int64_t none)
{
    bool is_null = PQgetisnull(row->result, row->row, row->column) != 0;
    int64_t ms = pg_row_ms(row, none);
    row->wrong |= !is_null && !is_time(ms);
    return ms;
}

/* False: its name is not known. */
static bool read_column(struct pg_row *row, const struct pg_column *column, char *to)
{
    void *field = to + column->at;
    void *size = to + column->size_at;
    switch (column->kind) {
    case PG_COLUMN_PARTITION:
        break;
    case PG_COLUMN_BOOL:
        *(bool *)field = pg_row_bool(row);
        break;
    case PG_COLUMN_INT2:
        *(int16_t *)field = pg_row_int2(row);
        break;
    case PG_COLUMN_INT4:
        *(int32_t *)field = pg_row_int4(row, 0);
        break;
    case PG_COLUMN_INT8:
        *(int64_t *)field = pg_row_int8(row, column->none);
        break;
    case PG_COLUMN_SECONDS:
        *(int64_t *)field = pg_row_seconds(row, column->none);
        break;
    case PG_COLUMN_TIME:
        *(int64_t *)field = read_time(row, column->none);
        break;
    case PG_COLUMN_DAY:
        *(int32_t *)field = pg_row_day(row, (int32_t)column->none);
        break;
    case PG_COLUMN_HASH:
        pg_row_uuid(row, field);
        break;
    case PG_COLUMN_NAME:
        return read_name(row, column->names, field);
    case PG_COLUMN_TEXT:
        *(const char **)field = pg_row_text(row, NULL);
        break;
    case PG_COLUMN_SIZED_TEXT:
        *(const char **)field = pg_row_text(row, size);
        break;
    case PG_COLUMN_BYTES:
        *(const void **)field = pg_row_text(row, size);
        break;
    case PG_COLUMN_NUMBERS:
        *(const int64_t **)field = pg_row_int8s(row, size);
        break;
    }
    return true;
}

static enum usher_status unknown_name(const struct pg_row *row, const struct pg_rows *rows,
                                      const char *column, struct usher_error *err)
{
    struct pg_row first = pg_row_of(row->result, row->row, NULL);
    first.column = rows->at[0];
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "%s %" PRId64 " has the %s \"%s\", which this program does not know: run the "
                    "newer program",
                    pg_row_columns[rows->type].columns[0].name, pg_row_int8(&first, 0), column,
                    peek_text(row));
    return USHER_HALT;
}

static enum usher_status wrong_value(const struct pg_row *row, const struct pg_rows *rows,
                                     const char *column, struct usher_error *err)
{
    struct pg_row first = pg_row_of(row->result, row->row, NULL);
    first.column = rows->at[0];
    usher_error_set(err, USHER_EXIT_BUG,
                    "could not load %s of %s %" PRId64 ": this program did not write its %s",
                    pg_row_columns[rows->type].type, pg_row_columns[rows->type].columns[0].name,
                    pg_row_int8(&first, 0), column);
    return USHER_HALT;
}

enum usher_status pg_rows_read(const struct pg_rows *rows, int row, void *to,
                               struct usher_error *err)
{
    const struct pg_row_columns *columns = &pg_row_columns[rows->type];
    struct pg_row from = pg_row_of(rows->result, row, rows->arena);
    memset(to, 0, columns->size);
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct pg_column *column = &columns->columns[i];
        from.column = rows->at[i];
        from.wrong = from.column < 0 && column->kind != PG_COLUMN_PARTITION;
        if (!from.wrong && !read_column(&from, column, to))
            return unknown_name(&from, rows, column->name, err);
        if (from.wrong)
            return wrong_value(&from, rows, column->name, err);
    }
    return USHER_OK;
}

void *pg_rows_read_all(const PGresult *result, enum pg_row_type type, struct usher_arena *arena,
                       uint32_t *count, struct usher_error *err)
{
    struct pg_rows rows = pg_rows_of(result, type, arena);
    size_t size = pg_row_columns[type].size;
    *count = (uint32_t)PQntuples(result);
    char *all = usher_arena_alloc(arena, *count * size);
    for (uint32_t i = 0; i < *count; i++)
        if (pg_rows_read(&rows, (int)i, all + i * size, err) != USHER_OK)
            return NULL;
    return all;
}

/* ==== Columns ==== */

/* ---- names ---- */

static const char *const kind_names[] = {
    [USHER_SEATS] = "seats",
    [USHER_SECTION] = "section",
    [USHER_ROOM] = "room",
    [USHER_PRODUCT] = "product",
};

static enum booking_state state_named(const char *name)
{
    enum booking_state state = name ? BOOKING_LEFT : BOOKING_NONE;
    while (state > BOOKING_NONE && strcmp(booking_state_name(state), name) != 0)
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

static const struct pg_names states = {booking_state_name, state_named};

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

#define ROW struct quarter_row

static const struct pg_column quarter[] = {
    {INT8("resource_no", resource_no, NEVER)},
    {TIME("began_at", began_ms)},
    {TEXT("outcome", outcome)},
    {TEXT("rate", rate)},
    {TEXT("client", client)},
    {INT8("bookings", bookings, NEVER)},
    {INT8("units", units, NEVER)},
    {INT8("amount", amount, NEVER)},
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
    {INT8("takings", takings, NEVER)},
    {INT8("promised", promised, NEVER)},
};

#undef ROW

#define ROW struct resource_mark

static const struct pg_column resource_mark[] = {
    {INT8("no", no, NEVER)},           {INT8("rev", rev, NEVER)},
    {TEXT("cancelling", cancelling)},  {BOOL("unserved", unserved)},
    {INT8("takings", takings, NEVER)}, {INT8("promised", promised, NEVER)},
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
    [PG_ROW_QUARTER] = {"usher.quarter_row", COLUMNS(struct quarter_row, quarter)},
    [PG_ROW_RESOURCE] = {"usher.resource_row", COLUMNS(struct resource_row, resource)},
    [PG_ROW_RESOURCE_MARK] = {"usher.resource_mark_row",
                              COLUMNS(struct resource_mark, resource_mark)},
};
