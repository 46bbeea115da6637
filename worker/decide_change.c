/*
 * confirm, release, cancel: what becomes of a booking. Which step is allowed from which state is
 * one table; a late confirm is the only step that may still be refused. PURE.
 */
#include <string.h>

#include "decide_parts.h"

/* Where an operation leads from a state: a new state, or a reason why not. */
struct step {
    enum booking_state to; /* NONE: refused */
    enum usher_reason reason;
};

static const struct step confirm_steps[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {.to = BOOKING_CONFIRMED},
    [BOOKING_CONFIRMED] = {.reason = USHER_ALREADY_CONFIRMED},
    [BOOKING_RELEASED] = {.reason = USHER_ALREADY_RELEASED},
    [BOOKING_EXPIRED] = {.to = BOOKING_CONFIRMED, .reason = USHER_HOLD_EXPIRED}, /* if gone */
    [BOOKING_CANCELLED] = {.reason = USHER_ALREADY_CANCELLED},
};

static const struct step release_steps[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {.to = BOOKING_RELEASED},
    [BOOKING_CONFIRMED] = {.reason = USHER_ALREADY_CONFIRMED},
    [BOOKING_RELEASED] = {.reason = USHER_ALREADY_RELEASED},
    [BOOKING_EXPIRED] = {.reason = USHER_HOLD_EXPIRED},
    [BOOKING_CANCELLED] = {.reason = USHER_ALREADY_CANCELLED},
};

static const struct step cancel_steps[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {.reason = USHER_NOT_CONFIRMED},
    [BOOKING_CONFIRMED] = {.to = BOOKING_CANCELLED},
    [BOOKING_RELEASED] = {.reason = USHER_ALREADY_RELEASED},
    [BOOKING_EXPIRED] = {.reason = USHER_HOLD_EXPIRED},
    [BOOKING_CANCELLED] = {.reason = USHER_ALREADY_CANCELLED},
};

static const struct step *const steps[USHER_OP_COUNT] = {
    [USHER_OP_CONFIRM] = confirm_steps,
    [USHER_OP_RELEASE] = release_steps,
    [USHER_OP_CANCEL] = cancel_steps,
};

/* The house acts for a customer by leaving it out. */
static bool is_owner(const struct usher_request *request, const struct booking *booking)
{
    if (!request->customer)
        return request->force;
    return booking->customer && strcmp(request->customer, booking->customer) == 0;
}

/* The payment's reference comes with the confirm; one that is there already is kept without. */
static void set_payment(struct booking *booking, const char *payment)
{
    if (payment) {
        struct booking_row row = booking_row_of(booking);
        row.payment = payment;
        booking_set_texts(booking, &row);
    }
}

static void show_confirmed(struct decision *decision, const struct booking *booking,
                           const struct line *lines, uint32_t line_count)
{
    struct usher_answer *answer = &decision->answer;
    const char *payment = decision->request->payment;
    show_booking(decision, booking);
    answer->payment = payment ? payment : booking->payment;
    answer->units = show_units(decision->resource, lines, line_count, &decision->batch->arena);
    answer->units_count = line_count;
}

static void end_confirm(struct decision *decision, struct booking *booking)
{
    set_payment(booking, decision->request->payment);
    booking->expires_ms = USHER_ABSENT;
    inventory_change_booking(decision->inventory, booking, BOOKING_CONFIRMED);
    decision->row->booking_no = booking->no;
}

static void confirm(struct decision *decision, struct booking *booking)
{
    const struct content *content = booking->content;
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        resource_sell(decision->resource, line->pool, line->units, line->unit_count);
    }
    decision_succeed(decision, USHER_CONFIRMED);
    end_confirm(decision, booking);
    show_confirmed(decision, booking, content->lines, content->line_count);
}

/* After expiry: what it had is taken again, if all of that is still free. */
static void confirm_late(struct decision *decision, struct booking *booking)
{
    struct plan plan;
    plan_init(&plan, decision->resource, BOOKING_CONFIRMED, booking->content->unit_count,
              &decision->batch->arena);
    plan_again(&plan, booking->content);
    if (plan.shortfall_count > 0) {
        plan_undo(&plan);
        decision_refuse(decision, USHER_HOLD_EXPIRED, NULL);
        decision->answer.items = plan.shortfalls;
        decision->answer.items_count = plan.shortfall_count;
        return;
    }
    show_confirmed(decision, booking, plan.lines, plan.line_count);
    decision_succeed(decision, USHER_CONFIRMED);
    if (!decision_fits(decision)) { /* other tokens may have longer numbers */
        plan_undo(&plan);
        return;
    }
    inventory_set_content(booking, content_create(plan.lines, plan.line_count));
    end_confirm(decision, booking);
}

void decision_return(struct decision *decision, struct booking *booking, enum booking_state to,
                     enum usher_outcome outcome)
{
    const struct content *content = booking->content;
    struct usher_answer *answer = &decision->answer;
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        resource_give(decision->resource, line->pool, line->units, line->unit_count);
    }
    show_booking(decision, booking);
    answer->returned = show_units(decision->resource, content->lines, content->line_count,
                                  &decision->batch->arena);
    answer->returned_count = content->line_count;
    decision_succeed(decision, outcome);
    inventory_change_booking(decision->inventory, booking, to);
    decision->row->booking_no = booking->no;
}

void decide_change(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    struct booking *booking =
        inventory_booking(decision->inventory, decision->resource->row.no, request->booking);
    if (!booking) {
        decision_refuse(decision, USHER_UNKNOWN_BOOKING, NULL);
        return;
    }
    if (!is_owner(request, booking)) {
        decision_refuse(decision, USHER_NOT_OWNER, NULL);
        return;
    }
    const struct step *step = &steps[request->op][booking->state];
    if (step->to == BOOKING_NONE)
        decision_refuse(decision, step->reason, NULL);
    else if (step->to == BOOKING_RELEASED)
        decision_return(decision, booking, step->to, USHER_RELEASED);
    else if (step->to == BOOKING_CANCELLED)
        decision_return(decision, booking, step->to, USHER_CANCELLED);
    else if (booking->state == BOOKING_EXPIRED)
        confirm_late(decision, booking);
    else
        confirm(decision, booking);
}
