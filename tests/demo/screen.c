/* Escape sequences only where standard output is a terminal that knows them. */
#include "screen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock_us.h"

enum {
    TERMINAL_INTERVAL_US = 100000,
    PLAIN_INTERVAL_US = 2000000,
};

void screen_init(struct screen *screen)
{
    const char *term = getenv("TERM");
    *screen = (struct screen){0};
    screen->terminal =
        isatty(STDOUT_FILENO) != 0 && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
    screen->colour = screen->terminal && getenv("NO_COLOR") == NULL;
    screen->progress_us = clock_us();
}

static const char *paint(const struct screen *screen, const char *escape)
{
    return screen->colour ? escape : "";
}

/* ---- lines ---- */

void screen_heading(const struct screen *screen, const char *format, ...)
{
    va_list arguments;
    printf("\n%s", paint(screen, "\x1b[1m"));
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("%s\n", paint(screen, "\x1b[0m"));
    fflush(stdout);
}

void screen_fact(const struct screen *screen, const char *name, const char *format, ...)
{
    va_list arguments;
    printf("  %s%-12s%s", paint(screen, "\x1b[2m"), name, paint(screen, "\x1b[0m"));
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

bool screen_check(const struct screen *screen, bool good, const char *format, ...)
{
    va_list arguments;
    printf("  %s%-8s%s", paint(screen, good ? "\x1b[32m" : "\x1b[1;31m"), good ? "ok" : "FAILED",
           paint(screen, "\x1b[0m"));
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
    return good;
}

/* ---- progress ---- */

bool screen_progress_due(const struct screen *screen)
{
    int64_t interval = screen->terminal ? TERMINAL_INTERVAL_US : PLAIN_INTERVAL_US;
    return clock_us() - screen->progress_us >= interval;
}

void screen_progress(struct screen *screen, const char *line)
{
    /* Without automatic wrapping a narrow terminal cuts the line instead of scrolling. */
    if (screen->terminal)
        printf("\r\x1b[?7l%s\x1b[K\x1b[?7h", line);
    else
        printf("%s\n", line);
    fflush(stdout);
    screen->progress_shown = true;
    screen->progress_us = clock_us();
}

void screen_progress_end(struct screen *screen)
{
    if (screen->terminal && screen->progress_shown)
        printf("\r\x1b[K");
    fflush(stdout);
    screen->progress_shown = false;
    screen->progress_us = clock_us();
}

/* ---- pieces of lines ---- */

static const char *seat_colour(char seat)
{
    switch (seat) {
    case 's':
        return "\x1b[32m";
    case 'h':
        return "\x1b[33m";
    case 'x':
        return "\x1b[31m";
    default:
        return "\x1b[2m";
    }
}

void screen_append_seats(const struct screen *screen, struct usher_buffer *out, const char *seats,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || seats[i] != seats[i - 1]) {
            usher_buffer_text(out, paint(screen, "\x1b[0m"));
            usher_buffer_text(out, paint(screen, seat_colour(seats[i])));
        }
        usher_buffer_append(out, &seats[i], 1);
    }
    usher_buffer_text(out, paint(screen, "\x1b[0m"));
}

void screen_append_bar(const struct screen *screen, struct usher_buffer *out,
                       const int64_t sold_held_free[3], size_t width)
{
    char seats[128];
    int64_t sold = sold_held_free[0];
    int64_t taken = sold + sold_held_free[1];
    int64_t total = taken + sold_held_free[2];
    if (width > sizeof seats)
        width = sizeof seats;
    for (size_t i = 0; i < width; i++) {
        int64_t at = (int64_t)i * total / (int64_t)width;
        seats[i] = at < sold ? 's' : at < taken ? 'h' : '.';
    }
    screen_append_seats(screen, out, seats, width);
}

void screen_append_share(const struct screen *screen, struct usher_buffer *out, int64_t part,
                         int64_t total, size_t width)
{
    int64_t filled = total <= 0 ? 0 : part * (int64_t)width / total;
    usher_buffer_text(out, paint(screen, "\x1b[32m"));
    for (size_t i = 0; i < width; i++) {
        if ((int64_t)i == filled)
            usher_buffer_text(out, paint(screen, "\x1b[0;2m"));
        usher_buffer_text(out, (int64_t)i < filled ? "#" : ".");
    }
    usher_buffer_text(out, paint(screen, "\x1b[0m"));
}

void screen_append(struct usher_buffer *out, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    usher_buffer_text(out, text);
}

void screen_line(struct usher_buffer *line)
{
    printf("%.*s\n", (int)line->size, line->at);
    fflush(stdout);
    line->size = 0;
}

struct screen_number screen_number(int64_t number)
{
    struct screen_number grouped = {{0}};
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRId64, number);
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && digits[i - 1] != '-' && (count - i) % 3 == 0)
            grouped.text[used++] = ',';
        grouped.text[used++] = digits[i];
    }
    return grouped;
}
