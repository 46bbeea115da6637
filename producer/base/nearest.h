/* Finds the most similar known name, for messages about unknown names. */
#ifndef USHER_PRODUCER_BASE_NEAREST_H
#define USHER_PRODUCER_BASE_NEAREST_H

#include <stddef.h>

/*
 * Of several candidates, offered one by one, keeps the nearest to a name (fewest letters inserted,
 * deleted, replaced or swapped). Zero-initialise, set `name`.
 */
struct nearest {
    const char *name;
    const char *best; /* the nearest so far, borrowed; NULL: none is near enough */
    size_t distance;
};

/* Offers one more. A name that begins like it, is its first word, or differs in at most a third of
 * the letters (at least two; one for very short names), can become the best. */
void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
