/*
 * The choice of seats for a party that leaves it to usher. PURE: it knows rows, runs of free seats
 * and strategies, neither the request nor its refusal. It takes no seats.
 *
 * One piece (neighbours in one row) is better than several. Among the places of one piece, one that
 * leaves no orphan is better: an orphan is a single free seat, with taken seats or the row's end on
 * both sides, in the run that the piece is cut from. Among those, by strategy:
 *
 * - best: the lowest sum of ranks, then the first row in chart order (a row without ranks beside
 *   ranked ones: each of its seats counts INT32_MAX; where no row has any, chart order decides). In
 *   the row, of equal sums, the place nearest to its middle (smallest
 *   |2 * first + quantity - (2 * row.first_unit + row.seats)|), the lower of equals.
 * - first: the first row in chart order, in it the lowest place.
 * - random: rows in chart order from row r on, going round: r = splitmix64(seed) % rows; in the
 *   first row that has places, the one at index splitmix64(seed + 1) % places, counted from the
 *   lowest. splitmix64(x) is the first output of the generator with state x.
 *
 * Where no row has room for all and they need not sit together: as few pieces as possible, near the
 * first: the longest run (the first of equals) is taken whole; then again and again, of the runs
 * that allow no more pieces than taking the longest would, the one whose row is nearest to the row
 * of the first piece (the earlier row of equals, the lower run). The last piece is the low end of
 * its run.
 *
 * A pool may spare seats. A party that asks for none of them is seated as if they were taken, and
 * only if it cannot be seated so, as if they were seats like any others.
 *
 * Seats that lack a wanted feature, or have one to be avoided, count as taken for that party.
 */
#include "worker/rules/seating.h"

#include <assert.h>
#include <string.h>

#include "worker/base/bits.h"
#include "worker/base/table.h"

/* ==== Filter ==== */

static void clear(uint64_t *bits, uint32_t from, uint32_t end)
{
    while (from < end) {
        uint32_t word = from / BITS_PER_WORD, next = (word + 1) * BITS_PER_WORD;
        uint64_t mask = UINT64_MAX << from % BITS_PER_WORD;
        if (end < next)
            mask &= bits_mask(end) - 1;
        bits[word] &= ~mask;
        from = next;
    }
}

const struct usher_row_feature *seating_feature_of(const struct seat_row *row, const char *feature)
{
    for (uint32_t i = 0; i < row->feature_count; i++)
        if (strcmp(row->features[i].feature, feature) == 0)
            return &row->features[i];
    return NULL;
}

static void keep_those_with(uint64_t *bits, const struct seat_row *row, const char *feature)
{
    const struct usher_row_feature *found = seating_feature_of(row, feature);
    uint32_t from = row->first_unit;
    for (uint32_t i = 0; found && i < found->seat_count; i++) {
        uint32_t unit = row->first_unit + found->seats[i];
        clear(bits, from, unit);
        from = unit + 1;
    }
    clear(bits, from, row->first_unit + row->seats);
}

static void drop_those_with(uint64_t *bits, const struct seat_row *row, const char *feature)
{
    const struct usher_row_feature *found = seating_feature_of(row, feature);
    for (uint32_t i = 0; found && i < found->seat_count; i++) {
        uint32_t unit = row->first_unit + found->seats[i];
        bits_clear(bits, unit);
    }
}

bool seating_has_feature(const struct seat_row *row, const char *feature, uint32_t place)
{
    const struct usher_row_feature *found = seating_feature_of(row, feature);
    for (uint32_t i = 0; found && i < found->seat_count; i++)
        if (found->seats[i] == place)
            return true;
    return false;
}

bool seating_accepts(const struct pool *pool, const struct party *party, uint32_t unit)
{
    const struct seat_row *row = seats_row_of(pool, unit);
    uint32_t place = unit - row->first_unit;
    for (uint32_t i = 0; i < party->feature_count; i++)
        if (!seating_has_feature(row, party->features[i], place))
            return false;
    for (uint32_t i = 0; i < party->avoid_count; i++)
        if (seating_has_feature(row, party->avoid[i], place))
            return false;
    return true;
}

/* Returns the free seats that the party may have, whatever their features. */
static uint64_t *bits_for(const struct pool *pool, const struct party *party,
                          struct usher_arena *scratch)
{
    size_t size = bits_words(pool->units.count) * sizeof(uint64_t);
    uint64_t *bits = usher_arena_alloc(scratch, size);
    if (!party->among)
        memcpy(bits, party->spare ? pool->plain : seats_free(pool).bits, size);
    for (uint32_t i = 0; party->among && i < party->among_count; i++) {
        uint32_t unit = (uint32_t)party->among[i];
        assert(unit < pool->units.count);
        bits_set(bits, unit);
    }
    return bits;
}

static bool is_choosy(const struct party *party)
{
    return party->feature_count + party->avoid_count > 0 || party->among;
}

const uint64_t *seating_accepted(const struct pool *pool, const struct party *party,
                                 struct usher_arena *scratch)
{
    if (!is_choosy(party))
        return party->spare ? pool->plain : seats_free(pool).bits;
    uint64_t *bits = bits_for(pool, party, scratch);
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        for (uint32_t j = 0; j < party->feature_count; j++)
            keep_those_with(bits, row, party->features[j]);
        for (uint32_t j = 0; j < party->avoid_count; j++)
            drop_those_with(bits, row, party->avoid[j]);
    }
    return bits;
}

/* Returns the free seats that a party would accept; what is made for them lives in `scratch`. */
static struct seat_set seating_set(const struct pool *pool, const struct party *party,
                                   struct usher_arena *scratch)
{
    if (!is_choosy(party))
        return party->spare ? seats_plain(pool) : seats_free(pool);
    return seats_among(pool, seating_accepted(pool, party, scratch), scratch);
}

uint32_t seating_count(const struct pool *pool, const uint64_t *bits)
{
    const struct units *units = &pool->units;
    if (bits == units->open_bits[0])
        return pool_free(pool);
    uint32_t free = 0;
    for (uint32_t word = 0; word < bits_words(units->count); word++)
        free += (uint32_t)__builtin_popcountll(bits[word]);
    return free;
}

uint32_t seating_free(const struct pool *pool, const struct party *party)
{
    struct usher_arena scratch = {0};
    uint32_t free = seating_count(pool, seating_accepted(pool, party, &scratch));
    usher_arena_deinit(&scratch);
    return free;
}

/*
 * ==== Places ====
 *
 * Places for one piece, in a row or in all rows.
 */

/* Writes the units of one piece and returns where the next one goes. */
static int32_t *seating_write(int32_t *units, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        units[i] = (int32_t)(first + i);
    return units + count;
}

/* ---- the places of a run, from the lowest on ---- */

static uint32_t place_count(struct seat_run run, const struct seat_want *want)
{
    if (run.length < want->quantity)
        return 0;
    uint32_t rest = run.length - want->quantity;
    if (want->orphan || rest == 0)
        return rest + 1;
    /* Not at one seat from either end, which would leave an orphan; two seats left: both ends. */
    return rest == 2 ? 2 : rest - 1;
}

static uint32_t place_at(struct seat_run run, const struct seat_want *want, uint32_t index)
{
    assert(index < place_count(run, want));
    if (want->orphan || index == 0)
        return run.first + index;
    bool last = index + 1 == place_count(run, want);
    return last ? run.first + run.length - want->quantity : run.first + index + 1;
}

uint64_t seating_off_middle(const struct seat_row *row, uint32_t first, uint32_t quantity)
{
    int64_t off = 2 * (int64_t)first + quantity - (2 * (int64_t)row->first_unit + row->seats);
    return (uint64_t)(off < 0 ? -off : off);
}

/* Returns the place of a run, which has one, that is nearest to the middle of the row. */
static uint32_t nearest_in(const struct seat_row *row, struct seat_run run,
                           const struct seat_want *want)
{
    assert(place_count(run, want) > 0);
    /* Distances fall and then rise again: the first place that is no farther than its next. */
    uint32_t low = 0, high = place_count(run, want) - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (seating_off_middle(row, place_at(run, want, middle), want->quantity) <=
            seating_off_middle(row, place_at(run, want, middle + 1), want->quantity))
            high = middle;
        else
            low = middle + 1;
    }
    return place_at(run, want, low);
}

/* ---- the places of a row ---- */

/* Returns the next run of the row that has a place; length 0: there is none. */
static struct seat_run next_run(const struct seat_set *set, const struct seat_row *row,
                                uint32_t from, const struct seat_want *want)
{
    struct seat_run run = seat_runs_next(set->bits, row, from);
    while (run.length > 0 && place_count(run, want) == 0)
        run = seat_runs_next(set->bits, row, run.first + run.length);
    return run;
}

static uint32_t seating_lowest(const struct seat_set *set, uint32_t row,
                               const struct seat_want *want)
{
    const struct seat_row *at = &set->pool->seat_rows[row];
    struct seat_run run = next_run(set, at, at->first_unit, want);
    assert(run.length > 0);
    return run.first;
}

/* Returns the place nearest to the middle of the row. */
static uint32_t seating_nearest(const struct seat_set *set, uint32_t row,
                                const struct seat_want *want)
{
    const struct seat_row *at = &set->pool->seat_rows[row];
    uint32_t best = seating_lowest(set, row, want);
    uint64_t best_off = UINT64_MAX;
    struct seat_run run = next_run(set, at, best, want);
    while (run.length > 0) {
        uint32_t first = nearest_in(at, run, want);
        uint64_t off = seating_off_middle(at, first, want->quantity);
        if (off < best_off) {
            best = first;
            best_off = off;
        }
        run = next_run(set, at, run.first + run.length, want);
    }
    return best;
}

/* Returns the place at index `number` % places. */
static uint32_t seating_numbered(const struct seat_set *set, uint32_t row,
                                 const struct seat_want *want, uint64_t number)
{
    const struct seat_row *at = &set->pool->seat_rows[row];
    uint32_t places = 0;
    struct seat_run run = next_run(set, at, at->first_unit, want);
    for (; run.length > 0; run = next_run(set, at, run.first + run.length, want))
        places += place_count(run, want);
    assert(places > 0);
    uint32_t index = (uint32_t)(number % places);
    run = next_run(set, at, at->first_unit, want);
    while (index >= place_count(run, want)) {
        index -= place_count(run, want);
        run = next_run(set, at, run.first + run.length, want);
    }
    return place_at(run, want, index);
}

/* ---- the best ranks ---- */

struct search {
    const struct seat_set *set;
    const struct seat_want *want;
    uint32_t row, first; /* the best so far; none: row UINT32_MAX, sum INT64_MAX */
    int64_t sum;
    uint64_t off;
};

static void offer(struct search *search, uint32_t row, uint32_t first, int64_t sum)
{
    const struct seat_row *at = &search->set->pool->seat_rows[row];
    uint64_t off = seating_off_middle(at, first, search->want->quantity);
    if (sum < search->sum || row < search->row || (row == search->row && off < search->off)) {
        search->row = row;
        search->first = first;
        search->sum = sum;
        search->off = off;
    }
}

static void search_run(struct search *search, uint32_t row, struct seat_run run)
{
    assert(run.length >= search->want->quantity);
    const struct seat_row *at = &search->set->pool->seat_rows[row];
    uint32_t quantity = search->want->quantity, base = run.first - at->first_unit;
    int64_t sum = 0;
    for (uint32_t i = 0; i < quantity; i++)
        sum += seat_rank(at, base + i);
    for (uint32_t start = 0;; start++) {
        uint32_t rest = run.length - quantity - start;
        if (sum <= search->sum && (search->want->orphan || (start != 1 && rest != 1)))
            offer(search, row, run.first + start, sum);
        if (rest == 0)
            break;
        sum += seat_rank(at, base + start + quantity) - (int64_t)seat_rank(at, base + start);
    }
}

static void search_row(struct search *search, uint32_t row)
{
    const struct seat_row *at = &search->set->pool->seat_rows[row];
    struct seat_run run = next_run(search->set, at, at->first_unit, search->want);
    while (run.length > 0) {
        search_run(search, row, run);
        run = next_run(search->set, at, run.first + run.length, search->want);
    }
}

/* Whether a better place than the best so far may be below a node, from row `first` on. */
static bool may_win(const struct search *search, uint32_t node, uint32_t first)
{
    if (!seats_may_hold(search->set, node, search->want))
        return false;
    int64_t least = seats_least_rank(search->set->tree, node, search->want);
    return least < search->sum || (least == search->sum && first < search->row);
}

/* Branches and bounds: the more promising half first, the other only if it may still win. */
static void search_node(struct search *search, uint32_t node, uint32_t first, uint32_t width)
{
    const struct seat_tree *tree = search->set->tree;
    if (!may_win(search, node, first))
        return;
    if (node >= tree->leaves) {
        search_row(search, first);
        return;
    }
    uint32_t half = width / 2;
    bool right = seats_least_rank(tree, 2 * node + 1, search->want) <
                 seats_least_rank(tree, 2 * node, search->want);
    search_node(search, 2 * node + right, first + (right ? half : 0), half);
    search_node(search, 2 * node + !right, first + (right ? 0 : half), half);
}

/* Returns the place with the best ranks. One of the rows has a place. */
static uint32_t seating_ranked(const struct seat_set *set, const struct seat_want *want)
{
    struct search search = {.set = set, .want = want, .row = UINT32_MAX, .sum = INT64_MAX};
    search_node(&search, 1, 0, set->tree->leaves);
    assert(search.row != UINT32_MAX);
    return search.first;
}

/*
 * ==== Splitting ====
 *
 * A party seated in several pieces.
 */

struct split {
    const struct seat_set *set;
    struct seat_run home; /* the first piece */
    uint32_t home_row;
    uint32_t rest;    /* still to be seated */
    uint32_t bound;   /* a run as long as this may be taken */
    uint32_t *counts; /* by length: of the k - 1 longest runs of those not taken … */
    uint32_t lowest;  /* … the length of the shortest; 0: k is 1 */
    uint32_t longest;
    uint32_t pieces;
    int32_t *units;
};

/* Returns the next run of the row that is not the first piece and at least `length` long. */
static struct seat_run next_split_run(const struct split *split, const struct seat_row *row,
                                      uint32_t from, uint32_t length)
{
    struct seat_run run = seat_runs_next(split->set->bits, row, from);
    while (run.length > 0 && (run.length < length || run.first == split->home.first))
        run = seat_runs_next(split->set->bits, row, run.first + run.length);
    return run;
}

static void take_home(struct split *split)
{
    const struct seat_set *set = split->set;
    const struct seat_want want = {set->tree->nodes[1].longest, true};
    assert(want.quantity > 0 && want.quantity < split->rest); /* no row has room for all */
    split->longest = want.quantity;
    split->home_row = seats_next_row(set, 0, &want);
    split->home.first = seating_lowest(set, split->home_row, &want);
    split->home.length = want.quantity;
    split->units = seating_write(split->units, split->home.first, want.quantity);
    split->rest -= want.quantity;
    split->pieces = 1;
}

/* Counts the runs of that length, up to `limit`. */
static uint32_t count_runs(const struct split *split, uint32_t length, uint32_t limit)
{
    assert(length > 0);
    const struct seat_want want = {length, true};
    const struct pool *pool = split->set->pool;
    uint32_t count = 0;
    uint32_t row = seats_next_row(split->set, 0, &want);
    while (row < pool->seat_row_count && count < limit) {
        const struct seat_row *at = &pool->seat_rows[row];
        struct seat_run run = next_split_run(split, at, at->first_unit, length);
        for (; run.length > 0; run = next_split_run(split, at, run.first + run.length, length))
            count += run.length == length;
        row = seats_next_row(split->set, row + 1, &want);
    }
    return count < limit ? count : limit;
}

static void raise_lowest(struct split *split)
{
    while (split->lowest <= split->longest && split->counts[split->lowest] == 0)
        split->lowest++;
    if (split->lowest > split->longest)
        split->lowest = 0;
}

/* Finds the k longest runs; all but one of the shortest of them are counted. */
static void find_longest(struct split *split, struct usher_arena *scratch)
{
    split->counts = usher_arena_alloc(scratch, (split->longest + 1) * sizeof *split->counts);
    uint32_t rest = split->rest, length = split->longest + 1;
    while (rest > 0) {
        assert(length > 1);
        length--;
        uint32_t enough = rest / length + (rest % length != 0);
        uint32_t count = count_runs(split, length, enough);
        split->counts[length] = count;
        split->bound = rest - (count > 0 ? count - 1 : 0) * length;
        rest = count == enough ? 0 : rest - count * length;
    }
    split->counts[length]--;
    split->lowest = length;
    raise_lowest(split);
}

static void take_run(struct split *split, struct seat_run run)
{
    assert(run.length > 0 && split->rest > 0);
    uint32_t count = run.length < split->rest ? run.length : split->rest;
    split->units = seating_write(split->units, run.first, count);
    split->rest -= count;
    split->pieces++;
    if (split->lowest == 0)
        return;
    if (run.length < split->lowest) {
        split->bound += split->lowest - run.length;
        split->counts[split->lowest]--;
    } else {
        split->counts[run.length]--;
    }
    raise_lowest(split);
}

static void take_from_row(struct split *split, uint32_t row)
{
    const struct seat_row *at = &split->set->pool->seat_rows[row];
    uint32_t from = at->first_unit;
    while (split->rest > 0) {
        struct seat_run run = next_split_run(split, at, from, split->bound);
        if (run.length == 0)
            break;
        take_run(split, run);
        from = run.first + run.length;
    }
}

/*
 * Writes the units of a party that no row has room for; there are enough in all. Returns the number
 * of pieces.
 */
static uint32_t seating_split(const struct seat_set *set, uint32_t quantity,
                              struct usher_arena *scratch, int32_t *units)
{
    struct split split = {.set = set, .rest = quantity, .units = units};
    take_home(&split);
    find_longest(&split, scratch);
    uint32_t rows = set->pool->seat_row_count;
    uint32_t end = split.home_row + 1, from = end; /* rows in between were looked at */
    while (split.rest > 0) {
        const struct seat_want want = {split.bound, true};
        uint32_t above = seats_previous_row(set, end, split.bound);
        uint32_t below = seats_next_row(set, from, &want);
        bool up = above != UINT32_MAX &&
                  (below == rows || split.home_row - above <= below - split.home_row);
        assert(up || below < rows);
        take_from_row(&split, up ? above : below);
        if (up)
            end = above;
        else
            from = below + 1;
    }
    return split.pieces;
}

/* ==== Seating ==== */

static uint32_t random_place(const struct seat_set *set, uint64_t seed,
                             const struct seat_want *want)
{
    assert(set->pool->seat_row_count > 0);
    uint32_t rows = set->pool->seat_row_count;
    uint32_t row = seats_next_row(set, (uint32_t)(table_hash_number(seed) % rows), want);
    if (row == rows)
        row = seats_next_row(set, 0, want);
    return seating_numbered(set, row, want, table_hash_number(seed + 1));
}

/* Returns the unit at which the piece begins; units.count: there is no place. */
static uint32_t choose_place(const struct seat_set *set, const struct party *party,
                             const struct seat_want *want)
{
    uint32_t row = seats_next_row(set, 0, want);
    if (row == set->pool->seat_row_count)
        return set->pool->units.count;
    if (party->strategy == USHER_FIRST)
        return seating_lowest(set, row, want);
    if (party->strategy == USHER_RANDOM)
        return random_place(set, party->seed, want);
    return set->tree->ranked ? seating_ranked(set, want) : seating_nearest(set, row, want);
}

/* Chooses among all seats that the party may have, or but those that are not spared. */
static struct seating choose(const struct pool *pool, const struct party *party,
                             struct usher_arena *scratch, int32_t *units)
{
    assert(party->quantity > 0);
    const struct seat_set set = seating_set(pool, party, scratch);
    struct seat_want want = {.quantity = party->quantity};
    uint32_t first = choose_place(&set, party, &want);
    if (first == pool->units.count) {
        want.orphan = true;
        first = choose_place(&set, party, &want);
    }
    if (first < pool->units.count) {
        seating_write(units, first, party->quantity);
        return (struct seating){1, want.orphan};
    }
    if (party->together || seating_count(pool, set.bits) < party->quantity)
        return (struct seating){0};
    return (struct seating){seating_split(&set, party->quantity, scratch, units), false};
}

struct seating seating_choose(const struct pool *pool, const struct party *party,
                              struct usher_arena *scratch, int32_t *units)
{
    struct seating seating = choose(pool, party, scratch, units);
    if (seating.pieces > 0 || !party->spare)
        return seating;
    struct party any = *party;
    any.spare = false;
    return choose(pool, &any, scratch, units);
}

uint32_t seating_longest(const struct pool *pool, const struct party *party)
{
    struct usher_arena scratch = {0};
    const struct seat_set set = seating_set(pool, party, &scratch);
    uint32_t longest = set.tree->nodes[1].longest;
    usher_arena_deinit(&scratch);
    return longest;
}
