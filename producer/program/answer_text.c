/* Prints an answer for people, in a few lines. */
#include "producer/program/answer_text.h"

#include <inttypes.h>

#include "producer/terminal/money.h"

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

/* ", 45.00 each" */
static void print_price(int64_t price, const char *currency, FILE *out)
{
    if (price == USHER_ABSENT)
        return;
    fprintf(out, ", ");
    money_print(price, currency, out);
    fprintf(out, " each");
}

static void print_units(const char *title, const struct usher_units *units, uint32_t count,
                        const char *currency, FILE *out)
{
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
        if (u->kind == USHER_SEATS)
            for (uint32_t k = 0; k < u->quantity; k++)
                fprintf(out, " %s", u->seats[k]);
        else
            fprintf(out, " x %u", u->quantity);
        if (u->rate)
            fprintf(out, ", %s", u->rate);
        print_price(u->price, currency, out);
        fprintf(out, "\n");
    }
}

/* " (stals); there are: stalls, circle" */
static void print_unknown(const struct usher_shortfall *item, FILE *out)
{
    if (item->unknown)
        fprintf(out, " (%s)", item->unknown);
    for (uint32_t i = 0; i < item->known_count; i++)
        fprintf(out, "%s%s", i == 0 ? "; there are: " : ", ", item->known[i]);
}

static void print_shortfalls(const struct usher_answer *answer, FILE *out)
{
    for (uint32_t i = 0; i < answer->items_count; i++) {
        const struct usher_shortfall *item = &answer->items[i];
        fprintf(out, "  item %u: asked %u, got %u: %s", item->item, item->asked, item->given,
                or_dash(usher_reason_name(item->reason)));
        if (item->free != USHER_ABSENT)
            fprintf(out, ", there %s %" PRId64, item->free == 1 ? "was" : "were", item->free);
        for (uint32_t k = 0; k < item->taken_count; k++)
            fprintf(out, "%s%s", k == 0 ? " (" : " ", item->taken[k]);
        fprintf(out, "%s", item->taken_count > 0 ? ")" : "");
        print_unknown(item, out);
        fprintf(out, "\n");
    }
}

/* ---- what a probe shows ---- */

/* ", adult 45.00" */
static void print_rate(const char *rate, int64_t price, const char *currency, FILE *out)
{
    fprintf(out, ", %s ", rate);
    money_print(price, currency, out);
}

static void print_nights(const struct usher_pool_status *pool, const char *currency, FILE *out)
{
    char night[USHER_NIGHT_SIZE];
    for (uint32_t i = 0; i < pool->night_count; i++) {
        if (pool->night_total[i] == USHER_ABSENT)
            continue;
        usher_night_format(pool->from + (int32_t)i, night);
        fprintf(out, "  %s %s: %" PRId64 " of %" PRId64 " free", pool->pool, night,
                pool->night_free[i], pool->night_total[i]);
        for (uint32_t k = 0; k < pool->night_rate_count; k++) {
            const struct usher_night_rate *rate = &pool->night_rates[k];
            if (rate->prices[i] != USHER_ABSENT)
                print_rate(rate->rate, rate->prices[i], currency, out);
        }
        if (pool->night_rate_count == 0)
            print_price(pool->night_price[i], currency, out);
        fprintf(out, "\n");
    }
}

static void print_pools(const struct usher_answer *answer, FILE *out)
{
    for (uint32_t i = 0; i < answer->pools_count; i++) {
        const struct usher_pool_status *pool = &answer->pools[i];
        if (pool->kind == USHER_ROOM) {
            print_nights(pool, answer->currency, out);
            continue;
        }
        fprintf(out, "  %s: %" PRId64 " of %" PRId64 " free, %" PRId64 " held, %" PRId64 " sold",
                pool->pool, pool->free, pool->total, pool->held, pool->sold);
        if (pool->blocked > 0)
            fprintf(out, ", %" PRId64 " blocked", pool->blocked);
        if (pool->overbook > 0)
            fprintf(out, ", %" PRId64 " of them overbooked", pool->overbook);
        for (uint32_t k = 0; k < pool->rate_count; k++)
            print_rate(pool->rates[k].rate, pool->rates[k].price, answer->currency, out);
        if (pool->rate_count == 0)
            print_price(pool->price, answer->currency, out);
        fprintf(out, "\n");
    }
    if (answer->next)
        fprintf(out, "  more from %s\n", answer->next);
}

static void print_instant(const char *title, int64_t ms, FILE *out)
{
    char instant[USHER_INSTANT_SIZE];
    if (ms == USHER_ABSENT)
        return;
    usher_instant_format(ms, instant);
    fprintf(out, "%s %s", title, instant);
}

static void print_sale(const struct usher_answer *answer, FILE *out)
{
    if (answer->state == USHER_STATE_ABSENT)
        return;
    fprintf(out, "  %s", usher_sale_state_name(answer->state));
    print_instant(", on sale from", answer->opens_ms, out);
    print_instant(answer->opens_ms == USHER_ABSENT ? ", on sale until" : " until",
                  answer->closes_ms, out);
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
    else if (answer->cause && answer->customer)
        fprintf(out, "  of %s\n", answer->customer);
    if (answer->position != USHER_ABSENT)
        fprintf(out, "  position %" PRId64 " on the waiting list, 1 is next\n", answer->position);
}

static void print_total(const struct usher_answer *answer, FILE *out)
{
    if (answer->together >= 0)
        fprintf(out, "  %s\n", answer->together ? "together" : "not together");
    if (answer->overbooked != USHER_ABSENT && answer->overbooked > 0)
        fprintf(out, "  %" PRId64 " overbooked\n", answer->overbooked);
    if (answer->total != USHER_ABSENT) {
        fprintf(out, "  total ");
        money_print_total(answer->total, answer->currency, out);
        if (answer->difference != USHER_ABSENT) {
            fprintf(out, ", difference %s", answer->difference > 0 ? "+" : "");
            money_print(answer->difference, answer->currency, out);
        }
        fprintf(out, "\n");
    }
    if (answer->expires_ms != USHER_ABSENT) {
        print_instant("  until", answer->expires_ms, out);
        fprintf(out, "\n");
    }
    if (answer->chart)
        fprintf(out, "  chart %s\n", answer->chart);
}

/* An open and a close have the outcome of a define. */
static const char *headword(const struct usher_answer *answer)
{
    const char *outcome = usher_outcome_name(answer->outcome);
    if (answer->outcome == USHER_DEFINED && answer->op == USHER_OP_OPEN)
        return "opened";
    if (answer->outcome == USHER_DEFINED && answer->op == USHER_OP_CLOSE)
        return "closed";
    return outcome ? outcome : "answered";
}

void answer_print(const struct usher_answer *answer, FILE *out)
{
    fprintf(out, "%s %s %s", headword(answer), or_dash(answer->request_id),
            or_dash(answer->resource));
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
    if (answer->detail)
        fprintf(out, "  %s\n", answer->detail);
    print_booking(answer, out);
    print_units("", answer->units, answer->units_count, answer->currency, out);
    print_units("back: ", answer->returned, answer->returned_count, answer->currency, out);
    print_shortfalls(answer, out);
    print_sale(answer, out);
    print_pools(answer, out);
    print_total(answer, out);
}
