/*
 * Halves fast and grows by what was seen to fit. PURE.
 */
#include "worker/partition/portion.h"

#include "worker/model/rows.h"

enum {
    HALVINGS_MAX = 16, /* then it is not the size of a load that makes it fail */
    ALIKE = 8,         /* loads of what fits, before more is tried again */
};

static uint32_t between(uint32_t least, uint32_t value, uint32_t most)
{
    return value < least ? least : value > most ? most : value;
}

void portion_init(struct portion *portion, uint32_t limit)
{
    *portion = (struct portion){.limit = limit, .records = limit, .until_offset = OFFSET_NONE};
}

void portion_failed(struct portion *portion, uint32_t asked, int64_t taken_until)
{
    uint32_t failed = asked > 0 && asked < portion->records ? asked : portion->records;
    portion->records = between(1, failed / 2, portion->limit);
    portion->halvings = between(0, portion->halvings + 1, HALVINGS_MAX);
    portion->until_offset = taken_until;
}

void portion_loaded(struct portion *portion, int64_t next_offset, uint32_t asked, uint32_t covered)
{
    if (covered < asked) {
        /* No more than what fitted, for a while: what a load left was read in vain. */
        portion->records = between(1, covered, portion->records);
        int64_t until_offset = next_offset + covered + ALIKE * (int64_t)portion->records;
        if (until_offset > portion->until_offset)
            portion->until_offset = until_offset;
        return;
    }
    if (portion->until_offset != OFFSET_NONE && next_offset < portion->until_offset)
        return;
    portion->records = between(1, 2 * portion->records, portion->limit);
    portion->halvings -= portion->halvings > 0;
}
