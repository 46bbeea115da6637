/*
 * Sequences of calls of the record port, at random, by two clients that take a partition from each
 * other: acquired, batches begun and ended, loaded, cut, terminated, behind a lock, and moved on by
 * an operator. All that comes
 * of them is written down, so that one record can be held to another: the same seed has to give
 * the same text. What happens at the same time is left out, as it has no one outcome.
 */
#ifndef TESTS_RECORD_CALLS_H
#define TESTS_RECORD_CALLS_H

#include <stdio.h>

#include "worker/model/ports.h"

enum {
    RECORD_CLIENTS = 2,
};

/* A database with a partition 0 of 1 that was never started, as the calls need it. */
struct record_side {
    /* Opens a client's record, another owner each time; closes it, as when its process dies. */
    struct record_port (*open)(int client);
    void (*close)(int client);
    /* Ends the connection of a client's commits on the server's side. */
    void (*terminate)(int client);
    /* Somebody else locks the row of the partition, or unlocks it. */
    void (*lock)(bool locked);
    /* A client has acquired the partition. */
    void (*acquired)(int client);
    /* Before a client begins a batch, … */
    void (*begins)(int client);
    /* … and until the server has done with it, or waits for the lock with it; … */
    void (*begun)(int client);
    /* … and, once that is unlocked, until all that waited is committed, as it must be. */
    void (*committed)(const struct batch *last);
    /* An operator's statements (pg_partition.h); false: nothing was changed. */
    bool (*accept_loss)(int64_t next_seq, int64_t highest_seq);
    bool (*skip_requests)(int64_t from, int64_t to);
    bool (*accept_topic)(int64_t next_offset, int64_t next_seq);
    bool (*resume)(void);
    bool (*prune)(int64_t resource_no);
};

/* Writes the calls of a seed, and what came of each, as text. */
void record_calls(const struct record_side *side, uint32_t seed, FILE *to);

#endif
