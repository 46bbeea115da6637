/*
 * `usher-worker resources`, `bookings`, `carts`, `history`, `takings`, `waiting`: lists; `cart`:
 * one of them.
 */
#ifndef USHER_WORKER_PROGRAM_COMMAND_LIST_H
#define USHER_WORKER_PROGRAM_COMMAND_LIST_H

#include "worker/program/worker_options.h"

extern const struct program_command resources_command, bookings_command, carts_command,
    cart_command, history_command, takings_command, waiting_command;

#endif
