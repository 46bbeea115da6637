/*
 * Turns lists of names by quota into lists of quotas by name. PURE.
 */
#include "worker/inventory/quotas.h"

#include <stdlib.h>

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

static void add_nights(struct quotas *quotas, const struct pool_name *name)
{
    int32_t end = name->first_night + (int32_t)name->night_count;
    if (quotas->room_count == 0 || name->first_night < quotas->first_night)
        quotas->first_night = name->first_night;
    if (quotas->room_count == 0 || end > quotas->end_night)
        quotas->end_night = end;
    quotas->room_count++;
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
            if (is_room(mentions[i].name))
                add_nights(quotas, mentions[i].name);
        }
        quotas->members[quotas->member_count - 1].quota_count++;
    }
    if (quotas->member_count > 0)
        qsort(quotas->members, quotas->member_count, sizeof *quotas->members, compare_members);
    quotas->mixed = false;
    for (uint32_t i = 0; i < quotas->count; i++)
        quotas->mixed |= is_mixed(&quotas->at[i]);
}
