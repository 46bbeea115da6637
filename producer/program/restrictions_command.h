/* The command that turns stay restrictions, as channel managers send them, into defines. */
#ifndef USHER_PRODUCER_PROGRAM_RESTRICTIONS_COMMAND_H
#define USHER_PRODUCER_PROGRAM_RESTRICTIONS_COMMAND_H

#include "producer/terminal/program.h"

enum usher_exit restrictions_command(const struct program_command *command, struct options *options,
                                     struct usher_error *err);

#endif
