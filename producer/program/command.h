/*
 * What a command of usher-producer is: its name, its options, its help, and how it runs.
 */
#ifndef USHER_PRODUCER_PROGRAM_COMMAND_H
#define USHER_PRODUCER_PROGRAM_COMMAND_H

#include "producer/base/options.h"
#include "usher/message.h"

struct command {
    const char *name;
    const char *arguments; /* for the usage line: "RESOURCE" */
    size_t argument_min, argument_max;
    enum usher_op op;    /* of those that send one request; else NONE */
    const char *help;    /* a sentence */
    const char *details; /* further help, in lines; NULL */
    const char *example; /* what follows "usher-producer" */
    const struct option_table *table;
    /* Runs with loaded options. Sets `err` where the exit code is not 0. */
    enum usher_exit (*run)(const struct command *command, struct options *options,
                           struct usher_error *err);
};

#endif
