/*
 * The commands of usher-producer: what each is called with, and what several of them share. Each
 * returns the program's exit code.
 */
#ifndef USHER_PRODUCER_PROGRAM_COMMAND_H
#define USHER_PRODUCER_PROGRAM_COMMAND_H

#include "producer/base/options.h"
#include "usher/client.h"
#include "usher/message.h"

struct command {
    const char *name;
    const char *arguments; /* for the usage line: "RESOURCE" */
    size_t argument_min, argument_max;
    enum usher_op op;    /* of those that send one request; else NONE */
    const char *help;    /* a sentence */
    const char *details; /* what else there is to know, a line each; NULL */
    const char *example; /* what stands behind "usher-producer" */
    const struct option_table *table;
    /* Runs with loaded options. Text for people goes to `err` where the exit code is not 0. */
    enum usher_exit (*run)(const struct command *command, struct options *options,
                           struct usher_error *err);
};

/* All of them, in the order in which they are listed (commands.c). */
extern const struct command commands[];
extern const size_t command_count;

/* send_command.c, request_command.c, define_command.c, chart_command.c, watch_command.c,
 * bench_command.c */
enum usher_exit send_command(const struct command *command, struct options *options,
                             struct usher_error *err);
enum usher_exit request_command(const struct command *command, struct options *options,
                                struct usher_error *err);
enum usher_exit define_command(const struct command *command, struct options *options,
                               struct usher_error *err);
enum usher_exit chart_command(const struct command *command, struct options *options,
                              struct usher_error *err);
enum usher_exit watch_command(const struct command *command, struct options *options,
                              struct usher_error *err);
enum usher_exit bench_command(const struct command *command, struct options *options,
                              struct usher_error *err);

/* Their options, with those of Kafka and the common ones (option_tables.c, define_options.c). */
extern const struct option_table send_table, watch_table, bench_table, define_table, hold_table,
    book_table, confirm_table, release_table, extend_table, exchange_table, transfer_table,
    leave_table, block_table, unblock_table, probe_table, open_table, close_table, chart_table;

/* The exit code that an answer stands for: 0, 3 refused, 65 invalid. */
enum usher_exit exit_of_outcome(enum usher_outcome outcome);

/* The text of an option that only some commands have; NULL where it is absent. */
const char *option_if_any(const struct options *options, const char *name);

#endif
