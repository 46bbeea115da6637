/*
 * `usher-worker partition accept-loss`: says which decisions the database lost, asks, and lets the
 * partition go on behind them. Knows the result log and the partition's row, not how the row is
 * moved.
 */
#ifndef USHER_WORKER_PROGRAM_ACCEPTING_H
#define USHER_WORKER_PROGRAM_ACCEPTING_H

#include "worker/program/look.h"

/*
 * Lets the partition go on behind the last seq that was answered; or, where what it lost was not
 * published yet, with answers in its place that say so. FATAL: 64 --why is missing, or
 * nobody is there to say yes; 65 the database has lost nothing, or the partition moved meanwhile;
 * 77 not the owner of the schema. RETRY: a dependency is away (69).
 */
USHER_MUST_CHECK enum usher_status accepting_run(struct looking *looking, int32_t partition,
                                                 struct usher_error *err);

#endif
