/*
 * Offers carts over several resources to usher, open-loop: each is taken at its scheduled time,
 * sold as soon as it is held, and timed from that schedule to the answer. Sells by usher/cart.h, as
 * a shop would. Prints the figures as JSON.
 *
 * A line of a cart is a unit of the section `stalls` of NAME:N; its lines are of different ones of
 * these sessions, beginning at a random one.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "histogram.h"
#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/options.h"
#include "producer/kafka/kafka_options.h"
#include "usher/cart.h"

/* ==== Options ==== */

static const struct option_spec specs[] = {
    {.name = "rate",
     .type = OPTION_INTEGER,
     .fallback = "1000",
     .min = 1,
     .max = 100000,
     .help = "carts per second, taken on schedule whatever is answered"},
    {.name = "count",
     .type = OPTION_INTEGER,
     .fallback = "25000",
     .min = 1,
     .max = 10000000,
     .help = "carts to measure"},
    {.name = "warmup",
     .type = OPTION_INTEGER,
     .fallback = "0",
     .min = 0,
     .max = 10000000,
     .help = "carts before these"},
    {.name = "lines",
     .type = OPTION_INTEGER,
     .fallback = "5",
     .min = 1,
     .max = USHER_CART_LINES_MAX,
     .help = "lines of a cart"},
    {.name = "sessions",
     .type = OPTION_INTEGER,
     .fallback = "100",
     .min = 1,
     .max = 1000000,
     .help = "resources, NAME:0 and so on; at least as many as lines"},
    {.name = "sellers",
     .type = OPTION_INTEGER,
     .fallback = "1",
     .min = 1,
     .max = 64,
     .help = "sellers, each in a thread with a transactional id of its own"},
    {.name = "name",
     .value_name = "NAME",
     .fallback = "bench",
     .help = "begins the names of resources and carts"},
};

static const struct option_group offer_options = {"Carts", specs, sizeof specs / sizeof *specs};
static const struct option_group *const groups[] = {&offer_options, &kafka_options,
                                                    &common_options};
static const struct option_table table = {groups, sizeof groups / sizeof *groups};

/* ==== A seller ==== */

enum {
    STATES = USHER_CART_MIXED + 1,
    TEXT_SIZE = 64,
    FLUSH_MS = 60000,
};

struct offer {
    struct usher_kafka_settings kafka;
    const char *name;
    int64_t rate, count, warmup, lines, sessions, sellers;
    int64_t start_ns;
};

/* One cart on its way. */
struct sale {
    struct stall *stall;
    int64_t due_ns, held_ns;
    bool is_measured;
};

/* A seller, and what it found. */
struct stall {
    const struct offer *offer;
    int64_t number; /* of the seller */
    struct usher_seller *seller;
    struct sale *sales;
    int64_t states[STATES];
    int64_t late_max_ns, last_ns;
    struct histogram hold, sell, whole;
    pthread_t thread;
    enum usher_status status;
    struct usher_error err;
};

static void sell(struct stall *stall, const struct usher_cart *held)
{
    struct usher_cart cart = *held;
    cart.payment = "pi_3Q";
    enum usher_status status = usher_cart_sell(stall->seller, &cart, &stall->err);
    if (status != USHER_OK)
        stall->status = status;
}

static void on_cart(void *context, const struct usher_cart_result *result)
{
    struct stall *stall = context;
    struct sale *sale = result->cart->tag;
    int64_t now = clock_ns();
    if (result->state == USHER_CART_HELD) {
        sale->held_ns = now;
        sell(stall, result->cart);
        return;
    }
    if (!sale->is_measured)
        return;
    stall->states[result->state]++;
    stall->last_ns = now;
    if (result->state != USHER_CART_SOLD)
        return;
    histogram_record(&stall->hold, sale->held_ns - sale->due_ns);
    histogram_record(&stall->sell, now - sale->held_ns);
    histogram_record(&stall->whole, now - sale->due_ns);
}

/* A number that is the same for the same cart: splitmix64. */
static uint64_t draw(uint64_t number)
{
    number = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return number ^ number >> 27;
}

static enum usher_status take(struct stall *stall, int64_t number, struct sale *sale)
{
    static const struct usher_item item = {.kind = USHER_SECTION, .pool = "stalls", .quantity = 1};
    const struct offer *offer = stall->offer;
    char id[TEXT_SIZE], resources[USHER_CART_LINES_MAX][TEXT_SIZE];
    struct usher_cart_line lines[USHER_CART_LINES_MAX] = {{0}};
    uint64_t first = draw((uint64_t)number);
    for (int64_t i = 0; i < offer->lines; i++) {
        snprintf(resources[i], TEXT_SIZE, "%.20s:%" PRIu64, offer->name,
                 (first + (uint64_t)i) % (uint64_t)offer->sessions);
        lines[i] =
            (struct usher_cart_line){.resource = resources[i], .items = &item, .item_count = 1};
    }
    snprintf(id, sizeof id, "%.20s-%" PRId64, offer->name, number);
    const struct usher_cart cart = {.id = id,
                                    .customer = id,
                                    .lines = lines,
                                    .line_count = (uint32_t)offer->lines,
                                    .tag = sale};
    return usher_cart_take(stall->seller, &cart, &stall->err);
}

/* Goes on with what is under way until then; where it is late, all that is due is taken first. */
static enum usher_status serve_until(struct stall *stall, int64_t due_ns)
{
    enum usher_status status = stall->status;
    int64_t left_ns;
    while (status == USHER_OK && (left_ns = due_ns - clock_ns()) > 0) {
        status = usher_seller_poll(stall->seller, (int)(left_ns / 1000000), &stall->err);
        if (status == USHER_OK && left_ns < 1000000) {
            struct timespec at = {.tv_sec = due_ns / 1000000000, .tv_nsec = due_ns % 1000000000};
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        }
    }
    return status;
}

static void *run(void *context)
{
    struct stall *stall = context;
    const struct offer *offer = stall->offer;
    int64_t all = offer->warmup + offer->count;
    for (int64_t number = stall->number; stall->status == USHER_OK && number < all;
         number += offer->sellers) {
        struct sale *sale = &stall->sales[number / offer->sellers];
        sale->due_ns = offer->start_ns + number / offer->rate * 1000000000 +
                       number % offer->rate * 1000000000 / offer->rate;
        sale->is_measured = number >= offer->warmup;
        stall->status = serve_until(stall, sale->due_ns);
        int64_t late_ns = clock_ns() - sale->due_ns;
        if (sale->is_measured && late_ns > stall->late_max_ns)
            stall->late_max_ns = late_ns;
        if (stall->status == USHER_OK)
            stall->status = take(stall, number, sale);
    }
    if (stall->status == USHER_OK)
        stall->status = usher_seller_flush(stall->seller, FLUSH_MS, &stall->err);
    return NULL;
}

static enum usher_status open_stall(struct stall *stall, const struct offer *offer, int64_t number)
{
    char id[TEXT_SIZE];
    snprintf(id, sizeof id, "%.20s-seller-%" PRId64, offer->name, number);
    const struct usher_seller_settings settings = {
        .kafka = offer->kafka, .transactional_id = id, .context = stall, .on_cart = on_cart};
    stall->offer = offer;
    stall->number = number;
    stall->sales = memory_calloc((size_t)((offer->warmup + offer->count) / offer->sellers + 1),
                                 sizeof *stall->sales);
    return usher_seller_open(&settings, &stall->seller, &stall->err);
}

/* ==== All of them ==== */

static void add(struct histogram *to, const struct histogram *from)
{
    to->count += from->count;
    to->sum += from->sum;
    to->max = to->max > from->max ? to->max : from->max;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        to->buckets[i] += from->buckets[i];
}

static int64_t cpu_us(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* Sums up in the first of them. */
static void print(const struct offer *offer, struct stall *stalls)
{
    struct stall *sum = &stalls[0];
    for (int64_t i = 1; i < offer->sellers; i++) {
        add(&sum->hold, &stalls[i].hold);
        add(&sum->sell, &stalls[i].sell);
        add(&sum->whole, &stalls[i].whole);
        for (int state = 0; state < STATES; state++)
            sum->states[state] += stalls[i].states[state];
        if (stalls[i].late_max_ns > sum->late_max_ns)
            sum->late_max_ns = stalls[i].late_max_ns;
        if (stalls[i].last_ns > sum->last_ns)
            sum->last_ns = stalls[i].last_ns;
    }
    int64_t first_ns = offer->start_ns + offer->warmup * 1000000000 / offer->rate;
    double seconds = (double)(sum->last_ns - first_ns) / 1e9;
    printf("{\"seconds\":%.6f,\"carts_per_s\":%.1f,\"states\":{", seconds,
           (double)sum->whole.count / seconds);
    const char *comma = "";
    for (int state = 0; state < STATES; state++) {
        if (sum->states[state] == 0)
            continue;
        printf("%s\"%s\":%" PRId64, comma, usher_cart_state_name((enum usher_cart_state)state),
               sum->states[state]);
        comma = ",";
    }
    printf("}");
    histogram_print_ms(&sum->hold, "hold_ms");
    histogram_print_ms(&sum->sell, "sell_ms");
    histogram_print_ms(&sum->whole, "together_ms");
    printf(",\"late_max_ms\":%.3f,\"cpu_us_per_cart\":%.3f}\n", (double)sum->late_max_ns / 1e6,
           (double)cpu_us() / (double)(offer->warmup + offer->count));
}

static enum usher_status offer_all(struct offer *offer, struct stall *stalls,
                                   struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (int64_t i = 0; status == USHER_OK && i < offer->sellers; i++) {
        status = open_stall(&stalls[i], offer, i);
        *err = stalls[i].err;
    }
    if (status != USHER_OK)
        return status;
    offer->start_ns = clock_ns();
    for (int64_t i = 0; i < offer->sellers; i++)
        if (pthread_create(&stalls[i].thread, NULL, run, &stalls[i]) != 0)
            abort();
    for (int64_t i = 0; i < offer->sellers; i++) {
        pthread_join(stalls[i].thread, NULL);
        if (status == USHER_OK && stalls[i].status != USHER_OK) {
            status = stalls[i].status;
            *err = stalls[i].err;
        }
    }
    return status;
}

static enum usher_status read_offer(struct options *options, struct offer *offer,
                                    struct usher_error *err)
{
    *offer = (struct offer){
        .name = options_text(options, "name"),
        .rate = options_integer(options, "rate"),
        .count = options_integer(options, "count"),
        .warmup = options_integer(options, "warmup"),
        .lines = options_integer(options, "lines"),
        .sessions = options_integer(options, "sessions"),
        .sellers = options_integer(options, "sellers"),
    };
    if (offer->lines > offer->sessions) {
        usher_error_set(err, USHER_EXIT_USAGE, "--sessions must be at least --lines");
        return USHER_FATAL;
    }
    return kafka_settings_read(options, &offer->kafka, err);
}

static enum usher_exit measure(struct options *options, struct usher_error *err)
{
    struct offer offer;
    if (read_offer(options, &offer, err) != USHER_OK)
        return err->exit_code;
    struct stall *stalls = memory_calloc((size_t)offer.sellers, sizeof *stalls);
    enum usher_status status = offer_all(&offer, stalls, err);
    if (status == USHER_OK)
        print(&offer, stalls);
    for (int64_t i = 0; i < offer.sellers; i++) {
        usher_seller_close(stalls[i].seller);
        free(stalls[i].sales);
    }
    free(stalls);
    return status == USHER_OK ? USHER_EXIT_DONE : err->exit_code;
}

int main(int argc, char **argv)
{
    struct options options;
    struct usher_error err = {.text = ""};
    enum usher_exit exit_code = USHER_EXIT_DONE;
    if (options_load(&options, &table, argc, argv, &err) != USHER_OK) {
        exit_code = err.exit_code;
    } else if (options.mode != OPTIONS_RUN) {
        printf("usage: offer_carts [FLAGS]\n\nTakes and sells carts, and times their answers.\n");
        options_print_help(&table, stdout);
    } else {
        options_apply_log(&options);
        exit_code = measure(&options, &err);
    }
    if (exit_code != USHER_EXIT_DONE)
        fprintf(stderr, "offer_carts: %s\n", err.text);
    options_deinit(&options);
    return (int)exit_code;
}
