/*
 * Filters seats by the features that a party wants and those that it avoids. PURE.
 */
#include "worker/rules/seating_filter.h"

#include <string.h>

#include "worker/base/bits.h"

static void clear(uint64_t *bits, uint32_t from, uint32_t end)
{
    while (from < end) {
        uint32_t word = from / BITS_PER_WORD, next = (word + 1) * BITS_PER_WORD;
        uint64_t mask = UINT64_MAX << from % BITS_PER_WORD;
        if (end < next)
            mask &= bits_mask(end) - 1;
        bits[word] &= ~mask;
        from = next;
    }
}

static const struct usher_row_feature *feature_of(const struct seat_row *row, const char *feature)
{
    for (uint32_t i = 0; i < row->feature_count; i++)
        if (strcmp(row->features[i].feature, feature) == 0)
            return &row->features[i];
    return NULL;
}

static void keep_those_with(uint64_t *bits, const struct seat_row *row, const char *feature)
{
    const struct usher_row_feature *found = feature_of(row, feature);
    uint32_t from = row->first_unit;
    for (uint32_t i = 0; found && i < found->seat_count; i++) {
        uint32_t unit = row->first_unit + found->seats[i];
        clear(bits, from, unit);
        from = unit + 1;
    }
    clear(bits, from, row->first_unit + row->seats);
}

static void drop_those_with(uint64_t *bits, const struct seat_row *row, const char *feature)
{
    const struct usher_row_feature *found = feature_of(row, feature);
    for (uint32_t i = 0; found && i < found->seat_count; i++) {
        uint32_t unit = row->first_unit + found->seats[i];
        bits_clear(bits, unit);
    }
}

static bool has_feature(const struct seat_row *row, const char *feature, uint32_t place)
{
    const struct usher_row_feature *found = feature_of(row, feature);
    for (uint32_t i = 0; found && i < found->seat_count; i++)
        if (found->seats[i] == place)
            return true;
    return false;
}

bool seating_accepts(const struct pool *pool, const struct party *party, uint32_t unit)
{
    const struct seat_row *row = seats_row_of(pool, unit);
    uint32_t place = unit - row->first_unit;
    for (uint32_t i = 0; i < party->feature_count; i++)
        if (!has_feature(row, party->features[i], place))
            return false;
    for (uint32_t i = 0; i < party->avoid_count; i++)
        if (has_feature(row, party->avoid[i], place))
            return false;
    return true;
}

/* Returns the free seats that the party may have, whatever their features. */
static uint64_t *bits_for(const struct pool *pool, const struct party *party,
                          struct usher_arena *scratch)
{
    size_t size = bits_words(pool->units.count) * sizeof(uint64_t);
    uint64_t *bits = usher_arena_alloc(scratch, size);
    if (!party->among)
        memcpy(bits, seats_free(pool).bits, size);
    for (uint32_t i = 0; party->among && i < party->among_count; i++) {
        uint32_t unit = (uint32_t)party->among[i];
        bits_set(bits, unit);
    }
    return bits;
}

static bool is_choosy(const struct party *party)
{
    return party->feature_count + party->avoid_count > 0 || party->among;
}

static const uint64_t *accepted_bits(const struct pool *pool, const struct party *party,
                                     struct usher_arena *scratch)
{
    if (!is_choosy(party))
        return seats_free(pool).bits;
    uint64_t *bits = bits_for(pool, party, scratch);
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        for (uint32_t j = 0; j < party->feature_count; j++)
            keep_those_with(bits, row, party->features[j]);
        for (uint32_t j = 0; j < party->avoid_count; j++)
            drop_those_with(bits, row, party->avoid[j]);
    }
    return bits;
}

struct seat_set seating_set(const struct pool *pool, const struct party *party,
                            struct usher_arena *scratch)
{
    if (!is_choosy(party))
        return seats_free(pool);
    return seats_among(pool, accepted_bits(pool, party, scratch), scratch);
}

uint32_t seating_count(const struct pool *pool, const uint64_t *bits)
{
    const struct units *units = &pool->units;
    if (bits == units->open_bits[0])
        return pool_free(pool);
    uint32_t free = 0;
    for (uint32_t word = 0; word < bits_words(units->count); word++)
        free += (uint32_t)__builtin_popcountll(bits[word]);
    return free;
}

uint32_t seating_free(const struct pool *pool, const struct party *party)
{
    struct usher_arena scratch = {0};
    uint32_t free = seating_count(pool, accepted_bits(pool, party, &scratch));
    usher_arena_deinit(&scratch);
    return free;
}
