/*
 * Merges limits and quotas into the terms of a resource. PURE.
 */
#include "worker/rules/merge_terms.h"

#include <string.h>

#include "producer/codec/stored_terms.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/terms.h"

/* ---- names of pools ---- */

static void check_pools(struct merge *merge, const char *const *pools, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!resource_name(merge->resource, pools[i])) {
            merge_refuse(merge, USHER_BAD_CHART,
                         usher_arena_format(merge->arena, "unknown pool \"%s\" in limits or quotas",
                                            pools[i]));
            return;
        }
}

static void check_terms(struct merge *merge, const struct stored_terms *terms)
{
    for (uint32_t i = 0; i < terms->quota_count; i++)
        check_pools(merge, terms->quotas[i].pools, terms->quotas[i].pool_count);
    for (uint32_t i = 0; terms->limits && i < terms->limits->group_count; i++)
        check_pools(merge, terms->limits->groups[i].pools, terms->limits->groups[i].pool_count);
}

/* ---- quotas ---- */

static uint32_t find_quota(const struct usher_quota *quotas, uint32_t count, const char *name)
{
    uint32_t i = 0;
    while (i < count && strcmp(quotas[i].quota, name) != 0)
        i++;
    return i;
}

/*
 * Adds, changes or, without pools, removes a quota; a limit that is not given stays. Returns how
 * many there are.
 */
static uint32_t merge_quota(struct merge *merge, struct usher_quota *quotas, uint32_t count,
                            const struct usher_quota *given)
{
    uint32_t at = find_quota(quotas, count, given->quota);
    if (given->pool_count == 0) {
        if (at == count)
            return count; /* removed what is not there */
        memmove(&quotas[at], &quotas[at + 1], (count - at - 1) * sizeof *quotas);
        return count - 1;
    }
    struct usher_quota merged = *given;
    if (!given->limit_given && at < count) {
        merged.limit = quotas[at].limit;
        merged.limit_given = true;
    }
    if (!merged.limit_given) {
        merge_refuse(
            merge, USHER_BAD_CHART,
            usher_arena_format(merge->arena, "new quota \"%s\" has no limit", given->quota));
        return count;
    }
    quotas[at] = merged;
    return at < count ? count : count + 1;
}

/* ---- all of them ---- */

static struct stored_terms terms_before(struct merge *merge)
{
    struct stored_terms terms = {0};
    struct usher_error err;
    const char *json = merge->resource->row.terms;
    if (json && stored_terms_decode(json, strlen(json), merge->arena, &terms, &err) != USHER_OK)
        merge_refuse(merge, USHER_BAD_CHART, "its stored terms cannot be decoded");
    return terms;
}

static void set_terms(struct merge *merge, const struct stored_terms *terms)
{
    struct resource *resource = merge->resource;
    struct usher_buffer json = {0};
    resource->row.terms = NULL;
    if (terms->limits || terms->quota_count > 0) {
        stored_terms_encode(terms, &json);
        resource->row.terms = usher_arena_text(resource->arena, json.at, json.size);
    }
    usher_buffer_deinit(&json);
    if (!terms_resolve(resource))
        merge_refuse(merge, USHER_BAD_CHART, "its terms do not match its pools");
}

static bool limits_anything(const struct usher_limits *limits)
{
    return limits->units_min > 0 || limits->units_per_request > 0 || terms_limit_customers(limits);
}

void merge_terms(struct merge *merge, const struct usher_definition *definition)
{
    struct stored_terms terms = terms_before(merge);
    uint32_t limit = terms.quota_count + definition->quota_count;
    struct usher_quota *quotas = usher_arena_alloc(merge->arena, limit * sizeof *quotas);
    if (terms.quota_count > 0)
        memcpy(quotas, terms.quotas, terms.quota_count * sizeof *quotas);
    for (uint32_t i = 0; i < definition->quota_count; i++)
        terms.quota_count = merge_quota(merge, quotas, terms.quota_count, &definition->quotas[i]);
    terms.quotas = quotas;
    if (definition->limits)
        terms.limits = limits_anything(definition->limits) ? definition->limits : NULL;
    check_terms(merge, &terms);
    if (merge->reason == USHER_REASON_NONE)
        set_terms(merge, &terms);
}
