/*
 * Says on standard error how far something has come, once it has taken two seconds: a person who
 * waits wants to know what for. A line that is written over on a terminal, else one now and then.
 */
#ifndef USHER_PRODUCER_TERMINAL_PROGRESS_H
#define USHER_PRODUCER_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"

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
