/* Sums, and a table of answers by operation, outcome and reason. */
#include "account.h"

#include "clock_us.h"

static int64_t quantity_of(const struct usher_units *units, uint32_t count)
{
    int64_t quantity = 0;
    for (uint32_t i = 0; i < count; i++)
        quantity += units[i].quantity;
    return quantity;
}

static void add_sale(struct account *account, const struct usher_answer *answer)
{
    if (answer->outcome == USHER_CONFIRMED) {
        account->sold += quantity_of(answer->units, answer->units_count);
        account->taken += answer->total;
    } else if (answer->outcome == USHER_CANCELLED) {
        account->sold -= quantity_of(answer->returned, answer->returned_count);
        account->taken -= answer->total;
    } else if (answer->outcome == USHER_EXCHANGED) {
        /* The demo exchanges what is sold, and only for less of it. */
        account->sold -= quantity_of(answer->returned, answer->returned_count);
        account->taken += answer->difference;
    }
}

static void add_decision(struct account *account, const struct usher_answer *answer)
{
    account->counts[answer->op][answer->outcome][answer->reason]++;
    add_sale(account, answer);
    if (answer->rev != USHER_ABSENT && answer->rev > account->rev)
        account->rev = answer->rev;
}

static void add_time(struct account_flow *flow, int64_t now_us)
{
    if (flow->first_us == 0)
        flow->first_us = now_us;
    flow->last_us = now_us;
    int64_t second = (now_us - flow->first_us) / 1000000;
    if (second < ACCOUNT_SECONDS)
        flow->second_counts[second]++;
    flow->count++;
}

void account_add(struct account *account, const struct usher_answer *answer, int64_t us)
{
    account->answered++;
    add_decision(account, answer);
    /* The catalogue is set up before the clock starts, and does not count as waiting time. */
    if (answer->op == USHER_OP_DEFINE || answer->op == USHER_OP_OPEN ||
        answer->op == USHER_OP_PROBE)
        return;
    const int64_t now_us = clock_us();
    add_time(&account->answers, now_us);
    if (answer->outcome == USHER_HELD || answer->outcome == USHER_CONFIRMED)
        add_time(&account->bookings, now_us);
    latency_record(&account->latency, us);
}

void account_add_unrequested(struct account *account, const struct usher_answer *answer)
{
    account->unrequested++;
    add_decision(account, answer);
}

int64_t account_outcome(const struct account *account, enum usher_op op, enum usher_outcome outcome)
{
    int64_t count = 0;
    for (int reason = 0; reason < USHER_REASON_COUNT; reason++)
        count += account->counts[op][outcome][reason];
    return count;
}

int64_t account_reason(const struct account *account, enum usher_reason reason)
{
    int64_t count = 0;
    for (int op = 0; op < USHER_OP_COUNT; op++)
        count += account->counts[op][USHER_REFUSED][reason];
    return count;
}

int64_t account_per_second(const struct account_flow *flow)
{
    int64_t us = flow->last_us - flow->first_us;
    return us <= 0 ? 0 : (int64_t)((double)flow->count * 1e6 / (double)us);
}

int64_t account_busiest_second(const struct account_flow *flow)
{
    int64_t most = 0;
    for (int i = 0; i < ACCOUNT_SECONDS; i++)
        most = flow->second_counts[i] > most ? flow->second_counts[i] : most;
    return most;
}

void account_deinit(struct account *account)
{
    latency_deinit(&account->latency);
}
