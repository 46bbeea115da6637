/*
 * The options of each command, put together from groups, with those of Kafka and the common
 * ones.
 */
#ifndef USHER_PRODUCER_PROGRAM_OPTION_TABLES_H
#define USHER_PRODUCER_PROGRAM_OPTION_TABLES_H

#include "producer/base/option_value.h"
#include "producer/base/options.h"
#include "producer/kafka/kafka_options.h"

extern const struct option_table send_table, watch_table, hold_table, book_table, confirm_table,
    release_table, extend_table, exchange_table, transfer_table, leave_table, block_table,
    unblock_table, probe_table, open_table, close_table, chart_table, validate_table;

/*
 * ==== Options of define ====
 *
 * The options of define.
 */

extern const struct option_table define_table;

#endif
