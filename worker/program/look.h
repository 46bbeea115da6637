/*
 * What the commands that look around share: rows of the views as a table for people, or as lines of
 * JSON. Knows views, not what they mean.
 */
#ifndef USHER_WORKER_PROGRAM_LOOK_H
#define USHER_WORKER_PROGRAM_LOOK_H

#include "producer/base/options.h"
#include "producer/terminal/terminal.h"
#include "worker/kafka/kafka_base.h"
#include "worker/postgres/pg_views.h"
#include "worker/program/look_text.h"
#include "worker/program/worker_options.h"

/* What a command has at hand while it looks. */
struct looking {
    struct options options;
    struct worker_settings settings;
    struct pg_views *views;
    struct kafka_base *kafka; /* NULL: not opened */
    struct terminal terminal;
    struct usher_arena arena;
    bool json;
};

/*
 * Runs a command that looks: loads its options, connects, calls `run`, closes what is open, and
 * returns the exit code. Where Kafka cannot be closed it does not return: it ends the process.
 */
enum usher_exit look_run(const struct worker_command *command, int argc, char *const *argv,
                         enum usher_status (*run)(struct looking *, struct usher_error *));

/*
 * Opens Kafka, which has that long for each request, and asks how many partitions the requests
 * have. Statuses of kafka_base_open and kafka_base_partitions.
 */
USHER_MUST_CHECK enum usher_status look_open_kafka(struct looking *looking, int timeout_ms,
                                                   int32_t *partitions, struct usher_error *err);

/* Asks for the columns of the list (of JSON: for whole rows). Rows live in looking->arena. */
USHER_MUST_CHECK enum usher_status look_ask(struct looking *looking, const struct look *look,
                                            struct pg_view_question question,
                                            struct pg_view_rows *rows, struct usher_error *err);

/* Prints rows of look_ask, as a table or as lines of JSON. */
void look_print(const struct looking *looking, const struct look *look,
                const struct pg_view_rows *rows, int indent);

/* Does both. */
USHER_MUST_CHECK enum usher_status look_list(struct looking *looking, const struct look *look,
                                             const struct pg_view_question *question,
                                             struct usher_error *err);

/* --limit, of commands that list. */
extern const struct option_group look_limit_options;

#endif
