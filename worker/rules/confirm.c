/* confirm: of one booking, also after expiry, and of all bookings of a cart. PURE. */
#include "worker/rules/confirm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/bookings.h"
#include "worker/inventory/names.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/rules/sale.h"

/*
 * ==== The same units again ====
 *
 * What a booking had, planned again.
 */

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
    assert(count > 0);
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

/* Takes the same seats, the lowest rooms, or as many units of a counted pool. */
static void take_line(struct plan *plan, const struct line *line)
{
    int32_t *chosen = plan->units + plan->number_count;
    const struct pool *pool = &plan->resource->pools[line->pool];
    plan_overbook(plan, pool, line->unit_count);
    const struct units *units = &pool->units;
    uint32_t count = kind_is_counted(pool->row.kind) ? 0 : line->unit_count;
    for (uint32_t i = 0, unit = 0; i < count; i++) {
        unit = line->seat_hash != 0 ? (uint32_t)line->units[i] : units_next_open(units, unit);
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
    assert(count > 0);
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

/*
 * Takes again what a booking had, at its prices: the very same seats, as many of the others. Items
 * for which that is not possible become shortfalls.
 */
static void plan_again(struct plan *plan, const struct line *lines, uint32_t line_count)
{
    assert(plan->line_count == 0);
    for (uint32_t first = 0, end; first < line_count; first = end) {
        end = first + 1;
        while (end < line_count && lines[end].item == lines[first].item)
            end++;
        if (!take_item(plan, &lines[first], end - first))
            miss_item(plan, &lines[first], end - first);
    }
}

/*
 * ==== Picking items ====
 *
 * Items picked out of a booking, for a confirm or a transfer of a part. Changes nothing.
 */

struct pick {
    const struct resource *resource;
    struct usher_arena *arena;
    struct picked *picked;
    struct usher_shortfall *shortfalls; /* items that the booking lacks, or has too few of */
    uint32_t shortfall_count;
};

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

/* Each item may split what it picks last of a counted pool in two. */
static void flatten(struct candidates *candidates, const struct content *content,
                    uint32_t item_count)
{
    struct pick *pick = candidates->pick;
    size_t limit = (size_t)content->number_count + content->line_count + item_count;
    candidates->units = usher_arena_alloc(pick->arena, limit * sizeof *candidates->units);
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        bool counted = line_is_counted(line);
        uint32_t count = counted ? line->unit_count : 1;
        for (uint32_t j = 0; j < line->unit_count; j += count)
            candidates->units[candidates->count++] =
                (struct pickable){line, i, counted ? -1 : line->units[j], count, NO_ITEM};
    }
    assert(candidates->count + item_count <= limit);
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
    bool same =
        found->line->pool == pool && found->unit == (int32_t)unit && !line_is_counted(found->line);
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
    assert(count > 0 && count <= units->count);
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
    assert(candidates->item->from < candidates->item->to);
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
    assert(pieces > 0);
    struct line line = *first->line;
    const struct pool *pool = &pick->resource->pools[line.pool];
    line.units = NULL;
    line.unit_count = 0;
    for (uint32_t i = 0; i < pieces; i++)
        line.unit_count += first[i].count;
    if (!line_is_counted(first->line)) {
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
        pick->picked->rest[pick->picked->rest_count++] = line;
        return;
    }
    line.item = first->item;
    pick->picked->lines[pick->picked->line_count++] = line;
}

static void sort_lines(struct candidates *candidates)
{
    struct pick *pick = candidates->pick;
    size_t size = candidates->count * sizeof(struct line);
    pick->picked->lines = usher_arena_alloc(pick->arena, size);
    pick->picked->rest = usher_arena_alloc(pick->arena, size);
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

static uint32_t units_in(const struct line *lines, uint32_t count)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < count; i++)
        units += lines[i].unit_count;
    return units;
}

/*
 * Sorts the units of `content` into those that the items name and the rest. An item that names a
 * rate picks units of that rate only; one that falls short picks none.
 */
static void pick_items(struct pick *pick, const struct content *content,
                       const struct usher_item *items, uint32_t count)
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
    assert(units_in(pick->picked->lines, pick->picked->line_count) +
               units_in(pick->picked->rest, pick->picked->rest_count) ==
           content->unit_count);
}

bool confirm_pick(struct decision *decision, const struct booking *booking, struct picked *picked)
{
    assert(decision->request->item_count > 0);
    const struct usher_request *request = decision->request;
    *picked = (struct picked){0};
    struct pick pick = {
        .resource = decision->resource, .arena = decision_arena(decision), .picked = picked};
    pick_items(&pick, booking->content, request->items, request->item_count);
    if (pick.shortfall_count > 0)
        decision_refuse_items(decision, USHER_NOT_IN_BOOKING, pick.shortfalls,
                              pick.shortfall_count);
    return pick.shortfall_count == 0;
}

/* ==== Confirm ==== */

/* What is to be done to one booking. */
struct confirmation {
    struct booking *booking;
    const struct line *lines; /* are sold */
    uint32_t line_count;
    const struct line *rest; /* are given back */
    uint32_t rest_count;
    bool part; /* the content changes */
    struct plan plan;
};

/* ---- what is sold ---- */

/* Sells the requested items of the booking only. False: refused. */
static bool sell_part(struct decision *decision, struct confirmation *confirmation)
{
    struct picked picked;
    if (!confirm_pick(decision, confirmation->booking, &picked))
        return false;
    confirmation->lines = picked.lines;
    confirmation->line_count = picked.line_count;
    confirmation->rest = picked.rest;
    confirmation->rest_count = picked.rest_count;
    confirmation->part = true;
    return true;
}

/* Takes the units of an expired booking again. False: refused, and nothing is taken. */
static bool take_again(struct decision *decision, struct confirmation *confirmation)
{
    assert(confirmation->booking->row.state == BOOKING_EXPIRED);
    struct plan *plan = &confirmation->plan;
    if (sale_refuse_again(decision, confirmation->lines, confirmation->line_count))
        return false;
    plan_init(plan, decision->resource, BOOKING_CONFIRMED, decision->at_ms,
              confirmation->booking->content->number_count, decision_arena(decision));
    plan->beyond = decision->request->overbook;
    plan_again(plan, confirmation->lines, confirmation->line_count);
    if (plan->shortfall_count > 0) {
        plan_undo(plan);
        decision_refuse_items(decision, USHER_HOLD_EXPIRED, plan->shortfalls,
                              plan->shortfall_count);
        return false;
    }
    confirmation->lines = plan->lines;
    confirmation->line_count = plan->line_count;
    confirmation->rest_count = 0; /* expired units were given back already */
    confirmation->part = true;
    return true;
}

static void give_back(struct confirmation *confirmations, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (confirmations[i].booking->row.state == BOOKING_EXPIRED)
            plan_undo(&confirmations[i].plan);
}

/* Prepares the sale of each booking. NULL: refused, and nothing is taken. */
static struct confirmation *prepare(struct decision *decision, struct booking *const *bookings,
                                    uint32_t count)
{
    assert(count > 0);
    struct confirmation *confirmations =
        usher_arena_alloc(decision_arena(decision), count * sizeof *confirmations);
    for (uint32_t i = 0; i < count; i++) {
        struct confirmation *one = &confirmations[i];
        one->booking = bookings[i];
        one->lines = bookings[i]->content->lines;
        one->line_count = bookings[i]->content->line_count;
        bool sold = decision->request->item_count == 0 || sell_part(decision, one);
        if (sold && bookings[i]->row.state == BOOKING_EXPIRED)
            sold = take_again(decision, one);
        if (!sold) {
            give_back(confirmations, i);
            return NULL;
        }
    }
    return confirmations;
}

/* All lines that are sold, or given back, in one array. */
struct all_lines {
    struct line *sold, *rest;
    uint32_t sold_count, rest_count;
};

static struct all_lines merge_lines(const struct confirmation *confirmations, uint32_t count,
                                    struct usher_arena *arena)
{
    struct all_lines all = {0};
    for (uint32_t i = 0; i < count; i++) {
        all.sold_count += confirmations[i].line_count;
        all.rest_count += confirmations[i].rest_count;
    }
    all.sold = usher_arena_alloc(arena, all.sold_count * sizeof *all.sold);
    all.rest = usher_arena_alloc(arena, all.rest_count * sizeof *all.rest);
    all.sold_count = all.rest_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < confirmations[i].line_count; j++)
            all.sold[all.sold_count++] = confirmations[i].lines[j];
        for (uint32_t j = 0; j < confirmations[i].rest_count; j++)
            all.rest[all.rest_count++] = confirmations[i].rest[j];
    }
    return all;
}

/*
 * Refuses if the customer may not have the confirmed units of expired bookings beside its own: they
 * count again. Returns whether it was refused.
 */
static bool refuse_late(struct decision *decision, const struct confirmation *confirmations,
                        uint32_t count)
{
    assert(count > 0);
    uint32_t limit = 0, line_count = 0;
    for (uint32_t i = 0; i < count; i++)
        limit += confirmations[i].line_count;
    struct line *lines = usher_arena_alloc(decision_arena(decision), limit * sizeof *lines);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < confirmations[i].line_count; j++)
            if (confirmations[i].booking->row.state == BOOKING_EXPIRED)
                lines[line_count++] = confirmations[i].lines[j];
    const char *customer = confirmations[0].booking->row.customer;
    return line_count > 0 && (limits_refuse_lines(decision, customer, lines, line_count, false) ||
                              !decision_counts(decision, unit_lines_total(lines, line_count)));
}

/* ---- the answer ---- */

static void set_answer(struct decision *decision, const struct confirmation *confirmations,
                       uint32_t count)
{
    struct usher_answer *answer = &decision->answer;
    const struct all_lines all = merge_lines(confirmations, count, decision_arena(decision));
    struct answer_units_list units = answer_units_begin(decision, all.sold_count);
    struct answer_units_list returned = answer_units_begin(decision, all.rest_count);
    const struct booking *first = confirmations[0].booking;
    answer_set_booking(decision, first);
    if (!decision->request->booking)
        answer->booking = NULL; /* of a cart: each unit says its booking */
    answer->payment = decision->request->payment ? decision->request->payment
                                                 : decision_text(decision, first->row.payment);
    answer->total = unit_lines_total(all.sold, all.sold_count);
    answer->overbooked =
        answer_overbooked(decision->resource, all.sold, all.sold_count, all.rest, all.rest_count);
    for (uint32_t i = 0; i < count; i++) {
        const struct confirmation *one = &confirmations[i];
        answer_units_add(decision, one->booking, one->lines, one->line_count, &units);
        answer_units_add(decision, one->booking, one->rest, one->rest_count, &returned);
    }
    assert(units.count == all.sold_count && returned.count == all.rest_count);
    answer->units = units.at;
    answer->units_count = units.count;
    answer->returned = returned.at;
    answer->returned_count = returned.count;
}

/* ---- done ---- */

static void apply(struct decision *decision, const struct confirmation *confirmation)
{
    struct booking *booking = confirmation->booking;
    assert(booking->row.state == BOOKING_HELD || booking->row.state == BOOKING_EXPIRED);
    struct booking_change change = booking_change_of(booking, BOOKING_CONFIRMED);
    change.planned = booking->row.state == BOOKING_EXPIRED;
    if (confirmation->part) {
        change.content = content_create(confirmation->lines, confirmation->line_count);
        change.row.total = unit_lines_total(confirmation->lines, confirmation->line_count);
    }
    if (decision->request->payment)
        change.row.payment = decision->request->payment;
    change.row.expires_ms = USHER_ABSENT;
    change.row.sold_ms = decision->batch->now_ms;
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
}

void confirm_decide_all(struct decision *decision, struct booking *const *bookings, uint32_t count)
{
    assert(count > 0);
    struct confirmation *confirmations = prepare(decision, bookings, count);
    if (!confirmations)
        return;
    if (refuse_late(decision, confirmations, count)) {
        give_back(confirmations, count);
        return;
    }
    set_answer(decision, confirmations, count);
    decision_succeed_asked(decision);
    /*
     * The answer about one whole hold fitted when it was held, and now has only a payment more. But
     * a part may split each line in two, units taken again may have longer numbers, and several
     * bookings add up.
     */
    bool may_be_too_large = count > 1 || confirmations[0].part;
    if (may_be_too_large && !decision_fits(decision)) {
        give_back(confirmations, count);
        return;
    }
    /* From here on nothing can fail. */
    for (uint32_t i = 0; i < count; i++)
        apply(decision, &confirmations[i]);
    decision_name_all(decision, bookings, count);
    decision->encoded = false; /* more may be free now */
}

void confirm_decide(struct decision *decision, struct booking *booking)
{
    confirm_decide_all(decision, &booking, 1);
}
