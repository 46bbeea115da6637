/*
 * Signals of a long-running command, turned into calls on a thread of their own: TERM and INT ask
 * it to stop in order, another one after a second ends it now, HUP asks it to read its options
 * again.
 */
#ifndef USHER_WORKER_PROGRAM_SIGNALS_H
#define USHER_WORKER_PROGRAM_SIGNALS_H

/* Called on the signals' thread. */
struct signals_handler {
    void *self;
    void (*stop)(void *self);
    void (*reload)(void *self);
};

/*
 * Blocks the signals for all threads that are started later, ignores PIPE, and starts the thread;
 * before any other thread is. `handler` is copied. It lives as long as the process.
 */
void signals_start(const struct signals_handler *handler);

#endif
