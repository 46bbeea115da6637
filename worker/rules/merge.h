/*
 * A definition merged into the catalogue of a resource, and checked as a whole. PURE.
 */
#ifndef USHER_WORKER_RULES_MERGE_H
#define USHER_WORKER_RULES_MERGE_H

#include "worker/rules/merge_refuse.h"

/*
 * Merges a definition into merge->resource: what it names is created or set, what it leaves out
 * stays.
 */
void merge_definition(struct merge *merge, const struct usher_definition *definition);

#endif
