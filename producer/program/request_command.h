/* Builds one request from options, publishes it, and says how to repeat it if no answer came. */
#ifndef USHER_PRODUCER_PROGRAM_REQUEST_COMMAND_H
#define USHER_PRODUCER_PROGRAM_REQUEST_COMMAND_H

#include "producer/base/options.h"
#include "producer/terminal/program.h"
#include "usher/message.h"

enum usher_exit request_command(const struct program_command *command, struct options *options,
                                struct usher_error *err);

/*
 * ==== Repeating a request ====
 *
 * How to repeat a request that was not answered: what must be given so that it is the same one.
 */

/*
 * Returns "--request-id ID" and each flag that was given as a time from now on, such as +1d, as the
 * instant that it was: later it would be another, and the request another one. In the options'
 * arena.
 */
const char *request_again(struct options *options, const struct usher_request *request);

#endif
