/*
 * Whether a Redis can be used, for the command `check`. Writes nothing.
 */
#ifndef USHER_WORKER_REDIS_REDIS_CHECK_H
#define USHER_WORKER_REDIS_REDIS_CHECK_H

#include <stdbool.h>

#include "usher/status.h"

/*
 * Tries a connection: PING and the contract's version, within 2 s. `*evicts` is set where Redis may
 * evict keys, as far as it says so. `prefix` NULL: "usher". RETRY (69), or FATAL: 77 access denied,
 * 78 as redis_uri_check.
 */
USHER_MUST_CHECK enum usher_status redis_check(const char *uri, const char *prefix, bool *evicts,
                                               struct usher_error *err);

#endif
