/* Signals and open files: see process.h. */
#include "worker/observe/process.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

void process_block_signals(sigset_t *awaited)
{
    sigemptyset(awaited);
    sigaddset(awaited, SIGTERM);
    sigaddset(awaited, SIGINT);
    sigaddset(awaited, SIGHUP);
    pthread_sigmask(SIG_BLOCK, awaited, NULL);
    static const int ignored[] = {SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
}

/* The usual soft limit is too low for 50 partitions, and for 1,000 browsers. */
void process_raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}
