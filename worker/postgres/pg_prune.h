/*
 * Deletes what is long over, as the owner of the schema: closed resources with all that belongs to
 * them. Knows tables, not who owns a partition: its worker is fenced, and reads anew.
 */
#ifndef USHER_WORKER_POSTGRES_PG_PRUNE_H
#define USHER_WORKER_POSTGRES_PG_PRUNE_H

#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

struct pg_prune;

/* A resource that can be pruned, and then what was deleted. Its id lives in an arena. */
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

/* Lists what was over that many seconds ago, partition by partition. Statuses of a query. */
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

#endif
