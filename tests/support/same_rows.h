/* Assertions that a row that was read is the row that was written. */
#ifndef TESTS_SAME_ROWS_H
#define TESTS_SAME_ROWS_H

#include "worker/model/rows.h"
#include "worker/postgres/pg_rows.h"

void same_row(enum pg_row_type type, const void *expected, const void *found);
void same_booking(const struct booking_row *expected, const struct booking_row *found);

#endif
