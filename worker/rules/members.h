/*
 * The seats of a party whose members need different features. PURE: it knows rows and free seats,
 * neither the request nor its refusal. It takes no seats. Where no member needs a feature, the
 * party is seated as a quantity (seating.h).
 *
 * Every member has a seat with all features that it needs. One piece is better than several. Of the
 * places of one piece those are better that have fewer seats with what some member needs: the
 * others leave such seats free. Of those the ones that leave no orphan are better, and of those the
 * strategy chooses, as seating.h says. `random` takes the first row, from row r on, that has such
 * a place.
 *
 * Where no place has room for all and they need not sit together, they sit in pieces: again and
 * again the longest one with which all of the others can still be seated, however many of those
 * sit apart. Of equal ones it is the one in the row nearest to that of the first piece (the earlier
 * row of equals, the lowest seats).
 *
 * Which member has which seat: each in turn, as the request lists them, takes the first of the
 * chosen seats with which all others can still be seated.
 */
#ifndef USHER_WORKER_RULES_MEMBERS_H
#define USHER_WORKER_RULES_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/resource.h"
#include "worker/rules/seating.h"

enum {
    MEMBERS_SETS = 1 << USHER_MEMBERS_MAX
};

/*
 * Members that need the same features are a class. Those that need none are of no class. A set of
 * classes is a number with a bit per class.
 */
struct members {
    const struct pool *pool;
    const struct party *party;
    struct usher_arena *scratch;
    uint32_t class_count, set_count;
    uint32_t classes[USHER_MEMBERS_MAX];              /* of each member: as a bit; 0: of none */
    const struct usher_member *of[USHER_MEMBERS_MAX]; /* of each class: one that is of it */
    uint32_t others[MEMBERS_SETS]; /* by set: how many are of none of its classes */
    const uint64_t *bits;          /* the seats that the party may have */
    uint16_t *suits;               /* of each of them: the set of classes that it suits */
    uint64_t *suited_bits;         /* those that suit some class */
    uint16_t *row_suits;           /* of each row: the set of those that some seat suits */
    uint32_t free;                 /* how many they are … */
    uint32_t suited[MEMBERS_SETS]; /* … and, by set, how many suit one of its classes */
};

/* Whether some member needs a feature. */
bool members_need(const struct usher_member *members, uint32_t count);

/* Looks at the seats that the party may have; all lives in `scratch`. */
void members_see(struct members *members, const struct pool *pool, const struct party *party,
                 struct usher_arena *scratch);

/* Counts the free seats that they may have; where not all can be seated, how many can. */
uint32_t members_free(const struct members *members);

/* Whether so many seats, which they may have, can all be used, whoever sits elsewhere. */
bool members_use(const struct members *members, const int32_t *units, uint32_t count);

/*
 * Chooses seats for all, which can be seated, and writes their units, those of the first member
 * first. The first `kept` units are there already, can all be used, and stay.
 */
struct seating members_seat(const struct members *members, uint32_t kept, int32_t *units);

#endif
