/*
 * Compares what PostgreSQL recorded with what the demo counted, through the views that people
 * read: history, availability, waiting and purchase.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stddef.h>

#include "account.h"
#include "screen.h"

struct ledger_owner {
    const char *customer;
    const char *seats; /* in the order of the chart, as "E-12, E-13"; "" for none */
};

struct ledger_settings {
    const struct screen *screen;
    const char *uri; /* libpq's, of a role that may read the views */
    const struct account *account;
    const struct ledger_owner *owners; /* customers whose seats are looked at, too; NULL: none */
    size_t owner_count;
};

/*
 * Prints a line for each comparison; adds the bad ones to `bad`. FATAL where the database cannot
 * be read.
 */
USHER_MUST_CHECK enum usher_status ledger_check(const struct ledger_settings *settings, int *bad,
                                                struct usher_error *err);

#endif
