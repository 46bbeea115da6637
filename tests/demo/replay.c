/*
 * One key, so one partition, and an idempotent producer: what is sent in order is decided in
 * order, with many requests in flight.
 */
#include "replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock_us.h"

enum {
    UNDER_WAY_MAX = 1000,
    BAR_WIDTH = 24,
    LATEST = 2000,
    PRICE_LOWEST = 6000, /* of room type A, minor units; each further type costs more */
    PRICE_STEP = 1500,
};

const char replay_resource[] = "hotel:resort";

struct replay;

struct task {
    struct errand errand; /* first: an errand is its task */
    struct replay *replay;
    const struct hotel_step *step;
};

struct replay {
    const struct replay_settings *settings;
    struct replay_report *report;
    struct task *tasks; /* one for each step */
    uint32_t sent;
};

static void *allocate(size_t count, size_t size)
{
    void *at = calloc(count, size);
    if (at == NULL)
        abort();
    return at;
}

/* ---- putting it on sale ---- */

static void ignore(struct errand *errand, const struct usher_answer *answer)
{
    (void)errand;
    (void)answer;
}

static uint32_t list_rooms(const struct hotel *hotel, struct usher_room rooms[HOTEL_TYPES],
                           char names[HOTEL_TYPES][2])
{
    uint32_t count = 0;
    for (int type = 0; type < HOTEL_TYPES; type++) {
        if (hotel->capacity[type] == 0)
            continue;
        names[type][0] = (char)('A' + type);
        names[type][1] = '\0';
        rooms[count++] = (struct usher_room){
            .room = names[type],
            .from = hotel->first_night,
            .to = hotel->first_night + hotel->night_count,
            .capacity = hotel->capacity[type],
            .price = PRICE_LOWEST + PRICE_STEP * type,
        };
    }
    return count;
}

static enum usher_status put_on_sale(const struct replay_settings *settings,
                                     struct usher_error *err)
{
    struct usher_room rooms[HOTEL_TYPES];
    char names[HOTEL_TYPES][2];
    const struct usher_definition definition = {
        .name = "Resort Hotel",
        .currency = "EUR",
        .state = USHER_OPEN,
        .rooms = rooms,
        .room_count = list_rooms(settings->hotel, rooms, names),
    };
    struct usher_request request = desk_request(USHER_OP_DEFINE, replay_resource);
    struct errand errand = {.done = ignore, .account = settings->account};
    request.request_id = "hotel-define";
    request.definition = &definition;
    enum usher_status status = desk_ask_and_wait(settings->desk, &request, &errand, err);
    if (status == USHER_OK &&
        account_outcome(settings->account, USHER_OP_DEFINE, USHER_DEFINED) != 1) {
        usher_error_set(err, USHER_EXIT_BUG, "could not put the hotel on sale: unexpected answer");
        status = USHER_FATAL;
    }
    return status;
}

/* ---- answers ---- */

static void count_refusal(struct replay *replay, const struct task *task)
{
    const struct hotel *hotel = replay->settings->hotel;
    const struct hotel_stay *stay = &hotel->stays[task->step->stay];
    for (int32_t day = stay->arrival; day < stay->departure; day++)
        replay->report->turned_away[day - hotel->first_night]++;
}

static void complain(struct replay *replay, const struct task *task,
                     const struct usher_answer *answer, enum usher_reason expected)
{
    struct replay_report *report = replay->report;
    const char *outcome = usher_outcome_name(answer->outcome);
    const char *reason = usher_reason_name(answer->reason);
    const char *wanted = usher_reason_name(expected);
    if (report->unexpected++ == 0)
        snprintf(report->first_unexpected, sizeof report->first_unexpected,
                 "%s of %s: %s %s, not %s", usher_op_name(answer->op),
                 replay->settings->hotel->stays[task->step->stay].id,
                 outcome == NULL ? "?" : outcome, reason == NULL ? "" : reason,
                 wanted == NULL ? "granted" : wanted);
}

static void done(struct errand *errand, const struct usher_answer *answer)
{
    struct task *task = (struct task *)errand;
    struct replay *replay = task->replay;
    if (answer == NULL)
        return; /* the desk says so */
    enum usher_reason expected = hotel_expected(replay->settings->hotel, task->step);
    enum usher_outcome outcome = expected != USHER_REASON_NONE ? USHER_REFUSED
                                 : task->step->cancels         ? USHER_CANCELLED
                                                               : USHER_CONFIRMED;
    if (answer->outcome != outcome || answer->reason != expected)
        complain(replay, task, answer, expected);
    else if (expected == USHER_NOT_ENOUGH)
        count_refusal(replay, task);
}

/* ---- asking ---- */

static enum usher_status ask_book(struct replay *replay, const struct hotel_stay *stay,
                                  struct task *task, struct usher_error *err)
{
    const char room[2] = {(char)('A' + stay->type), '\0'};
    const struct usher_item item = {
        .kind = USHER_ROOM,
        .pool = room,
        .from = stay->arrival,
        .to = stay->departure,
        .quantity = 1,
    };
    struct usher_request request = desk_request(USHER_OP_BOOK, replay_resource);
    request.request_id = stay->id;
    request.customer = stay->id;
    request.items = &item;
    request.item_count = 1;
    return desk_ask(replay->settings->desk, &request, &task->errand, err);
}

/* Cancels what may have been refused, too: the guest's agent does not look. */
static enum usher_status ask_cancel(struct replay *replay, const struct hotel_stay *stay,
                                    struct task *task, struct usher_error *err)
{
    char id[HOTEL_ID_SIZE + 8];
    struct usher_request request = desk_request(USHER_OP_CANCEL, replay_resource);
    snprintf(id, sizeof id, "%s-cancel", stay->id);
    request.request_id = id;
    request.customer = stay->id;
    request.booking = stay->id;
    return desk_ask(replay->settings->desk, &request, &task->errand, err);
}

static enum usher_status ask_next(struct replay *replay, struct usher_error *err)
{
    const struct hotel *hotel = replay->settings->hotel;
    struct task *task = &replay->tasks[replay->sent];
    *task = (struct task){
        .errand = {.done = done, .account = replay->settings->account},
        .replay = replay,
        .step = &hotel->steps[replay->sent],
    };
    replay->sent++;
    const struct hotel_stay *stay = &hotel->stays[task->step->stay];
    return task->step->cancels ? ask_cancel(replay, stay, task, err)
                               : ask_book(replay, stay, task, err);
}

/* ---- the replay ---- */

static void show_progress(const struct replay *replay)
{
    const struct hotel *hotel = replay->settings->hotel;
    const struct account *account = replay->settings->account;
    struct usher_buffer line = {0};
    char day[USHER_NIGHT_SIZE];
    usher_night_format(hotel->steps[replay->sent - 1].day, day);
    screen_append(&line, "  ");
    screen_append_share(replay->settings->screen, &line, account->answered, hotel->step_count,
                        BAR_WIDTH);
    screen_append(&line, " %s %6s answered", day, screen_number(account->answered).text);
    screen_append(&line, "  p50 %.1f p99 %.1f ms", latency_ms(&account->latency, LATEST, 0.5),
                  latency_ms(&account->latency, LATEST, 0.99));
    usher_buffer_append(&line, "", 1);
    screen_progress(replay->settings->screen, line.at);
    usher_buffer_deinit(&line);
}

static enum usher_status ask_all(struct replay *replay, struct usher_error *err)
{
    const struct replay_settings *settings = replay->settings;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK &&
           (replay->sent < settings->hotel->step_count || desk_pending(settings->desk) > 0)) {
        while (status == USHER_OK && replay->sent < settings->hotel->step_count &&
               desk_pending(settings->desk) < UNDER_WAY_MAX)
            status = ask_next(replay, err);
        if (status == USHER_OK)
            status = desk_poll(settings->desk, 20, err);
        if (status == USHER_OK && screen_progress_due(settings->screen))
            show_progress(replay);
    }
    return status;
}

enum usher_status replay_run(const struct replay_settings *settings, struct replay_report *report,
                             struct usher_error *err)
{
    struct replay replay = {.settings = settings, .report = report};
    size_t nights = (size_t)settings->hotel->night_count;
    enum usher_status status = put_on_sale(settings, err);
    if (status != USHER_OK)
        return status;
    replay.tasks = allocate(settings->hotel->step_count, sizeof *replay.tasks);
    report->turned_away = allocate(nights, sizeof *report->turned_away);
    screen_fact(settings->screen, "in flight", "p50 and p99 of the last %s answers",
                screen_number(LATEST).text);
    int64_t start_us = clock_us();
    status = ask_all(&replay, err);
    report->us = clock_us() - start_us;
    screen_progress_end(settings->screen);
    free(replay.tasks);
    return status;
}

void replay_report_deinit(struct replay_report *report)
{
    free(report->turned_away);
    *report = (struct replay_report){0};
}
