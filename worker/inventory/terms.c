/*
 * Names of pools into pools, and sums over them. A quota with room types is judged night by night.
 * PURE.
 */
#include "worker/inventory/terms.h"

#include <string.h>

#include "producer/codec/stored_terms.h"
#include "worker/inventory/quotas.h"

/* ---- resolving ---- */

static bool resolve_group(struct resource *resource, const char *const *names, uint32_t count,
                          struct pool_group *group)
{
    group->pools = usher_arena_alloc(resource->arena, count * sizeof(struct pool_name *));
    group->pool_count = count;
    for (uint32_t i = 0; i < count; i++) {
        group->pools[i] = resource_name(resource, names[i]);
        if (!group->pools[i])
            return false;
    }
    return true;
}

static bool resolve_limits(struct resource *resource, const struct usher_limits *limits,
                           struct terms *terms)
{
    terms->units_min = limits->units_min;
    terms->units_per_request = limits->units_per_request;
    terms->units_per_customer = limits->units_per_customer;
    terms->holds_per_customer = limits->holds_per_customer;
    terms->limits_customers = terms_limit_customers(limits);
    terms->groups = usher_arena_alloc(resource->arena, limits->group_count * sizeof *terms->groups);
    terms->group_count = limits->group_count;
    bool good = true;
    for (uint32_t i = 0; good && i < limits->group_count; i++) {
        const struct usher_limit_group *group = &limits->groups[i];
        terms->groups[i].limit = group->limit;
        good = resolve_group(resource, group->pools, group->pool_count, &terms->groups[i]);
    }
    return good;
}

static bool resolve_quotas(struct resource *resource, const struct stored_terms *from,
                           struct quotas *quotas)
{
    quotas->at = usher_arena_alloc(resource->arena, from->quota_count * sizeof *quotas->at);
    quotas->count = from->quota_count;
    bool good = true;
    for (uint32_t i = 0; good && i < from->quota_count; i++) {
        const struct usher_quota *quota = &from->quotas[i];
        quotas->at[i].name = quota->quota;
        quotas->at[i].limit = quota->limit;
        good = resolve_group(resource, quota->pools, quota->pool_count, &quotas->at[i]);
    }
    if (good)
        quotas_arrange(quotas, resource->arena);
    return good;
}

bool terms_resolve(struct resource *resource)
{
    const char *json = resource->row.terms;
    struct stored_terms from;
    struct terms terms = {0};
    if (json) {
        struct usher_error err;
        if (stored_terms_decode(json, strlen(json), resource->arena, &from, &err) != USHER_OK ||
            (from.limits && !resolve_limits(resource, from.limits, &terms)) ||
            !resolve_quotas(resource, &from, &terms.quotas))
            return false;
    }
    resource->terms = terms;
    size_t size = sellable_size(&resource->terms.quotas, resource->pool_count);
    sellable_init(&resource->sellable, &resource->terms.quotas, resource->pool_count,
                  usher_arena_alloc(resource->arena, size));
    return true;
}

bool terms_limit_customers(const struct usher_limits *limits)
{
    return limits && (limits->units_per_customer > 0 || limits->holds_per_customer > 0 ||
                      limits->group_count > 0);
}

/* ---- groups and quotas ---- */

bool terms_group_has(const struct pool_group *group, const struct resource *resource, uint32_t pool)
{
    bool has = false;
    for (uint32_t i = 0; !has && i < group->pool_count; i++)
        has = group->pools[i] == resource->pools[pool].name;
    return has;
}

static int64_t used_of(const struct pool *pool)
{
    return pool ? (int64_t)pool->taken.held + pool->taken.sold : 0;
}

static int64_t used_on(const struct pool_group *quota, const struct resource *resource,
                       int32_t night)
{
    int64_t used = 0;
    for (uint32_t i = 0; i < quota->pool_count; i++)
        if (quota->pools[i]->kind == USHER_ROOM)
            used += used_of(resource_night(resource, quota->pools[i], night));
    return used;
}

/* Units sold without a night count on every night, and so on the fullest one. */
static int64_t used_on_fullest(const struct pool_group *quota, const struct resource *resource)
{
    const struct quotas *quotas = &resource->terms.quotas;
    int64_t most = 0;
    for (uint32_t i = 0; i < quotas->night_count; i++) {
        int64_t used = used_on(quota, resource, quotas->nights[i]);
        most = used > most ? used : most;
    }
    return most;
}

/*
 * Returns the units held or sold that count against a quota together with those of `pool`: over all
 * of its pools, of room types those of the same night.
 */
static int64_t quota_used(const struct pool_group *quota, const struct resource *resource,
                          const struct pool *pool)
{
    int64_t used = pool->row.kind == USHER_ROOM ? used_on(quota, resource, pool->row.night)
                                                : used_on_fullest(quota, resource);
    for (uint32_t i = 0; i < quota->pool_count; i++)
        if (quota->pools[i]->kind != USHER_ROOM)
            used += used_of(&resource->pools[quota->pools[i]->pool]);
    return used;
}

uint32_t terms_available(const struct resource *resource, const struct pool *pool)
{
    int64_t available = pool_free(pool);
    for (uint32_t i = 0; i < resource->terms.quotas.count; i++) {
        const struct pool_group *quota = &resource->terms.quotas.at[i];
        if (!terms_group_has(quota, resource, pool->row.index))
            continue;
        int64_t left = quota->limit - quota_used(quota, resource, pool);
        available = left < available ? left : available;
    }
    return available > 0 ? (uint32_t)available : 0;
}

static struct sellable_units units_of(const void *owner, uint32_t index)
{
    const struct pool *pool = &((const struct resource *)owner)->pools[index];
    return (struct sellable_units){pool_free(pool), used_of(pool), pool->row.night};
}

int64_t terms_available_in_all(struct resource *resource)
{
    const struct sellable_source source = {.owner = resource, .units = units_of};
    sellable_refresh(&resource->sellable, &source);
    return resource->free - resource->sellable.kept_back_total;
}
