/*
 * Writes and reads rows column by column, as the tables say. Knows no row type of its own.
 */
#include "worker/postgres/pg_rows.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/codec/calendar.h"

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
