/*
 * `usher-worker status`: all partitions, whoever owns them; `workers`: those owners; and
 * `dead-letters`: records that could not be processed.
 */
#ifndef USHER_WORKER_PROGRAM_COMMAND_STATUS_H
#define USHER_WORKER_PROGRAM_COMMAND_STATUS_H

#include "worker/program/worker_options.h"

extern const struct program_command status_command, workers_command;

/*
 * ==== Dead-letters ====
 *
 * `usher-worker dead-letters list|show|resend`: records that could not be processed.
 */

extern const struct program_command dead_letters_command;

#endif
