/*
 * What manual pages and completions are made of: the commands of a program with their options, as
 * its own help has them.
 */
#ifndef USHER_MANUAL_MANUAL_H
#define USHER_MANUAL_MANUAL_H

#include <stdio.h>

#include "producer/base/option_value.h"
#include "producer/terminal/program.h"

struct manual_exit {
    int code;
    const char *meaning;
};

struct manual_program {
    const char *name, *purpose, *description;
    const char *section;   /* of the manual: "1", "8" */
    const char *others[2]; /* the pages to see also, by section and name: "usher-worker 8" */
    const char *pages;     /* of help, as those of struct program; NULL */
    const struct program_command *const *commands;
    size_t command_count;
    const struct manual_exit *exits; /* ended by a meaning of NULL */
};

/* "TEXT", "N", or the name that the option gives its value; NULL: it takes none. */
const char *manual_value_name(const struct option_spec *spec);

/* A page in mdoc(7), as of `date`: "November 22, 2026". */
void manual_page(const struct manual_program *program, const char *date, FILE *out);

/* Completions for the three shells. */
void manual_bash(const struct manual_program *program, FILE *out);
void manual_zsh(const struct manual_program *program, FILE *out);
void manual_fish(const struct manual_program *program, FILE *out);

#endif
