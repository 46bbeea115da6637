/*
 * Runs of set bits within a row. PURE.
 */
#include "worker/inventory/seat_runs.h"

#include "worker/base/bits.h"

struct seat_run seat_runs_next(const uint64_t *bits, const struct seat_row *row, uint32_t from)
{
    uint32_t end = row->first_unit + row->seats;
    uint32_t first = bits_next(bits, from, end);
    return (struct seat_run){first, bits_next_clear(bits, first, end) - first};
}
