/*
 * What a long-running process needs: signals, its health for the service manager, and enough open
 * files. Knows neither adapters nor options.
 */
#include "worker/program/worker_process.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "producer/base/plural.h"
#include "worker/observe/process.h"

/* ---- health ---- */

static void count_partitions(struct group *group, int32_t partition_count, char *said)
{
    int32_t assigned = 0;
    int32_t halted = 0;
    for (int32_t i = 0; i < partition_count; i++) {
        struct partition_view view;
        if (!group_snapshot(group, i, &view))
            continue;
        assigned++;
        halted += view.stage == STAGE_HALTED;
    }
    int size =
        snprintf(said, SERVICE_SAID_SIZE, "%" PRId32 " of %" PRId32 " partition%s%s", assigned,
                 partition_count, PLURAL(partition_count), assigned == 0 ? ", standing by" : "");
    if (halted > 0)
        snprintf(said + size, SERVICE_SAID_SIZE - (size_t)size, ", halted: %" PRId32, halted);
}

struct service_health process_health(struct group *group, int32_t partition_count)
{
    struct service_health health = {0};
    health.alive = group_alive(group, health.said, sizeof health.said);
    health.ready = health.alive && group_ready(group, health.said, sizeof health.said);
    if (health.ready)
        count_partitions(group, partition_count, health.said);
    return health;
}

/* ---- signals ---- */

enum {
    SAME_STOP_MS = 1000 /* a process and its group may be signalled both: that is one stop */
};

struct signals {
    struct signals_handler handler;
    sigset_t set;
};

static void *serve(void *argument)
{
    const struct signals *signals = argument;
    int64_t stopped_ms = 0;
    for (;;) {
        int number = 0;
        if (sigwait(&signals->set, &number) != 0)
            continue;
        if (number == SIGHUP) {
            signals->handler.reload(signals->handler.self);
            continue;
        }
        if (stopped_ms != 0 && clock_ms() - stopped_ms < SAME_STOP_MS)
            continue;
        if (stopped_ms != 0) {
            log_warning(NULL, "second stop signal: exiting now; uncommitted requests will be "
                              "processed again");
            _exit(USHER_EXIT_DONE);
        }
        stopped_ms = clock_ms();
        log_info(NULL, "stop signal: finishing work in flight");
        signals->handler.stop(signals->handler.self);
    }
    return NULL;
}

void process_start_signals(const struct signals_handler *handler)
{
    static struct signals signals;
    pthread_t thread;
    signals.handler = *handler;
    process_block_signals(&signals.set);
    int failed = pthread_create(&thread, NULL, serve, &signals);
    assert(!failed);
    pthread_detach(thread);
}

/* ---- open files ---- */

/* With one broker; each further one takes some 6 more for each partition. */
enum {
    NEEDED = 44 + 160, /* of the process, and of its HTTP server's connections */
    NEEDED_BY_PARTITION = 20
};

enum usher_status process_check_descriptors(int32_t partition_count, struct usher_error *err)
{
    struct rlimit limit;
    rlim_t needed = NEEDED + (rlim_t)NEEDED_BY_PARTITION * (rlim_t)partition_count;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "too few open files are allowed: %" PRIu64 ", but %" PRIu64
                    " are needed for partitions: %" PRId32
                    "; raise the hard limit (ulimit -Hn, LimitNOFILE= of systemd)",
                    (uint64_t)limit.rlim_cur, (uint64_t)needed, partition_count);
    return USHER_FATAL;
}
