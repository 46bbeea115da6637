/*
 * All places are tried, all pieces counted, as the words of seating.h say.
 */
#include "naive_seating.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The hall as a list of seats, as the party at hand sees it. */
struct naive {
    uint32_t count, row_count;
    uint32_t row_of[NAIVE_SEATS_MAX], row_first[NAIVE_SEATS_MAX], row_seats[NAIVE_SEATS_MAX];
    bool open[NAIVE_SEATS_MAX];
    int64_t rank[NAIVE_SEATS_MAX];
};

static struct naive naive;

/* ---- places of one piece ---- */

static bool is_open(uint32_t row, int64_t unit)
{
    return unit >= 0 && unit < naive.count && naive.row_of[unit] == row && naive.open[unit];
}

static bool is_place(uint32_t first, uint32_t quantity)
{
    for (uint32_t i = 0; i < quantity; i++)
        if (first + i >= naive.count || !is_open(naive.row_of[first], first + i))
            return false;
    return true;
}

/* Whether the seat is free and, once the place is taken, alone. */
static bool is_alone(uint32_t row, int64_t unit, int64_t first, int64_t end)
{
    bool before = is_open(row, unit - 1) && (unit - 1 < first || unit - 1 >= end);
    bool behind = is_open(row, unit + 1) && (unit + 1 < first || unit + 1 >= end);
    return is_open(row, unit) && !before && !behind;
}

static bool has_orphan(uint32_t first, uint32_t quantity)
{
    uint32_t row = naive.row_of[first];
    int64_t end = (int64_t)first + quantity;
    return is_alone(row, (int64_t)first - 1, first, end) || is_alone(row, end, first, end);
}

static uint64_t splitmix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int64_t rank_sum(uint32_t first, uint32_t quantity)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < quantity; i++)
        sum += naive.rank[first + i];
    return sum;
}

static int64_t off_middle(uint32_t first, uint32_t quantity)
{
    uint32_t row = naive.row_of[first];
    return llabs(2 * (int64_t)first + quantity -
                 (2 * (int64_t)naive.row_first[row] + naive.row_seats[row]));
}

/* Whether a place is better than another, which is lower. */
static bool is_better(uint32_t a, uint32_t b, const struct party *party)
{
    if (party->strategy == USHER_FIRST)
        return false;
    int64_t sum_a = rank_sum(a, party->quantity), sum_b = rank_sum(b, party->quantity);
    if (sum_a != sum_b)
        return sum_a < sum_b;
    return naive.row_of[a] == naive.row_of[b] &&
           off_middle(a, party->quantity) < off_middle(b, party->quantity);
}

/* Places are listed from the lowest on. */
static uint32_t random_of(const uint32_t *places, uint32_t count, uint64_t seed)
{
    uint32_t row = (uint32_t)(splitmix64(seed) % naive.row_count);
    for (;; row = (row + 1) % naive.row_count) {
        uint32_t in_row = 0, begin = 0;
        for (uint32_t i = 0; i < count; i++) {
            begin += naive.row_of[places[i]] < row;
            in_row += naive.row_of[places[i]] == row;
        }
        if (in_row > 0)
            return places[begin + splitmix64(seed + 1) % in_row];
    }
}

static bool choose_piece(const struct party *party, bool orphans, int32_t *units)
{
    uint32_t places[NAIVE_SEATS_MAX], count = 0;
    for (uint32_t first = 0; first < naive.count; first++)
        if (is_place(first, party->quantity) && (orphans || !has_orphan(first, party->quantity)))
            places[count++] = first;
    if (count == 0)
        return false;
    uint32_t best = places[0];
    for (uint32_t i = 1; i < count; i++)
        if (is_better(places[i], best, party))
            best = places[i];
    if (party->strategy == USHER_RANDOM)
        best = random_of(places, count, party->seed);
    for (uint32_t i = 0; i < party->quantity; i++)
        units[i] = (int32_t)(best + i);
    return true;
}

/* ---- several pieces ---- */

static uint32_t run_at(uint32_t first)
{
    uint32_t length = 0, row = naive.row_of[first];
    while (!is_open(row, (int64_t)first - 1) && is_open(row, first + length))
        length++;
    return length;
}

static int longer(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left < right) - (left > right);
}

/* The fewest pieces for a rest beside a run that is taken. */
static uint32_t fewest(uint32_t rest, uint32_t without)
{
    uint32_t lengths[NAIVE_SEATS_MAX], count = 0, pieces = 0;
    for (uint32_t i = 0; i < naive.count; i++)
        if (i != without && run_at(i) > 0)
            lengths[count++] = run_at(i);
    qsort(lengths, count, sizeof(*lengths), longer);
    while (rest > 0) {
        assert(pieces < count);
        rest -= lengths[pieces] < rest ? lengths[pieces] : rest;
        pieces++;
    }
    return pieces;
}

static uint32_t pieces_with(uint32_t run, uint32_t rest)
{
    uint32_t length = run_at(run);
    return 1 + (length < rest ? fewest(rest - length, run) : 0);
}

/* The first of the longest runs. */
static uint32_t longest_run(void)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < naive.count; i++)
        if (run_at(i) > run_at(best))
            best = i;
    return best;
}

static uint32_t distance(uint32_t unit, uint32_t home)
{
    return (uint32_t)abs((int)naive.row_of[unit] - (int)naive.row_of[home]);
}

static uint32_t next_piece(uint32_t rest, uint32_t home)
{
    uint32_t least = pieces_with(longest_run(), rest), best = naive.count;
    for (uint32_t i = 0; i < naive.count; i++)
        if (run_at(i) > 0 && pieces_with(i, rest) <= least &&
            (best == naive.count || distance(i, home) < distance(best, home)))
            best = i;
    return best;
}

static uint32_t choose_pieces(uint32_t quantity, int32_t *units)
{
    uint32_t home = longest_run(), pieces = 0;
    for (uint32_t rest = quantity; rest > 0; pieces++) {
        uint32_t piece = pieces == 0 ? home : next_piece(rest, home);
        uint32_t count = run_at(piece) < rest ? run_at(piece) : rest;
        for (uint32_t i = 0; i < count; i++)
            *units++ = (int32_t)(piece + i);
        for (uint32_t i = 0; i < count; i++)
            naive.open[piece + i] = false;
        rest -= count;
    }
    return pieces;
}

/* ---- the hall as a party sees it ---- */

static bool has(const struct seat_row *row, const char *feature, uint32_t place)
{
    for (uint32_t i = 0; i < row->feature_count; i++)
        for (uint32_t j = 0; j < row->features[i].seat_count; j++)
            if (strcmp(row->features[i].feature, feature) == 0 &&
                row->features[i].seats[j] == place)
                return true;
    return false;
}

static bool is_wanted(const struct seat_row *row, uint32_t place, const struct party *party)
{
    for (uint32_t i = 0; i < party->feature_count; i++)
        if (!has(row, party->features[i], place))
            return false;
    for (uint32_t i = 0; i < party->avoid_count; i++)
        if (has(row, party->avoid[i], place))
            return false;
    return true;
}

void naive_see(const struct pool *pool, const struct party *party)
{
    assert(pool->units.count <= NAIVE_SEATS_MAX);
    naive.count = 0;
    naive.row_count = pool->seat_row_count;
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        naive.row_first[i] = naive.count;
        naive.row_seats[i] = row->seats;
        for (uint32_t place = 0; place < row->seats; place++) {
            uint32_t unit = naive.count++;
            naive.row_of[unit] = i;
            naive.rank[unit] = row->ranks ? row->ranks[place] : INT32_MAX;
            bool spared = party->spare && has(row, USHER_SPARED, place);
            naive.open[unit] =
                units_is_free(&pool->units, unit) && is_wanted(row, place, party) && !spared;
        }
    }
}

/* ---- what is asked ---- */

uint32_t naive_free(void)
{
    uint32_t free = 0;
    for (uint32_t unit = 0; unit < naive.count; unit++)
        free += naive.open[unit];
    return free;
}

uint32_t naive_longest(void)
{
    return run_at(longest_run());
}

struct seating naive_choose(const struct party *party, int32_t *units)
{
    if (choose_piece(party, false, units))
        return (struct seating){1, false};
    if (choose_piece(party, true, units))
        return (struct seating){1, true};
    if (party->together || naive_free() < party->quantity)
        return (struct seating){0, false};
    return (struct seating){choose_pieces(party->quantity, units), false};
}

int64_t naive_lowest_sum(uint32_t row, uint32_t quantity)
{
    int64_t lowest[2] = {INT64_MAX, INT64_MAX};
    for (uint32_t first = 0; first < naive.count; first++) {
        if (naive.row_of[first] != row || !is_place(first, quantity))
            continue;
        int64_t sum = rank_sum(first, quantity);
        int64_t *of_kind = &lowest[has_orphan(first, quantity)];
        *of_kind = sum < *of_kind ? sum : *of_kind;
    }
    return lowest[0] < INT64_MAX ? lowest[0] : lowest[1];
}
