/*
 * `usher-worker prune` and `forget-customer`: delete resources that are long over, and replace a
 * customer's name.
 */
#ifndef USHER_WORKER_PROGRAM_COMMAND_PRUNE_H
#define USHER_WORKER_PROGRAM_COMMAND_PRUNE_H

#include "worker/program/worker_options.h"

extern const struct program_command prune_command;

/*
 * ==== Forget-customer ====
 *
 * The command `forget-customer`.
 */

extern const struct program_command forget_command;

#endif
