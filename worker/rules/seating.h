/*
 * The choice of seats for a party that leaves it to usher. PURE: it knows rows, runs of free seats
 * and strategies, neither the request nor its refusal. It takes no seats.
 *
 * One piece (neighbours in one row) is better than several. Among the places of one piece, one that
 * leaves no orphan is better: an orphan is a single free seat, with taken seats or the row's end on
 * both sides, in the run that the piece is cut from. Among those, by strategy:
 *
 * - best: the lowest sum of ranks, then the first row in chart order (a row without ranks beside
 *   ranked ones: each of its seats counts INT32_MAX; where no row has any, chart order decides). In
 *   the row, of equal sums, the place nearest to its middle (smallest
 *   |2 * first + quantity - (2 * row.first_unit + row.seats)|), the lower of equals.
 * - first: the first row in chart order, in it the lowest place.
 * - random: rows in chart order from row r on, going round: r = splitmix64(seed) % rows; in the
 *   first row that has places, the one at index splitmix64(seed + 1) % places, counted from the
 *   lowest. splitmix64(x) is the first output of the generator with state x.
 *
 * Where no row has room for all and they need not sit together: as few pieces as possible, near the
 * first: the longest run (the first of equals) is taken whole; then again and again, of the runs
 * that allow no more pieces than taking the longest would, the one whose row is nearest to the row
 * of the first piece (the earlier row of equals, the lower run). The last piece is the low end of
 * its run.
 *
 * A pool can spare seats. A party that does not ask for spared seats is seated as if they were
 * taken. If the party cannot be seated so, it is seated as if they were seats like any others.
 *
 * Seats that lack a wanted feature, or have one to be avoided, count as taken for that party.
 */
#ifndef USHER_WORKER_RULES_SEATING_H
#define USHER_WORKER_RULES_SEATING_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/resource.h"
#include "worker/inventory/seats.h"

/*
 * ==== Filter ====
 *
 * A party and the seats that it would accept.
 */

struct party {
    uint32_t quantity; /* at least 1 */
    bool together;     /* refuse rather than split */
    bool spare;        /* spared seats count as taken, if there is room without them */
    enum usher_strategy strategy;
    uint64_t seed; /* of RANDOM */
    const char *const *features;
    uint32_t feature_count;
    const char *const *avoid;
    uint32_t avoid_count;
    const struct usher_member *members; /* who they are, `quantity` together: see members.h */
    uint32_t member_count;
    const int32_t *among; /* the only free units that it may have; NULL: any */
    uint32_t among_count;
};

/* Whether a seat has all features that the party wants, and none that it avoids. */
bool seating_accepts(const struct pool *pool, const struct party *party, uint32_t unit);

/* Counts the free seats that the party would accept. */
uint32_t seating_free(const struct pool *pool, const struct party *party);

/* Returns those seats, a bit per unit: the pool's own, or made in `scratch`. */
const uint64_t *seating_accepted(const struct pool *pool, const struct party *party,
                                 struct usher_arena *scratch);

/* Counts the seats of such a set. */
uint32_t seating_count(const struct pool *pool, const uint64_t *bits);

/* Returns the seats of a row that have a feature, or NULL. */
const struct usher_row_feature *seating_feature_of(const struct seat_row *row, const char *feature);

/* Whether the seat at a place of the row has it. */
bool seating_has_feature(const struct seat_row *row, const char *feature, uint32_t place);

/* ==== Seating ==== */

struct seating {
    uint32_t pieces; /* 0: the party cannot be seated */
    bool orphan;     /* the one piece leaves an orphan */
};

/*
 * Chooses free seats of a pool with rows for a party and writes their units, `quantity` of them, by
 * piece in the order chosen, each from its lowest seat on. `scratch` is for the time of the call.
 */
struct seating seating_choose(const struct pool *pool, const struct party *party,
                              struct usher_arena *scratch, int32_t *units);

/* Returns how far the middle of a place is from that of its row, in half seats. */
uint64_t seating_off_middle(const struct seat_row *row, uint32_t first, uint32_t quantity);

/* Returns the most free seats side by side that the party would accept. */
uint32_t seating_longest(const struct pool *pool, const struct party *party);

#endif
