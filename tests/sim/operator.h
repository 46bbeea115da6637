/*
 * A person with the guide (deploy/README.md, deploy/recovery.md): sees to partitions that halt, by
 * the message that each halted with, and has Redis rebuilt afterwards. May choose the wrong command
 * first, and acts by what was there some seconds before, beside workers.
 */
#ifndef TESTS_SIM_OPERATOR_H
#define TESTS_SIM_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "kafka.h"

struct operator
{
    bool lost[KAFKA_PARTITIONS_MAX];         /* something: these may halt … */
    bool waits[KAFKA_PARTITIONS_MAX];        /* … and have yet to, or to be mended */
    bool has_rebuilt;                        /* nothing is left to do but for what halts again */
    uint64_t losses, skips, topics, resumes; /* counted */
};

extern struct operator operator_at_work;

/* One comes, and waits for those partitions to halt that have lost something. */
void operator_begin(const bool lost[KAFKA_PARTITIONS_MAX]);

#endif
