/*
 * See usher/cart.h: operations on carts, one request for each line, by a client; the confirms of
 * those that are sold at the same time by a transaction. An operation is what comes next once all
 * of its requests are answered.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/client/cart.h"
#include "producer/client/cart_transaction.h"
#include "producer/client/client.h"
#include "producer/client/reader.h"
#include "usher/cart.h"

enum {
    TRIES_MAX = 3,    /* to take a cart, and to get an answer */
    FAILURES_MAX = 2, /* of Kafka, to sell a cart */
    CARTS_MAX = 100,  /* per transaction: it holds up the partitions of them all */
    CONFIRMS_MAX = 500,
    REST_MS = 5,     /* after a transaction; see rest() */
    UNIQUE_SIZE = 24 /* of the end of an id, with its NUL */
};

struct operation;

struct line {
    struct operation *operation;
    struct usher_cart_line *given;
    int32_t partition;
    const char *request_id; /* of the last request, which is `json` */
    enum usher_op asked;
    const char *json;
    size_t json_size;
    int tries;                        /* of that request */
    bool holding;                     /* since this try to take the cart */
    const struct usher_answer *heard; /* the answer to it; NULL: none */
    const struct usher_answer **told; /* the one that the result has */
};

/* A request that was sent; the tag of its message. */
struct sent {
    struct line *line;
    bool awaited;
};

struct operation {
    struct usher_seller *seller;
    struct operation *next;
    struct usher_arena arena; /* of all that it has */
    struct usher_cart cart;
    struct line *lines;
    const struct usher_answer **told;          /* of each line */
    struct line **order;                       /* by partition and resource */
    void (*then)(struct operation *operation); /* once all is answered; NULL: nothing */
    uint32_t unanswered, undelivered;
    uint32_t position; /* in `order` */
    int tries, failures;
    bool confirms; /* waits for a transaction */
    bool finished;
    struct usher_error err;
};

struct usher_seller {
    struct usher_client *client;
    struct cart_transaction *transaction;
    struct operation *first, *last;
    uint64_t nonce; /* of this seller's ids */
    uint64_t ids;
    size_t served;          /* callbacks of this poll */
    int64_t rests_until_ms; /* CLOCK_MONOTONIC: before it, no transaction is begun */
    int descriptor;         /* -1: nobody asked for it */
    enum usher_status over; /* not OK: why it cannot continue */
    struct usher_error err;
    void *context;
    void (*on_cart)(void *context, const struct usher_cart_result *result);
};

/* ---- results ---- */

/* The operation stays until the deliveries of its requests are reported; see sweep(). */
static void finish(struct operation *operation, enum usher_cart_state state)
{
    struct usher_seller *seller = operation->seller;
    const struct usher_cart_result result = {
        .state = state,
        .cart = &operation->cart,
        .answers = operation->told,
        .err = state == USHER_CART_UNKNOWN || state == USHER_CART_ABORTED ? &operation->err : NULL,
    };
    operation->finished = true;
    operation->confirms = false;
    seller->served++;
    seller->on_cart(seller->context, &result);
}

static void finish_as_told(struct operation *operation)
{
    finish(operation, cart_state(operation->told, operation->cart.line_count));
}

/* Nobody may ask Kafka for anything more in its name. */
static void give_up(struct usher_seller *seller, enum usher_status status,
                    const struct usher_error *err)
{
    seller->over = status;
    seller->err = *err;
    for (struct operation *operation = seller->first; operation; operation = operation->next)
        if (!operation->finished) {
            operation->err = *err;
            finish(operation, USHER_CART_UNKNOWN);
        }
}

/* ---- requests ---- */

/*
 * Makes it the request of the line. Others than holds and confirms have an id of their own each
 * time, since their answer may be another one now.
 */
static void write_request(struct line *line, enum usher_op op)
{
    struct operation *operation = line->operation;
    struct usher_seller *seller = operation->seller;
    struct usher_buffer json = {0};
    char unique[UNIQUE_SIZE];
    snprintf(unique, sizeof unique, "%012llx.%llx", (unsigned long long)seller->nonce,
             (unsigned long long)seller->ids++);
    const struct usher_request request =
        cart_request(&operation->cart, (uint32_t)(line - operation->lines), op, operation->tries,
                     unique, &operation->arena);
    usher_request_encode(&request, &json);
    line->request_id = request.request_id;
    line->asked = op;
    line->json = usher_arena_text(&operation->arena, json.at, json.size);
    line->json_size = json.size;
    line->tries = 0;
    line->heard = NULL;
    usher_buffer_deinit(&json);
}

/* Sends the request of the line, or waits once more for what a transaction has published. */
static void send_again(struct line *line)
{
    struct operation *operation = line->operation;
    struct usher_client *client = operation->seller->client;
    struct sent *sent = usher_arena_alloc(&operation->arena, sizeof *sent);
    sent->line = line;
    line->tries++;
    if (line->asked == USHER_OP_CONFIRM) {
        client_await(client, line->given->resource, line->request_id, sent);
    } else {
        const struct usher_message message = {
            .resource = line->given->resource,
            .request_id = line->request_id,
            .data = line->json,
            .size = line->json_size,
            .tag = sent,
            .wait = true,
        };
        if (usher_client_send(client, &message, &operation->err) != USHER_OK)
            return;
        operation->undelivered++;
    }
    sent->awaited = true;
    operation->unanswered++;
}

static void ask(struct line *line, enum usher_op op)
{
    write_request(line, op);
    if (op == USHER_OP_HOLD)
        line->given->booking = line->request_id;
    send_again(line);
}

static void ask_all(struct operation *operation, enum usher_op op)
{
    for (uint32_t i = 0; i < operation->cart.line_count; i++)
        ask(&operation->lines[i], op);
}

/* ---- answers ---- */

static void lose(struct sent *sent, const struct usher_error *err)
{
    struct line *line = sent->line;
    struct operation *operation = line->operation;
    sent->awaited = false;
    operation->unanswered--;
    if (err)
        operation->err = *err;
    else
        usher_error_set(&operation->err, USHER_EXIT_NO_ANSWER, "no answer to %s", line->request_id);
    if (line->tries < TRIES_MAX && !operation->finished)
        send_again(line);
}

static void on_delivery(void *context, const struct usher_delivery *delivery)
{
    struct sent *sent = delivery->tag;
    (void)context;
    sent->line->operation->undelivered--;
    if (delivery->status != USHER_OK && sent->awaited)
        lose(sent, delivery->err);
}

static void on_reply(void *context, const struct usher_reply *reply)
{
    struct sent *sent = reply->tag;
    struct line *line = sent->line;
    struct operation *operation = line->operation;
    struct usher_answer *answer = usher_arena_alloc(&operation->arena, sizeof *answer);
    struct usher_error err;
    (void)context;
    if (reply->status != USHER_OK) {
        lose(sent, NULL);
    } else if (usher_answer_decode(reply->data, reply->size, &operation->arena, answer, &err) !=
               USHER_OK) {
        lose(sent, &err);
    } else {
        sent->awaited = false;
        operation->unanswered--;
        line->heard = answer;
        if (answer->expires_ms != USHER_ABSENT)
            line->given->expires_ms = answer->expires_ms;
    }
}

/* What was heard last is told of every line. */
static void tell_all(struct operation *operation)
{
    for (uint32_t i = 0; i < operation->cart.line_count; i++)
        operation->told[i] = operation->lines[i].heard;
    finish_as_told(operation);
}

/* ---- taking ---- */

static void take_in_order(struct operation *operation);

/* Tells the answer to the hold of a line. False: there is none. */
static bool tell_hold(struct line *line)
{
    *line->told = line->heard;
    line->holding = cart_line_state(*line->told) == USHER_CART_HELD;
    return *line->told;
}

/* Releases what this try holds, and goes on without it. */
static void give_back(struct operation *operation, void (*then)(struct operation *operation))
{
    for (uint32_t i = 0; i < operation->cart.line_count; i++)
        if (operation->lines[i].holding)
            ask(&operation->lines[i], USHER_OP_RELEASE);
    operation->then = then;
}

/* A line that was sold meanwhile, by whoever had the cart before: then all of it is left as it is.
 */
static bool was_sold(struct operation *operation)
{
    bool sold = false;
    for (uint32_t i = 0; i < operation->cart.line_count; i++) {
        struct line *line = &operation->lines[i];
        if (line->holding && cart_line_state(line->heard) == USHER_CART_SOLD) {
            *line->told = line->heard;
            sold = true;
        }
    }
    return sold;
}

/*
 * Whether another try may succeed: others who were refused for what this one held have given theirs
 * back. Who held nothing has refused nobody.
 */
static bool may_succeed(const struct operation *operation)
{
    bool held = operation->tries > 1;
    for (uint32_t i = 0; i < operation->cart.line_count; i++) {
        const struct line *line = &operation->lines[i];
        held = held || line->holding;
        if (!line->holding && (*line->told)->outcome != USHER_HELD && !(*line->told)->retryable)
            return false;
    }
    return held && operation->tries < TRIES_MAX;
}

static void take_once_more(struct operation *operation)
{
    if (was_sold(operation)) {
        finish(operation, USHER_CART_MIXED);
    } else if (!may_succeed(operation)) {
        finish(operation, USHER_CART_REFUSED);
    } else {
        for (uint32_t i = 0; i < operation->cart.line_count; i++)
            operation->lines[i].holding = false;
        operation->tries++;
        operation->position = 0;
        take_in_order(operation);
    }
}

static void take_failed(struct operation *operation)
{
    finish(operation, was_sold(operation) ? USHER_CART_MIXED : USHER_CART_REFUSED);
}

static void take_verified(struct operation *operation)
{
    for (uint32_t i = 0; i < operation->cart.line_count; i++) {
        struct line *line = &operation->lines[i];
        if (line->asked == USHER_OP_EXTEND)
            line->holding = cart_line_state(line->heard) == USHER_CART_HELD;
        if (!line->holding)
            *line->told = line->heard;
    }
    if (cart_state(operation->told, operation->cart.line_count) == USHER_CART_REFUSED)
        give_back(operation, take_failed);
    else
        finish_as_told(operation);
}

/* All is held; but a repeated answer says what was: whether it is so still, an extend says. */
static void take_done(struct operation *operation)
{
    for (uint32_t i = 0; i < operation->cart.line_count; i++)
        if (operation->told[i]->replayed)
            ask(&operation->lines[i], USHER_OP_EXTEND);
    operation->then = take_verified;
}

/* Line by line, as everybody does: of those who want the same units one is first. */
static void take_in_order(struct operation *operation)
{
    struct line *asked = operation->position > 0 ? operation->order[operation->position - 1] : NULL;
    if (asked && !tell_hold(asked)) {
        finish(operation, USHER_CART_UNKNOWN);
    } else if (asked && !asked->holding) {
        give_back(operation, take_once_more);
    } else if (operation->position == operation->cart.line_count) {
        take_done(operation);
    } else {
        ask(operation->order[operation->position++], USHER_OP_HOLD);
        operation->then = take_in_order;
    }
}

static void take_answered(struct operation *operation)
{
    bool answered = true, held = true;
    for (uint32_t i = 0; i < operation->cart.line_count; i++) {
        answered = tell_hold(&operation->lines[i]) && answered;
        held = held && operation->lines[i].holding;
    }
    if (!answered)
        finish(operation, USHER_CART_UNKNOWN);
    else if (held)
        take_done(operation);
    else
        give_back(operation, take_once_more);
}

static void take(struct operation *operation)
{
    operation->then = take_answered;
    ask_all(operation, USHER_OP_HOLD);
}

/* ---- extending, releasing, settling ---- */

static void extend(struct operation *operation)
{
    operation->then = tell_all;
    ask_all(operation, USHER_OP_EXTEND);
}

static void release(struct operation *operation)
{
    operation->then = tell_all;
    ask_all(operation, USHER_OP_RELEASE);
}

/* A line that was sold is not released, and says so. */
static void settle(struct operation *operation)
{
    struct usher_error err;
    const struct line *line = &operation->lines[0];
    enum usher_status status = cart_transaction_renew(operation->seller->transaction,
                                                      line->given->resource, line->partition, &err);
    if (status == USHER_OK) {
        release(operation);
    } else if (status == USHER_RETRY) {
        operation->err = err;
        finish(operation, USHER_CART_UNKNOWN);
    } else {
        give_up(operation->seller, status, &err);
    }
}

/* ---- selling ---- */

/* Carts that are sold at the same time. */
struct batch {
    struct operation *carts[CARTS_MAX];
    size_t cart_count;
    struct cart_confirm confirms[CONFIRMS_MAX];
    size_t confirm_count;
};

static void sell(struct operation *operation)
{
    operation->then = NULL;
    operation->confirms = true;
}

/* Answers are read from before the transaction on. */
static enum usher_status follow(struct operation *operation)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < operation->cart.line_count && status == USHER_OK; i++)
        status = client_follow(operation->seller->client, operation->lines[i].given->resource,
                               &operation->err);
    return status;
}

static void add_cart(struct batch *batch, struct operation *operation)
{
    batch->carts[batch->cart_count++] = operation;
    for (uint32_t i = 0; i < operation->cart.line_count; i++) {
        struct line *line = &operation->lines[i];
        write_request(line, USHER_OP_CONFIRM);
        batch->confirms[batch->confirm_count++] = (struct cart_confirm){
            .resource = line->given->resource,
            .partition = line->partition,
            .data = line->json,
            .size = line->json_size,
            .expires_ms = line->given->expires_ms,
        };
    }
}

static void fill_batch(struct usher_seller *seller, struct batch *batch)
{
    for (struct operation *operation = seller->first; operation; operation = operation->next) {
        if (!operation->confirms || batch->cart_count == CARTS_MAX ||
            batch->confirm_count + operation->cart.line_count > CONFIRMS_MAX)
            continue;
        if (follow(operation) == USHER_OK)
            add_cart(batch, operation);
        else
            finish(operation, USHER_CART_ABORTED);
    }
}

static void await_confirmed(struct operation *operation)
{
    operation->confirms = false;
    operation->then = tell_all;
    for (uint32_t i = 0; i < operation->cart.line_count; i++)
        send_again(&operation->lines[i]);
}

/* One that is late has aborted all: it is told so, and the others go again. */
static void drop_late(struct operation *operation, const struct cart_confirm *confirms)
{
    for (uint32_t i = 0; i < operation->cart.line_count; i++) {
        if (cart_in_time(&confirms[i]))
            continue;
        if (confirms[i].appended_ms == 0)
            usher_error_set(&operation->err, USHER_EXIT_CONFIG,
                            "could not sell: the topic of requests does not record append times");
        else
            usher_error_set(&operation->err, USHER_EXIT_REFUSED,
                            "could not sell: the hold of %s ends in %lld ms",
                            operation->lines[i].given->booking,
                            (long long)(confirms[i].expires_ms - confirms[i].appended_ms));
        finish(operation, USHER_CART_ABORTED);
        return;
    }
}

/* After a transaction that was ended, with that status. */
static void tell_batch(const struct batch *batch, enum usher_status status,
                       const struct usher_error *err)
{
    const struct cart_confirm *confirms = batch->confirms;
    for (size_t i = 0; i < batch->cart_count; i++) {
        struct operation *operation = batch->carts[i];
        if (status == USHER_OK) {
            await_confirmed(operation);
        } else if (status == USHER_REJECT) {
            drop_late(operation, confirms);
        } else if (++operation->failures == FAILURES_MAX) {
            operation->err = *err;
            finish(operation, USHER_CART_ABORTED);
        }
        confirms += operation->cart.line_count;
    }
}

/*
 * The coordinator refuses a transaction that is begun before it has written the markers of the last
 * one (CONCURRENT_TRANSACTIONS), and librdkafka then waits for 20 ms before it asks again. A pause
 * of a few milliseconds costs less than that, and takes answers meanwhile.
 */
static void rest(struct usher_seller *seller)
{
    struct usher_error err;
    int64_t left = seller->rests_until_ms - clock_ms();
    while (seller->over == USHER_OK && left > 0) {
        enum usher_status status = usher_client_poll(seller->client, (int)left, &err);
        if (status != USHER_OK)
            give_up(seller, status, &err);
        left = seller->rests_until_ms - clock_ms();
    }
}

/* Sells what is to be sold, as far as it fits into one transaction. */
static void sell_batch(struct usher_seller *seller)
{
    struct usher_error err;
    rest(seller);
    if (seller->over != USHER_OK)
        return;
    struct batch *batch = memory_calloc(1, sizeof *batch);
    fill_batch(seller, batch);
    if (batch->cart_count > 0) {
        enum usher_status status =
            cart_transaction_run(seller->transaction, batch->confirms, batch->confirm_count, &err);
        seller->rests_until_ms = clock_ms() + REST_MS;
        if (status == USHER_OK || status == USHER_REJECT || status == USHER_RETRY)
            tell_batch(batch, status, &err);
        else
            give_up(seller, status, &err);
    }
    free(batch);
}

/* ---- beginning ---- */

static int by_place(const void *a, const void *b)
{
    const struct line *left = *(struct line *const *)a, *right = *(struct line *const *)b;
    if (left->partition != right->partition)
        return left->partition < right->partition ? -1 : 1;
    int order = strcmp(left->given->resource, right->given->resource);
    return order != 0 ? order : (left > right) - (left < right);
}

/* Another operation on that cart is not finished. */
static bool is_taken(const struct usher_seller *seller, const char *id)
{
    for (const struct operation *operation = seller->first; operation; operation = operation->next)
        if (!operation->finished && strcmp(operation->cart.id, id) == 0)
            return true;
    return false;
}

static void free_operation(struct operation *operation)
{
    usher_arena_deinit(&operation->arena);
    free(operation);
}

/* Its cart is there already. */
static void lay_out(struct operation *operation)
{
    const uint32_t count = operation->cart.line_count;
    struct usher_arena *arena = &operation->arena;
    struct usher_cart_line *given;
    memcpy(&given, &operation->cart.lines, sizeof given);
    operation->lines = usher_arena_alloc(arena, count * sizeof *operation->lines);
    operation->told = usher_arena_alloc(arena, count * sizeof(const struct usher_answer *));
    operation->order = usher_arena_alloc(arena, count * sizeof(struct line *));
    for (uint32_t i = 0; i < count; i++) {
        operation->order[i] = &operation->lines[i];
        operation->lines[i] = (struct line){
            .operation = operation,
            .given = &given[i],
            .partition = usher_client_partition_of(operation->seller->client, given[i].resource),
            .told = &operation->told[i],
        };
    }
    qsort(operation->order, count, sizeof(struct line *), by_place);
}

static void append(struct usher_seller *seller, struct operation *operation)
{
    if (seller->last)
        seller->last->next = operation;
    else
        seller->first = operation;
    seller->last = operation;
    descriptor_set(seller->descriptor);
}

/* `first` is what the cart has to be fit for; `begin` is what the next poll does. */
static enum usher_status start(struct usher_seller *seller, const struct usher_cart *cart,
                               enum usher_op first, void (*begin)(struct operation *operation),
                               struct usher_error *err)
{
    if (seller->over != USHER_OK) {
        usher_error_set(err, seller->err.exit_code, "%s", seller->err.text);
        return seller->over;
    }
    struct operation *operation = memory_calloc(1, sizeof *operation);
    enum usher_status status = cart_copy(cart, first, &operation->arena, &operation->cart, err);
    if (status == USHER_OK && is_taken(seller, cart->id)) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "could not use cart %s: another operation on it is not finished", cart->id);
        status = USHER_REJECT;
    }
    if (status != USHER_OK) {
        free_operation(operation);
        return status;
    }
    operation->seller = seller;
    operation->tries = 1;
    lay_out(operation);
    operation->then = begin;
    append(seller, operation);
    return USHER_OK;
}

enum usher_status usher_cart_take(struct usher_seller *seller, const struct usher_cart *cart,
                                  struct usher_error *err)
{
    return start(seller, cart, USHER_OP_HOLD, take, err);
}

enum usher_status usher_cart_extend(struct usher_seller *seller, const struct usher_cart *cart,
                                    struct usher_error *err)
{
    return start(seller, cart, USHER_OP_EXTEND, extend, err);
}

enum usher_status usher_cart_sell(struct usher_seller *seller, const struct usher_cart *cart,
                                  struct usher_error *err)
{
    return start(seller, cart, USHER_OP_CONFIRM, sell, err);
}

enum usher_status usher_cart_release(struct usher_seller *seller, const struct usher_cart *cart,
                                     struct usher_error *err)
{
    return start(seller, cart, USHER_OP_RELEASE, release, err);
}

enum usher_status usher_cart_settle(struct usher_seller *seller, const struct usher_cart *cart,
                                    struct usher_error *err)
{
    return start(seller, cart, USHER_OP_RELEASE, settle, err);
}

/* ---- the seller ---- */

enum usher_status usher_seller_open(const struct usher_seller_settings *settings,
                                    struct usher_seller **seller, struct usher_error *err)
{
    *seller = NULL;
    if (!settings->on_cart || !settings->transactional_id || !settings->transactional_id[0]) {
        usher_error_set(err, USHER_EXIT_CONFIG, "could not open a seller: it has no %s",
                        settings->on_cart ? "transactional id" : "on_cart");
        return USHER_FATAL;
    }
    struct usher_seller *opened = memory_calloc(1, sizeof *opened);
    opened->descriptor = -1;
    opened->context = settings->context;
    opened->on_cart = settings->on_cart;
    const struct usher_client_settings client = {
        .kafka = settings->kafka,
        .client_id = settings->client_id,
        .answer_timeout_ms = settings->answer_timeout_ms,
        .context = opened,
        .on_delivery = on_delivery,
        .on_reply = on_reply,
    };
    ssize_t drawn = getrandom(&opened->nonce, 6, 0);
    assert(drawn == 6);
    enum usher_status status = usher_client_open(&client, &opened->client, err);
    if (status == USHER_OK)
        status = cart_transaction_open(settings, &opened->transaction, err);
    if (status == USHER_OK)
        *seller = opened;
    else
        usher_seller_close(opened);
    return status;
}

/* Takes each operation one step further that can be. */
static void advance(struct usher_seller *seller)
{
    for (struct operation *operation = seller->first; operation && seller->over == USHER_OK;
         operation = operation->next)
        if (!operation->finished && operation->unanswered == 0 && operation->then)
            operation->then(operation);
}

static bool sells(const struct usher_seller *seller)
{
    const struct operation *operation = seller->first;
    while (operation && !operation->confirms)
        operation = operation->next;
    return operation;
}

/* Frees what is finished, but for what reports are still to come of. */
static void sweep(struct usher_seller *seller)
{
    struct operation **at = &seller->first;
    seller->last = NULL;
    while (*at) {
        struct operation *operation = *at;
        if (operation->finished && operation->unanswered == 0 && operation->undelivered == 0) {
            *at = operation->next;
            free_operation(operation);
        } else {
            seller->last = operation;
            at = &operation->next;
        }
    }
}

/* Whether an operation can go on without waiting. */
static bool is_due(const struct usher_seller *seller)
{
    for (const struct operation *operation = seller->first; operation; operation = operation->next)
        if (!operation->finished && operation->unanswered == 0)
            return true;
    return false;
}

static void poll_once(struct usher_seller *seller, int timeout_ms)
{
    struct usher_error err;
    advance(seller);
    if (seller->over == USHER_OK && sells(seller))
        sell_batch(seller);
    if (seller->over == USHER_OK) {
        const bool waits = seller->served == 0 && !is_due(seller);
        enum usher_status status = usher_client_poll(seller->client, waits ? timeout_ms : 0, &err);
        if (status != USHER_OK)
            give_up(seller, status, &err);
    }
    advance(seller);
    sweep(seller);
}

enum usher_status usher_seller_poll(struct usher_seller *seller, int timeout_ms,
                                    struct usher_error *err)
{
    const int64_t deadline = clock_ms() + timeout_ms;
    int64_t left = timeout_ms;
    seller->served = 0;
    do {
        if (seller->over == USHER_OK)
            poll_once(seller, (int)left);
        if (seller->over != USHER_OK) {
            usher_error_set(err, seller->err.exit_code, "%s", seller->err.text);
            return seller->over;
        }
        left = deadline - clock_ms();
    } while (seller->served == 0 && seller->first && left > 0);
    if (is_due(seller))
        descriptor_set(seller->descriptor);
    return USHER_OK;
}

int usher_seller_descriptor(struct usher_seller *seller)
{
    seller->descriptor = usher_client_descriptor(seller->client);
    return seller->descriptor;
}

enum usher_status usher_seller_flush(struct usher_seller *seller, int timeout_ms,
                                     struct usher_error *err)
{
    const int64_t deadline = clock_ms() + timeout_ms;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && seller->first) {
        int64_t left = deadline - clock_ms();
        if (left <= 0) {
            usher_error_set(err, USHER_EXIT_NO_ANSWER, "operations on carts are not finished");
            return USHER_RETRY;
        }
        status = usher_seller_poll(seller, (int)left, err);
    }
    return status;
}

void usher_seller_close(struct usher_seller *seller)
{
    if (!seller)
        return;
    cart_transaction_close(seller->transaction);
    usher_client_close(seller->client);
    while (seller->first) {
        struct operation *operation = seller->first;
        seller->first = operation->next;
        free_operation(operation);
    }
    free(seller);
}
