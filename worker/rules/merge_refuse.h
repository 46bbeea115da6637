/*
 * A definition being merged into the catalogue of a resource, and the reason to refuse it. PURE.
 */
#ifndef USHER_WORKER_RULES_MERGE_REFUSE_H
#define USHER_WORKER_RULES_MERGE_REFUSE_H

#include "usher/message.h"
#include "worker/inventory/resource.h"

struct merge {
    struct resource *resource;     /* a clone, not settled */
    const struct resource *old;    /* of which it is; NULL: it is new */
    const struct chart_row *chart; /* the layout that the definition names; NULL */
    struct usher_arena *arena;     /* for the detail */
    bool over_limit;               /* some pools were left out */
    bool over_calendar;            /* some nights were left out */
    uint32_t added;                /* pools */

    /* The earliest reason to refuse the result, and where; NONE: it is valid. */
    enum usher_reason reason;
    const char *detail;
};

/* Notes a reason to refuse the result; the earliest one stays. */
void merge_refuse(struct merge *merge, enum usher_reason reason, const char *detail);

#endif
