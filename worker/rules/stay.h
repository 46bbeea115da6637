/*
 * Stay restrictions: how a define sets the rules of dates, and whether the rules allow a stay.
 * PURE.
 */
#ifndef USHER_WORKER_RULES_STAY_H
#define USHER_WORKER_RULES_STAY_H

#include "usher/message.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

/*
 * Returns whether a rule forbids the stay of an item of that room type, at its rate. Then sets
 * `restricted` to the first such rule, and to what this rule would allow. An item without a rate
 * can have any rate of the first night. If all of these forbid the stay, the rule is that of the
 * first. Nights may be missing or removed.
 */
bool stay_is_restricted(const struct resource *resource, const struct pool_name *name,
                        const struct usher_item *item, struct usher_restricted *restricted);

/*
 * The same for a stay without a rate, at each rate of its lines: units that a booking had keep
 * their rate, and new ones have the first rate with room. For an item that names a rate: false.
 */
bool stay_lines_are_restricted(const struct resource *resource, const struct pool_name *name,
                               const struct usher_item *item, const struct line *lines,
                               uint32_t count, struct usher_restricted *restricted);

/*
 * Merges the restrictions of a define, one after the other, into their dates. Rules that are not
 * given stay. Returns why the restrictions are refused, in `arena`, and changes nothing then: a
 * night or rate that does not exist. NULL: they are accepted.
 */
const char *stay_merge(struct resource *resource, const struct usher_restriction *entries,
                       uint32_t count, struct usher_arena *arena);

/* Removes the rules of rates that a night no longer has. */
void stay_keep_rates(struct resource *resource, struct pool *pool);

/*
 * Returns the text of why no stay could meet the rules of a night, or NULL: some stay could. Looks
 * at the rules for all rates alone, and together with those of each rate.
 */
const char *stay_contradiction(const struct pool *pool, struct usher_arena *arena);

#endif
