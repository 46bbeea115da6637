/*
 * See cart_transaction.h. In librdkafka a producer that has failed fatally is only destroyed: other
 * calls may hang or crash (2.0.2). A commit that failed for now is asked for again until its
 * outcome is known.
 */
#include "producer/client/cart_transaction.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"

enum {
    OPEN_TIMEOUT_MS = 10000,
    DELIVERY_TIMEOUT_MS = 5000, /* all reports come within message.timeout.ms, 3 s */
    END_TIMEOUT_MS = 10000,
    PAUSE_MS = 50,
    QUICK_MS = 1000 /* a transaction that took longer is in doubt */
};

struct cart_transaction {
    struct kafka_log log;  /* first: the handle's opaque */
    rd_kafka_conf_t *conf; /* of every epoch's handle */
    rd_kafka_t *kafka;     /* NULL: it is over */
    rd_kafka_topic_t *topic;
    char topic_name[USHER_TOPIC_NAME_SIZE];
    size_t undelivered;     /* confirms without a report */
    struct usher_error why; /* of the last confirm that was not delivered */
    bool doubtful;          /* something of this epoch may still arrive */
    uint32_t errors;        /* that librdkafka had reported when the epoch began */
};

bool cart_in_time(const struct cart_confirm *confirm)
{
    return confirm->appended_ms > 0 &&
           confirm->appended_ms + USHER_CART_MARGIN_MS <= confirm->expires_ms;
}

/* ==== Epochs ==== */

static void drop_handle(struct cart_transaction *transaction)
{
    if (transaction->topic)
        rd_kafka_topic_destroy(transaction->topic);
    if (transaction->kafka)
        rd_kafka_destroy(transaction->kafka);
    transaction->topic = NULL;
    transaction->kafka = NULL;
    transaction->undelivered = 0;
}

/* After an error that ends the producer; `code` may be _FATAL. */
static enum usher_status end_for_good(struct cart_transaction *transaction,
                                      rd_kafka_resp_err_t code, const char *what,
                                      struct usher_error *err)
{
    char reason[256] = "";
    rd_kafka_resp_err_t fatal = rd_kafka_fatal_error(transaction->kafka, reason, sizeof reason);
    if (fatal != RD_KAFKA_RESP_ERR_NO_ERROR)
        code = fatal;
    enum usher_status status = kafka_fail(err, code, "could not %s", what);
    if (status == USHER_FENCED)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not %s: another seller of this transactional id was opened, or this "
                        "one stood still for too long",
                        what);
    drop_handle(transaction);
    return status == USHER_FENCED ? USHER_FENCED : USHER_FATAL;
}

static enum usher_status begin_epoch(struct cart_transaction *transaction, struct usher_error *err)
{
    transaction->kafka =
        kafka_handle_new(RD_KAFKA_PRODUCER, rd_kafka_conf_dup(transaction->conf), err);
    if (!transaction->kafka)
        return USHER_FATAL;
    transaction->topic = rd_kafka_topic_new(transaction->kafka, transaction->topic_name, NULL);
    rd_kafka_error_t *error = rd_kafka_init_transactions(transaction->kafka, OPEN_TIMEOUT_MS);
    if (error) {
        rd_kafka_resp_err_t code = rd_kafka_error_code(error);
        rd_kafka_error_destroy(error);
        return end_for_good(transaction, code, "begin an epoch of the transactional id", err);
    }
    rd_kafka_poll(transaction->kafka, 0);
    transaction->doubtful = false;
    transaction->errors = atomic_load(&transaction->log.errors);
    return USHER_OK;
}

/* ---- opening ---- */

static void on_report(rd_kafka_t *kafka, const rd_kafka_message_t *message, void *opaque)
{
    struct cart_transaction *transaction = opaque;
    struct cart_confirm *confirm = message->_private;
    rd_kafka_timestamp_type_t type;
    int64_t ms = rd_kafka_message_timestamp(message, &type);
    (void)kafka;
    transaction->undelivered--;
    confirm->delivered = message->err == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (confirm->delivered && type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME)
        confirm->appended_ms = ms;
    if (!confirm->delivered)
        (void)kafka_fail(&transaction->why, message->err, "could not publish a confirm");
}

static enum usher_status make_conf(struct cart_transaction *transaction,
                                   const struct usher_seller_settings *settings,
                                   struct usher_error *err)
{
    transaction->conf =
        kafka_conf_new(&settings->kafka, KAFKA_CART_PRODUCER, &transaction->log, err);
    if (!transaction->conf)
        return USHER_FATAL;
    rd_kafka_conf_set_dr_msg_cb(transaction->conf, on_report);
    enum usher_status status =
        kafka_conf_set(transaction->conf, "transactional.id", settings->transactional_id, err);
    if (status == USHER_OK && settings->client_id)
        status = kafka_conf_set(transaction->conf, "client.id", settings->client_id, err);
    return status;
}

enum usher_status cart_transaction_open(const struct usher_seller_settings *settings,
                                        struct cart_transaction **transaction,
                                        struct usher_error *err)
{
    struct usher_topic_names names;
    enum usher_status status = usher_topic_names(settings->kafka.topic_prefix, &names, err);
    *transaction = NULL;
    if (status != USHER_OK)
        return status;
    struct cart_transaction *opened = memory_calloc(1, sizeof *opened);
    memcpy(opened->topic_name, names.requests, sizeof opened->topic_name);
    status = make_conf(opened, settings, err);
    if (status == USHER_OK)
        status = begin_epoch(opened, err);
    if (status == USHER_OK)
        *transaction = opened;
    else
        cart_transaction_close(opened);
    return status;
}

void cart_transaction_close(struct cart_transaction *transaction)
{
    if (!transaction)
        return;
    drop_handle(transaction);
    if (transaction->conf)
        rd_kafka_conf_destroy(transaction->conf);
    free(transaction);
}

/* ==== Transactions ==== */

static void produce(struct cart_transaction *transaction, struct cart_confirm *confirm)
{
    /* librdkafka only copies the payload (MSG_F_COPY), though its prototype is not const. */
    void *data;
    memcpy(&data, &confirm->data, sizeof data);
    confirm->delivered = false;
    confirm->appended_ms = 0;
    if (rd_kafka_produce(transaction->topic, confirm->partition, RD_KAFKA_MSG_F_COPY, data,
                         confirm->size, confirm->resource, strlen(confirm->resource), confirm) == 0)
        transaction->undelivered++;
    else
        (void)kafka_fail(&transaction->why, rd_kafka_last_error(), "could not queue a confirm");
}

/* Returns once there is a report of each confirm, or none is to be expected any more. */
static void serve_reports(struct cart_transaction *transaction)
{
    const int64_t deadline = clock_ms() + DELIVERY_TIMEOUT_MS;
    rd_kafka_poll(transaction->kafka, 0);
    while (transaction->undelivered > 0 && clock_ms() < deadline)
        rd_kafka_poll(transaction->kafka, PAUSE_MS);
}

/* Begins a transaction with the confirms, and waits for the report of each. */
static enum usher_status publish(struct cart_transaction *transaction,
                                 struct cart_confirm *confirms, size_t count,
                                 struct usher_error *err)
{
    rd_kafka_error_t *error = rd_kafka_begin_transaction(transaction->kafka);
    if (error) {
        rd_kafka_resp_err_t code = rd_kafka_error_code(error);
        rd_kafka_error_destroy(error);
        return end_for_good(transaction, code, "begin a transaction", err);
    }
    for (size_t i = 0; i < count; i++)
        produce(transaction, &confirms[i]);
    serve_reports(transaction);
    if (rd_kafka_fatal_error(transaction->kafka, NULL, 0) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return end_for_good(transaction, RD_KAFKA_RESP_ERR__FATAL, "publish confirms", err);
    return USHER_OK;
}

static bool all_delivered(const struct cart_confirm *confirms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!confirms[i].delivered)
            return false;
    return true;
}

static bool all_in_time(const struct cart_confirm *confirms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!cart_in_time(&confirms[i]))
            return false;
    return true;
}

/*
 * Ends the transaction. RETRY: it was to be committed, and is aborted. That an abort is
 * acknowledged says that no commit of it was accepted before.
 */
static enum usher_status end_transaction(struct cart_transaction *transaction, bool commit,
                                         struct usher_error *err)
{
    const int64_t deadline = clock_ms() + END_TIMEOUT_MS;
    enum usher_status done = USHER_OK;
    for (;;) {
        rd_kafka_error_t *error = commit ? rd_kafka_commit_transaction(transaction->kafka, -1)
                                         : rd_kafka_abort_transaction(transaction->kafka, -1);
        if (!error)
            return done;
        const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
        const bool fatal = rd_kafka_error_is_fatal(error) != 0;
        const bool abortable = commit && rd_kafka_error_txn_requires_abort(error);
        const bool retriable = rd_kafka_error_is_retriable(error) != 0;
        rd_kafka_error_destroy(error);
        if (fatal || !(abortable || retriable) || clock_ms() > deadline)
            return end_for_good(transaction, code, commit ? "commit" : "abort a transaction", err);
        if (abortable) {
            commit = false;
            done = USHER_RETRY;
            (void)kafka_fail(err, code, "could not commit");
        }
        rd_kafka_poll(transaction->kafka, PAUSE_MS);
    }
}

/* The reports of confirms that an abort has purged; they point to what the caller may free. */
static enum usher_status await_reports(struct cart_transaction *transaction,
                                       struct usher_error *err)
{
    serve_reports(transaction);
    return transaction->undelivered == 0
               ? USHER_OK
               : end_for_good(transaction, RD_KAFKA_RESP_ERR__TIMED_OUT, "publish confirms", err);
}

/* One transaction, from begin to end: statuses as cart_transaction_run. */
static enum usher_status try_transaction(struct cart_transaction *transaction,
                                         struct cart_confirm *confirms, size_t count,
                                         struct usher_error *err)
{
    enum usher_status status = publish(transaction, confirms, count, err);
    if (status != USHER_OK)
        return status;
    /* Every vote is cast now: whatever time passes from here on changes nothing. */
    const bool delivered = all_delivered(confirms, count);
    const bool commit = delivered && all_in_time(confirms, count);
    status = end_transaction(transaction, commit, err);
    if (status != USHER_OK && status != USHER_RETRY)
        return status;
    if (!delivered && await_reports(transaction, err) != USHER_OK)
        return USHER_FATAL;
    if (status != USHER_OK || commit)
        return status;
    if (delivered) {
        usher_error_set(err, USHER_EXIT_REFUSED, "could not confirm: too little time is left");
        return USHER_REJECT;
    }
    *err = transaction->why;
    return USHER_RETRY;
}

static enum usher_status run(struct cart_transaction *transaction, struct cart_confirm *confirms,
                             size_t count, struct usher_error *err)
{
    const int64_t began_ms = clock_ms();
    enum usher_status status = try_transaction(transaction, confirms, count, err);
    if (status == USHER_RETRY || clock_ms() - began_ms > QUICK_MS)
        transaction->doubtful = true;
    return status;
}

enum usher_status cart_transaction_renew(struct cart_transaction *transaction, const char *resource,
                                         int32_t partition, struct usher_error *err)
{
    const struct usher_request probe = {
        .request_id = "new-epoch", .op = USHER_OP_PROBE, .resource = resource};
    struct usher_buffer json = {0};
    usher_request_encode(&probe, &json);
    /* It is never in time, so that it is aborted; were it published after all, it changes nothing.
     */
    struct cart_confirm record = {
        .resource = resource, .partition = partition, .data = json.at, .size = json.size};
    enum usher_status status = run(transaction, &record, 1, err);
    usher_buffer_deinit(&json);
    if (status != USHER_REJECT)
        return status;
    drop_handle(transaction);
    return begin_epoch(transaction, err);
}

enum usher_status cart_transaction_run(struct cart_transaction *transaction,
                                       struct cart_confirm *confirms, size_t count,
                                       struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    rd_kafka_poll(transaction->kafka, 0);
    if (transaction->doubtful || atomic_load(&transaction->log.errors) != transaction->errors)
        status =
            cart_transaction_renew(transaction, confirms[0].resource, confirms[0].partition, err);
    return status == USHER_OK ? run(transaction, confirms, count, err) : status;
}
