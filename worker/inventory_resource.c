/*
 * Finding pools, nights and seats of a resource, and moving its units from state to state. PURE.
 */
#include "inventory_resource.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inventory_seats.h"

struct pool_name *resource_name(const struct resource *resource, const char *text)
{
    struct table_node *node = table_find(&resource->names_by_text, table_hash_text(text, 0));
    for (; node; node = table_find_next(node)) {
        struct pool_name *name = ENTRY_OF(node, struct pool_name, by_text);
        if (strcmp(name->text, text) == 0)
            return name;
    }
    return NULL;
}

struct pool *resource_night(const struct resource *resource, const struct pool_name *name,
                            int32_t night)
{
    assert(name->kind == USHER_ROOM);
    int64_t at = (int64_t)night - name->first_night;
    if (at < 0 || at >= name->night_count || name->nights[at] == 0)
        return NULL;
    return &resource->pools[name->nights[at] - 1];
}

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

bool resource_seat(const struct resource *resource, const char *seat, uint32_t *pool,
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

const char *resource_seat_name(const struct pool *pool, uint32_t unit, struct usher_arena *arena)
{
    const struct seat_row *row = seats_row_of(pool, unit);
    char text[USHER_NAME_MAX + 16];
    char *digit = text + sizeof(text);
    for (uint64_t number = (uint64_t)row->first + (unit - row->first_unit);; number /= 10) {
        *--digit = (char)('0' + number % 10);
        if (number < 10)
            break;
    }
    *--digit = '-';
    size_t name_size = strlen(row->name);
    assert(name_size <= USHER_NAME_MAX);
    digit -= name_size;
    memcpy(digit, row->name, name_size);
    return usher_arena_text(arena, digit, (size_t)(text + sizeof(text) - digit));
}

void resource_take(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state)
{
    struct pool *from = &resource->pools[pool];
    for (uint32_t i = 0; i < count; i++)
        units_take(&from->units, (uint32_t)units[i], state);
    resource->free -= count;
    *(state == BOOKING_HELD ? &resource->held : &resource->sold) += count;
    if (from->seat_row_count > 0)
        seats_refresh(from, units, count);
}

void resource_sell(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        units_sell(&resource->pools[pool].units, (uint32_t)units[i]);
    resource->held -= count;
    resource->sold += count;
}

void resource_give(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count)
{
    struct pool *to = &resource->pools[pool];
    uint32_t held = to->units.held;
    for (uint32_t i = 0; i < count; i++)
        units_give(&to->units, (uint32_t)units[i]);
    held -= to->units.held;
    resource->free += count;
    resource->held -= held;
    resource->sold -= count - held;
    if (to->seat_row_count > 0)
        seats_refresh(to, units, count);
}

static void check_pool(const struct resource *resource, const struct pool *pool)
{
    assert(pool->row.index == (uint32_t)(pool - resource->pools));
    assert(pool->row.capacity == pool->units.count && units_check(&pool->units));
    assert(pool->seat_row_count == 0 || (pool->row.kind == USHER_SEATS && seats_check(pool)));
    assert((pool->layout == 0) == (pool->seat_row_count == 0));

    const struct pool_name *name = resource_name(resource, pool->row.name);
    assert(name);
    if (name->kind == USHER_ROOM)
        assert(resource_night(resource, name, pool->row.night) == pool);
    else
        assert(name->pool == pool->row.index);
}

void resource_check(const struct resource *resource)
{
    int64_t total = 0, free = 0, held = 0, sold = 0, blocked = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct units *units = &resource->pools[i].units;
        check_pool(resource, &resource->pools[i]);
        total += units->count;
        free += units->free;
        held += units->held;
        sold += units->sold;
        blocked += units->blocked;
    }
    assert(total == resource->total && free == resource->free && held == resource->held);
    assert(sold == resource->sold && blocked == resource->blocked);
    assert(free + held + sold + blocked == total);
}
