/*
 * How full a hall gets, and how long a choice of seats takes: no broker, no database, only the
 * seating of the worker's core.
 */
#include <stdio.h>
#include <time.h>

#include "seat_hall.h"
#include "worker/rules/members.h"

enum {
    SEEDS = 100,
    ROWS = 30,
    BIG_ROWS = 4000,
    BIG_ROW = 50,
    MEMBERS_ROWS = 400,
    FAMILY = 4,
    PARTY_MAX = 6
};

static const char *const strategies[] = {
    [USHER_BEST] = "best", [USHER_FIRST] = "first", [USHER_RANDOM] = "random"};

/* ---- how full ---- */

/* Rows of 40, or of 26 to 54. */
static void open_small(struct seat_hall *hall, bool even)
{
    uint32_t seats[ROWS];
    for (uint32_t i = 0; i < ROWS; i++)
        seats[i] = even ? 40 : i % 2 ? 40 + i / 2 : 40 - i / 2;
    seat_hall_open(hall, seats, ROWS);
}

static double fill_up(enum usher_strategy strategy, bool even, double *worst)
{
    double sum = 0;
    *worst = 100;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct seat_hall hall;
        open_small(&hall, even);
        double sold = 100.0 * seat_hall_fill_up(&hall, strategy, seed) / hall.pool.units.count;
        sum += sold;
        *worst = sold < *worst ? sold : *worst;
        seat_hall_close(&hall);
    }
    return sum / SEEDS;
}

static void report_fill_up(void)
{
    double worst, sold = fill_up(USHER_BEST, true, &worst);
    printf("1,200-seat hall, parties of 1-6, sold before the first refusal of a pair: %.1f %%\n",
           sold);
    for (enum usher_strategy strategy = USHER_BEST; strategy <= USHER_RANDOM; strategy++) {
        sold = fill_up(strategy, true, &worst);
        printf("  %-7s rows of 40 %5.1f %% (worst of %d seeds %.1f %%)", strategies[strategy], sold,
               SEEDS, worst);
        sold = fill_up(strategy, false, &worst);
        printf(", rows of 26 to 54 %5.1f %% (worst %.1f %%)\n", sold, worst);
    }
}

/* ---- how long ---- */

struct load {
    const char *name;
    enum usher_strategy strategy;
    uint32_t party_max; /* 0: pairs */
    bool ranked;
};

/* Seats near the middle of the front are the best. */
static void rank_seats(struct seat_hall *hall)
{
    for (uint32_t i = 0; i < hall->pool.seat_row_count; i++) {
        struct seat_row *row = &hall->pool.seat_rows[i];
        int32_t *ranks = usher_arena_alloc(&hall->arena, row->seats * sizeof(*ranks));
        for (uint32_t seat = 0; seat < row->seats; seat++) {
            int32_t aside = 2 * (int32_t)seat + 1 - (int32_t)row->seats;
            int32_t behind = (int32_t)i / 40;
            ranks[seat] = aside * aside + behind * behind;
        }
        row->ranks = ranks;
    }
    seat_hall_arrange(hall);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Nanoseconds by what is measured, over one tenth of the seats. */
struct cost {
    int64_t choose, take, calls;
};

static void seat_one(struct seat_hall *hall, const struct party *party, struct cost *cost)
{
    int32_t units[PARTY_MAX];
    int64_t before = now_ns();
    const struct seating seating = seating_choose(&hall->pool, party, &hall->scratch, units);
    int64_t chosen = now_ns();
    if (seating.pieces > 0)
        seat_hall_take(hall, units, party->quantity);
    cost->take += now_ns() - chosen;
    cost->choose += chosen - before;
    cost->calls++;
    usher_arena_reset(&hall->scratch);
}

/* Prints the time of a choice, and of taking what was chosen, for each fifth that is sold. */
static void report_load(const struct load *load)
{
    static uint32_t seats[BIG_ROWS];
    struct seat_hall hall;
    for (uint32_t i = 0; i < BIG_ROWS; i++)
        seats[i] = BIG_ROW;
    seat_hall_open(&hall, seats, BIG_ROWS);
    if (load->ranked)
        rank_seats(&hall);
    printf("  %-32s", load->name);
    uint64_t number = 0;
    for (uint32_t fifth = 1; fifth <= 5; fifth++) {
        struct cost cost = {0};
        uint32_t left = hall.pool.units.count / 5 * (5 - fifth);
        while (pool_free(&hall.pool) > left && pool_free(&hall.pool) >= PARTY_MAX) {
            const struct party party = {
                .quantity = load->party_max ? 1 + seat_hall_dice(&hall, load->party_max) : 2,
                .strategy = load->strategy,
                .seed = number++};
            seat_one(&hall, &party, &cost);
        }
        printf("%6lld +%4lld", (long long)(cost.choose / cost.calls),
               (long long)(cost.take / cost.calls));
    }
    printf("\n");
    seat_hall_close(&hall);
}

/* ---- members with needs ---- */

/* Two places for wheelchairs at the end of each row. */
static void open_accessible(struct seat_hall *hall, bool ranked)
{
    static const uint32_t ends[] = {0, 1};
    static const struct usher_row_feature accessible = {"accessible", ends, 2};
    uint32_t seats[MEMBERS_ROWS];
    for (uint32_t i = 0; i < MEMBERS_ROWS; i++)
        seats[i] = BIG_ROW;
    seat_hall_open(hall, seats, MEMBERS_ROWS);
    for (uint32_t i = 0; i < MEMBERS_ROWS; i++) {
        hall->pool.seat_rows[i].features = &accessible;
        hall->pool.seat_rows[i].feature_count = 1;
    }
    if (ranked)
        rank_seats(hall);
}

/* As plan_items.c does: looks, counts, chooses. */
static bool seat_family(struct seat_hall *hall, const struct party *party, struct cost *cost)
{
    static struct members members;
    int32_t units[FAMILY];
    int64_t before = now_ns();
    members_see(&members, &hall->pool, party, &hall->scratch);
    bool all = members_free(&members) >= FAMILY;
    const struct seating seating = all ? members_seat(&members, 0, units) : (struct seating){0};
    cost->choose += now_ns() - before;
    cost->calls++;
    if (seating.pieces > 0)
        seat_hall_take(hall, units, FAMILY);
    usher_arena_reset(&hall->scratch);
    return seating.pieces > 0;
}

/* Prints the time of a choice, until nobody else who needs it finds a place. */
static void report_families(const char *name, enum usher_strategy strategy, bool ranked)
{
    static const char *const needs[] = {"accessible"};
    static const struct usher_member family[] = {
        {.quantity = 2}, {.quantity = 1}, {.quantity = 1, .features = needs, .feature_count = 1}};
    struct seat_hall hall;
    struct cost cost = {0};
    open_accessible(&hall, ranked);
    struct party party = {.quantity = FAMILY,
                          .together = true,
                          .strategy = strategy,
                          .members = family,
                          .member_count = 3};
    while (seat_family(&hall, &party, &cost))
        party.seed++;
    printf("  %-32s%6lld\n", name, (long long)(cost.choose / cost.calls));
    seat_hall_close(&hall);
}

int main(void)
{
    static const struct load loads[] = {
        {"best, pairs", USHER_BEST, 0, false},
        {"best, parties of 1-6", USHER_BEST, PARTY_MAX, false},
        {"first, parties of 1-6", USHER_FIRST, PARTY_MAX, false},
        {"random, parties of 1-6", USHER_RANDOM, PARTY_MAX, false},
        {"best, ranks, pairs", USHER_BEST, 0, true},
        {"best, ranks, parties of 1-6", USHER_BEST, PARTY_MAX, true},
    };
    report_fill_up();
    printf("200,000 seats in rows of 50, ns to choose + to take, by each fifth that is sold:\n");
    for (uint32_t i = 0; i < sizeof loads / sizeof *loads; i++)
        report_load(&loads[i]);
    printf("20,000 seats in rows of 50, families of 4 with a wheelchair, ns to choose:\n");
    report_families("best", USHER_BEST, false);
    report_families("first", USHER_FIRST, false);
    report_families("random", USHER_RANDOM, false);
    report_families("best, ranks", USHER_BEST, true);
    return 0;
}
