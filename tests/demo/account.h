/*
 * What the demo itself counted of one resource, from the answers alone: what PostgreSQL and Redis
 * must agree with at the end.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdint.h>

#include "latency.h"
#include "usher/message.h"

enum {
    ACCOUNT_SECONDS = 120
};

/* Answers over time. */
struct account_flow {
    int64_t count;
    int64_t first_us, last_us;
    int64_t second_counts[ACCOUNT_SECONDS]; /* in each second after the first */
};

/* Zero-initialise, then set the first two. */
struct account {
    const char *title; /* for people */
    const char *resource;
    int64_t asked, answered;
    int64_t unrequested; /* answers without a request: a waiting party was served */
    int64_t counts[USHER_OP_COUNT][USHER_OUTCOME_COUNT][USHER_REASON_COUNT];
    int64_t sold;                 /* units confirmed and not cancelled: seats, or rooms by night */
    int64_t taken;                /* money for them, minor units */
    int64_t rev;                  /* of the last change that an answer told of */
    struct account_flow answers;  /* to customers, refusals among them */
    struct account_flow bookings; /* those of them that held or sold something */
    struct latency latency;       /* enqueue to answer, of customers' requests */
};

/* Counts an answer that came `us` after its request was enqueued. */
void account_add(struct account *account, const struct usher_answer *answer, int64_t us);

/* Counts an answer without a request. */
void account_add_unrequested(struct account *account, const struct usher_answer *answer);

/* Answers of that operation with that outcome. */
int64_t account_outcome(const struct account *account, enum usher_op op,
                        enum usher_outcome outcome);

/* Refusals for that reason, over all operations. */
int64_t account_reason(const struct account *account, enum usher_reason reason);

/* Answers a second from the first to the last, and in the busiest second. */
int64_t account_per_second(const struct account_flow *flow);
int64_t account_busiest_second(const struct account_flow *flow);

void account_deinit(struct account *account);

#endif
