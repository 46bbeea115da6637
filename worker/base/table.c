/*
 * Chains of nodes, one per slot; the slots are doubled when the table is half full,
 * so that most look-ups of absent keys end at an empty slot, without touching a node. PURE.
 */
#include "worker/base/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

enum {
    SLOT_COUNT_MIN = 16
};

void table_deinit(struct table *table)
{
    free(table->slots);
    *table = (struct table){NULL, 0, 0};
}

static struct table_node **slot_of(const struct table *table, uint64_t hash)
{
    return &table->slots[hash & (table->slot_count - 1)];
}

static void grow(struct table *table)
{
    struct table bigger = {.slot_count = table->slot_count ? 2 * table->slot_count : SLOT_COUNT_MIN,
                           .count = table->count};
    bigger.slots = memory_calloc(bigger.slot_count, sizeof *bigger.slots);
    for (uint32_t i = 0; i < table->slot_count; i++) {
        for (struct table_node *node = table->slots[i], *next; node; node = next) {
            struct table_node **slot = slot_of(&bigger, node->hash);
            next = node->next;
            node->next = *slot;
            *slot = node;
        }
    }
    free(table->slots);
    *table = bigger;
}

void table_add(struct table *table, struct table_node *node, uint64_t hash)
{
    if (2 * table->count >= table->slot_count)
        grow(table);
    struct table_node **slot = slot_of(table, hash);
    *node = (struct table_node){.next = *slot, .hash = hash};
    *slot = node;
    table->count++;
}

void table_remove(struct table *table, struct table_node *node)
{
    struct table_node **link = slot_of(table, node->hash);
    while (*link != node) {
        assert(*link); /* it is in the table */
        link = &(*link)->next;
    }
    *link = node->next;
    table->count--;
}

static struct table_node *first_with(struct table_node *node, uint64_t hash)
{
    while (node && node->hash != hash)
        node = node->next;
    return node;
}

struct table_node *table_find(const struct table *table, uint64_t hash)
{
    return table->count == 0 ? NULL : first_with(*slot_of(table, hash), hash);
}

struct table_node *table_find_next(const struct table_node *node)
{
    return first_with(node->next, node->hash);
}

struct table_node *table_each(const struct table *table, const struct table_node *after)
{
    uint32_t slot = 0;
    if (after) {
        if (after->next)
            return after->next;
        slot = (uint32_t)(after->hash & (table->slot_count - 1)) + 1;
    }
    for (; slot < table->slot_count; slot++)
        if (table->slots[slot])
            return table->slots[slot];
    return NULL;
}

/* The finaliser of SplitMix64: every bit of the number reaches every bit of the hash. */
uint64_t table_hash_number(uint64_t number)
{
    number += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

/* FNV-1a, which is weak in its low bits, finished like a number. */
uint64_t table_hash_text(const char *text, uint64_t seed)
{
    return table_hash_bytes(text, strlen(text), seed);
}

uint64_t table_hash_bytes(const char *bytes, size_t size, uint64_t seed)
{
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return table_hash_number(hash);
}
