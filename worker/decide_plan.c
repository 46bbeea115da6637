/*
 * Items into units: takes them at once, each item seeing what the earlier ones left, and gives all
 * back where one falls short. PURE.
 */
#include <assert.h>
#include <string.h>

#include "decide_parts.h"
#include "seating.h"

static const char STANDARD_RATE[] = "standard"; /* the rate that `price` is */

void plan_init(struct plan *plan, struct resource *resource, enum booking_state state,
               uint32_t unit_limit, struct usher_arena *arena)
{
    *plan = (struct plan){.resource = resource, .state = state, .arena = arena};
    plan->lines = usher_arena_alloc(arena, unit_limit * sizeof(*plan->lines));
    plan->units = usher_arena_alloc(arena, unit_limit * sizeof(*plan->units));
}

enum usher_reason plan_reason(const struct plan *plan)
{
    enum usher_reason reason = USHER_REASON_NONE;
    for (uint32_t i = 0; i < plan->shortfall_count; i++) {
        enum usher_reason other = plan->shortfalls[i].reason;
        if (reason == USHER_REASON_NONE || other < reason)
            reason = other;
    }
    return reason;
}

void plan_undo(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->line_count; i++) {
        const struct line *line = &plan->lines[i];
        resource_give(plan->resource, line->pool, line->units, line->unit_count);
    }
    plan->line_count = 0;
    plan->unit_count = 0;
}

void plan_fall_short(struct plan *plan, const struct usher_shortfall *shortfall)
{
    if (!plan->shortfalls) {
        plan->shortfalls =
            usher_arena_alloc(plan->arena, USHER_ITEMS_MAX * sizeof(*plan->shortfalls));
    }
    assert(plan->shortfall_count < USHER_ITEMS_MAX);
    plan->shortfalls[plan->shortfall_count++] = *shortfall;
}

/* Adds a line whose units stand behind those of the plan and are taken already. */
static void add_line(struct plan *plan, const struct line *wanted)
{
    struct line *line = &plan->lines[plan->line_count++];
    *line = *wanted;
    line->layout = plan->resource->pools[wanted->pool].layout;
    line->units = plan->units + plan->unit_count;
    plan->unit_count += wanted->unit_count;
}

void plan_take(struct plan *plan, const struct line *wanted)
{
    resource_take(plan->resource, wanted->pool, plan->units + plan->unit_count, wanted->unit_count,
                  plan->state);
    add_line(plan, wanted);
}

void plan_take_lowest(struct plan *plan, const struct line *wanted)
{
    const struct units *units = &plan->resource->pools[wanted->pool].units;
    int32_t *chosen = plan->units + plan->unit_count;
    uint32_t unit = 0;
    for (uint32_t i = 0; i < wanted->unit_count; i++) {
        unit = units_next_free(units, unit);
        chosen[i] = (int32_t)unit++;
    }
    plan_take(plan, wanted);
}

static bool is_known_rate(const char *rate)
{
    return !rate || strcmp(rate, STANDARD_RATE) == 0;
}

/* ---- sections and products ---- */

/* The pool on sale under a name, or NULL. */
static struct pool *pool_on_sale(const struct resource *resource, const struct usher_item *item)
{
    const struct pool_name *name = resource_name(resource, item->pool);
    if (!name || name->kind != item->kind)
        return NULL;
    struct pool *pool = &resource->pools[name->pool];
    return pool->row.capacity > 0 ? pool : NULL;
}

static struct line line_of(const struct pool *pool, uint32_t item, uint32_t unit_count)
{
    return (struct line){
        .item = item, .pool = pool->row.index, .unit_count = unit_count, .price = pool->row.price};
}

static enum usher_reason take_quantity(struct plan *plan, const struct usher_item *item,
                                       const struct pool *pool, uint32_t index)
{
    const struct line line = line_of(pool, index, item->quantity);
    const struct party party = {item->quantity, item->together, plan->state};
    if (pool->units.free < item->quantity)
        return USHER_NOT_ENOUGH;
    if (pool->row.kind != USHER_SEATS)
        plan_take_lowest(plan, &line);
    else if (seating_take(plan->resource, line.pool, &party, plan->units + plan->unit_count))
        add_line(plan, &line);
    else
        return USHER_NOT_TOGETHER;
    return USHER_REASON_NONE;
}

static void plan_quantity(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    struct usher_shortfall shortfall = {
        .item = index, .asked = item->quantity, .free = USHER_ABSENT};
    const struct pool *pool = pool_on_sale(plan->resource, item);
    if (!pool) {
        shortfall.reason = USHER_UNKNOWN_POOL;
    } else if (!is_known_rate(item->rate)) {
        shortfall.reason = USHER_UNKNOWN_RATE;
    } else {
        shortfall.free = pool->units.free;
        shortfall.reason = take_quantity(plan, item, pool, index);
    }
    if (shortfall.reason != USHER_REASON_NONE)
        plan_fall_short(plan, &shortfall);
}

/* ---- rooms ---- */

/* The pool of each night from `from` to `to`, NULL where none is on sale. */
static struct pool **nights_of(const struct plan *plan, const struct usher_item *item)
{
    uint32_t count = (uint32_t)(item->to - item->from);
    struct pool **pools = usher_arena_alloc(plan->arena, count * sizeof(struct pool *));
    const struct pool_name *name = resource_name(plan->resource, item->pool);
    for (uint32_t i = 0; name && name->kind == USHER_ROOM && i < count; i++) {
        struct pool *pool = resource_night(plan->resource, name, item->from + (int32_t)i);
        pools[i] = pool && pool->row.capacity > 0 ? pool : NULL;
    }
    return pools;
}

/* Nights with fewer than `quantity` free, NULL counting as none; and the least that is free. */
static void find_short_nights(struct plan *plan, struct pool **pools, const struct usher_item *item,
                              struct usher_shortfall *shortfall)
{
    uint32_t count = (uint32_t)(item->to - item->from);
    const char **taken = usher_arena_alloc(plan->arena, count * sizeof(*taken));
    shortfall->taken = taken;
    for (uint32_t i = 0; i < count; i++) {
        bool is_short = shortfall->reason == USHER_UNKNOWN_POOL
                            ? !pools[i]
                            : pools[i]->units.free < item->quantity;
        if (is_short)
            taken[shortfall->taken_count++] = show_night(item->from + (int32_t)i, plan->arena);
        if (shortfall->reason == USHER_NOT_ENOUGH &&
            (shortfall->free == USHER_ABSENT || pools[i]->units.free < shortfall->free))
            shortfall->free = pools[i]->units.free;
    }
}

static enum usher_reason judge_nights(struct pool **pools, const struct usher_item *item)
{
    bool all_enough = true;
    for (int32_t i = 0; i < item->to - item->from; i++) {
        if (!pools[i])
            return USHER_UNKNOWN_POOL;
        all_enough = all_enough && pools[i]->units.free >= item->quantity;
    }
    if (!is_known_rate(item->rate))
        return USHER_UNKNOWN_RATE;
    return all_enough ? USHER_REASON_NONE : USHER_NOT_ENOUGH;
}

static void plan_room(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    struct pool **pools = nights_of(plan, item);
    struct usher_shortfall shortfall = {.item = index,
                                        .asked = item->quantity,
                                        .reason = judge_nights(pools, item),
                                        .free = USHER_ABSENT};
    if (shortfall.reason == USHER_UNKNOWN_POOL || shortfall.reason == USHER_NOT_ENOUGH)
        find_short_nights(plan, pools, item, &shortfall);
    if (shortfall.reason != USHER_REASON_NONE) {
        plan_fall_short(plan, &shortfall);
        return;
    }
    for (int32_t i = 0; i < item->to - item->from; i++) {
        const struct line line = line_of(pools[i], index, item->quantity);
        plan_take_lowest(plan, &line);
    }
}

/* ---- named seats ---- */

struct seat {
    uint32_t pool, unit;
    bool known;
};

/* What is wrong with one seat, for the reason looked for. */
static bool seat_fails(const struct plan *plan, const struct seat *seat, enum usher_reason reason)
{
    if (reason == USHER_UNKNOWN_SEAT)
        return !seat->known;
    return !units_is_free(&plan->resource->pools[seat->pool].units, seat->unit);
}

/* Fills in the seats that fail for that reason. False: none do. */
static bool find_failing_seats(struct plan *plan, const struct usher_item *item,
                               const struct seat *seats, struct usher_shortfall *shortfall)
{
    const char **taken = NULL;
    for (uint32_t i = 0; i < item->seat_count; i++) {
        if (!seat_fails(plan, &seats[i], shortfall->reason))
            continue;
        if (!taken) {
            taken = usher_arena_alloc(plan->arena, item->seat_count * sizeof(*taken));
            shortfall->taken = taken;
        }
        taken[shortfall->taken_count++] = item->seats[i];
    }
    return taken != NULL;
}

/* Seats of one section into one line, in the order named; sections in the order they first come. */
static void take_seats(struct plan *plan, uint32_t index, const struct seat *seats, uint32_t count)
{
    uint32_t first_line = plan->line_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pool = seats[i].pool, known = first_line;
        while (known < plan->line_count && plan->lines[known].pool != pool)
            known++;
        if (known < plan->line_count)
            continue; /* taken with the first seat of its section */
        int32_t *units = plan->units + plan->unit_count;
        uint32_t unit_count = 0;
        for (uint32_t j = i; j < count; j++)
            if (seats[j].pool == pool)
                units[unit_count++] = (int32_t)seats[j].unit;
        const struct line line = line_of(&plan->resource->pools[pool], index, unit_count);
        plan_take(plan, &line);
    }
}

static void plan_seats(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    struct seat *seats = usher_arena_alloc(plan->arena, item->seat_count * sizeof(*seats));
    for (uint32_t i = 0; i < item->seat_count; i++) {
        seats[i].known =
            resource_seat(plan->resource, item->seats[i], &seats[i].pool, &seats[i].unit);
    }
    struct usher_shortfall shortfall = {.item = index,
                                        .asked = item->seat_count,
                                        .reason = USHER_UNKNOWN_SEAT,
                                        .free = USHER_ABSENT};
    bool fails = find_failing_seats(plan, item, seats, &shortfall);
    if (!fails && !is_known_rate(item->rate)) {
        shortfall.reason = USHER_UNKNOWN_RATE;
        fails = true;
    }
    if (!fails) {
        shortfall.reason = USHER_UNIT_TAKEN;
        fails = find_failing_seats(plan, item, seats, &shortfall);
    }
    if (fails)
        plan_fall_short(plan, &shortfall);
    else
        take_seats(plan, index, seats, item->seat_count);
}

void plan_item(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    switch (item->kind) {
    case USHER_SEATS:
        plan_seats(plan, item, index);
        break;
    case USHER_ROOM:
        plan_room(plan, item, index);
        break;
    case USHER_SECTION:
    case USHER_PRODUCT:
        plan_quantity(plan, item, index);
        break;
    }
}
