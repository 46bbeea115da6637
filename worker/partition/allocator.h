/*
 * The allocator of one partition: a thread that takes the partition over, then decides its requests
 * batch by batch until it is stopped, fenced or halted. It knows the ports, never the adapters.
 */
#ifndef USHER_WORKER_PARTITION_ALLOCATOR_H
#define USHER_WORKER_PARTITION_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/partition/partition_state.h"

struct allocator;

/*
 * The state for people, view.state: "acquire", "verify", … by the stage, but "retrying" from a
 * failure on until the partition is active again.
 */
const char *allocator_state_name(const struct partition_view *view);

/* Starts the thread, which takes the partition over by itself. Never NULL. */
struct allocator *allocator_start(const struct partition_settings *settings,
                                  const struct partition_ports *ports);

/*
 * Asks it to finish its work in flight within `drain_ms` and leave. 0: to leave at once, which is
 * safe. Returns at once. May be called from any thread.
 */
void allocator_stop(struct allocator *allocator, int64_t drain_ms);

/*
 * Waits for its thread until the deadline of its drain has passed, and until its memory is free if
 * nothing else is left to do. True: it has ended and was freed. False: it is stuck in a call. The
 * caller may wait a second more by calling this again, or must end the process.
 */
USHER_MUST_CHECK bool allocator_join(struct allocator *allocator);

/* Any thread. */
void allocator_snapshot(struct allocator *allocator, struct partition_view *view);

#endif
