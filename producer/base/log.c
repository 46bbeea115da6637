/*
 * Writes log lines. Each is built on the stack and written by one call, so that lines of several
 * threads never mix. Fields are kept as logfmt has them; JSON is made of that when a line is
 * written. Knows nothing of who logs.
 */
#include "producer/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "producer/base/utf8.h"

static const char *const level_names[LOG_LEVEL_COUNT] = {"error", "warning", "info", "debug"};

static atomic_int log_level_now = LOG_LEVEL_INFO;
static atomic_int log_format_now = LOG_FORMAT_LOGFMT;
static _Atomic uint64_t log_lines_now[LOG_LEVEL_COUNT];

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

const char *log_level_name(enum log_level level)
{
    return level_names[level];
}

void log_set_format(enum log_format format)
{
    atomic_store(&log_format_now, (int)format);
}

enum log_format log_format_named(const char *name)
{
    return name && strcmp(name, "json") == 0 ? LOG_FORMAT_JSON : LOG_FORMAT_LOGFMT;
}

bool log_is_json(void)
{
    return atomic_load_explicit(&log_format_now, memory_order_relaxed) == LOG_FORMAT_JSON;
}

uint64_t log_lines(enum log_level level)
{
    return atomic_load_explicit(&log_lines_now[level], memory_order_relaxed);
}

bool log_enabled(enum log_level level)
{
    return (int)level <= atomic_load_explicit(&log_level_now, memory_order_relaxed);
}

/* ---- logfmt ---- */

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

/* A character as its code in hexadecimal digits. */
static void line_code(struct line *line, const char *prefix, int digits, unsigned char c)
{
    char code[8];
    int size = snprintf(code, sizeof code, "%s%0*x", prefix, digits, c);
    line_bytes(line, code, (size_t)size);
}

/* One character as it may stand between quotes. */
static void line_escaped_char(struct line *line, char c)
{
    if (c == '"' || c == '\\')
        line_bytes(line, (const char[]){'\\', c}, 2);
    else if (c == '\n')
        line_bytes(line, "\\n", 2);
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        line_code(line, "\\x", 2, (unsigned char)c);
    else
        line_bytes(line, &c, 1);
}

static void line_quoted(struct line *line, const char *text)
{
    line_text(line, "\"");
    while (*text != '\0' && line->room - line->size > 16) {
        size_t control = utf8_control_size(text, strnlen(text, 4));
        if (control < 2)
            line_escaped_char(line, *text++);
        for (size_t i = 0; control > 1 && i < control; i++)
            line_code(line, "\\x", 2, (unsigned char)*text++);
    }
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

/* ---- JSON ---- */

/* Writes one character as it may stand in a string; returns how many bytes of `text` it took. */
static size_t line_json_char(struct line *line, const char *text)
{
    size_t size = utf8_size(text, strnlen(text, 4));
    unsigned char c = (unsigned char)*text;
    if (size > 1)
        line_bytes(line, text, size);
    else if (size == 0)
        line_text(line, "\\ufffd");
    else if ((c < 0x20 && c != '\n') || c == 0x7f)
        line_code(line, "\\u", 4, c);
    else
        line_escaped_char(line, (char)c);
    return size > 0 ? size : 1;
}

static void line_json_string(struct line *line, const char *text)
{
    line_text(line, "\"");
    while (*text != '\0' && line->room - line->size > 12)
        text += line_json_char(line, text);
    if (*text != '\0')
        line_text(line, "...");
    line_text(line, "\"");
}

/* A value between quotes, as line_quoted made it. Returns what follows it. */
static const char *line_json_unquoted(struct line *line, const char *at)
{
    line_text(line, "\"");
    for (at++; *at != '\0' && *at != '"';) {
        unsigned code = (unsigned char)at[1];
        if (*at != '\\') {
            at += line_json_char(line, at);
            continue;
        }
        bool is_code = code == 'x' && sscanf(at + 2, "%2x", &code) == 1;
        const char one[] = {(char)(code == 'n' && !is_code ? '\n' : (int)code), '\0'};
        line_json_char(line, one);
        at += is_code ? 4 : 2;
    }
    line_text(line, "\"");
    return at + (*at == '"');
}

/* Whether the bytes are a number as JSON has them, here without a fraction. */
static bool is_json_number(const char *at, size_t size)
{
    size_t sign = size > 0 && *at == '-' ? 1 : 0;
    size_t digits = strspn(at + sign, "0123456789");
    return digits > 0 && sign + digits == size && digits < 16 && (at[sign] != '0' || digits == 1);
}

/* The fields of a context, ` key=value key="text"`, as members. */
static void line_json_fields(struct line *line, const char *at)
{
    while (*at == ' ') {
        size_t key = strcspn(++at, "=");
        line_text(line, ",\"");
        line_bytes(line, at, key);
        line_text(line, "\":");
        at += key + (at[key] == '=');
        if (*at == '"') {
            at = line_json_unquoted(line, at);
            continue;
        }
        size_t size = strcspn(at, " ");
        bool is_number = is_json_number(at, size);
        line_text(line, is_number ? "" : "\"");
        line_bytes(line, at, size);
        line_text(line, is_number ? "" : "\"");
        at += size;
    }
}

/* ---- lines ---- */

enum {
    MESSAGE_ROOM = 1024, /* with what comes before it */
    /* A byte of a field becomes six at most. */
    LINE_ROOM = MESSAGE_ROOM + 6 * (int)sizeof((struct log_context *)NULL)->fields + 64,
};

static void line_timestamp(struct line *line)
{
    struct timespec now;
    struct tm utc;
    char text[40];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t size = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    line_bytes(line, text, size);
    line_bytes(line, text,
               (size_t)snprintf(text, sizeof text, ".%03dZ", (int)(now.tv_nsec / 1000000)));
}

/* What stands around the parts of a line, and how its texts and fields are written. */
static const struct {
    const char *time, *level, *message, *end;
    void (*string)(struct line *line, const char *text);
    void (*fields)(struct line *line, const char *fields);
} formats[] = {
    [LOG_FORMAT_LOGFMT] = {"ts=", " level=", " msg=", "", line_quoted, line_text},
    [LOG_FORMAT_JSON] = {"{\"ts\":\"", "\",\"level\":\"", "\",\"msg\":", "}", line_json_string,
                         line_json_fields},
};

static void line_compose(struct line *line, const char *fields, enum log_level level,
                         const char *message)
{
    int format = atomic_load_explicit(&log_format_now, memory_order_relaxed);
    line_text(line, formats[format].time);
    line_timestamp(line);
    line_text(line, formats[format].level);
    line_text(line, level_names[level]);
    line_text(line, formats[format].message);
    formats[format].string(line, message);
    /* The message is cut before the fields are: they are worth more than its tail. */
    line->room = LINE_ROOM;
    formats[format].fields(line, fields);
    line_text(line, formats[format].end);
}

static void write_line(const struct log_context *context, enum log_level level, const char *message,
                       uint32_t suppressed)
{
    char text[LINE_ROOM + 1];
    struct log_context fields = context_copy(context);
    struct line line = {.at = text, .room = MESSAGE_ROOM};
    if (suppressed > 0)
        fields = log_context_with(&fields, "suppressed=%u", suppressed);
    line_compose(&line, fields.fields, level, message);
    text[line.size++] = '\n';
    atomic_fetch_add_explicit(&log_lines_now[level], 1, memory_order_relaxed);
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
    if (!log_enabled(level))
        return;
    int64_t now = clock_ms();
    int64_t quiet_until = atomic_load(&limit->quiet_until_ms);
    /* Of several threads that fail at once, the one whose exchange succeeds writes the line. */
    if (now < quiet_until ||
        !atomic_compare_exchange_strong(&limit->quiet_until_ms, &quiet_until, now + 1000)) {
        atomic_fetch_add(&limit->suppressed, 1);
        return;
    }
    uint32_t suppressed = atomic_exchange(&limit->suppressed, 0);
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
