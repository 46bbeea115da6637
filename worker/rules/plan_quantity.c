/*
 * Items that leave the choice of units to usher: a quantity of a section, of one of several
 * sections, or of a product. PURE.
 */
#include "worker/rules/plan_quantity.h"

#include <string.h>

#include "worker/inventory/resource_units.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/rules/known.h"
#include "worker/rules/seating.h"

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
    struct party party = {
        .quantity = quantity,
        .together = item->together,
        .strategy = plan->resource->row.strategy,
        .seed = plan->seed,
        .features = item->features,
        .feature_count = item->feature_count,
        .avoid = item->avoid,
        .avoid_count = item->avoid_count,
    };
    if (plan->only_own)
        party.among = own_units(plan, pool, &party.among_count);
    return party;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Whether these are neighbours in one row, in whatever order. */
static bool side_by_side(const struct pool *pool, const int32_t *units, uint32_t count)
{
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
 * As many as requested at most; none where all must be chosen again to sit together. Seats of a
 * block are used up in the same way.
 */
static uint32_t keep_seats(const struct plan *plan, const struct usher_item *item,
                           const struct pool *pool, int32_t *units)
{
    if (plan->own_count == 0)
        return 0;
    const struct party party = party_of(plan, item, pool, item->quantity);
    uint32_t count, kept = 0;
    const int32_t *own = own_units(plan, pool, &count);
    for (uint32_t i = 0; i < count && kept < item->quantity; i++)
        if (seating_accepts(pool, &party, (uint32_t)own[i]))
            units[kept++] = own[i];
    bool apart = kept < item->quantity || (kept > 0 && !side_by_side(pool, units, kept));
    return item->together && (apart || plan->only_own) ? 0 : kept;
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
    offer->units = usher_arena_alloc(plan->arena, quantity * sizeof *offer->units);
    uint32_t kept = keep_seats(plan, item, offer->pool, offer->units);
    if (kept >= quantity) {
        bool whole = plan->only_own || side_by_side(offer->pool, offer->units, quantity);
        offer->fit = whole ? FIT_WHOLE : FIT_PIECES;
        return;
    }
    const struct party party = party_of(plan, item, offer->pool, quantity - kept);
    uint32_t pool = offer->pool->row.index;
    resource_take(plan->resource, pool, offer->units, kept, plan->state);
    const struct seating seating =
        seating_choose(offer->pool, &party, plan->arena, offer->units + kept);
    resource_give(plan->resource, pool, offer->units, kept, plan->state);
    offer->fit = fit_of(&seating);
    /* Seats on both sides of one that is kept are one piece with it, though two by themselves. */
    if (kept > 0 && offer->fit != FIT_NOT)
        offer->fit = side_by_side(offer->pool, offer->units, quantity) ? FIT_WHOLE : FIT_PIECES;
}

/* Counts the available units that the item accepts. */
static uint32_t acceptable(const struct plan *plan, const struct usher_item *item,
                           const struct pool *pool)
{
    uint32_t available = plan_available(plan, pool);
    if (pool->row.kind != USHER_SEATS)
        return item->feature_count > 0 ? 0 : available;
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

/* Returns what is wrong with the item itself. A block has nothing of a pool that is not on sale. */
static enum usher_reason item_error(const struct plan *plan, const struct usher_item *item,
                                    const struct pool *pool)
{
    if (!pool)
        return plan->only_own ? USHER_REASON_NONE : USHER_UNKNOWN_POOL;
    return plan_knows_rate(plan, pool, item->rate) ? USHER_REASON_NONE : USHER_UNKNOWN_RATE;
}

static struct offer offer_of(struct plan *plan, const struct usher_item *item, const char *name)
{
    struct offer offer = {
        .name = name, .pool = pool_on_sale(plan->resource, item->kind, name), .fit = FIT_NOT};
    offer.error = item_error(plan, item, offer.pool);
    if (!offer.pool || offer.error != USHER_REASON_NONE)
        return offer;
    offer.free = acceptable(plan, item, offer.pool);
    if (offer.free >= item->quantity && offer.pool->row.kind == USHER_SEATS)
        choose_seats(plan, item, &offer, item->quantity);
    else if (offer.free >= item->quantity)
        offer.fit = FIT_WHOLE;
    if (offer.fit == FIT_NOT)
        offer.partial = most_of(plan, item, &offer);
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
        uint32_t free = best.free > other.free ? best.free : other.free;
        if (is_better(&other, &best))
            best = other;
        best.free = best.fit == FIT_NOT ? free : best.free;
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

/* Returns the first feature requested that no seat of these pools has, or NULL. */
static const char *unknown_feature(const struct usher_item *item, const struct pool *const *pools,
                                   uint32_t count)
{
    for (uint32_t i = 0; i < item->feature_count; i++) {
        bool known = count == 0; /* of a block: nothing is left of them */
        for (uint32_t j = 0; !known && j < count; j++)
            known = known_has_feature(pools[j], item->features[i]);
        if (!known)
            return item->features[i];
    }
    return NULL;
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
        known_set_rates(shortfall, offer->pool, item->rate, plan->arena);
    else
        plan->hopeless |=
            is_beyond_rows(item, pools, count) || is_beyond_pools(plan, item, pools, count);
}

/* ---- the item ---- */

static void take(struct plan *plan, const struct usher_item *item, uint32_t index,
                 const struct offer *offer, uint32_t quantity)
{
    const struct share share = {index, offer->pool, item->rate, quantity};
    if (offer->pool->row.kind != USHER_SEATS) {
        plan_take_counted(plan, &share);
        return;
    }
    memcpy(plan->units + plan->number_count, offer->units, quantity * sizeof *plan->units);
    plan_take(plan, &share);
    if (!plan->only_own || item->together) /* else seats of a block, which were not chosen */
        plan->together = plan->together != 0 && offer->fit != FIT_PIECES;
}

/* Takes what the best offer has, which is less than requested. */
static uint32_t take_part(struct plan *plan, const struct usher_item *item, uint32_t index,
                          struct offer *offer)
{
    uint32_t quantity = plan->partial ? offer->partial : 0;
    if (quantity == 0)
        return 0;
    if (offer->pool->row.kind == USHER_SEATS)
        choose_seats(plan, item, offer, quantity);
    take(plan, item, index, offer, quantity);
    return quantity;
}

void plan_quantity(struct plan *plan, const struct usher_item *item, uint32_t index)
{
    struct offer offer = best_offer(plan, item);
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
        shortfall.given = take_part(plan, item, index, &offer);
    }
    plan_fall_short(plan, &shortfall);
}
