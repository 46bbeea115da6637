/* What is taken and given back, and what is compared, line by line. */
#include "naive_booking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/inventory/bookings.h"

bool naive_possesses(const struct naive_booking *booking)
{
    return booking->state == BOOKING_HELD || booking->state == BOOKING_CONFIRMED ||
           booking->state == BOOKING_BLOCKED;
}

uint32_t naive_unit_count(const struct naive_booking *booking)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < booking->line_count; i++)
        units += booking->lines[i].unit_count;
    return units;
}

struct content *naive_content(const struct naive_booking *booking)
{
    struct line lines[NAIVE_LINES];
    for (uint32_t i = 0; i < booking->line_count; i++) {
        const struct naive_line *line = &booking->lines[i];
        lines[i] = (struct line){.pool = line->pool,
                                 .unit_count = line->unit_count,
                                 .rate = line->rate,
                                 .units = line->pool == NAIVE_ROOM ? line->units : NULL};
    }
    return content_create(lines, booking->line_count);
}

void naive_give(struct resource *resource, const struct naive_booking *booking)
{
    for (uint32_t i = 0; naive_possesses(booking) && i < booking->line_count; i++) {
        const struct naive_line *line = &booking->lines[i];
        resource_give(resource, line->pool, line->units, line->unit_count, booking->state);
    }
}

void naive_take(struct resource *resource, const struct naive_booking *booking)
{
    for (uint32_t i = 0; naive_possesses(booking) && i < booking->line_count; i++) {
        const struct naive_line *line = &booking->lines[i];
        resource_take(resource, line->pool, line->units, line->unit_count, booking->state);
    }
}

static void compare_line(const struct naive_line *naive, const struct line *line)
{
    bool numbered = naive->pool == NAIVE_ROOM;
    assert_int_equal(naive->pool, line->pool);
    assert_int_equal(naive->unit_count, line->unit_count);
    assert_int_equal(!naive->rate, !line->rate);
    assert_int_equal(!numbered, !line->units);
    if (numbered)
        assert_memory_equal(naive->units, line->units, naive->unit_count * sizeof(int32_t));
}

void naive_compare(const struct naive_booking *naive, const struct booking *booking)
{
    assert_int_equal(naive->no, booking->row.no);
    assert_int_equal(naive->state, booking->row.state);
    assert_int_equal(naive->expires_ms, booking->row.expires_ms);
    assert_string_equal(naive->customer, booking->row.customer);
    assert_int_equal(!naive->cart, !booking->row.cart);
    assert_int_equal(naive_unit_count(naive), booking->content->unit_count);
    assert_int_equal(naive->line_count, booking->content->line_count);
    for (uint32_t i = 0; i < naive->line_count; i++)
        compare_line(&naive->lines[i], &booking->content->lines[i]);
}
