/*
 * How many records one load may ask for: as many as fitted where the database did not serve them
 * all at once, half as many after a load that failed, as one does that takes too long, and more
 * again with each load that brought everything behind those. PURE.
 */
#ifndef USHER_WORKER_PARTITION_PORTION_H
#define USHER_WORKER_PARTITION_PORTION_H

#include <stdint.h>

struct portion {
    uint32_t limit;       /* records of a batch */
    uint32_t records;     /* that a load may ask for now, from 1 to the limit */
    uint32_t halvings;    /* of the bounds of the load itself, for a single record may need much */
    int64_t until_offset; /* below it nothing grows: these records were in a load that failed, or
                             are like those of which more did not fit */
};

void portion_init(struct portion *portion, uint32_t limit);

/*
 * Notes that a load for `asked` records failed; `taken_until` is the offset after the last record
 * that was taken.
 */
void portion_failed(struct portion *portion, uint32_t asked, int64_t taken_until);

/*
 * Notes that of the `asked` records that a load was for, from `next_offset` on, `covered` have all
 * that they need.
 */
void portion_loaded(struct portion *portion, int64_t next_offset, uint32_t asked, uint32_t covered);

#endif
