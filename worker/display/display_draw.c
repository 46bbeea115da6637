/*
 * Draws a resource from memory: the one place where the display looks into the inventory. PURE.
 */
#include "worker/display/display_draw.h"

#include "worker/display/display_picture.h"

/* Seats one by one; of other units only how many are in each state is shown. */
static void draw_units(struct picture *picture, uint32_t index, const struct pool *pool)
{
    const struct units *units = &pool->units;
    if (pool->seat_row_count == 0) {
        picture_set_counts(picture, index, pool->taken);
        return;
    }
    uint32_t unit = units_next_taken(units, 0, units->count);
    while (unit < units->count) {
        picture_move(picture, &(struct unit_change){.pool = index,
                                                    .unit = (int32_t)unit,
                                                    .to = units_state(units, unit)});
        unit = units_next_taken(units, unit + 1, units->count);
    }
}

void display_draw(struct display *display, const struct resource *resource)
{
    const struct loaded_resource loaded = {.row = resource->row,
                                           .waiting_count = resource->waiting.count};
    struct picture *picture = display_drawn(display, &loaded, resource->catalogue);
    for (uint32_t i = 0; i < resource->pool_count; i++)
        draw_units(picture, i, &resource->pools[i]);
}
