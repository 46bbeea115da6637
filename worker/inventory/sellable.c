/*
 * Fills pools night by night, then those without a night. Only the nights on which something
 * changed are filled again, unless a quota has rooms and others: then they depend on each other.
 * PURE.
 */
#include "worker/inventory/sellable.h"

#include <string.h>

#include "worker/inventory/quotas.h"
#include "worker/model/rows.h"

#define POOL_NONE UINT32_MAX

/* ---- memory ---- */

/* The pieces of it, from the largest alignment to the smallest. */
enum {
    PER_QUOTA = 4 * sizeof(int64_t),
    PER_POOL = 3 * sizeof(uint32_t) + sizeof(bool)
};

size_t sellable_size(const struct quotas *quotas, uint32_t pool_count)
{
    if (quotas->count == 0)
        return 0;
    return (size_t)quotas->count * PER_QUOTA + (size_t)pool_count * PER_POOL;
}

void sellable_init(struct sellable *sellable, const struct quotas *quotas, uint32_t pool_count,
                   void *memory)
{
    *sellable = (struct sellable){0};
    if (quotas->count == 0)
        return;
    sellable->quotas = quotas;
    sellable->base = memory;
    sellable->least = sellable->base + quotas->count;
    sellable->rest = sellable->least + quotas->count;
    sellable->left = sellable->rest + quotas->count;
    sellable->alone = (uint32_t *)(sellable->left + quotas->count);
    sellable->kept_back = sellable->alone + pool_count;
    sellable->changed = sellable->kept_back + pool_count;
    sellable->noted = (bool *)(sellable->changed + pool_count);
    memset(sellable->alone, 0xff, pool_count * sizeof *sellable->alone);
    memset(sellable->kept_back, 0, pool_count * sizeof *sellable->kept_back);
    memset(sellable->noted, 0, pool_count * sizeof *sellable->noted);
    sellable->stale = true;
}

/* ---- what changed ---- */

void sellable_note_changed(struct sellable *sellable, uint32_t pool)
{
    if (sellable->stale || sellable->noted[pool] || sellable->alone[pool] == UINT32_MAX)
        return;
    sellable->noted[pool] = true;
    sellable->changed[sellable->changed_count++] = pool;
}

/* ---- filling ---- */

/* Members that are filled together: room types on a night, or all others. */
struct group {
    const struct quota_member *members;
    uint32_t count;
    int32_t night;
};

static struct group rooms_of(const struct quotas *quotas, int32_t night)
{
    return (struct group){quotas->members, quotas->room_count, night};
}

static struct group others_of(const struct quotas *quotas)
{
    return (struct group){quotas->members + quotas->room_count,
                          quotas->member_count - quotas->room_count, NIGHT_NONE};
}

static uint32_t pool_of(const struct quota_member *member, int32_t night)
{
    const struct pool_name *name = member->name;
    if (name->kind != USHER_ROOM)
        return name->pool;
    int64_t at = (int64_t)night - name->first_night;
    return at < 0 || at >= name->night_count || name->nights[at] == 0 ? POOL_NONE
                                                                      : name->nights[at] - 1;
}

/* Takes what the group's pools use off what their quotas have. */
static void subtract_used(const struct group *group, const struct sellable_source *source,
                          int64_t *left)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const struct quota_member *member = &group->members[i];
        uint32_t pool = pool_of(member, group->night);
        if (pool == POOL_NONE)
            continue;
        int64_t used = source->units(source->owner, pool).used;
        for (uint32_t j = 0; j < member->quota_count; j++)
            left[member->quotas[j]] -= used;
    }
}

/* Returns how many of the free units all quotas of the member leave. */
static uint32_t most_of(const struct quota_member *member, uint32_t free, const int64_t *left)
{
    int64_t most = free;
    for (uint32_t i = 0; i < member->quota_count; i++)
        if (left[member->quotas[i]] < most)
            most = left[member->quotas[i]];
    return most > 0 ? (uint32_t)most : 0;
}

static void set_alone(struct sellable *sellable, const struct group *group,
                      const struct sellable_source *source, const int64_t *left)
{
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t pool = pool_of(&group->members[i], group->night);
        if (pool == POOL_NONE)
            continue;
        uint32_t alone = most_of(&group->members[i], source->units(source->owner, pool).free, left);
        if (sellable->alone[pool] != alone && source->changed)
            source->changed(source->owner, pool);
        sellable->alone[pool] = alone;
    }
}

/* Gives the pools as much as is left, one after the other. */
static void fill(struct sellable *sellable, const struct group *group,
                 const struct sellable_source *source, int64_t *left)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const struct quota_member *member = &group->members[i];
        uint32_t pool = pool_of(member, group->night);
        if (pool == POOL_NONE)
            continue;
        uint32_t free = source->units(source->owner, pool).free;
        uint32_t most = most_of(member, free, left);
        for (uint32_t j = 0; j < member->quota_count; j++)
            left[member->quotas[j]] -= most;
        sellable->kept_back_total += (int64_t)(free - most) - sellable->kept_back[pool];
        sellable->kept_back[pool] = free - most;
    }
}

static void lower(int64_t *least, const int64_t *left, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (left[i] < least[i])
            least[i] = left[i];
}

/* `base` must be right. */
static void fill_night(struct sellable *sellable, const struct sellable_source *source,
                       int32_t night)
{
    const struct quotas *quotas = sellable->quotas;
    const struct group rooms = rooms_of(quotas, night);
    memcpy(sellable->left, sellable->base, quotas->count * sizeof *sellable->left);
    subtract_used(&rooms, source, sellable->left);
    lower(sellable->least, sellable->left, quotas->count);
    set_alone(sellable, &rooms, source, sellable->left);
    fill(sellable, &rooms, source, sellable->left);
    lower(sellable->rest, sellable->left, quotas->count);
}

/* Sets what is left without any room. */
static void begin(struct sellable *sellable, const struct sellable_source *source)
{
    const struct quotas *quotas = sellable->quotas;
    const struct group others = others_of(quotas);
    for (uint32_t i = 0; i < quotas->count; i++)
        sellable->base[i] = quotas->at[i].limit;
    subtract_used(&others, source, sellable->base);
    memcpy(sellable->least, sellable->base, quotas->count * sizeof *sellable->least);
    memcpy(sellable->rest, sellable->base, quotas->count * sizeof *sellable->rest);
}

static void fill_others(struct sellable *sellable, const struct sellable_source *source)
{
    const struct group others = others_of(sellable->quotas);
    set_alone(sellable, &others, source, sellable->least);
    fill(sellable, &others, source, sellable->rest);
}

static void fill_all(struct sellable *sellable, const struct sellable_source *source)
{
    const struct quotas *quotas = sellable->quotas;
    begin(sellable, source);
    for (uint32_t i = 0; i < quotas->night_count; i++)
        fill_night(sellable, source, quotas->nights[i]);
    fill_others(sellable, source);
}

static void fill_changed(struct sellable *sellable, const struct sellable_source *source)
{
    bool others = false;
    for (uint32_t i = 0; i < sellable->changed_count; i++) {
        int32_t night = source->units(source->owner, sellable->changed[i]).night;
        others |= night == NIGHT_NONE;
        if (night != NIGHT_NONE)
            fill_night(sellable, source, night);
    }
    if (others) {
        begin(sellable, source);
        fill_others(sellable, source);
    }
}

void sellable_refresh(struct sellable *sellable, const struct sellable_source *source)
{
    if (!sellable->quotas)
        return;
    if (sellable->stale || (sellable->changed_count > 0 && sellable->quotas->mixed))
        fill_all(sellable, source);
    else
        fill_changed(sellable, source);
    for (uint32_t i = 0; i < sellable->changed_count; i++)
        sellable->noted[sellable->changed[i]] = false;
    sellable->changed_count = 0;
    sellable->stale = false;
}
