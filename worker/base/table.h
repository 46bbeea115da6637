/*
 * A hash table of nodes that live inside what they index: chained, growing, never copying. The one
 * place with hashing in the core. PURE: it knows neither keys nor what the nodes are part of.
 *
 *     for (struct table_node *node = table_find(table, hash); node; node = table_find_next(node))
 *         if (the key of ENTRY_OF(node, struct thing, node) is mine) …
 */
#ifndef USHER_WORKER_BASE_TABLE_H
#define USHER_WORKER_BASE_TABLE_H

#include <stdint.h>

#include "producer/base/list.h"

struct table_node {
    struct table_node *next;
    uint64_t hash;
};

/* Zero-initialise to make an empty one. */
struct table {
    struct table_node **slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t count;
};

/* Frees the slots, not the nodes. The table is empty and usable again. */
void table_deinit(struct table *table);

/* Adds a node under `hash`. Several nodes may have the same. */
void table_add(struct table *table, struct table_node *node, uint64_t hash);

/* Removes a node that is in the table. */
void table_remove(struct table *table, struct table_node *node);

/* Returns the first node under `hash`, or NULL; and the next one under the same, or NULL. */
struct table_node *table_find(const struct table *table, uint64_t hash);
struct table_node *table_find_next(const struct table_node *node);

/* Visits all nodes in a fixed order: returns the one after `after`; NULL gives the first, and ends.
 */
struct table_node *table_each(const struct table *table, const struct table_node *after);

/* Hash a text, bytes, and a number (splitmix64); `seed` tells keys of several parts apart. */
uint64_t table_hash_text(const char *text, uint64_t seed);
uint64_t table_hash_bytes(const char *bytes, size_t size, uint64_t seed);
uint64_t table_hash_number(uint64_t number);

#endif
