/* Prints an answer for people, in a few lines. The wire format is for programs: --json. */
#include "producer/program/answer_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/clock.h"
#include "producer/codec/answer_words.h"
#include "producer/terminal/chart_draw.h"
#include "producer/terminal/local_time.h"
#include "producer/terminal/money.h"
#include "producer/terminal/pool_table.h"

/* ==== Answers ==== */

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

/* A block of the house costs nothing, and is nobody's. */
static bool is_sale(const struct usher_answer *answer)
{
    return answer->op != USHER_OP_BLOCK && answer->op != USHER_OP_UNBLOCK &&
           (answer->outcome != USHER_EXCHANGED || answer->customer);
}

static void print_units(const struct usher_answer *answer, const char *title,
                        const struct usher_units *units, uint32_t count, FILE *out)
{
    const char *currency = answer->currency;
    bool priced = is_sale(answer);
    char night[USHER_NIGHT_SIZE];
    for (uint32_t i = 0; i < count; i++) {
        const struct usher_units *u = &units[i];
        fprintf(out, "  %s", title);
        if (u->booking)
            fprintf(out, "%s: ", u->booking);
        fprintf(out, "%s", or_dash(u->pool));
        if (u->kind == USHER_ROOM) {
            usher_night_format(u->night, night);
            fprintf(out, " %s", night);
        }
        if (u->kind == USHER_SEATS) {
            fputc(' ', out);
            seat_ranges_print(u->seats, u->places, u->quantity, out);
        } else {
            fprintf(out, " x %u", u->quantity);
        }
        if (u->rate)
            fprintf(out, ", %s", u->rate);
        if (priced) {
            fprintf(out, ", ");
            money_print(u->price, currency, out);
            fprintf(out, " each");
        }
        if (u->member != USHER_ABSENT)
            fprintf(out, ", member %" PRId64, u->member + 1);
        if (u->together != 0 && u->quantity > 1)
            fprintf(out, u->together > 0 ? ", together" : ", apart");
        fprintf(out, "\n");
    }
}

static void print_shortfalls(const struct usher_answer *answer, FILE *out)
{
    struct usher_buffer line = {0};
    for (uint32_t i = 0; i < answer->items_count; i++) {
        line.size = 0;
        answer_shortfall_append(&answer->items[i], &line);
        fprintf(out, "  %.*s\n", (int)line.size, line.at);
    }
    usher_buffer_deinit(&line);
}

/* The stays of a probe that are refused, whatever is free. */
static void print_restricted(const struct usher_answer *answer, FILE *out)
{
    struct usher_buffer line = {0};
    for (uint32_t i = 0; i < answer->pools_count; i++) {
        const struct usher_pool_status *pool = &answer->pools[i];
        if (!pool->restricted)
            continue;
        line.size = 0;
        answer_restricted_append(pool->restricted, &line);
        fprintf(out, "  %s: the stay is restricted: %.*s\n", pool->pool, (int)line.size, line.at);
    }
    usher_buffer_deinit(&line);
}

/* ---- what a probe shows ---- */

/* By the clocks of this machine, and of the place where they are known. */
static void print_instant(const char *title, int64_t ms, const char *zone, FILE *out)
{
    char here[LOCAL_TIME_SIZE], there[LOCAL_TIME_SIZE];
    if (ms == USHER_ABSENT)
        return;
    local_time_stamp(ms, here);
    fprintf(out, "%s %s", title, here);
    if (zone && local_time_format(ms, zone, there))
        fprintf(out, " (%s)", there);
}

static void print_sale(const struct usher_answer *answer, FILE *out)
{
    if (answer->state == USHER_STATE_ABSENT || answer->detail)
        return; /* the detail says it */
    fprintf(out, "  %s", usher_sale_state_name(answer->state));
    print_instant(", on sale from", answer->opens_ms, answer->timezone, out);
    print_instant(answer->opens_ms == USHER_ABSENT ? ", on sale until" : " until",
                  answer->closes_ms, answer->timezone, out);
    print_instant(answer->ends_ms <= answer->decided_ms ? ", ended" : ", ends", answer->ends_ms,
                  answer->timezone, out);
    if (answer->waiting != USHER_ABSENT && answer->waiting > 0)
        fprintf(out, ", %" PRId64 " waiting", answer->waiting);
    fprintf(out, "\n");
}

/* ---- what became of a booking ---- */

static void print_booking(const struct usher_answer *answer, FILE *out)
{
    if (answer->reason != USHER_REASON_NONE)
        return;
    if (answer->booking)
        fprintf(out, "  booking %s\n", answer->booking);
    if (answer->outcome == USHER_TRANSFERRED && answer->customer)
        fprintf(out, "  now booked by %s\n", answer->customer);
    if (answer->position != USHER_ABSENT)
        fprintf(out, "  position %" PRId64 " on the waiting list, 1 is next\n", answer->position);
}

static void print_statuses(const struct usher_answer *answer, FILE *out)
{
    for (uint32_t i = 0; i < answer->bookings_count; i++) {
        const struct usher_booking_status *booking = &answer->bookings[i];
        fprintf(out, "  booking %s: %s", booking->booking, or_dash(booking->state));
        if (booking->customer)
            fprintf(out, ", customer %s", booking->customer);
        if (booking->units > 0)
            fprintf(out, ", %" PRId64 " %s", booking->units,
                    booking->units == 1 ? "unit" : "units");
        if (booking->total != USHER_ABSENT && booking->total > 0) {
            fprintf(out, ", total ");
            money_print_total(booking->total, answer->currency, out);
        }
        if (booking->payment)
            fprintf(out, ", payment %s", booking->payment);
        if (booking->position != USHER_ABSENT)
            fprintf(out, ", position %" PRId64 ", 1 is next", booking->position);
        print_instant(", until", booking->expires_ms, answer->timezone, out);
        fprintf(out, "\n");
    }
}

static uint64_t count_units(const struct usher_answer *answer)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < answer->units_count; i++)
        count += answer->units[i].quantity;
    return count;
}

/* A repeated answer says what was so once. */
static bool has_ended(const struct usher_answer *answer)
{
    return answer->replayed && answer->expires_ms <= clock_wall_ms();
}

/* It is known of each item by itself, and said there: whether two items are beside each other is
 * not. */
static void print_together(const struct usher_answer *answer, FILE *out)
{
    bool one = true, said = false;
    for (uint32_t i = 0; i < answer->units_count; i++) {
        one = one && answer->units[i].item == answer->units[0].item;
        said = said || answer->units[i].together != 0;
    }
    if (answer->together < 0 || said || count_units(answer) < 2)
        return;
    if (one)
        fprintf(out, "  %s\n", answer->together ? "together" : "not together");
    else
        fprintf(out, "  %s\n",
                answer->together ? "each item together, maybe apart from the others"
                                 : "not every item together");
}

static void print_total(const struct usher_answer *answer, FILE *out)
{
    print_together(answer, out);
    if (answer->overbooked != USHER_ABSENT && answer->overbooked > 0)
        fprintf(out, "  %" PRId64 " overbooked\n", answer->overbooked);
    if (answer->total != USHER_ABSENT && is_sale(answer)) {
        fprintf(out, "  total ");
        money_print_total(answer->total, answer->currency, out);
        if (answer->difference != USHER_ABSENT) {
            fprintf(out, ", difference %s", answer->difference > 0 ? "+" : "");
            money_print(answer->difference, answer->currency, out);
        }
        fprintf(out, "\n");
    }
    if (answer->expires_ms != USHER_ABSENT) {
        print_instant("  until", answer->expires_ms, answer->timezone, out);
        fprintf(out, "%s\n", has_ended(answer) ? ", ended" : "");
    }
    if (answer->chart)
        fprintf(out, "  chart %s\n", answer->chart);
}

static enum terminal_colour colour_of(enum usher_outcome outcome)
{
    if (outcome == USHER_REFUSED || outcome == USHER_INVALID)
        return TERMINAL_BAD;
    return outcome == USHER_WAITING || outcome == USHER_EXPIRED ? TERMINAL_WARNING : TERMINAL_GOOD;
}

static void print_headline(const struct usher_answer *answer, const struct terminal *terminal,
                           bool event)
{
    FILE *out = terminal->out;
    terminal_print(terminal, colour_of(answer->outcome), "%s",
                   answer_word(answer->op, answer->outcome, answer->change));
    fprintf(out, " %s %s", or_dash(answer->request_id), or_dash(answer->resource));
    if (event && answer->customer)
        fprintf(out, ", customer %s", answer->customer);
    if (answer->reason != USHER_REASON_NONE)
        fprintf(out, ": %s%s", usher_reason_name(answer->reason),
                answer->retryable ? ", a new request may succeed" : "");
    if (answer->cause)
        fprintf(out, " (%s)", answer->cause);
    if (answer->replayed)
        fprintf(out, " (repeated)");
    if (answer->free != USHER_ABSENT)
        fprintf(out, ", %" PRId64 " free", answer->free);
    fprintf(out, "\n");
}

static void print_details(const struct usher_answer *answer, const struct terminal *terminal)
{
    FILE *out = terminal->out;
    const struct pool_list pools = {answer->pools, answer->pools_count, answer->currency};
    if (answer->detail) {
        fprintf(out, "  ");
        terminal_write(out, answer->detail, strlen(answer->detail));
        fprintf(out, "\n");
    }
    for (uint32_t i = 0; i < answer->ignored_count; i++) {
        fprintf(out, "  ignored \"");
        terminal_write(out, answer->ignored[i], strlen(answer->ignored[i]));
        fprintf(out, "\", which usher does not know\n");
    }
    print_booking(answer, out);
    print_units(answer, answer->outcome == USHER_TRANSFERRED ? "from " : "", answer->units,
                answer->units_count, out);
    print_units(answer, "back: ", answer->returned, answer->returned_count, out);
    print_shortfalls(answer, out);
    if (answer->own_hold)
        fprintf(out, "  the customer's own hold %s is in the way\n", answer->own_hold);
    print_sale(answer, out);
    print_statuses(answer, out);
    pool_table_print(&pools, terminal);
    print_restricted(answer, out);
    if (answer->next)
        fprintf(out, "  more from %s\n", answer->next);
    print_total(answer, out);
}

void answer_print(const struct usher_answer *answer, const struct terminal *terminal)
{
    print_headline(answer, terminal, false);
    print_details(answer, terminal);
}

void answer_print_event(const struct usher_answer *answer, const struct terminal *terminal)
{
    char instant[LOCAL_TIME_SIZE];
    local_time_stamp(answer->decided_ms, instant);
    terminal_print(terminal, TERMINAL_FAINT, "%s ", instant);
    print_headline(answer, terminal, true);
    print_details(answer, terminal);
}
