/*
 * How many units can be sold where quotas leave fewer than are free: of each pool by itself, and of
 * all pools together. PURE: it counts, it does not refuse. It knows neither resources nor pictures:
 * both keep one.
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

#include <stdlib.h>
#include <string.h>

#include "worker/model/rows.h"

/* ==== Sellable units ==== */

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
    list_nights(quotas, arena);
    quotas->mixed = false;
    for (uint32_t i = 0; i < quotas->count; i++)
        quotas->mixed |= is_mixed(&quotas->at[i]);
}
