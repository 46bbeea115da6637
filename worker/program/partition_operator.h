/*
 * What the commands share that change a partition: its recorded position, and the operator's
 * confirmation. Knows neither the loss nor how the partition is changed.
 */
#ifndef USHER_WORKER_PROGRAM_PARTITION_OPERATOR_H
#define USHER_WORKER_PROGRAM_PARTITION_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/program/report.h"

enum {
    OPERATOR_TIMEOUT_MS = 10000 /* of a request to Kafka */
};

/* --to, --partitions, --cancel, --topic, --published, --why and --yes. */
extern const struct option_group operator_options;

/* Strings are borrowed. */
struct partition_position {
    int32_t partition;
    int64_t next_offset; /* OFFSET_NONE: it never started */
    int64_t next_seq;
    int64_t published_seq;
    const char *owner; /* the worker that has a session, if it has not halted; NULL: none */
    bool halted;
};

/* Lists the positions of all partitions that a worker ever acquired. They live in report->arena. */
USHER_MUST_CHECK enum usher_status operator_list_positions(struct report *report,
                                                           struct partition_position **positions,
                                                           uint32_t *count,
                                                           struct usher_error *err);

/* Finds the position of one partition. FATAL with exit code 65: no worker ever acquired it. */
USHER_MUST_CHECK enum usher_status operator_find_position(struct report *report, int32_t partition,
                                                          struct partition_position *position,
                                                          struct usher_error *err);

/*
 * Reads --why, which lives as long as the options. FATAL with exit code 64: it is missing or empty,
 * too long, or not UTF-8.
 */
USHER_MUST_CHECK enum usher_status operator_read_why(const struct report *report, const char **why,
                                                     struct usher_error *err);

/* Asks for confirmation, unless --yes. FATAL with exit code 64: not confirmed, or no terminal. */
USHER_MUST_CHECK enum usher_status operator_confirm(const struct report *report,
                                                    const char *question, struct usher_error *err);

/* Says that the partition was changed, and what its worker does if it had halted. */
void operator_report_done(const struct report *report, bool was_halted);

#endif
