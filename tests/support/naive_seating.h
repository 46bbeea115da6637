/*
 * Seating by brute force: what the rules of seating.h come to when every place is tried.
 */
#ifndef TESTS_NAIVE_SEATING_H
#define TESTS_NAIVE_SEATING_H

#include "worker/rules/seating.h"

enum {
    NAIVE_SEATS_MAX = 600
};

/* Looks at the hall as that party does: the seats that it would accept. One hall at a time. */
void naive_see(const struct pool *pool, const struct party *party);

/* Seats the party that the hall was seen by. Seats of a party in pieces are gone afterwards. */
struct seating naive_choose(const struct party *party, int32_t *units);

uint32_t naive_free(void);
uint32_t naive_longest(void);

/* The lowest sum of ranks in a row: of places without an orphan, else of any; INT64_MAX. */
int64_t naive_lowest_sum(uint32_t row, uint32_t quantity);

#endif
