/*
 * The request ids that were answered: a repeat gets the first answer again. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_REQUEST_IDS_H
#define USHER_WORKER_INVENTORY_REQUEST_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/base/list.h"
#include "worker/base/table.h"
#include "worker/model/rows.h"

struct inventory;

/* A request id that was answered. */
struct known_id {
    int64_t resource_no;
    uint8_t id_hash[USHER_HASH_SIZE];
    uint8_t content_hash[USHER_HASH_SIZE];
    int64_t seq;                      /* of the first answer */
    const struct decision_row *first; /* where it was loaded for the current batch; else NULL */

    /* For the inventory only. */
    uint64_t batch; /* 0: it was loaded */
    struct table_node by_id;
    struct list_node age;
};

/* Returns what is known of that id, or NULL. */
struct known_id *inventory_id(const struct inventory *inventory, int64_t resource_no,
                              const uint8_t id_hash[USHER_HASH_SIZE]);

/* Keeps the first answer to a request id, decided in the batch of that number. */
void inventory_add_id(struct inventory *inventory, const struct decision_row *first,
                      uint64_t batch);

/*
 * Returns whether its first answer is in the database only: committed, and not loaded for this
 * batch.
 */
bool inventory_lacks_first(const struct inventory *inventory, const struct known_id *id);

#endif
