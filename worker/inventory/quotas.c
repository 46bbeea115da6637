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
