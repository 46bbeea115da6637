/*
 * The plan itself: units taken at their prices, shortfalls noted, all given back where it is not to
 * be. PURE.
 */
#include "decide_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inventory_seats.h"

void plan_init(struct plan *plan, struct resource *resource, enum booking_state state,
               uint32_t unit_limit, struct usher_arena *arena)
{
    *plan = (struct plan){.resource = resource, .state = state, .arena = arena, .together = -1};
    plan->lines = usher_arena_alloc(arena, unit_limit * sizeof(*plan->lines));
    plan->units = usher_arena_alloc(arena, unit_limit * sizeof(*plan->units));
}

void plan_items(struct plan *plan, const struct usher_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        switch (items[i].kind) {
        case USHER_SEATS:
            plan_seats(plan, &items[i], i);
            break;
        case USHER_ROOM:
            plan_nights(plan, &items[i], i);
            break;
        case USHER_SECTION:
        case USHER_PRODUCT:
            plan_quantity(plan, &items[i], i);
            break;
        }
    }
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

const char **plan_names(struct plan *plan, uint32_t count)
{
    return usher_arena_alloc(plan->arena, count * sizeof(const char *));
}

/* Quotas are about what is given to people: the house may block beyond them. */
uint32_t plan_available(const struct plan *plan, const struct pool *pool)
{
    return plan->state == BOOKING_BLOCKED ? pool->units.free : pool_available(plan->resource, pool);
}

/* ---- taking ---- */

/* Adds a line of units that stand behind those of the plan and are taken already. */
static void add_line(struct plan *plan, const struct line *wanted)
{
    struct line *line = &plan->lines[plan->line_count++];
    *line = *wanted;
    const struct pool *pool = &plan->resource->pools[wanted->pool];
    line->units = plan->units + plan->unit_count;
    line->seat_hash =
        pool->seat_row_count > 0 ? seats_hash(pool, line->units, line->unit_count) : 0;
    plan->unit_count += wanted->unit_count;
}

void plan_take_line(struct plan *plan, const struct line *line)
{
    resource_take(plan->resource, line->pool, plan->units + plan->unit_count, line->unit_count,
                  plan->state);
    add_line(plan, line);
}

/* ---- what a booking had before ---- */

static int compare_owned(const void *left, const void *right)
{
    const struct owned *a = left, *b = right;
    return a->pool != b->pool ? (a->pool > b->pool) - (a->pool < b->pool)
                              : (a->unit > b->unit) - (a->unit < b->unit);
}

void plan_own(struct plan *plan, const struct content *content)
{
    plan->own = usher_arena_alloc(plan->arena, content->unit_count * sizeof(*plan->own));
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        for (uint32_t j = 0; j < line->unit_count; j++) {
            plan->own[plan->own_count++] =
                (struct owned){line->pool, line->units[j], line->price, line->rate};
        }
    }
    qsort(plan->own, plan->own_count, sizeof(*plan->own), compare_owned);
}

/* The first of its own units from (pool, unit) on: an index. */
static uint32_t find_own(const struct plan *plan, uint32_t pool, int32_t unit)
{
    const struct owned wanted = {.pool = pool, .unit = unit};
    uint32_t low = 0, high = plan->own_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_owned(&plan->own[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t plan_own_units(const struct plan *plan, const struct pool *pool, int32_t *units,
                        uint32_t limit)
{
    uint32_t count = 0;
    for (uint32_t i = find_own(plan, pool->row.index, 0);
         count < limit && i < plan->own_count && plan->own[i].pool == pool->row.index; i++)
        if (units_state(&pool->units, (uint32_t)plan->own[i].unit) == BOOKING_NONE)
            units[count++] = plan->own[i].unit;
    return count;
}

/* ---- prices ---- */

/* A unit of a pool without named rates was sold by the rate `standard`. */
static bool same_rate(const char *a, const char *b)
{
    return strcmp(a ? a : "standard", b ? b : "standard") == 0;
}

/* What the unit cost so far, if the booking had it by this rate; else what it costs today. */
static int64_t price_of(const struct plan *plan, const struct line *today, int32_t unit)
{
    uint32_t at = find_own(plan, today->pool, unit);
    if (at < plan->own_count && plan->own[at].pool == today->pool && plan->own[at].unit == unit &&
        same_rate(plan->own[at].rate, today->rate))
        return plan->own[at].price;
    return today->price;
}

/* Moves units of the price of the first one to the front, in their order; returns how many. */
static uint32_t gather_price(const struct plan *plan, const struct line *today, int32_t *units,
                             uint32_t count)
{
    if (!plan->own)
        return count;
    int32_t *others = usher_arena_alloc(plan->arena, count * sizeof(*others));
    int64_t price = price_of(plan, today, units[0]);
    uint32_t gathered = 0, other_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (price_of(plan, today, units[i]) == price)
            units[gathered++] = units[i];
        else
            others[other_count++] = units[i];
    memcpy(units + gathered, others, other_count * sizeof(*units));
    return gathered;
}

static struct line line_today(const struct plan *plan, const struct share *share)
{
    struct line line = {
        .item = share->item, .pool = share->pool->row.index, .unit_count = share->count};
    if (plan->state == BOOKING_BLOCKED)
        return line; /* the house pays nothing */
    bool known = pool_price(share->pool, share->rate, &line.price, &line.rate);
    assert(known);
    return line;
}

void plan_take(struct plan *plan, const struct share *share)
{
    const struct line today = line_today(plan, share);
    for (uint32_t rest = share->count; rest > 0;) {
        int32_t *units = plan->units + plan->unit_count;
        struct line line = today;
        line.price = price_of(plan, &today, units[0]);
        line.unit_count = gather_price(plan, &today, units, rest);
        rest -= line.unit_count;
        plan_take_line(plan, &line);
    }
}

void plan_take_lowest(struct plan *plan, const struct share *share)
{
    const struct units *units = &share->pool->units;
    int32_t *chosen = plan->units + plan->unit_count;
    uint32_t count = plan_own_units(plan, share->pool, chosen, share->count);
    for (uint32_t own = count, at = 0, unit = 0; count < share->count; unit++) {
        unit = units_next_free(units, unit);
        while (at < own && (uint32_t)chosen[at] < unit)
            at++;
        if (at == own || (uint32_t)chosen[at] != unit)
            chosen[count++] = (int32_t)unit;
    }
    plan_take(plan, share);
}
