/*
 * Gives and takes line by line. PURE.
 */
#include "worker/rules/unit_lines.h"

#include "worker/inventory/resource_units.h"
#include "worker/inventory/seats.h"

void unit_lines_give(struct resource *resource, const struct line *lines, uint32_t count,
                     enum booking_state state)
{
    for (uint32_t i = 0; i < count; i++)
        resource_give(resource, lines[i].pool, lines[i].units, lines[i].unit_count, state);
}

void unit_lines_take(struct resource *resource, const struct line *lines, uint32_t count,
                     enum booking_state state)
{
    for (uint32_t i = 0; i < count; i++)
        resource_take(resource, lines[i].pool, lines[i].units, lines[i].unit_count, state);
}

int64_t unit_lines_total(const struct line *lines, uint32_t count)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += lines[i].price * lines[i].unit_count;
    return total;
}

/* Rows may have been replaced since: other seats under the same numbers, or none. */
bool unit_lines_current(const struct pool *pool, const struct line *line)
{
    if (pool->seat_row_count == 0 || line->seat_hash == 0)
        return pool->seat_row_count == 0 && line->seat_hash == 0;
    for (uint32_t i = 0; i < line->unit_count; i++)
        if ((uint32_t)line->units[i] >= pool->units.count)
            return false;
    return seats_hash(pool, line->units, line->unit_count) == line->seat_hash;
}
