/*
 * What a booking had, planned again. PURE.
 */
#ifndef USHER_WORKER_RULES_PLAN_AGAIN_H
#define USHER_WORKER_RULES_PLAN_AGAIN_H

#include "worker/rules/plan.h"

/*
 * Takes again what a booking had, at its prices: the very same seats, as many of the others. Items
 * for which that is not possible become shortfalls.
 */
void plan_again(struct plan *plan, const struct line *lines, uint32_t line_count);

#endif
