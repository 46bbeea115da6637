/*
 * TLS on a connection to Redis. Certificates are always verified, and their names. Inside of the
 * redis_ files, not for others.
 */
#ifndef USHER_WORKER_REDIS_REDIS_TLS_H
#define USHER_WORKER_REDIS_REDIS_TLS_H

#include <stdbool.h>

#include <hiredis/hiredis.h>

#include "usher/status.h"
#include "worker/redis/redis_settings.h"

/*
 * Begins TLS on a connection that has its deadlines. The files are read each time: renewed ones
 * need no restart. RETRY (69): the server's certificate is refused, or it does not speak TLS.
 * FATAL: a file cannot be used (78), the server refuses our certificate (77).
 */
USHER_MUST_CHECK enum usher_status redis_tls_begin(redisContext *connection,
                                                   const struct redis_settings *settings,
                                                   const struct redis_address *address,
                                                   struct usher_error *err);

/*
 * Whether the server refused our certificate, or that there was none: with TLS 1.3 it says so only
 * after the handshake, where a first reply is expected. On the thread of redis_tls_begin.
 */
bool redis_tls_denied(struct usher_error *err);

#endif
