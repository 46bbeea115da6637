/*
 * The allocators of a process: starts one for each partition that the consumer group assigns, stops
 * them when partitions are revoked, and watches over them meanwhile. Knows ports only.
 */
#ifndef USHER_WORKER_PARTITION_GROUP_H
#define USHER_WORKER_PARTITION_GROUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/model/ports.h"
#include "worker/model/rows.h"
#include "worker/partition/allocator.h"

struct group;

/* Calls of the group to the program, which owns the adapters. */
struct group_hooks {
    void *self;
    /*
     * Reads where every partition stands without a lock into `known`; what it cannot read stays as
     * it was. RETRY: the database is away.
     */
    enum usher_status (*read_positions)(void *self, struct known_position *known,
                                        struct usher_error *err);
    /* Reports now and then whether Kafka answers. */
    void (*kafka_seen)(void *self, bool up);
    /* Makes the ports of a partition but the log; closed with `close` after its allocator ended. */
    void (*open)(void *self, int32_t partition, struct partition_ports *ports);
    void (*close)(void *self, int32_t partition);
    /* Called at each turn of group_run, many times per second unless something is stuck. */
    void (*turned)(void *self);
};

struct group_settings {
    int32_t partition_count;
    int64_t stuck_ms;                    /* no call into a port takes this long */
    struct partition_settings allocator; /* of each; `partition` is set by the group */
};

/* Returns a group without partitions, owned. `hooks` is copied. */
struct group *group_create(const struct group_settings *settings, const struct group_hooks *hooks);

/* Every partition must have been revoked. NULL is legal. */
void group_destroy(struct group *group);

/* Returns the callbacks of the membership, valid as long as the group. */
struct group_handler group_handler(struct group *group);

/*
 * Reads the positions, which must succeed once before the group is joined. RETRY (69), FATAL.
 */
USHER_MUST_CHECK enum usher_status group_read_positions(struct group *group,
                                                        struct usher_error *err);

/*
 * Serves the membership until `*stopping`, then leaves. FATAL with the exit code where the process
 * cannot continue: an allocator or the membership failed.
 */
USHER_MUST_CHECK enum usher_status group_run(struct group *group, const struct group_port *port,
                                             const _Atomic bool *stopping, struct usher_error *err);

/* ---- state for people; any thread ---- */

/* Whether every loop makes progress; if not, `why` is filled. */
bool group_alive(struct group *group, char *why, size_t size);

/*
 * Whether the group was joined, Kafka and PostgreSQL answered within the last seconds, and every
 * assigned partition is active (none assigned: a standby, ready), which one that fails again and
 * again is not; a halted one does not count, it waits for a person.
 */
bool group_ready(struct group *group, char *why, size_t size);

/* Reads the view of a partition. False: it is not assigned. */
bool group_snapshot(struct group *group, int32_t partition, struct partition_view *view);

#endif
