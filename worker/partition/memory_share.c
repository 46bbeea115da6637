/*
 * Four fifths of the maximum, and what follows from passing them. PURE.
 */
#include "worker/partition/memory_share.h"

#include <stdlib.h>

enum {
    /* Of MEMORY_PARTS of the maximum: */
    ENDS = 700,  /* below it is no longer tight */
    TIGHT = 800, /* above it is */
    FULL = 920,  /* above the least is kept and taken */
    SLOW = 960,  /* above what is under way has to end first, such as writing to Redis */
    LEAST = 125, /* of what was kept when it became tight; so little is always kept */
    LEAST_OF_MAX = 60,

    HALVINGS = 12, /* of what may be taken, from TIGHT to FULL */

    /* Measured; the texts and units of a usual booking included. A seat of long rows takes 2, one
       of a plan with names 25. */
    RESOURCE_BYTES = 3000,
    BOOKING_BYTES = 430,
    ID_BYTES = 180,
    UNIT_BYTES = 10,
    POOL_BYTES = 560, /* a room type on a night; the catalogue that readers see included */
};

void memory_share_init(struct memory_share *share, int64_t max)
{
    *share = (struct memory_share){.max = max, .level = INT64_MAX, .portion = MEMORY_PARTS};
}

/* Halves lose nothing that counts, and products of bytes and parts stay within 64 bits. */
static int64_t parts_of(int64_t bytes, int64_t parts)
{
    return bytes / MEMORY_PARTS * parts;
}

/* MEMORY_PARTS up to TIGHT, none from FULL on, evenly less in between. */
static int64_t room_left(int64_t max, int64_t used)
{
    int64_t tight = parts_of(max, TIGHT);
    int64_t full = parts_of(max, FULL);
    if (used <= tight)
        return MEMORY_PARTS;
    return used < full ? (full - used) * MEMORY_PARTS / (full - tight) : 0;
}

static int compare_bytes(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/*
 * The level up to which all may keep what they have, so that it is no more than `allowed` in all:
 * those that keep less leave their part to the others.
 */
static int64_t level_of(const int64_t *sorted, uint32_t count, int64_t allowed)
{
    int64_t level = allowed;
    for (uint32_t i = 0; i < count; i++) {
        level = allowed / (count - i);
        if (sorted[i] > level)
            return level;
        allowed -= sorted[i];
    }
    return level;
}

void memory_share_note(struct memory_share *share, int64_t used, int64_t wanted, int64_t *kept,
                       uint32_t count)
{
    int64_t sum = 0;
    int64_t room = room_left(share->max, used + wanted);
    for (uint32_t i = 0; i < count; i++)
        sum += kept[i];
    if (used + wanted < parts_of(share->max, ENDS))
        share->reference = 0;
    else if (share->reference == 0 && room < MEMORY_PARTS)
        share->reference = sum > 0 ? sum : 1;
    share->portion = (uint32_t)room_left(share->max, used);
    share->slow = used > parts_of(share->max, SLOW);
    share->level = INT64_MAX;
    if (share->reference == 0)
        return;
    int64_t least = parts_of(share->max, LEAST_OF_MAX);
    int64_t allowed = parts_of(share->reference, room > LEAST ? room : LEAST);
    qsort(kept, count, sizeof *kept, compare_bytes);
    share->level = level_of(kept, count, allowed > least ? allowed : least);
}

uint32_t memory_portion(uint32_t portion, uint32_t room, uint32_t taken)
{
    uint32_t halvings = (MEMORY_PARTS - portion) * HALVINGS / MEMORY_PARTS;
    uint32_t allowed = (room + taken) >> halvings;
    if (halvings == 0 || room == 0)
        return room;
    if (allowed == 0)
        allowed = 1;
    return allowed > taken ? allowed - taken : 0;
}

int64_t memory_kept_bytes(const struct inventory_size *size)
{
    return (int64_t)size->resources * RESOURCE_BYTES + (int64_t)size->bookings * BOOKING_BYTES +
           (int64_t)size->ids * ID_BYTES + (int64_t)size->units * UNIT_BYTES +
           (int64_t)size->pools * POOL_BYTES;
}

static uint64_t lower(uint64_t limit, uint64_t size, double part)
{
    uint64_t allowed = (uint64_t)((double)size * part);
    return allowed < limit ? allowed : limit;
}

struct inventory_limits memory_limits_within(const struct inventory_limits *limits,
                                             const struct inventory_size *size, int64_t level)
{
    int64_t kept = memory_kept_bytes(size);
    if (kept <= level)
        return *limits;
    double part = (double)level / (double)kept;
    return (struct inventory_limits){
        .bookings = (uint32_t)lower(limits->bookings, size->bookings, part),
        .resources = (uint32_t)lower(limits->resources, size->resources, part),
        .units = lower(limits->units, size->units, part),
        .ids = (uint32_t)lower(limits->ids, size->ids, part),
        .pools = lower(limits->pools, size->pools, part),
    };
}
