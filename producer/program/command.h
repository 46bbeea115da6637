/*
 * The commands of usher-producer: what each is called with, and what several of them share. Each
 * returns the program's exit code.
 */
#ifndef USHER_PRODUCER_COMMAND_H
#define USHER_PRODUCER_COMMAND_H

#include "options.h"
#include "usher/client.h"
#include "usher/message.h"

struct command {
    const char *name;
    const char *arguments; /* for the usage line: "RESOURCE" */
    size_t argument_min, argument_max;
    enum usher_op op; /* of those that send one request; else NONE */
    const char *help; /* a sentence */
    const struct option_table *table;
    /* Runs with loaded options. Text for people goes to `err` where the exit code is not 0. */
    enum usher_exit (*run)(const struct command *command, struct options *options,
                           struct usher_error *err);
};

/* send_command.c, request_command.c, watch_command.c, bench_command.c */
enum usher_exit send_command(const struct command *command, struct options *options,
                             struct usher_error *err);
enum usher_exit request_command(const struct command *command, struct options *options,
                                struct usher_error *err);
enum usher_exit watch_command(const struct command *command, struct options *options,
                              struct usher_error *err);
enum usher_exit bench_command(const struct command *command, struct options *options,
                              struct usher_error *err);

/* Their options, with those of Kafka and the common ones (option_tables.c). */
extern const struct option_table send_table, watch_table, bench_table, define_table, hold_table,
    book_table, confirm_table, release_table, cancel_table, probe_table, state_table;

/* The exit code that an answer stands for: 0, 3 refused, 65 invalid. */
enum usher_exit exit_of_outcome(enum usher_outcome outcome);

/* The text of an option that only some commands have; NULL where it is absent. */
const char *option_if_any(const struct options *options, const char *name);

#endif
