/* The commands of usher-producer. */
#ifndef USHER_PRODUCER_PROGRAM_COMMANDS_H
#define USHER_PRODUCER_PROGRAM_COMMANDS_H

#include <stddef.h>

#include "producer/terminal/program.h"

/* All of them, in the order in which the help lists them. Not thread-safe. */
const struct program_command *const *producer_commands(size_t *count);

#endif
