/*
 * Moving the units of a resource from state to state, with all that counts them. PURE.
 */
#include "worker/inventory/resource_units.h"

#include <assert.h>

#include "worker/inventory/booking.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/waiting_list.h"

static int64_t *sum_of(struct resource *resource, enum booking_state state)
{
    return state == BOOKING_HELD      ? &resource->held
           : state == BOOKING_BLOCKED ? &resource->blocked
                                      : &resource->sold;
}

/* Adds units of a pool to those in that state, in the pool and over all; or takes them away. */
static void count_units(struct resource *resource, struct pool *pool, enum booking_state state,
                        int64_t units)
{
    assert(booking_state_owns_units(state));
    *unit_counts_in(&pool->taken, state) += (uint32_t)units;
    *sum_of(resource, state) += units;
}

void resource_take(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state)
{
    struct pool *from = &resource->pools[pool];
    assert(pool_free(from) >= count);
    count_units(resource, from, state, count);
    resource->free -= count;
    sellable_note(&resource->sellable, pool);
    if (kind_is_counted(from->row.kind))
        return;
    for (uint32_t i = 0; i < count; i++)
        units_take(&from->units, (uint32_t)units[i], state);
    if (from->seat_row_count > 0)
        seats_refresh(from, units, count);
}

void resource_sell(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count)
{
    struct pool *of = &resource->pools[pool];
    assert(of->taken.held >= count);
    count_units(resource, of, BOOKING_HELD, -(int64_t)count);
    count_units(resource, of, BOOKING_CONFIRMED, count);
    if (kind_is_counted(of->row.kind))
        return;
    for (uint32_t i = 0; i < count; i++)
        units_sell(&of->units, (uint32_t)units[i]);
}

void resource_give(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state)
{
    struct pool *to = &resource->pools[pool];
    assert(*unit_counts_in(&to->taken, state) >= count);
    count_units(resource, to, state, -(int64_t)count);
    resource->free += count;
    sellable_note(&resource->sellable, pool);
    waiting_note_return(resource, pool);
    if (kind_is_counted(to->row.kind))
        return;
    for (uint32_t i = 0; i < count; i++) {
        assert(units_state(&to->units, (uint32_t)units[i]) == state);
        units_give(&to->units, (uint32_t)units[i]);
    }
    if (to->seat_row_count > 0)
        seats_refresh(to, units, count);
}

static bool has_numbers(const struct pool *pool, const struct line *line, enum booking_state state)
{
    bool good = line->units;
    for (uint32_t i = 0; good && i < line->unit_count; i++)
        good = (uint32_t)line->units[i] < pool->units.count &&
               units_state(&pool->units, (uint32_t)line->units[i]) == state;
    return good;
}

static bool may_be_lines(const struct resource *resource, const struct line *lines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].pool >= resource->pool_count ||
            (!lines[i].units && resource->pools[lines[i].pool].row.kind == USHER_ROOM))
            return false;
    return true;
}

bool resource_count_out(struct resource *resource, const struct line *lines, uint32_t count,
                        enum booking_state state)
{
    if (!may_be_lines(resource, lines, count))
        return false;
    for (uint32_t i = 0; booking_state_owns_units(state) && i < count; i++) {
        struct pool *pool = &resource->pools[lines[i].pool];
        uint32_t *taken = unit_counts_in(&pool->taken, state);
        if (*taken < lines[i].unit_count ||
            (!kind_is_counted(pool->row.kind) && !has_numbers(pool, &lines[i], state))) {
            resource_count_in(resource, lines, i, state);
            return false;
        }
        *taken -= lines[i].unit_count;
    }
    return true;
}

void resource_count_in(struct resource *resource, const struct line *lines, uint32_t count,
                       enum booking_state state)
{
    for (uint32_t i = 0; booking_state_owns_units(state) && i < count; i++)
        *unit_counts_in(&resource->pools[lines[i].pool].taken, state) += lines[i].unit_count;
}

static void check_pool(const struct resource *resource, const struct pool *pool)
{
    assert(pool->row.index == (uint32_t)(pool - resource->pools));
    assert(unit_counts_sum(pool->taken) <= pool->row.capacity);
    if (kind_is_counted(pool->row.kind))
        assert(pool->units.count == 0);
    else
        assert(units_check(&pool->units, pool->taken, pool_free(pool)));
    assert(pool->row.kind != USHER_SEATS || pool->units.count == pool->row.capacity);
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
        const struct pool *pool = &resource->pools[i];
        check_pool(resource, pool);
        total += pool->row.capacity;
        free += pool_free(pool);
        held += pool->taken.held;
        sold += pool->taken.sold;
        blocked += pool->taken.blocked;
    }
    assert(total == resource->total && free == resource->free && held == resource->held);
    assert(sold == resource->sold && blocked == resource->blocked);
    assert(free + held + sold + blocked == total);
}
