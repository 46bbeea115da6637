/*
 * The seats of a party whose members need different features. PURE: it knows rows and free seats,
 * neither the request nor its refusal. It takes no seats. Where no member needs a feature, the
 * party is seated as a quantity (seating.h).
 *
 * Every seat of a member has all features that the member needs. One piece is better than several.
 * Of the places for one piece, those with the fewest seats that some member needs are better, so
 * that such seats stay free. Of these places, those that leave no orphan are better. Of the rest
 * the strategy chooses, as seating.h says. `random` takes the first row, from row r on, that has
 * such a place.
 *
 * If no place has room for all, and they need not sit together, they sit in pieces. Each piece is
 * the longest after which all others can still be seated, even if apart. Of equally long pieces the
 * one in the row nearest to the first piece is chosen (of equally near rows the earlier one, in a
 * row the lowest seats).
 *
 * Who has which seat: the members, in the order of the request, take the first of the chosen seats
 * with which all others can still be seated.
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
 * Members that need the same features are a class. Members that need none are of no class. A set of
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

/* Counts the free seats that the members may have. If not all can be seated: how many can. */
uint32_t members_free(const struct members *members);

/* Whether members can use all of these seats, which they may have, whoever sits elsewhere. */
bool members_use(const struct members *members, const int32_t *units, uint32_t count);

/*
 * Chooses seats for all, which can be seated, and writes their units, those of the first member
 * first. The first `kept` units are there already, can all be used, and stay.
 */
struct seating members_seat(const struct members *members, uint32_t kept, int32_t *units);

#endif
