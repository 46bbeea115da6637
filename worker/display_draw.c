/*
 * Draws a resource from memory: the one place where the display looks into the inventory. PURE.
 */
#include "display.h"

#include "display_picture.h"
#include "inventory_resource.h"

static uint32_t taken_count(const struct resource *resource)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++)
        count += resource->pools[i].units.held + resource->pools[i].units.sold;
    return count;
}

static void copy_units(const struct resource *resource, struct loaded_resource *loaded)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct units *units = &resource->pools[i].units;
        uint32_t unit = units_next_taken(units, 0, units->count);
        while (unit < units->count) {
            loaded->units[loaded->unit_count++] = (struct loaded_unit){
                .pool = i, .unit = (int32_t)unit, .state = units_state(units, unit)};
            unit = units_next_taken(units, unit + 1, units->count);
        }
    }
}

void display_draw(struct display *display, const struct resource *resource)
{
    struct usher_arena arena = {0};
    struct loaded_resource loaded = {
        .row = resource->row,
        .chart = resource->chart,
        .pools = usher_arena_alloc(&arena, resource->pool_count * sizeof *loaded.pools),
        .pool_count = resource->pool_count,
        .units = usher_arena_alloc(&arena, taken_count(resource) * sizeof *loaded.units),
    };
    for (uint32_t i = 0; i < resource->pool_count; i++)
        loaded.pools[i] = resource->pools[i].row;
    copy_units(resource, &loaded);
    display_drawn(display, &loaded);
    usher_arena_deinit(&arena);
}
