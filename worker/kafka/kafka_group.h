/*
 * The process's membership in the consumer group of the request topic: implements group_port, and
 * hands out a kafka_source for every partition assigned. Knows nothing of allocators.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_GROUP_H
#define USHER_WORKER_KAFKA_KAFKA_GROUP_H

#include "usher/status.h"
#include "worker/kafka/kafka_base.h"
#include "worker/model/ports.h"

struct kafka_group;

/* Zero-initialise, then set. All is copied. */
struct kafka_group_settings {
    const char *group_id;
    int32_t partition_count; /* as recorded: those beyond it are not consumed */
    int session_timeout_ms;  /* 0: 6,000 */
    int heartbeat_ms;        /* 0: 500 */
    /*
     * How long a rebalance waits for a member that is to join again; whoever does not poll for this
     * long leaves the group. At least the session timeout; 0: 20,000.
     */
    int rebalance_timeout_ms;
    int64_t queue_bytes; /* fetched for a partition and not taken; 0, or more than: 16 MiB */
};

/*
 * Joins the group in the background: partitions are assigned during group_port.poll. `handler` is
 * copied. Borrows `base`. `*group` is owned: kafka_group_close. FATAL: a setting is wrong (78).
 */
USHER_MUST_CHECK enum usher_status kafka_group_open(struct kafka_base *base,
                                                    const struct kafka_group_settings *settings,
                                                    const struct group_handler *handler,
                                                    struct kafka_group **group,
                                                    struct usher_error *err);

/* The port, valid until the group is closed. */
struct group_port kafka_group_port(struct kafka_group *group);

/* Frees the group, which must have left; never waits (see kafka_base_close). NULL is legal. */
void kafka_group_close(struct kafka_group *group);

#endif
