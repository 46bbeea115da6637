/* Says on standard error how far something has come: see progress.h. */
#include "producer/terminal/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "producer/base/clock.h"

enum {
    FIRST_MS = 2000,
    TERMINAL_MS = 250,
    LOG_MS = 10000, /* where each line stays */
};

void progress_begin(struct progress *progress)
{
    *progress = (struct progress){
        .next_ms = clock_ms() + FIRST_MS,
        .is_terminal = isatty(STDERR_FILENO) == 1,
    };
}

void progress_show(struct progress *progress, const char *format, ...)
{
    int64_t now = clock_ms();
    va_list arguments;
    if (now < progress->next_ms)
        return;
    progress->next_ms = now + (progress->is_terminal ? TERMINAL_MS : LOG_MS);
    progress_clear(progress);
    va_start(arguments, format);
    int columns = vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (progress->is_terminal)
        progress->columns = columns;
    else
        fputc('\n', stderr);
}

void progress_clear(struct progress *progress)
{
    if (progress->columns > 0)
        fprintf(stderr, "\r%*s\r", progress->columns, "");
    progress->columns = 0;
}
