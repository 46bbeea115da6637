/*
 * Prunes, as the owner of the schema: deletes closed resources that are long over, with all their
 * rows, which are archived first; and replaces a customer with a pseudonym in bookings that are
 * over. Knows tables, not who owns a partition: its worker is fenced, and loads again.
 */
#ifndef USHER_WORKER_POSTGRES_PG_PRUNE_H
#define USHER_WORKER_POSTGRES_PG_PRUNE_H

#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

struct pg_prune;

/* A resource that can be pruned, and then the counts of deleted rows. Its id lives in an arena. */
struct pg_prunable {
    int64_t no;
    int32_t partition;
    const char *id;
    int64_t ended_ms;
    int64_t decisions;
    int64_t bookings, units, dead_letters;
    int32_t epoch; /* once it was pruned: that began with it */
};

/* Connects. RETRY (69), FATAL (77, 78). `*prune` is owned: pg_prune_close. */
USHER_MUST_CHECK enum usher_status pg_prune_open(const struct pg_settings *settings,
                                                 struct pg_prune **prune, struct usher_error *err);

/*
 * Lists resources that were over that many seconds ago, partition by partition. Statuses of a
 * query.
 */
USHER_MUST_CHECK enum usher_status pg_prune_list(struct pg_prune *prune, int64_t older_than_s,
                                                 struct usher_arena *arena,
                                                 struct pg_prunable **resources, uint32_t *count,
                                                 struct usher_error *err);

/*
 * Prunes resources of one partition in one transaction, and then sets their counts. With
 * `directory` what is deleted is in files there first. REJECT: one of them is not prunable any
 * more, or was asked for meanwhile; nothing was changed. RETRY; FATAL (77; 78: the files cannot be
 * written).
 */
USHER_MUST_CHECK enum usher_status pg_prune_resources(struct pg_prune *prune, int64_t older_than_s,
                                                      const char *directory,
                                                      struct pg_prunable *resources, uint32_t count,
                                                      struct usher_error *err);

/* Lists up to 1,000 pruned resources that Redis may still show: no, id, epoch. */
USHER_MUST_CHECK enum usher_status pg_prune_shown(struct pg_prune *prune, struct usher_arena *arena,
                                                  struct pg_prunable **resources, uint32_t *count,
                                                  struct usher_error *err);

/* Notes that Redis shows it no more. */
USHER_MUST_CHECK enum usher_status pg_prune_hidden(struct pg_prune *prune, int64_t no,
                                                   struct usher_error *err);

/* NULL is legal. */
void pg_prune_close(struct pg_prune *prune);

/*
 * ==== Forgetting a customer ====
 *
 * Replaces a customer with a pseudonym in bookings that are over, as the owner of the schema:
 * bookings, former owners, kept answers, dead letters. Money and counts stay.
 */

/* A booking that is not over, and keeps its customer. */
struct pg_remembered {
    const char *resource, *booking, *state;
};

struct pg_forgotten {
    const char *pseudonym;
    struct pg_remembered *remembered;
    uint32_t remembered_count;
    int64_t bookings, answers, others, dead_letters;
    uint32_t collisions; /* with others that changed the same rows, after which it tried again */
};

/*
 * Forgets a customer in one database, under the pseudonym of `forgotten`, if it has one, else under
 * a new one; text lives in `arena`. The owners of its partitions are fenced. RETRY: the
 * database is away, or others changed the same rows each time (69): what was done is done, and the
 * rest by the next call. FATAL (77, 78).
 */
USHER_MUST_CHECK enum usher_status pg_forget_customer(const struct pg_settings *settings,
                                                      const char *customer,
                                                      struct usher_arena *arena,
                                                      struct pg_forgotten *forgotten,
                                                      struct usher_error *err);

#endif
