/*
 * Taking again what an expired booking had, for a confirm that comes late. PURE.
 */
#include "worker/rules/plan_again.h"

#include <string.h>

#include "worker/inventory/names.h"
#include "worker/inventory/seats.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/unit_lines.h"

/* Whether the seats of a line, if it has any, still exist and are free. */
static bool has_seats(const struct plan *plan, const struct line *line)
{
    const struct pool *pool = &plan->resource->pools[line->pool];
    bool free = line->seat_hash == 0 || unit_lines_current(pool, line);
    for (uint32_t i = 0; free && line->seat_hash != 0 && i < line->unit_count; i++)
        free = units_is_free(&pool->units, (uint32_t)line->units[i]);
    return free;
}

/* Whether all units of a line may be taken again. */
static bool is_free(const struct plan *plan, const struct line *line)
{
    const struct pool *pool = &plan->resource->pools[line->pool];
    return unit_lines_current(pool, line) && plan_available(plan, pool) >= line->unit_count &&
           has_seats(plan, line);
}

/* The shortfall of an item, with room for the names of seats or nights. */
struct missing {
    struct usher_shortfall shortfall;
    const char **taken;
    bool seats; /* seats are taken; else a pool has not enough units */
};

static void add_taken(struct missing *missing, const char *name)
{
    missing->taken[missing->shortfall.taken_count++] = name;
}

/* Notes which seats are taken. Seats of rows that were replaced have no names any more. */
static void miss_seats(struct plan *plan, const struct line *line, struct missing *missing)
{
    const struct pool *pool = &plan->resource->pools[line->pool];
    missing->seats = true;
    uint32_t count = unit_lines_current(pool, line) ? line->unit_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unit = (uint32_t)line->units[i];
        if (!units_is_free(&pool->units, unit))
            add_taken(missing, names_seat_name(pool, unit, plan->arena));
    }
}

/* Notes that a pool has not enough units. */
static void miss_units(struct plan *plan, const struct line *line, struct missing *missing)
{
    const struct pool *pool = &plan->resource->pools[line->pool];
    struct usher_shortfall *shortfall = &missing->shortfall;
    int64_t free = unit_lines_current(pool, line) ? plan_available(plan, pool) : 0;
    if (shortfall->free == USHER_ABSENT || free < shortfall->free)
        shortfall->free = free;
    if (pool->row.kind == USHER_ROOM)
        add_taken(missing, answer_night(pool->row.night, plan->arena));
}

/* Adds the shortfall of an item, by its lines. */
static void miss_item(struct plan *plan, const struct line *lines, uint32_t count)
{
    uint32_t unit_count = 0;
    for (uint32_t i = 0; i < count; i++)
        unit_count += lines[i].unit_count;
    bool is_room = plan->resource->pools[lines[0].pool].row.kind == USHER_ROOM;
    struct missing missing = {
        .shortfall = {.item = lines[0].item,
                      .asked = is_room ? lines[0].unit_count : unit_count,
                      .free = USHER_ABSENT},
        .taken = plan_names(plan, unit_count),
    };
    for (uint32_t i = 0; i < count; i++) {
        if (is_free(plan, &lines[i]))
            continue;
        if (has_seats(plan, &lines[i]))
            miss_units(plan, &lines[i], &missing);
        else
            miss_seats(plan, &lines[i], &missing);
    }
    missing.shortfall.reason = missing.seats ? USHER_UNIT_TAKEN : USHER_NOT_ENOUGH;
    if (missing.seats)
        missing.shortfall.free = USHER_ABSENT;
    missing.shortfall.taken = missing.taken;
    plan_fall_short(plan, &missing.shortfall);
}

/* Takes the same seats, the lowest free rooms, or as many units of a counted pool. */
static void take_line(struct plan *plan, const struct line *line)
{
    int32_t *chosen = plan->units + plan->number_count;
    const struct pool *pool = &plan->resource->pools[line->pool];
    const struct units *units = &pool->units;
    uint32_t count = kind_is_counted(pool->row.kind) ? 0 : line->unit_count;
    for (uint32_t i = 0, unit = 0; i < count; i++) {
        unit = line->seat_hash != 0 ? (uint32_t)line->units[i] : units_next_free(units, unit);
        chosen[i] = (int32_t)unit++;
    }
    struct line again = *line;
    if (line->rate)
        again.rate = usher_arena_text(plan->arena, line->rate, strlen(line->rate));
    plan_take_line(plan, &again);
}

/* Takes the lines of an item one by one, so that each sees what the earlier ones left; or none. */
static bool take_item(struct plan *plan, const struct line *lines, uint32_t count)
{
    uint32_t before = plan->line_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_free(plan, &lines[i])) {
            plan_undo_to(plan, before);
            return false;
        }
        take_line(plan, &lines[i]);
    }
    return true;
}

void plan_again(struct plan *plan, const struct line *lines, uint32_t line_count)
{
    for (uint32_t first = 0, end; first < line_count; first = end) {
        end = first + 1;
        while (end < line_count && lines[end].item == lines[first].item)
            end++;
        if (!take_item(plan, &lines[first], end - first))
            miss_item(plan, &lines[first], end - first);
    }
}
