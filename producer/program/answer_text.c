/* Shows an answer to people, in a few lines. */
#include "answer_text.h"

#include <inttypes.h>

static const char *or_dash(const char *text)
{
    return text == NULL ? "-" : text;
}

static void print_units(const char *title, const struct usher_units *units, uint32_t count,
                        FILE *out)
{
    char night[USHER_NIGHT_SIZE];
    for (uint32_t i = 0; i < count; i++) {
        const struct usher_units *u = &units[i];
        fprintf(out, "  %s%s", title, or_dash(u->pool));
        if (u->kind == USHER_ROOM) {
            usher_night_format(u->night, night);
            fprintf(out, " %s", night);
        }
        if (u->kind == USHER_SEATS)
            for (uint32_t k = 0; k < u->quantity; k++)
                fprintf(out, " %s", u->seats[k]);
        else
            fprintf(out, " x %u", u->quantity);
        fprintf(out, ", %" PRId64 " each\n", u->price);
    }
}

static void print_shortfalls(const struct usher_answer *answer, FILE *out)
{
    for (uint32_t i = 0; i < answer->items_count; i++) {
        const struct usher_shortfall *item = &answer->items[i];
        fprintf(out, "  item %u: asked %u, got %u: %s", item->item, item->asked, item->given,
                or_dash(usher_reason_name(item->reason)));
        if (item->free != USHER_ABSENT)
            fprintf(out, ", %" PRId64 " free", item->free);
        for (uint32_t k = 0; k < item->taken_count; k++)
            fprintf(out, "%s%s", k == 0 ? " (" : " ", item->taken[k]);
        fprintf(out, item->taken_count > 0 ? ")\n" : "\n");
    }
}

static void print_nights(const struct usher_pool_status *pool, FILE *out)
{
    char night[USHER_NIGHT_SIZE];
    for (uint32_t i = 0; i < pool->night_count; i++) {
        if (pool->night_total[i] == USHER_ABSENT)
            continue;
        usher_night_format(pool->from + (int32_t)i, night);
        fprintf(out, "  %s %s: %" PRId64 " of %" PRId64 " free, %" PRId64 " each\n", pool->pool,
                night, pool->night_free[i], pool->night_total[i], pool->night_price[i]);
    }
}

static void print_pools(const struct usher_answer *answer, FILE *out)
{
    for (uint32_t i = 0; i < answer->pools_count; i++) {
        const struct usher_pool_status *pool = &answer->pools[i];
        if (pool->kind == USHER_ROOM) {
            print_nights(pool, out);
            continue;
        }
        fprintf(out, "  %s: %" PRId64 " of %" PRId64 " free, %" PRId64 " held, %" PRId64 " sold",
                pool->pool, pool->free, pool->total, pool->held, pool->sold);
        if (pool->price != USHER_ABSENT)
            fprintf(out, ", %" PRId64 " each", pool->price);
        fprintf(out, "\n");
    }
    if (answer->next != NULL)
        fprintf(out, "  more from %s\n", answer->next);
}

static void print_total(const struct usher_answer *answer, FILE *out)
{
    char instant[USHER_INSTANT_SIZE];
    if (answer->total != USHER_ABSENT) {
        fprintf(out, "  total %" PRId64, answer->total);
        if (answer->currency != NULL)
            fprintf(out, " minor units of %s", answer->currency);
        fprintf(out, "\n");
    }
    if (answer->expires_ms != USHER_ABSENT) {
        usher_instant_format(answer->expires_ms, instant);
        fprintf(out, "  until %s\n", instant);
    }
}

/* An open and a close have the outcome of a define. */
static const char *headword(const struct usher_answer *answer)
{
    const char *outcome = usher_outcome_name(answer->outcome);
    if (answer->outcome == USHER_DEFINED && answer->op == USHER_OP_OPEN)
        return "opened";
    if (answer->outcome == USHER_DEFINED && answer->op == USHER_OP_CLOSE)
        return "closed";
    return outcome == NULL ? "answered" : outcome;
}

void answer_print(const struct usher_answer *answer, FILE *out)
{
    fprintf(out, "%s %s %s", headword(answer), or_dash(answer->request_id),
            or_dash(answer->resource));
    if (answer->reason != USHER_REASON_NONE)
        fprintf(out, ": %s%s", usher_reason_name(answer->reason),
                usher_reason_retryable(answer->reason) ? ", a new request may succeed" : "");
    if (answer->cause != NULL)
        fprintf(out, " (%s)", answer->cause);
    if (answer->replayed)
        fprintf(out, " (repeated)");
    if (answer->free != USHER_ABSENT)
        fprintf(out, ", %" PRId64 " free", answer->free);
    fprintf(out, "\n");
    if (answer->detail != NULL)
        fprintf(out, "  %s\n", answer->detail);
    if (answer->booking != NULL && answer->reason == USHER_REASON_NONE)
        fprintf(out, "  booking %s\n", answer->booking);
    print_units("", answer->units, answer->units_count, out);
    print_units("back: ", answer->returned, answer->returned_count, out);
    print_shortfalls(answer, out);
    print_pools(answer, out);
    print_total(answer, out);
}
