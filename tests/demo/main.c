/*
 * `make demo`: sells out a hall in a rush, serves who waited for seats in it, replays a hotel,
 * and proves that all accounts agree.
 * Arguments: the hotel's file. Environment: USHER_KAFKA_BROKERS, USHER_REDIS, and DEMO_POSTGRES,
 * the libpq URI of a role that reads the views. Exit 1 where something is wrong.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "account.h"
#include "desk.h"
#include "encore.h"
#include "hall.h"
#include "hotel.h"
#include "ledger.h"
#include "nights.h"
#include "picture.h"
#include "replay.h"
#include "rush.h"
#include "screen.h"
#include "shown.h"

enum {
    SEED = 3,
};

struct demo {
    struct screen screen;
    const char *brokers;
    struct desk *desk;
    struct shown *shown;
    struct account hall, hotel;
    struct rush_report rush;
    struct encore encore;
    int64_t before_encore;          /* seats sold then */
    struct shown_counts hall_shown; /* at the end of all */
    struct replay_report replay;
    struct hotel file;
    int64_t nights_differing;
    int bad; /* checks that failed */
};

/* ---- what both print ---- */

static void print_latency(const struct demo *demo, const struct account *account)
{
    screen_fact(&demo->screen, "latency", "p50 %.1f ms, p99 %.1f ms from enqueue to answer",
                latency_ms(&account->latency, SIZE_MAX, 0.5),
                latency_ms(&account->latency, SIZE_MAX, 0.99));
}

/* Of a run that hardly lasts a second, no second is busier than the average. */
static void print_flow(const struct screen *screen, const char *name, const char *what,
                       const struct account_flow *flow)
{
    int64_t average = account_per_second(flow);
    int64_t busiest = account_busiest_second(flow);
    if (busiest > average)
        screen_fact(screen, name, "%s on average, %s in the busiest second: %s",
                    screen_number(average).text, screen_number(busiest).text, what);
    else
        screen_fact(screen, name, "%s on average: %s", screen_number(average).text, what);
}

/* What a refusal meant here, in words. */
static const char *meaning(enum usher_reason reason)
{
    switch ((int)reason) {
    case USHER_UNIT_TAKEN:
        return "a seat requested by name was already taken";
    case USHER_NOT_ENOUGH:
        return "fewer units were free than requested";
    case USHER_NOT_TOGETHER:
        return "enough seats were free, but not together";
    case USHER_UNKNOWN_BOOKING:
        return "cancellations of refused bookings";
    default:
        return "";
    }
}

static void print_refusals(const struct demo *demo, const struct account *account)
{
    const char *name = "refused";
    for (int reason = 1; reason < USHER_REASON_COUNT; reason++) {
        int64_t count = account_reason(account, (enum usher_reason)reason);
        if (count > 0) {
            screen_fact(&demo->screen, name, "%6s %-16s %s", screen_number(count).text,
                        usher_reason_name((enum usher_reason)reason),
                        meaning((enum usher_reason)reason));
            name = "";
        }
    }
}

/* ---- the hall ---- */

static enum usher_status print_hall(struct demo *demo, struct usher_error *err)
{
    char title[48];
    struct usher_buffer layout = {0};
    struct usher_buffer seats = {0};
    struct shown_counts counts;
    enum usher_status status =
        shown_await(demo->shown, hall_resource, demo->hall.rev, &counts, err);
    if (status == USHER_OK)
        status = shown_layout(demo->shown, hall_resource, &layout, err);
    if (status == USHER_OK)
        status = shown_seats(demo->shown, hall_resource, &seats, err);
    if (status == USHER_OK) {
        snprintf(title, sizeof title, "%.1f s into the rush", (double)demo->rush.picture_us / 1e6);
        const struct picture_moment moments[2] = {
            {title, demo->rush.picture.size > 0 ? demo->rush.picture.at : seats.at},
            {"at the end", seats.at},
        };
        printf("\n  as shown by Redis: . free, h held, s sold\n");
        status = picture_print(&demo->screen, layout.at, moments, err);
    }
    usher_buffer_deinit(&layout);
    usher_buffer_deinit(&seats);
    return status;
}

static void report_hall(const struct demo *demo)
{
    const struct screen *screen = &demo->screen;
    const struct rush_report *rush = &demo->rush;
    const struct account *account = &demo->hall;
    screen_fact(screen, "rush", "%s requests for seats from %s customers in %.1f s",
                screen_number(RUSH_REQUESTS).text, screen_number(rush->customers).text,
                (double)rush->us / 1e6);
    print_flow(screen, "answers/s", "all, refusals included", &account->answers);
    print_flow(screen, "bookings/s", "holds and sales, until the last one", &account->bookings);
    print_latency(demo, account);
    screen_fact(screen, "sold",
                "%s of %s seats for GBP %s to %s customers, %s of them with fewer than requested",
                screen_number(account->sold).text, screen_number(hall_seat_count()).text,
                screen_number(account->taken / 100).text,
                screen_number(rush->satisfied + 1 /* the family */).text,
                screen_number(rush->fewer).text);
    screen_fact(screen, "", "%s holds were released and sold again",
                screen_number(rush->released).text);
    if (rush->at_the_end > 0)
        screen_fact(screen, "", "%s bookings at the end took the remaining seats",
                    screen_number(rush->at_the_end).text);
    print_refusals(demo, account);
}

static struct encore_settings encore_settings(struct demo *demo)
{
    return (struct encore_settings){
        .brokers = demo->brokers,
        .desk = demo->desk,
        .account = &demo->hall,
        .screen = &demo->screen,
    };
}

static enum usher_status play_hall(struct demo *demo, struct usher_error *err)
{
    const struct rush_settings settings = {
        .seed = SEED,
        .desk = demo->desk,
        .account = &demo->hall,
        .shown = demo->shown,
        .screen = &demo->screen,
    };
    const struct encore_settings people = encore_settings(demo);
    demo->hall.title = "the hall";
    demo->hall.resource = hall_resource;
    screen_heading(&demo->screen, "1. A rush on a hall: %s seats in %" PRIu32 " sections",
                   screen_number(hall_seat_count()).text, hall_section_count);
    enum usher_status status = hall_put_on_sale(demo->desk, &demo->hall, err);
    if (status == USHER_OK)
        status = encore_begin(&people, &demo->encore, err);
    if (status == USHER_OK)
        screen_fact(&demo->screen, "the Okafors", "book three seats together before the rush: %s",
                    demo->encore.bought.seats);
    if (status == USHER_OK)
        status = rush_run(&settings, &demo->rush, err);
    if (status == USHER_OK) {
        report_hall(demo);
        status = print_hall(demo, err);
    }
    return status;
}

/* ---- the encore ---- */

static enum usher_status play_encore(struct demo *demo, struct usher_error *err)
{
    const struct encore_settings settings = encore_settings(demo);
    demo->before_encore = demo->hall.sold;
    screen_heading(&demo->screen, "2. An encore: the hall is sold out, and some customers wait");
    enum usher_status status = encore_run(&settings, &demo->encore, err);
    if (status == USHER_OK)
        status = shown_await(demo->shown, hall_resource, demo->hall.rev, &demo->hall_shown, err);
    return status;
}

/* ---- the hotel ---- */

static void print_rooms(const struct demo *demo)
{
    struct usher_buffer line = {0};
    for (int type = 0; type < HOTEL_TYPES; type++)
        if (demo->file.capacity[type] > 0)
            screen_append(&line, "%c %d  ", 'A' + type, (int)demo->file.capacity[type]);
    screen_fact(&demo->screen, "rooms", "%.*s(80 %% of each type's busiest night)", (int)line.size,
                line.at);
    usher_buffer_deinit(&line);
}

static void report_hotel(const struct demo *demo)
{
    const struct screen *screen = &demo->screen;
    const struct account *account = &demo->hotel;
    int64_t booked = account_outcome(account, USHER_OP_BOOK, USHER_CONFIRMED);
    int64_t cancelled = account_outcome(account, USHER_OP_CANCEL, USHER_CANCELLED);
    print_rooms(demo);
    screen_fact(screen, "replay", "%s bookings and %s cancellations in %.1f s",
                screen_number(demo->file.stay_count).text,
                screen_number((int64_t)demo->file.step_count - demo->file.stay_count).text,
                (double)demo->replay.us / 1e6);
    print_flow(screen, "answers/s", "all, with 1,000 in flight", &account->answers);
    print_flow(screen, "bookings/s", "confirmed bookings", &account->bookings);
    print_latency(demo, account);
    screen_fact(screen, "sold", "%s stays, %s of them cancelled later: %s of %s room nights",
                screen_number(booked).text, screen_number(cancelled).text,
                screen_number(account->sold).text, screen_number(demo->file.room_nights).text);
    print_refusals(demo, account);
}

static enum usher_status play_hotel(struct demo *demo, struct usher_error *err)
{
    const struct replay_settings settings = {
        .desk = demo->desk,
        .account = &demo->hotel,
        .screen = &demo->screen,
        .hotel = &demo->file,
    };
    struct shown_counts counts;
    demo->hotel.title = "the hotel";
    demo->hotel.resource = replay_resource;
    screen_heading(&demo->screen, "3. A hotel's real bookings, replayed day by day");
    enum usher_status status = replay_run(&settings, &demo->replay, err);
    if (status != USHER_OK)
        return status;
    report_hotel(demo);
    status = shown_await(demo->shown, replay_resource, demo->hotel.rev, &counts, err);
    if (status == USHER_OK) {
        printf("\n  the fullest nights, as shown by Redis\n");
        status = nights_print(&demo->screen, demo->shown, &demo->file, &demo->replay,
                              &demo->nights_differing, err);
    }
    return status;
}

/* ---- the proof ---- */

static void check_answers(struct demo *demo)
{
    int64_t asked = demo->hall.asked + demo->hotel.asked;
    int64_t answered = demo->hall.answered + demo->hotel.answered;
    demo->bad += !screen_check(&demo->screen, asked == answered, "%s of %s requests were answered",
                               screen_number(answered).text, screen_number(asked).text);
}

static void check_hall(struct demo *demo)
{
    const struct screen *screen = &demo->screen;
    const struct shown_counts *shown = &demo->hall_shown;
    const int64_t seats = hall_seat_count();
    demo->bad += !screen_check(screen, demo->hall.sold == seats && demo->before_encore == seats,
                               "the hall is sold out, before the encore and after: %s of %s seats",
                               screen_number(demo->hall.sold).text, screen_number(seats).text);
    demo->bad += !screen_check(screen, shown->sold == seats && shown->held == 0 && shown->free == 0,
                               "Redis shows %s seats of the hall sold, %s held, %s free",
                               screen_number(shown->sold).text, screen_number(shown->held).text,
                               screen_number(shown->free).text);
    demo->bad +=
        !screen_check(screen, demo->encore.unexpected == 0 && demo->hall.unrequested == 1,
                      "waiting customers were served before later ones%s%s",
                      demo->encore.unexpected == 0 ? "" : "; not: ", demo->encore.first_unexpected);
}

static void check_hotel(struct demo *demo)
{
    const struct screen *screen = &demo->screen;
    demo->bad += !screen_check(
        screen, demo->replay.unexpected == 0 && demo->hotel.sold == hotel_taken(&demo->file),
        "the hotel answered every request as a plain calculation does%s%s",
        demo->replay.unexpected == 0 ? "" : "; not: ", demo->replay.first_unexpected);
    demo->bad +=
        !screen_check(screen, demo->nights_differing == 0,
                      "Redis shows the free rooms of all %s types and nights as calculated",
                      screen_number(hotel_pool_count(&demo->file)).text);
}

static enum usher_status prove(struct demo *demo, const char *postgres, struct usher_error *err)
{
    struct ledger_owner owners[ENCORE_PEOPLE];
    const struct ledger_settings hall = {
        .screen = &demo->screen,
        .uri = postgres,
        .account = &demo->hall,
        .owners = owners,
        .owner_count = ENCORE_PEOPLE,
    };
    const struct ledger_settings hotel = {
        .screen = &demo->screen,
        .uri = postgres,
        .account = &demo->hotel,
    };
    screen_heading(&demo->screen, "4. The proof");
    check_answers(demo);
    check_hall(demo);
    check_hotel(demo);
    encore_owners(&demo->encore, owners);
    enum usher_status status = ledger_check(&hall, &demo->bad, err);
    return status == USHER_OK ? ledger_check(&hotel, &demo->bad, err) : status;
}

/* ---- the whole ---- */

static const char *needed(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL) {
        fprintf(stderr, "demo: %s is not set: run make demo\n", name);
        exit(USHER_EXIT_CONFIG);
    }
    return value;
}

/* Ctrl-C in the middle of a line of progress: leaves the terminal as it was. */
static void leave(int signal_number)
{
    static const char restored[] = "\x1b[?7h\x1b[0m\n";
    ssize_t written = write(STDOUT_FILENO, restored, sizeof restored - 1);
    _exit(written < 0 ? USHER_EXIT_BUG : 128 + signal_number);
}

static enum usher_status play(struct demo *demo, const char *path, struct usher_error *err)
{
    demo->brokers = needed("USHER_KAFKA_BROKERS");
    enum usher_status status = hotel_open(path, &demo->file, err);
    if (status == USHER_OK)
        status = desk_open(demo->brokers, &demo->desk, err);
    if (status == USHER_OK)
        status = shown_open(needed("USHER_REDIS"), &demo->shown, err);
    if (status == USHER_OK)
        status = play_hall(demo, err);
    if (status == USHER_OK)
        status = play_encore(demo, err);
    if (status == USHER_OK)
        status = play_hotel(demo, err);
    if (status == USHER_OK)
        status = prove(demo, needed("DEMO_POSTGRES"), err);
    return status;
}

int main(int argc, char **argv)
{
    struct demo demo = {.bad = 0};
    struct usher_error err = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: demo RESORT_HOTEL.CSV\n");
        return USHER_EXIT_USAGE;
    }
    screen_init(&demo.screen);
    if (demo.screen.terminal)
        signal(SIGINT, leave);
    enum usher_status status = play(&demo, argv[1], &err);
    screen_progress_end(&demo.screen);
    if (status != USHER_OK)
        fprintf(stderr, "demo: %s\n", err.text);
    desk_close(demo.desk);
    shown_close(demo.shown);
    account_deinit(&demo.hall);
    account_deinit(&demo.hotel);
    replay_report_deinit(&demo.replay);
    usher_buffer_deinit(&demo.rush.picture);
    hotel_close(&demo.file);
    return status != USHER_OK || demo.bad > 0;
}
