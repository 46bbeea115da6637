/*
 * Keeps the earliest reason, whatever the order of the entries. PURE.
 */
#include "worker/rules/merge_refuse.h"

void merge_refuse(struct merge *merge, enum usher_reason reason, const char *detail)
{
    if (merge->reason == USHER_REASON_NONE || reason < merge->reason) {
        merge->reason = reason;
        merge->detail = detail;
    }
}
