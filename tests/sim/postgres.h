/*
 * PostgreSQL as bad as it may be: backends that go on after their client died, and commit in steps:
 * they wait for the lock of the partition's row, check the guard, apply, commit, answer. Any answer
 * may be lost, any step may take long, a backend may be terminated, and all of it may be away. It
 * refuses some requests whenever they come, others once; a load of much takes too long.
 * What is written is held to the constraints of the tables (fake_database.h).
 */
#ifndef TESTS_SIM_POSTGRES_H
#define TESTS_SIM_POSTGRES_H

#include "fake_database.h"
#include "sim.h"
#include "worker/model/ports.h"

enum {
    POSTGRES_PARTITIONS_MAX = 4,
    POSTGRES_SKIPS_MAX = 8,
};

struct postgres_backend;

/* Requests that an operator passed over. */
struct postgres_skip {
    int64_t from, to;
};

/* A partition's tables, and its row of partition_state. */
struct postgres_partition {
    struct position row;
    uint64_t owner;                     /* the record that took it last */
    int64_t told_seq;                   /* next_seq of the last commit that a client knows of */
    const struct sim_machine *told;     /* whose that client is */
    struct postgres_backend *locked_by; /* whose transaction holds the row's lock */
    int32_t halted;                     /* the epoch that was said to be halted; 0: none */
    int32_t ended;                      /* the epoch that an operator ended last; 0: none */
    const char *why;                    /* it halted last */
    const char *misread; /* what a worker could not load that owned it no longer; NULL: nothing */
    int64_t topic_seq;   /* of the first decision about the topic of requests */
    struct postgres_skip skips[POSTGRES_SKIPS_MAX];
    uint32_t skip_count;
    uint32_t cancelled;       /* commits in a row */
    bool was_cancelled_twice; /* in a row: not again */
    uint32_t restored;        /* times, each of which ends all connections */
    struct fake_database tables;
    struct dead_letter_row *letters;
    uint32_t letter_count, letter_limit;
};

struct postgres {
    struct postgres_partition partitions[POSTGRES_PARTITIONS_MAX];
    struct postgres_partition saved[POSTGRES_PARTITIONS_MAX];
    int32_t partition_count;
    int64_t
        clock_ms;    /* its clock minus virtual time; at most half a second ahead of the brokers' */
    int64_t back_ms; /* so far it is back: as after a fail-over to a server that is late */
    int64_t away_until_us;
    uint32_t slow;      /* one step in so many takes seconds; 0: none */
    uint32_t loses;     /* one call in so many loses its connection, before or after its effect */
    uint32_t refuses;   /* one request in so many, always */
    uint32_t cancels;   /* one commit in so many, but hardly ever two in a row */
    uint32_t load_max;  /* a load of more request ids takes too long; 0: none does */
    uint32_t page_rows; /* a load of a resource has pages of so many rows; 0: all at once */
    uint64_t owners;    /* records there were */
    uint64_t lost_answers; /* counted */
    uint64_t terminated, refused, cancelled, slow_loads, set_back, set_ahead, resets, pruned, pages;
};

extern struct postgres postgres;

void postgres_begin(int32_t partition_count);

/* The record port of a partition, for the machine that runs. */
struct record_port postgres_record(int32_t partition);
void postgres_close(const struct record_port *port);

/* What its clock was minus virtual time when a record read it. False: each reading took long. */
bool postgres_clock_was(const struct record_port *port, int64_t *clock_ms);

/* Ends the backend of a record's commits, as an administrator does. */
void postgres_terminate(const struct record_port *port);

/* Somebody else locks the row of a partition, which must be free, or unlocks it. */
void postgres_lock(int32_t partition, bool locked);

/*
 * ---- an operator's statements (worker/postgres/sql/partition.sql) ----
 *
 * By a thread of the world. Each begins the next epoch, and ends the halt of the one before. False:
 * the partition is not where the operator saw it, and nothing was changed; or PostgreSQL is away.
 */

bool postgres_accept_loss(int32_t partition, int64_t next_seq, int64_t highest_seq);
bool postgres_skip_requests(int32_t partition, int64_t from, int64_t to);
bool postgres_accept_topic(int32_t partition, int64_t next_offset, int64_t next_seq);
bool postgres_resume(int32_t partition);
bool postgres_reset_clock(int32_t partition);

/* False also: the resource is not prunable. The epoch that begins is for Redis. */
bool postgres_prune(int32_t partition, int64_t resource_no, int32_t *epoch);

/* Its clock goes back by some seconds, or ahead; no further than workers and brokers may differ. */
void postgres_set_clock(void);

/* ---- a backup ---- */

/* Remembers a partition as it is; puts it back, as a backup of then does, into a new server. */
void postgres_save(int32_t partition);
void postgres_restore(int32_t partition);

/* Reads where all partitions stand. */
enum usher_status postgres_positions(struct known_position *known, struct usher_error *err);

#endif
