/*
 * The command `reconcile`: proves that PostgreSQL is consistent in itself, has a decision about
 * each request, and that Redis shows what PostgreSQL has. Knows nothing of running workers, but
 * that they may continue meanwhile: what changed while it was compared is compared again. Units
 * and terms of a resource are proven before anything is drawn from it.
 */
#ifndef USHER_WORKER_RECONCILE_RECONCILE_H
#define USHER_WORKER_RECONCILE_RECONCILE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/kafka/kafka_base.h"
#include "worker/postgres/pg_settings.h"
#include "worker/reconcile/reconcile_units.h"
#include "worker/redis/redis_settings.h"

enum reconcile_kind {
    RECONCILE_DIFFERENCE = 0,
    RECONCILE_REPAIRED, /* it was one */
    RECONCILE_NOTE,     /* legal, but worth knowing */
};

struct reconcile_finding {
    enum reconcile_kind kind;
    const char *resource; /* NULL: it is of none, or of several */
    const char *text;
};

/* The verdict. Beyond a limit of lines, differences are only counted. */
struct reconcile_verdict {
    uint64_t resources, differences, repaired, notes;
    uint64_t changing; /* resources that sold faster than they could be compared; Redis follows */
    struct reconcile_sums sums;
};

/* Zero-initialise, then set. Text is borrowed during the call. */
struct reconcile_settings {
    const struct pg_settings *postgres;
    const struct redis_settings *redis; /* its uri NULL: PostgreSQL only */
    struct kafka_base *kafka;           /* reads committed records; NULL: requests are not read */
    int64_t decisions;                  /* the last ones of each partition, for undecided.h */
    bool repair;                        /* rewrite what Redis shows wrongly, from PostgreSQL */
    void *context;
    void (*report)(void *context, const struct reconcile_finding *finding);
};

/*
 * Proves, for every resource: free + held + sold + blocked = capacity in each pool, no unit twice
 * and none without an owner (the checks of pg_reconcile.h), terms that can be decided by, and Redis
 * equal in hash, seats, pools, catalogue, layout and lists. A resource that differs is read again
 * for 2 s, since the cache follows a little later than the commit, and for up to 12 s while its
 * updates are throttled (display.h). One that is sold too fast to be ever compared at one moment is
 * counted apart, if Redis follows it. And for every request that Kafka still has, that it was
 * decided (undecided.h). Notes (reconcile.h) are no differences.
 *
 * Reads only; with `repair` it also writes to Redis, where that still differs then. It never writes
 * to PostgreSQL: what is wrong there was decided wrongly, and is for people to judge.
 *
 * OK: no differences, or all of them repaired. REJECT: there are some, err->exit_code 4. FATAL: 69,
 * 77 or 78, nothing is proven, and `verdict` is not set.
 */
USHER_MUST_CHECK enum usher_status reconcile_run(const struct reconcile_settings *settings,
                                                 struct reconcile_verdict *verdict,
                                                 struct usher_error *err);

#endif
