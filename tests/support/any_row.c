/* See any_row.h. */
#include "any_row.h"

#include <stdio.h>
#include <string.h>

#include "worker/model/rows.h"

/* ---- what a field points to ---- */

static bool is_pointer(const struct pg_column *column)
{
    return column->kind >= PG_COLUMN_TEXT;
}

/* Returns the bytes that the field of a row points to, or NULL. */
static const char *pointed(const struct pg_column *column, const char *row, size_t *size)
{
    const char *at;
    memcpy(&at, row + column->at, sizeof at);
    if (column->kind == PG_COLUMN_TEXT)
        *size = at ? strlen(at) : 0;
    else if (column->kind == PG_COLUMN_NUMBERS)
        *size = *(const uint32_t *)(const void *)(row + column->size_at) * sizeof(int64_t);
    else
        *size = *(const size_t *)(const void *)(row + column->size_at);
    return at;
}

/* ---- copies ---- */

void row_copy(struct usher_arena *arena, enum pg_row_type type, const void *from, void *to)
{
    const struct pg_row_columns *columns = &pg_row_columns[type];
    memcpy(to, from, columns->size);
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct pg_column *column = &columns->columns[i];
        size_t size;
        const char *at = is_pointer(column) ? pointed(column, from, &size) : NULL;
        if (!at)
            continue;
        at = memcpy(usher_arena_alloc(arena, size + 1), at, size);
        memcpy((char *)to + column->at, &at, sizeof at);
    }
}

void *row_copies(struct usher_arena *arena, enum pg_row_type type, const void *rows, uint32_t count)
{
    size_t size = pg_row_columns[type].size;
    char *copies = usher_arena_alloc(arena, count * size);
    for (uint32_t i = 0; i < count; i++)
        row_copy(arena, type, (const char *)rows + i * size, copies + i * size);
    return copies;
}

/* ---- text ---- */

static struct usher_buffer *name_in(struct usher_buffer *out, const struct pg_column *column)
{
    usher_buffer_text(out, " ");
    usher_buffer_text(out, column->name);
    usher_buffer_text(out, "=");
    return out;
}

static void write_number(struct usher_buffer *out, const struct pg_column *column, int64_t value)
{
    if (column->none == 0 || value != column->none)
        usher_buffer_number(name_in(out, column), value);
}

static void write_hex(struct usher_buffer *out, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char hex[3];
        snprintf(hex, sizeof hex, "%02x", (uint8_t)bytes[i]);
        usher_buffer_text(out, hex);
    }
}

static void write_column(struct usher_buffer *out, const struct pg_column *column, const char *row)
{
    size_t size = 0;
    const void *field = row + column->at;
    const char *bytes = is_pointer(column) ? pointed(column, row, &size) : NULL;
    switch (column->kind) {
    case PG_COLUMN_PARTITION:
        break;
    case PG_COLUMN_BOOL:
        write_number(out, column, *(const bool *)field);
        break;
    case PG_COLUMN_INT2:
        write_number(out, column, *(const int16_t *)field);
        break;
    case PG_COLUMN_INT4:
    case PG_COLUMN_NAME:
    case PG_COLUMN_DAY:
        write_number(out, column, *(const int32_t *)field);
        break;
    case PG_COLUMN_INT8:
    case PG_COLUMN_SECONDS:
    case PG_COLUMN_TIME:
        write_number(out, column, *(const int64_t *)field);
        break;
    case PG_COLUMN_HASH:
        write_hex(name_in(out, column), field, USHER_HASH_SIZE);
        break;
    case PG_COLUMN_TEXT:
    case PG_COLUMN_SIZED_TEXT:
        if (bytes)
            usher_buffer_append(name_in(out, column), bytes, size);
        break;
    case PG_COLUMN_BYTES:
    case PG_COLUMN_NUMBERS:
        if (bytes)
            write_hex(name_in(out, column), bytes, size);
        break;
    }
}

char *row_text(struct usher_arena *arena, enum pg_row_type type, const void *row)
{
    const struct pg_row_columns *columns = &pg_row_columns[type];
    struct usher_buffer out = {0};
    for (uint32_t i = 0; i < columns->count; i++)
        if (!columns->columns[i].only_sent)
            write_column(&out, &columns->columns[i], row);
    char *text = usher_arena_text(arena, out.at, out.size);
    usher_buffer_deinit(&out);
    return text;
}
