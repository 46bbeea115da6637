/*
 * What is taken must not be defined away. PURE.
 */
#ifndef USHER_WORKER_RULES_MERGE_USE_H
#define USHER_WORKER_RULES_MERGE_USE_H

#include "worker/rules/merge_refuse.h"

/* Refuses where units that are taken would go, or become other seats. */
void merge_check_use(struct merge *merge);

#endif
