/*
 * All that group.c knows of the consumer group: a process asks to be a member, is given partitions
 * and has them taken away. Adapter types never cross this file.
 */
#ifndef USHER_WORKER_MODEL_GROUP_PORT_H
#define USHER_WORKER_MODEL_GROUP_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/model/ports.h"

/* A partition given to this process. */
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
     * Where to read on: a lower bound of the partition's next_offset, as last read from the
     * database (it only grows; what was decided before is dropped by the allocator). OFFSET_NONE:
     * never started, the log's start.
     */
    int64_t (*start_offset)(void *self, int32_t partition);
    /* Starts an allocator for each. The array is valid during the call. `count` may be 0. */
    void (*assigned)(void *self, const struct assigned_partition *partitions, uint32_t count);
    /*
     * Stops and joins all allocators (assignment is eager: all go at once) and gives back every
     * record taken. `lost`: Kafka has given the partitions to somebody else already, so there is
     * nothing to finish.
     */
    void (*revoked)(void *self, bool lost);
};

struct group_port {
    void *self;
    /*
     * Serves the group: waits up to timeout_ms, or until woken. Must be called at least every few
     * seconds. RETRY: Kafka is away (logged by the adapter; go on polling). FATAL: access denied,
     * topic gone, session timeout refused, or the membership cannot go on: leave the process.
     */
    enum usher_status (*poll)(void *self, int timeout_ms, struct usher_error *err);
    /* Makes a poll that waits return at once. From any thread, before leave; not from a signal
     * handler. */
    void (*wake)(void *self);
    /*
     * Leaves the group: `revoked` is called if partitions are assigned, offsets acknowledged are
     * committed. RETRY: Kafka did not answer within timeout_ms; the partitions are revoked all the
     * same, the group notices at the session timeout.
     */
    enum usher_status (*leave)(void *self, int timeout_ms, struct usher_error *err);
};

#endif
