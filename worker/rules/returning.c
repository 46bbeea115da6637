/*
 * Ends a whole booking, whoever requested it. PURE.
 */
#include "worker/rules/returning.h"

#include "worker/inventory/bookings.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/unit_lines.h"

void returning_end(struct decision *decision, struct booking *booking, enum booking_state to)
{
    const struct content *content = booking->content;
    struct booking_change change = booking_change_of(booking, to);
    unit_lines_give(decision->resource, content->lines, booking_owned_lines(booking),
                    booking->state);
    change.wants = NULL;
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
}

void returning_decide(struct decision *decision, struct booking *booking,
                      const struct ending *ending)
{
    const struct content *content = booking->content;
    struct usher_answer *answer = &decision->answer;
    uint32_t lines = booking_owned_lines(booking);
    returning_end(decision, booking, ending->to);
    answer_set_booking(decision, booking);
    if (lines == 0)
        answer->total = USHER_ABSENT; /* it had no units, or none any more */
    answer->returned =
        answer_units(decision->resource, content->lines, lines, decision_arena(decision));
    answer->returned_count = lines;
    decision_succeed(decision, ending->outcome);
    decision_name(decision, booking);
}
