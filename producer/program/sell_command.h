/* The commands of requests, over several resources: a cart of --line options, by a seller. */
#ifndef USHER_PRODUCER_PROGRAM_SELL_COMMAND_H
#define USHER_PRODUCER_PROGRAM_SELL_COMMAND_H

#include "producer/terminal/program.h"
#include "usher/message.h"

/*
 * hold, book, confirm, extend or release of all lines. Exit code 3 where not all lines are as they
 * were to be, which are named; 75 where it is not known: the same command again finds out.
 */
enum usher_exit sell_command(const struct program_command *command, struct options *options,
                             struct usher_error *err);

#endif
