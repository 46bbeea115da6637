/*
 * Publishes requests given as JSON lines.
 */
#ifndef USHER_PRODUCER_PROGRAM_SEND_COMMAND_H
#define USHER_PRODUCER_PROGRAM_SEND_COMMAND_H

#include "producer/terminal/program.h"

enum usher_exit send_command(const struct program_command *command, struct options *options,
                             struct usher_error *err);

#endif
