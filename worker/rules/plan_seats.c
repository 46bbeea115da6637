/*
 * Items that name their seats. PURE.
 */
#include "worker/rules/plan_seats.h"

#include "worker/inventory/names.h"
#include "worker/inventory/rates.h"

struct seat {
    uint32_t pool, unit;
    enum usher_reason refusal; /* why it cannot be had, but for quotas; NONE */
};

/* The seats of an item as they were found. */
struct seat_request {
    const struct usher_item *item;
    uint32_t index;
    struct seat *seats;
};

/* Why a seat cannot be had, in the order of the reasons. */
static enum usher_reason seat_refusal(const struct plan *plan, const char *rate,
                                      const struct seat *seat, bool known)
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

static struct seat_request find_seats(const struct plan *plan, const struct usher_item *item,
                                      uint32_t index)
{
    struct seat_request asked = {item, index, NULL};
    asked.seats = usher_arena_alloc(plan->arena, item->seat_count * sizeof *asked.seats);
    for (uint32_t i = 0; i < item->seat_count; i++) {
        struct seat *seat = &asked.seats[i];
        bool known = resource_seat(plan->resource, item->seats[i], &seat->pool, &seat->unit);
        seat->refusal = seat_refusal(plan, item->rate, seat, known);
    }
    return asked;
}

/* The earliest reason of all seats; NONE: they can be had, but for quotas. */
static enum usher_reason first_refusal(const struct seat_request *asked)
{
    enum usher_reason reason = USHER_REASON_NONE;
    for (uint32_t i = 0; i < asked->item->seat_count; i++) {
        enum usher_reason refusal = asked->seats[i].refusal;
        if (refusal != USHER_REASON_NONE && (reason == USHER_REASON_NONE || refusal < reason))
            reason = refusal;
    }
    return reason;
}

/* Those for which the item falls short. The pools of a rate are not told by their seats. */
static void name_seats(struct plan *plan, const struct seat_request *asked,
                       struct usher_shortfall *shortfall)
{
    if (shortfall->reason == USHER_REASON_NONE || shortfall->reason == USHER_UNKNOWN_RATE)
        return;
    const char **taken = plan_names(plan, asked->item->seat_count);
    for (uint32_t i = 0; i < asked->item->seat_count; i++)
        if (asked->seats[i].refusal == shortfall->reason)
            taken[shortfall->taken_count++] = asked->item->seats[i];
    shortfall->taken = taken;
}

/* Free seats of one section, from the first one on, into one line, as many as its quotas allow. */
static uint32_t take_section(struct plan *plan, const struct seat_request *asked, uint32_t first,
                             struct usher_shortfall *shortfall)
{
    const struct pool *pool = &plan->resource->pools[asked->seats[first].pool];
    int32_t *units = plan->units + plan->unit_count;
    uint32_t wanted = 0, available = plan_available(plan, pool);
    for (uint32_t i = first; i < asked->item->seat_count; i++) {
        const struct seat *seat = &asked->seats[i];
        if (seat->refusal != USHER_REASON_NONE || seat->pool != pool->row.index)
            continue;
        if (wanted < available)
            units[wanted] = (int32_t)seat->unit;
        wanted++;
    }
    if (wanted > available && shortfall->reason == USHER_REASON_NONE)
        shortfall->reason = USHER_NOT_ENOUGH; /* a quota */
    const struct share share = {asked->index, pool, asked->item->rate,
                                wanted < available ? wanted : available};
    if (share.count > 0)
        plan_take(plan, &share);
    return share.count;
}

static bool is_first_of_section(const struct seat_request *asked, uint32_t at)
{
    const struct seat *seat = &asked->seats[at];
    bool first = seat->refusal == USHER_REASON_NONE;
    for (uint32_t i = 0; first && i < at; i++)
        first = asked->seats[i].refusal != USHER_REASON_NONE || asked->seats[i].pool != seat->pool;
    return first;
}

/* Sections in the order in which they first come, seats in the order named. */
static uint32_t take_seats(struct plan *plan, const struct seat_request *asked,
                           struct usher_shortfall *shortfall)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < asked->item->seat_count; i++)
        if (is_first_of_section(asked, i))
            given += take_section(plan, asked, i, shortfall);
    if (shortfall->reason == USHER_NOT_ENOUGH)
        shortfall->free = given;
    return given;
}

void plan_seats(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    const struct seat_request asked = find_seats(plan, item, index);
    struct usher_shortfall shortfall = {.item = index,
                                        .asked = item->seat_count,
                                        .reason = first_refusal(&asked),
                                        .free = USHER_ABSENT};
    uint32_t before = plan->line_count;
    bool mistaken =
        shortfall.reason == USHER_UNKNOWN_SEAT || shortfall.reason == USHER_UNKNOWN_RATE;
    name_seats(plan, &asked, &shortfall);
    if (shortfall.reason == USHER_REASON_NONE || (plan->partial && !mistaken))
        shortfall.given = take_seats(plan, &asked, &shortfall);
    if (shortfall.reason == USHER_REASON_NONE)
        return;
    if (!plan->partial) {
        plan_undo_to(plan, before);
        shortfall.given = 0;
    }
    plan_fall_short(plan, &shortfall);
}
