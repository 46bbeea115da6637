/*
 * How full a hall gets, and how long a choice of seats takes: no broker, no database, only the
 * seating of the worker's core.
 */
#include <stdio.h>
#include <time.h>

#include "seat_hall.h"

enum {
    SEEDS = 100,
    ROWS = 30,
    BIG_ROWS = 4000,
    BIG_ROW = 50,
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
    return 0;
}
