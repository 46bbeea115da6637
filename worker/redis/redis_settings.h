/*
 * How to reach Redis, by a URI or by settings, and under which names its keys are: what every
 * redis_ module is opened with. Names no type of hiredis.
 */
#ifndef USHER_WORKER_REDIS_REDIS_SETTINGS_H
#define USHER_WORKER_REDIS_REDIS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/base/options.h"
#include "usher/memory.h"
#include "usher/status.h"

/*
 * ==== URIs ====
 *
 * Reads the URI of a Redis. Knows nothing of connections.
 */

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

/* ==== Settings ==== */

/* Borrowed for as long as what was opened with it. Files are in PEM; NULL: not given. */
struct redis_settings {
    const char *uri;              /* see redis_settings.h; NULL: there is no Redis */
    const char *uri_file;         /* read again for each connection; NULL: `uri` stays */
    const char *ca_file;          /* whom to trust with rediss://; NULL: the system's CAs */
    const char *certificate_file; /* to log in with, and what it is signed by */
    const char *key_file;         /* its private key, without a password */
    const char *prefix;           /* of all keys */
};

/* USHER_REDIS, _CA_FILE, _CERTIFICATE_FILE, _KEY_FILE, _PREFIX. */
extern const struct option_group redis_options;

/* What loaded options say. Text is valid as long as the options. */
struct redis_settings redis_settings_of(const struct options *options);

/*
 * Reads the address, from its file if there is one, and checks that the rest goes with it. FATAL,
 * exit code 78: as redis_address_read; a certificate without its key; files that only TLS uses.
 */
USHER_MUST_CHECK enum usher_status redis_settings_read(const struct redis_settings *settings,
                                                       struct usher_arena *arena,
                                                       struct redis_address *address,
                                                       struct usher_error *err);

/* Whether they can be read. */
USHER_MUST_CHECK enum usher_status redis_settings_check(const struct redis_settings *settings,
                                                        struct usher_error *err);

/* ==== Worker ==== */

/* What a worker tells about itself in its heartbeats. */
struct redis_worker {
    const char *name, *version;
    const char *host, *http; /* where it runs, and its address for HTTP there */
    int64_t uptime_s;        /* the cache's own; not set by who opens it */
};

#endif
