/*
 * The rush on the hall: thousands of simulated customers who want two to four seats, take what
 * they can get, think, pay or let go, until 20,000 requests were made and every seat is sold.
 */
#ifndef RUSH_H
#define RUSH_H

#include "desk.h"
#include "screen.h"
#include "shown.h"

enum {
    RUSH_REQUESTS = 20000, /* holds asked for */
};

/* Zero-initialise. */
struct rush_report {
    uint32_t customers;          /* who came */
    uint32_t satisfied;          /* who went home with tickets */
    uint32_t released;           /* holds that were let go again */
    uint32_t fewer;              /* who went home with fewer seats than they came for */
    uint32_t at_the_end;         /* requests for what was left when all others had gone */
    int64_t us;                  /* from the first request to the last answer */
    int64_t picture_us;          /* into the rush: when the picture was taken */
    struct usher_buffer picture; /* the seats as Redis showed them then; owned */
};

struct rush_settings {
    uint64_t seed;
    struct desk *desk;
    struct account *account;
    struct shown *shown;
    struct screen *screen;
};

/* Runs it. FATAL where Kafka or Redis are gone; what was answered is in the account. */
USHER_MUST_CHECK enum usher_status rush_run(const struct rush_settings *settings,
                                            struct rush_report *report, struct usher_error *err);

#endif
