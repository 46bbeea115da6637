/* Which answers a watch shows: see watch_filter.h. */
#include "producer/program/watch_filter.h"

#include <string.h>

#include "producer/program/flag_values.h"

enum usher_status watch_filter_read(const struct options *options, struct watch_filter *filter,
                                    struct usher_error *err)
{
    const char *since = options_text(options, "since");
    *filter = (struct watch_filter){
        .customer = options_text(options, "customer"),
        .booking = options_text(options, "booking"),
        .op = usher_op_named(options_text(options, "op")),
        .outcome = usher_outcome_named(options_text(options, "outcome")),
    };
    return since ? flag_past("--since", since, &filter->since_ms, err) : USHER_OK;
}

static bool is_same(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

/* Answers to a cart have several bookings; that of a hold is the id of its request. */
static bool is_about(const struct usher_answer *answer, const char *booking)
{
    bool about = is_same(answer->booking, booking) || is_same(answer->request_id, booking);
    for (uint32_t i = 0; i < answer->units_count && !about; i++)
        about = is_same(answer->units[i].booking, booking);
    for (uint32_t i = 0; i < answer->returned_count && !about; i++)
        about = is_same(answer->returned[i].booking, booking);
    return about;
}

bool watch_filter_takes(const struct watch_filter *filter, const struct usher_answer *answer)
{
    return answer->decided_ms >= filter->since_ms &&
           (!filter->customer || is_same(answer->customer, filter->customer)) &&
           (!filter->booking || is_about(answer, filter->booking)) &&
           (filter->op == USHER_OP_NONE || answer->op == filter->op) &&
           (filter->outcome == USHER_OUTCOME_NONE || answer->outcome == filter->outcome);
}

bool watch_filter_is_empty(const struct watch_filter *filter)
{
    return !filter->customer && !filter->booking && filter->op == USHER_OP_NONE &&
           filter->outcome == USHER_OUTCOME_NONE;
}
