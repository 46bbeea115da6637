/*
 * Carts over several resources, sold all or nothing. A seller holds each line with a request of its
 * own. Once the customer has paid, it confirms all lines in one Kafka transaction. The transaction
 * is committed only if every confirm was appended USHER_CART_MARGIN_MS before its hold ends.
 *
 * A seller is a client (usher/client.h) with a transactional producer. It belongs to one thread at
 * a time, and callbacks come only out of usher_seller_poll and usher_seller_flush. No transaction
 * is open between two calls. The call that begins one ends it, after some milliseconds, or after
 * the timeout of transactions if Kafka does not answer. A program that cannot wait for so long
 * gives the seller a thread of its own. A program that gets SIGTERM ends between two calls.
 *
 * The transactional id is the lock of the seller's carts. Note it with the cart before you sell the
 * cart. A process that sells, repeats or settles the cart later opens a seller of the same id
 * first. This aborts the transaction that an earlier process left open, and fences that process.
 * Two live processes must not share an id, or each fences the other. Every call of a fenced seller
 * returns USHER_FENCED. Do not open it again, because its successor is at work.
 *
 * A seller can be killed at any moment. While it takes or extends, take the cart again: the ids are
 * those of the cart, so holds are repeated, not doubled. Or let the holds expire. Before the commit
 * nothing is sold. The partitions of the lines wait until a seller of the same id is opened, or the
 * transaction has timed out. That takes USHER_CART_TIMEOUT_MS, and the time that the brokers take
 * to look (transaction.abort.timed.out.transaction.cleanup.interval.ms). During the commit or after
 * it, sell again: decided confirms repeat their answers. Or settle the cart, which ends it if it
 * was not sold.
 *
 * Requests are found again by their ids. The hold of the line n of CART is CART.hn, and in the
 * second and third try CART.hn-2 and CART.hn-3. It is also the id of its booking. The confirm of a
 * booking is BOOKING.c, with the payment as its content, so sell a cart again with the same
 * payment.
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

/* Zero-initialise, then set. The call copies all of it. */
struct usher_cart {
    const char *id; /* an id, at most USHER_CART_ID_MAX bytes: the `cart` of the bookings */
    const char *customer;
    const char *payment; /* of sell, may be NULL */
    int64_t ttl_s;       /* of extend, and of take (0: as the resource has it): seconds of a hold */
    const struct usher_cart_line *lines;
    uint32_t line_count; /* 1 … USHER_CART_LINES_MAX */
    void *tag;           /* handed back with the result, may be NULL */
};

/* The state of a cart after an operation. */
enum usher_cart_state {
    USHER_CART_UNKNOWN = 0, /* not known yet: repeat the call, or settle. `err` says why */
    USHER_CART_HELD,        /* every line is held, until its expires_ms */
    USHER_CART_REFUSED,     /* of take: nothing is held. Of others: not all lines were */
    USHER_CART_SOLD,        /* every line is confirmed */
    USHER_CART_ABORTED,     /* of sell: nothing was sold, the holds are unchanged. `err` says why.
                               Extend and sell again, or release */
    USHER_CART_GONE,        /* no line is held or sold */
    USHER_CART_MIXED,       /* some lines are sold and others are not: the house ended some, or the
                               rules above were broken */
};

/* The state in lower case: "held", "sold", …. Static storage. */
const char *usher_cart_state_name(enum usher_cart_state state);

/* The end of an operation. Valid during the callback. */
struct usher_cart_result {
    enum usher_cart_state state;
    const struct usher_cart *cart; /* as it was given, with the booking and expires_ms of each line:
                                      the next operation may be started with it at once */
    /* Of each line, the last answer about it. NULL: none. An item of a line is one of its answer.
     */
    const struct usher_answer *const *answers;
    const struct usher_error *err; /* of UNKNOWN and ABORTED */
};

/* Zero-initialise, then set. */
struct usher_seller_settings {
    struct usher_kafka_settings kafka;
    const char *client_id;        /* name in the broker's logs and quotas. NULL: "usher" */
    const char *transactional_id; /* needed, the same after a restart: carts-shop-0 */
    int64_t answer_timeout_ms;    /* until a request is sent again, twice at most. 0: 5 s */
    void *context;                /* first argument of the callback */
    void (*on_cart)(void *context, const struct usher_cart_result *result); /* needed */
};

struct usher_seller;

/*
 * Connects, ends the transaction that an earlier seller of that transactional id left open, and
 * fences that seller. Of the settings only `context` and the callback are kept. Close it with
 * usher_seller_close. Statuses as usher_client_open. FATAL with exit code 77 also if the
 * transactional id is not allowed.
 */
USHER_MUST_CHECK enum usher_status usher_seller_open(const struct usher_seller_settings *settings,
                                                     struct usher_seller **seller,
                                                     struct usher_error *err);

/*
 * The operations on a cart. Each returns at once, and its result comes with the callback, once for
 * each OK. REJECT, exit code 65: the cart or a line of it does not fit the operation, or another
 * operation on that cart is not finished. `err` says so, and nothing is sent. FENCED, FATAL: as
 * usher_seller_poll.
 */

/*
 * Holds all lines at once: HELD. If one is refused, the others are released. Two carts can refuse
 * each other that way. So if some lines were held, the seller tries twice again, line by line in
 * the order of partition and resource. Then the cart is REFUSED. A cart that was taken before is
 * found in its present state: HELD, SOLD, MIXED, or GONE. After GONE a new id is needed to take it
 * again.
 */
USHER_MUST_CHECK enum usher_status usher_cart_take(struct usher_seller *seller,
                                                   const struct usher_cart *cart,
                                                   struct usher_error *err);

/* Restarts the time of all holds: HELD. REFUSED: not of all, for example after one has expired. */
USHER_MUST_CHECK enum usher_status usher_cart_extend(struct usher_seller *seller,
                                                     const struct usher_cart *cart,
                                                     struct usher_error *err);

/*
 * Confirms all lines in one transaction, with other carts that are to be sold at the same time:
 * SOLD. ABORTED: too little time was left of a hold, or Kafka failed twice. Topics without append
 * times (message.timestamp.type CreateTime) sell nothing. A line whose answer is
 * `already_confirmed` was confirmed by another request before, perhaps with another payment.
 */
USHER_MUST_CHECK enum usher_status usher_cart_sell(struct usher_seller *seller,
                                                   const struct usher_cart *cart,
                                                   struct usher_error *err);

/* Gives the holds back: GONE. Sold lines stay sold: SOLD, MIXED. */
USHER_MUST_CHECK enum usher_status usher_cart_release(struct usher_seller *seller,
                                                      const struct usher_cart *cart,
                                                      struct usher_error *err);

/*
 * Finds the state of a cart whose sale was not reported: SOLD, or GONE for good, because open holds
 * are released. It begins with a new epoch, so no earlier confirm can follow.
 */
USHER_MUST_CHECK enum usher_status usher_cart_settle(struct usher_seller *seller,
                                                     const struct usher_cart *cart,
                                                     struct usher_error *err);

/*
 * Continues all operations. Returns after at least one callback, or after timeout_ms. With 0 it
 * returns at once, except for transactions that are due. FENCED: another seller of the same
 * transactional id was opened, or this process paused for longer than a transaction can take.
 * FATAL: as usher_client_poll, or the transactional producer cannot continue. In both cases the
 * seller reported its carts as UNKNOWN. Close it.
 */
USHER_MUST_CHECK enum usher_status usher_seller_poll(struct usher_seller *seller, int timeout_ms,
                                                     struct usher_error *err);

/*
 * A descriptor for an event loop. Once it is readable, call usher_seller_poll with 0. Also call
 * that once a second. The descriptor belongs to the seller, and the first call makes it.
 */
int usher_seller_descriptor(struct usher_seller *seller);

/*
 * Polls until no operation is left, and no delivery report of its requests. RETRY: timeout_ms
 * elapsed first. Other statuses as usher_seller_poll.
 */
USHER_MUST_CHECK enum usher_status usher_seller_flush(struct usher_seller *seller, int timeout_ms,
                                                      struct usher_error *err);

/*
 * Closes. Unfinished operations are dropped without a callback. An answer can overtake the delivery
 * report of its request, so call usher_seller_flush first. NULL is legal.
 */
void usher_seller_close(struct usher_seller *seller);

#ifdef __cplusplus
}
#endif
#endif
