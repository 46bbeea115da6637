/*
 * Kafka as bad as it may be: logs with offsets that are no record, records that replicas hold back,
 * open transactions, retention, fetches that take their time; results that arrive late, after their
 * producer died, or without a report; partitions that are assigned to another worker while the
 * owner is still at work.
 */
#ifndef TESTS_SIM_KAFKA_H
#define TESTS_SIM_KAFKA_H

#include "sim.h"
#include "worker/model/ports.h"

enum {
    KAFKA_PARTITIONS_MAX = 4
};

/* ---- a log ---- */

enum kafka_kind {
    KAFKA_RECORD = 0,
    KAFKA_NOTHING, /* the end of a transaction, a compacted or a no-effect record */
    KAFKA_PENDING, /* of an open transaction, which becomes either */
};

struct kafka_record {
    enum kafka_kind kind;
    const void *key, *value; /* NULL: none */
    size_t key_size, value_size;
    int64_t appended_ms;
    int64_t seq; /* of a result or a dead letter */
};

struct topic_log {
    struct kafka_record *records; /* by offset */
    int64_t start;                /* what lies below was deleted by retention */
    int64_t end;
    int64_t limit;
    int64_t stable;      /* readers are shown what lies below */
    int64_t highest_seq; /* there ever was */
    int64_t differs;     /* the offset of one that nobody sent, plus one; 0: there is none */
};

struct kafka {
    int32_t partition_count;
    struct topic_log requests[KAFKA_PARTITIONS_MAX];
    struct topic_log results[KAFKA_PARTITIONS_MAX];
    struct topic_log letters[KAFKA_PARTITIONS_MAX];
    int64_t clock_ms;                 /* the brokers' clock minus virtual time */
    int64_t ahead_ms, ahead_until_us; /* and more, until then; 0: never */
    int64_t away_until_us;
    uint32_t loses;                                     /* one call or request in so many fails */
    bool replicated;                                    /* replicas may hold records back */
    int64_t held_until_us;                              /* they do */
    uint64_t rebalances, lost_requests, deleted, jumps; /* counted */
};

extern struct kafka kafka;

void kafka_begin(int32_t partition_count);

/* Appends a record, which is copied. Returns its offset. */
int64_t kafka_append(struct topic_log *log, const struct kafka_record *record);

/* Brings what readers are shown up to date. */
void kafka_settle(struct topic_log *log);

/* Retention: deletes what lies below `until` and was appended before the brokers' `before_ms`. */
void kafka_retain(struct topic_log *log, int64_t until, int64_t before_ms);

/*
 * Deletes and creates a topic: other records are in it. At `offset` too, where a request that is
 * sent again could by chance be the one that was there.
 */
void kafka_recreate(struct topic_log *log, int64_t offset);

int64_t kafka_ms(void); /* the brokers' clock */

bool kafka_is_away(void);

/* ---- the ports, for the machine that runs ---- */

struct log_port kafka_source(int32_t partition, int64_t start_offset);
void kafka_close_source(const struct log_port *port);
struct outbox_port kafka_outbox(int32_t partition);
void kafka_close_outbox(const struct outbox_port *port);

/* Joins the group. The handler is copied. */
struct group_port kafka_join(const struct group_handler *handler);

/* Serves the group as its coordinator; never returns. */
void *kafka_coordinate(void *argument);

/* Partitions move, as when a worker comes or goes, or the coordinator believes one to be dead. */
void kafka_rebalance(void);
void kafka_expire_member(void);

#endif
