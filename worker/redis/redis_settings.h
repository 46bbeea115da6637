/*
 * How to reach Redis, and under which names its keys are: what every redis_ module is opened with.
 * Names no type of hiredis.
 */
#ifndef USHER_WORKER_REDIS_REDIS_SETTINGS_H
#define USHER_WORKER_REDIS_REDIS_SETTINGS_H

#include "worker/redis/redis_uri.h"

/* Borrowed for as long as what was opened with it. Files are in PEM; NULL: not given. */
struct redis_settings {
    const char *uri;              /* see redis_uri.h; NULL: there is no Redis */
    const char *uri_file;         /* read anew for each connection; NULL: `uri` stays */
    const char *ca_file;          /* whom to trust with rediss://; NULL: the system's CAs */
    const char *certificate_file; /* to log in with, and what it is signed by */
    const char *key_file;         /* its private key, without a password */
    const char *prefix;           /* of all keys */
};

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

#endif
