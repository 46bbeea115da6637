/* How tables of options are made. */
#ifndef USHER_PRODUCER_PROGRAM_OPTION_GROUPS_H
#define USHER_PRODUCER_PROGRAM_OPTION_GROUPS_H

#include "producer/base/options.h"
#include "producer/kafka/kafka_options.h"

enum {
    OPTION_TTL_MAX_S = 31536000
};

#define OPTION_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A hold time, --ttl. */
#define OPTION_TTL(text)                                                                          \
    {                                                                                             \
        .name = "ttl", .type = OPTION_DURATION, .min = 1, .max = OPTION_TTL_MAX_S, .help = (text) \
    }

/* A table of the groups, those of Kafka and the common ones. */
#define OPTION_TABLE(table, ...)                                                             \
    static const struct option_group *const table##_groups[] = {__VA_ARGS__, &kafka_options, \
                                                                &common_options};            \
    const struct option_table table = {table##_groups, OPTION_COUNT(table##_groups)}

#endif
