/*
 * Units that are held, sold or blocked, protected from a definition. PURE.
 */
#ifndef USHER_WORKER_RULES_MERGE_USE_H
#define USHER_WORKER_RULES_MERGE_USE_H

#include "worker/rules/merge_refuse.h"

/* Refuses if taken units would disappear or become other seats. */
void merge_check_use(struct merge *merge);

#endif
