/*
 * Reads the URI of a Redis. Knows nothing of connections.
 */
#ifndef USHER_WORKER_REDIS_REDIS_URI_H
#define USHER_WORKER_REDIS_REDIS_URI_H

#include <stdbool.h>

#include "usher/memory.h"
#include "usher/status.h"

/* Parts of a URI, in an arena. */
struct redis_address {
    const char *path; /* of a unix socket; NULL: host and port */
    const char *host;
    int port;
    bool tls;
    const char *user, *password; /* NULL: none */
    int database;
};

/*
 * Reads a URI: redis://, rediss:// (by TLS) or unix://. FATAL, exit code 78, with what to do: an
 * unknown scheme, a bad port or database, rediss:// in a program that was built without TLS for
 * Redis, since plain text instead would be worse. The password never appears in the text.
 */
USHER_MUST_CHECK enum usher_status redis_address_read(const char *uri, struct usher_arena *arena,
                                                      struct redis_address *address,
                                                      struct usher_error *err);

#endif
