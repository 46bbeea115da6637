/* See same_rows.h. */
#include "same_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "any_row.h"

void same_row(enum pg_row_type type, const void *expected, const void *found)
{
    struct usher_arena arena = {0};
    assert_string_equal(row_text(&arena, type, expected), row_text(&arena, type, found));
    usher_arena_deinit(&arena);
}

void same_booking(const struct booking_row *expected, const struct booking_row *found)
{
    same_row(PG_ROW_BOOKING, expected, found);
    assert_int_equal(expected->state, found->from);
}
