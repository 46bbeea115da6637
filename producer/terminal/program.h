/*
 * The frame of a program with commands: finds the command, loads its options, runs it; prints the
 * help and the version. Does not know what a command does.
 */
#ifndef USHER_PRODUCER_TERMINAL_PROGRAM_H
#define USHER_PRODUCER_TERMINAL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "producer/base/options.h"
#include "usher/status.h"

struct program_command {
    const char *name;
    /* For the usage line, a word each: "check|draw FILE". The last may be left out, as
     * "[RESOURCE]", or be any number, as "[FILE...]"; "": none. */
    const char *arguments;
    const char *help;    /* a sentence */
    const char *details; /* further help, in lines; NULL */
    const char *example; /* what follows the name of the program */
    const struct option_table *table;
    const struct option_table *others; /* options of other commands, accepted all the same; NULL */
    /* Runs with loaded options. `err` has the complaint, unless it was printed or the code is 0. */
    enum usher_exit (*run)(const struct program_command *command, struct options *options,
                           struct usher_error *err);
};

struct program {
    const char *name;      /* "usher-worker" */
    const char *version;   /* what follows the name */
    const char *timezones; /* the release of the time zones that it has */
    const char *options;   /* what lines of usage call them: "[OPTIONS]" */
    const char *head;      /* of the help, in lines: how it is used, and for what */
    const char *foot;      /* behind its list of commands */
    const char *pages;     /* further help, in Markdown: a page behind each "### NAME"; NULL */
    bool shows_arguments;  /* in that list */
    const struct program_command *const *commands;
    size_t command_count;
    const struct program_other *others; /* commands of other programs; NULL: none */
};

/* A word that people take for a command of this program, and the command that they mean. */
struct program_other {
    const char *name, *meant; /* "show", "usher-worker show"; NULL behind the last one */
};

/* The name of the first page in what is given, of that size; those behind it follow. NULL: none. */
const char *program_page(const char *pages, size_t *size);

/* Runs the command that argv names; returns the exit code of the process. */
int program_run(const struct program *program, int argc, char **argv);

/*
 * Loads the options of a command as options_load does, those of other commands too, and has the log
 * follow them. Deinit the options in any case.
 */
USHER_MUST_CHECK enum usher_status program_load(struct options *options,
                                                const struct program_command *command, int argc,
                                                char *const *argv, struct usher_error *err);

/* Prints every option with its value and its source, as JSON if --json was given. */
void program_print_config(const struct options *options);

#endif
