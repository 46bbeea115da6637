/* The commands of usher-producer. */
#ifndef USHER_PRODUCER_PROGRAM_COMMANDS_H
#define USHER_PRODUCER_PROGRAM_COMMANDS_H

#include <stddef.h>

#include "producer/terminal/program.h"

/*
 * All of them, in the order in which the help lists them. Those that send one request are called as
 * their operation. Makes the tables of their options at the first call; not thread-safe.
 */
const struct program_command *const *producer_commands(size_t *count);

#endif
