/*
 * Reads the URI of a Redis. Knows nothing of connections.
 */
#ifndef USHER_WORKER_REDIS_REDIS_URI_H
#define USHER_WORKER_REDIS_REDIS_URI_H

#include "usher/memory.h"
#include "usher/status.h"

/* Parts of a URI, in an arena. */
struct redis_address {
    const char *path; /* of a unix socket; NULL: host and port */
    const char *host;
    int port;
    const char *user, *password; /* NULL: none */
    int database;
};

/* Reads a URI (see redis_uri_check). */
USHER_MUST_CHECK enum usher_status redis_address_read(const char *uri, struct usher_arena *arena,
                                                      struct redis_address *address,
                                                      struct usher_error *err);

/*
 * Whether `uri` can be read. FATAL, exit code 78, with what to do: rediss:// (this build has no TLS
 * for Redis, and plain text instead would be worse), an unknown scheme, a bad port or database. The
 * password never appears in the text.
 */
USHER_MUST_CHECK enum usher_status redis_uri_check(const char *uri, struct usher_error *err);

#endif
