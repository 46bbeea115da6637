/*
 * The commands of usher-worker, each with its name, options and help; the options, one table for
 * all commands; and the settings read from them. Knows the adapters' settings, not the adapters.
 */
#ifndef USHER_WORKER_PROGRAM_WORKER_OPTIONS_H
#define USHER_WORKER_PROGRAM_WORKER_OPTIONS_H

#include "producer/base/option_value.h"
#include "producer/base/options.h"
#include "usher/client.h"
#include "usher/status.h"
#include "worker/partition/allocator.h"
#include "worker/postgres/pg_settings.h"
#include "worker/redis/redis_settings.h"

/*
 * ==== Commands ====
 *
 * What a command of usher-worker is: its name, its options, its help, and how it runs. A command's
 * file has its row; worker_commands.c lists them.
 */

struct worker_command {
    const char *name;
    /* For the usage line, a word each: "up|list|print"; "": none. The last may be "[ID...]": any.
     */
    const char *arguments;
    const char *help;          /* a sentence */
    const char *details;       /* further help, in lines; NULL */
    const char *example;       /* what follows "usher-worker" */
    struct option_table table; /* what it uses; the options of other commands are accepted */
    /* argv[0] is the command's name. */
    enum usher_exit (*run)(int argc, char *const *argv);
};

/* A group of options, from its heading and an array of them. */
#define WORKER_GROUP(title_, specs_)                                                      \
    {                                                                                     \
        .title = (title_), .specs = (specs_), .count = sizeof(specs_) / sizeof(specs_)[0] \
    }

/* The groups of a command, and those that all commands have, as the table of a row. */
#define WORKER_TABLE(groups_)                                                    \
    {                                                                            \
        .groups = (groups_), .group_count = sizeof(groups_) / sizeof(groups_)[0] \
    }

/* ==== Options ==== */

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
