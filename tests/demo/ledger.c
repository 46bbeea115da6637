/* Three queries for each resource, and one for each customer that is looked at. */
#include "ledger.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ledger {
    const struct ledger_settings *settings;
    PGconn *connection;
};

/* $1 is the resource, $2 the customer, where there is one. */
static enum usher_status query(const struct ledger *ledger, const char *text, const char *customer,
                               PGresult **result, struct usher_error *err)
{
    const char *const values[] = {ledger->settings->account->resource, customer};
    *result = PQexecParams(ledger->connection, text, customer == NULL ? 1 : 2, NULL, values, NULL,
                           NULL, 0);
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
              NULL, &result, err);
    if (status != USHER_OK)
        return status;
    for (int row = 0; row < PQntuples(result); row++) {
        enum usher_op op = usher_op_named(PQgetvalue(result, row, 0));
        enum usher_outcome outcome = usher_outcome_named(PQgetvalue(result, row, 1));
        enum usher_reason reason = usher_reason_named(PQgetvalue(result, row, 2));
        int64_t count = number_at(result, row, 3);
        decisions += count;
        differing += count != ledger->settings->account->counts[op][outcome][reason];
    }
    PQclear(result);
    int64_t answers = answers_of(ledger->settings->account);
    *bad += !screen_check(ledger->settings->screen, differing == 0 && decisions == answers,
                          "%s in PostgreSQL: the same %s decisions, by outcome and reason",
                          ledger->settings->account->title, screen_number(answers).text);
    return USHER_OK;
}

/* ---- availability ---- */

static enum usher_status check_availability(const struct ledger *ledger, int *bad,
                                            struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = query(ledger,
                                     "select coalesce(sum(sold), 0), coalesce(sum(held), 0),"
                                     " (select count(*) from usher.waiting where resource = $1)"
                                     " from usher.availability where resource = $1",
                                     NULL, &result, err);
    if (status != USHER_OK)
        return status;
    int64_t sold = number_at(result, 0, 0);
    int64_t held = number_at(result, 0, 1);
    int64_t waiting = number_at(result, 0, 2);
    PQclear(result);
    *bad += !screen_check(ledger->settings->screen,
                          sold == ledger->settings->account->sold && held == 0 && waiting == 0,
                          "%s in PostgreSQL: %s units sold, %s by the answers; %s held, %s waiting",
                          ledger->settings->account->title, screen_number(sold).text,
                          screen_number(ledger->settings->account->sold).text,
                          screen_number(held).text, screen_number(waiting).text);
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
              NULL, &result, err);
    if (status != USHER_OK)
        return status;
    int64_t tickets = number_at(result, 0, 0);
    int64_t units = number_at(result, 0, 1);
    int64_t taken = number_at(result, 0, 2);
    PQclear(result);
    *bad += !screen_check(ledger->settings->screen,
                          tickets == units && tickets == ledger->settings->account->sold &&
                              taken == ledger->settings->account->taken,
                          "%s in PostgreSQL: %s tickets, %s different ones, and their price",
                          ledger->settings->account->title, screen_number(tickets).text,
                          screen_number(units).text);
    return USHER_OK;
}

/* ---- owners ---- */

static enum usher_status has_seats(const struct ledger *ledger, const struct ledger_owner *owner,
                                   bool *good, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status =
        query(ledger,
              "select coalesce(string_agg(seat, ', ' order by pool, unit), '')"
              " from usher.purchase where resource = $1 and customer = $2",
              owner->customer, &result, err);
    if (status != USHER_OK)
        return status;
    *good = strcmp(PQgetvalue(result, 0, 0), owner->seats) == 0;
    PQclear(result);
    return USHER_OK;
}

static enum usher_status check_owners(const struct ledger *ledger, int *bad,
                                      struct usher_error *err)
{
    struct usher_buffer line = {0};
    bool good = true;
    enum usher_status status = USHER_OK;
    for (size_t i = 0; status == USHER_OK && good && i < ledger->settings->owner_count; i++) {
        const struct ledger_owner *owner = &ledger->settings->owners[i];
        status = has_seats(ledger, owner, &good, err);
        screen_append(&line, "%s%s has %s", i == 0 ? "" : "; ", owner->customer,
                      owner->seats[0] == '\0' ? "none" : owner->seats);
    }
    if (status == USHER_OK && ledger->settings->owner_count > 0)
        *bad += !screen_check(ledger->settings->screen, good, "%s in PostgreSQL: %.*s",
                              ledger->settings->account->title, (int)line.size, line.at);
    usher_buffer_deinit(&line);
    return status;
}

/* ---- the whole ---- */

enum usher_status ledger_check(const struct ledger_settings *settings, int *bad,
                               struct usher_error *err)
{
    const struct ledger ledger = {.settings = settings, .connection = PQconnectdb(settings->uri)};
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
    if (status == USHER_OK)
        status = check_owners(&ledger, bad, err);
    PQfinish(ledger.connection);
    return status;
}
