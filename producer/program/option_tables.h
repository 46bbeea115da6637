/*
 * The options of each command but define, with those of Kafka and the common ones.
 */
#ifndef USHER_PRODUCER_PROGRAM_OPTION_TABLES_H
#define USHER_PRODUCER_PROGRAM_OPTION_TABLES_H

#include "producer/base/option_types.h"

extern const struct option_table send_table, watch_table, bench_table, hold_table, book_table,
    confirm_table, release_table, extend_table, exchange_table, transfer_table, leave_table,
    block_table, unblock_table, probe_table, open_table, close_table, chart_table, validate_table;

/* What every request has: its id, --wait, --dry-run, ... */
extern const struct option_group request_group;

#endif
