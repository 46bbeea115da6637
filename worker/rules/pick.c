/*
 * Marks each unit of a booking with the item that picks it, then sorts the units into lines again.
 * Units of counted pools are marked by the quantity. PURE.
 */
#include "worker/rules/pick.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/names.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/unit_lines.h"

#define NO_ITEM UINT32_MAX

/* One numbered unit of the booking, or units of a counted pool. */
struct pickable {
    const struct line *line;
    uint32_t place; /* of its line in the booking */
    int32_t unit;   /* -1: counted */
    uint32_t count;
    uint32_t item; /* by which it is picked, or NO_ITEM */
};

struct candidates {
    struct pick *pick;
    struct pickable *units; /* by pool and unit; of a counted pool in the booking's order */
    uint32_t count;
    const struct usher_item *item; /* the current one */
    uint32_t index;
};

static int compare_places(const void *left, const void *right)
{
    const struct pickable *a = left, *b = right;
    if (a->line->pool != b->line->pool)
        return a->line->pool < b->line->pool ? -1 : 1;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static bool is_counted(const struct candidates *candidates, const struct line *line)
{
    return line_is_counted(line, candidates->pick->resource->pools[line->pool].row.kind);
}

/* Each item may split what it picks last of a counted pool in two. */
static void flatten(struct candidates *candidates, const struct content *content,
                    uint32_t item_count)
{
    struct pick *pick = candidates->pick;
    size_t limit = (size_t)content->number_count + content->line_count + item_count;
    candidates->units = usher_arena_alloc(pick->arena, limit * sizeof *candidates->units);
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        bool counted = is_counted(candidates, line);
        uint32_t count = counted ? line->unit_count : 1;
        for (uint32_t j = 0; j < line->unit_count; j += count)
            candidates->units[candidates->count++] =
                (struct pickable){line, i, counted ? -1 : line->units[j], count, NO_ITEM};
    }
    if (candidates->count > 0)
        qsort(candidates->units, candidates->count, sizeof *candidates->units, compare_places);
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
    bool same = found->line->pool == pool && found->unit == (int32_t)unit &&
                !is_counted(candidates, found->line);
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

/* Leaves the first `count` units at `at`, which is counted; the others come right behind it. */
static void split(struct candidates *candidates, uint32_t at, uint32_t count)
{
    struct pickable *units = &candidates->units[at];
    if (units->count == count)
        return;
    memmove(units + 1, units, (candidates->count - at) * sizeof *units);
    candidates->count++;
    units[0].count = count;
    units[1].count -= count;
}

/*
 * Counts the units of a pool that the item may pick, up to its quantity, and marks them if `mark`.
 */
static uint32_t pick_of_pool(struct candidates *candidates, uint32_t pool, bool mark)
{
    uint32_t picked = 0, quantity = candidates->item->quantity;
    for (uint32_t i = find(candidates, pool, -1);
         picked < quantity && i < candidates->count && candidates->units[i].line->pool == pool;
         i++) {
        struct pickable *units = &candidates->units[i];
        if (!may_pick(candidates, units))
            continue;
        uint32_t count = units->count < quantity - picked ? units->count : quantity - picked;
        picked += count;
        if (mark) {
            split(candidates, i, count);
            units->item = candidates->index;
        }
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

/* Adds the pieces of one line that one item picked, or none. */
static void add_line(struct pick *pick, const struct pickable *first, uint32_t pieces)
{
    struct line line = *first->line;
    const struct pool *pool = &pick->resource->pools[line.pool];
    line.units = NULL;
    line.unit_count = 0;
    for (uint32_t i = 0; i < pieces; i++)
        line.unit_count += first[i].count;
    if (!line_is_counted(first->line, pool->row.kind)) {
        int32_t *units = usher_arena_alloc(pick->arena, pieces * sizeof *units);
        for (uint32_t i = 0; i < pieces; i++)
            units[i] = first[i].unit;
        if (line.seat_hash != 0 && unit_lines_current(pool, first->line))
            line.seat_hash = seats_hash(pool, units, pieces);
        line.units = units;
    }
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
    struct candidates candidates = {.pick = pick};
    flatten(&candidates, content, count);
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
