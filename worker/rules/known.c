/* Names that there are in the place of an unknown one: see known.h. PURE. */
#include "worker/rules/known.h"

#include <assert.h>
#include <string.h>

#include "worker/inventory/shared_catalogue.h"

/* Names that are added one by one, each once. */
struct known_names {
    const char **at;
    uint32_t count;
};

static struct known_names begin(struct usher_arena *arena)
{
    return (struct known_names){
        .at = usher_arena_alloc(arena, USHER_KNOWN_MAX * sizeof(const char *))};
}

static void add(struct known_names *names, const char *name)
{
    assert(name);
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->at[i], name) == 0)
            return;
    if (names->count < USHER_KNOWN_MAX)
        names->at[names->count++] = name;
}

static void set(struct usher_shortfall *shortfall, const char *unknown,
                const struct known_names *known)
{
    shortfall->unknown = unknown;
    shortfall->known = known->at;
    shortfall->known_count = known->count;
}

/* ---- pools ---- */

bool known_is_on_sale(const struct resource *resource, const struct pool_name *name)
{
    if (name->kind != USHER_ROOM)
        return resource->pools[name->pool].row.capacity > 0;
    for (uint32_t i = 0; i < name->night_count; i++)
        if (name->nights[i] > 0 && resource->pools[name->nights[i] - 1].row.capacity > 0)
            return true;
    return false;
}

void known_set_pools(struct usher_shortfall *shortfall, const struct resource *resource,
                     enum usher_kind kind, const char *unknown, struct usher_arena *arena)
{
    struct known_names names = begin(arena);
    for (uint32_t i = 0; i < resource->name_count && names.count < USHER_KNOWN_MAX; i++) {
        const struct pool_name *name = resource->names[i];
        if (name->kind == kind && known_is_on_sale(resource, name))
            add(&names, name->text);
    }
    set(shortfall, unknown, &names);
}

/* ---- rates ---- */

void known_set_rates(struct usher_shortfall *shortfall, const struct pool *pool,
                     const char *unknown, struct usher_arena *arena)
{
    struct known_names names = begin(arena);
    for (uint32_t i = 0; pool->rates && i < pool->rates->count; i++)
        add(&names, pool->rates->at[i].rate);
    if (!pool->rates)
        add(&names, STANDARD_RATE);
    set(shortfall, unknown, &names);
}

/* ---- features ---- */

bool known_has_feature(const struct pool *pool, const char *feature)
{
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        for (uint32_t j = 0; j < row->feature_count; j++)
            if (row->features[j].seat_count > 0 && strcmp(row->features[j].feature, feature) == 0)
                return true;
    }
    return false;
}

static void add_features(struct known_names *names, const struct pool *pool)
{
    for (uint32_t i = 0; i < pool->seat_row_count; i++)
        for (uint32_t j = 0; j < pool->seat_rows[i].feature_count; j++)
            add(names, pool->seat_rows[i].features[j].feature);
}

void known_set_features(struct usher_shortfall *shortfall, const struct pool *const *pools,
                        uint32_t pool_count, const char *unknown, struct usher_arena *arena)
{
    struct known_names names = begin(arena);
    for (uint32_t i = 0; i < pool_count; i++)
        add_features(&names, pools[i]);
    set(shortfall, unknown, &names);
}
