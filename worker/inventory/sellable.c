/*
 * How many units can be sold where quotas leave fewer than are free: of each pool by itself, and of
 * all pools together. PURE: it counts, it does not refuse.
 *
 * A quota limits what its pools sell together; one with room types limits each night by itself, and
 * what has no night counts on all of them. The most that all pools can sell together is found by
 * filling one after the other with as many units as the limits still leave it: rooms before what
 * has no night, pools in few quotas before those in many, then in the order of definition. Where
 * quotas are nested or have no pool in common, no other choice would sell more. Where they overlap,
 * another one might, since finding the best of all has no fast way; but never is it more than can
 * be sold, and 0 only if nothing can.
 */
#include "worker/inventory/sellable.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ==== Sellable units ==== */

#define POOL_NONE UINT32_MAX

/* ---- memory ---- */

/* From the largest alignment to the smallest. */
void sellable_init(struct resource *resource)
{
    const struct quotas *quotas = &resource->terms.quotas;
    struct sellable *sellable = &resource->sellable;
    size_t per_quota = 4 * sizeof *sellable->base;
    size_t per_pool = 3 * sizeof *sellable->alone + sizeof *sellable->noted;
    uint32_t pools = resource->pool_count;
    *sellable = (struct sellable){0};
    if (quotas->count == 0)
        return;
    sellable->quotas = quotas;
    sellable->base =
        usher_arena_alloc(resource->arena, quotas->count * per_quota + pools * per_pool);
    sellable->least = sellable->base + quotas->count;
    sellable->rest = sellable->least + quotas->count;
    sellable->left = sellable->rest + quotas->count;
    sellable->alone = (uint32_t *)(sellable->left + quotas->count);
    sellable->kept_back = sellable->alone + pools;
    sellable->changed = sellable->kept_back + pools;
    sellable->noted = (bool *)(sellable->changed + pools);
    memset(sellable->alone, 0xff, pools * sizeof *sellable->alone);
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

/* Held or sold, which is what quotas limit. */
static int64_t used_of(const struct resource *resource, uint32_t pool)
{
    const struct unit_counts *taken = &resource->pools[pool].taken;
    return (int64_t)taken->held + taken->sold;
}

/* Takes what the group's pools use off what their quotas have. */
static void subtract_used(const struct group *group, const struct resource *resource, int64_t *left)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const struct quota_member *member = &group->members[i];
        uint32_t pool = pool_of(member, group->night);
        if (pool == POOL_NONE)
            continue;
        int64_t used = used_of(resource, pool);
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

static void set_alone(struct resource *resource, const struct group *group, const int64_t *left)
{
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t pool = pool_of(&group->members[i], group->night);
        if (pool == POOL_NONE)
            continue;
        assert(pool < resource->pool_count);
        uint32_t *alone = &resource->sellable.alone[pool];
        uint32_t most = most_of(&group->members[i], pool_free(&resource->pools[pool]), left);
        if (*alone != most)
            resource_note(resource, pool);
        *alone = most;
    }
}

/* Gives the pools as much as is left, one after the other. */
static void fill(struct resource *resource, const struct group *group, int64_t *left)
{
    struct sellable *sellable = &resource->sellable;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct quota_member *member = &group->members[i];
        uint32_t pool = pool_of(member, group->night);
        if (pool == POOL_NONE)
            continue;
        uint32_t free = pool_free(&resource->pools[pool]);
        uint32_t most = most_of(member, free, left);
        for (uint32_t j = 0; j < member->quota_count; j++)
            left[member->quotas[j]] -= most;
        sellable->kept_back_total += (int64_t)(free - most) - sellable->kept_back[pool];
        sellable->kept_back[pool] = free - most;
        assert(most <= free && sellable->kept_back_total >= 0);
    }
}

static void lower(int64_t *least, const int64_t *left, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (left[i] < least[i])
            least[i] = left[i];
}

/* `base` must be right. */
static void fill_night(struct resource *resource, int32_t night)
{
    struct sellable *sellable = &resource->sellable;
    const struct quotas *quotas = sellable->quotas;
    const struct group rooms = rooms_of(quotas, night);
    assert(night != NIGHT_NONE);
    memcpy(sellable->left, sellable->base, quotas->count * sizeof *sellable->left);
    subtract_used(&rooms, resource, sellable->left);
    lower(sellable->least, sellable->left, quotas->count);
    set_alone(resource, &rooms, sellable->left);
    fill(resource, &rooms, sellable->left);
    lower(sellable->rest, sellable->left, quotas->count);
}

/* Sets what is left without any room. */
static void begin(struct resource *resource)
{
    struct sellable *sellable = &resource->sellable;
    const struct quotas *quotas = sellable->quotas;
    const struct group others = others_of(quotas);
    for (uint32_t i = 0; i < quotas->count; i++)
        sellable->base[i] = quotas->at[i].limit;
    subtract_used(&others, resource, sellable->base);
    memcpy(sellable->least, sellable->base, quotas->count * sizeof *sellable->least);
    memcpy(sellable->rest, sellable->base, quotas->count * sizeof *sellable->rest);
}

static void fill_others(struct resource *resource)
{
    struct sellable *sellable = &resource->sellable;
    const struct group others = others_of(sellable->quotas);
    set_alone(resource, &others, sellable->least);
    fill(resource, &others, sellable->rest);
}

static void fill_all(struct resource *resource)
{
    const struct quotas *quotas = resource->sellable.quotas;
    begin(resource);
    for (uint32_t i = 0; i < quotas->night_count; i++)
        fill_night(resource, quotas->nights[i]);
    fill_others(resource);
}

static void fill_changed(struct resource *resource)
{
    const struct sellable *sellable = &resource->sellable;
    bool others = false;
    for (uint32_t i = 0; i < sellable->changed_count; i++) {
        int32_t night = resource->pools[sellable->changed[i]].row.night;
        others |= night == NIGHT_NONE;
        if (night != NIGHT_NONE)
            fill_night(resource, night);
    }
    if (others) {
        begin(resource);
        fill_others(resource);
    }
}

void sellable_refresh(struct resource *resource)
{
    struct sellable *sellable = &resource->sellable;
    if (!sellable->quotas)
        return;
    if (sellable->stale || (sellable->changed_count > 0 && sellable->quotas->mixed))
        fill_all(resource);
    else
        fill_changed(resource);
    for (uint32_t i = 0; i < sellable->changed_count; i++) {
        assert(sellable->changed[i] < resource->pool_count);
        sellable->noted[sellable->changed[i]] = false;
    }
    sellable->changed_count = 0;
    sellable->stale = false;
}

/* ==== Quotas ==== */

struct mention {
    struct pool_name *name;
    uint32_t quota;
};

static bool is_room(const struct pool_name *name)
{
    return name->kind == USHER_ROOM;
}

/* Rooms come first. The first pool of a name tells when it was defined, and is its alone. */
static int compare_names(const struct pool_name *a, const struct pool_name *b)
{
    if (is_room(a) != is_room(b))
        return is_room(a) ? -1 : 1;
    return (a->pool > b->pool) - (a->pool < b->pool);
}

static int compare_mentions(const void *left, const void *right)
{
    const struct mention *a = left, *b = right;
    int order = compare_names(a->name, b->name);
    return order != 0 ? order : (a->quota > b->quota) - (a->quota < b->quota);
}

/* In the order of filling, as sellable.h says. */
static int compare_members(const void *left, const void *right)
{
    const struct quota_member *a = left, *b = right;
    bool alike = is_room(a->name) == is_room(b->name);
    if (alike && a->quota_count != b->quota_count)
        return a->quota_count < b->quota_count ? -1 : 1;
    return compare_names(a->name, b->name);
}

static struct mention *mentions_of(const struct quotas *quotas, struct usher_arena *arena,
                                   uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < quotas->count; i++)
        *count += quotas->at[i].pool_count;
    struct mention *mentions = usher_arena_alloc(arena, *count * sizeof *mentions);
    uint32_t at = 0;
    for (uint32_t i = 0; i < quotas->count; i++)
        for (uint32_t j = 0; j < quotas->at[i].pool_count; j++)
            mentions[at++] = (struct mention){quotas->at[i].pools[j], i};
    if (*count > 0)
        qsort(mentions, *count, sizeof *mentions, compare_mentions);
    return mentions;
}

static int compare_nights(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static uint32_t add_nights(const struct pool_name *name, int32_t *nights)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < name->night_count; i++)
        if (name->nights[i] != 0)
            nights[count++] = name->first_night + (int32_t)i;
    return count;
}

static uint32_t count_nights(const struct pool_name *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < name->night_count; i++)
        count += name->nights[i] != 0;
    return count;
}

/* Lists them once: the calendar between the first and the last may have many times as many. */
static void list_nights(struct quotas *quotas, struct usher_arena *arena)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < quotas->room_count; i++)
        count += count_nights(quotas->members[i].name);
    quotas->nights = usher_arena_alloc(arena, count * sizeof *quotas->nights);
    count = 0;
    for (uint32_t i = 0; i < quotas->room_count; i++)
        count += add_nights(quotas->members[i].name, quotas->nights + count);
    if (count > 0)
        qsort(quotas->nights, count, sizeof *quotas->nights, compare_nights);
    quotas->night_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || quotas->nights[i] != quotas->nights[i - 1])
            quotas->nights[quotas->night_count++] = quotas->nights[i];
}

static bool is_mixed(const struct pool_group *quota)
{
    uint32_t rooms = 0;
    for (uint32_t i = 0; i < quota->pool_count; i++)
        rooms += is_room(quota->pools[i]);
    return rooms > 0 && rooms < quota->pool_count;
}

void quotas_arrange(struct quotas *quotas, struct usher_arena *arena)
{
    uint32_t count;
    const struct mention *mentions = mentions_of(quotas, arena, &count);
    uint32_t *indexes = usher_arena_alloc(arena, count * sizeof *indexes);
    quotas->members = usher_arena_alloc(arena, count * sizeof *quotas->members);
    quotas->member_count = quotas->room_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        indexes[i] = mentions[i].quota;
        if (i == 0 || mentions[i].name != mentions[i - 1].name) {
            quotas->members[quotas->member_count++] =
                (struct quota_member){.name = mentions[i].name, .quotas = &indexes[i]};
            quotas->room_count += is_room(mentions[i].name);
        }
        quotas->members[quotas->member_count - 1].quota_count++;
    }
    if (quotas->member_count > 0)
        qsort(quotas->members, quotas->member_count, sizeof *quotas->members, compare_members);
    assert(quotas->room_count <= quotas->member_count && quotas->member_count <= count);
    list_nights(quotas, arena);
    quotas->mixed = false;
    for (uint32_t i = 0; i < quotas->count; i++)
        quotas->mixed |= is_mixed(&quotas->at[i]);
}
