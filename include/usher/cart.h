/*
 * Carts over several resources, sold all or nothing. A seller holds each line with a request of its
 * own; once the customer has paid, it confirms all lines in one Kafka transaction, which is
 * committed only if every confirm was appended USHER_CART_MARGIN_MS before its hold ends.
 *
 * A seller is a client (usher/client.h) with a transactional producer. It belongs to one thread at
 * a time, and callbacks come only out of usher_seller_poll and usher_seller_flush. No transaction
 * is open between two calls: the call that begins one ends it, after some milliseconds, or after
 * the time-out of transactions where Kafka does not answer. A program that cannot wait for so long
 * gives the seller a thread of its own; one that is told to end (SIGTERM) ends between two calls.
 *
 * The transactional id is the lock of the seller's carts. Note it with the cart before you sell
 * that: whoever sells, repeats or settles the cart later opens a seller of the same id first, which
 * aborts the transaction that an earlier process left open, and fences that process. Two processes
 * that live at once must not share an id, or each fences the other. A fenced seller is over: every
 * call says USHER_FENCED. It must not be opened again by itself, since its successor is at work.
 *
 * A seller may be killed at any moment. While it takes or extends, take again: the ids are those of
 * the cart, so that holds are repeated, not doubled; or let them expire. Before the commit nothing
 * is sold, and the partitions of the lines wait until a seller of the same id is opened, or the
 * transaction has timed out: USHER_CART_TIMEOUT_MS, and as long as the brokers take to look
 * (transaction.abort.timed.out.transaction.cleanup.interval.ms). During the commit or after it,
 * sell again: confirms that were decided repeat their answers; or settle, which ends the cart if it
 * was not sold.
 *
 * Requests are found again by their ids: the hold of the line n of CART is CART.hn (CART.hn-2 and
 * CART.hn-3 in the second and third try), which is also the id of its booking; the confirm of a
 * booking is BOOKING.c, with the payment as its content: sell a cart again with the same payment.
 */
#ifndef USHER_CART_H
#define USHER_CART_H

#include "usher/client.h"
#include "usher/message.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    USHER_CART_ID_MAX = 40,       /* bytes of a cart's id */
    USHER_CART_LINES_MAX = 100,   /* lines of a cart */
    USHER_CART_MARGIN_MS = 2000,  /* by which the clocks of brokers and PostgreSQL may differ */
    USHER_CART_TIMEOUT_MS = 3000, /* transaction.timeout.ms */
};

/* A line is a booking in one resource. */
struct usher_cart_line {
    const char *resource;
    const struct usher_item *items; /* of take: the units */
    uint32_t item_count;
    const char *booking; /* of the others: its id, as take reported it */
    int64_t expires_ms;  /* of sell: the end of its hold, as take or extend reported it last */
};

/* Zero-initialise, then set. All of it is copied by the call that it is given to. */
struct usher_cart {
    const char *id; /* an id, at most USHER_CART_ID_MAX bytes; the `cart` of the bookings */
    const char *customer;
    const char *payment; /* of sell; may be NULL */
    int64_t ttl_s;       /* of extend, and of take (0: as the resource has it): seconds of a hold */
    const struct usher_cart_line *lines;
    uint32_t line_count; /* 1 … USHER_CART_LINES_MAX */
    void *tag;           /* handed back with the result; may be NULL */
};

/* What became of a cart. */
enum usher_cart_state {
    USHER_CART_UNKNOWN = 0, /* not known yet: repeat the call, or settle; `err` says why */
    USHER_CART_HELD,        /* every line is held, until its expires_ms */
    USHER_CART_REFUSED,     /* of take: nothing is held; else not all lines were; answers say why */
    USHER_CART_SOLD,        /* every line is confirmed */
    USHER_CART_ABORTED, /* of sell: nothing was sold, the holds are as they were: `err` says why;
                           extend and sell again, or release */
    USHER_CART_GONE,    /* no line is held or sold */
    USHER_CART_MIXED,   /* some lines are sold and others are not: the house ended some, or the
                           rules above were broken */
};

/* The state in lower case: "held", "sold", …. Static storage. */
const char *usher_cart_state_name(enum usher_cart_state state);

/* The end of an operation. Valid during the callback. */
struct usher_cart_result {
    enum usher_cart_state state;
    const struct usher_cart *cart; /* as it was given, with the booking and expires_ms of each line:
                                      the next operation may be started with it at once */
    /* Of each line, the last answer about it; NULL: none. An item of a line is one of its answer.
     */
    const struct usher_answer *const *answers;
    const struct usher_error *err; /* of UNKNOWN and ABORTED */
};

/* Zero-initialise, then set. */
struct usher_seller_settings {
    struct usher_kafka_settings kafka;
    const char *client_id;        /* name in the broker's logs and quotas; NULL: "usher" */
    const char *transactional_id; /* needed; the same after a restart: carts-shop-0 */
    int64_t answer_timeout_ms;    /* until a request is sent again, twice at most; 0: 5 s */
    void *context;                /* first argument of the callback */
    void (*on_cart)(void *context, const struct usher_cart_result *result); /* needed */
};

struct usher_seller;

/*
 * Connects, ends what an earlier seller of that transactional id left open, and fences it. Of the
 * settings only `context` and the callback are kept. Closed with usher_seller_close. Statuses as
 * usher_client_open; FATAL, exit code 77, also where the transactional id is not allowed.
 */
USHER_MUST_CHECK enum usher_status usher_seller_open(const struct usher_seller_settings *settings,
                                                     struct usher_seller **seller,
                                                     struct usher_error *err);

/*
 * The operations on a cart. Each returns at once; what it says comes with the callback, once for
 * each OK. REJECT, exit code 65: the cart, or a line of it, is not fit for the operation, as `err`
 * says, and nothing is sent; or another operation on that cart is not finished. FENCED, FATAL: the
 * seller is over, as usher_seller_poll says.
 */

/*
 * Holds all lines at once: HELD. If one is refused, the others are released. Since two carts can
 * refuse each other that way, where some lines were held it is tried twice again, line by line in
 * the order of partition and resource; then REFUSED. A cart that was taken before is found as it
 * is now: HELD, SOLD, MIXED, or GONE: a new id is needed to take it again.
 */
USHER_MUST_CHECK enum usher_status usher_cart_take(struct usher_seller *seller,
                                                   const struct usher_cart *cart,
                                                   struct usher_error *err);

/* Restarts the time of all holds: HELD. REFUSED: not of all, as after one has expired. */
USHER_MUST_CHECK enum usher_status usher_cart_extend(struct usher_seller *seller,
                                                     const struct usher_cart *cart,
                                                     struct usher_error *err);

/*
 * Confirms all lines in one transaction, with others that are to be sold at the same time: SOLD.
 * ABORTED: too little time was left of a hold, or Kafka failed twice. Topics without append times
 * (message.timestamp.type CreateTime) sell nothing. A line whose answer is `already_confirmed` was
 * confirmed by another request before, perhaps with another payment.
 */
USHER_MUST_CHECK enum usher_status usher_cart_sell(struct usher_seller *seller,
                                                   const struct usher_cart *cart,
                                                   struct usher_error *err);

/* Gives the holds back: GONE. What was sold stays sold: SOLD, MIXED. */
USHER_MUST_CHECK enum usher_status usher_cart_release(struct usher_seller *seller,
                                                      const struct usher_cart *cart,
                                                      struct usher_error *err);

/*
 * Finds out what became of a cart whose sale was not reported: SOLD, or GONE for good, since what
 * is still held is released. It begins with a new epoch, so that no earlier confirm can follow.
 */
USHER_MUST_CHECK enum usher_status usher_cart_settle(struct usher_seller *seller,
                                                     const struct usher_cart *cart,
                                                     struct usher_error *err);

/*
 * Goes on with all operations: returns after at least one callback, or after timeout_ms (0: at
 * once, but for the transactions that are due). FENCED: another seller of the same transactional id
 * was opened, or this process stood still for longer than a transaction may take. FATAL: as
 * usher_client_poll, or the transactional producer cannot continue. Either way the seller is over:
 * its carts were reported as UNKNOWN; close it.
 */
USHER_MUST_CHECK enum usher_status usher_seller_poll(struct usher_seller *seller, int timeout_ms,
                                                     struct usher_error *err);

/*
 * A descriptor for an event loop: once it is readable, call usher_seller_poll with 0. Call that
 * once a second besides. It belongs to the seller; the first call makes it.
 */
int usher_seller_descriptor(struct usher_seller *seller);

/*
 * Polls until no operation is left, and no delivery report of its requests. RETRY: timeout_ms
 * elapsed first. Else as usher_seller_poll.
 */
USHER_MUST_CHECK enum usher_status usher_seller_flush(struct usher_seller *seller, int timeout_ms,
                                                      struct usher_error *err);

/*
 * Closes; operations that are not finished are dropped without a callback. An answer can overtake
 * the delivery report of its request: usher_seller_flush first. NULL is legal.
 */
void usher_seller_close(struct usher_seller *seller);

#ifdef __cplusplus
}
#endif
#endif
