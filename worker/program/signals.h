/*
 * Signals of a long-running command, turned into calls on a thread of their own: TERM and INT
 * request an orderly stop, another one more than a second later exits at once, HUP requests a
 * reload of the options. USR1 and USR2 mean nothing.
 */
#ifndef USHER_WORKER_PROGRAM_SIGNALS_H
#define USHER_WORKER_PROGRAM_SIGNALS_H

/* Callbacks, on the thread of the signals. */
struct signals_handler {
    void *self;
    void (*stop)(void *self);
    void (*reload)(void *self);
};

/*
 * Blocks the signals for all threads that are started later, ignores PIPE, USR1 and USR2, and
 * starts the thread: call it before any other thread is started. `handler` is copied. The thread
 * never ends.
 */
void signals_start(const struct signals_handler *handler);

#endif
