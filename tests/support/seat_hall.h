/*
 * A pool with rows and nothing around it: for tests and measurements of how seats are chosen.
 */
#ifndef TESTS_SEAT_HALL_H
#define TESTS_SEAT_HALL_H

#include "worker/inventory/seats.h"
#include "worker/rules/seating.h"

struct seat_hall {
    struct pool pool;
    struct usher_arena arena, scratch;
    uint64_t dice; /* of seat_hall_dice */
};

/* Rows of these lengths, all free, without ranks and features. */
void seat_hall_open(struct seat_hall *hall, const uint32_t *seats, uint32_t row_count);
void seat_hall_close(struct seat_hall *hall);

/* To be called after the rows were given ranks: what is known of them anew. */
void seat_hall_arrange(struct seat_hall *hall);

void seat_hall_take(struct seat_hall *hall, const int32_t *units, uint32_t count);
void seat_hall_give(struct seat_hall *hall, const int32_t *units, uint32_t count);

/* Chooses, and takes what was chosen. */
struct seating seat_hall_seat(struct seat_hall *hall, const struct party *party, int32_t *units);

/* 0 … sides - 1, replayable. */
uint32_t seat_hall_dice(struct seat_hall *hall, uint32_t sides);

/*
 * Sells to parties of 1 to 6 that sit together, by that strategy, until a pair is refused for the
 * first time (larger ones may be refused before and go away). Returns the seats sold.
 */
uint32_t seat_hall_fill_up(struct seat_hall *hall, enum usher_strategy strategy, uint64_t seed);

#endif
