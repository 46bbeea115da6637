/*
 * The answer being made, its size checked, and the row completed. PURE.
 */
#include "worker/rules/decision.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/answer_encode.h"
#include "worker/inventory/resources.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/wake.h"

/* ---- the answer ---- */

void decision_refuse(struct decision *decision, enum usher_reason reason, const char *detail)
{
    struct usher_answer *answer = &decision->answer;
    const struct usher_request *request = decision->request;
    usher_answer_init(answer);
    answer->outcome = USHER_REFUSED;
    answer->reason = reason;
    answer->retryable = usher_reason_retryable(reason);
    answer->detail = detail;
    answer->customer = request->customer;
    answer->cart = request->cart;
    answer->booking = request->booking;
    decision->changes = false;
    decision->encoded = false;
}

void decision_refuse_items(struct decision *decision, enum usher_reason reason,
                           const struct usher_shortfall *items, uint32_t count)
{
    decision_refuse(decision, reason, NULL);
    decision->answer.items = items;
    decision->answer.items_count = count;
}

void decision_succeed(struct decision *decision, enum usher_outcome outcome)
{
    decision->answer.outcome = outcome;
    decision->changes = true;
}

const char *decision_text(const struct decision *decision, const char *text)
{
    return text ? usher_arena_text(decision_arena(decision), text, strlen(text)) : NULL;
}

static void encode(struct decision *decision)
{
    struct usher_answer *answer = &decision->answer;
    answer->decided_ms = decision->batch->now_ms;
    if (decision->request && answer->outcome != USHER_INVALID) {
        answer->ignored = decision->request->ignored;
        answer->ignored_count = decision->request->ignored_count;
    }
    if (decision->resource) {
        answer->rev = decision->changes ? decision->row->seq : decision->resource->row.rev;
        answer->free = terms_available_in_all(decision->resource);
    }
    decision->batch->text.size = 0;
    answer_body_encode(answer, &decision->batch->text);
    decision->encoded = true;
}

bool decision_fits(struct decision *decision)
{
    encode(decision);
    if (decision->batch->text.size <= USHER_ANSWER_SIZE_SAFE)
        return true;
    decision_refuse(decision, USHER_LIMIT_EXCEEDED, "the answer would be too large");
    return false;
}

void decision_name(struct decision *decision, const struct booking *booking)
{
    decision->row->booking_no = booking->no;
}

void decision_name_all(struct decision *decision, struct booking *const *bookings, uint32_t count)
{
    decision_name(decision, bookings[0]);
    if (count < 2)
        return;
    int64_t *numbers = usher_arena_alloc(decision_arena(decision), count * sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = bookings[i]->no;
    decision->row->booking_nos = numbers;
    decision->row->booking_no_count = count;
}

/* Outcomes by which units come back, or a customer is further from its limit. */
static const bool gives_room[USHER_OUTCOME_COUNT] = {
    [USHER_RELEASED] = true,  [USHER_CANCELLED] = true,   [USHER_EXPIRED] = true,
    [USHER_EXCHANGED] = true, [USHER_TRANSFERRED] = true,
};

/* Whether a waiting party may fit now. */
static bool makes_room(const struct decision *decision)
{
    const struct usher_answer *answer = &decision->answer;
    if (answer->outcome == USHER_CONFIRMED) /* of a part, or one hold less */
        return answer->returned_count > 0 || decision->resource->terms.holds_per_customer > 0;
    return gives_room[answer->outcome];
}

/* Wakes the waiting list. Where customers are limited, a party of any class may fit now. */
static void wake(struct decision *decision)
{
    struct resource *resource = decision->resource;
    bool limited = resource->terms.limits_customers;
    if (decision->answer.outcome == USHER_DEFINED)
        waiting_rename(resource);
    if (decision->answer.outcome == USHER_DEFINED || (limited && makes_room(decision)))
        wake_waiting_all(decision->inventory, resource);
    else if (makes_room(decision) && resource->waiting.returned_count > 0)
        wake_waiting(decision->inventory, resource);
}

void decision_end(struct decision *decision)
{
    struct decision_row *row = decision->row;
    const struct usher_answer *answer = &decision->answer;
    if (!decision->encoded)
        encode(decision);
    const struct usher_buffer *text = &decision->batch->text;
    row->body = usher_arena_text(&decision->batch->arena, text->at, text->size);
    row->body_size = text->size;
    row->outcome = answer->outcome;
    row->reason = answer->reason;
    row->decided_ms = answer->decided_ms;
    row->codec = USHER_CODEC_VERSION;
    row->resource_no = decision->resource ? decision->resource->row.no : 0;
    if (!decision->changes)
        return;
    assert(decision->resource); /* a change has one */
    /* Whatever ended the last booking of a resource that is being cancelled. */
    if (decision->resource->row.cancelling && !wake_cancelling_remains(decision->resource))
        wake_cancelled(decision->inventory, decision->resource);
    inventory_touch_resource(decision->inventory, decision->resource, row->seq);
    wake(decision);
}

void decision_begin_unasked(struct decision *decision, const struct booking *booking,
                            const char *cause)
{
    struct decision_row *row = decision->row = batch_decision_add(decision->batch);
    row->epoch = decision->rules->epoch;
    row->source_offset = OFFSET_NONE;
    row->appended_ms = USHER_ABSENT;
    row->resource = decision_text(decision, decision->resource->row.id);
    row->key = row->resource;
    row->key_size = strlen(row->resource);
    row->request_id = decision_text(decision, booking->request_id);
    row->op = booking->op;
    row->client = decision_text(decision, booking->client);
    usher_answer_init(&decision->answer);
    decision->answer.cause = cause;
}
