/*
 * Compares what PostgreSQL recorded with what the demo counted, through the views that people
 * read: history, availability and purchase.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "account.h"
#include "screen.h"

/*
 * Prints a line for each comparison; adds the bad ones to `bad`. FATAL where the database cannot
 * be read. `uri` is libpq's, of a role that may read the views.
 */
USHER_MUST_CHECK enum usher_status ledger_check(const struct screen *screen, const char *uri,
                                                const struct account *account, int *bad,
                                                struct usher_error *err);

#endif
