/*
 * Items that name their seats. PURE.
 */
#include "worker/rules/plan_seats.h"

struct seat {
    uint32_t pool, unit;
    enum usher_reason lacks; /* why it cannot be had, but for quotas; NONE */
};

/* The seats of an item as they were found. */
struct wish {
    const struct usher_item *item;
    uint32_t index;
    struct seat *seats;
};

/* Why a seat cannot be had, in the order of the reasons. */
static enum usher_reason lack_of(const struct plan *plan, const char *rate, const struct seat *seat,
                                 bool known)
{
    const struct pool *pool = &plan->resource->pools[seat->pool];
    int64_t price;
    const char *named;
    if (!known || !plan_offers(plan, seat->pool, seat->unit))
        return plan->only_own ? USHER_NOT_IN_BOOKING : USHER_UNKNOWN_SEAT;
    if (plan->state != BOOKING_BLOCKED && !pool_price(pool, rate, &price, &named))
        return USHER_UNKNOWN_RATE;
    return units_is_free(&pool->units, seat->unit) ? USHER_REASON_NONE : USHER_UNIT_TAKEN;
}

static struct wish find_seats(const struct plan *plan, const struct usher_item *item,
                              uint32_t index)
{
    struct wish wish = {item, index, NULL};
    wish.seats = usher_arena_alloc(plan->arena, item->seat_count * sizeof(*wish.seats));
    for (uint32_t i = 0; i < item->seat_count; i++) {
        struct seat *seat = &wish.seats[i];
        bool known = resource_seat(plan->resource, item->seats[i], &seat->pool, &seat->unit);
        seat->lacks = lack_of(plan, item->rate, seat, known);
    }
    return wish;
}

/* The earliest reason of all seats; NONE: they can be had, but for quotas. */
static enum usher_reason judge(const struct wish *wish)
{
    enum usher_reason reason = USHER_REASON_NONE;
    for (uint32_t i = 0; i < wish->item->seat_count; i++) {
        enum usher_reason lacks = wish->seats[i].lacks;
        if (lacks != USHER_REASON_NONE && (reason == USHER_REASON_NONE || lacks < reason))
            reason = lacks;
    }
    return reason;
}

/* Those for which the item falls short. The pools of a rate are not told by their seats. */
static void name_seats(struct plan *plan, const struct wish *wish,
                       struct usher_shortfall *shortfall)
{
    if (shortfall->reason == USHER_REASON_NONE || shortfall->reason == USHER_UNKNOWN_RATE)
        return;
    const char **taken = plan_names(plan, wish->item->seat_count);
    for (uint32_t i = 0; i < wish->item->seat_count; i++)
        if (wish->seats[i].lacks == shortfall->reason)
            taken[shortfall->taken_count++] = wish->item->seats[i];
    shortfall->taken = taken;
}

/* Free seats of one section, from the first one on, into one line, as many as its quotas allow. */
static uint32_t take_section(struct plan *plan, const struct wish *wish, uint32_t first,
                             struct usher_shortfall *shortfall)
{
    const struct pool *pool = &plan->resource->pools[wish->seats[first].pool];
    int32_t *units = plan->units + plan->unit_count;
    uint32_t wanted = 0, available = plan_available(plan, pool);
    for (uint32_t i = first; i < wish->item->seat_count; i++) {
        const struct seat *seat = &wish->seats[i];
        if (seat->lacks != USHER_REASON_NONE || seat->pool != pool->row.index)
            continue;
        if (wanted < available)
            units[wanted] = (int32_t)seat->unit;
        wanted++;
    }
    if (wanted > available && shortfall->reason == USHER_REASON_NONE)
        shortfall->reason = USHER_NOT_ENOUGH; /* a quota */
    const struct share share = {wish->index, pool, wish->item->rate,
                                wanted < available ? wanted : available};
    if (share.count > 0)
        plan_take(plan, &share);
    return share.count;
}

static bool is_first_of_section(const struct wish *wish, uint32_t at)
{
    const struct seat *seat = &wish->seats[at];
    bool first = seat->lacks == USHER_REASON_NONE;
    for (uint32_t i = 0; first && i < at; i++)
        first = wish->seats[i].lacks != USHER_REASON_NONE || wish->seats[i].pool != seat->pool;
    return first;
}

/* Sections in the order in which they first come, seats in the order named. */
static uint32_t take_seats(struct plan *plan, const struct wish *wish,
                           struct usher_shortfall *shortfall)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < wish->item->seat_count; i++)
        if (is_first_of_section(wish, i))
            given += take_section(plan, wish, i, shortfall);
    if (shortfall->reason == USHER_NOT_ENOUGH)
        shortfall->free = given;
    return given;
}

void plan_seats(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    const struct wish wish = find_seats(plan, item, index);
    struct usher_shortfall shortfall = {
        .item = index, .asked = item->seat_count, .reason = judge(&wish), .free = USHER_ABSENT};
    uint32_t before = plan->line_count;
    bool mistaken =
        shortfall.reason == USHER_UNKNOWN_SEAT || shortfall.reason == USHER_UNKNOWN_RATE;
    name_seats(plan, &wish, &shortfall);
    if (shortfall.reason == USHER_REASON_NONE || (plan->partial && !mistaken))
        shortfall.given = take_seats(plan, &wish, &shortfall);
    if (shortfall.reason == USHER_REASON_NONE)
        return;
    if (!plan->partial) {
        plan_undo_to(plan, before);
        shortfall.given = 0;
    }
    plan_fall_short(plan, &shortfall);
}
