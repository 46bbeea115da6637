/*
 * Runs of set bits within a row. PURE.
 */
#include "worker/inventory/seat_runs.h"

enum {
    WORD_BITS = 64
};

/* The lowest unit in [from, end) whose bit is set, or is clear where `flip` is all ones; `end`. */
static inline uint32_t next_bit(const uint64_t *bits, uint64_t flip, uint32_t from, uint32_t end)
{
    if (from >= end)
        return end;
    uint32_t word = from / WORD_BITS;
    uint64_t rest = (bits[word] ^ flip) & UINT64_MAX << from % WORD_BITS;
    while (rest == 0) {
        if (++word * WORD_BITS >= end)
            return end;
        rest = bits[word] ^ flip;
    }
    uint32_t found = word * WORD_BITS + (uint32_t)__builtin_ctzll(rest);
    return found < end ? found : end;
}

struct seat_run seat_runs_next(const uint64_t *bits, const struct seat_row *row, uint32_t from)
{
    uint32_t end = row->first_unit + row->seats;
    uint32_t first = next_bit(bits, 0, from, end);
    return (struct seat_run){first, next_bit(bits, UINT64_MAX, first, end) - first};
}
