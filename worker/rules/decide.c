/*
 * The order of the checks that every request goes through, and which operation decides it. PURE.
 */
#include "worker/rules/decide.h"

#include <assert.h>
#include <string.h>

#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_state.h"
#include "worker/rules/change.h"
#include "worker/rules/decision.h"
#include "worker/rules/define.h"
#include "worker/rules/hold.h"
#include "worker/rules/probe.h"

/* ---- a request id that was answered before ---- */

static const struct decision_row *find_decision(const struct decision *decision, int64_t seq,
                                                const struct batches_in_flight *in_flight)
{
    const struct decision_row *found = batch_decision(decision->batch, seq);
    for (uint32_t i = 0; !found && i < in_flight->count; i++)
        found = batch_decision(in_flight->at[i], seq);
    return found;
}

/*
 * The body of a first answer, for as long as the batch needs it. One that was loaded for the batch
 * or decided in it lives as long, and may be large; one in flight is freed with its own batch.
 */
static const char *body_in_batch(const struct decision *decision, const struct known_id *id,
                                 const struct decision_row *first)
{
    struct batch *batch = decision->batch;
    bool lasts = id->first || batch_decision(batch, id->seq);
    return lasts ? first->body : usher_arena_text(&batch->arena, first->body, first->body_size);
}

/* Repeats the first answer: its body, in an envelope of its own. */
static void replay(struct decision *decision, const struct decision_row *first, const char *body)
{
    assert(first->request_id && body);
    struct decision_row *row = decision->row;
    row->body = body;
    row->body_size = first->body_size;
    row->codec = first->codec;
    row->outcome = first->outcome;
    row->reason = first->reason;
    row->decided_ms = decision->batch->now_ms;
    row->resource_no = first->resource_no;
    row->replayed = true;
}

/*
 * Answers a request whose id was answered before: by that answer again, or ID_REUSED. False: it is
 * new.
 */
static bool repeats(struct decision *decision, const struct input *input,
                    const struct batches_in_flight *in_flight)
{
    assert(decision->resource);
    const struct known_id *id =
        inventory_id(decision->inventory, decision->resource->row.no, input->id_hash);
    if (!id)
        return false;
    if (memcmp(id->content_hash, input->content_hash, USHER_HASH_SIZE) == 0) {
        const struct decision_row *first =
            id->first ? id->first : find_decision(decision, id->seq, in_flight);
        assert(first); /* prefetch_collect requested it */
        if (strcmp(first->request_id, input->request.request_id) == 0) {
            replay(decision, first, body_in_batch(decision, id, first));
            return true;
        }
    }
    decision_refuse(decision, USHER_ID_REUSED,
                    "the request id was already used for a different request");
    decision_end(decision);
    return true;
}

/* ---- the operations ---- */

/* The compiler names an operation that is missing here. */
static void decide_operation(struct decision *decision)
{
    assert(decision->request->op > USHER_OP_NONE && decision->request->op < USHER_OP_COUNT);
    switch (decision->request->op) {
    case USHER_OP_DEFINE:
        define_decide(decision);
        return;
    case USHER_OP_OPEN:
        define_decide_open(decision);
        return;
    case USHER_OP_CLOSE:
        define_decide_close(decision);
        return;
    case USHER_OP_HOLD:
    case USHER_OP_BOOK:
        hold_decide(decision);
        return;
    case USHER_OP_BLOCK:
        hold_decide_block(decision);
        return;
    case USHER_OP_CONFIRM:
    case USHER_OP_RELEASE:
    case USHER_OP_CANCEL:
    case USHER_OP_EXTEND:
    case USHER_OP_EXCHANGE:
    case USHER_OP_TRANSFER:
    case USHER_OP_LEAVE:
    case USHER_OP_UNBLOCK:
        change_decide(decision);
        return;
    case USHER_OP_PROBE:
        probe_decide(decision);
        return;
    case USHER_OP_NONE: /* it would have been invalid */
    case USHER_OP_COUNT:
        return;
    }
}

/*
 * Restarts the time of the holds of a cart that is used, also of the booking that the answer is
 * about: then the answer is encoded again. Who only looks at it does not use it.
 */
static void use_cart(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    if (decision->answer.outcome == USHER_REFUSED || !request->cart || !request->customer ||
        request->op == USHER_OP_PROBE)
        return;
    cart_restart(decision);
    const struct booking *booking =
        request->booking && decision->answer.booking
            ? inventory_booking(decision->inventory, decision->resource->row.no,
                                decision->answer.booking)
            : NULL;
    if (booking && booking->row.state == BOOKING_HELD &&
        decision->answer.expires_ms != booking->row.expires_ms) {
        decision->answer.expires_ms = booking->row.expires_ms;
        decision->encoded = false;
    }
}

/* ---- one record ---- */

static void set_envelope(struct decision_row *row, const struct input *input,
                         const struct rules *rules, struct usher_arena *arena)
{
    const struct log_record *record = input->record;
    assert(record);
    const struct usher_request *request = &input->request;
    row->epoch = rules->epoch;
    row->source_offset = record->offset;
    row->appended_ms = record->appended_ms;
    row->request_id = request->request_id;
    row->resource = request->resource;
    row->client = request->client;
    row->op = request->op;
    row->cloud_events = record->cloud_events;
    if (record->traceparent)
        row->traceparent = usher_arena_text(arena, record->traceparent, record->traceparent_size);
    row->key = request->resource;
    row->key_size = request->resource ? strlen(request->resource) : 0;
    if (!request->resource && record->key) {
        row->key_size = record->key_size < RECORD_KEY_MAX ? record->key_size : RECORD_KEY_MAX;
        row->key = usher_arena_text(arena, record->key, row->key_size);
    }
    memcpy(row->id_hash, input->id_hash, sizeof row->id_hash);
    memcpy(row->content_hash, input->content_hash, sizeof row->content_hash);
}

void decide(struct inventory *inventory, const struct rules *rules, const struct input *input,
            const struct batches_in_flight *in_flight, struct batch *batch)
{
    const struct usher_request *request = &input->request;
    struct decision decision = {.inventory = inventory,
                                .rules = rules,
                                .request = request,
                                .batch = batch,
                                .row = batch_decision_add(batch),
                                .at_ms = input_at_ms(input->record, batch)};
    usher_answer_init(&decision.answer);
    set_envelope(decision.row, input, rules, &batch->arena);
    if (input->invalid != USHER_REASON_NONE) {
        decision.answer.outcome = USHER_INVALID;
        decision.answer.reason = input->invalid;
        decision.answer.retryable = usher_reason_retryable(input->invalid);
        decision.answer.detail = input->detail;
        decision_end(&decision);
        batch_dead_letter_add(batch, decision.row, input->detail, input->record);
        return;
    }
    decision.resource = inventory_resource(inventory, request->resource);
    if (decision.resource && repeats(&decision, input, in_flight))
        return;
    if (request->deadline_ms > 0 && batch->now_ms > request->deadline_ms) {
        decision_refuse(&decision, USHER_TOO_LATE, "the deadline has passed");
    } else if (!decision.resource &&
               (request->op != USHER_OP_DEFINE || request->only == USHER_ONLY_EXISTING)) {
        decision_refuse(&decision, USHER_UNKNOWN_RESOURCE, NULL);
    } else {
        decide_operation(&decision);
        assert(decision.answer.outcome != USHER_OUTCOME_NONE);
        use_cart(&decision);
    }
    decision_end(&decision);
    if (decision.resource) {
        decision.row->first = true;
        inventory_add_id(inventory, decision.row, batch->number);
    }
}
