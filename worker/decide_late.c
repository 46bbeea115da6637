/*
 * Taking again what an expired booking had, for a confirm that comes late. PURE.
 */
#include <string.h>

#include "decide_parts.h"

/*
 * Whether the line's units still mean what they did. Rows that were put in other rows' place since
 * then have other seats under the same numbers.
 */
static bool is_same_pool(const struct pool *pool, const struct line *line)
{
    return pool->layout == line->layout;
}

static bool is_free(const struct pool *pool, const struct line *line)
{
    if (!is_same_pool(pool, line))
        return false;
    if (line->layout == 0)
        return pool->units.free >= line->unit_count;
    for (uint32_t i = 0; i < line->unit_count; i++)
        if (!units_is_free(&pool->units, (uint32_t)line->units[i]))
            return false;
    return true;
}

/* What an item lacks, with room for the names of what is in the way. */
struct missing {
    struct usher_shortfall shortfall;
    const char **taken;
};

static void add_taken(struct missing *missing, const char *name)
{
    missing->taken[missing->shortfall.taken_count++] = name;
}

static void miss_seats(struct plan *plan, const struct line *line, struct missing *missing)
{
    const struct pool *pool = &plan->resource->pools[line->pool];
    missing->shortfall.reason = USHER_UNIT_TAKEN;
    for (uint32_t i = 0; is_same_pool(pool, line) && i < line->unit_count; i++) {
        uint32_t unit = (uint32_t)line->units[i];
        if (!units_is_free(&pool->units, unit))
            add_taken(missing, resource_seat_name(pool, unit, plan->arena));
    }
}

static void miss_others(struct plan *plan, const struct line *line, struct missing *missing)
{
    const struct pool *pool = &plan->resource->pools[line->pool];
    struct usher_shortfall *shortfall = &missing->shortfall;
    int64_t free = is_same_pool(pool, line) ? pool->units.free : 0;
    shortfall->reason = USHER_NOT_ENOUGH;
    if (shortfall->free == USHER_ABSENT || free < shortfall->free)
        shortfall->free = free;
    if (pool->row.kind == USHER_ROOM)
        add_taken(missing, show_night(pool->row.night, plan->arena));
}

/* The lines from `first` on that belong to its item: how many. */
static uint32_t lines_of_item(const struct content *content, uint32_t first)
{
    uint32_t end = first;
    while (end < content->line_count && content->lines[end].item == content->lines[first].item)
        end++;
    return end - first;
}

static uint32_t unit_count_of(const struct line *lines, uint32_t count)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < count; i++)
        units += lines[i].unit_count;
    return units;
}

static bool item_is_free(struct plan *plan, const struct line *lines, uint32_t count)
{
    bool all_free = true;
    for (uint32_t i = 0; all_free && i < count; i++)
        all_free = is_free(&plan->resource->pools[lines[i].pool], &lines[i]);
    return all_free;
}

static void miss_item(struct plan *plan, const struct line *lines, uint32_t count)
{
    uint32_t unit_count = unit_count_of(lines, count);
    bool is_room = plan->resource->pools[lines[0].pool].row.kind == USHER_ROOM;
    struct missing missing = {
        .shortfall = {.item = lines[0].item,
                      .asked = is_room ? lines[0].unit_count : unit_count,
                      .free = USHER_ABSENT},
        .taken = usher_arena_alloc(plan->arena, unit_count * sizeof(*missing.taken)),
    };
    for (uint32_t i = 0; i < count; i++) {
        if (is_free(&plan->resource->pools[lines[i].pool], &lines[i]))
            continue;
        if (lines[i].layout != 0)
            miss_seats(plan, &lines[i], &missing);
        else
            miss_others(plan, &lines[i], &missing);
    }
    missing.shortfall.taken = missing.taken;
    plan_fall_short(plan, &missing.shortfall);
}

static void take_line(struct plan *plan, const struct line *line)
{
    if (line->layout == 0) {
        plan_take_lowest(plan, line);
        return;
    }
    memcpy(plan->units + plan->unit_count, line->units, line->unit_count * sizeof(*plan->units));
    plan_take(plan, line);
}

void plan_again(struct plan *plan, const struct content *content)
{
    for (uint32_t first = 0; first < content->line_count;) {
        const struct line *lines = &content->lines[first];
        uint32_t count = lines_of_item(content, first);
        if (!item_is_free(plan, lines, count))
            miss_item(plan, lines, count);
        else
            for (uint32_t i = 0; i < count; i++)
                take_line(plan, &lines[i]);
        first += count;
    }
}
