/*
 * The encore: a few people with names, in the hall that the rush has sold out. A family gives seats
 * back by an exchange, and who waited for them has them before anybody else can.
 */
#ifndef ENCORE_H
#define ENCORE_H

#include <stdbool.h>

#include "desk.h"
#include "ledger.h"
#include "screen.h"

enum {
    ENCORE_PEOPLE = 4,
    ENCORE_SEATS_SIZE = 64,
};

/* One answer. */
struct encore_answer {
    struct errand errand; /* first: an errand is its answer */
    enum usher_outcome outcome;
    enum usher_reason reason;
    bool unrequested;
    int64_t seq, total, difference, position, waiting, free;
    char seats[ENCORE_SEATS_SIZE], returned[ENCORE_SEATS_SIZE]; /* as "E-12, E-13" */
    int64_t us;                                                 /* when it was here */
};

/* Zero-initialise. */
struct encore {
    struct encore_answer bought;    /* the family's three seats */
    struct encore_answer waits;     /* two latecomers */
    struct encore_answer waits_too; /* four */
    struct encore_answer exchanged; /* the family's three seats for one of them */
    struct encore_answer refused;   /* a stranger */
    struct encore_answer served;    /* the latecomers, unrequested */
    struct encore_answer confirmed;
    struct encore_answer probed;
    struct encore_answer left; /* the four */
    int unexpected;            /* answers that are not what they must be */
    char first_unexpected[160];
};

struct encore_settings {
    const char *brokers;
    struct desk *desk;
    struct account *account;
    const struct screen *screen;
};

/* The family buys its seats: to be called before the rush. FATAL, here and below, without Kafka. */
USHER_MUST_CHECK enum usher_status encore_begin(const struct encore_settings *settings,
                                                struct encore *encore, struct usher_error *err);

/* All the rest, in the hall that is sold out by now. Prints it, or what is not as it must be. */
USHER_MUST_CHECK enum usher_status encore_run(const struct encore_settings *settings,
                                              struct encore *encore, struct usher_error *err);

/* Who must have which seats after it, by the answers; the texts are the encore's. */
void encore_owners(const struct encore *encore, struct ledger_owner owners[ENCORE_PEOPLE]);

#endif
