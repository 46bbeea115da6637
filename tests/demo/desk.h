/*
 * The desk that customers come to: turns their wishes into requests on Kafka and hands them the
 * answers. This is all that a service needs of libusher to sell through usher.
 */
#ifndef DESK_H
#define DESK_H

#include <stddef.h>
#include <stdint.h>

#include "account.h"
#include "usher/message.h"

struct desk;

/* One request in flight. Must stay where it is until it is done. */
struct errand {
    /* Called out of desk_poll; `answer` is valid during the call. NULL: none came. */
    void (*done)(struct errand *errand, const struct usher_answer *answer);
    struct account *account; /* where the answer is counted */
    int64_t sent_us;         /* set by desk_ask */
};

/* A request of that operation with all else absent. */
struct usher_request desk_request(enum usher_op op, const char *resource);

/* Connects. The errors of all three are FATAL: text and exit code in `err`. */
USHER_MUST_CHECK enum usher_status desk_open(const char *brokers, struct desk **desk,
                                             struct usher_error *err);

/* Enqueues a request; `request` is copied, `errand` is borrowed until it is done. */
USHER_MUST_CHECK enum usher_status desk_ask(struct desk *desk, const struct usher_request *request,
                                            struct errand *errand, struct usher_error *err);

/* Serves answers: returns when some were, or after timeout_ms. FATAL once one did not come. */
USHER_MUST_CHECK enum usher_status desk_poll(struct desk *desk, int timeout_ms,
                                             struct usher_error *err);

/* Requests without an answer yet. */
size_t desk_pending(const struct desk *desk);

/* Asks and waits until nothing is pending. */
USHER_MUST_CHECK enum usher_status desk_ask_and_wait(struct desk *desk,
                                                     const struct usher_request *request,
                                                     struct errand *errand,
                                                     struct usher_error *err);

/* NULL is legal. */
void desk_close(struct desk *desk);

#endif
