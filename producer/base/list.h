/*
 * A doubly linked list of nodes that live inside what they list, oldest first. PURE: it does not
 * know what the nodes are part of.
 */
#ifndef USHER_PRODUCER_BASE_LIST_H
#define USHER_PRODUCER_BASE_LIST_H

#include <stddef.h>
#include <stdint.h>

/* The struct that a node is part of. */
#define ENTRY_OF(node_pointer, type, member) \
    ((type *)(void *)((char *)(node_pointer)-offsetof(type, member)))

struct list_node {
    struct list_node *older, *newer;
};

/* Zero-initialise to make an empty one. */
struct list {
    struct list_node *oldest, *newest;
    uint32_t count;
};

/* Adds a node as the newest. */
static inline void list_add(struct list *list, struct list_node *node)
{
    *node = (struct list_node){.older = list->newest};
    *(list->newest ? &list->newest->newer : &list->oldest) = node;
    list->newest = node;
    list->count++;
}

/* Adds a node behind another one of the list; NULL: as the oldest. */
static inline void list_add_after(struct list *list, struct list_node *older,
                                  struct list_node *node)
{
    struct list_node *newer = older ? older->newer : list->oldest;
    *node = (struct list_node){.older = older, .newer = newer};
    *(older ? &older->newer : &list->oldest) = node;
    *(newer ? &newer->older : &list->newest) = node;
    list->count++;
}

/* Removes a node that is in the list. */
static inline void list_remove(struct list *list, struct list_node *node)
{
    *(node->older ? &node->older->newer : &list->oldest) = node->newer;
    *(node->newer ? &node->newer->older : &list->newest) = node->older;
    list->count--;
}

/* Puts a node in the place of one that is in the list. */
static inline void list_replace(struct list *list, struct list_node *old, struct list_node *node)
{
    struct list_node *older = old->older;
    list_remove(list, old);
    list_add_after(list, older, node);
}

/* Makes a node of the list the newest. */
static inline void list_renew(struct list *list, struct list_node *node)
{
    if (list->newest != node) {
        list_remove(list, node);
        list_add(list, node);
    }
}

/* Removes the oldest node and returns it; NULL: the list is empty. */
static inline struct list_node *list_take(struct list *list)
{
    struct list_node *node = list->oldest;
    if (node) {
        list->oldest = node->newer;
        *(node->newer ? &node->newer->older : &list->newest) = NULL;
        list->count--;
    }
    return node;
}

#endif
