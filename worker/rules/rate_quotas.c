/* Quotas of rates in a definition: see rate_quotas.h. PURE. */
#include "worker/rules/rate_quotas.h"

#include <string.h>

#include "producer/base/plural.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"

enum {
    RATE_POOLS_MAX = 4000 /* that count: their counts are written with each batch */
};

static const struct pool_group *find(const struct resource *resource, const char *name)
{
    for (uint32_t i = 0; resource && i < resource->terms.rate_count; i++)
        if (strcmp(resource->terms.rates[i].name, name) == 0)
            return &resource->terms.rates[i];
    return NULL;
}

/* ---- what cannot be meant ---- */

/* Whether some pool sells at the rate: else its name is mistyped. */
static bool is_sold(const struct pool_group *quota, const struct resource *resource)
{
    const struct usher_rate *offered;
    bool sold = false;
    for (uint32_t i = 0; !sold && i < resource->pool_count; i++)
        sold = terms_group_has(quota, resource, i) &&
               rates_offered(&resource->pools[i], quota->rate, &offered) > 0;
    return sold;
}

/* Whether it has room types, which it counts by night, beside others. */
static bool is_mixed(const struct pool_group *quota)
{
    uint32_t rooms = 0;
    for (uint32_t i = 0; i < quota->pool_count; i++)
        rooms += quota->pools[i]->kind == USHER_ROOM;
    return rooms > 0 && rooms < quota->pool_count;
}

static const char *nonsense(const struct resource *resource, const struct pool_group *quota,
                            struct usher_arena *arena)
{
    if (!is_sold(quota, resource))
        return usher_arena_format(arena, "no pool of quota \"%s\" has the rate \"%s\"", quota->name,
                                  quota->rate);
    if (!is_mixed(quota))
        return NULL;
    return usher_arena_format(arena,
                              "quota \"%s\" of a rate has room types, counted by night, and other "
                              "pools",
                              quota->name);
}

/* In whichever define the times came. */
static const char *empty_window(const struct resource *resource, const struct pool_group *quota,
                                struct usher_arena *arena)
{
    char opens[USHER_INSTANT_SIZE], closes[USHER_INSTANT_SIZE];
    int64_t opens_ms = resource->row.opens_ms;
    if (opens_ms == USHER_ABSENT || opens_ms < quota->closes_ms)
        return NULL;
    usher_instant_format(opens_ms, opens);
    usher_instant_format(quota->closes_ms, closes);
    return usher_arena_format(arena, "opens_at %s is not before closes_at %s of quota \"%s\"",
                              opens, closes, quota->name);
}

static const char *bad_quota(const struct resource *resource,
                             const struct usher_definition *definition, struct usher_arena *arena)
{
    const char *detail = NULL;
    for (uint32_t i = 0; !detail && i < definition->quota_count; i++) {
        const struct pool_group *quota = find(resource, definition->quotas[i].quota);
        detail = quota ? nonsense(resource, quota, arena) : NULL;
    }
    for (uint32_t i = 0; !detail && i < resource->terms.rate_count; i++)
        detail = empty_window(resource, &resource->terms.rates[i], arena);
    return detail;
}

/* ---- what is sold already ---- */

static const char *where(const struct pool *pool, struct usher_arena *arena)
{
    if (pool->row.kind != USHER_ROOM)
        return usher_arena_format(arena, "\"%s\"", pool->row.name);
    char night[USHER_NIGHT_SIZE];
    usher_night_format(pool->row.night, night);
    return usher_arena_format(arena, "\"%s\" on %s", pool->row.name, night);
}

/* Has the pools of a quota count. Returns what was sold of one before it counted; NULL: nothing. */
static const char *count_pools(struct resource *resource, const struct pool_group *quota,
                               struct usher_arena *arena)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        if (pool->rate_uses || !terms_group_has(quota, resource, i))
            continue;
        uint32_t units = pool->taken.held + pool->taken.sold;
        if (units > 0)
            return usher_arena_format(arena,
                                      "%u unit%s of %s %s held or sold: quota \"%s\" of a rate has "
                                      "to be there before",
                                      units, PLURAL(units), where(pool, arena),
                                      units == 1 ? "is" : "are", quota->name);
        rate_uses_begin(resource, pool);
    }
    return NULL;
}

static bool has_same_pools(const struct pool_group *a, const struct pool_group *b)
{
    bool same = a->pool_count == b->pool_count;
    for (uint32_t i = 0; same && i < a->pool_count; i++)
        same = strcmp(a->pools[i]->text, b->pools[i]->text) == 0;
    return same;
}

/* Whether it allows no less than it did: a late confirm may have gone beyond it. */
static bool is_kept(const struct pool_group *quota, const struct pool_group *was)
{
    return was && quota->limit >= was->limit && strcmp(quota->rate, was->rate) == 0 &&
           has_same_pools(quota, was);
}

/* Returns what is held and sold beyond the limit; NULL: nothing. */
static const char *beyond_limit(const struct resource *resource, const struct pool_group *quota,
                                struct usher_arena *arena)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        if (!terms_group_has(quota, resource, i))
            continue;
        int64_t used = terms_used_of_quota(quota, resource, pool);
        if (used <= quota->limit)
            continue;
        char night[USHER_NIGHT_SIZE] = "";
        if (pool->row.kind == USHER_ROOM)
            usher_night_format(pool->row.night, night);
        return usher_arena_format(arena,
                                  "%lld unit%s held or sold at rate \"%s\"%s%s, and quota \"%s\" "
                                  "allows %lld",
                                  (long long)used, used == 1 ? " is" : "s are", quota->rate,
                                  *night != '\0' ? " on " : "", night, quota->name,
                                  (long long)quota->limit);
    }
    return NULL;
}

static const char *in_use(struct resource *resource, const struct resource *old,
                          struct usher_arena *arena)
{
    const char *detail = NULL;
    for (uint32_t i = 0; !detail && i < resource->terms.rate_count; i++) {
        const struct pool_group *quota = &resource->terms.rates[i];
        detail = count_pools(resource, quota, arena);
        if (!detail && !is_kept(quota, find(old, quota->name)))
            detail = beyond_limit(resource, quota, arena);
    }
    return detail;
}

/* ---- all of it ---- */

static uint32_t count_counting(const struct resource *resource)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++)
        count += resource->pools[i].rate_uses ? 1 : 0;
    return count;
}

enum usher_reason rate_quotas_apply(struct resource *resource, const struct resource *old,
                                    const struct usher_definition *definition,
                                    struct usher_arena *arena, const char **detail)
{
    if (resource->terms.rate_count == 0)
        return USHER_REASON_NONE;
    if ((*detail = bad_quota(resource, definition, arena)))
        return USHER_BAD_CHART;
    if ((*detail = in_use(resource, old, arena)))
        return USHER_IN_USE;
    if (count_counting(resource) <= RATE_POOLS_MAX)
        return USHER_REASON_NONE;
    *detail = usher_arena_format(arena, "quotas of rates have more than the maximum of %d pools",
                                 RATE_POOLS_MAX);
    return USHER_LIMIT_EXCEEDED;
}
