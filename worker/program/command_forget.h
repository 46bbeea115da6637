/* The command `forget-customer`. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_FORGET_H
#define USHER_WORKER_PROGRAM_COMMAND_FORGET_H

#include "worker/program/worker_command.h"

extern const struct worker_command forget_command;

#endif
