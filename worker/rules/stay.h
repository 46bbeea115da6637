/*
 * Rules of stay: how a define sets the restrictions of dates, and whether they allow a stay. PURE.
 */
#ifndef USHER_WORKER_RULES_STAY_H
#define USHER_WORKER_RULES_STAY_H

#include "usher/message.h"
#include "worker/inventory/resource.h"

/*
 * Returns whether a rule forbids the stay of an item of that room type, by its rate; then sets
 * `restricted` to the first such rule, and to what would do. Nights may be missing or removed.
 */
bool stay_is_restricted(const struct resource *resource, const struct pool_name *name,
                        const struct usher_item *item, struct usher_restricted *restricted);

/*
 * Merges the entries of a define, one after the other, into the dates that they cover: rules that
 * an entry does not give stay. Returns why they are refused, in `arena`, and changes nothing then:
 * a night or rate that there is not. NULL: they are not.
 */
const char *stay_merge(struct resource *resource, const struct usher_restriction *entries,
                       uint32_t count, struct usher_arena *arena);

/* Rules of a rate that a night no longer has go with it. */
void stay_keep_rates(struct resource *resource, struct pool *pool, struct usher_arena *arena);

/*
 * Returns the text of why no stay could meet the rules of a night, or NULL: one could. By all rates
 * alone, and by each rate together with them.
 */
const char *stay_contradiction(const struct pool *pool, struct usher_arena *arena);

#endif
