/*
 * The log: lines on standard error, one write each, from any thread, in logfmt or JSON:
 *     ts=2026-12-24T19:30:00.000Z level=info msg="took over" partition=3 epoch=7
 *     {"ts":"2026-12-24T19:30:00.000Z","level":"info","msg":"took over","partition":3,"epoch":7}
 * Messages in lower case, "could not X: reason". No payloads, no secrets, no customers. The only
 * state is the level, the format, and how many lines were written.
 */
#ifndef USHER_PRODUCER_BASE_LOG_H
#define USHER_PRODUCER_BASE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"

enum log_level {
    LOG_LEVEL_ERROR = 0,
    LOG_LEVEL_WARNING,
    LOG_LEVEL_INFO,
    LOG_LEVEL_DEBUG,
    LOG_LEVEL_COUNT
};

enum log_format {
    LOG_FORMAT_LOGFMT = 0,
    LOG_FORMAT_JSON
};

/* The choices of the options --log-level and --log-format. */
#define LOG_LEVEL_NAMES "error|warning|info|debug"
#define LOG_FORMAT_NAMES "logfmt|json"

/* Lines above this level are dropped. Info at the start. */
void log_set_level(enum log_level level);

/* The level with that name (see LOG_LEVEL_NAMES); info if there is none. */
enum log_level log_level_named(const char *name);

/* The name of a level; static storage. */
const char *log_level_name(enum log_level level);

/* Logfmt at the start. */
void log_set_format(enum log_format format);
bool log_is_json(void);

/* The format with that name (see LOG_FORMAT_NAMES); logfmt if there is none. */
enum log_format log_format_named(const char *name);

/* How many lines of that level were written; those that were suppressed are not counted. */
uint64_t log_lines(enum log_level level);

/* Whether a line of that level would be written: to be checked before costly arguments are built.
 */
bool log_enabled(enum log_level level);

/* Fields that follow the message of every line: " partition=3 epoch=7". Zero-initialised: none. */
struct log_context {
    char fields[512];
};

/*
 * Returns the fields of `parent` (may be NULL) and those of the format, "offset=%" PRId64. Give
 * key=value pairs separated by spaces; a value with spaces or quotes needs log_context_text. What
 * does not fit is left out.
 */
struct log_context log_context_with(const struct log_context *parent, const char *format, ...)
    USHER_PRINTF(2, 3);

/* Returns the fields of `parent` (may be NULL) and key="value", escaped. */
struct log_context log_context_text(const struct log_context *parent, const char *key,
                                    const char *value);

/* Writes one line. `context` may be NULL. Control characters and quotes are escaped; a message
 * over about 1,000 bytes is cut. errno stays as it was. */
void log_message(const struct log_context *context, enum log_level level, const char *format, ...)
    USHER_PRINTF(3, 4);

#define log_error(context, ...) log_message(context, LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(context, ...) log_message(context, LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(context, ...) log_message(context, LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(context, ...) log_message(context, LOG_LEVEL_DEBUG, __VA_ARGS__)

/*
 * Rate limit of one kind of failure, kept by the code that detects it. Zero-initialised: no
 * failure. May be shared by threads.
 */
struct log_limit {
    _Atomic int64_t quiet_until_ms; /* CLOCK_MONOTONIC; 0: not failing */
    _Atomic uint32_t suppressed;    /* lines left out since the last one written */
};

/*
 * Logs a failure at `level`, at most once per second; the next line written counts those that were
 * suppressed (suppressed=12). A level that is not written (log_enabled) silences no other.
 */
void log_failure(struct log_limit *limit, const struct log_context *context, enum log_level level,
                 const char *format, ...) USHER_PRINTF(4, 5);

/* Logs the recovery, at info: once, and only after a log_failure. Cheap otherwise. */
void log_recovery(struct log_limit *limit, const struct log_context *context, const char *format,
                  ...) USHER_PRINTF(3, 4);

#endif
