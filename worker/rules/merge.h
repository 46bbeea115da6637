/*
 * A definition into the catalogue of a resource, and whether the result may be: for define.c
 * and decide_merge*.c only. PURE.
 */
#ifndef USHER_WORKER_RULES_MERGE_H
#define USHER_WORKER_RULES_MERGE_H

#include "usher/message.h"
#include "worker/inventory/resource.h"

struct merge {
    struct resource *resource;     /* a clone, not settled */
    const struct resource *old;    /* of this one; NULL: it is new */
    const struct chart_row *chart; /* the layout that the definition names; NULL */
    struct usher_arena *arena;     /* for the detail */
    bool over_limit;               /* some pools were left out */

    /* The earliest reason why the result may not be, and where; NONE: it is good. */
    enum usher_reason reason;
    const char *detail;
};

/* Merges into merge->resource: what is named is created or set, what is left out stays. */
void merge_definition(struct merge *merge, const struct usher_definition *definition);

/* Its parts: sections with rows or by capacity, rooms by night, products, … */
void merge_section(struct merge *merge, const struct usher_section *section);
void merge_room(struct merge *merge, const struct usher_room *room);
void merge_product(struct merge *merge, const struct usher_product *product);

/* … limits and quotas, once all pools are there, … */
void merge_terms(struct merge *merge, const struct usher_definition *definition);

/* … and whether units that are taken would go, or become other seats. */
void merge_check_use(struct merge *merge);

/* Notes why the result may not be. */
void merge_refuse(struct merge *merge, enum usher_reason reason, const char *detail);

#endif
