/*
 * The transaction of a seller: confirms that are published whole or not at all, and the epoch of
 * the producer that does it. Knows records and their append times, neither carts nor answers.
 *
 * A delayed duplicate of a commit can end the next transaction of the same epoch in its middle
 * (KAFKA-17754), so that one in doubt is followed by a new epoch. Before that the old epoch has to
 * prove that it is not fenced: a seller that stood still must not take the id from its successor.
 */
#ifndef USHER_PRODUCER_CLIENT_CART_TRANSACTION_H
#define USHER_PRODUCER_CLIENT_CART_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/cart.h"

struct cart_transaction;

/* A record of the transaction. It stays where it is until cart_transaction_run returns. */
struct cart_confirm {
    const char *resource;
    int32_t partition;
    const char *data;
    size_t size;
    int64_t expires_ms;  /* the end of the hold */
    int64_t appended_ms; /* by Kafka's clock; 0: not, or not recorded */
    bool delivered;
};

/* The rule: whether a confirm was appended early enough for the whole to be committed. */
bool cart_in_time(const struct cart_confirm *confirm);

/*
 * Connects with a new epoch: transactions of an earlier one are aborted and refused. Closed with
 * cart_transaction_close. FATAL: as usher_client_open; exit code 77, the id is not allowed.
 */
USHER_MUST_CHECK enum usher_status
cart_transaction_open(const struct usher_seller_settings *settings,
                      struct cart_transaction **transaction, struct usher_error *err);

/*
 * Publishes the confirms as one, after a new epoch where the last one is in doubt. OK: committed.
 * REJECT: aborted, since some were not in time. RETRY: aborted, since Kafka failed; `confirms` may
 * be tried again. FENCED, FATAL: what became of them is unknown, and nothing more may be asked of
 * the transaction.
 */
USHER_MUST_CHECK enum usher_status cart_transaction_run(struct cart_transaction *transaction,
                                                        struct cart_confirm *confirms, size_t count,
                                                        struct usher_error *err);

/*
 * Begins a new epoch, after the old one has proved, in the partition of that resource, that it is
 * not fenced. Statuses as cart_transaction_run; RETRY: the epoch is the old one.
 */
USHER_MUST_CHECK enum usher_status cart_transaction_renew(struct cart_transaction *transaction,
                                                          const char *resource, int32_t partition,
                                                          struct usher_error *err);

/* NULL is legal. */
void cart_transaction_close(struct cart_transaction *transaction);

#endif
