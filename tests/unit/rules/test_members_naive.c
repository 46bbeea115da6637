/*
 * Parties of several kinds against brute force: every pattern of free seats in small halls, and
 * halls at random; every choice compared with one made by trying all places, all assignments.
 */
#include <stdlib.h>
#include <string.h>

#include "seat_hall.h"
#include "tests/unit/unit.h"
#include "worker/rules/members.h"

enum {
    SEATS_MAX = 64,
    PARTY_MAX = 6,
};

static struct seat_hall hall;

/* ==== Brute force ==== */

/* The hall as the party sees it, and who is in the party: one after another. */
static struct naive {
    const struct party *party;
    uint32_t count;
    uint32_t row_of[SEATS_MAX];
    bool free[SEATS_MAX];
    uint32_t quantity;
    const struct usher_member *who[PARTY_MAX];
} naive;

static bool has(uint32_t unit, const char *feature)
{
    const struct seat_row *row = &hall.pool.seat_rows[naive.row_of[unit]];
    for (uint32_t i = 0; i < row->feature_count; i++)
        for (uint32_t j = 0; j < row->features[i].seat_count; j++)
            if (strcmp(row->features[i].feature, feature) == 0 &&
                row->first_unit + row->features[i].seats[j] == unit)
                return true;
    return false;
}

static bool suits(uint32_t unit, const struct usher_member *member)
{
    bool all = true;
    for (uint32_t i = 0; i < member->feature_count; i++)
        all = all && has(unit, member->features[i]);
    return all;
}

static bool is_wanted(uint32_t unit)
{
    bool wanted = false;
    for (uint32_t i = 0; i < naive.party->member_count; i++)
        wanted = wanted || (naive.party->members[i].feature_count > 0 &&
                            suits(unit, &naive.party->members[i]));
    return wanted;
}

static void see(const struct party *party)
{
    naive = (struct naive){.party = party};
    for (uint32_t row = 0; row < hall.pool.seat_row_count; row++)
        for (uint32_t i = 0; i < hall.pool.seat_rows[row].seats; i++)
            naive.row_of[naive.count++] = row;
    for (uint32_t unit = 0; unit < naive.count; unit++) {
        naive.free[unit] = units_is_free(&hall.pool.units, unit);
        for (uint32_t i = 0; i < party->avoid_count; i++)
            naive.free[unit] = naive.free[unit] && !has(unit, party->avoid[i]);
        naive.free[unit] = naive.free[unit] && !(party->spare && has(unit, USHER_SPARED));
    }
    for (uint32_t i = 0; i < party->member_count; i++)
        for (uint32_t j = 0; j < party->members[i].quantity; j++)
            naive.who[naive.quantity++] = &party->members[i];
}

/* Those of the party who have no seat yet, and the seats that nobody has. */
struct rest {
    bool waits[PARTY_MAX], open[SEATS_MAX];
};

/* How many of those who wait can be seated at most: each in turn gets a seat or none. */
static uint32_t most_seated(const struct rest *rest, uint32_t from)
{
    while (from < naive.quantity && !rest->waits[from])
        from++;
    if (from == naive.quantity)
        return 0;
    /* Seats of the same features are the same: one of each will do. */
    uint32_t best = 0, waiting = 0;
    for (uint32_t i = from; i < naive.quantity; i++)
        waiting += rest->waits[i];
    for (uint32_t unit = 0; unit < naive.count && best < waiting; unit++) {
        if (!rest->open[unit] || !suits(unit, naive.who[from]))
            continue;
        bool seen = false;
        for (uint32_t other = 0; other < unit && !seen; other++)
            seen = rest->open[other] && has(other, "w") == has(unit, "w") &&
                   has(other, "a") == has(unit, "a");
        if (seen)
            continue;
        struct rest next = *rest;
        next.waits[from] = next.open[unit] = false;
        uint32_t seated = 1 + most_seated(&next, from + 1);
        best = seated > best ? seated : best;
    }
    if (best < waiting) {
        uint32_t seated = most_seated(rest, from + 1);
        best = seated > best ? seated : best;
    }
    return best;
}

static uint32_t waiting_of(const struct rest *rest)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < naive.quantity; i++)
        waiting += rest->waits[i];
    return waiting;
}

/* Whether all who wait can be seated so that these seats are all used, by trying who has each. */
static bool can_use(const struct rest *rest, const uint32_t *units, uint32_t count)
{
    if (count == 0)
        return most_seated(rest, 0) == waiting_of(rest);
    for (uint32_t i = 0; i < naive.quantity; i++) {
        bool same = i > 0 && naive.who[i - 1] == naive.who[i] && rest->waits[i - 1];
        if (!rest->waits[i] || same || !suits(units[0], naive.who[i]))
            continue;
        struct rest next = *rest;
        next.waits[i] = next.open[units[0]] = false;
        if (can_use(&next, units + 1, count - 1))
            return true;
    }
    return false;
}

static struct rest everybody(void)
{
    struct rest rest = {{false}, {false}};
    for (uint32_t i = 0; i < naive.quantity; i++)
        rest.waits[i] = true;
    memcpy(rest.open, naive.free, sizeof rest.open);
    return rest;
}

/* ---- one piece ---- */

static bool is_free(uint32_t row, int64_t unit)
{
    return unit >= 0 && unit < naive.count && naive.row_of[unit] == row && naive.free[unit];
}

static bool is_place(uint32_t first, uint32_t count)
{
    bool place = true;
    for (uint32_t i = 0; i < count; i++)
        place = place && is_free(naive.row_of[first], (int64_t)first + i);
    return place;
}

struct key {
    uint32_t suited;
    bool orphan;
    int64_t sum;
    uint32_t row;
    int64_t off;
    uint32_t first;
};

static struct key key_of(uint32_t first)
{
    uint32_t row = naive.row_of[first];
    const struct seat_row *at = &hall.pool.seat_rows[row];
    int64_t end = (int64_t)first + naive.quantity;
    struct key key = {.row = row, .first = first};
    for (uint32_t i = 0; i < naive.quantity; i++) {
        key.suited += is_wanted(first + i);
        key.sum += at->ranks ? at->ranks[first + i - at->first_unit] : INT32_MAX;
    }
    key.orphan = (is_free(row, (int64_t)first - 1) && !is_free(row, (int64_t)first - 2)) ||
                 (is_free(row, end) && !is_free(row, end + 1));
    key.off = llabs(2 * (int64_t)first + naive.quantity - 2 * (int64_t)at->first_unit - at->seats);
    return key;
}

static bool is_as_good(const struct key *a, const struct key *b)
{
    return a->suited == b->suited && a->orphan == b->orphan;
}

static bool is_better(const struct key *a, const struct key *b)
{
    if (a->suited != b->suited)
        return a->suited < b->suited;
    if (a->orphan != b->orphan)
        return b->orphan;
    if (naive.party->strategy == USHER_BEST && a->sum != b->sum)
        return a->sum < b->sum;
    if (naive.party->strategy == USHER_BEST && a->row == b->row && a->off != b->off)
        return a->off < b->off;
    return a->first < b->first;
}

static uint64_t splitmix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static struct key any_of(const struct key *keys, uint32_t count, uint64_t seed)
{
    uint32_t rows = hall.pool.seat_row_count, row = (uint32_t)(splitmix64(seed) % rows);
    for (;; row = (row + 1) % rows) {
        uint32_t in_row[SEATS_MAX], found = 0;
        for (uint32_t i = 0; i < count; i++)
            if (keys[i].row == row)
                in_row[found++] = i;
        if (found > 0)
            return keys[in_row[splitmix64(seed + 1) % found]];
    }
}

static struct seating one_piece(uint32_t *units)
{
    struct key keys[SEATS_MAX], best = {.suited = UINT32_MAX};
    uint32_t count = 0, good = 0;
    for (uint32_t first = 0; first + naive.quantity <= naive.count; first++) {
        uint32_t place[PARTY_MAX];
        for (uint32_t i = 0; i < naive.quantity; i++)
            place[i] = first + i;
        const struct rest rest = everybody();
        if (!is_place(first, naive.quantity) || !can_use(&rest, place, naive.quantity))
            continue;
        keys[count++] = key_of(first);
        if (best.suited == UINT32_MAX || is_better(&keys[count - 1], &best))
            best = keys[count - 1];
    }
    if (count == 0)
        return (struct seating){0, false};
    for (uint32_t i = 0; i < count; i++)
        if (is_as_good(&keys[i], &best))
            keys[good++] = keys[i];
    if (naive.party->strategy == USHER_RANDOM)
        best = any_of(keys, good, naive.party->seed);
    for (uint32_t i = 0; i < naive.quantity; i++)
        units[i] = best.first + i;
    return (struct seating){1, best.orphan};
}

/* ---- several pieces ---- */

static uint32_t distance(uint32_t unit, uint32_t home)
{
    return (uint32_t)abs((int)naive.row_of[unit] - (int)home);
}

/* Adds the piece of that length that comes first; false: there is none. */
static bool add_piece(uint32_t *units, uint32_t *count, uint32_t length, uint32_t *home)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t first = 0; first + length <= naive.count; first++) {
        bool place = is_place(first, length), nearer = true;
        for (uint32_t i = 0; i < *count; i++)
            place = place && (units[i] < first || units[i] >= first + length);
        for (uint32_t i = 0; i < length; i++)
            units[*count + i] = first + i;
        const struct rest rest = everybody();
        if (!place || !can_use(&rest, units, *count + length))
            continue;
        if (best != UINT32_MAX && *home != UINT32_MAX)
            nearer = distance(first, *home) < distance(best, *home);
        else
            nearer = best == UINT32_MAX;
        best = nearer ? first : best;
    }
    if (best == UINT32_MAX)
        return false;
    *home = *home == UINT32_MAX ? naive.row_of[best] : *home;
    for (uint32_t i = 0; i < length; i++)
        units[(*count)++] = best + i;
    return true;
}

static uint32_t several_pieces(uint32_t *units, uint32_t kept)
{
    uint32_t home = kept > 0 ? naive.row_of[units[0]] : UINT32_MAX, pieces = 0;
    for (uint32_t count = kept; count < naive.quantity; pieces++) {
        uint32_t length = naive.quantity - count;
        while (!add_piece(units, &count, length, &home))
            length--;
        assert_true(length > 0);
    }
    return pieces;
}

/* ---- all of it ---- */

static void assign(uint32_t *units)
{
    struct rest rest = everybody();
    uint32_t had[PARTY_MAX];
    memcpy(had, units, naive.quantity * sizeof *units);
    memset(rest.open, 0, sizeof rest.open);
    for (uint32_t i = 0; i < naive.quantity; i++)
        rest.open[had[i]] = true;
    for (uint32_t i = 0; i < naive.quantity; i++) {
        rest.waits[i] = false;
        for (uint32_t j = 0; j < naive.quantity; j++) {
            if (!rest.open[had[j]] || !suits(had[j], naive.who[i]))
                continue;
            rest.open[had[j]] = false;
            if (most_seated(&rest, 0) == waiting_of(&rest)) {
                units[i] = had[j];
                break;
            }
            rest.open[had[j]] = true;
        }
    }
}

static struct seating seat(uint32_t *units, uint32_t kept)
{
    struct seating seating = {0, false};
    if (kept == 0)
        seating = one_piece(units);
    if (seating.pieces == 0 && !naive.party->together)
        seating.pieces = several_pieces(units, kept);
    if (seating.pieces > 0)
        assign(units);
    return seating;
}

/* ==== Both ways ==== */

/* The last one to be seated leaves its seats in `units`. */
static void compare(const struct party *party, uint32_t kept, int32_t *units)
{
    static struct members members;
    uint32_t expected[PARTY_MAX] = {0}, free = 0;
    see(party);
    const struct rest rest = everybody();
    members_see(&members, &hall.pool, party, &hall.scratch);
    for (uint32_t unit = 0; unit < naive.count; unit++)
        free += naive.free[unit];
    uint32_t seated = most_seated(&rest, 0);
    assert_int_equal(seated < party->quantity ? seated : free, members_free(&members));
    for (uint32_t i = 0; i < kept; i++)
        expected[i] = (uint32_t)units[i];
    bool usable = seated == party->quantity && can_use(&rest, expected, kept);
    if (seated == party->quantity && kept > 0)
        assert_int_equal(usable, members_use(&members, units, kept));
    if (usable) {
        const struct seating seating = members_seat(&members, kept, units);
        const struct seating as = seat(expected, kept);
        assert_int_equal(as.pieces, seating.pieces);
        assert_int_equal(as.orphan, seating.orphan);
        for (uint32_t i = 0; seating.pieces > 0 && i < party->quantity; i++)
            assert_int_equal(expected[i], units[i]);
    }
    usher_arena_reset(&hall.scratch);
}

/* ---- parties ---- */

static const char *const w[] = {"w"}, *const a[] = {"a"}, *const both[] = {"w", "a"},
                         *const both_again[] = {"a", "w"};

#define ONE(count, of)                                                         \
    {                                                                          \
        .quantity = (count), .features = (of), .feature_count = sizeof(of) / 8 \
    }
#define ANY(count)          \
    {                       \
        .quantity = (count) \
    }

static const struct usher_member kinds[][5] = {
    {ONE(1, w)},
    {ANY(1), ONE(1, w)},
    {ANY(2), ANY(1), ONE(1, w)},
    {ONE(2, w), ANY(1)},
    {ONE(1, w), ONE(1, a)},
    {ONE(1, a), ANY(1), ONE(1, w), ANY(1)},
    {ONE(1, w), ONE(1, both), ONE(1, a)},
    {ONE(1, both), ANY(2), ONE(1, both_again)},
    {ONE(2, w), ONE(1, both)},
};

static const struct party wishes[] = {
    {.strategy = USHER_BEST},
    {.strategy = USHER_BEST, .together = true},
    {.strategy = USHER_FIRST},
    {.strategy = USHER_RANDOM},
    {.strategy = USHER_BEST, .avoid = a, .avoid_count = 1},
    {.strategy = USHER_BEST, .spare = true},
};

static struct party party_of(size_t kind, size_t wish, uint64_t seed)
{
    struct party party = wishes[wish];
    party.seed = seed;
    party.members = kinds[kind];
    for (const struct usher_member *member = kinds[kind]; member->quantity > 0; member++) {
        party.quantity += member->quantity;
        party.member_count++;
    }
    return party;
}

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static void compare_all_parties(uint64_t seed)
{
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++)
        for (size_t wish = 0; wish < COUNT_OF(wishes); wish++) {
            int32_t units[PARTY_MAX];
            const struct party party = party_of(kind, wish, seed);
            compare(&party, 0, units);
        }
}

/* ---- halls ---- */

static void give_features(struct seat_row *row)
{
    static const char *const names[] = {"w", "a", USHER_SPARED};
    struct usher_row_feature *features = usher_arena_alloc(&hall.arena, 3 * sizeof *features);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t *seats = usher_arena_alloc(&hall.arena, row->seats * sizeof *seats);
        for (uint32_t place = 0; place < row->seats; place++)
            if (seat_hall_dice(&hall, 3) == 0)
                seats[features[i].seat_count++] = place;
        features[i].feature = names[i];
        features[i].seats = seats;
    }
    row->features = features;
    row->feature_count = 3;
}

static void furnish(bool ranked)
{
    for (uint32_t i = 0; i < hall.pool.seat_row_count; i++) {
        struct seat_row *row = &hall.pool.seat_rows[i];
        give_features(row);
        if (!ranked || seat_hall_dice(&hall, 4) == 0)
            continue;
        int32_t *ranks = usher_arena_alloc(&hall.arena, row->seats * sizeof *ranks);
        for (uint32_t place = 0; place < row->seats; place++)
            ranks[place] = (int32_t)seat_hall_dice(&hall, 5) - 2;
        row->ranks = ranks;
    }
    hall.pool.row.spares = true;
    seat_hall_arrange(&hall);
}

static void toggle(int32_t unit)
{
    if (units_is_free(&hall.pool.units, (uint32_t)unit))
        seat_hall_take(&hall, &unit, 1);
    else
        seat_hall_give(&hall, &unit, 1);
}

static const struct {
    uint32_t rows, seats[4];
} halls[] = {{1, {7}}, {2, {5, 3}}, {3, {3, 3, 2}}, {4, {1, 2, 3, 2}}};

/* Gray code: each pattern differs from the one before in one seat. */
static void every_pattern_is_seated_as_brute_force_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(halls); i++) {
        seat_hall_open(&hall, halls[i / 2].seats, halls[i / 2].rows);
        hall.dice = i + 1;
        furnish(i % 2);
        for (uint32_t step = 1; step < UINT32_C(1) << hall.pool.units.count; step++) {
            compare_all_parties(step);
            toggle(__builtin_ctz(step));
        }
        seat_hall_close(&hall);
    }
}

static void open_at_random(uint64_t seed)
{
    uint32_t seats[6];
    hall.dice = seed;
    uint32_t rows = 2 + seat_hall_dice(&hall, 4);
    for (uint32_t i = 0; i < rows; i++)
        seats[i] = 3 + seat_hall_dice(&hall, 8);
    seat_hall_open(&hall, seats, rows);
    hall.dice = seed;
    furnish(seed % 2);
}

/* Some of the party has seats already, which are free for it. */
static void some_keep_theirs(uint64_t seed)
{
    const struct party party = party_of(seat_hall_dice(&hall, COUNT_OF(kinds)), 0, seed);
    int32_t units[PARTY_MAX];
    uint32_t kept = 0;
    for (uint32_t unit = seat_hall_dice(&hall, hall.pool.units.count);
         kept + 1 < party.quantity && unit < hall.pool.units.count; unit++)
        if (units_is_free(&hall.pool.units, unit) && seat_hall_dice(&hall, 2))
            units[kept++] = (int32_t)unit;
    compare(&party, kept, units);
}

static void halls_at_random_are_seated_as_brute_force_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        open_at_random(seed);
        for (uint32_t step = 0; step < 60; step++) {
            toggle((int32_t)seat_hall_dice(&hall, hall.pool.units.count));
            toggle((int32_t)seat_hall_dice(&hall, hall.pool.units.count));
            int32_t units[PARTY_MAX];
            const struct party party =
                party_of(seat_hall_dice(&hall, COUNT_OF(kinds)),
                         seat_hall_dice(&hall, COUNT_OF(wishes)), seed * 1000 + step);
            compare(&party, 0, units);
            some_keep_theirs(step);
        }
        seat_hall_close(&hall);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_pattern_is_seated_as_brute_force_does),
    cmocka_unit_test(halls_at_random_are_seated_as_brute_force_does),
};
UNIT_TESTS(test_members_naive, tests, NULL, NULL)
