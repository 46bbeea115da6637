/*
 * The limits and quotas of a definition. PURE.
 */
#ifndef USHER_WORKER_RULES_MERGE_TERMS_H
#define USHER_WORKER_RULES_MERGE_TERMS_H

#include "worker/rules/merge_refuse.h"

/* Merges limits and quotas; all pools are merged already. */
void merge_terms(struct merge *merge, const struct usher_definition *definition);

#endif
