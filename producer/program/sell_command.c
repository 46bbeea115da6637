/* See sell_command.h: what a command does with a cart is a row of `plans`. */
#include "producer/program/sell_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/digest.h"
#include "producer/codec/request_fields.h"
#include "producer/kafka/kafka_options.h"
#include "producer/program/answer_text.h"
#include "producer/program/request_build.h"
#include "usher/cart.h"

enum {
    BOOK_TTL_S = 60,     /* of the holds between which and the sale nobody pays */
    PATIENCE_MS = 30000, /* for Kafka, beside the answers */
    STEPS_MAX = 6,       /* of a command, with an answer for each that may be asked three times */
    ID_SIZE = 48
};

typedef enum usher_status (*cart_operation)(struct usher_seller *, const struct usher_cart *,
                                            struct usher_error *);

/* What a command asks for first, what then of a cart that is held, and where it is to end. */
struct plan {
    cart_operation first, of_held;
    enum usher_cart_state goal;
};

static const struct plan plans[USHER_OP_COUNT] = {
    [USHER_OP_HOLD] = {usher_cart_take, NULL, USHER_CART_HELD},
    [USHER_OP_BOOK] = {usher_cart_take, usher_cart_sell, USHER_CART_SOLD},
    /* Until when a hold lasts is not known here: a second longer, and it is. */
    [USHER_OP_CONFIRM] = {usher_cart_extend, usher_cart_sell, USHER_CART_SOLD},
    [USHER_OP_EXTEND] = {usher_cart_extend, NULL, USHER_CART_HELD},
    /* The seller was just opened: no earlier confirm can follow. */
    [USHER_OP_RELEASE] = {usher_cart_release, NULL, USHER_CART_GONE},
};

struct sale {
    struct options *options;
    const struct plan *plan;
    const char *payment;
    struct usher_seller *seller;
    bool confirms; /* the second step has begun */
    bool was_sold; /* before it */
    enum usher_exit exit_code;
    struct usher_error err;
};

/* ==== The result ==== */

static void print_json(const struct usher_cart_result *result)
{
    struct usher_buffer out = {0};
    usher_buffer_text(&out, "{\"cart\":");
    usher_buffer_json_string(&out, result->cart->id);
    usher_buffer_text(&out, ",\"state\":");
    usher_buffer_json_string(&out, usher_cart_state_name(result->state));
    usher_buffer_text(&out, ",\"lines\":[");
    for (uint32_t i = 0; i < result->cart->line_count; i++) {
        const struct usher_cart_line *line = &result->cart->lines[i];
        const struct usher_answer *answer = result->answers[i];
        char expires[USHER_INSTANT_SIZE];
        usher_buffer_text(&out, i > 0 ? ",{\"resource\":" : "{\"resource\":");
        usher_buffer_json_string(&out, line->resource);
        usher_buffer_text(&out, ",\"booking\":");
        usher_buffer_json_string(&out, line->booking);
        if (result->state == USHER_CART_HELD) {
            usher_instant_format(line->expires_ms, expires);
            usher_buffer_text(&out, ",\"expires_at\":");
            usher_buffer_json_string(&out, expires);
        }
        usher_buffer_text(&out, ",\"outcome\":");
        usher_buffer_json_string(&out, answer ? usher_outcome_name(answer->outcome) : NULL);
        if (answer && answer->reason != USHER_REASON_NONE) {
            usher_buffer_text(&out, ",\"reason\":");
            usher_buffer_json_string(&out, usher_reason_name(answer->reason));
        }
        usher_buffer_text(&out, "}");
    }
    usher_buffer_text(&out, "]}");
    printf("%.*s\n", (int)out.size, out.at);
    usher_buffer_deinit(&out);
}

/* What was held of it was given back. */
static bool could_not_take(const struct sale *sale, const struct usher_cart_result *result)
{
    return result->state == USHER_CART_REFUSED && sale->plan->first == usher_cart_take;
}

static void print_for_people(const struct sale *sale, const struct usher_cart_result *result)
{
    const struct terminal terminal = terminal_of(stdout, sale->options);
    printf("%s: %s\n", result->cart->id, usher_cart_state_name(result->state));
    for (uint32_t i = 0; i < result->cart->line_count; i++) {
        const struct usher_answer *answer = result->answers[i];
        if (answer && (!could_not_take(sale, result) || answer->reason != USHER_REASON_NONE))
            answer_print(answer, &terminal);
    }
}

/* The lines that are not as they were to be, as "show:a (not_enough), hotel:b (unit_taken)". */
static const char *name_failing(struct usher_arena *arena, const struct usher_cart_result *result)
{
    const char *names = "";
    for (uint32_t i = 0; i < result->cart->line_count; i++) {
        const struct usher_answer *answer = result->answers[i];
        const char *reason = answer ? usher_reason_name(answer->reason) : "no answer";
        if (reason)
            names = usher_arena_format(arena, "%s%s%s (%s)", names, *names == '\0' ? "" : ", ",
                                       result->cart->lines[i].resource, reason);
    }
    return names;
}

/* A confirm of this cart had another content before. */
static bool has_other_payment(const struct usher_cart_result *result)
{
    for (uint32_t i = 0; i < result->cart->line_count; i++)
        if (result->answers[i] && result->answers[i]->reason == USHER_ID_REUSED)
            return true;
    return false;
}

static void end_sale(struct sale *sale, const struct usher_cart_result *found)
{
    const bool is_other = sale->was_sold && has_other_payment(found);
    struct usher_cart_result told = *found;
    const struct usher_cart_result *result = &told;
    if (is_other)
        told.state = USHER_CART_SOLD;
    sale->exit_code =
        result->state == sale->plan->goal && !is_other ? USHER_EXIT_DONE : USHER_EXIT_REFUSED;
    if (options_bool(sale->options, "json"))
        print_json(result);
    else
        print_for_people(sale, result);
    if (is_other) {
        usher_error_set(&sale->err, USHER_EXIT_REFUSED,
                        "cart %s was sold before, with another payment, and keeps it: give this "
                        "one back; usher-producer probe shows the other",
                        result->cart->id);
    } else if (result->state == USHER_CART_UNKNOWN) {
        sale->exit_code = USHER_EXIT_NO_ANSWER;
        usher_error_set(
            &sale->err, USHER_EXIT_NO_ANSWER,
            "%s; the outcome of cart %s is not known: run the same command again to find out",
            result->err->text, result->cart->id);
    } else if (result->state == USHER_CART_ABORTED) {
        usher_error_set(&sale->err, USHER_EXIT_REFUSED, "%s; %s", result->err->text,
                        sale->was_sold ? "it was sold before" : "nothing was sold");
    } else if (sale->exit_code != USHER_EXIT_DONE) {
        usher_error_set(
            &sale->err, USHER_EXIT_REFUSED, "cart %s is %s: %s%s", result->cart->id,
            usher_cart_state_name(result->state), name_failing(&sale->options->arena, result),
            could_not_take(sale, result) ? "; none of it is held, another try needs another --cart"
                                         : "");
    }
}

/*
 * The second step. What was sold before is confirmed again: nothing of it is held, so nothing more
 * is sold, and the repeat tells whether the payment is the one that was recorded.
 */
static void go_on(struct sale *sale, const struct usher_cart_result *result)
{
    const uint32_t count = result->cart->line_count;
    struct usher_cart cart = *result->cart;
    struct usher_cart_line *lines = usher_arena_alloc(&sale->options->arena, count * sizeof *lines);
    sale->confirms = true;
    sale->was_sold = result->state == USHER_CART_SOLD;
    for (uint32_t i = 0; i < count; i++) {
        lines[i] = cart.lines[i];
        if (sale->was_sold)
            lines[i].expires_ms = INT64_MAX;
    }
    cart.lines = lines;
    cart.payment = sale->payment;
    if (sale->plan->of_held(sale->seller, &cart, &sale->err) != USHER_OK)
        sale->exit_code = sale->err.exit_code;
}

static void on_cart(void *context, const struct usher_cart_result *result)
{
    struct sale *sale = context;
    const bool may_go_on = sale->plan->of_held && !sale->confirms;
    if (may_go_on && (result->state == USHER_CART_HELD || result->state == USHER_CART_SOLD))
        go_on(sale, result);
    else
        end_sale(sale, result);
}

/* ==== The cart ==== */

static bool begins_line(const struct option_given *given)
{
    return strcmp(given->spec->name, "line") == 0;
}

/* A line of a cart that has bookings. */
static enum usher_status read_booking(struct options *options, const char *text,
                                      struct usher_cart_line *line, struct usher_error *err)
{
    const char *slash = strchr(text, '/');
    if (!slash) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use --line %s: RESOURCE/BOOKING is needed", text);
        return USHER_FATAL;
    }
    line->resource = usher_arena_text(&options->arena, text, (size_t)(slash - text));
    line->booking = slash + 1;
    return USHER_OK;
}

/* Each --line begins one, which goes on to the next. */
static enum usher_status read_lines(struct options *options, enum usher_op op,
                                    struct usher_cart *cart, struct usher_error *err)
{
    const struct option_given *given = options->given;
    struct usher_cart_line *lines =
        usher_arena_alloc(&options->arena, (options->given_count + 1) * sizeof *lines);
    enum usher_status status = USHER_OK;
    cart->lines = lines;
    for (size_t i = 0, end = 0; i < options->given_count && status == USHER_OK; i = end) {
        for (end = i + 1; end < options->given_count && !begins_line(&given[end]);)
            end++;
        if (!begins_line(&given[i]))
            continue;
        struct usher_cart_line *line = &lines[cart->line_count++];
        line->resource = given[i].text;
        status = op == USHER_OP_HOLD || op == USHER_OP_BOOK
                     ? request_items(options, i + 1, end, &line->items, &line->item_count, err)
                     : read_booking(options, given[i].text, line, err);
    }
    return status;
}

/* Whether a request may have it, and a cart has not. */
static bool is_of_requests(const char *option, enum usher_op op)
{
    static const char *const of_carts[] = {"customer", "cart", "ttl", "payment"};
    for (size_t i = 0; i < sizeof of_carts / sizeof of_carts[0]; i++)
        if (strcmp(of_carts[i], option) == 0)
            return false;
    for (size_t i = 0; i < request_table.count; i++)
        if (message_field_help(&request_table.fields[i], op) &&
            strcmp(request_table.fields[i].option->flag, option) == 0)
            return true;
    return strcmp(option, "no-wait") == 0 || strcmp(option, "dry-run") == 0;
}

static enum usher_status check_options(const struct options *options, enum usher_op op,
                                       struct usher_error *err)
{
    const char *wrong = NULL;
    for (size_t i = 0; i < options->given_count && !wrong; i++)
        if (is_of_requests(options->given[i].spec->name, op))
            wrong = options->given[i].spec->name;
    if (options->argument_count == 0 && !wrong)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "could not use %s%s with --line", wrong ? "--" : "",
                    wrong ? wrong : options->arguments[0]);
    return USHER_FATAL;
}

static enum usher_status read_cart(struct options *options, enum usher_op op,
                                   struct usher_cart *cart, struct usher_error *err)
{
    enum usher_status status = request_check_text(options, err);
    if (status == USHER_OK)
        status = check_options(options, op, err);
    if (status != USHER_OK)
        return status;
    *cart = (struct usher_cart){
        .id = options_text_if_any(options, "cart"),
        .customer = options_text_if_any(options, "customer"),
    };
    const char *missing = !cart->id                                               ? "cart"
                          : !cart->customer                                       ? "customer"
                          : op == USHER_OP_EXTEND && !options_has(options, "ttl") ? "ttl"
                                                                                  : NULL;
    if (missing) {
        usher_error_set(err, USHER_EXIT_USAGE, "--%s is required with --line", missing);
        return USHER_FATAL;
    }
    if (op == USHER_OP_HOLD || op == USHER_OP_EXTEND)
        cart->ttl_s = options_integer(options, "ttl");
    else if (op == USHER_OP_BOOK)
        cart->ttl_s = BOOK_TTL_S;
    else if (op == USHER_OP_CONFIRM)
        cart->ttl_s = 1;
    return read_lines(options, op, cart, err);
}

/* ==== The sale ==== */

/*
 * Of the customer's cart, and of every command about it: the next one ends what a killed one left
 * open, and fences one that stands still. The broker keeps it: so it does not name the customer.
 */
static void name_transaction(const struct usher_cart *cart, char id[ID_SIZE])
{
    unsigned char digest[DIGEST_SIZE];
    const struct digest_part parts[] = {
        {cart->customer, strlen(cart->customer) + 1},
        {cart->id, strlen(cart->id)},
    };
    digest_sha256(parts, 2, digest);
    int size = snprintf(id, ID_SIZE, "carts-");
    for (size_t i = 0; i < DIGEST_SIZE / 2; i++)
        size += snprintf(id + size, (size_t)(ID_SIZE - size), "%02x", digest[i]);
}

static enum usher_status sell(struct sale *sale, const struct usher_cart *cart,
                              struct usher_error *err)
{
    char transaction[ID_SIZE];
    const int64_t wait_ms = options_integer(sale->options, "wait");
    struct usher_seller_settings settings = {
        .client_id = "usher-producer",
        .transactional_id = transaction,
        .answer_timeout_ms = wait_ms,
        .context = sale,
        .on_cart = on_cart,
    };
    name_transaction(cart, transaction);
    enum usher_status status = kafka_settings_read(sale->options, &settings.kafka, err);
    if (status == USHER_OK)
        status = usher_seller_open(&settings, &sale->seller, err);
    if (status == USHER_OK)
        status = sale->plan->first(sale->seller, cart, err);
    const int64_t patience_ms = PATIENCE_MS + 3 * STEPS_MAX * wait_ms;
    if (status == USHER_OK)
        status = usher_seller_flush(sale->seller,
                                    (int)(patience_ms < INT32_MAX ? patience_ms : INT32_MAX), err);
    usher_seller_close(sale->seller);
    return status;
}

enum usher_exit sell_command(const struct program_command *command, struct options *options,
                             struct usher_error *err)
{
    const enum usher_op op = usher_op_named(command->name);
    struct usher_cart cart = {0};
    struct sale sale = {
        .options = options,
        .plan = &plans[op],
        .payment = options_text_if_any(options, "payment"),
    };
    if (read_cart(options, op, &cart, err) != USHER_OK || sell(&sale, &cart, err) != USHER_OK)
        return err->exit_code;
    *err = sale.err;
    return sale.exit_code;
}
