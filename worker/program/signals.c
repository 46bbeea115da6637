/* Serves signals on a thread of its own: see signals.h. */
#include "worker/program/signals.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "usher/status.h"

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
        log_info(NULL, "stop signal: finishing what is in flight");
        signals->handler.stop(signals->handler.self);
    }
    return NULL;
}

void signals_start(const struct signals_handler *handler)
{
    static struct signals signals;
    pthread_t thread;
    signals.handler = *handler;
    sigemptyset(&signals.set);
    sigaddset(&signals.set, SIGTERM);
    sigaddset(&signals.set, SIGINT);
    sigaddset(&signals.set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals.set, NULL);
    static const int ignored[] = {SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    int failed = pthread_create(&thread, NULL, serve, &signals);
    assert(!failed);
    pthread_detach(thread);
}
