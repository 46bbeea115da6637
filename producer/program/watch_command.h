/* Follows the answers. */
#ifndef USHER_PRODUCER_PROGRAM_WATCH_COMMAND_H
#define USHER_PRODUCER_PROGRAM_WATCH_COMMAND_H

#include "producer/base/options.h"
#include "producer/terminal/program.h"
#include "usher/client.h"
#include "usher/message.h"

enum usher_exit watch_command(const struct program_command *command, struct options *options,
                              struct usher_error *err);

#endif
