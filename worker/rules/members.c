/*
 * The seats of a party whose members need different features: see members.h. Whether seats can be
 * used is Hall's theorem: so many seats go to as many members if, for each set of classes, those
 * that suit none of them are no more than the members of none of them. If all members can be
 * seated somewhere, and seats can all be used, then all can be seated so that these are used
 * (Mendelsohn and Dulmage). PURE.
 */
#include "worker/rules/members.h"

#include <assert.h>
#include <string.h>

#include "worker/base/bits.h"
#include "worker/base/table.h"
#include "worker/base/texts.h"
#include "worker/inventory/seats.h"

/* ==== Classes ==== */

bool members_need(const struct usher_member *members, uint32_t count)
{
    bool need = false;
    for (uint32_t i = 0; !need && i < count; i++)
        need = members[i].feature_count > 0;
    return need;
}

static bool need_the_same(const struct usher_member *one, const struct usher_member *other)
{
    return texts_have_all(one->features, one->feature_count, other->features,
                          other->feature_count) &&
           texts_have_all(other->features, other->feature_count, one->features, one->feature_count);
}

static void classify(struct members *members)
{
    const struct party *party = members->party;
    assert(party->member_count <= USHER_MEMBERS_MAX);
    for (uint32_t i = 0; i < party->member_count; i++) {
        const struct usher_member *member = &party->members[i];
        uint32_t class = 0;
        while (class < members->class_count && !need_the_same(members->of[class], member))
            class ++;
        members->classes[i] = member->feature_count > 0 ? 1U << class : 0;
        if (member->feature_count > 0 && class == members->class_count)
            members->of[members->class_count++] = member;
    }
    members->set_count = 1U << members->class_count;
    for (uint32_t set = 0; set < members->set_count; set++)
        for (uint32_t i = 0; i < party->member_count; i++)
            members->others[set] +=
                (members->classes[i] & set) == 0 ? party->members[i].quantity : 0;
}

/* ==== Seats ==== */

static bool has_others(const struct seat_row *row, const struct usher_member *member,
                       uint32_t place)
{
    bool has = true;
    for (uint32_t i = 1; has && i < member->feature_count; i++)
        has = seating_has_feature(row, member->features[i], place);
    return has;
}

/* Notes the seats of a row that suit a class. */
static void see_class(struct members *members, uint32_t row, uint32_t class)
{
    const struct seat_row *at = &members->pool->seat_rows[row];
    const struct usher_member *member = members->of[class];
    const struct usher_row_feature *found = seating_feature_of(at, member->features[0]);
    for (uint32_t i = 0; found && i < found->seat_count; i++) {
        uint32_t unit = at->first_unit + found->seats[i];
        if (!bits_has(members->bits, unit) || !has_others(at, member, found->seats[i]))
            continue;
        members->suits[unit] |= (uint16_t)(1U << class);
        bits_set(members->suited_bits, unit);
        members->row_suits[row] |= (uint16_t)(1U << class);
    }
}

static void count_row(struct members *members, uint32_t row)
{
    const struct seat_row *at = &members->pool->seat_rows[row];
    uint32_t end = at->first_unit + at->seats;
    uint32_t unit = bits_next(members->suited_bits, at->first_unit, end);
    for (; unit < end; unit = bits_next(members->suited_bits, unit + 1, end))
        for (uint32_t set = 1; set < members->set_count; set++)
            members->suited[set] += (members->suits[unit] & set) != 0;
}

void members_see(struct members *members, const struct pool *pool, const struct party *party,
                 struct usher_arena *scratch)
{
    assert(members_need(party->members, party->member_count));
    memset(members, 0, offsetof(struct members, others));
    memset(members->others, 0, sizeof members->others);
    memset(members->suited, 0, sizeof members->suited);
    members->pool = pool;
    members->party = party;
    members->scratch = scratch;
    classify(members);
    members->bits = seating_accepted(pool, party, scratch);
    members->suits = usher_arena_alloc(scratch, pool->units.count * sizeof *members->suits);
    members->suited_bits =
        usher_arena_alloc(scratch, bits_words(pool->units.count) * sizeof(uint64_t));
    members->row_suits = usher_arena_alloc(scratch, pool->seat_row_count * sizeof(uint16_t));
    for (uint32_t row = 0; row < pool->seat_row_count; row++) {
        for (uint32_t class = 0; class < members->class_count; class ++)
            see_class(members, row, class);
        if (members->row_suits[row] != 0)
            count_row(members, row);
    }
    members->free = seating_count(pool, members->bits);
}

/* ==== Usable seats ==== */

/* Seats, counted by what they suit. */
struct tally {
    uint32_t seats;
    uint32_t suited[MEMBERS_SETS]; /* by set: those that suit one of its classes */
};

static void tally_begin(const struct members *members, struct tally *tally)
{
    tally->seats = 0;
    memset(tally->suited, 0, members->set_count * sizeof *tally->suited);
}

static void tally_add(const struct members *members, struct tally *tally, uint32_t unit)
{
    tally->seats++;
    uint32_t suits = members->suits[unit];
    for (uint32_t set = 1; suits != 0 && set < members->set_count; set++)
        tally->suited[set] += (suits & set) != 0;
}

static void tally_drop(const struct members *members, struct tally *tally, uint32_t unit)
{
    assert(tally->seats > 0);
    tally->seats--;
    uint32_t suits = members->suits[unit];
    for (uint32_t set = 1; suits != 0 && set < members->set_count; set++)
        tally->suited[set] -= (suits & set) != 0;
}

/* Whether different members can have all of the seats. The set of all classes tells most. */
static bool is_usable(uint32_t set_count, const uint32_t *others, const struct tally *tally)
{
    bool usable = true;
    for (uint32_t set = set_count; usable && set-- > 0;)
        usable = tally->seats - tally->suited[set] <= others[set];
    return usable;
}

uint32_t members_free(const struct members *members)
{
    uint32_t quantity = members->party->quantity, most = quantity;
    for (uint32_t set = 1; set < members->set_count; set++) {
        uint32_t seated = members->others[set] + members->suited[set];
        most = seated < most ? seated : most;
    }
    return most < quantity && most < members->free ? most : members->free;
}

bool members_use(const struct members *members, const int32_t *units, uint32_t count)
{
    struct tally tally;
    tally_begin(members, &tally);
    for (uint32_t i = 0; i < count; i++)
        tally_add(members, &tally, (uint32_t)units[i]);
    return is_usable(members->set_count, members->others, &tally);
}

/* ==== One piece ==== */

/* A place, and what it is compared by. */
struct place {
    uint32_t suited; /* seats that suit a class; UINT32_MAX: there is no place */
    bool orphan;
    int64_t sum; /* of ranks */
    uint32_t row;
    uint64_t off;
    uint32_t first;
};

struct search {
    const struct members *members;
    const struct seat_tree *tree; /* of all free seats of the pool */
    struct place best;
    bool numbered;        /* of RANDOM: the places as good as the best are counted … */
    uint32_t seen, index; /* … and the one at `index` is the best */
};

static bool is_better(const struct search *search, const struct place *place)
{
    const struct place *best = &search->best;
    if (place->suited != best->suited)
        return place->suited < best->suited;
    if (place->orphan != best->orphan)
        return !place->orphan;
    if (search->members->party->strategy == USHER_FIRST)
        return false;
    if (place->sum != best->sum)
        return place->sum < best->sum;
    return place->row == best->row && place->off < best->off;
}

static void offer(struct search *search, const struct place *place)
{
    if (!search->numbered) {
        if (is_better(search, place))
            search->best = *place;
    } else if (place->suited == search->best.suited && place->orphan == search->best.orphan &&
               search->seen++ == search->index) {
        search->best.first = place->first;
    }
}

/* Tries the places of a run between two of its seats. */
static void search_between(struct search *search, uint32_t row, struct seat_run run, uint32_t from,
                           uint32_t end)
{
    const struct members *members = search->members;
    const struct seat_row *at = &members->pool->seat_rows[row];
    uint32_t quantity = members->party->quantity, all = members->set_count - 1;
    struct place place = {.row = row};
    struct tally tally;
    tally_begin(members, &tally);
    for (uint32_t unit = from; unit < end; unit++) {
        tally_add(members, &tally, unit);
        place.sum += seat_rank(at, unit - at->first_unit);
        if (tally.seats < quantity)
            continue;
        place.first = unit + 1 - quantity;
        uint32_t before = place.first - run.first, behind = run.first + run.length - unit - 1;
        place.suited = tally.suited[all];
        place.orphan = before == 1 || behind == 1;
        place.off = seating_off_middle(at, place.first, quantity);
        if (is_usable(members->set_count, members->others, &tally))
            offer(search, &place);
        tally_drop(members, &tally, place.first);
        place.sum -= seat_rank(at, place.first - at->first_unit);
    }
}

/* Tries the places of a run, all of which have a seat that suits a class. */
static void search_run(struct search *search, uint32_t row, struct seat_run run)
{
    const uint64_t *suited = search->members->suited_bits;
    uint32_t reach = search->members->party->quantity - 1, end = run.first + run.length;
    uint32_t first = bits_next(suited, run.first, end);
    while (first < end) {
        uint32_t last = first, next = bits_next(suited, first + 1, end);
        for (; next < end && next - last <= reach; next = bits_next(suited, next + 1, end))
            last = next;
        uint32_t from = first - run.first > reach ? first - reach : run.first;
        search_between(search, row, run, from, last + reach < end ? last + reach + 1 : end);
        first = next;
    }
}

static void search_row(struct search *search, uint32_t row)
{
    const struct members *members = search->members;
    const struct seat_row *at = &members->pool->seat_rows[row];
    if (members->row_suits[row] != members->set_count - 1)
        return;
    struct seat_run run = seat_runs_next(members->bits, at, at->first_unit);
    while (run.length > 0) {
        if (run.length >= members->party->quantity)
            search_run(search, row, run);
        run = seat_runs_next(members->bits, at, run.first + run.length);
    }
}

/* Whether no place is better than the best in all that its ranks do not say. */
static bool is_settled(const struct search *search)
{
    const struct members *members = search->members;
    uint32_t needing = members->party->quantity - members->others[members->set_count - 1];
    return search->best.suited == needing && !search->best.orphan;
}

/* Whether a row may still have a better place, once no other one can be better but by its ranks. */
static bool may_win(const struct search *search, uint32_t row)
{
    const struct seat_tree *tree = search->tree;
    if (!is_settled(search))
        return true;
    if (search->members->party->strategy != USHER_BEST || !tree->ranked)
        return false;
    if (!tree->ranks)
        return true;
    int64_t least = tree->ranks[tree->leaves + row].least;
    return least != INT64_MAX && least * search->members->party->quantity < search->best.sum;
}

/* Of the places as good as the best, the one that chance chooses. */
static void choose_random(struct search *search)
{
    const struct party *party = search->members->party;
    uint32_t rows = search->members->pool->seat_row_count;
    uint32_t row = (uint32_t)(table_hash_number(party->seed) % rows);
    search->numbered = true;
    search->index = UINT32_MAX;
    for (search_row(search, row); search->seen == 0; search_row(search, row))
        row = row + 1 < rows ? row + 1 : 0;
    search->index = (uint32_t)(table_hash_number(party->seed + 1) % search->seen);
    search->seen = 0;
    search_row(search, row);
}

static struct place one_piece(const struct members *members)
{
    struct search search = {
        .members = members, .tree = seats_free(members->pool).tree, .best.suited = UINT32_MAX};
    for (uint32_t row = 0; row < members->pool->seat_row_count; row++)
        if (may_win(&search, row))
            search_row(&search, row);
    if (search.best.suited != UINT32_MAX && members->party->strategy == USHER_RANDOM)
        choose_random(&search);
    return search.best;
}

/* ==== Several pieces ==== */

/* A run of free seats, and how many of them side by side can be used at most. */
struct stretch {
    uint32_t row;
    struct seat_run run;
    uint32_t most;
};

struct split {
    const struct members *members;
    struct stretch *stretches;
    uint32_t count;
    struct tally used;
    uint32_t home; /* the row of the first piece; UINT32_MAX: there is none yet */
    uint32_t pieces;
    int32_t *units;
};

static void add_stretch(struct split *split, uint32_t row, struct seat_run run)
{
    if (run.length > 0)
        split->stretches[split->count++] = (struct stretch){row, run, run.length};
}

/* Returns the longest piece of a run that can be used beside those that are, the lowest. */
static struct seat_run longest_piece(const struct split *split, struct seat_run run)
{
    const struct members *members = split->members;
    struct seat_run best = {run.first, 0};
    struct tally tally;
    tally.seats = split->used.seats;
    memcpy(tally.suited, split->used.suited, members->set_count * sizeof *tally.suited);
    uint32_t first = run.first;
    for (uint32_t unit = run.first; unit < run.first + run.length; unit++) {
        tally_add(members, &tally, unit);
        while (!is_usable(members->set_count, members->others, &tally))
            tally_drop(members, &tally, first++);
        if (unit + 1 - first > best.length)
            best = (struct seat_run){first, unit + 1 - first};
    }
    return best;
}

static uint32_t distance(const struct split *split, uint32_t row)
{
    if (split->home == UINT32_MAX)
        return 0;
    return row < split->home ? split->home - row : row - split->home;
}

/* Whether a piece of that length in that row would be taken before the best. */
static bool comes_first(const struct split *split, uint32_t length, const struct stretch *of,
                        struct seat_run best, const struct stretch *best_of)
{
    if (length != best.length || !best_of)
        return length > best.length;
    uint32_t far = distance(split, of->row), best_far = distance(split, best_of->row);
    if (far != best_far)
        return far < best_far;
    return of->run.first < best_of->run.first;
}

static void take_piece(struct split *split)
{
    struct stretch *from = NULL;
    struct seat_run best = {0, 0};
    for (uint32_t i = 0; i < split->count; i++) {
        struct stretch *at = &split->stretches[i];
        if (at->most == 0 || !comes_first(split, at->most, at, best, from))
            continue;
        struct seat_run piece = longest_piece(split, at->run);
        at->most = piece.length; /* fewer from now on: more are used */
        if (!comes_first(split, piece.length, at, best, from))
            continue;
        best = piece;
        from = at;
    }
    assert(from && best.length > 0);
    for (uint32_t i = 0; i < best.length; i++) {
        tally_add(split->members, &split->used, best.first + i);
        *split->units++ = (int32_t)(best.first + i);
    }
    uint32_t row = from->row, end = from->run.first + from->run.length;
    split->home = split->home == UINT32_MAX ? row : split->home;
    split->pieces++;
    from->run.length = best.first - from->run.first;
    from->most = from->run.length;
    add_stretch(split, row,
                (struct seat_run){best.first + best.length, end - best.first - best.length});
}

static void find_stretches(struct split *split, uint32_t kept, const int32_t *units)
{
    const struct members *members = split->members;
    const struct pool *pool = members->pool;
    size_t size = bits_words(pool->units.count) * sizeof(uint64_t);
    uint64_t *bits = usher_arena_alloc(members->scratch, size);
    memcpy(bits, members->bits, size);
    for (uint32_t i = 0; i < kept; i++)
        bits_clear(bits, (uint32_t)units[i]);
    /* Each piece leaves one run more at most. */
    split->stretches = usher_arena_alloc(
        members->scratch, (members->free + members->party->quantity) * sizeof *split->stretches);
    for (uint32_t row = 0; row < pool->seat_row_count; row++) {
        const struct seat_row *at = &pool->seat_rows[row];
        struct seat_run run = seat_runs_next(bits, at, at->first_unit);
        for (; run.length > 0; run = seat_runs_next(bits, at, run.first + run.length))
            add_stretch(split, row, run);
    }
}

/* Writes the units of a party behind those that are kept. Returns the number of pieces. */
static uint32_t several_pieces(const struct members *members, uint32_t kept, int32_t *units)
{
    struct split split = {.members = members, .home = UINT32_MAX, .units = units + kept};
    find_stretches(&split, kept, units);
    for (uint32_t i = 0; i < kept; i++)
        tally_add(members, &split.used, (uint32_t)units[i]);
    if (kept > 0)
        split.home =
            (uint32_t)(seats_row_of(members->pool, (uint32_t)units[0]) - members->pool->seat_rows);
    while (split.used.seats < members->party->quantity)
        take_piece(&split);
    return split.pieces;
}

/* ==== Whose seat is which ==== */

/* The seats that nobody has yet, and those who have none yet. */
struct assignment {
    const struct members *members;
    struct tally seats;
    uint32_t others[MEMBERS_SETS];
    int32_t *units;                 /* -1: somebody has it */
    uint8_t verdicts[MEMBERS_SETS]; /* of seats by what they suit: 1 will do, 2 not, 0 not known */
};

/* Whether the next member may have the seat, and all others the rest. */
static bool may_have(struct assignment *assignment, uint32_t class, uint32_t unit)
{
    const struct members *members = assignment->members;
    uint32_t suits = members->suits[unit];
    if (class != 0 && (suits & class) == 0)
        return false;
    if (assignment->verdicts[suits] == 0) {
        tally_drop(members, &assignment->seats, unit);
        bool usable = is_usable(members->set_count, assignment->others, &assignment->seats);
        tally_add(members, &assignment->seats, unit);
        assignment->verdicts[suits] = usable ? 1 : 2;
    }
    return assignment->verdicts[suits] == 1;
}

static int32_t seat_of_next(struct assignment *assignment, uint32_t class)
{
    const struct members *members = assignment->members;
    memset(assignment->verdicts, 0, members->set_count);
    for (uint32_t set = 0; set < members->set_count; set++)
        assignment->others[set] -= (set & class) == 0;
    uint32_t at = 0;
    while (assignment->units[at] < 0 ||
           !may_have(assignment, class, (uint32_t)assignment->units[at]))
        at++;
    assert(at < members->party->quantity);
    int32_t unit = assignment->units[at];
    tally_drop(members, &assignment->seats, (uint32_t)unit);
    assignment->units[at] = -1;
    return unit;
}

/* Puts the chosen seats in the order of the members. */
static void assign(const struct members *members, int32_t *units)
{
    const struct party *party = members->party;
    struct assignment assignment = {.members = members};
    size_t size = party->quantity * sizeof *units;
    assignment.units = usher_arena_alloc(members->scratch, size);
    memcpy(assignment.units, units, size);
    memcpy(assignment.others, members->others, sizeof assignment.others);
    for (uint32_t i = 0; i < party->quantity; i++)
        tally_add(members, &assignment.seats, (uint32_t)units[i]);
    for (uint32_t i = 0; i < party->member_count; i++)
        for (uint32_t j = 0; j < party->members[i].quantity; j++)
            *units++ = seat_of_next(&assignment, members->classes[i]);
}

/* ==== Seating ==== */

struct seating members_seat(const struct members *members, uint32_t kept, int32_t *units)
{
    uint32_t quantity = members->party->quantity;
    assert(members_free(members) >= quantity && kept <= quantity);
    struct seating seating = {0};
    const struct place place =
        kept == 0 ? one_piece(members) : (struct place){.suited = UINT32_MAX};
    if (place.suited != UINT32_MAX) {
        for (uint32_t i = 0; i < quantity; i++)
            units[i] = (int32_t)(place.first + i);
        seating = (struct seating){1, place.orphan};
    } else if (!members->party->together) {
        seating.pieces = several_pieces(members, kept, units);
    }
    if (seating.pieces > 0)
        assign(members, units);
    return seating;
}
