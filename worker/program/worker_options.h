/*
 * The options of usher-worker, one table for all commands, and the settings read from them. Knows
 * the adapters' settings, not the adapters.
 */
#ifndef USHER_WORKER_PROGRAM_WORKER_OPTIONS_H
#define USHER_WORKER_PROGRAM_WORKER_OPTIONS_H

#include "producer/base/option_value.h"
#include "producer/base/options.h"
#include "producer/terminal/program.h"
#include "usher/client.h"
#include "usher/status.h"
#include "worker/partition/allocator.h"
#include "worker/postgres/pg_settings.h"
#include "worker/redis/redis_settings.h"

/* A group of options, from its heading and an array of them. */
#define WORKER_GROUP(title_, specs_)                                                      \
    {                                                                                     \
        .title = (title_), .specs = (specs_), .count = sizeof(specs_) / sizeof(specs_)[0] \
    }

/* The groups of a command as the table of its row. */
#define WORKER_TABLE(groups_)                                                    \
    &(const struct option_table)                                                 \
    {                                                                            \
        .groups = (groups_), .group_count = sizeof(groups_) / sizeof(groups_)[0] \
    }

/* The settings read from the options. Text is valid as long as the options. */
struct worker_settings {
    struct usher_kafka_settings kafka;
    const char *group;
    int session_timeout_ms, heartbeat_ms;
    struct pg_settings postgres;
    struct redis_settings redis;
    const char *http_listen;
    const char *name, *version;       /* of this worker, for operators, … */
    const char *host;                 /* … and where it runs */
    char digest[OPTIONS_DIGEST_SIZE]; /* of what workers of one installation have in common */
    int64_t memory_max;               /* bytes; 0: three quarters of what there is */
    struct partition_settings allocator;
};

/*
 * All options but those that a single command has: each command accepts them, as all share a
 * configuration. And the groups of them that commands use.
 */
extern const struct option_table worker_options;

extern const struct option_group http_options;

/* Reads the settings. FATAL with exit code 78: an option does not go with another one, or is empty.
 */
USHER_MUST_CHECK enum usher_status worker_settings_read(struct options *options,
                                                        struct worker_settings *settings,
                                                        struct usher_error *err);

/*
 * FATAL with exit code 64: a flag of the command itself was given, which is not among `takes`,
 * names with blanks between. For commands whose actions differ: "partition resume" has no --to.
 */
USHER_MUST_CHECK enum usher_status worker_check_flags(const struct options *options,
                                                      const struct program_command *command,
                                                      const char *takes, struct usher_error *err);

/* FATAL with exit code 64: what a flag gave is no name that a shard can have. */
USHER_MUST_CHECK enum usher_status worker_check_shard(const char *flag, const char *name,
                                                      struct usher_error *err);

/* Prints the error of a command, once, and returns its exit code; DONE for OK. */
enum usher_exit worker_end(enum usher_status status, struct usher_error *err);

#endif
