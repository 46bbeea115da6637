/* Plans the items of seats that are named: see plan_seats.h. PURE. */
#include "worker/rules/plan_seats.h"

#include <assert.h>

#include "worker/inventory/names.h"
#include "worker/rules/known.h"

struct seat {
    uint32_t pool, unit;
    enum usher_reason refusal; /* why it may not be taken, quotas apart; NONE */
};

/* The seats of an item as they were found. */
struct seat_request {
    const struct usher_item *item;
    uint32_t index;
    struct seat *seats;
};

/* Returns why a seat may not be taken, in the order of reasons, quotas apart. */
static enum usher_reason seat_refusal(const struct plan *plan, const char *rate,
                                      const struct seat *seat, bool known)
{
    const struct pool *pool = &plan->resource->pools[seat->pool];
    if (!known || !plan_offers(plan, seat->pool, seat->unit))
        return plan->from_block_only ? USHER_NOT_IN_BOOKING : USHER_UNKNOWN_SEAT;
    if (!plan_knows_rate(plan, pool, rate))
        return USHER_UNKNOWN_RATE;
    return units_is_free(&pool->units, seat->unit) ? USHER_REASON_NONE : USHER_UNIT_TAKEN;
}

/* Finds the seats of the item and returns the earliest reason of all. */
static enum usher_reason find_seats(const struct plan *plan, struct seat_request *request)
{
    const struct usher_item *item = request->item;
    enum usher_reason reason = USHER_REASON_NONE;
    request->seats = usher_arena_alloc(plan->arena, item->seat_count * sizeof *request->seats);
    for (uint32_t i = 0; i < item->seat_count; i++) {
        struct seat *seat = &request->seats[i];
        bool known = names_find_seat(plan->resource, item->seats[i], &seat->pool, &seat->unit);
        seat->refusal = seat_refusal(plan, item->rate, seat, known);
        reason = plan_earlier(reason, seat->refusal);
    }
    return reason;
}

/* Names the seats for which the item falls short. */
static void name_seats(struct plan *plan, const struct seat_request *request,
                       struct usher_shortfall *shortfall)
{
    const char **taken = plan_names(plan, request->item->seat_count);
    for (uint32_t i = 0; i < request->item->seat_count; i++)
        if (request->seats[i].refusal == shortfall->reason)
            taken[shortfall->taken_count++] = request->item->seats[i];
    assert(shortfall->taken_count > 0);
    shortfall->taken = taken;
}

/* Names the rate, beside those of the first seat that has it not. */
static void name_rate(struct plan *plan, const struct seat_request *request,
                      struct usher_shortfall *shortfall)
{
    uint32_t at = 0;
    while (at < request->item->seat_count && request->seats[at].refusal != USHER_UNKNOWN_RATE)
        at++;
    assert(at < request->item->seat_count);
    known_set_rates(shortfall, &plan->resource->pools[request->seats[at].pool], request->item->rate,
                    plan->arena);
}

static bool is_first_of_section(const struct seat_request *request, uint32_t at)
{
    assert(at < request->item->seat_count);
    const struct seat *seat = &request->seats[at];
    bool first = seat->refusal == USHER_REASON_NONE;
    for (uint32_t i = 0; first && i < at; i++)
        first =
            request->seats[i].refusal != USHER_REASON_NONE || request->seats[i].pool != seat->pool;
    return first;
}

/* Takes the free seats of one section from the first one on, as many as its quotas allow. */
static uint32_t take_section(struct plan *plan, const struct seat_request *request, uint32_t first,
                             struct usher_shortfall *shortfall)
{
    assert(request->seats[first].refusal == USHER_REASON_NONE);
    const struct pool *pool = &plan->resource->pools[request->seats[first].pool];
    int32_t *units = plan->units + plan->number_count;
    uint32_t wanted = 0, available = plan_available(plan, pool);
    for (uint32_t i = first; i < request->item->seat_count; i++) {
        const struct seat *seat = &request->seats[i];
        if (seat->refusal != USHER_REASON_NONE || seat->pool != pool->row.index)
            continue;
        if (wanted < available)
            units[wanted] = (int32_t)seat->unit;
        wanted++;
    }
    if (wanted > available && shortfall->reason == USHER_REASON_NONE)
        shortfall->reason = USHER_NOT_ENOUGH; /* a quota */
    struct unit_request want = {request->index, pool, request->item->rate,
                                wanted < available ? wanted : available};
    uint32_t allowed = plan_rate_allows(plan, &want, units);
    if (allowed < want.count && shortfall->reason == USHER_REASON_NONE) {
        shortfall->reason = USHER_NOT_ENOUGH;
        shortfall->rate = plan_short_rate(plan, pool, want.rate, want.count);
    }
    want.count = allowed;
    if (want.count > 0)
        plan_take(plan, &want);
    return want.count;
}

void plan_seats(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    assert(item->seat_count > 0);
    struct seat_request request = {.item = item, .index = index};
    struct usher_shortfall shortfall = {.item = index,
                                        .asked = item->seat_count,
                                        .reason = find_seats(plan, &request),
                                        .free = USHER_ABSENT};
    uint32_t before = plan->line_count;
    bool unknown_seat = shortfall.reason == USHER_UNKNOWN_SEAT;
    bool unknown_rate = shortfall.reason == USHER_UNKNOWN_RATE; /* no seat is at fault */
    if (unknown_rate)
        name_rate(plan, &request, &shortfall);
    else if (shortfall.reason != USHER_REASON_NONE)
        name_seats(plan, &request, &shortfall);
    if (shortfall.reason == USHER_REASON_NONE ||
        (plan->partial && !unknown_seat && !unknown_rate)) {
        /* Sections in the order in which they are first named. */
        for (uint32_t i = 0; i < item->seat_count; i++)
            if (is_first_of_section(&request, i))
                shortfall.given += take_section(plan, &request, i, &shortfall);
        if (shortfall.reason == USHER_NOT_ENOUGH)
            shortfall.free = shortfall.given;
    }
    if (shortfall.reason == USHER_REASON_NONE)
        return;
    if (!plan->partial) {
        plan_undo_to(plan, before);
        shortfall.given = 0;
    }
    plan_fall_short(plan, &shortfall);
}
