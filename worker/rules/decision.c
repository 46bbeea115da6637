/*
 * One decision: its answer, its row, and the verbs with which every operation makes them. It knows
 * no operation. PURE.
 */
#include "worker/rules/decision.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "producer/codec/answer_fields.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/names.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"
#include "worker/rules/sale_time.h"

/* ==== Decision ==== */

/* ---- the answer ---- */

void decision_refuse(struct decision *decision, enum usher_reason reason, const char *detail)
{
    assert(decision->request && reason != USHER_REASON_NONE);
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
    assert(count > 0);
    decision_refuse(decision, reason, NULL);
    decision->answer.items = items;
    decision->answer.items_count = count;
}

void decision_succeed(struct decision *decision, enum usher_outcome outcome)
{
    assert(decision->resource && outcome != USHER_REFUSED);
    decision->answer.outcome = outcome;
    decision->changes = true;
}

void decision_succeed_asked(struct decision *decision)
{
    decision_succeed(decision, operations[decision->request->op].result.outcome);
}

const char *decision_text(const struct decision *decision, const char *text)
{
    return text ? usher_arena_text(decision_arena(decision), text, strlen(text)) : NULL;
}

static const struct usher_units *without_places(const struct decision *decision,
                                                const struct usher_units *units, uint32_t count)
{
    struct usher_units *bare = usher_arena_alloc(decision_arena(decision), count * sizeof *bare);
    for (uint32_t i = 0; i < count; i++) {
        bare[i] = units[i];
        bare[i].places = NULL;
    }
    return bare;
}

/*
 * Leaves out what seats are called for people. A define may have given them longer places since
 * they were held, and an answer that ends a booking cannot be refused.
 */
static void drop_places(struct decision *decision)
{
    struct usher_answer *answer = &decision->answer;
    answer->units = without_places(decision, answer->units, answer->units_count);
    answer->returned = without_places(decision, answer->returned, answer->returned_count);
    struct usher_shortfall *items =
        usher_arena_alloc(decision_arena(decision), answer->items_count * sizeof *items);
    for (uint32_t i = 0; i < answer->items_count; i++) {
        items[i] = answer->items[i];
        items[i].places = NULL;
    }
    answer->items = items;
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
    struct usher_buffer *text = &decision->batch->text;
    text->size = 0;
    answer_body_encode(answer, text);
    if (text->size > USHER_ANSWER_SIZE_SAFE) {
        drop_places(decision);
        text->size = 0;
        answer_body_encode(answer, text);
    }
    decision->encoded = true;
}

bool decision_fits(struct decision *decision)
{
    assert(decision->resource);
    encode(decision);
    if (decision->batch->text.size <= USHER_ANSWER_SIZE_SAFE)
        return true;
    decision_refuse(decision, USHER_LIMIT_EXCEEDED, "the answer would be too large");
    return false;
}

bool decision_counts(struct decision *decision, int64_t more)
{
    assert(decision->resource);
    if (inventory_has_room_for(decision->resource, more))
        return true;
    decision_refuse(decision, USHER_LIMIT_EXCEEDED,
                    usher_arena_format(decision_arena(decision),
                                       "all that is held or sold would cost more than %" PRId64,
                                       USHER_SUM_MAX));
    return false;
}

void decision_name(struct decision *decision, const struct booking *booking)
{
    assert(booking->row.resource_no == decision->resource->row.no);
    decision->row->booking_no = booking->row.no;
}

void decision_name_all(struct decision *decision, struct booking *const *bookings, uint32_t count)
{
    assert(count > 0);
    decision_name(decision, bookings[0]);
    if (count < 2)
        return;
    int64_t *numbers = usher_arena_alloc(decision_arena(decision), count * sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = bookings[i]->row.no;
    decision->row->booking_nos = numbers;
    decision->row->booking_no_count = count;
}

static const bool gives_room[USHER_OUTCOME_COUNT] = {
#define USHER_OUTCOME_ROW(enumerator, name, gives_room) [enumerator] = (gives_room),
#include "usher/words.def"
};

/* Whether a waiting party may fit now. */
static bool makes_room(const struct decision *decision)
{
    assert(decision->changes);
    const struct usher_answer *answer = &decision->answer;
    if (answer->outcome == USHER_CONFIRMED) /* of a part, or one hold less */
        return answer->returned_count > 0 || decision->resource->terms.holds_per_customer > 0;
    return gives_room[answer->outcome];
}

/*
 * Wakes the waiting list. Where customers are limited, a party of any class may fit now. What comes
 * back when nothing is sold any more is for nobody: open and define wake the list again.
 */
static void wake(struct decision *decision)
{
    struct resource *resource = decision->resource;
    bool limited = resource->terms.limits_customers;
    int64_t at_ms = decision->at_ms;
    if (decision->answer.outcome == USHER_DEFINED)
        waiting_rename(resource);
    if (!sale_is_on(&resource->row, at_ms) && !sale_is_yet_to_open(&resource->row, at_ms)) {
        bool judged = waiting_is_judged(resource); /* else some may wait in vain */
        if (!judged && !resource->row.unserved)
            wake_waiting(decision->inventory, resource, at_ms);
        else if (judged && resource->row.unserved)
            wake_served(decision->inventory, resource);
        return;
    }
    if (decision->answer.outcome == USHER_DEFINED || (limited && makes_room(decision)))
        wake_waiting_all(decision->inventory, resource, at_ms);
    else if (makes_room(decision) && resource->waiting.returned_count > 0)
        wake_waiting(decision->inventory, resource, at_ms);
}

void decision_end(struct decision *decision)
{
    struct decision_row *row = decision->row;
    const struct usher_answer *answer = &decision->answer;
    assert(answer->outcome != USHER_OUTCOME_NONE && !row->body);
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

void decision_begin_unrequested(struct decision *decision, const struct booking *booking,
                                const char *cause, int64_t at_ms)
{
    assert(!decision->request && booking->row.resource_no == decision->resource->row.no);
    struct decision_row *row = decision->row = batch_decision_add(decision->batch);
    decision->at_ms = at_ms;
    row->epoch = decision->rules->epoch;
    row->source_offset = OFFSET_NONE;
    row->appended_ms = USHER_ABSENT;
    row->resource = decision_text(decision, decision->resource->row.id);
    row->key = row->resource;
    row->key_size = strlen(row->resource);
    row->request_id = decision_text(decision, booking->row.request_id);
    row->op = booking->row.op;
    row->client = decision_text(decision, booking->row.client);
    usher_answer_init(&decision->answer);
    decision->answer.cause = cause;
}

/* ==== Lines of units ==== */

int64_t unit_lines_total(const struct line *lines, uint32_t count)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += lines[i].price * lines[i].unit_count;
    return total;
}

/* Rows may have been replaced since: other seats under the same numbers, or none. */
bool unit_lines_current(const struct pool *pool, const struct line *line)
{
    if (pool->seat_row_count == 0 || line->seat_hash == 0)
        return pool->seat_row_count == 0 && line->seat_hash == 0;
    for (uint32_t i = 0; i < line->unit_count; i++)
        if ((uint32_t)line->units[i] >= pool->units.count)
            return false;
    return seats_hash(pool, line->units, line->unit_count) == line->seat_hash;
}

/* ==== Units of an answer ==== */

const char *answer_night(int32_t night, struct usher_arena *arena)
{
    char text[USHER_NIGHT_SIZE];
    usher_night_format(night, text);
    return usher_arena_text(arena, text, strlen(text));
}

/* What each seat of the line is called, as `call` says. */
static const char *const *
seats_called(const struct pool *pool, const struct line *line, struct usher_arena *arena,
             const char *(*call)(const struct pool *pool, uint32_t unit, struct usher_arena *arena))
{
    assert(line->units);
    const char **seats = usher_arena_alloc(arena, line->unit_count * sizeof *seats);
    for (uint32_t i = 0; i < line->unit_count; i++)
        seats[i] = call(pool, (uint32_t)line->units[i], arena);
    return seats;
}

struct usher_units *answer_units(const struct resource *resource, const struct line *lines,
                                 uint32_t line_count, struct usher_arena *arena)
{
    struct usher_units *groups = usher_arena_alloc(arena, line_count * sizeof *groups);
    for (uint32_t i = 0; i < line_count; i++) {
        const struct line *line = &lines[i];
        const struct pool *pool = &resource->pools[line->pool];
        groups[i] = (struct usher_units){
            .item = line->item,
            .kind = pool->row.kind,
            .pool = pool->row.name,
            .night = pool->row.night,
            .price = line->price,
            .rate = line->rate,
            .quantity = line->unit_count,
            .tokens = line->units,
            .member = USHER_ABSENT,
        };
        if (pool->row.kind == USHER_SEATS)
            groups[i].seats = seats_called(pool, line, arena, names_seat_name);
        if (pool->has_numbers)
            groups[i].places = seats_called(pool, line, arena, names_place);
    }
    return groups;
}

struct answer_units_list answer_units_begin(const struct decision *decision, uint32_t line_count)
{
    struct usher_arena *arena = decision_arena(decision);
    return (struct answer_units_list){
        .at = usher_arena_alloc(arena, line_count * sizeof(struct usher_units))};
}

void answer_units_add(const struct decision *decision, const struct booking *booking,
                      const struct line *lines, uint32_t line_count,
                      struct answer_units_list *shown)
{
    assert(decision->request);
    struct usher_arena *arena = decision_arena(decision);
    const char *name =
        decision->request->booking ? NULL : decision_text(decision, booking->row.request_id);
    const struct usher_units *units = answer_units(decision->resource, lines, line_count, arena);
    for (uint32_t i = 0; i < line_count; i++) {
        shown->at[shown->count] = units[i];
        shown->at[shown->count++].booking = name;
    }
}

static bool is_first_of_pool(const struct line *lines, uint32_t at)
{
    return lines_units_of(lines, at, lines[at].pool) == 0;
}

/* How many of them are beyond so many, after the others were given back. */
static uint32_t beyond_of_pool(const struct pool *pool, uint32_t there, uint32_t units,
                               uint32_t returned)
{
    assert(unit_counts_sum(pool->taken) >= returned);
    uint32_t taken = unit_counts_sum(pool->taken) - returned;
    uint32_t beyond = taken > there ? taken - there : 0;
    return beyond < units ? beyond : units;
}

/* Of rooms the numbers tell which are overbooked, unless more are taken than even so there are. */
static uint32_t overbooked_numbers(const struct pool_row *row, const struct line *lines,
                                   uint32_t count)
{
    uint32_t units = 0;
    for (uint32_t i = 0; row->overbook > 0 && i < count; i++)
        for (uint32_t j = 0; lines[i].pool == row->index && j < lines[i].unit_count; j++)
            units += (uint32_t)lines[i].units[j] >= row->capacity - row->overbook;
    return units;
}

int64_t answer_overbooked(const struct resource *resource, const struct line *lines, uint32_t count,
                          const struct line *returned, uint32_t returned_count)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pool *pool = &resource->pools[lines[i].pool];
        uint32_t capacity = pool->row.capacity, overbook = pool->row.overbook;
        if ((overbook == 0 && pool_over(pool) == 0) || !is_first_of_pool(lines, i))
            continue;
        bool counted = kind_is_counted(pool->row.kind);
        uint32_t numbers = counted ? 0 : overbooked_numbers(&pool->row, lines, count);
        uint32_t beyond = beyond_of_pool(pool, counted ? capacity - overbook : capacity,
                                         lines_units_of(lines, count, pool->row.index),
                                         lines_units_of(returned, returned_count, pool->row.index));
        units += numbers > beyond ? numbers : beyond;
    }
    return units > 0 ? units : USHER_ABSENT;
}

/* Copies the texts: a later change of the booking may free them. */
void answer_set_booking(struct decision *decision, const struct booking *booking)
{
    assert(booking->row.resource_no == decision->resource->row.no);
    struct usher_answer *answer = &decision->answer;
    answer->booking = decision_text(decision, booking->row.request_id);
    answer->customer = decision_text(decision, booking->row.customer);
    answer->cart = decision_text(decision, booking->row.cart);
    answer->total = booking->row.total;
    answer->currency = decision->resource->row.currency;
}

void answer_set_lines(struct decision *decision, const struct line *lines, uint32_t count)
{
    struct usher_answer *answer = &decision->answer;
    answer->units = answer_units(decision->resource, lines, count, decision_arena(decision));
    answer->units_count = count;
    answer->overbooked = answer_overbooked(decision->resource, lines, count, NULL, 0);
}

/* ==== Returning units ==== */

void returning_end(struct decision *decision, struct booking *booking, enum booking_state to)
{
    assert(!booking_state_owns_units(to));
    struct booking_change change = booking_change_of(booking, to);
    change.row.wants = NULL;
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
}

void returning_decide(struct decision *decision, struct booking *booking,
                      const struct result *result)
{
    assert(result->to != BOOKING_NONE);
    const struct content *content = booking->content;
    struct usher_answer *answer = &decision->answer;
    uint32_t lines = booking_owned_lines(booking);
    returning_end(decision, booking, result->to);
    answer_set_booking(decision, booking);
    if (lines == 0)
        answer->total = USHER_ABSENT; /* it had no units, or none any more */
    answer->returned =
        answer_units(decision->resource, content->lines, lines, decision_arena(decision));
    answer->returned_count = lines;
    decision_succeed(decision, result->outcome);
    decision_name(decision, booking);
}
