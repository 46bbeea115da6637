/* The command that checks requests before they are sent. */
#ifndef USHER_PRODUCER_PROGRAM_VALIDATE_COMMAND_H
#define USHER_PRODUCER_PROGRAM_VALIDATE_COMMAND_H

#include "producer/terminal/program.h"

enum usher_exit validate_command(const struct program_command *command, struct options *options,
                                 struct usher_error *err);

#endif
