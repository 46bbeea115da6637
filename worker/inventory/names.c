/*
 * Rows are found by their names and the numbers that they reach over, seats with names of their own
 * one by one. PURE.
 */
#include "worker/inventory/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/seats.h"

/* A seat with a name of its own. */
struct seat_name {
    struct table_node by_name;
    const struct seat_row *row;
    uint32_t place; /* in the row */
};

void names_add(struct resource *resource, struct pool *pool)
{
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        struct seat_row *row = &pool->seat_rows[i];
        if (!row->names) {
            table_add(&resource->seat_rows, &row->by_name, table_hash_text(row->name, 0));
            continue;
        }
        struct seat_name *names = usher_arena_alloc(resource->arena, row->seats * sizeof *names);
        for (uint32_t place = 0; place < row->seats; place++) {
            names[place] = (struct seat_name){.row = row, .place = place};
            table_add(&resource->seat_names, &names[place].by_name,
                      table_hash_text(row->names[place], 0));
        }
    }
}

void names_deinit(struct resource *resource)
{
    table_deinit(&resource->seat_rows);
    table_deinit(&resource->seat_names);
}

/* ---- finding ---- */

/* Splits `row-number` at its last hyphen. The number is written without leading zeros. */
static bool split_seat(const char *seat, char row[USHER_NAME_MAX + 1], uint32_t *number)
{
    const char *hyphen = strrchr(seat, '-');
    if (!hyphen || hyphen - seat > USHER_NAME_MAX || hyphen[1] < '0' || hyphen[1] > '9' ||
        (hyphen[1] == '0' && hyphen[2] != '\0'))
        return false;
    uint64_t value = 0;
    for (const char *digit = hyphen + 1; *digit != '\0'; digit++) {
        if (*digit < '0' || *digit > '9' || value > UINT32_MAX)
            return false;
        value = value * 10 + (uint64_t)(*digit - '0');
    }
    memcpy(row, seat, (size_t)(hyphen - seat));
    row[hyphen - seat] = '\0';
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

static bool find_numbered(const struct resource *resource, const char *seat, uint32_t *pool,
                          uint32_t *unit)
{
    char name[USHER_NAME_MAX + 1];
    uint32_t number;
    if (!split_seat(seat, name, &number))
        return false;
    struct table_node *node = table_find(&resource->seat_rows, table_hash_text(name, 0));
    for (; node; node = table_find_next(node)) {
        const struct seat_row *row = ENTRY_OF(node, struct seat_row, by_name);
        if (number >= row->first && number - row->first < row->seats &&
            strcmp(row->name, name) == 0) {
            *pool = row->pool;
            *unit = row->first_unit + (number - row->first);
            return true;
        }
    }
    return false;
}

static bool find_named(const struct resource *resource, const char *seat, uint32_t *pool,
                       uint32_t *unit)
{
    if (resource->seat_names.count == 0)
        return false;
    struct table_node *node = table_find(&resource->seat_names, table_hash_text(seat, 0));
    for (; node; node = table_find_next(node)) {
        const struct seat_name *name = ENTRY_OF(node, struct seat_name, by_name);
        if (strcmp(name->row->names[name->place], seat) == 0) {
            *pool = name->row->pool;
            *unit = name->row->first_unit + name->place;
            return true;
        }
    }
    return false;
}

bool names_find_seat(const struct resource *resource, const char *seat, uint32_t *pool,
                     uint32_t *unit)
{
    bool found =
        find_named(resource, seat, pool, unit) || find_numbered(resource, seat, pool, unit);
    assert(!found || (*pool < resource->pool_count && *unit < resource->pools[*pool].row.capacity));
    return found;
}

const char *names_seat_name(const struct pool *pool, uint32_t unit, struct usher_arena *arena)
{
    const struct seat_row *row = seats_row_of(pool, unit);
    uint32_t place = unit - row->first_unit;
    if (row->names)
        return usher_arena_text(arena, row->names[place], strlen(row->names[place]));
    char text[USHER_NAME_MAX + 16];
    char *digit = text + sizeof text;
    for (uint64_t number = (uint64_t)row->first + place;; number /= 10) {
        *--digit = (char)('0' + number % 10);
        if (number < 10)
            break;
    }
    *--digit = '-';
    size_t name_size = strlen(row->name);
    assert(name_size <= USHER_NAME_MAX);
    digit -= name_size;
    memcpy(digit, row->name, name_size);
    return usher_arena_text(arena, digit, (size_t)(text + sizeof text - digit));
}

const char *names_place(const struct pool *pool, uint32_t unit, struct usher_arena *arena)
{
    const struct seat_row *row = seats_row_of(pool, unit);
    if (!row->numbers)
        return names_seat_name(pool, unit, arena);
    return usher_arena_format(arena, "%s%s%s%s%sseat %s", row->zone ? row->zone : "",
                              row->zone ? ", " : "", row->name[0] ? "row " : "", row->name,
                              row->name[0] ? ", " : "", row->numbers[unit - row->first_unit]);
}

/* ---- duplicate names ---- */

/* All rows without names of their own, and all names of the others; each sorted. */
struct all_names {
    const struct seat_row **rows;
    uint32_t row_count;
    const char **names;
    uint32_t name_count;
};

static int compare_rows(const void *left, const void *right)
{
    const struct seat_row *a = *(const struct seat_row *const *)left;
    const struct seat_row *b = *(const struct seat_row *const *)right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->first > b->first) - (a->first < b->first);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void collect(const struct pool *pool, struct all_names *all)
{
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        if (!row->names)
            all->rows[all->row_count++] = row;
        for (uint32_t place = 0; row->names && place < row->seats; place++)
            all->names[all->name_count++] = row->names[place];
    }
}

static void collect_all(const struct resource *resource, struct usher_arena *arena,
                        struct all_names *all)
{
    size_t rows = 0, names = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        rows += pool->seat_row_count;
        for (uint32_t j = 0; j < pool->seat_row_count; j++)
            names += pool->seat_rows[j].names ? pool->seat_rows[j].seats : 0;
    }
    *all = (struct all_names){.rows = usher_arena_alloc(arena, rows * sizeof(struct seat_row *)),
                              .names = usher_arena_alloc(arena, names * sizeof(const char *))};
    for (uint32_t i = 0; i < resource->pool_count; i++)
        collect(&resource->pools[i], all);
    if (all->row_count > 0)
        qsort(all->rows, all->row_count, sizeof(struct seat_row *), compare_rows);
    if (all->name_count > 0)
        qsort(all->names, all->name_count, sizeof(const char *), compare_texts);
}

/* Whether one of the rows, none of which overlap, has a seat of that name. */
static bool rows_have(const struct all_names *all, const char *seat)
{
    char name[USHER_NAME_MAX + 1];
    uint32_t number, low = 0, high = all->row_count;
    if (!split_seat(seat, name, &number))
        return false;
    while (low < high) { /* the first row behind it */
        uint32_t middle = low + (high - low) / 2;
        const struct seat_row *row = all->rows[middle];
        int order = strcmp(row->name, name);
        if (order < 0 || (order == 0 && row->first <= number))
            low = middle + 1;
        else
            high = middle;
    }
    const struct seat_row *row = low > 0 ? all->rows[low - 1] : NULL;
    return row && strcmp(row->name, name) == 0 && number - row->first < row->seats;
}

const char *names_find_duplicate(const struct resource *resource, struct usher_arena *arena)
{
    struct all_names all;
    collect_all(resource, arena, &all);
    for (uint32_t i = 1; i < all.row_count; i++) {
        const struct seat_row *row = all.rows[i], *before = all.rows[i - 1];
        if (strcmp(before->name, row->name) == 0 && row->first - before->first < before->seats)
            return usher_arena_format(arena, "%s-%u", row->name, row->first);
    }
    for (uint32_t i = 0; i < all.name_count; i++)
        if ((i > 0 && strcmp(all.names[i - 1], all.names[i]) == 0) || rows_have(&all, all.names[i]))
            return usher_arena_format(arena, "%s", all.names[i]);
    return NULL;
}
