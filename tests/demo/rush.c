/*
 * Customers as small state machines that an agenda wakes up. They know nothing of each other, of
 * Redis or of the database: only what the answers tell them.
 */
#include "rush.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "agenda.h"
#include "clock_us.h"
#include "customer.h"
#include "hall.h"

enum {
    PEOPLE_EXPECTED = 7200, /* as many as it takes to ask 20,000 times */
    PEOPLE_MAX = 2 * PEOPLE_EXPECTED,
    RUSH_US = 8000000,    /* the time over which they come */
    PICTURE_PERCENT = 60, /* of the seats taken: when the picture is made */
    BAR_WIDTH = 24,
    LATEST = 2000,   /* answers that the line of progress looks at */
    ROUNDS_MAX = 10, /* looks at what is left, at the end */
};

/* What comes of a customer at the desk, until the agenda is done. */
struct visit {
    struct errand errand; /* first: an errand is its visit */
    struct rush *rush;
    struct customer customer;
};

struct rush {
    const struct rush_settings *settings;
    struct rush_report *report;
    struct visit *visits;
    struct agenda agenda;
    uint32_t arrived;
    uint32_t asked; /* holds */
    int64_t start_us;
    enum usher_status status; /* of what was sent from within a callback */
    struct usher_error err;
};

/* ---- coming ---- */

/* More and more come in the first half, fewer and fewer in the second. */
static int64_t arrival_us(uint32_t number)
{
    double share = ((double)number + 0.5) / PEOPLE_EXPECTED;
    if (share >= 1)
        return RUSH_US + (int64_t)(number - PEOPLE_EXPECTED) * 500;
    double time = share < 0.5 ? sqrt(share / 2) : 1 - sqrt((1 - share) / 2);
    return (int64_t)(time * RUSH_US);
}

static void done(struct errand *errand, const struct usher_answer *answer);

static void expect_next(struct rush *rush)
{
    uint32_t number = rush->arrived;
    if (number == PEOPLE_MAX || rush->asked >= RUSH_REQUESTS)
        return;
    rush->visits[number] = (struct visit){
        .errand = {.done = done, .account = rush->settings->account},
        .rush = rush,
    };
    customer_init(&rush->visits[number].customer, number, rush->settings->seed);
    rush->arrived++;
    agenda_add(&rush->agenda, rush->start_us + arrival_us(number), number);
}

/* ---- asking ---- */

static enum usher_status ask(struct rush *rush, struct visit *visit, struct usher_error *err)
{
    struct customer_request asked;
    customer_request(&visit->customer, &asked);
    if (asked.request.op == USHER_OP_HOLD)
        rush->asked++;
    return desk_ask(rush->settings->desk, &asked.request, &visit->errand, err);
}

/* Runs the customer whose time has come. No seats are requested after the last request. */
static enum usher_status act(struct rush *rush, uint32_t who, struct usher_error *err)
{
    struct visit *visit = &rush->visits[who];
    if (who + 1 == rush->arrived)
        expect_next(rush);
    if (customer_wants(&visit->customer) && rush->asked >= RUSH_REQUESTS)
        return USHER_OK;
    return ask(rush, visit, err);
}

static void done(struct errand *errand, const struct usher_answer *answer)
{
    struct visit *visit = (struct visit *)errand;
    struct rush *rush = visit->rush;
    int64_t pause_us = customer_hears(&visit->customer, answer);
    if (pause_us >= 0)
        agenda_add(&rush->agenda, errand->sent_us + pause_us, visit->customer.number);
}

/* ---- watching ---- */

static void show_progress(struct rush *rush, const struct shown_counts *counts)
{
    const struct account *account = rush->settings->account;
    const int64_t parts[3] = {counts->sold, counts->held, counts->free};
    struct usher_buffer line = {0};
    screen_append(&line, "  ");
    screen_append_bar(rush->settings->screen, &line, parts, BAR_WIDTH);
    screen_append(&line, " %4" PRId64 " sold %3" PRId64 " held", counts->sold, counts->held);
    screen_append(&line, " %6s answered", screen_number(account->answered).text);
    screen_append(&line, "  p50 %.1f p99 %.1f ms", latency_ms(&account->latency, LATEST, 0.5),
                  latency_ms(&account->latency, LATEST, 0.99));
    usher_buffer_append(&line, "", 1);
    screen_progress(rush->settings->screen, line.at);
    usher_buffer_deinit(&line);
}

/* The one picture, when most seats are taken and some are still held. */
static enum usher_status take_picture(struct rush *rush, const struct shown_counts *counts,
                                      struct usher_error *err)
{
    struct rush_report *report = rush->report;
    if (report->picture_us != 0 ||
        (counts->sold + counts->held) * 100 < counts->total * PICTURE_PERCENT)
        return USHER_OK;
    report->picture_us = clock_us() - rush->start_us;
    return shown_seats(rush->settings->shown, hall_resource, &report->picture, err);
}

static enum usher_status watch(struct rush *rush, int64_t *looked_us, struct usher_error *err)
{
    enum {
        LOOK_US = 50000
    };
    struct shown_counts counts;
    if (clock_us() - *looked_us < LOOK_US)
        return USHER_OK;
    *looked_us = clock_us();
    enum usher_status status = shown_counts(rush->settings->shown, hall_resource, &counts, err);
    if (status == USHER_OK)
        status = take_picture(rush, &counts, err);
    if (status == USHER_OK && screen_progress_due(rush->settings->screen))
        show_progress(rush, &counts);
    return status;
}

/* ---- the rush ---- */

static enum usher_status act_all(struct rush *rush, struct usher_error *err)
{
    uint32_t who;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && agenda_take(&rush->agenda, clock_us(), &who))
        status = act(rush, who, err);
    return status;
}

/* Until the next one comes, in whole milliseconds and never none: the processors have other work.
 */
static int wait_ms(const struct rush *rush)
{
    enum {
        WAIT_MAX_MS = 20
    };
    int64_t us = agenda_next_us(&rush->agenda) - clock_us();
    return us < 1000 ? 1 : us > WAIT_MAX_MS * 1000 ? WAIT_MAX_MS : (int)(us / 1000);
}

static enum usher_status serve_all(struct rush *rush, struct usher_error *err)
{
    int64_t looked_us = 0;
    enum usher_status status = USHER_OK;
    screen_fact(rush->settings->screen, "in flight", "p50 and p99 of the last %s answers",
                screen_number(LATEST).text);
    rush->start_us = clock_us();
    expect_next(rush);
    while (status == USHER_OK &&
           (rush->agenda.count > 0 || desk_pending(rush->settings->desk) > 0)) {
        status = act_all(rush, err);
        if (status == USHER_OK)
            status = desk_poll(rush->settings->desk, wait_ms(rush), err);
        if (status == USHER_OK)
            status = watch(rush, &looked_us, err);
    }
    return status;
}

/* ---- what is left ---- */

/* The last customers take what is left: section by section, as probed. */
struct leftover {
    struct errand errand; /* first */
    int64_t free[32];
};

static void probed(struct errand *errand, const struct usher_answer *answer)
{
    struct leftover *left = (struct leftover *)errand;
    assert(hall_section_count <= sizeof left->free / sizeof left->free[0]);
    for (uint32_t i = 0; i < hall_section_count; i++)
        left->free[i] = 0;
    if (answer == NULL || answer->pools_count != hall_section_count)
        return;
    for (uint32_t i = 0; i < hall_section_count; i++)
        left->free[i] = answer->pools[i].free;
}

static void booked(struct errand *errand, const struct usher_answer *answer)
{
    (void)errand;
    (void)answer;
}

static enum usher_status book_one(struct rush *rush, uint32_t section, int64_t free,
                                  struct usher_error *err)
{
    char id[32];
    struct errand errand = {.done = booked, .account = rush->settings->account};
    const struct usher_item item = {
        .kind = USHER_SECTION,
        .pool = hall_sections[section].section,
        .quantity = free > 4 ? 4 : (uint32_t)free,
    };
    struct usher_request request = desk_request(USHER_OP_BOOK, hall_resource);
    snprintf(id, sizeof id, "last-%" PRIu32, ++rush->report->at_the_end);
    request.request_id = id;
    request.customer = id;
    request.items = &item;
    request.item_count = 1;
    return desk_ask_and_wait(rush->settings->desk, &request, &errand, err);
}

static enum usher_status sell_rest(struct rush *rush, struct usher_error *err)
{
    struct leftover left = {.errand = {.done = probed, .account = rush->settings->account}};
    int64_t free = 1;
    enum usher_status status = USHER_OK;
    for (uint32_t round = 0; status == USHER_OK && free > 0; round++) {
        char id[32];
        struct usher_request request = desk_request(USHER_OP_PROBE, hall_resource);
        snprintf(id, sizeof id, "probe-%" PRIu32, round);
        request.request_id = id;
        status = desk_ask_and_wait(rush->settings->desk, &request, &left.errand, err);
        free = 0;
        for (uint32_t i = 0; status == USHER_OK && i < hall_section_count; i++) {
            free += left.free[i];
            if (left.free[i] > 0 && round < ROUNDS_MAX)
                status = book_one(rush, i, left.free[i], err);
        }
        free = round < ROUNDS_MAX ? free : 0;
    }
    return status;
}

/* ---- the whole ---- */

static void count_people(const struct rush *rush)
{
    struct rush_report *report = rush->report;
    for (uint32_t i = 0; i < rush->arrived; i++) {
        const struct customer *customer = &rush->visits[i].customer;
        report->customers += customer->tries > 0;
        report->satisfied += customer->state == CUSTOMER_HAPPY;
        report->fewer += customer->state == CUSTOMER_HAPPY && customer->wanted < customer->party;
        report->released += customer->released;
    }
}

enum usher_status rush_run(const struct rush_settings *settings, struct rush_report *report,
                           struct usher_error *err)
{
    struct rush rush = {.settings = settings, .report = report};
    rush.visits = calloc(PEOPLE_MAX, sizeof *rush.visits);
    if (rush.visits == NULL)
        abort();
    enum usher_status status = serve_all(&rush, err);
    report->us = clock_us() - rush.start_us;
    screen_progress_end(settings->screen);
    if (status == USHER_OK)
        status = sell_rest(&rush, err);
    count_people(&rush);
    agenda_deinit(&rush.agenda);
    free(rush.visits);
    return status;
}
