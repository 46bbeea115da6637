/*
 * Named prices of a pool. PURE.
 */
#include "worker/inventory/rates.h"

#include <string.h>

#include "producer/codec/stored_terms.h"

const struct usher_rate *rates_copy(struct resource *resource, const struct usher_rate *rates,
                                    uint32_t count)
{
    if (!rates)
        return NULL;
    struct usher_rate *copies = usher_arena_alloc(resource->arena, count * sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i].rate = resource_text(resource, rates[i].rate);
        copies[i].price = rates[i].price;
    }
    return copies;
}

bool rates_resolve(struct resource *resource, struct pool *pool)
{
    const char *json = pool->row.rates;
    struct usher_error err;
    pool->rates = NULL;
    pool->rate_count = 0;
    return !json || (stored_rates_decode(json, strlen(json), resource->arena, &pool->rates,
                                         &pool->rate_count, &err) == USHER_OK &&
                     pool->rate_count > 0);
}

const struct usher_rate *rates_find(const struct usher_rate *rates, uint32_t count,
                                    const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rates[i].rate, name) == 0)
            return &rates[i];
    return NULL;
}

const struct usher_rate *rates_default(const struct usher_rate *rates, uint32_t count)
{
    const struct usher_rate *standard = rates_find(rates, count, STANDARD_RATE);
    return standard ? standard : &rates[0];
}

bool rates_same(const char *one, const char *other)
{
    return strcmp(one ? one : STANDARD_RATE, other ? other : STANDARD_RATE) == 0;
}

bool rates_price(const struct pool *pool, const char *rate, int64_t *price, const char **named)
{
    *named = NULL;
    *price = pool->row.price;
    if (!pool->rates)
        return !rate || strcmp(rate, STANDARD_RATE) == 0;
    const struct usher_rate *found = rate ? rates_find(pool->rates, pool->rate_count, rate)
                                          : rates_default(pool->rates, pool->rate_count);
    if (!found)
        return false;
    *named = found->rate;
    *price = found->price;
    return true;
}
