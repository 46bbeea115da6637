/*
 * The options of usher-worker: one table for all its commands, and the settings read from them.
 * Knows the adapters' settings, not the adapters.
 */
#ifndef USHER_WORKER_PROGRAM_WORKER_OPTIONS_H
#define USHER_WORKER_PROGRAM_WORKER_OPTIONS_H

#include "producer/base/options.h"
#include "producer/base/options_print.h"
#include "usher/client.h"
#include "usher/status.h"
#include "worker/partition/allocator.h"
#include "worker/postgres/pg_settings.h"

/* The settings read from the options. Text is valid as long as the options. */
struct worker_settings {
    struct usher_kafka_settings kafka;
    const char *group;
    int session_timeout_ms, heartbeat_ms;
    struct pg_settings postgres;
    const char *redis; /* NULL: no cache */
    const char *redis_prefix;
    const char *http_listen;
    const char *name;                 /* of this worker, for operators */
    char digest[OPTIONS_DIGEST_SIZE]; /* of what workers of one installation have in common */
    int64_t memory_max;               /* bytes; 0: three quarters of what there is */
    struct partition_settings allocator;
};

/*
 * Loads the options of a command; `extra` (NULL: none) are options that only this command has.
 * False: help, the version or an error was printed, and `*code` is the exit code. `usage` is what
 * follows "usher-worker " in the help: the command and one word per argument, all of which must be
 * given. Deinit the options in any case.
 */
USHER_MUST_CHECK bool worker_options_load(struct options *options, const struct option_group *extra,
                                          const char *usage, int argc, char *const *argv,
                                          enum usher_exit *code);

/* Reads the settings from them. False: an error was printed, `*code` is the exit code. */
USHER_MUST_CHECK bool worker_settings_read(struct options *options,
                                           struct worker_settings *settings, enum usher_exit *code);

/* Does both, for commands without options of their own. */
USHER_MUST_CHECK bool worker_begin(struct options *options, struct worker_settings *settings,
                                   const char *usage, int argc, char *const *argv,
                                   enum usher_exit *code);

/* Prints the error of a command and returns its exit code; DONE for OK. */
enum usher_exit worker_end(enum usher_status status, const struct usher_error *err);

#endif
