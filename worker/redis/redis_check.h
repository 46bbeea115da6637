/* Whether a Redis can be used, for the command `check`. Writes nothing. */
#ifndef USHER_WORKER_REDIS_REDIS_CHECK_H
#define USHER_WORKER_REDIS_REDIS_CHECK_H

#include <stdbool.h>

#include "usher/status.h"
#include "worker/redis/redis_settings.h"

/*
 * Tries a connection: PING, the contract's version, and whether this user may write, within 2 s.
 * `*evicts` is set where Redis may evict keys, as far as it says so. RETRY (69), or FATAL: 77
 * access denied, 78 as redis_settings_read.
 */
USHER_MUST_CHECK enum usher_status redis_check(const struct redis_settings *settings, bool *evicts,
                                               struct usher_error *err);

#endif
