/*
 * Defines resources.
 */
#ifndef USHER_PRODUCER_PROGRAM_DEFINE_COMMAND_H
#define USHER_PRODUCER_PROGRAM_DEFINE_COMMAND_H

#include "producer/terminal/program.h"

enum usher_exit define_command(const struct program_command *command, struct options *options,
                               struct usher_error *err);

#endif
