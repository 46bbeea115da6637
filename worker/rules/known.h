/* An unknown name in an item, and the known names to suggest in its place. PURE. */
#ifndef USHER_WORKER_RULES_KNOWN_H
#define USHER_WORKER_RULES_KNOWN_H

#include "usher/message.h"
#include "worker/inventory/resource.h"

/* Whether anything is on sale under a name: a section, a product, or some night of a room type. */
bool known_is_on_sale(const struct resource *resource, const struct pool_name *name);

/* Sets an unknown name of a section, room type or product, beside those of its kind on sale. */
void known_set_pools(struct usher_shortfall *shortfall, const struct resource *resource,
                     enum usher_kind kind, const char *unknown, struct usher_arena *arena);

/* Sets an unknown rate, beside those of the pool. */
void known_set_rates(struct usher_shortfall *shortfall, const struct pool *pool,
                     const char *unknown, struct usher_arena *arena);

/* Whether some seat of the pool has the feature. */
bool known_has_feature(const struct pool *pool, const char *feature);

/* Sets an unknown feature, beside those that seats of the pools have. */
void known_set_features(struct usher_shortfall *shortfall, const struct pool *const *pools,
                        uint32_t pool_count, const char *unknown, struct usher_arena *arena);

#endif
