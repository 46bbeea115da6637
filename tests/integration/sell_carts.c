/*
 * A seller that does as it is told, and breaks where it is told: sell_carts BROKERS PREFIX ID
 *
 * Lines of its standard input, words separated by spaces:
 *     take CART CUSTOMER TTL RESOURCE/SECTION/QUANTITY…
 *     extend CART CUSTOMER TTL RESOURCE/BOOKING/EXPIRES_MS…
 *     sell CART CUSTOMER PAYMENT RESOURCE/BOOKING/EXPIRES_MS…     (release, settle likewise)
 *     go                    until nothing is left to do
 * Each result is a line of JSON; the last one has how often it called what is wrapped here, and
 * that.
 *
 * BREAK=kill:7 kills it before the 7th of these calls, BREAK=stop:commit:1 stops it before the
 * first of that name, BREAK=sleep:commit:1,stop:commit:2 lets it sleep for 1.5 s, and stops it
 * later. Ends with 5 where the seller is fenced.
 */
#include <dlfcn.h>
#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usher/cart.h"

enum {
    FENCED_EXIT = 5,
    FLUSH_MS = 90000,
    NAMES = 7
};

/* ==== Breaking ==== */

/* How often each was called, and the sum. */
static struct {
    const char *name;
    int count;
} called[NAMES];
static int calls;

/* Whether one word of BREAK means this call, the n-th of all and of its name. */
static int is_meant(const char *text, const char *name, int of_name, char action[16])
{
    char wanted[16] = "";
    int number;
    if (sscanf(text, "%15[a-z]:%d", action, &number) == 2)
        return number == calls;
    return sscanf(text, "%15[a-z]:%15[a-z]:%d", action, wanted, &number) == 3 &&
           strcmp(wanted, name) == 0 && number == of_name;
}

static void pass(const char *name)
{
    char action[16];
    int i = 0;
    while (called[i].name && strcmp(called[i].name, name) != 0)
        i++;
    called[i].name = name;
    called[i].count++;
    calls++;
    for (const char *text = getenv("BREAK"); text; text = strchr(text, ',')) {
        text += *text == ',';
        if (!is_meant(text, name, called[i].count, action))
            continue;
        if (strcmp(action, "sleep") == 0)
            usleep(1500000);
        else
            raise(strcmp(action, "kill") == 0 ? SIGKILL : SIGSTOP);
    }
}

/* The library calls these instead of librdkafka's. */
#define WRAP(type, function, name, parameters, arguments) \
    type function parameters                              \
    {                                                     \
        __typeof__(&(function)) real;                     \
        *(void **)&real = dlsym(RTLD_NEXT, #function);    \
        pass(name);                                       \
        return real arguments;                            \
    }

WRAP(rd_kafka_error_t *, rd_kafka_init_transactions, "init", (rd_kafka_t * rk, int timeout_ms),
     (rk, timeout_ms))
WRAP(rd_kafka_error_t *, rd_kafka_begin_transaction, "begin", (rd_kafka_t * rk), (rk))
WRAP(rd_kafka_error_t *, rd_kafka_commit_transaction, "commit", (rd_kafka_t * rk, int timeout_ms),
     (rk, timeout_ms))
WRAP(rd_kafka_error_t *, rd_kafka_abort_transaction, "abort", (rd_kafka_t * rk, int timeout_ms),
     (rk, timeout_ms))
/* NOLINTNEXTLINE(readability-function-size): librdkafka's signature */
WRAP(int, rd_kafka_produce, "produce",
     (rd_kafka_topic_t * topic, int32_t partition, int flags, void *payload, size_t size,
      const void *key, size_t key_size, void *opaque),
     (topic, partition, flags, payload, size, key, key_size, opaque))

/* ==== Selling ==== */

static void on_cart(void *context, const struct usher_cart_result *result)
{
    struct usher_buffer out = {0};
    (void)context;
    pass("result");
    usher_buffer_text(&out, "{\"cart\":");
    usher_buffer_json_string(&out, result->cart->id);
    usher_buffer_text(&out, ",\"state\":");
    usher_buffer_json_string(&out, usher_cart_state_name(result->state));
    usher_buffer_text(&out, ",\"error\":");
    usher_buffer_json_string(&out, result->err ? result->err->text : NULL);
    usher_buffer_text(&out, ",\"lines\":[");
    for (uint32_t i = 0; i < result->cart->line_count; i++) {
        const struct usher_cart_line *line = &result->cart->lines[i];
        const struct usher_answer *answer = result->answers[i];
        usher_buffer_text(&out, i > 0 ? ",{\"resource\":" : "{\"resource\":");
        usher_buffer_json_string(&out, line->resource);
        usher_buffer_text(&out, ",\"booking\":");
        usher_buffer_json_string(&out, line->booking);
        usher_buffer_text(&out, ",\"expires_ms\":");
        usher_buffer_number(&out, line->expires_ms);
        usher_buffer_text(&out, ",\"outcome\":");
        usher_buffer_json_string(&out, answer ? usher_outcome_name(answer->outcome) : NULL);
        usher_buffer_text(&out, ",\"reason\":");
        usher_buffer_json_string(&out, answer ? usher_reason_name(answer->reason) : NULL);
        usher_buffer_text(&out, "}");
    }
    usher_buffer_text(&out, "]}");
    printf("%.*s\n", (int)out.size, out.at);
    fflush(stdout);
    usher_buffer_deinit(&out);
}

static const char *word(char **rest)
{
    const char *found = strtok_r(NULL, " \n", rest);
    return found ? found : "";
}

/* Reads RESOURCE/SECTION/QUANTITY, or RESOURCE/BOOKING/EXPIRES_MS. */
static void read_line(char *text, int takes, struct usher_cart_line *line, struct usher_item *item)
{
    char *rest;
    line->resource = strtok_r(text, "/", &rest);
    const char *name = strtok_r(NULL, "/", &rest);
    const char *number = strtok_r(NULL, "/", &rest);
    if (takes) {
        *item = (struct usher_item){
            .kind = USHER_SECTION, .pool = name, .quantity = (uint32_t)strtoul(number, NULL, 10)};
        line->items = item;
        line->item_count = 1;
    } else {
        line->booking = name;
        line->expires_ms = strtoll(number, NULL, 10);
    }
}

typedef enum usher_status (*operation)(struct usher_seller *, const struct usher_cart *,
                                       struct usher_error *);

static operation operation_named(const char *name)
{
    return strcmp(name, "take") == 0      ? usher_cart_take
           : strcmp(name, "extend") == 0  ? usher_cart_extend
           : strcmp(name, "sell") == 0    ? usher_cart_sell
           : strcmp(name, "release") == 0 ? usher_cart_release
                                          : usher_cart_settle;
}

static enum usher_status obey(struct usher_seller *seller, char *text, struct usher_error *err)
{
    static struct usher_cart_line lines[USHER_CART_LINES_MAX];
    static struct usher_item items[USHER_CART_LINES_MAX];
    struct usher_cart cart = {.lines = lines};
    char *rest;
    const char *name = strtok_r(text, " \n", &rest);
    if (!name || strcmp(name, "go") == 0)
        return usher_seller_flush(seller, FLUSH_MS, err);
    cart.id = word(&rest);
    cart.customer = word(&rest);
    const int takes = strcmp(name, "take") == 0;
    if (takes || strcmp(name, "extend") == 0)
        cart.ttl_s = strtoll(word(&rest), NULL, 10);
    else
        cart.payment = word(&rest);
    for (char *one = strtok_r(NULL, " \n", &rest); one; one = strtok_r(NULL, " \n", &rest)) {
        lines[cart.line_count] = (struct usher_cart_line){0};
        read_line(one, takes, &lines[cart.line_count], &items[cart.line_count]);
        cart.line_count++;
    }
    return operation_named(name)(seller, &cart, err);
}

int main(int argc, char **argv)
{
    char text[65536];
    struct usher_error err = {.text = ""};
    struct usher_seller *seller = NULL;
    if (argc != 4)
        return USHER_EXIT_USAGE;
    const struct usher_seller_settings settings = {
        .kafka = {.brokers = argv[1], .topic_prefix = argv[2]},
        .transactional_id = argv[3],
        .on_cart = on_cart,
    };
    enum usher_status status = usher_seller_open(&settings, &seller, &err);
    while (status == USHER_OK && fgets(text, sizeof text, stdin))
        status = obey(seller, text, &err);
    printf("{\"calls\":%d", calls);
    for (int i = 0; i < NAMES && called[i].name; i++)
        printf(",\"%s\":%d", called[i].name, called[i].count);
    printf("}\n");
    usher_seller_close(seller);
    if (status != USHER_OK)
        fprintf(stderr, "sell_carts: %s\n", err.text);
    return status == USHER_OK ? 0 : status == USHER_FENCED ? FENCED_EXIT : (int)err.exit_code;
}
