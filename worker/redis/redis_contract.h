/*
 * The version of the contract that the keys under a prefix are of. A reader checks it, a writer
 * claims it. Inside of the redis_ files.
 */
#ifndef USHER_WORKER_REDIS_REDIS_CONTRACT_H
#define USHER_WORKER_REDIS_REDIS_CONTRACT_H

#include "worker/redis/redis_link.h"

/* The version of this program. */
#define REDIS_CONTRACT "2"

/*
 * Sees that there are no keys of a version that this one cannot replace; the one before it can be.
 * RETRY. FATAL (78): there are.
 */
USHER_MUST_CHECK enum usher_status redis_contract_check(struct redis_link *link, const char *prefix,
                                                        struct usher_error *err);

/*
 * The same, and marks the keys as those of this version, also where the mark has the wrong type.
 * Where they were of the one before, the positions of that many partitions are deleted: whoever
 * owns them writes everything again.
 */
USHER_MUST_CHECK enum usher_status redis_contract_claim(struct redis_link *link, const char *prefix,
                                                        int32_t partitions,
                                                        struct usher_error *err);

/*
 * The same, but replaces none: FATAL (78) where they are of the one before, too. For who does not
 * write all of them again.
 */
USHER_MUST_CHECK enum usher_status redis_contract_mark(struct redis_link *link, const char *prefix,
                                                       struct usher_error *err);

#endif
