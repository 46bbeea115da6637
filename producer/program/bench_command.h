/*
 * Runs the load generator and prints its figures.
 */
#ifndef USHER_PRODUCER_PROGRAM_BENCH_COMMAND_H
#define USHER_PRODUCER_PROGRAM_BENCH_COMMAND_H

#include "producer/program/command.h"

enum usher_exit bench_command(const struct command *command, struct options *options,
                              struct usher_error *err);

#endif
