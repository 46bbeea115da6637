/*
 * What an operator gives up for a partition to continue: requests that are skipped, decisions that
 * the database lost. Shows the loss and asks for confirmation; pg_partition changes the row.
 */
#ifndef USHER_WORKER_PROGRAM_PARTITION_LOSS_H
#define USHER_WORKER_PROGRAM_PARTITION_LOSS_H

#include <stdint.h>

#include "worker/program/report.h"

/*
 * Skips the requests of a partition before --to. FATAL: 64 an option is missing, or not confirmed;
 * 65 the partition cannot skip to that offset, or it moved meanwhile; 77 not the owner of the
 * schema. RETRY: a dependency is away (69).
 */
USHER_MUST_CHECK enum usher_status partition_skip(struct report *report, int32_t partition,
                                                  struct usher_error *err);

/*
 * Lets the partition continue after the last seq that was answered; or, if the lost decisions were
 * not published yet, with answers in their place that say so. FATAL: 64 --why is missing, or not
 * confirmed; 65 the database has lost nothing, or the partition moved meanwhile; 77 not the owner
 * of the schema. RETRY: a dependency is away (69).
 */
USHER_MUST_CHECK enum usher_status partition_accept_loss(struct report *report, int32_t partition,
                                                         struct usher_error *err);

#endif
