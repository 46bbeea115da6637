/*
 * Sells a cart over several resources, all or nothing: sell_cart BROKERS CART SECTION RESOURCE…
 *
 * Started again after it was killed, with the same cart, it goes on: what was held is held once,
 * what was sold is found sold. Ends with 3 where the cart was not sold.
 */
#include <stdio.h>
#include <stdlib.h>

#include <usher/cart.h>

/* What became of the sale, and what the next step is. */
struct checkout {
    struct usher_seller *seller;
    enum usher_cart_state state;
    bool paid;
};

/* Your business: true once the money is there. Note cart, bookings and transactional id with it. */
static bool pay(const struct usher_cart_result *held)
{
    for (uint32_t i = 0; i < held->cart->line_count; i++)
        printf("paying for %s\n", held->cart->lines[i].resource);
    return true;
}

static void on_cart(void *context, const struct usher_cart_result *result)
{
    struct checkout *checkout = context;
    struct usher_cart cart = *result->cart;
    struct usher_error err = {.text = ""};
    enum usher_status status = USHER_OK;
    checkout->state = result->state;
    printf("%s: %s\n", cart.id, usher_cart_state_name(result->state));
    if (result->state == USHER_CART_HELD) {
        checkout->paid = checkout->paid || pay(result);
        cart.payment = "payment-1";
        status = checkout->paid ? usher_cart_sell(checkout->seller, &cart, &err)
                                : usher_cart_release(checkout->seller, &cart, &err);
    } else if (result->state == USHER_CART_ABORTED) {
        /* Paid, but too late: once more, with all the time there is. */
        status = usher_cart_extend(checkout->seller, &cart, &err);
    } else if (result->state == USHER_CART_UNKNOWN) {
        status = usher_cart_settle(checkout->seller, &cart, &err);
    }
    if (status != USHER_OK)
        fprintf(stderr, "sell_cart: %s\n", err.text);
}

int main(int argc, char **argv)
{
    struct usher_error err = {.text = ""};
    struct checkout checkout = {0};
    struct usher_cart_line lines[USHER_CART_LINES_MAX];
    const int line_count = argc - 4;
    if (line_count < 1 || line_count > USHER_CART_LINES_MAX) {
        fprintf(stderr, "usage: sell_cart BROKERS CART SECTION RESOURCE...\n");
        return USHER_EXIT_USAGE;
    }
    const struct usher_item item = {.kind = USHER_SECTION, .pool = argv[3], .quantity = 1};
    for (int i = 0; i < line_count; i++)
        lines[i] =
            (struct usher_cart_line){.resource = argv[4 + i], .items = &item, .item_count = 1};
    const struct usher_cart cart = {
        .id = argv[2],
        .customer = "c1",
        .ttl_s = 600,
        .lines = lines,
        .line_count = (uint32_t)line_count,
    };
    const struct usher_seller_settings settings = {
        .kafka = {.brokers = argv[1], .topic_prefix = getenv("USHER_TOPIC_PREFIX")},
        .client_id = "example",
        /* The same after a restart, and of no other process. */
        .transactional_id = "carts-example-0",
        .context = &checkout,
        .on_cart = on_cart,
    };
    enum usher_status status = usher_seller_open(&settings, &checkout.seller, &err);
    if (status == USHER_OK)
        status = usher_cart_take(checkout.seller, &cart, &err);
    if (status == USHER_OK)
        status = usher_seller_flush(checkout.seller, 60000, &err);
    usher_seller_close(checkout.seller);
    if (status == USHER_OK)
        return checkout.state == USHER_CART_SOLD ? 0 : USHER_EXIT_REFUSED;
    fprintf(stderr, "sell_cart: %s\n", err.text);
    return (int)err.exit_code;
}
