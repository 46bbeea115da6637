/*
 * All that group.c knows of the consumer group: a process joins it, and partitions are assigned to
 * it and revoked from it. Adapter types never cross this file.
 */
#ifndef USHER_WORKER_MODEL_GROUP_PORT_H
#define USHER_WORKER_MODEL_GROUP_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/model/ports.h"

/* A partition assigned to this process. */
struct assigned_partition {
    int32_t partition;
    struct log_port log; /* for the allocator's thread; valid until `revoked` has returned */
};

/*
 * Called out of group_port.poll and group_port.leave, on the thread that called those; none may
 * wait for anything but the allocators' threads.
 */
struct group_handler {
    void *self;
    /*
     * Returns where to start reading: the partition's next_offset as last read from the database.
     * Only a guess, which saves time: the allocator drops what is already decided, and seeks back
     * where the database has less by now. OFFSET_NONE: from the log's start.
     */
    int64_t (*start_offset)(void *self, int32_t partition);
    /* Starts an allocator for each. The array is valid during the call. `count` may be 0. */
    void (*assigned)(void *self, const struct assigned_partition *partitions, uint32_t count);
    /*
     * Stops and joins all allocators (assignment is eager: all stop at once) and releases every
     * record taken. `lost`: the partitions may be assigned to another member already, so there is
     * nothing to finish.
     */
    void (*revoked)(void *self, bool lost);
};

struct group_port {
    void *self;
    /*
     * Serves the group: waits up to timeout_ms, or until woken. Must be called at least every few
     * seconds. RETRY: Kafka is away (logged by the adapter; keep polling). FATAL: access denied,
     * topic deleted, session timeout refused, or the consumer has failed: exit the process.
     */
    enum usher_status (*poll)(void *self, int timeout_ms, struct usher_error *err);
    /*
     * Gives all partitions back and joins again, at the next polls: as when a worker is added.
     * RETRY: Kafka is away. FATAL as poll.
     */
    enum usher_status (*rejoin)(void *self, struct usher_error *err);
    /* Makes a waiting poll return at once. From any thread, before leave; not from a signal
     * handler. */
    void (*wake)(void *self);
    /*
     * Leaves the group: calls `revoked` if partitions are assigned, and commits acknowledged
     * offsets. RETRY: Kafka did not answer within timeout_ms; the partitions are revoked anyway,
     * and the group notices at the session timeout.
     */
    enum usher_status (*leave)(void *self, int timeout_ms, struct usher_error *err);
};

#endif
