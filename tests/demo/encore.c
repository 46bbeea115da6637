/* Nine answers: eight from the desk, and an unrequested one from a watch. */
#include "encore.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock_us.h"
#include "hall.h"
#include "usher/client.h"

enum {
    UNASKED_TIMEOUT_US = 15000000,
    WAIT_S = 600, /* for how long they would wait */
};

static const char family[] = "okafor";
static const char latecomers[] = "lena-and-max";
static const char quartet[] = "quartet";
static const char stranger[] = "iris";
static const char section[] = "stalls";

/* ---- answers ---- */

static void keep_seats(char text[ENCORE_SEATS_SIZE], const struct usher_units *units,
                       uint32_t count)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t seat = 0;
             units[i].seats != NULL && seat < units[i].quantity && used < ENCORE_SEATS_SIZE; seat++)
            used += (size_t)snprintf(text + used, ENCORE_SEATS_SIZE - used, "%s%s",
                                     used == 0 ? "" : ", ", units[i].seats[seat]);
}

static void keep(struct errand *errand, const struct usher_answer *answer)
{
    struct encore_answer *kept = (struct encore_answer *)errand;
    if (answer == NULL)
        return; /* the desk says so */
    kept->outcome = answer->outcome;
    kept->reason = answer->reason;
    kept->unrequested = answer->cause != NULL && strcmp(answer->cause, "waiting_list") == 0;
    kept->seq = answer->seq;
    kept->total = answer->total;
    kept->difference = answer->difference;
    kept->position = answer->position;
    kept->waiting = answer->waiting;
    kept->free = answer->free;
    keep_seats(kept->seats, answer->units, answer->units_count);
    keep_seats(kept->returned, answer->returned, answer->returned_count);
    kept->us = clock_us();
}

/* Notes what was answered where that is not what it must be. */
static void expect(struct encore *encore, bool good, const char *what,
                   const struct encore_answer *answer)
{
    const char *outcome = usher_outcome_name(answer->outcome);
    const char *reason = usher_reason_name(answer->reason);
    if (good)
        return;
    if (encore->unexpected++ == 0)
        snprintf(encore->first_unexpected, sizeof encore->first_unexpected,
                 "%s: %s %s, seats \"%s\"", what, outcome == NULL ? "no answer" : outcome,
                 reason == NULL ? "" : reason, answer->seats);
}

/* ---- asking ---- */

static struct usher_item seats_together(uint32_t quantity)
{
    return (struct usher_item){
        .kind = USHER_SECTION, .pool = section, .quantity = quantity, .together = true};
}

static struct usher_request request_of(enum usher_op op, const char *request_id,
                                       const char *customer)
{
    struct usher_request request = desk_request(op, hall_resource);
    request.request_id = request_id;
    request.customer = customer;
    return request;
}

static enum usher_status ask(const struct encore_settings *settings,
                             const struct usher_request *request, struct encore_answer *answer,
                             struct usher_error *err)
{
    answer->errand = (struct errand){.done = keep, .account = settings->account};
    return desk_ask(settings->desk, request, &answer->errand, err);
}

static enum usher_status await_answers(const struct encore_settings *settings,
                                       struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && desk_pending(settings->desk) > 0)
        status = desk_poll(settings->desk, 100, err);
    return status;
}

static enum usher_status ask_and_wait(const struct encore_settings *settings,
                                      const struct usher_request *request,
                                      struct encore_answer *answer, struct usher_error *err)
{
    enum usher_status status = ask(settings, request, answer, err);
    return status == USHER_OK ? await_answers(settings, err) : status;
}

enum usher_status encore_begin(const struct encore_settings *settings, struct encore *encore,
                               struct usher_error *err)
{
    const struct usher_item three = seats_together(3);
    struct usher_request request = request_of(USHER_OP_BOOK, "family", family);
    request.items = &three;
    request.item_count = 1;
    enum usher_status status = ask_and_wait(settings, &request, &encore->bought, err);
    expect(encore, encore->bought.outcome == USHER_CONFIRMED, "the family", &encore->bought);
    return status;
}

/* ---- waiting ---- */

static enum usher_status wait_in_line(const struct encore_settings *settings, const char *customer,
                                      uint32_t quantity, struct encore_answer *answer,
                                      struct usher_error *err)
{
    const struct usher_item item = seats_together(quantity);
    struct usher_request request = request_of(USHER_OP_HOLD, customer, customer);
    request.items = &item;
    request.item_count = 1;
    request.wait_until_ms = ((int64_t)time(NULL) + WAIT_S) * 1000;
    return ask_and_wait(settings, &request, answer, err);
}

static enum usher_status come_late(const struct encore_settings *settings, struct encore *encore,
                                   struct usher_error *err)
{
    enum usher_status status = wait_in_line(settings, latecomers, 2, &encore->waits, err);
    if (status == USHER_OK)
        status = wait_in_line(settings, quartet, 4, &encore->waits_too, err);
    expect(encore,
           encore->waits.outcome == USHER_WAITING && encore->waits.position == 1 &&
               encore->waits.free == 0,
           "two who come late", &encore->waits);
    expect(encore, encore->waits_too.outcome == USHER_WAITING && encore->waits_too.position == 2,
           "four behind them", &encore->waits_too);
    return status;
}

/* ---- the exchange ---- */

/* Both are on their way before either is answered. */
static enum usher_status give_back(const struct encore_settings *settings, struct encore *encore,
                                   struct usher_error *err)
{
    const struct usher_item one = {.kind = USHER_SECTION, .pool = section, .quantity = 1};
    const struct usher_item two = seats_together(2);
    struct usher_request exchange = request_of(USHER_OP_EXCHANGE, "family-exchange", family);
    struct usher_request hold = request_of(USHER_OP_HOLD, stranger, stranger);
    exchange.booking = "family";
    exchange.items = &one;
    hold.items = &two;
    exchange.item_count = hold.item_count = 1;
    enum usher_status status = ask(settings, &exchange, &encore->exchanged, err);
    if (status == USHER_OK)
        status = ask(settings, &hold, &encore->refused, err);
    return status;
}

/* Waits for it: an unrequested answer is seen only by following the answers. */
static enum usher_status await_unrequested(const struct encore_settings *settings,
                                           struct usher_watch *watch, struct encore_answer *served,
                                           struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct usher_reply reply;
    const int64_t end_us = clock_us() + UNASKED_TIMEOUT_US;
    enum usher_status status = USHER_OK;
    while (!served->unrequested && clock_us() < end_us &&
           (status == USHER_OK || status == USHER_RETRY)) {
        struct usher_answer answer;
        usher_arena_reset(&arena);
        status = usher_watch_next(watch, 100, &reply, err);
        if (status == USHER_OK &&
            usher_answer_decode(reply.data, reply.size, &arena, &answer, NULL) == USHER_OK &&
            answer.cause != NULL) {
            keep(&served->errand, &answer);
            account_add_unrequested(settings->account, &answer);
        }
    }
    usher_arena_deinit(&arena);
    return status == USHER_RETRY ? USHER_OK : status;
}

static enum usher_status serve(const struct encore_settings *settings, struct usher_watch *watch,
                               struct encore *encore, struct usher_error *err)
{
    enum usher_status status = give_back(settings, encore, err);
    if (status == USHER_OK)
        status = await_unrequested(settings, watch, &encore->served, err);
    if (status == USHER_OK)
        status = await_answers(settings, err);
    expect(encore,
           encore->exchanged.outcome == USHER_EXCHANGED &&
               encore->exchanged.difference == encore->exchanged.total - encore->bought.total &&
               encore->exchanged.difference < 0,
           "the exchange", &encore->exchanged);
    expect(encore,
           encore->served.unrequested && encore->served.outcome == USHER_HELD &&
               strcmp(encore->served.seats, encore->exchanged.returned) == 0,
           "the two who waited", &encore->served);
    expect(encore,
           encore->refused.outcome == USHER_REFUSED && encore->refused.reason == USHER_NOT_ENOUGH,
           "the stranger", &encore->refused);
    expect(encore,
           encore->exchanged.seq < encore->served.seq && encore->served.seq < encore->refused.seq,
           "the order of decisions", &encore->served);
    return status;
}

/* ---- the end ---- */

static enum usher_status buy(const struct encore_settings *settings, struct encore *encore,
                             struct usher_error *err)
{
    struct usher_request request = request_of(USHER_OP_CONFIRM, "lena-and-max-pay", latecomers);
    request.booking = latecomers;
    enum usher_status status = ask_and_wait(settings, &request, &encore->confirmed, err);
    expect(encore,
           encore->confirmed.outcome == USHER_CONFIRMED &&
               strcmp(encore->confirmed.seats, encore->served.seats) == 0 &&
               encore->confirmed.total == -encore->exchanged.difference,
           "the purchase", &encore->confirmed);
    return status;
}

static enum usher_status give_up(const struct encore_settings *settings, struct encore *encore,
                                 struct usher_error *err)
{
    struct usher_request probe = request_of(USHER_OP_PROBE, "encore-probe", NULL);
    struct usher_request leave = request_of(USHER_OP_LEAVE, "quartet-leave", quartet);
    leave.booking = quartet;
    enum usher_status status = ask_and_wait(settings, &probe, &encore->probed, err);
    if (status == USHER_OK)
        status = ask_and_wait(settings, &leave, &encore->left, err);
    expect(encore, encore->probed.waiting == 1, "how many still wait", &encore->probed);
    expect(encore, encore->left.outcome == USHER_LEFT, "the four who leave", &encore->left);
    return status;
}

/* ---- the whole ---- */

struct money {
    char text[32];
};

static struct money money_of(int64_t minor)
{
    struct money money;
    int64_t positive = minor < 0 ? -minor : minor;
    snprintf(money.text, sizeof money.text, "GBP %s%" PRId64 ".%02d", minor < 0 ? "-" : "",
             positive / 100, (int)(positive % 100));
    return money;
}

static void print_encore(const struct screen *screen, const struct encore *encore)
{
    const struct encore_answer *exchanged = &encore->exchanged;
    const struct encore_answer *served = &encore->served;
    screen_fact(screen, "Lena & Max",
                "want two seats together; %" PRId64 " are free: number %" PRId64
                " on the waiting list",
                encore->waits.free, encore->waits.position);
    screen_fact(screen, "the quartet", "wants four: number %" PRId64, encore->waits_too.position);
    screen_fact(screen, "the Okafors", "keep %s and give back %s, by an exchange: %s",
                exchanged->seats, exchanged->returned, money_of(exchanged->difference).text);
    screen_fact(screen, "Lena & Max", "get %s held for them, %.1f ms after the exchange was sent",
                served->seats, (double)(served->us - exchanged->errand.sent_us) / 1e3);
    screen_fact(screen, "Iris", "asks for two at that moment: %s, as others were first",
                usher_reason_name(encore->refused.reason));
    screen_fact(screen, "Lena & Max", "confirm, for %s", money_of(encore->confirmed.total).text);
    screen_fact(screen, "the quartet",
                "was passed over but kept its place, now number %" PRId64 "; it leaves",
                encore->probed.waiting);
}

static enum usher_status play(const struct encore_settings *settings, struct usher_watch *watch,
                              struct encore *encore, struct usher_error *err)
{
    enum usher_status status = come_late(settings, encore, err);
    if (status == USHER_OK)
        status = serve(settings, watch, encore, err);
    if (status == USHER_OK)
        status = buy(settings, encore, err);
    if (status == USHER_OK)
        status = give_up(settings, encore, err);
    return status;
}

enum usher_status encore_run(const struct encore_settings *settings, struct encore *encore,
                             struct usher_error *err)
{
    static const struct usher_property quiet = {"log_level", "3"};
    const struct usher_watch_settings following = {
        .kafka = {.brokers = settings->brokers, .properties = &quiet, .property_count = 1},
        .client_id = "demo",
        .resource = hall_resource,
    };
    struct usher_watch *watch;
    enum usher_status status = usher_watch_open(&following, &watch, err);
    if (status == USHER_OK)
        status = play(settings, watch, encore, err);
    if (status == USHER_OK && encore->unexpected == 0)
        print_encore(settings->screen, encore);
    else if (status == USHER_OK)
        screen_fact(settings->screen, "", "did not go as expected: %s", encore->first_unexpected);
    usher_watch_close(watch);
    return status;
}

void encore_owners(const struct encore *encore, struct ledger_owner owners[ENCORE_PEOPLE])
{
    owners[0] = (struct ledger_owner){.customer = family, .seats = encore->exchanged.seats};
    owners[1] = (struct ledger_owner){.customer = latecomers, .seats = encore->confirmed.seats};
    owners[2] = (struct ledger_owner){.customer = quartet, .seats = ""};
    owners[3] = (struct ledger_owner){.customer = stranger, .seats = ""};
}
