/*
 * Builds one request from options and publishes it.
 */
#ifndef USHER_PRODUCER_PROGRAM_REQUEST_COMMAND_H
#define USHER_PRODUCER_PROGRAM_REQUEST_COMMAND_H

#include "producer/program/command.h"

enum usher_exit request_command(const struct command *command, struct options *options,
                                struct usher_error *err);

#endif
