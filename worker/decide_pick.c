/*
 * Items out of what a booking has: each unit is marked with the item that picks it, and the marked
 * ones are sorted into lines again. PURE.
 */
#include "decide_pick.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "decide_parts.h"
#include "decide_plan.h"
#include "inventory_seats.h"
#include "seating.h"

#define NOBODY UINT32_MAX

/* One unit of the booking. */
struct pickable {
    const struct line *line;
    uint32_t place; /* of its line, to keep their order */
    int32_t unit;
    uint32_t item; /* that picks it; NOBODY */
};

struct basket {
    struct pick *pick;
    struct pickable *units; /* by pool and unit */
    uint32_t count;
    const struct usher_item *item; /* the one at hand */
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
                (struct pickable){&content->lines[i], i, content->lines[i].units[j], NOBODY};
    if (count > 0)
        qsort(units, count, sizeof(*units), compare_places);
    return units;
}

/* The first unit from (pool, unit) on: an index. */
static uint32_t find(const struct basket *basket, uint32_t pool, int32_t unit)
{
    uint32_t low = 0, high = basket->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct pickable *at = &basket->units[middle];
        if (at->line->pool < pool || (at->line->pool == pool && at->unit < unit))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the item would have that unit of whatever is free. */
static bool accepts(const struct basket *basket, const struct pickable *unit)
{
    const struct usher_item *item = basket->item;
    const struct pool *pool = &basket->pick->resource->pools[unit->line->pool];
    const struct party party = {.features = item->features,
                                .feature_count = item->feature_count,
                                .avoid = item->avoid,
                                .avoid_count = item->avoid_count};
    if (item->feature_count + item->avoid_count == 0)
        return true;
    if (pool->seat_row_count == 0)
        return item->feature_count == 0;
    return seating_accepts(pool, &party, (uint32_t)unit->unit);
}

/* Whether the item at hand may pick it: nobody has yet, and it was sold by the rate it names. */
static bool may_pick(const struct basket *basket, const struct pickable *unit)
{
    const char *rate = basket->item->rate;
    if (unit->item != NOBODY || !accepts(basket, unit))
        return false;
    if (!basket->pick->by_rate || !rate)
        return true;
    return strcmp(unit->line->rate ? unit->line->rate : "standard", rate) == 0;
}

static void fall_short(struct basket *basket, struct usher_shortfall *shortfall)
{
    struct pick *pick = basket->pick;
    if (!pick->shortfalls) {
        pick->shortfalls =
            usher_arena_alloc(pick->arena, USHER_ITEMS_MAX * sizeof(*pick->shortfalls));
    }
    assert(pick->shortfall_count < USHER_ITEMS_MAX);
    shortfall->item = basket->index;
    shortfall->asked = basket->item->quantity;
    pick->shortfalls[pick->shortfall_count++] = *shortfall;
}

/* ---- named seats ---- */

static struct pickable *find_seat(const struct basket *basket, const char *name)
{
    const struct resource *resource = basket->pick->resource;
    uint32_t pool, unit;
    if (!resource_seat(resource, name, &pool, &unit))
        return NULL;
    uint32_t at = find(basket, pool, (int32_t)unit);
    if (at == basket->count)
        return NULL;
    struct pickable *found = &basket->units[at];
    bool same = found->line->pool == pool && found->unit == (int32_t)unit;
    return same && may_pick(basket, found) ? found : NULL;
}

static void pick_seats(struct basket *basket)
{
    const struct usher_item *item = basket->item;
    const char **missing = NULL;
    uint32_t missing_count = 0;
    for (uint32_t i = 0; i < item->seat_count; i++) {
        struct pickable *seat = find_seat(basket, item->seats[i]);
        if (seat) {
            seat->item = basket->index;
            continue;
        }
        if (!missing)
            missing = usher_arena_alloc(basket->pick->arena, item->seat_count * sizeof(*missing));
        missing[missing_count++] = item->seats[i];
    }
    if (missing_count > 0) {
        struct usher_shortfall shortfall = {.given = item->seat_count - missing_count,
                                            .reason = USHER_NOT_IN_BOOKING,
                                            .free = USHER_ABSENT,
                                            .taken = missing,
                                            .taken_count = missing_count};
        fall_short(basket, &shortfall);
    }
}

/* ---- quantities ---- */

/* How many units of a pool the item may pick, at most `limit`; marks them where `mark`. */
static uint32_t pick_of_pool(struct basket *basket, uint32_t pool, uint32_t limit, bool mark)
{
    uint32_t picked = 0;
    for (uint32_t i = find(basket, pool, 0);
         picked < limit && i < basket->count && basket->units[i].line->pool == pool; i++) {
        if (!may_pick(basket, &basket->units[i]))
            continue;
        if (mark)
            basket->units[i].item = basket->index;
        picked++;
    }
    return picked;
}

/* The pool of a section or product, or NULL: no pool ever had that name. */
static const struct pool_name *name_of(const struct basket *basket, const char *text)
{
    const struct pool_name *name = resource_name(basket->pick->resource, text);
    return name && name->kind == basket->item->kind ? name : NULL;
}

/* Neighbours in one row that the item may pick, from the unit at that index on. */
static uint32_t run_length(const struct basket *basket, const struct pool *pool, uint32_t at,
                           uint32_t limit)
{
    const struct pickable *units = &basket->units[at];
    const struct seat_row *row = seats_row_of(pool, (uint32_t)units[0].unit);
    uint32_t length = 0;
    while (length < limit && at + length < basket->count &&
           units[length].line->pool == pool->row.index &&
           units[length].unit == units[0].unit + (int32_t)length &&
           seats_row_of(pool, (uint32_t)units[length].unit) == row &&
           may_pick(basket, &units[length]))
        length++;
    return length;
}

/* The longest run of a pool with seats, up to `limit`, the first of equals; marks it where `mark`.
 */
static uint32_t pick_run(struct basket *basket, const struct pool *pool, uint32_t limit, bool mark)
{
    uint32_t best = 0, first = 0;
    for (uint32_t i = find(basket, pool->row.index, 0);
         best < limit && i < basket->count && basket->units[i].line->pool == pool->row.index; i++) {
        uint32_t length = run_length(basket, pool, i, limit);
        first = length > best ? i : first;
        best = length > best ? length : best;
    }
    for (uint32_t i = 0; mark && i < best; i++)
        basket->units[first + i].item = basket->index;
    return best;
}

/* Units that the item can have of a pool: beside each other, if it says so. */
static uint32_t pick_units(struct basket *basket, const struct pool_name *name, uint32_t limit,
                           bool mark)
{
    if (!name)
        return 0;
    const struct pool *pool = &basket->pick->resource->pools[name->pool];
    return basket->item->together && pool->seat_row_count > 0
               ? pick_run(basket, pool, limit, mark)
               : pick_of_pool(basket, name->pool, limit, mark);
}

/* Of the acceptable sections the first that has enough, else the one that has most. */
static void pick_quantity(struct basket *basket)
{
    const struct usher_item *item = basket->item;
    const char *const *names = item->section_count > 0 ? item->sections : &item->pool;
    uint32_t count = item->section_count > 0 ? item->section_count : 1, most = 0;
    const struct pool_name *best = name_of(basket, names[0]);
    for (uint32_t i = 0; most < item->quantity && i < count; i++) {
        const struct pool_name *name = name_of(basket, names[i]);
        uint32_t there = pick_units(basket, name, item->quantity, false);
        best = there > most ? name : best;
        most = there > most ? there : most;
    }
    uint32_t in_all = best ? pick_of_pool(basket, best->pool, item->quantity, false) : 0;
    if (basket->pick->partial || most == item->quantity)
        (void)pick_units(basket, best, most, true);
    if (most == item->quantity)
        return;
    struct usher_shortfall shortfall = {.given = most,
                                        .reason = in_all == item->quantity ? USHER_NOT_TOGETHER
                                                                           : USHER_NOT_IN_BOOKING,
                                        .free = in_all};
    fall_short(basket, &shortfall);
}

/* Rooms of a night that the item may pick, at most `limit`; marks them where `mark`. */
static uint32_t pick_night(struct basket *basket, int32_t night, uint32_t limit, bool mark)
{
    const struct pool_name *name = name_of(basket, basket->item->pool);
    const struct pool *pool = name ? resource_night(basket->pick->resource, name, night) : NULL;
    return pool ? pick_of_pool(basket, pool->row.index, limit, mark) : 0;
}

/* The nights with fewer rooms than asked for are in the way; how many rooms are there every night.
 */
static uint32_t find_short_nights(struct basket *basket, struct usher_shortfall *shortfall)
{
    const struct usher_item *item = basket->item;
    struct usher_arena *arena = basket->pick->arena;
    const char **taken = usher_arena_alloc(arena, (size_t)(item->to - item->from) * sizeof(*taken));
    uint32_t least = item->quantity;
    for (int32_t night = item->from; night < item->to; night++) {
        uint32_t rooms = pick_night(basket, night, item->quantity, false);
        if (rooms < item->quantity)
            taken[shortfall->taken_count++] = show_night(night, arena);
        least = rooms < least ? rooms : least;
    }
    shortfall->taken = taken;
    return least;
}

/* Rooms of every night of a stay, or none. */
static void pick_nights(struct basket *basket)
{
    const struct usher_item *item = basket->item;
    struct usher_shortfall shortfall = {.reason = USHER_NOT_IN_BOOKING, .free = USHER_ABSENT};
    uint32_t rooms = find_short_nights(basket, &shortfall);
    shortfall.given = rooms;
    if (rooms < item->quantity)
        fall_short(basket, &shortfall);
    if (rooms < item->quantity && !basket->pick->partial)
        return;
    for (int32_t night = item->from; rooms > 0 && night < item->to; night++)
        (void)pick_night(basket, night, rooms, true);
}

/* ---- lines again ---- */

/* In the order of items, nobody's last; then as they stood in the booking. */
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
    int32_t *units = usher_arena_alloc(pick->arena, count * sizeof(*units));
    struct line line = *first->line;
    for (uint32_t i = 0; i < count; i++)
        units[i] = first[i].unit;
    const struct pool *pool = &pick->resource->pools[line.pool];
    if (line.seat_hash != 0 && line_is_current(pool, first->line))
        line.seat_hash = seats_hash(pool, units, count);
    line.units = units;
    line.unit_count = count;
    if (line.rate)
        line.rate = usher_arena_text(pick->arena, line.rate, strlen(line.rate));
    if (first->item == NOBODY) {
        pick->rest[pick->rest_count++] = line;
        return;
    }
    line.item = first->item;
    pick->lines[pick->line_count++] = line;
}

static void sort_lines(struct basket *basket)
{
    struct pick *pick = basket->pick;
    pick->lines = usher_arena_alloc(pick->arena, basket->count * sizeof(*pick->lines));
    pick->rest = usher_arena_alloc(pick->arena, basket->count * sizeof(*pick->rest));
    if (basket->count > 0)
        qsort(basket->units, basket->count, sizeof(*basket->units), compare_picked);
    for (uint32_t first = 0, end; first < basket->count; first = end) {
        const struct pickable *unit = &basket->units[first];
        for (end = first + 1; end < basket->count && basket->units[end].item == unit->item &&
                              basket->units[end].place == unit->place;)
            end++;
        add_line(pick, unit, end - first);
    }
}

void pick_items(struct pick *pick, const struct content *content, const struct usher_item *items,
                uint32_t count)
{
    struct basket basket = {
        .pick = pick, .units = flatten(pick, content), .count = content->unit_count};
    for (uint32_t i = 0; i < count; i++) {
        basket.item = &items[i];
        basket.index = i;
        if (items[i].kind == USHER_SEATS)
            pick_seats(&basket);
        else if (items[i].kind == USHER_ROOM)
            pick_nights(&basket);
        else
            pick_quantity(&basket);
    }
    sort_lines(&basket);
}
