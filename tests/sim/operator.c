/* See operator.h. The commands are those of worker/program/command_partition.c. */
#include "operator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postgres.h"
#include "redis.h"
#include "sim.h"
#include "workload.h"

enum {
    ROUND_MS = 5000,
    THOUGHT_MS = 5000, /* between the look at a partition and the command */
};

struct operator operator_at_work;

/* What a command shows before it asks for confirmation. */
struct seen {
    int64_t next_offset, next_seq, highest_seq, start;
};

static struct seen look(int32_t partition)
{
    const struct position *row = &postgres.partitions[partition].row;
    const struct topic_log *results = &kafka.results[partition];
    struct seen seen = {.next_offset = row->next_offset,
                        .next_seq = row->next_seq,
                        .start = kafka.requests[partition].start};
    for (int64_t i = results->start; i < results->end; i++)
        if (results->records[i].seq > seen.highest_seq)
            seen.highest_seq = results->records[i].seq;
    return seen;
}

/* ---- commands ---- */

static void accept_loss(int32_t partition, const struct seen *seen)
{
    if (!postgres_accept_loss(partition, seen->next_seq, seen->highest_seq))
        return;
    operator_at_work.losses++;
    operator_at_work.waits[partition] = false;
}

static void skip(int32_t partition, const struct seen *seen)
{
    operator_at_work.skips += postgres_skip_requests(partition, seen->next_offset, seen->start);
}

static void accept_topic(int32_t partition, const struct seen *seen)
{
    if (!postgres_accept_topic(partition, seen->next_offset, seen->next_seq))
        return;
    operator_at_work.topics++;
    operator_at_work.waits[partition] = false;
}

static void resume(int32_t partition)
{
    operator_at_work.resumes += postgres_resume(partition);
}

/* ---- the table of "A partition is halted" ---- */

static bool says(int32_t partition, const char *words)
{
    return strstr(postgres.partitions[partition].why, words);
}

__attribute__((noreturn)) static void give_up(int32_t partition, const char *what)
{
    (void)fprintf(stderr, "partition %d halted, %s: %s\n", (int)partition, what,
                  postgres.partitions[partition].why);
    abort();
}

/* If requests are deleted it is first to be seen whether commits are lost; not everybody does. */
static void act(int32_t partition, const struct seen *seen)
{
    bool lost = seen->highest_seq >= seen->next_seq;
    bool deleted = says(partition, "deleted before they were decided");
    if (sim_once_in(8))
        (void)postgres_reset_clock(partition);
    else if (sim_once_in(4))
        resume(partition);
    else if (deleted && seen->start > seen->next_offset && (!lost || sim_once_in(2)))
        skip(partition, seen);
    else if (lost)
        accept_loss(partition, seen);
    else if (says(partition, "the topic was recreated"))
        accept_topic(partition, seen);
    else
        give_up(partition, "and the guide has no word for it");
}

static void mend(int32_t partition)
{
    if (!operator_at_work.lost[partition])
        give_up(partition, "though it has lost nothing");
    if (kafka_is_away())
        return;
    struct seen seen = look(partition);
    sim_sleep(sim_below(THOUGHT_MS) * SIM_MS);
    act(partition, &seen);
}

static bool is_halted(int32_t partition)
{
    const struct postgres_partition *stored = &postgres.partitions[partition];
    return stored->halted > 0 && stored->halted == stored->row.epoch;
}

/* ---- at work ---- */

/* Not before nothing else goes wrong: a Redis that goes back is to be rebuilt again. */
static bool may_rebuild(void)
{
    bool waits = workload.sent < workload.requests || workload.open > 0;
    for (int32_t i = 0; i < kafka.partition_count; i++)
        waits = waits || operator_at_work.waits[i];
    return !waits;
}

static void *work(void *argument)
{
    (void)argument;
    for (;;) {
        sim_sleep(1 + sim_below(ROUND_MS) * SIM_MS);
        for (int32_t i = 0; i < kafka.partition_count; i++)
            if (is_halted(i))
                mend(i);
        if (!operator_at_work.has_rebuilt && may_rebuild()) {
            redis_rebuild();
            operator_at_work.has_rebuilt = true;
        }
    }
    return NULL;
}

void operator_begin(const bool lost[KAFKA_PARTITIONS_MAX])
{
    operator_at_work = (struct operator){0};
    memcpy(operator_at_work.lost, lost, sizeof operator_at_work.lost);
    memcpy(operator_at_work.waits, lost, sizeof operator_at_work.waits);
    (void)sim_spawn(sim_machines, work, NULL);
}
