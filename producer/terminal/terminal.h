/*
 * Where a program prints for people: how wide the terminal is, whether colours may be used, and
 * how far something has come. Knows nothing of what is printed.
 */
#ifndef USHER_PRODUCER_TERMINAL_TERMINAL_H
#define USHER_PRODUCER_TERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "producer/base/option_value.h"
#include "usher/status.h"

/* What a colour says, not which it is. */
enum terminal_colour {
    TERMINAL_PLAIN = 0,
    TERMINAL_GOOD,
    TERMINAL_BAD,
    TERMINAL_WARNING,
    TERMINAL_FAINT, /* of less weight than the rest */
    TERMINAL_STRONG,
};

struct terminal {
    FILE *out;
    bool is_terminal; /* a person reads, not a program or a file */
    bool colour;
    int width, height; /* columns, lines; 80 and 24 where nobody says */
};

/* --json and --color, of commands that print; both are flags only. */
extern const struct option_group output_options;

/*
 * Finds out about a stream. Colours are used on a terminal, unless NO_COLOR is set or TERM is
 * "dumb"; --color=always or never settles it. Without --color, and without options (NULL), as auto.
 */
struct terminal terminal_of(FILE *out, const struct options *options);

/* Begins and ends a colour; nothing where there are none. */
void terminal_begin(const struct terminal *terminal, enum terminal_colour colour);

void terminal_end(const struct terminal *terminal, enum terminal_colour colour);

/* Prints in a colour. */
void terminal_print(const struct terminal *terminal, enum terminal_colour colour,
                    const char *format, ...) USHER_PRINTF(3, 4);

/*
 * Writes text that came from others: "?" in place of each character that a terminal might obey, or
 * that makes a text read otherwise than it is: controls, bidirectional ones too, line separators.
 */
void terminal_write(FILE *out, const char *text, size_t size);

/*
 * Says on standard error what is wrong: "program: text" in a line, by terminal_write, since values
 * of others are named in it.
 */
void terminal_complain(const char *program, const char *format, ...) USHER_PRINTF(2, 3);

/* Says why a program ends: as a complaint, or where the log is JSON in a line of it. */
void terminal_end_program(const char *program, const char *text);

/* Columns of UTF-8, taking every character for one. */
int terminal_columns(const char *text);

/*
 * ==== Progress ====
 *
 * Says on standard error how far something has come, once it has taken two seconds: a person who
 * waits wants to know what for. A line that is written over on a terminal, else one now and then.
 */

struct progress {
    int64_t next_ms; /* CLOCK_MONOTONIC: nothing is shown before */
    bool is_terminal;
    int columns; /* of the line that is shown; 0: none */
};

void progress_begin(struct progress *progress);

/* Shows a line if it is time to; cheap otherwise. */
void progress_show(struct progress *progress, const char *format, ...) USHER_PRINTF(2, 3);

/* Removes the line from a terminal: before other output, and at the end. */
void progress_clear(struct progress *progress);

#endif
