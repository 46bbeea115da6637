/* Assertions that a row that was read is the row that was written. */
#ifndef TESTS_SAME_ROWS_H
#define TESTS_SAME_ROWS_H

#include "worker/model/rows.h"

void same_resource(const struct resource_row *expected, const struct resource_row *found);
void same_pool(const struct pool_row *expected, const struct pool_row *found);
void same_booking(const struct booking_row *expected, const struct booking_row *found);
void same_loaded(const struct loaded_resource *whole, const struct loaded_resource *paged);
void same_decision(const struct decision_row *expected, const struct decision_row *found);

#endif
