/*
 * The options of each command. Each call makes a table, which lasts as long as the program; not
 * thread-safe.
 */
#ifndef USHER_PRODUCER_PROGRAM_OPTION_TABLES_H
#define USHER_PRODUCER_PROGRAM_OPTION_TABLES_H

#include "producer/base/option_value.h"
#include "usher/message.h"

/* Of a command that sends one request, by its operation. */
const struct option_table *request_options(enum usher_op op);

/* Of the others; `op` is NONE. */
const struct option_table *send_options(enum usher_op op);
const struct option_table *watch_options(enum usher_op op);
const struct option_table *chart_options(enum usher_op op);
const struct option_table *restrictions_options(enum usher_op op);
const struct option_table *validate_options(enum usher_op op);

#endif
