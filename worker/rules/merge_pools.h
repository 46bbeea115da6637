/*
 * The pools of a definition. PURE.
 */
#ifndef USHER_WORKER_RULES_MERGE_POOLS_H
#define USHER_WORKER_RULES_MERGE_POOLS_H

#include "worker/rules/merge_refuse.h"

void merge_section(struct merge *merge, const struct usher_section *section);
void merge_room(struct merge *merge, const struct usher_room *room);
void merge_product(struct merge *merge, const struct usher_product *product);

/* Notes that pools which are again what they were are not to be written: entries override others.
 */
void merge_keep_equal(struct merge *merge);

#endif
