/*
 * Moving the units of a resource from state to state, with all that counts them. PURE.
 */
#include "worker/inventory/resource_units.h"

#include <assert.h>

#include "worker/inventory/seats.h"
#include "worker/inventory/waiting_list.h"

/* Takes the units of a pool out of the sums, or adds them, as they are now. */
static void sum(struct resource *resource, const struct units *units, int64_t times)
{
    resource->free += times * units->free;
    resource->held += times * units->held;
    resource->sold += times * units->sold;
    resource->blocked += times * units->blocked;
}

void resource_take(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state)
{
    struct pool *from = &resource->pools[pool];
    sum(resource, &from->units, -1);
    for (uint32_t i = 0; i < count; i++)
        units_take(&from->units, (uint32_t)units[i], state);
    sum(resource, &from->units, 1);
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
    sum(resource, &to->units, -1);
    for (uint32_t i = 0; i < count; i++)
        units_give(&to->units, (uint32_t)units[i]);
    waiting_note_return(resource, pool);
    sum(resource, &to->units, 1);
    if (to->seat_row_count > 0)
        seats_refresh(to, units, count);
}

static void check_pool(const struct resource *resource, const struct pool *pool)
{
    assert(pool->row.index == (uint32_t)(pool - resource->pools));
    assert(pool->row.capacity == pool->units.capacity && units_check(&pool->units));
    assert(pool->row.kind != USHER_SEATS || pool->units.count == pool->units.capacity);
    assert(pool->seat_row_count == 0 || (pool->row.kind == USHER_SEATS && seats_check(pool)));

    const struct pool_name *name = resource_name(resource, pool->row.name);
    assert(name && name == pool->name);
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
        total += units->capacity;
        free += units->free;
        held += units->held;
        sold += units->sold;
        blocked += units->blocked;
    }
    assert(total == resource->total && free == resource->free && held == resource->held);
    assert(sold == resource->sold && blocked == resource->blocked);
    assert(free + held + sold + blocked == total);
}
