/*
 * What looks wrong in the hall of a file, though it breaks no rule: gangways that the list of seats
 * does not show, seats and rows that do not stand in the order of the list, unknown fields.
 */
#ifndef USHER_PRODUCER_PROGRAM_CHART_REMARKS_H
#define USHER_PRODUCER_PROGRAM_CHART_REMARKS_H

#include "producer/program/definition.h"

/* Calls `remark` with each remark, a sentence that lives until it returns. Allocates in `arena`. */
void chart_remarks(const struct chart_file *chart, struct usher_arena *arena,
                   void (*remark)(void *context, const char *text), void *context);

#endif
