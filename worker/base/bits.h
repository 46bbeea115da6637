/*
 * Bits in words of 64, numbered from 0. PURE.
 */
#ifndef USHER_WORKER_BASE_BITS_H
#define USHER_WORKER_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BITS_PER_WORD = 64
};

/* Returns how many words `count` bits take. */
static inline uint32_t bits_words(uint32_t count)
{
    return count / BITS_PER_WORD + (count % BITS_PER_WORD != 0);
}

/* Returns the bit within its word. */
static inline uint64_t bits_mask(uint32_t at)
{
    return UINT64_C(1) << at % BITS_PER_WORD;
}

static inline bool bits_has(const uint64_t *words, uint32_t at)
{
    return (words[at / BITS_PER_WORD] & bits_mask(at)) != 0;
}

static inline void bits_set(uint64_t *words, uint32_t at)
{
    words[at / BITS_PER_WORD] |= bits_mask(at);
}

static inline void bits_clear(uint64_t *words, uint32_t at)
{
    words[at / BITS_PER_WORD] &= ~bits_mask(at);
}

/* Finds a bit that is set once the words are flipped; for the two below. */
static inline uint32_t bits_find(const uint64_t *words, uint64_t flip, uint32_t from, uint32_t end)
{
    if (from >= end)
        return end;
    uint32_t word = from / BITS_PER_WORD;
    uint64_t rest = (words[word] ^ flip) & UINT64_MAX << from % BITS_PER_WORD;
    while (rest == 0) {
        if (++word * BITS_PER_WORD >= end)
            return end;
        rest = words[word] ^ flip;
    }
    uint32_t found = word * BITS_PER_WORD + (uint32_t)__builtin_ctzll(rest);
    return found < end ? found : end;
}

/* Finds the lowest bit in [from, end) that is set, or that is not; `end`: there is none. */
static inline uint32_t bits_next(const uint64_t *words, uint32_t from, uint32_t end)
{
    return bits_find(words, 0, from, end);
}

static inline uint32_t bits_next_clear(const uint64_t *words, uint32_t from, uint32_t end)
{
    return bits_find(words, UINT64_MAX, from, end);
}

#endif
