/*
 * Plans the items by their kind: seats that are named, quantities that leave the choice of units
 * to usher, rooms of a type for every night, or nothing. PURE.
 */
#include "worker/rules/plan_items.h"

#include <assert.h>
#include <string.h>

#include "worker/base/texts.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/names.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/rules/known.h"
#include "worker/rules/members.h"
#include "worker/rules/own_hold.h"
#include "worker/rules/plan_seats.h"
#include "worker/rules/seating.h"
#include "worker/rules/stay.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/*
 * ==== Stays ====
 *
 * Items that are stays: rooms for every night.
 */

/* A stay, with the pool of each of its nights: NULL where none is on sale. */
struct stay {
    const struct usher_item *item;
    const struct pool_name *name; /* NULL: there is none */
    bool known;                   /* the room type is on sale, on whatever night */
    const struct pool **nights;
    uint32_t count;
};

static struct stay stay_of(const struct plan *plan, const struct usher_item *item)
{
    assert(item->kind == USHER_ROOM && item->from < item->to);
    struct stay stay = {.item = item, .count = (uint32_t)(item->to - item->from)};
    stay.nights = usher_arena_alloc(plan->arena, stay.count * sizeof(struct pool *));
    const struct pool_name *name = stay.name = resource_name(plan->resource, item->pool);
    stay.known = name && name->kind == USHER_ROOM && known_is_on_sale(plan->resource, name);
    for (uint32_t i = 0; stay.known && i < stay.count; i++) {
        const struct pool *pool = resource_night(plan->resource, name, item->from + (int32_t)i);
        stay.nights[i] = pool && pool->row.capacity > 0 ? pool : NULL;
    }
    return stay;
}

/* Returns how many rooms of a night its rates allow, of as many as the stay asks for. */
static uint32_t allowed_on(const struct plan *plan, const struct stay *stay, uint32_t night)
{
    const struct unit_request want = {0, stay->nights[night], stay->item->rate,
                                      stay->item->quantity};
    return plan_rate_allows(plan, &want, NULL);
}

static uint32_t available_on(const struct plan *plan, const struct stay *stay, uint32_t night)
{
    assert(night < stay->count);
    if (!stay->nights[night])
        return 0;
    return smaller(plan_available(plan, stay->nights[night]), allowed_on(plan, stay, night));
}

/* Counts the rooms that are available every night. */
static uint32_t rooms_available(const struct plan *plan, const struct stay *stay)
{
    assert(stay->count > 0);
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < stay->count; i++) {
        uint32_t available = available_on(plan, stay, i);
        least = available < least ? available : least;
    }
    return least;
}

/*
 * Returns why the stay is refused, by `restricted` if a stay restriction forbids it. A block has no
 * rooms of a night that is not on sale.
 */
static enum usher_reason first_refusal(const struct plan *plan, const struct stay *stay,
                                       struct usher_restricted *restricted)
{
    for (uint32_t i = 0; i < stay->count; i++)
        if (!stay->nights[i])
            return plan->from_block_only ? USHER_NOT_ENOUGH : USHER_UNKNOWN_POOL;
    for (uint32_t i = 0; i < stay->count; i++)
        if (!plan_knows_rate(plan, stay->nights[i], stay->item->rate))
            return USHER_UNKNOWN_RATE;
    if (plan->restricted && stay_is_restricted(plan->resource, stay->name, stay->item, restricted))
        return USHER_RESTRICTED;
    bool enough = rooms_available(plan, stay) >= stay->item->quantity;
    return enough ? USHER_REASON_NONE : USHER_NOT_ENOUGH;
}

/* The same, and whether the item goes beyond what is free. */
static enum usher_reason refusal_of(struct plan *plan, const struct stay *stay,
                                    struct usher_restricted *restricted)
{
    enum usher_reason reason = first_refusal(plan, stay, restricted);
    plan->beyond = plan->overbook && reason == USHER_NOT_ENOUGH;
    if (plan->beyond)
        plan->beyond = rooms_available(plan, stay) >= stay->item->quantity;
    return plan->beyond ? USHER_REASON_NONE : reason;
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
    assert(shortfall->taken_count > 0);
    shortfall->taken = taken;
}

/* Names the rate that leaves the fewest rooms of all nights, if one does. */
static void name_rate_of(struct plan *plan, const struct stay *stay,
                         struct usher_shortfall *shortfall)
{
    uint32_t night = 0;
    while (available_on(plan, stay, night) > shortfall->free)
        night++;
    if (stay->nights[night] && allowed_on(plan, stay, night) == shortfall->free &&
        plan_available(plan, stay->nights[night]) > shortfall->free)
        shortfall->rate =
            plan_short_rate(plan, stay->nights[night], stay->item->rate, stay->item->quantity);
}

/* Says what of the stay is unknown, or on which nights it falls short. */
static void say_why(struct plan *plan, const struct stay *stay, struct usher_shortfall *shortfall)
{
    assert(shortfall->reason != USHER_REASON_NONE);
    const struct usher_item *item = stay->item;
    uint32_t night = 0;
    if (shortfall->reason == USHER_UNKNOWN_RATE) {
        while (plan_knows_rate(plan, stay->nights[night], item->rate))
            night++;
        known_set_rates(shortfall, stay->nights[night], item->rate, plan->arena);
    } else if (shortfall->reason == USHER_UNKNOWN_POOL && !stay->known) {
        known_set_pools(shortfall, plan->resource, USHER_ROOM, item->pool, plan->arena);
    } else if (shortfall->reason != USHER_RESTRICTED) {
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
        const struct unit_request want = {index, stay->nights[i], stay->item->rate, rooms};
        plan_take_lowest(plan, &want);
    }
}

/* Says how many rooms there are, and the rate that leaves so few. */
static void set_rooms(struct plan *plan, const struct stay *stay, struct usher_shortfall *shortfall)
{
    shortfall->free = rooms_available(plan, stay);
    name_rate_of(plan, stay, shortfall);
}

/* Takes the units of an item, or adds a shortfall. */
static void plan_nights(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    const struct stay stay = stay_of(plan, item);
    struct usher_restricted restricted;
    struct usher_shortfall shortfall = {.item = index,
                                        .asked = item->quantity,
                                        .reason = refusal_of(plan, &stay, &restricted),
                                        .free = USHER_ABSENT};
    uint32_t line_count = plan->line_count, rooms = item->quantity;
    if (shortfall.reason == USHER_NOT_ENOUGH) {
        set_rooms(plan, &stay, &shortfall);
        plan->can_never_fit |= !plan->partial && is_beyond_rooms(&stay);
    }
    if (shortfall.reason != USHER_REASON_NONE) {
        say_why(plan, &stay, &shortfall);
        rooms =
            plan->partial && shortfall.reason == USHER_NOT_ENOUGH ? (uint32_t)shortfall.free : 0;
        shortfall.given = rooms;
    }
    take_nights(plan, &stay, index, rooms);
    if (plan->restricted && plan->line_count > line_count &&
        stay_lines_are_restricted(plan->resource, stay.name, item, plan->lines + line_count,
                                  plan->line_count - line_count, &restricted)) {
        plan_undo_to(plan, line_count);
        shortfall = (struct usher_shortfall){.item = index,
                                             .asked = item->quantity,
                                             .reason = USHER_RESTRICTED,
                                             .free = USHER_ABSENT};
    }
    if (shortfall.reason == USHER_RESTRICTED)
        shortfall.restricted = memcpy(usher_arena_alloc(plan->arena, sizeof restricted),
                                      &restricted, sizeof restricted);
    if (shortfall.reason != USHER_REASON_NONE)
        plan_fall_short(plan, &shortfall);
}

/*
 * ==== Quantities ====
 *
 * Items that leave the choice of units to usher.
 */

/* How well a pool serves an item; the lowest is the best. */
enum fit {
    FIT_WHOLE,  /* all of it, in one piece that leaves no orphan */
    FIT_ORPHAN, /* in one piece */
    FIT_PIECES, /* in several */
    FIT_NOT,
};

struct offer {
    const char *name; /* that was requested */
    const struct pool *pool;
    enum fit fit;
    enum usher_reason error; /* of FIT_NOT: unknown pool or rate; NONE */
    uint32_t free;           /* units that the item accepts */
    const char *rate;        /* that leaves so few; NULL */
    uint32_t partial;        /* of FIT_NOT: the most that it can give after all */
    int32_t *units;          /* chosen, of pools with rows */
};

/* Returns the pool on sale under a name, or NULL. */
static const struct pool *pool_on_sale(const struct resource *resource, enum usher_kind kind,
                                       const char *text)
{
    const struct pool_name *name = resource_name(resource, text);
    if (!name || name->kind != kind)
        return NULL;
    const struct pool *pool = &resource->pools[name->pool];
    return pool->row.capacity > 0 ? pool : NULL;
}

/* ---- one pool ---- */

/* Returns all own units of a pool that are free. */
static const int32_t *own_units(const struct plan *plan, const struct pool *pool, uint32_t *count)
{
    *count = plan_own_units(plan, pool, NULL, plan->own_count);
    int32_t *units = usher_arena_alloc(plan->arena, *count * sizeof *units);
    (void)plan_own_units(plan, pool, units, *count);
    return units;
}

/* Returns the party to be seated; out of a block, as if nothing else were free. */
static struct party party_of(const struct plan *plan, const struct usher_item *item,
                             const struct pool *pool, uint32_t quantity)
{
    assert(quantity > 0);
    struct party party = {
        .quantity = quantity,
        .together = item->together,
        .strategy = plan->resource->row.strategy,
        .seed = plan->seed,
        .features = item->features,
        .feature_count = item->feature_count,
        .avoid = item->avoid,
        .avoid_count = item->avoid_count,
        .members = item->members,
        .member_count = item->member_count,
    };
    if (plan->from_block_only)
        party.among = own_units(plan, pool, &party.among_count);
    return party;
}

/* Whether the seats that a pool spares are for others. A block's seats are used up. */
static bool spares(const struct plan *plan, const struct usher_item *item, const struct pool *pool)
{
    bool asks = texts_have(item->features, item->feature_count, USHER_SPARED);
    for (uint32_t i = 0; !asks && i < item->member_count; i++)
        asks = texts_have(item->members[i].features, item->members[i].feature_count, USHER_SPARED);
    return pool->spared && !plan->from_block_only && !asks;
}

/* Whether these are neighbours in one row, in whatever order. */
static bool side_by_side(const struct pool *pool, const int32_t *units, uint32_t count)
{
    assert(count > 0);
    int32_t lowest = units[0], highest = units[0];
    for (uint32_t i = 1; i < count; i++) {
        lowest = units[i] < lowest ? units[i] : lowest;
        highest = units[i] > highest ? units[i] : highest;
    }
    return (uint32_t)(highest - lowest) + 1 == count &&
           seats_row_of(pool, (uint32_t)lowest) == seats_row_of(pool, (uint32_t)highest);
}

/*
 * Keeps seats that the booking has already, if the item accepts them: people stay where they are.
 * At most `quantity`; none where all must be chosen again to sit together. Seats of a block are
 * used up in the same way.
 */
static uint32_t keep_seats(const struct plan *plan, const struct usher_item *item,
                           const struct pool *pool, uint32_t quantity, int32_t *units)
{
    if (plan->own_count == 0)
        return 0;
    const struct party party = party_of(plan, item, pool, item->quantity);
    uint32_t count, kept = 0;
    const int32_t *own = own_units(plan, pool, &count);
    for (uint32_t i = 0; i < count && kept < quantity; i++)
        if (seating_accepts(pool, &party, (uint32_t)own[i]))
            units[kept++] = own[i];
    bool apart = kept < item->quantity || (kept > 0 && !side_by_side(pool, units, kept));
    return item->together && (apart || plan->from_block_only) ? 0 : kept;
}

static enum fit fit_of(const struct seating *seating)
{
    if (seating->pieces == 0)
        return FIT_NOT;
    if (seating->pieces > 1)
        return FIT_PIECES;
    return seating->orphan ? FIT_ORPHAN : FIT_WHOLE;
}

/*
 * Chooses seats of a pool with rows: first those kept, then others beside them. Seats of a block
 * need not be beside each other.
 */
static void choose_seats(struct plan *plan, const struct usher_item *item, struct offer *offer,
                         uint32_t quantity)
{
    assert(offer->pool->row.kind == USHER_SEATS && quantity > 0);
    offer->units = usher_arena_alloc(plan->arena, quantity * sizeof *offer->units);
    uint32_t kept = keep_seats(plan, item, offer->pool, quantity, offer->units);
    assert(kept <= quantity);
    if (kept >= quantity) {
        bool whole = plan->from_block_only || side_by_side(offer->pool, offer->units, quantity);
        offer->fit = whole ? FIT_WHOLE : FIT_PIECES;
        return;
    }
    struct party party = party_of(plan, item, offer->pool, quantity - kept);
    party.spare = spares(plan, item, offer->pool);
    uint32_t pool = offer->pool->row.index;
    if (kept > 0)
        resource_take(plan->resource, pool, offer->units, kept, plan->state);
    const struct seating seating =
        seating_choose(offer->pool, &party, plan->arena, offer->units + kept);
    if (kept > 0)
        resource_give(plan->resource, pool, offer->units, kept, plan->state);
    offer->fit = fit_of(&seating);
    /* Seats on both sides of one that is kept are one piece with it, though two by themselves. */
    if (kept > 0 && offer->fit != FIT_NOT)
        offer->fit = side_by_side(offer->pool, offer->units, quantity) ? FIT_WHOLE : FIT_PIECES;
}

/*
 * Seats members where the booking has its seats: on some of these, or on all and others beside
 * them, unless all are to sit together. False: they are chosen anew.
 */
static bool stay(struct plan *plan, const struct usher_item *item, struct offer *offer,
                 const struct members *anywhere)
{
    uint32_t count, kept = 0;
    const int32_t *own = own_units(plan, offer->pool, &count);
    int32_t *units = usher_arena_alloc(plan->arena, (count + item->quantity) * sizeof *units);
    for (uint32_t i = 0; i < count; i++)
        if (seating_accepts(offer->pool, anywhere->party, (uint32_t)own[i]))
            units[kept++] = own[i];
    struct seating seating = {0};
    if (kept >= item->quantity) {
        struct party party = *anywhere->party;
        struct members *among = usher_arena_alloc(plan->arena, sizeof *among);
        party.among = units;
        party.among_count = kept;
        members_see(among, offer->pool, &party, plan->arena);
        if (members_free(among) >= item->quantity)
            seating = members_seat(among, 0, offer->units);
    } else if (kept > 0 && !item->together && members_use(anywhere, units, kept)) {
        memcpy(offer->units, units, kept * sizeof *units);
        seating = members_seat(anywhere, kept, offer->units);
    }
    if (seating.pieces > 0)
        offer->fit =
            side_by_side(offer->pool, offer->units, item->quantity) ? FIT_WHOLE : FIT_PIECES;
    return seating.pieces > 0;
}

/* Chooses seats for members that need features. */
static void seat_members(struct plan *plan, const struct usher_item *item, struct offer *offer)
{
    struct members *members = usher_arena_alloc(plan->arena, sizeof *members);
    const struct party party = party_of(plan, item, offer->pool, item->quantity);
    members_see(members, offer->pool, &party, plan->arena);
    offer->free = smaller(plan_available(plan, offer->pool), members_free(members));
    if (offer->free < item->quantity)
        return;
    offer->units = usher_arena_alloc(plan->arena, item->quantity * sizeof *offer->units);
    if (plan->own_count > 0 && !plan->from_block_only && stay(plan, item, offer, members))
        return;
    struct seating seating = {0};
    if (spares(plan, item, offer->pool)) {
        struct members *sparing = usher_arena_alloc(plan->arena, sizeof *sparing);
        struct party spare = party;
        spare.spare = true;
        members_see(sparing, offer->pool, &spare, plan->arena);
        if (members_free(sparing) >= item->quantity)
            seating = members_seat(sparing, 0, offer->units);
    }
    if (seating.pieces == 0)
        seating = members_seat(members, 0, offer->units);
    offer->fit = fit_of(&seating);
}

static bool needs_members(const struct usher_item *item)
{
    return members_need(item->members, item->member_count);
}

/* Counts the available units that the item accepts. */
static uint32_t acceptable(const struct plan *plan, const struct usher_item *item,
                           const struct pool *pool)
{
    uint32_t available = plan_available(plan, pool);
    if (pool->row.kind != USHER_SEATS)
        return item->feature_count > 0 || needs_members(item) ? 0 : available;
    if (item->feature_count + item->avoid_count == 0)
        return available;
    const struct party party = party_of(plan, item, pool, item->quantity);
    return smaller(available, seating_free(pool, &party));
}

/* Returns the most that a pool can give that has not enough, or not side by side. */
static uint32_t most_of(const struct plan *plan, const struct usher_item *item,
                        const struct offer *offer)
{
    uint32_t most = smaller(offer->free, item->quantity);
    if (offer->pool->row.kind != USHER_SEATS || !item->together)
        return most;
    const struct party party = party_of(plan, item, offer->pool, item->quantity);
    return smaller(most, seating_longest(offer->pool, &party));
}

/* Returns the first rate that the item asks for and the pool does not have, or NULL. */
static const char *unknown_rate(const struct plan *plan, const struct usher_item *item,
                                const struct pool *pool)
{
    const char *rate = plan_knows_rate(plan, pool, item->rate) ? NULL : item->rate;
    for (uint32_t i = 0; !rate && i < item->member_count; i++)
        if (!plan_knows_rate(plan, pool, item->members[i].rate))
            rate = item->members[i].rate;
    return rate;
}

/* Returns what is wrong with the item itself. A block has nothing of a pool that is not on sale. */
static enum usher_reason item_error(const struct plan *plan, const struct usher_item *item,
                                    const struct pool *pool)
{
    if (!pool)
        return plan->from_block_only ? USHER_REASON_NONE : USHER_UNKNOWN_POOL;
    return unknown_rate(plan, item, pool) ? USHER_UNKNOWN_RATE : USHER_REASON_NONE;
}

/*
 * Offers no more than the rates of members leave, each as many as there are behind those before it.
 * In an exchange the whole is judged (plan_exceeds_rate): what stays is only known then.
 */
static void limit_members(struct plan *plan, const struct usher_item *item, struct offer *offer)
{
    uint32_t allowed = 0, counted = 0;
    struct line *lines = usher_arena_alloc(plan->arena, item->member_count * sizeof *lines);
    for (uint32_t i = 0; i < item->member_count; i++) {
        const struct usher_member *member = &item->members[i];
        const struct rate_room room =
            plan_rate_room(plan, offer->pool, member->rate, member->quantity);
        if (room.left < member->quantity) {
            allowed += (uint32_t)room.left;
            offer->rate = room.rate;
            break;
        }
        allowed += member->quantity;
        lines[counted] = (struct line){
            .pool = offer->pool->row.index, .rate = room.rate, .unit_count = member->quantity};
        rate_uses_add_lines(plan->resource, &lines[counted++], 1, 1);
    }
    rate_uses_add_lines(plan->resource, lines, counted, -1);
    if (allowed >= item->quantity)
        return;
    offer->fit = FIT_NOT;
    offer->rate = allowed < offer->free ? offer->rate : NULL;
    offer->free = smaller(offer->free, allowed);
}

/* Offers no more than the rates leave. */
static void limit_by_rates(struct plan *plan, const struct usher_item *item, struct offer *offer)
{
    if (plan->resource->terms.rate_count == 0 || plan->state == BOOKING_BLOCKED)
        return;
    if (item->member_count > 0) {
        if (plan->owner_count == 0 || plan->from_block_only)
            limit_members(plan, item, offer);
        return;
    }
    const struct unit_request want = {0, offer->pool, item->rate, item->quantity};
    const int32_t *units = offer->fit == FIT_NOT ? NULL : offer->units;
    uint32_t allowed = plan_rate_allows(plan, &want, units);
    if (allowed >= item->quantity || allowed >= offer->free)
        return;
    offer->fit = FIT_NOT;
    offer->free = allowed;
    offer->rate = plan_rate_room(plan, offer->pool, item->rate, item->quantity).rate;
}

static struct offer offer_of(struct plan *plan, const struct usher_item *item, const char *name)
{
    struct offer offer = {
        .name = name, .pool = pool_on_sale(plan->resource, item->kind, name), .fit = FIT_NOT};
    offer.error = item_error(plan, item, offer.pool);
    if (!offer.pool || offer.error != USHER_REASON_NONE)
        return offer;
    bool has_seats = offer.pool->row.kind == USHER_SEATS;
    if (has_seats && needs_members(item)) {
        seat_members(plan, item, &offer);
        limit_by_rates(plan, item, &offer);
        return offer;
    }
    offer.free = acceptable(plan, item, offer.pool);
    if (offer.free >= item->quantity && has_seats)
        choose_seats(plan, item, &offer, item->quantity);
    else if (offer.free >= item->quantity)
        offer.fit = FIT_WHOLE;
    limit_by_rates(plan, item, &offer);
    if (offer.fit == FIT_NOT && item->member_count == 0)
        offer.partial = most_of(plan, item, &offer);
    assert(offer.partial <= offer.free);
    return offer;
}

/* ---- the best of several ---- */

/* Whether `other`, which comes later, is better. */
static bool is_better(const struct offer *other, const struct offer *best)
{
    if (other->error != USHER_REASON_NONE || best->error != USHER_REASON_NONE)
        return other->error != USHER_REASON_NONE &&
               (best->error == USHER_REASON_NONE || other->error < best->error);
    if (other->fit != best->fit || other->fit != FIT_NOT)
        return other->fit < best->fit;
    return other->partial > best->partial;
}

static const char *const *names_of(const struct usher_item *item, uint32_t *count)
{
    *count = item->section_count > 0 ? item->section_count : 1;
    return item->section_count > 0 ? item->sections : &item->pool;
}

/* Returns the best offer of all pools named. An unknown name is an error, not passed over. */
static struct offer best_offer(struct plan *plan, const struct usher_item *item)
{
    uint32_t count;
    const char *const *names = names_of(item, &count);
    struct offer best = offer_of(plan, item, names[0]);
    for (uint32_t i = 1; i < count; i++) {
        const struct offer other = offer_of(plan, item, names[i]);
        const struct offer *most = best.free >= other.free ? &best : &other;
        const struct offer freest = *most;
        if (is_better(&other, &best))
            best = other;
        if (best.fit != FIT_NOT)
            continue;
        best.free = freest.free;
        best.rate = freest.rate;
    }
    return best;
}

/* ---- why not ---- */

/* Those on sale of the pools named. */
static const struct pool **pools_of(const struct plan *plan, const struct usher_item *item,
                                    uint32_t *count)
{
    uint32_t name_count;
    const char *const *names = names_of(item, &name_count);
    const struct pool **pools = usher_arena_alloc(plan->arena, name_count * sizeof(struct pool *));
    *count = 0;
    for (uint32_t i = 0; i < name_count; i++)
        if ((pools[*count] = pool_on_sale(plan->resource, item->kind, names[i])))
            (*count)++;
    return pools;
}

/* Returns the first of these features that no seat of these pools has, or NULL. */
static const char *unknown_of(const char *const *features, uint32_t feature_count,
                              const struct pool *const *pools, uint32_t count)
{
    for (uint32_t i = 0; i < feature_count; i++) {
        bool known = count == 0; /* of a block: nothing is left of them */
        for (uint32_t j = 0; !known && j < count; j++)
            known = known_has_feature(pools[j], features[i]);
        if (!known)
            return features[i];
    }
    return NULL;
}

/* Returns the first feature requested that no seat of these pools has, or NULL. */
static const char *unknown_feature(const struct usher_item *item, const struct pool *const *pools,
                                   uint32_t count)
{
    const char *unknown = unknown_of(item->features, item->feature_count, pools, count);
    for (uint32_t i = 0; !unknown && i < item->member_count; i++)
        unknown =
            unknown_of(item->members[i].features, item->members[i].feature_count, pools, count);
    return unknown;
}

/* Whether no row of these pools has as many seats, free or not. */
static bool is_beyond_rows(const struct usher_item *item, const struct pool *const *pools,
                           uint32_t count)
{
    bool beyond = item->together && count > 0;
    for (uint32_t i = 0; beyond && i < count; i++) {
        beyond = pools[i]->seat_row_count > 0;
        for (uint32_t j = 0; beyond && j < pools[i]->seat_row_count; j++)
            beyond = pools[i]->seat_rows[j].seats < item->quantity;
    }
    return beyond;
}

/* Whether each of these pools has fewer units, taken or not. A quota is no such end: the house
 * lifts it when it likes. */
static bool is_beyond_pools(const struct plan *plan, const struct usher_item *item,
                            const struct pool *const *pools, uint32_t count)
{
    bool beyond = !plan->partial && count > 0;
    for (uint32_t i = 0; beyond && i < count; i++)
        beyond = pools[i]->row.capacity < item->quantity;
    return beyond;
}

static bool rates_are_over(const struct plan *plan, const struct usher_item *item,
                           const struct pool *pool)
{
    bool over = item->member_count == 0 && plan_rates_are_over(plan, pool, item->rate);
    for (uint32_t i = 0; !over && i < item->member_count; i++)
        over = plan_rates_are_over(plan, pool, item->members[i].rate);
    return over;
}

/* Whether the time of the rates of each of these pools is over. */
static bool is_beyond_rates(const struct plan *plan, const struct usher_item *item,
                            const struct pool *const *pools, uint32_t count)
{
    bool beyond = !plan->partial && count > 0;
    for (uint32_t i = 0; beyond && i < count; i++)
        beyond = rates_are_over(plan, item, pools[i]);
    return beyond;
}

/* Says what of the item is unknown, or that it wants more than it can have. */
static void set_error(struct plan *plan, const struct usher_item *item, const struct offer *offer,
                      struct usher_shortfall *shortfall)
{
    uint32_t count;
    const struct pool **pools = pools_of(plan, item, &count);
    const char *feature =
        offer->error == USHER_REASON_NONE ? unknown_feature(item, pools, count) : NULL;
    shortfall->reason = feature ? USHER_UNKNOWN_FEATURE : offer->error;
    if (feature)
        known_set_features(shortfall, pools, count, feature, plan->arena);
    else if (offer->error == USHER_UNKNOWN_POOL)
        known_set_pools(shortfall, plan->resource, item->kind, offer->name, plan->arena);
    else if (offer->error == USHER_UNKNOWN_RATE)
        known_set_rates(shortfall, offer->pool, unknown_rate(plan, item, offer->pool), plan->arena);
    else
        plan->can_never_fit |= is_beyond_rows(item, pools, count) ||
                               is_beyond_pools(plan, item, pools, count) ||
                               is_beyond_rates(plan, item, pools, count);
}

/* ---- the item ---- */

static void say_together(struct plan *plan, uint32_t index, bool together)
{
    plan->together = plan->together != 0 && together;
    if (plan->items_together)
        plan->items_together[index] = together ? 1 : -1;
}

static void take_units(struct plan *plan, const struct unit_request *want, const int32_t *units)
{
    if (want->pool->row.kind != USHER_SEATS) {
        plan_take_counted(plan, want);
        return;
    }
    assert(units);
    memcpy(plan->units + plan->number_count, units, want->count * sizeof *plan->units);
    plan_take(plan, want);
}

static void take(struct plan *plan, const struct usher_item *item, uint32_t index,
                 const struct offer *offer, uint32_t quantity)
{
    assert(quantity > 0 && quantity <= offer->free);
    struct unit_request want = {index, offer->pool, item->rate, quantity};
    if (item->member_count == 0)
        take_units(plan, &want, offer->units);
    for (uint32_t i = 0, taken = 0; i < item->member_count; i++, taken += want.count) {
        want.rate = item->members[i].rate;
        want.count = item->members[i].quantity;
        plan->apart = plan->line_count;
        take_units(plan, &want, offer->units ? offer->units + taken : NULL);
    }
    if (want.pool->row.kind != USHER_SEATS)
        return;
    if (!plan->from_block_only || item->together) /* else seats of a block, which were not chosen */
        say_together(plan, index, offer->fit != FIT_PIECES);
}

/* Takes what the best offer has, which is less than requested. */
static uint32_t take_part(struct plan *plan, const struct usher_item *item, uint32_t index,
                          struct offer *offer)
{
    assert(offer->fit == FIT_NOT && offer->error == USHER_REASON_NONE);
    uint32_t quantity = plan->partial ? offer->partial : 0;
    if (quantity == 0)
        return 0;
    if (offer->pool->row.kind == USHER_SEATS)
        choose_seats(plan, item, offer, quantity);
    take(plan, item, index, offer, quantity);
    return quantity;
}

/* Takes the units of an item, or adds a shortfall. */
static void plan_quantity(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    assert(item->kind == USHER_SECTION || item->kind == USHER_PRODUCT);
    struct offer offer = best_offer(plan, item);
    if (offer.fit == FIT_NOT && plan->overbook) {
        plan->beyond = true;
        const struct offer beyond = best_offer(plan, item);
        plan->beyond = beyond.fit != FIT_NOT;
        offer = plan->beyond ? beyond : offer;
    }
    if (offer.fit != FIT_NOT) {
        take(plan, item, index, &offer, item->quantity);
        return;
    }
    struct usher_shortfall shortfall = {
        .item = index, .asked = item->quantity, .free = USHER_ABSENT};
    set_error(plan, item, &offer, &shortfall);
    if (shortfall.reason == USHER_REASON_NONE) {
        shortfall.reason = offer.free < item->quantity ? USHER_NOT_ENOUGH : USHER_NOT_TOGETHER;
        shortfall.free = (int64_t)offer.free;
        shortfall.rate = shortfall.reason == USHER_NOT_ENOUGH ? offer.rate : NULL;
        shortfall.given = take_part(plan, item, index, &offer);
    }
    plan_fall_short(plan, &shortfall);
}

/* ==== Items ==== */

/* Notes whose each line is: the members of an item took theirs one after another. */
static void name_members(struct plan *plan, const struct usher_item *items)
{
    uint32_t member = 0, taken = 0;
    plan->members = usher_arena_alloc(plan->arena, plan->line_count * sizeof *plan->members);
    for (uint32_t i = 0; i < plan->line_count; i++) {
        const struct line *line = &plan->lines[i];
        const struct usher_item *item = &items[line->item];
        if (i == 0 || line->item != plan->lines[i - 1].item)
            member = taken = 0;
        plan->members[i] = -1;
        if (item->member_count == 0)
            continue;
        if (taken == item->members[member].quantity) {
            member++;
            taken = 0;
        }
        plan->members[i] = (int8_t)member;
        taken += line->unit_count;
        assert(taken <= item->members[member].quantity);
    }
}

void plan_items(struct plan *plan, const struct usher_item *items, uint32_t count)
{
    if (count > 1)
        plan->items_together = usher_arena_alloc(plan->arena, count * sizeof(int8_t));
    bool has_members = false;
    for (uint32_t i = 0; i < count; i++) {
        plan->beyond = false;
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
        has_members = has_members || items[i].member_count > 0;
    }
    if (has_members)
        name_members(plan, items);
}

void plan_answer(struct decision *decision, const struct plan *plan)
{
    struct usher_answer *answer = &decision->answer;
    struct usher_units *units =
        answer_units(decision->resource, plan->lines, plan->line_count, decision_arena(decision));
    for (uint32_t i = 0; plan->items_together && i < plan->line_count; i++)
        units[i].together = plan->items_together[plan->lines[i].item];
    for (uint32_t i = 0; plan->members && i < plan->line_count; i++)
        units[i].member = plan->members[i] < 0 ? USHER_ABSENT : plan->members[i];
    answer->together = plan->together;
    answer->units = units;
    answer->units_count = plan->line_count;
    answer->overbooked =
        answer_overbooked(decision->resource, plan->lines, plan->line_count, NULL, 0);
}

void plan_refuse(struct decision *decision, const struct plan *plan)
{
    assert(plan->shortfall_count > 0);
    for (uint32_t i = 0; i < plan->shortfall_count; i++)
        plan->shortfalls[i].given = 0;
    decision_refuse_items(decision, plan_reason(plan), plan->shortfalls, plan->shortfall_count);
    enum usher_reason reason = decision->answer.reason;
    if (plan->can_never_fit && !plan->partial &&
        (reason == USHER_NOT_ENOUGH || reason == USHER_NOT_TOGETHER))
        decision->answer.retryable = false;
    if (!plan->from_block_only)
        own_hold_name(decision);
}
