/* Three queries for each resource. */
#include "ledger.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

struct ledger {
    const struct screen *screen;
    const struct account *account;
    PGconn *connection;
};

static enum usher_status query(const struct ledger *ledger, const char *text, PGresult **result,
                               struct usher_error *err)
{
    const char *const values[] = {ledger->account->resource};
    *result = PQexecParams(ledger->connection, text, 1, NULL, values, NULL, NULL, 0);
    if (PQresultStatus(*result) == PGRES_TUPLES_OK)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not read PostgreSQL: %s",
                    PQerrorMessage(ledger->connection));
    PQclear(*result);
    return USHER_FATAL;
}

static int64_t number_at(const PGresult *result, int row, int column)
{
    return strtoll(PQgetvalue(result, row, column), NULL, 10);
}

/* ---- history ---- */

static int64_t answers_of(const struct account *account)
{
    int64_t count = 0;
    for (int op = 0; op < USHER_OP_COUNT; op++)
        for (int outcome = 0; outcome < USHER_OUTCOME_COUNT; outcome++)
            count += account_outcome(account, (enum usher_op)op, (enum usher_outcome)outcome);
    return count;
}

/* Decisions by operation, outcome and reason: the same table as the account's. */
static enum usher_status check_history(const struct ledger *ledger, int *bad,
                                       struct usher_error *err)
{
    PGresult *result;
    int64_t decisions = 0;
    int64_t differing = 0;
    enum usher_status status =
        query(ledger,
              "select op, outcome, coalesce(reason, ''), count(*) from usher.history"
              " where resource = $1 group by 1, 2, 3",
              &result, err);
    if (status != USHER_OK)
        return status;
    for (int row = 0; row < PQntuples(result); row++) {
        enum usher_op op = usher_op_named(PQgetvalue(result, row, 0));
        enum usher_outcome outcome = usher_outcome_named(PQgetvalue(result, row, 1));
        enum usher_reason reason = usher_reason_named(PQgetvalue(result, row, 2));
        int64_t count = number_at(result, row, 3);
        decisions += count;
        differing += count != ledger->account->counts[op][outcome][reason];
    }
    PQclear(result);
    int64_t answers = answers_of(ledger->account);
    *bad += !screen_check(ledger->screen, differing == 0 && decisions == answers,
                          "%s in PostgreSQL: the same %s decisions, reason by reason",
                          ledger->account->title, screen_number(answers).text);
    return USHER_OK;
}

/* ---- availability ---- */

static enum usher_status check_availability(const struct ledger *ledger, int *bad,
                                            struct usher_error *err)
{
    PGresult *result;
    enum usher_status status =
        query(ledger,
              "select coalesce(sum(sold), 0), coalesce(sum(held), 0) from usher.availability"
              " where resource = $1",
              &result, err);
    if (status != USHER_OK)
        return status;
    int64_t sold = number_at(result, 0, 0);
    int64_t held = number_at(result, 0, 1);
    PQclear(result);
    *bad += !screen_check(ledger->screen, sold == ledger->account->sold && held == 0,
                          "%s in PostgreSQL: %s units sold, %s by the answers, %s held",
                          ledger->account->title, screen_number(sold).text,
                          screen_number(ledger->account->sold).text, screen_number(held).text);
    return USHER_OK;
}

/* ---- purchase ---- */

static enum usher_status check_purchase(const struct ledger *ledger, int *bad,
                                        struct usher_error *err)
{
    PGresult *result;
    enum usher_status status =
        query(ledger,
              "select count(*), count(distinct (pool, night, unit)), coalesce(sum(price), 0)"
              " from usher.purchase where resource = $1",
              &result, err);
    if (status != USHER_OK)
        return status;
    int64_t tickets = number_at(result, 0, 0);
    int64_t units = number_at(result, 0, 1);
    int64_t taken = number_at(result, 0, 2);
    PQclear(result);
    *bad += !screen_check(
        ledger->screen,
        tickets == units && tickets == ledger->account->sold && taken == ledger->account->taken,
        "%s in PostgreSQL: %s tickets, %s different ones, and their price", ledger->account->title,
        screen_number(tickets).text, screen_number(units).text);
    return USHER_OK;
}

/* ---- the whole ---- */

enum usher_status ledger_check(const struct screen *screen, const char *uri,
                               const struct account *account, int *bad, struct usher_error *err)
{
    struct ledger ledger = {.screen = screen, .account = account, .connection = PQconnectdb(uri)};
    enum usher_status status = USHER_OK;
    if (PQstatus(ledger.connection) != CONNECTION_OK) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not reach PostgreSQL: %s",
                        PQerrorMessage(ledger.connection));
        status = USHER_FATAL;
    }
    if (status == USHER_OK)
        status = check_history(&ledger, bad, err);
    if (status == USHER_OK)
        status = check_availability(&ledger, bad, err);
    if (status == USHER_OK)
        status = check_purchase(&ledger, bad, err);
    PQfinish(ledger.connection);
    return status;
}
