/* `usher-worker dashboard`: serves what Redis shows to browsers. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_DASHBOARD_H
#define USHER_WORKER_PROGRAM_COMMAND_DASHBOARD_H

#include "producer/terminal/program.h"

extern const struct program_command dashboard_command;

#endif
