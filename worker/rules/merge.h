/*
 * A definition merged into the catalogue of a resource, pools and terms, and checked as a whole.
 * PURE.
 */
#ifndef USHER_WORKER_RULES_MERGE_H
#define USHER_WORKER_RULES_MERGE_H

#include "usher/message.h"
#include "worker/inventory/resource.h"

/*
 * ==== Refusal ====
 *
 * A definition being merged into the catalogue of a resource, and the reason to refuse it.
 */

struct merge {
    struct resource *resource;     /* a clone, not settled */
    const struct resource *old;    /* of which it is; NULL: it is new */
    const struct chart_row *chart; /* the layout that the definition names; NULL */
    struct usher_arena *arena;     /* for the detail */
    bool over_limit;               /* some pools were left out */
    bool over_calendar;            /* some nights were left out */
    uint32_t added;                /* pools */
    bool overbook;                 /* fewer units may be left than are taken */
    bool same;                     /* nothing differs from `old` */

    /* The earliest reason to refuse the result, and where; NONE: it is valid. */
    enum usher_reason reason;
    const char *detail;
};

/* ==== Merging ==== */

/*
 * Merges a definition into merge->resource: what it names is created or set, what it leaves out
 * stays.
 */
void merge_definition(struct merge *merge, const struct usher_definition *definition);

#endif
