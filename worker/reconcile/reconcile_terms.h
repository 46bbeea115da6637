/*
 * Proofs about the terms of one resource: what it is sold under, held against what was sold.
 *
 * More may be sold than a quota or a limit allows, without anything being wrong: a define may lower
 * it below what is in use, and nothing more is given then. So that is a note, not a difference;
 * only terms that cannot be applied are a difference.
 */
#ifndef USHER_WORKER_RECONCILE_RECONCILE_TERMS_H
#define USHER_WORKER_RECONCILE_RECONCILE_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/model/loads.h"
#include "worker/reconcile/reconcile_report.h"

/* Whether something limits single customers, so that their units are to be counted. */
bool reconcile_limits_customers(const struct loaded_resource *loaded);

/*
 * Checks that the terms can be read and name pools that there are or were; notes quotas and
 * customers that are above their limits. `tallies` are of this resource, by customer and booking;
 * none where nothing limits customers. Returns how many differences there are.
 */
uint64_t reconcile_terms(const struct loaded_resource *loaded, const struct load_tally *tallies,
                         uint32_t tally_count, const struct reconcile_report *report);

#endif
