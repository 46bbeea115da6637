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
#include "worker/model/loads.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_settings.h"
#include "worker/redis/redis_settings.h"

/*
 * ==== Units ====
 *
 * Proofs about one resource as the database has it, before anything is drawn from it.
 */

/* Receives lines of text. */
struct reconcile_report {
    void *context;
    /* A difference: something is not as it must be. */
    void (*line)(void *context, const char *resource, const char *text);
    /* Something that is legal, but worth knowing. */
    void (*note)(void *context, const char *resource, const char *text);
};

struct reconcile_sums {
    int64_t total, held, sold, blocked;
};

/*
 * Checks that every unit is held, sold or blocked, and taken once; that seats lie inside their
 * section, and no pool has more taken than there is (so that free + held + sold + blocked =
 * capacity, with free not below 0); that the chart has the seats of the pools; that prices fit the
 * rates; that the waiting list is in order and can be read. Returns how many differences there are;
 * where none, adds to `sums`.
 */
uint64_t reconcile_units(const struct loaded_resource *loaded, struct reconcile_sums *sums,
                         const struct reconcile_report *report);

/* ==== Reconcile ==== */

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

/*
 * ==== Terms ====
 *
 * What a resource is sold under, held against what was sold.
 *
 * More may be sold than a quota or a limit allows, without anything being wrong: a define may lower
 * it below what is in use, and nothing more is given then. So that is a note, not a difference;
 * only terms that cannot be applied are a difference.
 */

/* Whether something limits single customers, so that their units are to be counted. */
bool reconcile_limits_customers(const struct loaded_resource *loaded);

/*
 * Checks that the terms can be read and name pools that there are or were; notes quotas and
 * customers that are above their limits. `tallies` are of this resource, by customer and booking;
 * none where nothing limits customers. Returns how many differences there are.
 */
uint64_t reconcile_terms(const struct loaded_resource *loaded, const struct load_tally *tallies,
                         uint32_t tally_count, const struct reconcile_report *report);

#endif
