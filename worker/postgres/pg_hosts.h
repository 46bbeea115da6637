/*
 * The hosts of a connection string that names several of them, as the primary and its standbys:
 * where to go on when one does not answer. Knows nothing of connections.
 */
#ifndef USHER_WORKER_POSTGRES_PG_HOSTS_H
#define USHER_WORKER_POSTGRES_PG_HOSTS_H

#include <stdbool.h>

/* Lists with commas, as libpq has them; borrowed. NULL: not given. A single port is that of all. */
struct pg_hosts {
    const char *names;
    const char *addresses;
    const char *ports;
};

/*
 * Leaves the host of that name (or address) and port, and all before it, out of the lists. False:
 * nothing is left, or it is not among them; the lists are as they were.
 */
bool pg_hosts_pass(struct pg_hosts *hosts, const char *name, const char *port);

#endif
