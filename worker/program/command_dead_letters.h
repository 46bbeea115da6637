/* `usher-worker dead-letters list|show|resend`: records that could not be processed. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_DEAD_LETTERS_H
#define USHER_WORKER_PROGRAM_COMMAND_DEAD_LETTERS_H

#include "worker/program/worker_command.h"

extern const struct worker_command dead_letters_command;

#endif
