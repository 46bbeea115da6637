/*
 * Writes log lines. Each is built on the stack and written by one call, so that lines of several
 * threads never mix. Knows nothing of who logs.
 */
#include "producer/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/clock.h"

static const char *const level_names[] = {"error", "warning", "info", "debug"};

static atomic_int log_level_now = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
    atomic_store(&log_level_now, (int)level);
}

enum log_level log_level_named(const char *name)
{
    for (int level = LOG_LEVEL_ERROR; level <= LOG_LEVEL_DEBUG; level++)
        if (name && strcmp(level_names[level], name) == 0)
            return (enum log_level)level;
    return LOG_LEVEL_INFO;
}

bool log_enabled(enum log_level level)
{
    return (int)level <= atomic_load_explicit(&log_level_now, memory_order_relaxed);
}

/* ---- escaping ---- */

/* A line, or a part of one. `size` never exceeds the room given. */
struct line {
    char *at;
    size_t size, room;
};

static void line_bytes(struct line *line, const char *bytes, size_t size)
{
    if (size > line->room - line->size)
        size = line->room - line->size;
    memcpy(line->at + line->size, bytes, size);
    line->size += size;
}

static void line_text(struct line *line, const char *text)
{
    line_bytes(line, text, strlen(text));
}

/* One character as it may stand between quotes. */
static void line_escaped_char(struct line *line, char c)
{
    char code[8];
    if (c == '"' || c == '\\')
        line_bytes(line, (const char[]){'\\', c}, 2);
    else if (c == '\n')
        line_bytes(line, "\\n", 2);
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        line_bytes(line, code, (size_t)snprintf(code, sizeof code, "\\x%02x", (unsigned char)c));
    else
        line_bytes(line, &c, 1);
}

static void line_quoted(struct line *line, const char *text)
{
    line_text(line, "\"");
    for (; *text != '\0' && line->room - line->size > 8; text++)
        line_escaped_char(line, *text);
    if (*text != '\0')
        line_text(line, "...");
    line_text(line, "\"");
}

/* ---- contexts ---- */

static struct log_context context_copy(const struct log_context *parent)
{
    struct log_context context = {{0}};
    if (parent)
        context = *parent;
    return context;
}

struct log_context log_context_with(const struct log_context *parent, const char *format, ...)
{
    struct log_context context = context_copy(parent);
    size_t used = strlen(context.fields);
    size_t room = sizeof context.fields - used;
    if (room < 2)
        return context;
    context.fields[used] = ' ';
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(context.fields + used + 1, room - 1, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= room - 1)
        context.fields[used] = '\0';
    return context;
}

struct log_context log_context_text(const struct log_context *parent, const char *key,
                                    const char *value)
{
    char text[sizeof((struct log_context *)NULL)->fields];
    struct line line = {.at = text, .room = sizeof text - 1};
    line_quoted(&line, value);
    text[line.size] = '\0';
    return log_context_with(parent, "%s=%s", key, text);
}

/* ---- lines ---- */

static void line_timestamp(struct line *line)
{
    struct timespec now;
    struct tm utc;
    char text[40];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t size = strftime(text, sizeof text, "ts=%Y-%m-%dT%H:%M:%S", &utc);
    line_bytes(line, text, size);
    line_bytes(line, text,
               (size_t)snprintf(text, sizeof text, ".%03dZ", (int)(now.tv_nsec / 1000000)));
}

static void write_line(const struct log_context *context, enum log_level level, const char *message,
                       uint32_t suppressed)
{
    char text[1024 + 256];
    char count[32];
    /* The message is cut before its fields are: they are worth more than its tail. */
    struct line line = {.at = text, .room = 1024};
    line_timestamp(&line);
    line_text(&line, " level=");
    line_text(&line, level_names[level]);
    line_text(&line, " msg=");
    line_quoted(&line, message);
    line.room = sizeof text - 1;
    if (context)
        line_text(&line, context->fields);
    if (suppressed > 0) {
        snprintf(count, sizeof count, " suppressed=%u", suppressed);
        line_text(&line, count);
    }
    text[line.size++] = '\n';
    /* A failure to write the log cannot be reported anywhere. */
    ssize_t written = write(STDERR_FILENO, text, line.size);
    (void)written;
}

static void USHER_PRINTF(4, 0)
    write_formatted(const struct log_context *context, enum log_level level, uint32_t suppressed,
                    const char *format, va_list arguments)
{
    char message[1024];
    int saved = errno;
    vsnprintf(message, sizeof message, format, arguments);
    write_line(context, level, message, suppressed);
    errno = saved;
}

void log_message(const struct log_context *context, enum log_level level, const char *format, ...)
{
    if (!log_enabled(level))
        return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(context, level, 0, format, arguments);
    va_end(arguments);
}

/* ---- failures that repeat ---- */

void log_failure(struct log_limit *limit, const struct log_context *context, enum log_level level,
                 const char *format, ...)
{
    int64_t now = clock_ms();
    int64_t quiet_until = atomic_load(&limit->quiet_until_ms);
    /* Of several threads that fail at once, the one whose exchange succeeds writes the line. */
    if (now < quiet_until ||
        !atomic_compare_exchange_strong(&limit->quiet_until_ms, &quiet_until, now + 1000)) {
        atomic_fetch_add(&limit->suppressed, 1);
        return;
    }
    uint32_t suppressed = atomic_exchange(&limit->suppressed, 0);
    if (!log_enabled(level))
        return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(context, level, suppressed, format, arguments);
    va_end(arguments);
}

void log_recovery(struct log_limit *limit, const struct log_context *context, const char *format,
                  ...)
{
    if (atomic_load_explicit(&limit->quiet_until_ms, memory_order_relaxed) == 0 ||
        atomic_exchange(&limit->quiet_until_ms, 0) == 0)
        return;
    uint32_t suppressed = atomic_exchange(&limit->suppressed, 0);
    if (!log_enabled(LOG_LEVEL_INFO))
        return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(context, LOG_LEVEL_INFO, suppressed, format, arguments);
    va_end(arguments);
}
