/*
 * What the commands that move a partition on by hand share: where it stands, and that somebody
 * agrees. Knows neither what is lost by it nor how the partition is moved.
 */
#ifndef USHER_WORKER_PROGRAM_BY_HAND_H
#define USHER_WORKER_PROGRAM_BY_HAND_H

#include <stdbool.h>

#include "worker/program/look.h"

/* --to, --topic, --published, --why and --yes. */
extern const struct option_group by_hand_options;

enum {
    BY_HAND_TIMEOUT_MS = 10000 /* of a request to Kafka */
};

struct by_hand_place {
    int32_t partition;
    int64_t next_offset; /* OFFSET_NONE: it never started */
    int64_t next_seq;
    int64_t published_seq;
    const char *owner; /* whose session is there, if it has not halted; NULL: nobody's */
    bool halted;
};

/* Finds where all partitions stand that a worker ever took. They live in looking->arena. */
USHER_MUST_CHECK enum usher_status by_hand_list(struct looking *looking,
                                                struct by_hand_place **places, uint32_t *count,
                                                struct usher_error *err);

/* Finds where this one stands. FATAL with exit code 65: no worker ever took it. */
USHER_MUST_CHECK enum usher_status by_hand_find(struct looking *looking, int32_t partition,
                                                struct by_hand_place *place,
                                                struct usher_error *err);

/*
 * Reads --why, which lives as long as the options. FATAL with exit code 64: it is missing or empty,
 * too long, or not UTF-8.
 */
USHER_MUST_CHECK enum usher_status by_hand_why(const struct looking *looking, const char **why,
                                               struct usher_error *err);

/* Asks, unless --yes. FATAL with exit code 64: nobody is there, or says no. */
USHER_MUST_CHECK enum usher_status by_hand_agree(const struct looking *looking,
                                                 const char *question, struct usher_error *err);

void by_hand_say_done(const struct looking *looking, bool was_halted);

#endif
