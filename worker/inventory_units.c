/*
 * A bit a unit, set where it is free, and above it levels with a bit for each word that is not
 * empty. Which of the taken units are sold is a second run of bits without levels: nobody searches
 * there. PURE.
 */
#include "inventory_units.h"

#include <assert.h>

enum {
    WORD_BITS = 64
};

static uint32_t word_count(uint32_t bits)
{
    return bits / WORD_BITS + (bits % WORD_BITS != 0);
}

static uint64_t bit(uint32_t at)
{
    return UINT64_C(1) << at % WORD_BITS;
}

static void fill(uint64_t *words, uint32_t bits)
{
    for (uint32_t i = 0; i < bits / WORD_BITS; i++)
        words[i] = UINT64_MAX;
    if (bits % WORD_BITS != 0)
        words[bits / WORD_BITS] = bit(bits) - 1;
}

void units_init(struct units *units, uint32_t count, struct usher_arena *arena)
{
    *units = (struct units){.count = count, .free = count};
    if (count == 0)
        return;
    size_t words = word_count(count); /* of the sold bits; then of each level of the free ones */
    for (uint32_t bits = count; bits > 1; bits = word_count(bits))
        words += word_count(bits);
    uint64_t *at = usher_arena_alloc(arena, (words + 1) * sizeof(*at));
    for (uint32_t bits = count;; bits = word_count(bits)) {
        assert(units->level_count < UNITS_LEVELS_MAX);
        units->free_bits[units->level_count++] = at;
        fill(at, bits);
        at += word_count(bits);
        if (bits <= WORD_BITS)
            break;
    }
    units->sold_bits = at;
}

bool units_is_free(const struct units *units, uint32_t unit)
{
    assert(unit < units->count);
    return (units->free_bits[0][unit / WORD_BITS] & bit(unit)) != 0;
}

enum booking_state units_state(const struct units *units, uint32_t unit)
{
    if (units_is_free(units, unit))
        return BOOKING_NONE;
    return units->sold_bits[unit / WORD_BITS] & bit(unit) ? BOOKING_CONFIRMED : BOOKING_HELD;
}

/* The lowest set bit >= from of the first `bits` bits of a level, within its word; else `bits`. */
static uint32_t next_in_word(const uint64_t *words, uint32_t bits, uint32_t from)
{
    if (from >= bits)
        return bits;
    uint64_t rest = words[from / WORD_BITS] & ~(bit(from) - 1);
    return rest == 0 ? bits : from / WORD_BITS * WORD_BITS + (uint32_t)__builtin_ctzll(rest);
}

uint32_t units_next_free(const struct units *units, uint32_t from)
{
    uint32_t sizes[UNITS_LEVELS_MAX];
    uint32_t bits = units->count;
    for (uint32_t level = 0; level < units->level_count; level++) {
        sizes[level] = bits;
        uint32_t found = next_in_word(units->free_bits[level], bits, from);
        if (found < bits) {
            /* Down again: the first set bit of a word that is known not to be empty. */
            while (level-- > 0)
                found = next_in_word(units->free_bits[level], sizes[level], found * WORD_BITS);
            return found;
        }
        from = from / WORD_BITS + 1;
        bits = word_count(bits);
    }
    return units->count;
}

uint32_t units_next_taken(const struct units *units, uint32_t from, uint32_t end)
{
    assert(end <= units->count);
    while (from < end) {
        uint64_t taken = ~units->free_bits[0][from / WORD_BITS] & ~(bit(from) - 1);
        uint32_t base = from / WORD_BITS * WORD_BITS;
        if (taken != 0) {
            uint32_t found = base + (uint32_t)__builtin_ctzll(taken);
            return found < end ? found : end;
        }
        from = base + WORD_BITS;
    }
    return end;
}

uint32_t units_taken_end(const struct units *units)
{
    if (units->free == units->count)
        return 0;
    uint32_t end = units->count;
    while (units_is_free(units, end - 1))
        end--;
    return end;
}

void units_take(struct units *units, uint32_t unit, enum booking_state state)
{
    assert(units_is_free(units, unit));
    assert(state == BOOKING_HELD || state == BOOKING_CONFIRMED);
    for (uint32_t level = 0, at = unit; level < units->level_count; level++, at /= WORD_BITS) {
        uint64_t *word = &units->free_bits[level][at / WORD_BITS];
        *word &= ~bit(at);
        if (*word != 0)
            break;
    }
    units->free--;
    if (state == BOOKING_HELD) {
        units->held++;
    } else {
        units->sold_bits[unit / WORD_BITS] |= bit(unit);
        units->sold++;
    }
}

void units_sell(struct units *units, uint32_t unit)
{
    assert(units_state(units, unit) == BOOKING_HELD);
    units->sold_bits[unit / WORD_BITS] |= bit(unit);
    units->held--;
    units->sold++;
}

void units_give(struct units *units, uint32_t unit)
{
    enum booking_state state = units_state(units, unit);
    assert(state != BOOKING_NONE);
    for (uint32_t level = 0, at = unit; level < units->level_count; level++, at /= WORD_BITS)
        units->free_bits[level][at / WORD_BITS] |= bit(at);
    units->sold_bits[unit / WORD_BITS] &= ~bit(unit);
    units->free++;
    if (state == BOOKING_HELD)
        units->held--;
    else
        units->sold--;
}

static bool levels_agree(const struct units *units)
{
    uint32_t bits = units->count;
    for (uint32_t level = 0; level + 1 < units->level_count; level++) {
        for (uint32_t word = 0; word < word_count(bits); word++) {
            bool summary = (units->free_bits[level + 1][word / WORD_BITS] & bit(word)) != 0;
            if (summary != (units->free_bits[level][word] != 0))
                return false;
        }
        bits = word_count(bits);
    }
    return true;
}

bool units_check(const struct units *units)
{
    uint32_t seen[BOOKING_STATE_COUNT] = {0};
    for (uint32_t unit = 0; unit < units->count; unit++)
        seen[units_state(units, unit)]++;
    return seen[BOOKING_NONE] == units->free && seen[BOOKING_HELD] == units->held &&
           seen[BOOKING_CONFIRMED] == units->sold && units->blocked == 0 && levels_agree(units);
}
