/*
 * Redis as bad as it may be: it loses connections before and after a write, is slow, loading,
 * emptied under a connection, or goes back to an earlier moment. What it is given comes through the
 * worker's own queue; the scripts' guards are those of worker/redis.
 */
#ifndef TESTS_SIM_REDIS_H
#define TESTS_SIM_REDIS_H

#include "sim.h"
#include "worker/model/ports.h"

enum {
    REDIS_PARTITIONS_MAX = 4
};

struct redis_state;

struct redis {
    struct redis_state *state;
    struct redis_state *saved;                      /* to which it may go back; NULL: none */
    uint64_t restarts;                              /* each ends all connections */
    int64_t away_until_us;                          /* or loading */
    uint32_t slow, loses;                           /* one call in so many */
    uint64_t writes, gaps, stale, losses, rebuilds; /* counted */
};

extern struct redis redis;

void redis_begin(void);

/* ---- what goes wrong ---- */

void redis_save(void);

/* Goes back to what was saved, or is emptied, with its connections or without. */
void redis_lose(void);

/*
 * The command rebuild-cache, beside workers: each key is deleted, and with it all positions; then
 * what PostgreSQL has is written. By a thread of the world.
 */
void redis_rebuild(void);

/* Deletes a resource that was pruned, once Redis is there, unless a later epoch has one of its id.
 */
void redis_forget(int32_t partition, const char *id, int32_t epoch);

/* ---- the port, for the machine that runs ---- */

struct redis_client;

struct redis_client *redis_open(int32_t partition_count);
struct cache_port redis_port(struct redis_client *client);

/* Writes what is left, within a second. */
void redis_close(struct redis_client *client);

/* ---- the verdict ---- */

/* How far it says that it follows a partition. */
int64_t redis_position(int32_t partition);

/* What is shown of a partition otherwise than the database has it, or beside that, now that all is
 * at rest; NULL. */
const char *redis_differs(int32_t partition);

/* What the position of a partition promises and Redis has not, or Redis has too early; NULL. */
const char *redis_is_ahead(int32_t partition);

#endif
