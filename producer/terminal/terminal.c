/*
 * Where a program prints for people: how wide the terminal is, and whether colours may be used.
 * Knows nothing of what is printed.
 */
#include "producer/terminal/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "producer/base/options.h"
#include "producer/base/utf8.h"

/* ==== Terminal ==== */

enum {
    WIDTH_USUAL = 80,
    HEIGHT_USUAL = 24,
    COMPLAINT_SIZE = 4096, /* the text of an error is shorter */
};

static const struct option_spec output_specs[] = {
    {.name = "json", .type = OPTION_BOOL, .help = "print JSON, for programs"},
    {.name = "color",
     .fallback = "auto",
     .choices = "auto|always|never",
     .help = "use colours: auto means on a terminal, unless NO_COLOR is set"},
};

const struct option_group output_options = {
    .title = "Output",
    .specs = output_specs,
    .count = sizeof output_specs / sizeof output_specs[0],
};

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value != '\0';
}

static bool wants_colour(bool is_terminal, const char *choice)
{
    const char *kind = getenv("TERM");
    if (choice && strcmp(choice, "auto") != 0)
        return strcmp(choice, "always") == 0;
    return is_terminal && !is_set("NO_COLOR") && (!kind || strcmp(kind, "dumb") != 0);
}

struct terminal terminal_of(FILE *out, const struct options *options)
{
    struct winsize size = {0};
    int descriptor = fileno(out);
    struct terminal terminal = {.out = out, .width = WIDTH_USUAL, .height = HEIGHT_USUAL};
    terminal.is_terminal = isatty(descriptor) == 1;
    terminal.colour =
        wants_colour(terminal.is_terminal, options ? options_text_if_any(options, "color") : NULL);
    if (terminal.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
        terminal.width = size.ws_col > 0 ? size.ws_col : WIDTH_USUAL;
        terminal.height = size.ws_row > 0 ? size.ws_row : HEIGHT_USUAL;
    }
    return terminal;
}

void terminal_begin(const struct terminal *terminal, enum terminal_colour colour)
{
    static const char *const codes[] = {
        [TERMINAL_GOOD] = "\033[32m",    [TERMINAL_BAD] = "\033[31m",
        [TERMINAL_WARNING] = "\033[33m", [TERMINAL_FAINT] = "\033[2m",
        [TERMINAL_STRONG] = "\033[1m",
    };
    if (terminal->colour && colour != TERMINAL_PLAIN)
        fputs(codes[colour], terminal->out);
}

void terminal_end(const struct terminal *terminal, enum terminal_colour colour)
{
    if (terminal->colour && colour != TERMINAL_PLAIN)
        fputs("\033[0m", terminal->out);
}

void terminal_print(const struct terminal *terminal, enum terminal_colour colour,
                    const char *format, ...)
{
    va_list arguments;
    terminal_begin(terminal, colour);
    va_start(arguments, format);
    vfprintf(terminal->out, format, arguments);
    va_end(arguments);
    terminal_end(terminal, colour);
}

void terminal_write(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t control = utf8_control_size(text + i, size - i);
        fputc(control > 0 ? '?' : text[i], out);
        i += control > 0 ? control : 1;
    }
}

void terminal_complain(const char *program, const char *format, ...)
{
    char text[COMPLAINT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: ", program);
    terminal_write(stderr, text, strlen(text));
    fputc('\n', stderr);
}

void terminal_end_program(const char *program, const char *text)
{
    if (log_is_json())
        log_error(NULL, "%s", text);
    else
        terminal_complain(program, "%s", text);
}

int terminal_columns(const char *text)
{
    int columns = 0;
    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xC0U) != 0x80U;
    return columns;
}

/* ==== Progress ==== */

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
