/*
 * Replays the hotel: every booking and cancellation as a request, in order, as fast as they are
 * answered, each answer compared with the calculation.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "desk.h"
#include "hotel.h"
#include "screen.h"

extern const char replay_resource[];

/* Zero-initialise. */
struct replay_report {
    int64_t unexpected; /* answers that are not what the calculation says */
    char first_unexpected[200];
    int32_t *turned_away; /* by night: stays refused that covered it; owned */
    int64_t us;
};

struct replay_settings {
    struct desk *desk;
    struct account *account;
    struct screen *screen;
    const struct hotel *hotel;
};

/* FATAL where Kafka is gone or the hotel cannot be put on sale. */
USHER_MUST_CHECK enum usher_status replay_run(const struct replay_settings *settings,
                                              struct replay_report *report,
                                              struct usher_error *err);

void replay_report_deinit(struct replay_report *report);

#endif
