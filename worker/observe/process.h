/*
 * What a process that runs until it is stopped asks of the operating system: signals that it awaits
 * itself, and enough open files. Knows neither options nor adapters.
 */
#ifndef USHER_WORKER_OBSERVE_PROCESS_H
#define USHER_WORKER_OBSERVE_PROCESS_H

#include <signal.h>

/*
 * Blocks TERM, INT and HUP for this thread and all that are started later, so that the caller can
 * await them, and ignores PIPE, USR1 and USR2. Fills `awaited` with the blocked ones. Call it
 * before any other thread is started.
 */
void process_block_signals(sigset_t *awaited);

/* Raises the soft limit of open files to the hard one. If it may not, less is served. */
void process_raise_descriptors(void);

#endif
