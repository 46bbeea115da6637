/*
 * Compares each changed pool with what it was: taken units must still exist, as the same seats.
 * PURE.
 */
#include "worker/rules/merge_use.h"

#include <string.h>

#include "worker/inventory/names.h"

static const char *where(struct merge *merge, const struct pool *pool)
{
    if (pool->row.kind != USHER_ROOM)
        return usher_arena_format(merge->arena, "\"%s\"", pool->row.name);
    char night[USHER_NIGHT_SIZE];
    usher_night_format(pool->row.night, night);
    return usher_arena_format(merge->arena, "\"%s\" on %s", pool->row.name, night);
}

/* Returns the first taken seat that would disappear or become another one; NULL: none. */
static const char *moved_seat(struct merge *merge, const struct pool *pool, const struct pool *old)
{
    const struct units *units = &old->units;
    for (uint32_t unit = units_next_taken(units, 0, units->count); unit < units->count;
         unit = units_next_taken(units, unit + 1, units->count)) {
        const char *was = resource_seat_name(old, unit, merge->arena);
        if (unit >= pool->row.capacity ||
            strcmp(was, resource_seat_name(pool, unit, merge->arena)) != 0)
            return was;
    }
    return NULL;
}

static void check_seats(struct merge *merge, const struct pool *pool, const struct pool *old)
{
    const char *seat = moved_seat(merge, pool, old);
    if (seat) {
        merge_refuse(merge, USHER_IN_USE,
                     usher_arena_format(merge->arena, "seat \"%s\" of %s is held, sold or blocked",
                                        seat, where(merge, pool)));
    }
}

static uint32_t taken(const struct pool *pool)
{
    return pool->units.held + pool->units.sold + pool->units.blocked;
}

static void check_pool(struct merge *merge, const struct pool *pool, const struct pool *old)
{
    bool was_seats = old->seat_row_count > 0, is_seats = pool->seat_row_count > 0;
    if (was_seats && is_seats) {
        check_seats(merge, pool, old);
    } else if (was_seats != is_seats || taken(old) > pool->row.capacity) {
        merge_refuse(merge, USHER_IN_USE,
                     usher_arena_format(merge->arena, "%u units of %s are held, sold or blocked",
                                        taken(old), where(merge, pool)));
    }
}

void merge_check_use(struct merge *merge)
{
    if (merge->old && merge->old->row.cancelling)
        merge_refuse(merge, USHER_IN_USE, "its bookings are still being cancelled");
    for (uint32_t i = 0; merge->old && i < merge->old->pool_count; i++) {
        const struct pool *pool = &merge->resource->pools[i];
        if (pool->changed && taken(&merge->old->pools[i]) > 0)
            check_pool(merge, pool, &merge->old->pools[i]);
        if (merge->reason == USHER_IN_USE)
            return;
    }
}
