/*
 * All commands of usher-producer.
 */
#ifndef USHER_PRODUCER_PROGRAM_COMMANDS_H
#define USHER_PRODUCER_PROGRAM_COMMANDS_H

#include "producer/program/command.h"

/* In the order in which they are listed. */
extern const struct command commands[];
extern const size_t command_count;

#endif
