/*
 * Waits for signals, one after another.
 */
#include "signals.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "log.h"
#include "usher/status.h"

struct signals {
    struct signals_handler handler;
    sigset_t set;
};

static void *serve(void *argument)
{
    const struct signals *signals = argument;
    int stops = 0;
    for (;;) {
        int number = 0;
        if (sigwait(&signals->set, &number) != 0)
            continue;
        if (number == SIGHUP) {
            signals->handler.reload(signals->handler.self);
            continue;
        }
        if (++stops > 1) {
            log_warning(NULL, "asked to stop twice: ending now, what is not committed comes again");
            _exit(USHER_EXIT_DONE);
        }
        log_info(NULL, "asked to stop");
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
    signal(SIGPIPE, SIG_IGN);
    int failed = pthread_create(&thread, NULL, serve, &signals);
    assert(!failed);
    pthread_detach(thread);
}
