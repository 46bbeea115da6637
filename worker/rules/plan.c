/*
 * The plan itself: units taken at their prices, shortfalls noted, everything given back. PURE.
 */
#include "worker/rules/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/bookings.h"
#include "worker/inventory/names.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"

void plan_init(struct plan *plan, struct resource *resource, enum booking_state state,
               int64_t at_ms, uint32_t unit_limit, struct usher_arena *arena)
{
    assert(booking_state_owns_units(state));
    *plan = (struct plan){
        .resource = resource, .state = state, .at_ms = at_ms, .arena = arena, .together = -1};
    plan->units = usher_arena_alloc(arena, unit_limit * sizeof *plan->units);
}

enum usher_reason plan_reason(const struct plan *plan)
{
    enum usher_reason reason = USHER_REASON_NONE;
    for (uint32_t i = 0; i < plan->shortfall_count; i++)
        reason = plan_earlier(reason, plan->shortfalls[i].reason);
    return reason;
}

/* Counts units of a line at its rate, or no more; what is blocked has none. */
static void count_rate(const struct plan *plan, enum booking_state state, const struct line *line,
                       int64_t units)
{
    if (state != BOOKING_BLOCKED)
        rate_uses_add(plan->resource, line, units);
}

void plan_undo_to(struct plan *plan, uint32_t line_count)
{
    assert(line_count <= plan->line_count);
    while (plan->line_count > line_count) {
        const struct line *line = &plan->lines[--plan->line_count];
        resource_give(plan->resource, line->pool, line->units, line->unit_count, plan->state);
        count_rate(plan, plan->state, line, -(int64_t)line->unit_count);
        plan->number_count -= line->units ? line->unit_count : 0;
    }
}

/* Gives lines of an own booking back, or takes them again. */
static void give_lines(const struct plan *plan, const struct booking *owner,
                       const struct line *lines, uint32_t count)
{
    assert(plan->owner_count > 0);
    for (uint32_t i = 0; i < count; i++) {
        resource_give(plan->resource, lines[i].pool, lines[i].units, lines[i].unit_count,
                      owner->row.state);
        count_rate(plan, owner->row.state, &lines[i], -(int64_t)lines[i].unit_count);
    }
}

static void take_lines(const struct plan *plan, const struct booking *owner,
                       const struct line *lines, uint32_t count)
{
    assert(plan->owner_count > 0);
    for (uint32_t i = 0; i < count; i++) {
        resource_take(plan->resource, lines[i].pool, lines[i].units, lines[i].unit_count,
                      owner->row.state);
        count_rate(plan, owner->row.state, &lines[i], lines[i].unit_count);
    }
}

void plan_undo(struct plan *plan)
{
    plan_undo_to(plan, 0);
    if (plan->rest)
        give_lines(plan, plan->owners[0], plan->rest, plan->rest_count);
    for (uint32_t i = 0; i < plan->owner_count; i++) {
        const struct content *content = plan->owners[i]->content;
        take_lines(plan, plan->owners[i], content->lines, content->line_count);
    }
}

/* What people call the seats that are taken, where one has a number for them; else NULL. */
static const char *const *places_of(struct plan *plan, const struct usher_shortfall *shortfall)
{
    const char **places = plan_names(plan, shortfall->taken_count);
    bool has_numbers = false;
    for (uint32_t i = 0; i < shortfall->taken_count; i++) {
        uint32_t pool, unit;
        places[i] = shortfall->taken[i];
        if (!names_find_seat(plan->resource, places[i], &pool, &unit))
            continue;
        places[i] = names_place(&plan->resource->pools[pool], unit, plan->arena);
        has_numbers = has_numbers || plan->resource->pools[pool].has_numbers;
    }
    return has_numbers ? places : NULL;
}

void plan_fall_short(struct plan *plan, const struct usher_shortfall *shortfall)
{
    if (!plan->shortfalls) {
        plan->shortfalls =
            usher_arena_alloc(plan->arena, USHER_ITEMS_MAX * sizeof *plan->shortfalls);
    }
    assert(plan->shortfall_count < USHER_ITEMS_MAX && shortfall->reason != USHER_REASON_NONE);
    struct usher_shortfall *added = &plan->shortfalls[plan->shortfall_count++];
    *added = *shortfall;
    if (added->reason == USHER_UNIT_TAKEN)
        added->places = places_of(plan, added);
}

const char **plan_names(struct plan *plan, uint32_t count)
{
    return usher_arena_alloc(plan->arena, count * sizeof(const char *));
}

/* Counts the plan's own units of a counted pool that are free. */
static uint32_t count_own(const struct plan *plan, uint32_t pool)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->own_line_count; i++)
        if (plan->own_lines[i].line->pool == pool)
            count += plan->own_lines[i].line->unit_count - plan->own_lines[i].taken;
    return count;
}

static struct terms_change change_of(const struct plan *plan)
{
    return (struct terms_change){plan->owners, plan->owner_count, plan->lines, plan->line_count};
}

static uint32_t own_of(const struct plan *plan, const struct pool *pool)
{
    return kind_is_counted(pool->row.kind) ? count_own(plan, pool->row.index)
                                           : plan_own_units(plan, pool, NULL, plan->own_count);
}

/* Returns how many more may be taken though they are not free, as far as one can count them. */
static uint32_t beyond_of(const struct pool *pool)
{
    uint32_t taken = unit_counts_sum(pool->taken);
    return pool->row.capacity > 0 && taken < USHER_CAPACITY_MAX ? USHER_CAPACITY_MAX - taken : 0;
}

/*
 * Quotas limit what is sold: the house may block beyond them. Where more are taken than there are,
 * what comes back is not free, but a booking may keep its own.
 */
uint32_t plan_available(const struct plan *plan, const struct pool *pool)
{
    uint32_t own = plan->owner_count > 0 ? own_of(plan, pool) : 0;
    if (plan->from_block_only)
        return terms_left(plan->resource, pool, own, NULL);
    if (plan->beyond && pool->row.kind != USHER_SEATS)
        return beyond_of(pool);
    uint32_t free = pool_free(pool) > own ? pool_free(pool) : own;
    if (plan->state == BOOKING_BLOCKED)
        return free;
    const struct terms_change change = change_of(plan);
    return terms_left(plan->resource, pool, free, plan->owner_count > 0 ? &change : NULL);
}

/* ---- taking ---- */

/* Returns room for a line; the array doubles. */
static struct line *add_line(struct plan *plan)
{
    if (plan->line_count == plan->line_limit) {
        plan->line_limit = 2 * plan->line_limit + 4;
        struct line *lines = usher_arena_alloc(plan->arena, plan->line_limit * sizeof *plan->lines);
        if (plan->lines)
            memcpy(lines, plan->lines, plan->line_count * sizeof *lines);
        plan->lines = lines;
    }
    return &plan->lines[plan->line_count++];
}

void plan_take_line(struct plan *plan, const struct line *wanted)
{
    const struct pool *pool = &plan->resource->pools[wanted->pool];
    assert(wanted->unit_count > 0);
    struct line *line = add_line(plan);
    *line = *wanted;
    line->units = NULL;
    line->seat_hash = 0;
    if (!kind_is_counted(pool->row.kind)) {
        line->units = plan->units + plan->number_count;
        plan->number_count += line->unit_count;
    }
    if (pool->seat_row_count > 0)
        line->seat_hash = seats_hash(pool, line->units, line->unit_count);
    resource_take(plan->resource, line->pool, line->units, line->unit_count, plan->state);
    count_rate(plan, plan->state, line, line->unit_count);
}

/* ---- own units: those of the booking and its hold, or of the block ---- */

static int compare_reusable(const void *left, const void *right)
{
    const struct reusable_unit *a = left, *b = right;
    return a->pool != b->pool ? (a->pool > b->pool) - (a->pool < b->pool)
                              : (a->unit > b->unit) - (a->unit < b->unit);
}

/* Makes room for what another booking has. */
static void own_more(struct plan *plan, const struct content *content)
{
    struct reusable_unit *own =
        usher_arena_alloc(plan->arena, (plan->own_count + content->number_count) * sizeof *own);
    struct reusable_line *lines = usher_arena_alloc(
        plan->arena, (plan->own_line_count + content->line_count) * sizeof *lines);
    if (plan->own_count > 0)
        memcpy(own, plan->own, plan->own_count * sizeof *own);
    if (plan->own_line_count > 0)
        memcpy(lines, plan->own_lines, plan->own_line_count * sizeof *lines);
    plan->own = own;
    plan->own_lines = lines;
}

void plan_own(struct plan *plan, const struct booking *booking)
{
    const struct content *content = booking->content;
    assert(plan->owner_count < 2 && plan->line_count == 0);
    assert(booking_state_owns_units(booking->row.state));
    plan->owners[plan->owner_count++] = booking;
    give_lines(plan, booking, content->lines, content->line_count);
    own_more(plan, content);
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        if (kind_is_counted(plan->resource->pools[line->pool].row.kind)) {
            plan->own_lines[plan->own_line_count++] = (struct reusable_line){line, 0};
            continue;
        }
        for (uint32_t j = 0; j < line->unit_count; j++) {
            plan->own[plan->own_count++] =
                (struct reusable_unit){line->pool, line->units[j], line->price, line->rate};
        }
    }
    if (plan->own_count > 0)
        qsort(plan->own, plan->own_count, sizeof *plan->own, compare_reusable);
}

void plan_from(struct plan *plan, const struct booking *block)
{
    assert(block->row.state == BOOKING_BLOCKED);
    plan_own(plan, block);
    plan->from_block_only = true;
}

/* Returns the index of the first own unit from (pool, unit) on. */
static uint32_t find_own(const struct plan *plan, uint32_t pool, int32_t unit)
{
    const struct reusable_unit wanted = {.pool = pool, .unit = unit};
    uint32_t low = 0, high = plan->own_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_reusable(&plan->own[middle], &wanted) < 0)
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
         count < limit && i < plan->own_count && plan->own[i].pool == pool->row.index; i++) {
        if (units_state(&pool->units, (uint32_t)plan->own[i].unit) != BOOKING_NONE)
            continue;
        if (units)
            units[count] = plan->own[i].unit;
        count++;
    }
    return count;
}

/* Returns the own unit of that number, or NULL. */
static const struct reusable_unit *own_unit(const struct plan *plan, uint32_t pool, int32_t unit)
{
    uint32_t at = find_own(plan, pool, unit);
    bool found = at < plan->own_count && plan->own[at].pool == pool && plan->own[at].unit == unit;
    return found ? &plan->own[at] : NULL;
}

bool plan_offers(const struct plan *plan, uint32_t pool, uint32_t unit)
{
    return !plan->from_block_only || own_unit(plan, pool, (int32_t)unit);
}

/* ---- the rest of them ---- */

/* Returns how many units of a line of a counted pool were not taken. */
static uint32_t rest_of(const struct plan *plan, const struct line *line)
{
    uint32_t at = 0;
    while (plan->own_lines[at].line != line)
        at++;
    assert(at < plan->own_line_count && plan->own_lines[at].taken <= line->unit_count);
    return line->unit_count - plan->own_lines[at].taken;
}

/* Returns a line without what was taken. */
static struct line line_without(const struct plan *plan, const struct line *from,
                                const struct unit_set *taken)
{
    struct line line = *from;
    if (line.rate)
        line.rate = usher_arena_text(plan->arena, line.rate, strlen(line.rate));
    if (kind_is_counted(plan->resource->pools[line.pool].row.kind)) {
        line.units = NULL;
        line.unit_count = rest_of(plan, from);
        return line;
    }
    int32_t *units = usher_arena_alloc(plan->arena, line.unit_count * sizeof *units);
    line.unit_count = 0;
    for (uint32_t i = 0; i < from->unit_count; i++)
        if (!unit_set_has(taken, line.pool, from->units[i]))
            units[line.unit_count++] = from->units[i];
    line.units = units;
    if (line.seat_hash != 0 && line.unit_count > 0)
        line.seat_hash = seats_hash(&plan->resource->pools[line.pool], units, line.unit_count);
    return line;
}

const struct line *plan_rest(struct plan *plan, const struct booking *owner, uint32_t *count)
{
    assert(plan->owner_count > 0 && !plan->rest);
    const struct content *content = owner->content;
    const struct unit_set taken = unit_set_of(plan->lines, plan->line_count, plan->arena);
    struct line *lines = usher_arena_alloc(plan->arena, content->line_count * sizeof *lines);
    *count = 0;
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line line = line_without(plan, &content->lines[i], &taken);
        if (line.unit_count > 0)
            lines[(*count)++] = line;
    }
    if (plan->from_block_only) {
        take_lines(plan, owner, lines, *count);
        plan->rest = lines;
        plan->rest_count = *count;
    }
    return lines;
}

/* ---- prices ---- */

/* Whether a unit that the booking has by a rate stays as it is: where no other rate is asked for.
 */
static bool keeps_rate(const char *rate, const struct unit_request *want, const struct line *today)
{
    return !want->rate || rates_same(rate, today->rate);
}

/* Sets the price of what the booking had, and the rate if that is another one. */
static void set_kept(const struct plan *plan, struct line *line, int64_t price, const char *rate)
{
    line->price = price;
    if (!rates_same(rate, line->rate))
        line->rate = rate ? usher_arena_text(plan->arena, rate, strlen(rate)) : NULL;
}

/* Returns the line into which a unit goes: as the booking had it, if it did, else as of today. */
static struct line line_of(const struct plan *plan, const struct unit_request *want,
                           const struct line *today, int32_t unit)
{
    struct line line = *today;
    const struct reusable_unit *own =
        plan->from_block_only ? NULL : own_unit(plan, today->pool, unit);
    if (own && keeps_rate(own->rate, want, today))
        set_kept(plan, &line, own->price, own->rate);
    return line;
}

static bool same_price(const struct line *one, const struct line *other)
{
    return one->price == other->price && rates_same(one->rate, other->rate);
}

/* Moves the units of the first one's price to the front, in their order; returns how many. */
static uint32_t gather_price(const struct plan *plan, const struct unit_request *want,
                             const struct line *today, int32_t *units, uint32_t count)
{
    assert(count > 0);
    if (!plan->own || plan->from_block_only)
        return count;
    int32_t *others = usher_arena_alloc(plan->arena, count * sizeof *others);
    const struct line first = line_of(plan, want, today, units[0]);
    uint32_t gathered = 0, other_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct line line = line_of(plan, want, today, units[i]);
        if (same_price(&line, &first))
            units[gathered++] = units[i];
        else
            others[other_count++] = units[i];
    }
    memcpy(units + gathered, others, other_count * sizeof *units);
    return gathered;
}

bool plan_knows_rate(const struct plan *plan, const struct pool *pool, const char *rate)
{
    int64_t price;
    const char *named;
    return plan->state == BOOKING_BLOCKED || rates_price(pool, rate, &price, &named);
}

/* ---- rates that end ---- */

static bool is_limited(const struct plan *plan)
{
    return plan->resource->terms.rate_count > 0 && plan->state != BOOKING_BLOCKED;
}

struct rate_room plan_rate_room(const struct plan *plan, const struct pool *pool, const char *rate,
                                uint32_t count)
{
    struct rate_room room = {rate, INT64_MAX};
    if (!is_limited(plan))
        return room;
    const struct resource *resource = plan->resource;
    const struct terms_change change = change_of(plan);
    const bool exchanges = plan->owner_count > 0 && !plan->from_block_only;
    const struct usher_rate *offered;
    uint32_t offered_count = rates_offered(pool, rate, &offered);
    for (uint32_t i = 0; i < offered_count; i++) {
        const char *name = offered ? offered[i].rate : STANDARD_RATE;
        bool ended = plan->at_ms >= terms_end_of_rate(resource, pool, name);
        int64_t left =
            ended ? 0 : terms_left_at_rate(resource, pool, name, exchanges ? &change : NULL);
        left = left > 0 ? left : 0;
        if (i == 0 || left > room.left)
            room = (struct rate_room){name, left};
        if (left >= count)
            return (struct rate_room){name, left};
    }
    return room;
}

bool plan_rates_are_over(const struct plan *plan, const struct pool *pool, const char *rate)
{
    return is_limited(plan) && plan->at_ms >= terms_end_of_rates(plan->resource, pool, rate);
}

/* Counts own units of a counted pool that stay at their rates if so many are taken. */
static uint32_t count_kept(const struct plan *plan, const struct unit_request *want,
                           const struct line *today)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->own_line_count; i++) {
        const struct reusable_line *own = &plan->own_lines[i];
        if (own->line->pool == today->pool && keeps_rate(own->line->rate, want, today))
            kept += own->line->unit_count - own->taken;
    }
    return kept;
}

/* Whether these units of a numbered pool are own ones that stay at their rates. */
static bool keeps_units(const struct plan *plan, const struct unit_request *want,
                        const struct line *today, const int32_t *units, uint32_t count)
{
    bool keeps = true;
    for (uint32_t i = 0; keeps && i < count; i++) {
        const struct reusable_unit *own = own_unit(plan, today->pool, units[i]);
        keeps = own && keeps_rate(own->rate, want, today);
    }
    return keeps;
}

/* Whether all units of a share are own ones that stay at their rates. */
static bool keeps_all(const struct plan *plan, const struct unit_request *want,
                      const int32_t *units)
{
    if (plan->owner_count == 0 || plan->from_block_only)
        return false;
    const struct line today = {.pool = want->pool->row.index, .rate = want->rate};
    if (kind_is_counted(want->pool->row.kind))
        return count_kept(plan, want, &today) >= want->count;
    if (units)
        return keeps_units(plan, want, &today, units, want->count);
    int32_t *own = usher_arena_alloc(plan->arena, want->count * sizeof *own);
    return plan_own_units(plan, want->pool, own, want->count) == want->count &&
           keeps_units(plan, want, &today, own, want->count);
}

uint32_t plan_rate_allows(const struct plan *plan, const struct unit_request *want,
                          const int32_t *units)
{
    const struct rate_room room = plan_rate_room(plan, want->pool, want->rate, want->count);
    if (room.left >= want->count || keeps_all(plan, want, units))
        return want->count;
    return (uint32_t)room.left;
}

/* Counts units of a pool at a rate. */
static int64_t units_at(const struct line *lines, uint32_t count, const struct line *at)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].pool == at->pool && rates_same(lines[i].rate, at->rate))
            units += lines[i].unit_count;
    return units;
}

/* Whether there are more of a pool at the rate of a line than what was given back had. */
static bool has_more_at(const struct plan *plan, const struct line *line)
{
    int64_t more = units_at(plan->lines, plan->line_count, line);
    for (uint32_t i = 0; i < plan->owner_count; i++)
        more -=
            units_at(plan->owners[i]->content->lines, plan->owners[i]->content->line_count, line);
    return more > 0;
}

const struct line *plan_exceeds_rate(const struct plan *plan)
{
    const struct terms_change change = change_of(plan);
    for (uint32_t i = plan->line_count; is_limited(plan) && i-- > 0;) {
        const struct line *line = &plan->lines[i];
        const struct pool *pool = &plan->resource->pools[line->pool];
        bool ended = plan->at_ms >= terms_end_of_rate(plan->resource, pool, line->rate);
        if (terms_left_at_rate(plan->resource, pool, line->rate, &change) < 0 ||
            (ended && has_more_at(plan, line)))
            return line;
    }
    return NULL;
}

/* Returns the line of a share at today's price. */
static struct line line_today(const struct plan *plan, const struct unit_request *want)
{
    struct line line = {
        .item = want->item, .pool = want->pool->row.index, .unit_count = want->count};
    if (plan->state == BOOKING_BLOCKED)
        return line; /* the house pays nothing */
    const struct rate_room room = plan_rate_room(plan, want->pool, want->rate, want->count);
    bool known = rates_price(want->pool, room.rate, &line.price, &line.rate);
    assert(known);
    return line;
}

void plan_overbook(const struct plan *plan, const struct pool *pool, uint32_t count)
{
    if (plan->beyond && pool->row.kind != USHER_SEATS)
        resource_overbook(plan->resource, pool->row.index, count);
}

void plan_take(struct plan *plan, const struct unit_request *want)
{
    assert(!kind_is_counted(want->pool->row.kind));
    const struct line today = line_today(plan, want);
    for (uint32_t rest = want->count; rest > 0;) {
        int32_t *units = plan->units + plan->number_count;
        struct line line = line_of(plan, want, &today, units[0]);
        line.unit_count = gather_price(plan, want, &today, units, rest);
        rest -= line.unit_count;
        plan_take_line(plan, &line);
    }
}

void plan_take_lowest(struct plan *plan, const struct unit_request *want)
{
    assert(want->pool->row.kind == USHER_ROOM && plan_available(plan, want->pool) >= want->count);
    plan_overbook(plan, want->pool, want->count);
    const struct units *units = &want->pool->units;
    int32_t *chosen = plan->units + plan->number_count;
    uint32_t count = plan_own_units(plan, want->pool, chosen, want->count);
    for (uint32_t own = count, at = 0, unit = 0; count < want->count; unit++) {
        unit = units_next_open(units, unit);
        while (at < own && (uint32_t)chosen[at] < unit)
            at++;
        if (at == own || (uint32_t)chosen[at] != unit)
            chosen[count++] = (int32_t)unit;
    }
    plan_take(plan, want);
}

/* Takes units of a counted pool: with the line before, if that is of the same item, price and rate.
 */
static void take_priced(struct plan *plan, const struct line *line)
{
    assert(kind_is_counted(plan->resource->pools[line->pool].row.kind));
    struct line *last = plan->line_count > plan->apart ? &plan->lines[plan->line_count - 1] : NULL;
    if (line->unit_count == 0)
        return;
    if (last && last->item == line->item && last->pool == line->pool && same_price(last, line)) {
        resource_take(plan->resource, line->pool, NULL, line->unit_count, plan->state);
        count_rate(plan, plan->state, line, line->unit_count);
        last->unit_count += line->unit_count;
        return;
    }
    plan_take_line(plan, line);
}

/*
 * Takes own units of a counted pool, those of the share's rate or the others, up to `limit`;
 * returns how many.
 */
static uint32_t take_own(struct plan *plan, const struct unit_request *want,
                         const struct line *today, bool same_rate, uint32_t limit)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < plan->own_line_count && taken < limit; i++) {
        struct reusable_line *own = &plan->own_lines[i];
        uint32_t there = own->line->unit_count - own->taken;
        if (own->line->pool != today->pool || rates_same(own->line->rate, today->rate) != same_rate)
            continue;
        struct line line = *today;
        if (!plan->from_block_only && keeps_rate(own->line->rate, want, today))
            set_kept(plan, &line, own->line->price, own->line->rate);
        line.unit_count = there < limit - taken ? there : limit - taken;
        own->taken += line.unit_count;
        taken += line.unit_count;
        take_priced(plan, &line);
    }
    assert(taken <= limit);
    return taken;
}

void plan_take_counted(struct plan *plan, const struct unit_request *want)
{
    assert(kind_is_counted(want->pool->row.kind));
    plan_overbook(plan, want->pool, want->count);
    struct line today = line_today(plan, want);
    uint32_t taken = take_own(plan, want, &today, true, want->count);
    taken += take_own(plan, want, &today, false, want->count - taken);
    today.unit_count = want->count - taken;
    take_priced(plan, &today);
}

const char *plan_short_rate(struct plan *plan, const struct pool *pool, const char *rate,
                            uint32_t count)
{
    plan->can_never_fit |= !plan->partial && plan_rates_are_over(plan, pool, rate);
    return plan_rate_room(plan, pool, rate, count).rate;
}
