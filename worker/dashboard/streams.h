/*
 * Browsers that are kept up to date by server-sent events, of all resources or of one. Each is a
 * connection that sleeps until the board has turned. Knows neither addresses nor limits.
 */
#ifndef USHER_WORKER_DASHBOARD_STREAMS_H
#define USHER_WORKER_DASHBOARD_STREAMS_H

#include <microhttpd.h>

#include "worker/dashboard/board.h"

/* A suspended connection: of a stream that has nothing to send, or of a resource being loaded. */
struct sleeper {
    struct list_node node;
    struct MHD_Connection *connection;
};

/* Zero-initialise, and set the board. */
struct streams {
    struct board *board;
    struct list sleepers; /* with the board's lock held, as the next one */
    bool closing;         /* each ends when it is woken */
    _Atomic uint32_t open;
    _Atomic uint64_t events; /* sent */
};

/* With the lock held. Suspends a connection until streams_wake. */
static inline void streams_sleep(struct streams *streams, struct sleeper *sleeper)
{
    list_add(&streams->sleepers, &sleeper->node);
    MHD_suspend_connection(sleeper->connection);
}

/* With the lock held. */
static inline void streams_wake(struct streams *streams)
{
    struct list_node *node;
    while ((node = list_take(&streams->sleepers)))
        MHD_resume_connection(ENTRY_OF(node, struct sleeper, node)->connection);
}

/*
 * With the lock held. Opens a stream of `shown` (NULL: of all resources), which goes on behind the
 * connection's Last-Event-ID, if that is known still. Returns its body, without headers; owned by
 * the library once it is queued. NULL: there is no memory for it.
 */
struct MHD_Response *streams_open(struct streams *streams, struct MHD_Connection *connection,
                                  struct shown *shown);

#endif
