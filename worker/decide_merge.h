/*
 * A definition into the catalogue of a resource, and whether the result may be: for decide_define.c
 * only. PURE.
 */
#ifndef USHER_WORKER_DECIDE_MERGE_H
#define USHER_WORKER_DECIDE_MERGE_H

#include "inventory_resource.h"
#include "usher/message.h"

struct merge {
    struct resource *resource;  /* a clone, not settled */
    const struct resource *old; /* of this one; NULL: it is new */
    struct usher_arena *arena;  /* for the detail */
    bool over_limit;            /* some pools were left out */

    /* The earliest reason why the result may not be, and where; NONE: it is good. */
    enum usher_reason reason;
    const char *detail;
};

/* Merges into merge->resource: what is named is created or set, what is left out stays. */
void merge_definition(struct merge *merge, const struct usher_definition *definition);

#endif
