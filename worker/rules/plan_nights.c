/*
 * Items that are stays: rooms of a type for every night, or nothing. PURE.
 */
#include "worker/rules/plan_nights.h"

#include "worker/inventory/shared_catalogue.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/known.h"

/* A stay, with the pool of each of its nights: NULL where none is on sale. */
struct stay {
    const struct usher_item *item;
    bool known; /* the room type is on sale, on whatever night */
    const struct pool **nights;
    uint32_t count;
};

static struct stay stay_of(const struct plan *plan, const struct usher_item *item)
{
    struct stay stay = {.item = item, .count = (uint32_t)(item->to - item->from)};
    stay.nights = usher_arena_alloc(plan->arena, stay.count * sizeof(struct pool *));
    const struct pool_name *name = resource_name(plan->resource, item->pool);
    stay.known = name && name->kind == USHER_ROOM && known_is_on_sale(plan->resource, name);
    for (uint32_t i = 0; stay.known && i < stay.count; i++) {
        const struct pool *pool = resource_night(plan->resource, name, item->from + (int32_t)i);
        stay.nights[i] = pool && pool->row.capacity > 0 ? pool : NULL;
    }
    return stay;
}

static uint32_t available_on(const struct plan *plan, const struct stay *stay, uint32_t night)
{
    return stay->nights[night] ? plan_available(plan, stay->nights[night]) : 0;
}

/* Counts the rooms that are available every night. */
static uint32_t rooms_available(const struct plan *plan, const struct stay *stay)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < stay->count; i++) {
        uint32_t available = available_on(plan, stay, i);
        least = available < least ? available : least;
    }
    return least;
}

/* Returns why the stay is refused. A block has no rooms of a night that is not on sale. */
static enum usher_reason first_refusal(const struct plan *plan, const struct stay *stay)
{
    for (uint32_t i = 0; i < stay->count; i++)
        if (!stay->nights[i])
            return plan->only_own ? USHER_NOT_ENOUGH : USHER_UNKNOWN_POOL;
    for (uint32_t i = 0; i < stay->count; i++)
        if (!plan_knows_rate(plan, stay->nights[i], stay->item->rate))
            return USHER_UNKNOWN_RATE;
    bool enough = rooms_available(plan, stay) >= stay->item->quantity;
    return enough ? USHER_REASON_NONE : USHER_NOT_ENOUGH;
}

/* Names the nights that are not on sale, or have too few rooms. */
static void name_nights(struct plan *plan, const struct stay *stay,
                        struct usher_shortfall *shortfall)
{
    const char **taken = plan_names(plan, stay->count);
    for (uint32_t i = 0; i < stay->count; i++) {
        bool lacking = shortfall->reason == USHER_UNKNOWN_POOL
                           ? !stay->nights[i]
                           : available_on(plan, stay, i) < stay->item->quantity;
        if (lacking)
            taken[shortfall->taken_count++] =
                answer_night(stay->item->from + (int32_t)i, plan->arena);
    }
    shortfall->taken = taken;
}

/* Says what of the stay is unknown, or on which nights it falls short. */
static void say_why(struct plan *plan, const struct stay *stay, struct usher_shortfall *shortfall)
{
    const struct usher_item *item = stay->item;
    uint32_t night = 0;
    if (shortfall->reason == USHER_UNKNOWN_RATE) {
        while (plan_knows_rate(plan, stay->nights[night], item->rate))
            night++;
        known_set_rates(shortfall, stay->nights[night], item->rate, plan->arena);
    } else if (shortfall->reason == USHER_UNKNOWN_POOL && !stay->known) {
        known_set_pools(shortfall, plan->resource, USHER_ROOM, item->pool, plan->arena);
    } else {
        name_nights(plan, stay, shortfall);
    }
}

/* Whether some night has fewer rooms, taken or not. A block may have none of a night. */
static bool is_beyond_rooms(const struct stay *stay)
{
    for (uint32_t i = 0; i < stay->count; i++)
        if (stay->nights[i] && stay->nights[i]->row.capacity < stay->item->quantity)
            return true;
    return false;
}

static void take_nights(struct plan *plan, const struct stay *stay, uint32_t index, uint32_t rooms)
{
    for (uint32_t i = 0; rooms > 0 && i < stay->count; i++) {
        const struct share share = {index, stay->nights[i], stay->item->rate, rooms};
        plan_take_lowest(plan, &share);
    }
}

void plan_nights(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    const struct stay stay = stay_of(plan, item);
    struct usher_shortfall shortfall = {.item = index,
                                        .asked = item->quantity,
                                        .reason = first_refusal(plan, &stay),
                                        .free = USHER_ABSENT};
    if (shortfall.reason == USHER_REASON_NONE) {
        take_nights(plan, &stay, index, item->quantity);
        return;
    }
    if (shortfall.reason == USHER_NOT_ENOUGH)
        shortfall.free = rooms_available(plan, &stay);
    plan->hopeless |=
        !plan->partial && shortfall.reason == USHER_NOT_ENOUGH && is_beyond_rooms(&stay);
    say_why(plan, &stay, &shortfall);
    if (plan->partial && shortfall.reason == USHER_NOT_ENOUGH) {
        shortfall.given = (uint32_t)shortfall.free;
        take_nights(plan, &stay, index, shortfall.given);
    }
    plan_fall_short(plan, &shortfall);
}
