/*
 * Checks or draws the rows of a hall.
 */
#ifndef USHER_PRODUCER_PROGRAM_CHART_COMMAND_H
#define USHER_PRODUCER_PROGRAM_CHART_COMMAND_H

#include "producer/terminal/program.h"

enum usher_exit chart_command(const struct program_command *command, struct options *options,
                              struct usher_error *err);

#endif
