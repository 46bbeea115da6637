/*
 * Tables of columns, and rows written and read by them, column by column. The compiler compares
 * each field with its kind.
 */
#include "worker/postgres/pg_rows.h"

#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/calendar.h"
#include "usher/message.h"
#include "worker/model/rows.h"

/* ==== Rows ==== */

/* ---- types ---- */

static const struct pg_column *find_known(const struct pg_row_columns *known, const char *name,
                                          size_t size)
{
    for (uint32_t i = 0; i < known->count; i++)
        if (strlen(known->columns[i].name) == size &&
            memcmp(known->columns[i].name, name, size) == 0)
            return &known->columns[i];
    return NULL;
}

/* The names of a type's columns have a space between them. False: one is not known. */
static bool read_columns(const char *names, enum pg_row_type type, struct pg_row_types *types)
{
    uint32_t count = 0;
    for (size_t size; (size = strcspn(names, " ")) > 0; names += size + (names[size] == ' ')) {
        const struct pg_column *column = find_known(&pg_row_columns[type], names, size);
        if (!column || count == PG_COLUMNS_MAX)
            return false;
        types->columns[type][count++] = column;
    }
    types->counts[type] = count;
    return true;
}

static enum usher_status read_types(const PGresult *result, struct pg_row_types *types,
                                    struct usher_error *err)
{
    for (enum pg_row_type type = 0; type < PG_ROW_TYPE_COUNT; type++) {
        struct pg_row row = pg_row_of(result, (int)type, NULL);
        types->oids[type] = (uint32_t)pg_row_int4(&row, 0);
        if (!read_columns(PQgetvalue(result, (int)type, row.column), type, types)) {
            usher_error_set(err, USHER_EXIT_CONFIG,
                            "could not use the schema: type %s has different columns: "
                            "the schema is of another version",
                            pg_row_columns[type].type);
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

/* Returns whether a value is there; the one that stands for NULL is written. */
static bool is_given(struct pg_array *array, enum pg_type type, int64_t value, int64_t none)
{
    if (value == none)
        pg_array_null(array, type);
    return value != none;
}

static void write_int16(struct pg_array *array, int16_t value)
{
    const uint16_t wire = htobe16((uint16_t)value);
    pg_array_bytes(array, PG_TYPE_INT2, &wire, sizeof wire);
}

static void write_seconds(struct pg_array *array, int64_t value, int64_t none)
{
    assert(value == none || (value >= INT32_MIN && value <= INT32_MAX));
    if (is_given(array, PG_TYPE_INT4, value, none))
        pg_array_int4(array, PG_TYPE_INT4, (int32_t)value);
}

static void write_numbers(struct pg_array *array, const int64_t *values, uint32_t count)
{
    const uint32_t header[] = {1, 0, PG_TYPE_INT8, count, 1}; /* one dimension, numbered from 1 */
    if (!values) {
        pg_array_null(array, PG_TYPE_INT8_ARRAY);
        return;
    }
    char *at = pg_array_value(array, PG_TYPE_INT8_ARRAY, sizeof header + (size_t)count * 12);
    for (size_t i = 0; i < sizeof header / sizeof *header; i++, at += 4)
        pg_put_uint32(at, header[i]);
    for (uint32_t i = 0; i < count; i++, at += 12) {
        pg_put_uint32(at, 8);
        pg_put_uint64(at + 4, (uint64_t)values[i]);
    }
}

static void write_column(struct pg_array *array, const struct pg_column *column, const char *row,
                         int32_t partition)
{
    const void *field = row + column->at;
    const void *size = row + column->size_at;
    switch (column->kind) {
    case PG_COLUMN_PARTITION:
        pg_array_int4(array, PG_TYPE_INT4, partition);
        break;
    case PG_COLUMN_BOOL:
        pg_array_bytes(array, PG_TYPE_BOOL, field, sizeof(bool));
        break;
    case PG_COLUMN_INT2:
        write_int16(array, *(const int16_t *)field);
        break;
    case PG_COLUMN_INT4:
        pg_array_int4(array, PG_TYPE_INT4, *(const int32_t *)field);
        break;
    case PG_COLUMN_INT8:
        if (is_given(array, PG_TYPE_INT8, *(const int64_t *)field, column->none))
            pg_array_int8(array, PG_TYPE_INT8, *(const int64_t *)field);
        break;
    case PG_COLUMN_SECONDS:
        write_seconds(array, *(const int64_t *)field, column->none);
        break;
    case PG_COLUMN_TIME:
        if (is_given(array, PG_TYPE_TIMESTAMPTZ, *(const int64_t *)field, column->none))
            pg_array_int8(array, PG_TYPE_TIMESTAMPTZ, pg_timestamp(*(const int64_t *)field));
        break;
    case PG_COLUMN_DAY:
        if (is_given(array, PG_TYPE_DATE, *(const int32_t *)field, column->none))
            pg_array_int4(array, PG_TYPE_DATE, pg_date(*(const int32_t *)field));
        break;
    case PG_COLUMN_HASH:
        pg_array_bytes(array, PG_TYPE_UUID, field, USHER_HASH_SIZE);
        break;
    case PG_COLUMN_NAME:
        pg_array_text(array, column->name_of(*(const unsigned *)field));
        break;
    case PG_COLUMN_TEXT:
        pg_array_text(array, *(const char *const *)field);
        break;
    case PG_COLUMN_SIZED_TEXT:
        pg_array_bytes(array, PG_TYPE_TEXT, *(const void *const *)field, *(const size_t *)size);
        break;
    case PG_COLUMN_BYTES:
        pg_array_bytes(array, PG_TYPE_BYTEA, *(const void *const *)field, *(const size_t *)size);
        break;
    case PG_COLUMN_NUMBERS:
        write_numbers(array, *(const int64_t *const *)field, *(const uint32_t *)size);
        break;
    }
}

void pg_rows_add(struct pg_array *array, const struct pg_row_types *types, enum pg_row_type type,
                 const void *row, int32_t partition)
{
    pg_array_row(array);
    for (uint32_t i = 0; i < types->counts[type]; i++)
        write_column(array, types->columns[type][i], row, partition);
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
        if (columns->columns[i].only_sent)
            continue;
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
static bool read_name(const struct pg_row *row, const char *(*name_of)(unsigned), unsigned *value)
{
    const char *text = peek_text(row), *name = NULL;
    for (*value = 0; text && ((name = name_of(*value)) || *value == 0); ++*value)
        if (name && strcmp(name, text) == 0)
            return true;
    return !text;
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
        return read_name(row, column->name_of, field);
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

static enum usher_status refused(const struct pg_row *row, const struct pg_rows *rows,
                                 const char *column, struct usher_error *err)
{
    const struct pg_row_columns *columns = &pg_row_columns[rows->type];
    struct pg_row first = pg_row_of(row->result, row->row, NULL);
    first.column = rows->at[0];
    const int64_t no = pg_row_int8(&first, 0);
    if (row->wrong)
        usher_error_set(err, USHER_EXIT_BUG,
                        "could not load %s of %s %" PRId64 ": this program did not write its %s",
                        columns->type, columns->columns[0].name, no, column);
    else
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "%s %" PRId64 " has the %s \"%s\", which this program does not know: run "
                        "the newer program",
                        columns->columns[0].name, no, column, peek_text(row));
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
        if (column->only_sent)
            continue;
        from.column = rows->at[i];
        from.wrong = from.column < 0;
        bool known = from.wrong || read_column(&from, column, to);
        if (from.wrong || !known)
            return refused(&from, rows, column->name, err);
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

static const char *kind_name(enum usher_kind kind)
{
    static const char *const names[] = {[USHER_SEATS] = "seats",
                                        [USHER_SECTION] = "section",
                                        [USHER_ROOM] = "room",
                                        [USHER_PRODUCT] = "product"};
    return kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* Where ROW has the field, which must be of that type: anything else does not compile. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a type */
#define AT(field, type) _Generic(((ROW *)0)->field, type : offsetof(ROW, field))

/* The members of a struct pg_column: its name in SQL and its field in ROW. */
#define COLUMN(column, of, field, type) \
    .name = (column), .kind = PG_COLUMN_##of, .at = AT(field, type)
#define SIZED(column, of, field, type, size, size_type) \
    COLUMN(column, of, field, type), .size_at = AT(size, size_type)
#define PARTITION(column) .name = (column), .kind = PG_COLUMN_PARTITION, .only_sent = true
#define BOOL(column, field) COLUMN(column, BOOL, field, bool)
#define INT2(column, field) COLUMN(column, INT2, field, int16_t)
#define INT4(column, field) COLUMN(column, INT4, field, int32_t)
#define COUNT(column, field) COLUMN(column, INT4, field, uint32_t)
#define INT8(column, field, null) COLUMN(column, INT8, field, int64_t), .none = (null)
#define SECONDS(column, field) COLUMN(column, SECONDS, field, int64_t), .none = USHER_ABSENT
#define TIME(column, field) COLUMN(column, TIME, field, int64_t), .none = USHER_ABSENT
#define DAY(column, field) COLUMN(column, DAY, field, int32_t), .none = NIGHT_NONE
#define HASH(column, field) COLUMN(column, HASH, field, uint8_t *)
#define NAME(column, field, name) COLUMN(column, NAME, field, unsigned), .name_of = (name)
#define TEXT(column, field) COLUMN(column, TEXT, field, const char *)
#define SIZED_TEXT(column, field, size) SIZED(column, SIZED_TEXT, field, const char *, size, size_t)
#define BYTES(column, field, size) SIZED(column, BYTES, field, const void *, size, size_t)
#define NUMBERS(column, field, count) \
    SIZED(column, NUMBERS, field, const int64_t *, count, uint32_t)

/* Of a change: what the row must have. */
#define WAS .only_sent = true

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
    {NAME("state", state, booking_state_name)},
    {NAME("op", op, usher_op_name)},
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
    {NAME("was", from, booking_state_name), WAS},
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
    {INT8("seq", seq, NEVER)},
    {INT8("source_offset", source_offset, OFFSET_NONE)},
    {BOOL("truncated", truncated)},
    {NAME("reason", reason, usher_reason_name)},
    {BYTES("key", key, key_size)},
    {BYTES("value", value, value_size)},
    /* These are columns of its decision, and none of its type. */
    {TEXT("request_id", request_id)},
    {TEXT("detail", detail)},
    {TIME("decided_at", decided_ms)},
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
    {NAME("outcome", outcome, usher_outcome_name)},
    {NAME("op", op, usher_op_name)},
    {NAME("reason", reason, usher_reason_name)},
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
    {NAME("kind", kind, kind_name)},
    {TEXT("name", name)},
    {DAY("night", night)},
    {TEXT("title", title)},
    {COUNT("capacity", capacity)},
    {INT8("price", price, NEVER)},
    {COUNT("overbook", overbook)},
    {COUNT("over", over)},
    {TEXT("rates", rates)},
    {TEXT("properties", properties)},
    {TEXT("restrictions", restrictions)},
    {BOOL("spares", spares)},
    {COUNT("held", taken.held)},
    {COUNT("sold", taken.sold)},
    {COUNT("blocked", taken.blocked)},
    {COUNT("was_held", was.held), WAS},
    {COUNT("was_sold", was.sold), WAS},
    {COUNT("was_blocked", was.blocked), WAS},
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
    {NAME("state", state, usher_sale_state_name)},
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
    {NAME("strategy", strategy, usher_strategy_name)},
    {TEXT("terms", terms)},
    {TEXT("cancelling", cancelling)},
    {BOOL("unserved", unserved)},
    {INT8("takings", takings, NEVER)},
    {INT8("promised", promised, NEVER)},
    {TEXT("by_rate", by_rate)},
};

#undef ROW

#define ROW struct resource_mark

static const struct pg_column resource_mark[] = {
    {INT8("no", no, NEVER)},           {INT8("rev", rev, NEVER)},
    {TEXT("cancelling", cancelling)},  {BOOL("unserved", unserved)},
    {INT8("takings", takings, NEVER)}, {INT8("promised", promised, NEVER)},
    {TEXT("by_rate", by_rate)},
};

#undef ROW

#define COLUMNS(row, columns) sizeof(row), (columns), sizeof(columns) / sizeof *(columns)

const struct pg_row_columns pg_row_columns[PG_ROW_TYPE_COUNT] = {
    [PG_ROW_ALLOCATION] = {"usher.allocation_row", COLUMNS(struct allocation_row, allocation)},
    [PG_ROW_BOOKING] = {"usher.new_booking_row", COLUMNS(struct booking_row, booking)},
    [PG_ROW_BOOKING_CHANGE] = {"usher.booking_change_row", COLUMNS(struct booking_row, booking)},
    [PG_ROW_CART_DECISION] = {"usher.cart_decision_row",
                              COLUMNS(struct pg_cart_decision, cart_decision)},
    [PG_ROW_CHART] = {"usher.chart_row", COLUMNS(struct chart_row, chart)},
    [PG_ROW_DEAD_LETTER] = {"usher.dead_letter_row", COLUMNS(struct dead_letter_row, dead_letter)},
    [PG_ROW_DECISION] = {"usher.decision_row", COLUMNS(struct decision_row, decision)},
    [PG_ROW_POOL] = {"usher.pool_row", COLUMNS(struct pool_row, pool)},
    [PG_ROW_POOL_CHANGE] = {"usher.pool_change_row", COLUMNS(struct pool_row, pool)},
    [PG_ROW_POOL_MOVE] = {"usher.pool_move_row", COLUMNS(struct pool_move, pool_move)},
    [PG_ROW_QUARTER] = {"usher.quarter_row", COLUMNS(struct quarter_row, quarter)},
    [PG_ROW_RESOURCE] = {"usher.resource_row", COLUMNS(struct resource_row, resource)},
    [PG_ROW_RESOURCE_MARK] = {"usher.resource_mark_row",
                              COLUMNS(struct resource_mark, resource_mark)},
};
