/*
 * Marks each unit of a booking with the item that picks it, then sorts the units into lines again.
 * PURE.
 */
#include "worker/rules/pick.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/names.h"
#include "worker/inventory/rates.h"
#include "worker/inventory/seats.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/unit_lines.h"

#define NO_ITEM UINT32_MAX

/* One unit of the booking. */
struct pickable {
    const struct line *line;
    uint32_t place; /* of its line in the booking */
    int32_t unit;
    uint32_t item; /* by which it is picked, or NO_ITEM */
};

struct candidates {
    struct pick *pick;
    struct pickable *units; /* by pool and unit */
    uint32_t count;
    const struct usher_item *item; /* the current one */
    uint32_t index;
};

static int compare_places(const void *left, const void *right)
{
    const struct pickable *a = left, *b = right;
    if (a->line->pool != b->line->pool)
        return a->line->pool < b->line->pool ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static struct pickable *flatten(struct pick *pick, const struct content *content)
{
    struct pickable *units =
        usher_arena_alloc(pick->arena, content->unit_count * sizeof(struct pickable));
    uint32_t count = 0;
    for (uint32_t i = 0; i < content->line_count; i++)
        for (uint32_t j = 0; j < content->lines[i].unit_count; j++)
            units[count++] =
                (struct pickable){&content->lines[i], i, content->lines[i].units[j], NO_ITEM};
    if (count > 0)
        qsort(units, count, sizeof *units, compare_places);
    return units;
}

/* Returns the index of the first unit from (pool, unit) on. */
static uint32_t find(const struct candidates *candidates, uint32_t pool, int32_t unit)
{
    uint32_t low = 0, high = candidates->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct pickable *at = &candidates->units[middle];
        if (at->line->pool < pool || (at->line->pool == pool && at->unit < unit))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the current item may pick a unit: none has yet, and the rate is the one it names. */
static bool may_pick(const struct candidates *candidates, const struct pickable *unit)
{
    const char *rate = candidates->item->rate;
    if (unit->item != NO_ITEM)
        return false;
    return !rate || rates_same(unit->line->rate, rate);
}

static void fall_short(struct candidates *candidates, const char *const *taken,
                       uint32_t taken_count)
{
    struct pick *pick = candidates->pick;
    if (!pick->shortfalls) {
        pick->shortfalls =
            usher_arena_alloc(pick->arena, USHER_ITEMS_MAX * sizeof *pick->shortfalls);
    }
    assert(pick->shortfall_count < USHER_ITEMS_MAX);
    pick->shortfalls[pick->shortfall_count++] =
        (struct usher_shortfall){.item = candidates->index,
                                 .asked = candidates->item->quantity,
                                 .reason = USHER_NOT_IN_BOOKING,
                                 .free = USHER_ABSENT,
                                 .taken = taken,
                                 .taken_count = taken_count};
}

/* ---- named seats ---- */

static struct pickable *find_seat(const struct candidates *candidates, const char *name)
{
    const struct resource *resource = candidates->pick->resource;
    uint32_t pool, unit;
    if (!names_find_seat(resource, name, &pool, &unit))
        return NULL;
    uint32_t at = find(candidates, pool, (int32_t)unit);
    if (at == candidates->count)
        return NULL;
    struct pickable *found = &candidates->units[at];
    bool same = found->line->pool == pool && found->unit == (int32_t)unit;
    return same && may_pick(candidates, found) ? found : NULL;
}

static void pick_seats(struct candidates *candidates)
{
    const struct usher_item *item = candidates->item;
    struct usher_arena *arena = candidates->pick->arena;
    struct pickable **found = usher_arena_alloc(arena, item->seat_count * sizeof *found);
    const char **missing = usher_arena_alloc(arena, item->seat_count * sizeof *missing);
    uint32_t found_count = 0, missing_count = 0;
    for (uint32_t i = 0; i < item->seat_count; i++) {
        struct pickable *seat = find_seat(candidates, item->seats[i]);
        if (seat)
            found[found_count++] = seat;
        else
            missing[missing_count++] = item->seats[i];
    }
    if (missing_count > 0) {
        fall_short(candidates, missing, missing_count);
        return;
    }
    for (uint32_t i = 0; i < found_count; i++)
        found[i]->item = candidates->index;
}

/* ---- quantities ---- */

/*
 * Counts the units of a pool that the item may pick, up to its quantity, and marks them if `mark`.
 */
static uint32_t pick_of_pool(struct candidates *candidates, uint32_t pool, bool mark)
{
    uint32_t picked = 0;
    for (uint32_t i = find(candidates, pool, 0);
         picked < candidates->item->quantity && i < candidates->count &&
         candidates->units[i].line->pool == pool;
         i++) {
        if (!may_pick(candidates, &candidates->units[i]))
            continue;
        if (mark)
            candidates->units[i].item = candidates->index;
        picked++;
    }
    return picked;
}

/* Returns the pool or room type that the item names; NULL: it never existed. */
static const struct pool_name *name_of(const struct candidates *candidates)
{
    const struct usher_item *item = candidates->item;
    const struct pool_name *name = resource_name(candidates->pick->resource, item->pool);
    return name && name->kind == item->kind ? name : NULL;
}

static void pick_quantity(struct candidates *candidates)
{
    const struct pool_name *name = name_of(candidates);
    if (name && pick_of_pool(candidates, name->pool, false) == candidates->item->quantity)
        (void)pick_of_pool(candidates, name->pool, true);
    else
        fall_short(candidates, NULL, 0);
}

/* ---- nights ---- */

/*
 * Counts the rooms of a night that the item may pick, up to its quantity, and marks them if `mark`.
 */
static uint32_t pick_night(struct candidates *candidates, int32_t night, bool mark)
{
    const struct pool_name *name = name_of(candidates);
    const struct pool *pool = name ? resource_night(candidates->pick->resource, name, night) : NULL;
    return pool ? pick_of_pool(candidates, pool->row.index, mark) : 0;
}

/* Picks rooms of every night of a stay, or names the nights with too few. */
static void pick_nights(struct candidates *candidates)
{
    const struct usher_item *item = candidates->item;
    struct usher_arena *arena = candidates->pick->arena;
    const char **taken = usher_arena_alloc(arena, (size_t)(item->to - item->from) * sizeof *taken);
    uint32_t taken_count = 0;
    for (int32_t night = item->from; night < item->to; night++)
        if (pick_night(candidates, night, false) < item->quantity)
            taken[taken_count++] = answer_night(night, arena);
    if (taken_count > 0) {
        fall_short(candidates, taken, taken_count);
        return;
    }
    for (int32_t night = item->from; night < item->to; night++)
        (void)pick_night(candidates, night, true);
}

/* ---- lines again ---- */

/* Orders by item, those of none last, then as in the booking. */
static int compare_picked(const void *left, const void *right)
{
    const struct pickable *a = left, *b = right;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static void add_line(struct pick *pick, const struct pickable *first, uint32_t count)
{
    int32_t *units = usher_arena_alloc(pick->arena, count * sizeof *units);
    struct line line = *first->line;
    for (uint32_t i = 0; i < count; i++)
        units[i] = first[i].unit;
    const struct pool *pool = &pick->resource->pools[line.pool];
    if (line.seat_hash != 0 && unit_lines_current(pool, first->line))
        line.seat_hash = seats_hash(pool, units, count);
    line.units = units;
    line.unit_count = count;
    if (line.rate)
        line.rate = usher_arena_text(pick->arena, line.rate, strlen(line.rate));
    if (first->item == NO_ITEM) {
        pick->rest[pick->rest_count++] = line;
        return;
    }
    line.item = first->item;
    pick->lines[pick->line_count++] = line;
}

static void sort_lines(struct candidates *candidates)
{
    struct pick *pick = candidates->pick;
    pick->lines = usher_arena_alloc(pick->arena, candidates->count * sizeof *pick->lines);
    pick->rest = usher_arena_alloc(pick->arena, candidates->count * sizeof *pick->rest);
    if (candidates->count > 0)
        qsort(candidates->units, candidates->count, sizeof *candidates->units, compare_picked);
    for (uint32_t first = 0, end; first < candidates->count; first = end) {
        const struct pickable *unit = &candidates->units[first];
        for (end = first + 1; end < candidates->count &&
                              candidates->units[end].item == unit->item &&
                              candidates->units[end].place == unit->place;)
            end++;
        add_line(pick, unit, end - first);
    }
}

void pick_items(struct pick *pick, const struct content *content, const struct usher_item *items,
                uint32_t count)
{
    struct candidates candidates = {
        .pick = pick, .units = flatten(pick, content), .count = content->unit_count};
    for (uint32_t i = 0; i < count; i++) {
        candidates.item = &items[i];
        candidates.index = i;
        if (items[i].kind == USHER_SEATS)
            pick_seats(&candidates);
        else if (items[i].kind == USHER_ROOM)
            pick_nights(&candidates);
        else
            pick_quantity(&candidates);
    }
    sort_lines(&candidates);
}
