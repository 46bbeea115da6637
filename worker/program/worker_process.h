/*
 * What a long-running process needs: signals, its health for the service manager, and enough open
 * files. Knows neither adapters nor options.
 */
#ifndef USHER_WORKER_PROGRAM_WORKER_PROCESS_H
#define USHER_WORKER_PROGRAM_WORKER_PROCESS_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/observe/service_manager.h"
#include "worker/partition/group.h"

/* How a worker with this group is, for the service manager: alive as long as all loops move. */
struct service_health process_health(struct group *group, int32_t partition_count);

/* Callbacks, on the thread of the signals. */
struct signals_handler {
    void *self;
    void (*stop)(void *self);
    void (*reload)(void *self);
};

/*
 * Turns signals into calls on a thread of their own: TERM and INT request an orderly stop, another
 * one more than a second later exits at once, HUP requests a reload of the options.
 *
 * Blocks the signals for all threads that are started later, ignores PIPE, USR1 and USR2, and
 * starts the thread: call it before any other thread is started. `handler` is copied. The thread
 * never ends.
 */
void process_start_signals(const struct signals_handler *handler);

/*
 * FATAL (78) where the limit does not allow a worker that owns so many partitions: it would stay
 * up without being able to connect.
 */
USHER_MUST_CHECK enum usher_status process_check_descriptors(int32_t partition_count,
                                                             struct usher_error *err);

#endif
