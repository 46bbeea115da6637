/*
 * What a command of usher-worker is: its name, its options, its help, and how it runs. A command's
 * file has its row; worker_commands.c lists them.
 */
#ifndef USHER_WORKER_PROGRAM_WORKER_COMMAND_H
#define USHER_WORKER_PROGRAM_WORKER_COMMAND_H

#include "producer/base/option_types.h"
#include "usher/status.h"

struct worker_command {
    const char *name;
    /* For the usage line, a word each: "up|list|print"; "": none. The last may be "[ID...]": any.
     */
    const char *arguments;
    const char *help;          /* a sentence */
    const char *details;       /* further help, in lines; NULL */
    const char *example;       /* what follows "usher-worker" */
    struct option_table table; /* what it uses; the options of other commands are accepted */
    /* argv[0] is the command's name. */
    enum usher_exit (*run)(int argc, char *const *argv);
};

/* A group of options, from its heading and an array of them. */
#define WORKER_GROUP(title_, specs_)                                                      \
    {                                                                                     \
        .title = (title_), .specs = (specs_), .count = sizeof(specs_) / sizeof(specs_)[0] \
    }

/* The groups of a command, and those that all commands have, as the table of a row. */
#define WORKER_TABLE(groups_)                                                    \
    {                                                                            \
        .groups = (groups_), .group_count = sizeof(groups_) / sizeof(groups_)[0] \
    }

#endif
