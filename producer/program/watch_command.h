/*
 * Follows the answers.
 */
#ifndef USHER_PRODUCER_PROGRAM_WATCH_COMMAND_H
#define USHER_PRODUCER_PROGRAM_WATCH_COMMAND_H

#include "producer/program/command.h"

enum usher_exit watch_command(const struct command *command, struct options *options,
                              struct usher_error *err);

#endif
