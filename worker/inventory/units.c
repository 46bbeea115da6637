/*
 * A bit per number, set where it is open (not taken), and above it levels with a bit for each word
 * that is not empty. Below the limit what is open is free. Further bits hold the state of the taken
 * ones, without levels since they are never searched. PURE.
 */
#include "worker/inventory/units.h"

#include <assert.h>

#include "worker/base/bits.h"

/* `words` NULL: none is set. */
static bool has(const uint64_t *words, uint32_t at)
{
    return words && bits_has(words, at);
}

static void fill(uint64_t *words, uint32_t bits)
{
    for (uint32_t i = 0; i < bits / BITS_PER_WORD; i++)
        words[i] = UINT64_MAX;
    if (bits % BITS_PER_WORD != 0)
        words[bits / BITS_PER_WORD] = bits_mask(bits) - 1;
}

void units_init(struct units *units, uint32_t count, struct usher_arena *arena)
{
    *units = (struct units){.count = count, .limit = count, .free = count, .arena = arena};
    if (count == 0)
        return;
    size_t words = bits_words(count); /* of the sold bits; then of each level of the open ones */
    for (uint32_t bits = count; bits > 1; bits = bits_words(bits))
        words += bits_words(bits);
    uint64_t *at = usher_arena_alloc(arena, (words + 1) * sizeof *at);
    for (uint32_t bits = count;; bits = bits_words(bits)) {
        assert(units->level_count < UNITS_LEVELS_MAX);
        units->open_bits[units->level_count++] = at;
        fill(at, bits);
        at += bits_words(bits);
        if (bits <= BITS_PER_WORD)
            break;
    }
    units->sold_bits = at;
}

static bool is_open(const struct units *units, uint32_t unit)
{
    assert(unit < units->count);
    return bits_has(units->open_bits[0], unit);
}

bool units_is_free(const struct units *units, uint32_t unit)
{
    return is_open(units, unit) && unit < units->limit;
}

enum booking_state units_state(const struct units *units, uint32_t unit)
{
    if (is_open(units, unit))
        return BOOKING_NONE;
    if (has(units->sold_bits, unit))
        return BOOKING_CONFIRMED;
    return has(units->blocked_bits, unit) ? BOOKING_BLOCKED : BOOKING_HELD;
}

/* Many at once, without a question to each of them. */
void units_write(const struct units *units, uint32_t from, uint32_t end,
                 const char characters[BOOKING_STATE_COUNT], char *out)
{
    assert(end <= units->count);
    for (uint32_t unit = from; unit < end; unit++) {
        uint32_t word = unit / BITS_PER_WORD, bit = unit % BITS_PER_WORD;
        uint64_t taken = ~units->open_bits[0][word] >> bit & 1;
        uint64_t sold = units->sold_bits[word] >> bit & 1;
        uint64_t blocked = units->blocked_bits ? units->blocked_bits[word] >> bit & 1 : 0;
        *out++ = characters[taken * (BOOKING_HELD + sold * (BOOKING_CONFIRMED - BOOKING_HELD) +
                                     blocked * (BOOKING_BLOCKED - BOOKING_HELD))];
    }
}

/* ---- searching ---- */

/* The lowest set bit >= from of the first `bits` bits of a level, within its word; else `bits`. */
static uint32_t next_in_word(const uint64_t *words, uint32_t bits, uint32_t from)
{
    if (from >= bits)
        return bits;
    uint64_t rest = words[from / BITS_PER_WORD] & ~(bits_mask(from) - 1);
    return rest == 0 ? bits
                     : from / BITS_PER_WORD * BITS_PER_WORD + (uint32_t)__builtin_ctzll(rest);
}

uint32_t units_next_open(const struct units *units, uint32_t from)
{
    uint32_t sizes[UNITS_LEVELS_MAX];
    uint32_t bits = units->count;
    for (uint32_t level = 0; level < units->level_count; level++) {
        sizes[level] = bits;
        uint32_t found = next_in_word(units->open_bits[level], bits, from);
        if (found < bits) {
            /* Down again: the first set bit of a word that is known not to be empty. */
            while (level-- > 0)
                found = next_in_word(units->open_bits[level], sizes[level], found * BITS_PER_WORD);
            return found;
        }
        from = from / BITS_PER_WORD + 1;
        bits = bits_words(bits);
    }
    return units->count;
}

/* The highest open number below `end`; there is one. */
static uint32_t last_open(const struct units *units, uint32_t end)
{
    assert(end > 0);
    uint32_t word = (end - 1) / BITS_PER_WORD;
    uint64_t open = units->open_bits[0][word];
    if (end % BITS_PER_WORD != 0)
        open &= bits_mask(end) - 1;
    while (open == 0)
        open = units->open_bits[0][--word];
    return word * BITS_PER_WORD + (BITS_PER_WORD - 1) - (uint32_t)__builtin_clzll(open);
}

uint32_t units_next_free(const struct units *units, uint32_t from)
{
    uint32_t found = units_next_open(units, from);
    return found < units->limit ? found : units->count;
}

uint32_t units_next_taken(const struct units *units, uint32_t from, uint32_t end)
{
    assert(end <= units->count);
    return bits_next_clear(units->open_bits[0], from, end);
}

uint32_t units_taken_end(const struct units *units)
{
    uint32_t end = units->count;
    while (end > 0 && is_open(units, end - 1))
        end--;
    return end;
}

/* ---- changing ---- */

/* The limit below which that many numbers are open. */
static uint32_t limit_of(const struct units *units, uint32_t open)
{
    uint32_t word = 0;
    for (; open > 0; word++) {
        uint32_t here = (uint32_t)__builtin_popcountll(units->open_bits[0][word]);
        if (here >= open)
            break;
        open -= here;
    }
    if (open == 0)
        return word * BITS_PER_WORD;
    uint64_t left = units->open_bits[0][word];
    for (; open > 1; open--)
        left &= left - 1; /* without its lowest bit */
    return word * BITS_PER_WORD + (uint32_t)__builtin_ctzll(left) + 1;
}

void units_set_free(struct units *units, uint32_t free, uint32_t over)
{
    assert(free <= units->count && (free == 0 || over == 0));
    units->free = free;
    units->over = over;
    units->limit = limit_of(units, free);
    if (over == 0 && units_next_open(units, units->limit) == units->count)
        units->limit = units->count; /* none is retired */
}

void units_extend(struct units *units, uint32_t count)
{
    const struct units old = *units;
    if (count <= old.count)
        return;
    units_init(units, count, old.arena);
    for (uint32_t unit = units_next_taken(&old, 0, old.count); unit < old.count;
         unit = units_next_taken(&old, unit + 1, old.count))
        units_take(units, unit, units_state(&old, unit));
    units_set_free(units, old.free, old.over);
}

/* The bits that tell the state, but for HELD, which is the absence of both. */
static uint64_t *bits_of(struct units *units, enum booking_state state)
{
    assert(state == BOOKING_CONFIRMED || state == BOOKING_BLOCKED);
    if (state == BOOKING_BLOCKED && !units->blocked_bits) {
        units->blocked_bits =
            usher_arena_alloc(units->arena, bits_words(units->count) * sizeof(uint64_t));
    }
    return state == BOOKING_BLOCKED ? units->blocked_bits : units->sold_bits;
}

void units_take(struct units *units, uint32_t unit, enum booking_state state)
{
    assert(is_open(units, unit));
    assert(state == BOOKING_HELD || state == BOOKING_CONFIRMED || state == BOOKING_BLOCKED);
    for (uint32_t level = 0, at = unit; level < units->level_count; level++, at /= BITS_PER_WORD) {
        uint64_t *word = &units->open_bits[level][at / BITS_PER_WORD];
        *word &= ~bits_mask(at);
        if (*word != 0)
            break;
    }
    if (units->free == 0) {
        units->over++;
        units->limit = 0;
    } else {
        units->free--;
        if (unit >= units->limit)
            units->limit = last_open(units, units->limit);
    }
    if (state != BOOKING_HELD)
        bits_set(bits_of(units, state), unit);
}

void units_sell(struct units *units, uint32_t unit)
{
    assert(units_state(units, unit) == BOOKING_HELD);
    bits_set(units->sold_bits, unit);
}

void units_give(struct units *units, uint32_t unit)
{
    enum booking_state state = units_state(units, unit);
    assert(state != BOOKING_NONE);
    for (uint32_t level = 0, at = unit; level < units->level_count; level++, at /= BITS_PER_WORD)
        bits_set(units->open_bits[level], at);
    if (state != BOOKING_HELD)
        bits_clear(bits_of(units, state), unit);
    if (units->over > 0) {
        units->over--;
        return;
    }
    units->free++;
    if (unit >= units->limit)
        units->limit = units_next_open(units, units->limit) + 1;
}

/* ---- checking ---- */

static bool levels_agree(const struct units *units)
{
    uint32_t bits = units->count;
    for (uint32_t level = 0; level + 1 < units->level_count; level++) {
        for (uint32_t word = 0; word < bits_words(bits); word++) {
            bool summary = bits_has(units->open_bits[level + 1], word);
            if (summary != (units->open_bits[level][word] != 0))
                return false;
        }
        bits = bits_words(bits);
    }
    return true;
}

bool units_check(const struct units *units, struct unit_counts taken, uint32_t free)
{
    uint32_t seen[BOOKING_STATE_COUNT] = {0};
    uint32_t found = 0;
    for (uint32_t unit = 0; unit < units->count; unit++) {
        seen[units_state(units, unit)]++;
        found += units_is_free(units, unit);
        if (!is_open(units, unit) && has(units->sold_bits, unit) && has(units->blocked_bits, unit))
            return false;
    }
    return found == free && units->free == free && seen[BOOKING_HELD] == taken.held &&
           seen[BOOKING_CONFIRMED] == taken.sold && seen[BOOKING_BLOCKED] == taken.blocked &&
           units->limit <= units->count && levels_agree(units);
}
