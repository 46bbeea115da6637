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
#include "worker/program/worker_command.h"
#include "worker/redis/redis_settings.h"

/* The settings read from the options. Text is valid as long as the options. */
struct worker_settings {
    struct usher_kafka_settings kafka;
    const char *group;
    int session_timeout_ms, heartbeat_ms;
    struct pg_settings postgres;
    struct redis_settings redis;
    const char *http_listen;
    const char *name;                 /* of this worker, for operators */
    char digest[OPTIONS_DIGEST_SIZE]; /* of what workers of one installation have in common */
    int64_t memory_max;               /* bytes; 0: three quarters of what there is */
    struct partition_settings allocator;
};

enum {
    WORKER_GROUP_COUNT = 7
};

/* All options but those that a single command has, and the groups of them that commands use. */
extern const struct option_group *const worker_groups[WORKER_GROUP_COUNT];
extern const struct option_group postgres_options, redis_options, http_options;

/*
 * Loads the options of a command and those of the others, which it does not use: they share a
 * configuration. All arguments must be given. False: help, the version or an error was printed, and
 * `*code` is the exit code. Deinit the options in any case.
 */
USHER_MUST_CHECK bool worker_options_load(struct options *options,
                                          const struct worker_command *command, int argc,
                                          char *const *argv, enum usher_exit *code);

/* Does that, and reads the settings from them. */
USHER_MUST_CHECK bool worker_begin(struct options *options, struct worker_settings *settings,
                                   const struct worker_command *command, int argc,
                                   char *const *argv, enum usher_exit *code);

/*
 * FATAL with exit code 64: a flag of the command itself was given, which is not among `takes`,
 * names with blanks between. For commands whose actions differ: "partition resume" has no --to.
 */
USHER_MUST_CHECK enum usher_status worker_check_flags(const struct options *options,
                                                      const struct worker_command *command,
                                                      const char *takes, struct usher_error *err);

/* Prints the error of a command and returns its exit code; DONE for OK. */
enum usher_exit worker_end(enum usher_status status, const struct usher_error *err);

#endif
