/*
 * Rows of seats in a pool, and where runs of free seats are. A tree over the rows knows for each
 * which parties fit and how well they sit, and for each node the best of the rows below it: so a
 * row is found among thousands without looking at their seats. PURE: it does not know who wants a
 * seat, nor which row to prefer.
 */
#include "worker/inventory/seats.h"

#include <assert.h>
#include <string.h>

#include "worker/base/bits.h"

/* ==== Runs ==== */

struct seat_run seat_runs_next(const uint64_t *bits, const struct seat_row *row, uint32_t from)
{
    uint32_t end = row->first_unit + row->seats;
    assert(from >= row->first_unit && from <= end);
    uint32_t first = bits_next(bits, from, end);
    return (struct seat_run){first, bits_next_clear(bits, first, end) - first};
}

/* ==== Ranks ==== */

static inline int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct seat_ranks seat_ranks_none(void)
{
    struct seat_ranks ranks = {.least = INT64_MAX};
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS; i++)
        ranks.sums[i] = INT64_MAX;
    return ranks;
}

static bool seat_ranks_same(const struct seat_ranks *a, const struct seat_ranks *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The places from `start` on in a run where none of them leaves an orphan: most of a long run. */
static inline void add_inner(const int32_t *start, struct seat_ranks *ranks)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS; i++) {
        sum += start[i];
        ranks->sums[i] = lower(ranks->sums[i], sum);
    }
}

/* The places from `start` on, `rest` seats before the end of the run. */
static void add_outer(const int32_t *start, uint32_t rest, bool orphan, struct seat_ranks ranks[2])
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS && i < rest; i++) {
        struct seat_ranks *to = &ranks[orphan || rest - i == 2];
        sum += start[i];
        to->sums[i] = lower(to->sums[i], sum);
    }
}

static void add_run(const int32_t *first, uint32_t length, struct seat_ranks ranks[2])
{
    for (uint32_t i = 0; i < length; i++) {
        ranks->least = lower(ranks->least, first[i]);
        if (i != 1 && length - i >= SEAT_RANKS_SUMS + 2)
            add_inner(first + i, ranks);
        else
            add_outer(first + i, length - i, i == 1, ranks);
    }
}

/* A row without ranks beside others that have them. */
static struct seat_ranks unranked(uint32_t longest)
{
    struct seat_ranks ranks = seat_ranks_none();
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS && i < longest; i++)
        ranks.sums[i] = (int64_t)INT32_MAX * (i + 1);
    ranks.least = ranks.sums[0];
    return ranks;
}

/* Of a row, by a bit per available unit. */
static struct seat_ranks seat_ranks_of(const uint64_t *bits, const struct seat_row *row)
{
    struct seat_ranks ranks[2] = {seat_ranks_none(), seat_ranks_none()};
    uint32_t longest = 0;
    struct seat_run run = seat_runs_next(bits, row, row->first_unit);
    while (run.length > 0) {
        longest = run.length > longest ? run.length : longest;
        if (row->ranks)
            add_run(row->ranks + (run.first - row->first_unit), run.length, ranks);
        run = seat_runs_next(bits, row, run.first + run.length);
    }
    if (!row->ranks)
        return unranked(longest);
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS; i++)
        if (ranks[0].sums[i] == INT64_MAX)
            ranks[0].sums[i] = ranks[1].sums[i];
    return ranks[0];
}

static struct seat_ranks seat_ranks_above(const struct seat_ranks *ranks, uint32_t node)
{
    const struct seat_ranks *left = &ranks[2 * node], *right = left + 1;
    struct seat_ranks above = {.least = lower(left->least, right->least)};
    for (uint32_t i = 0; i < SEAT_RANKS_SUMS; i++)
        above.sums[i] = lower(left->sums[i], right->sums[i]);
    return above;
}

/* ==== Rows of seats ==== */

enum {
    SEATS_SIZES = 64 /* parties up to here: the tree knows of places without an orphan */
};

/* ---- nodes ---- */

/* A run of n has places without an orphan for 1 … n but n - 1. */
static uint64_t fits_of(uint32_t length)
{
    assert(length > 0);
    uint64_t sizes = length < SEATS_SIZES ? (UINT64_C(1) << length) - 1 : UINT64_MAX;
    if (length >= 2 && length - 2 < SEATS_SIZES)
        sizes &= ~(UINT64_C(1) << (length - 2));
    return sizes;
}

static struct seat_node node_of(const struct seat_set *set, const struct seat_row *row)
{
    struct seat_node node = {0};
    struct seat_run run = seat_runs_next(set->bits, row, row->first_unit);
    while (run.length > 0) {
        node.longest = run.length > node.longest ? run.length : node.longest;
        node.fits |= fits_of(run.length);
        run = seat_runs_next(set->bits, row, run.first + run.length);
    }
    return node;
}

static struct seat_node node_above(const struct seat_node *nodes, uint32_t node)
{
    const struct seat_node *left = &nodes[2 * node], *right = left + 1;
    return (struct seat_node){left->fits | right->fits,
                              left->longest > right->longest ? left->longest : right->longest};
}

/* ---- the tree ---- */

static bool has_ranks(const struct pool *pool)
{
    for (uint32_t i = 0; i < pool->seat_row_count; i++)
        if (pool->seat_rows[i].ranks)
            return true;
    return false;
}

static struct seat_tree *open_tree(const struct pool *pool, struct usher_arena *arena)
{
    assert(pool->seat_row_count > 0);
    struct seat_tree *tree = usher_arena_alloc(arena, sizeof *tree);
    tree->leaves = 1;
    while (tree->leaves < pool->seat_row_count)
        tree->leaves *= 2;
    tree->ranked = has_ranks(pool);
    tree->nodes = usher_arena_alloc(arena, 2 * (size_t)tree->leaves * sizeof *tree->nodes);
    return tree;
}

static void build_nodes(const struct seat_set *set, struct seat_tree *tree)
{
    for (uint32_t i = 0; i < set->pool->seat_row_count; i++)
        tree->nodes[tree->leaves + i] = node_of(set, &set->pool->seat_rows[i]);
    for (uint32_t node = tree->leaves; node-- > 1;)
        tree->nodes[node] = node_above(tree->nodes, node);
}

static void build_ranks(const struct seat_set *set, struct seat_tree *tree)
{
    for (uint32_t i = 0; i < tree->leaves; i++)
        tree->ranks[tree->leaves + i] = i < set->pool->seat_row_count
                                            ? seat_ranks_of(set->bits, &set->pool->seat_rows[i])
                                            : seat_ranks_none();
    for (uint32_t node = tree->leaves; node-- > 1;)
        tree->ranks[node] = seat_ranks_above(tree->ranks, node);
}

struct seat_set seats_free(const struct pool *pool)
{
    return (struct seat_set){pool, pool->units.open_bits[0], pool->seat_tree};
}

struct seat_set seats_among(const struct pool *pool, const uint64_t *bits,
                            struct usher_arena *arena)
{
    assert(bits);
    struct seat_tree *tree = open_tree(pool, arena);
    const struct seat_set set = {pool, bits, tree};
    build_nodes(&set, tree);
    return set;
}

struct seat_set seats_plain(const struct pool *pool)
{
    assert(pool->spared);
    return (struct seat_set){pool, pool->plain, pool->plain_tree};
}

static struct seat_tree *build_tree(const struct pool *pool, const uint64_t *bits,
                                    struct usher_arena *arena)
{
    struct seat_tree *tree = open_tree(pool, arena);
    const struct seat_set set = {pool, bits, tree};
    build_nodes(&set, tree);
    if (tree->ranked) {
        tree->ranks = usher_arena_alloc(arena, 2 * (size_t)tree->leaves * sizeof *tree->ranks);
        build_ranks(&set, tree);
    }
    return tree;
}

/* ---- seats that are spared ---- */

static const struct usher_row_feature *spared_of(const struct seat_row *row)
{
    for (uint32_t i = 0; i < row->feature_count; i++)
        if (strcmp(row->features[i].feature, USHER_SPARED) == 0)
            return &row->features[i];
    return NULL;
}

/* Keeps what is known of plain seats current with one that is spared or not, free or not. */
static void refresh_plain(struct pool *pool, uint32_t unit)
{
    if (units_is_free(&pool->units, unit) && !bits_has(pool->spared, unit))
        bits_set(pool->plain, unit);
    else
        bits_clear(pool->plain, unit);
}

static void note_spared(struct pool *pool, struct usher_arena *arena)
{
    size_t size = bits_words(pool->units.count) * sizeof(uint64_t);
    pool->spared = NULL;
    for (uint32_t i = 0; pool->row.spares && i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        const struct usher_row_feature *found = spared_of(row);
        if (found && !pool->spared)
            pool->spared = usher_arena_alloc(arena, size);
        for (uint32_t j = 0; found && j < found->seat_count; j++)
            bits_set(pool->spared, row->first_unit + found->seats[j]);
    }
    if (!pool->spared)
        return;
    pool->plain = usher_arena_alloc(arena, size);
    for (uint32_t unit = 0; unit < pool->units.count; unit++)
        refresh_plain(pool, unit);
    pool->plain_tree = build_tree(pool, pool->plain, arena);
}

void seats_arrange(struct pool *pool, struct usher_arena *arena)
{
    pool->seat_tree = build_tree(pool, pool->units.open_bits[0], arena);
    note_spared(pool, arena);
}

const struct seat_row *seats_row_of(const struct pool *pool, uint32_t unit)
{
    uint32_t low = 0, high = pool->seat_row_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (pool->seat_rows[middle].first_unit <= unit)
            low = middle;
        else
            high = middle;
    }
    const struct seat_row *row = &pool->seat_rows[low];
    assert(unit >= row->first_unit && unit - row->first_unit < row->seats);
    return row;
}

static bool same_node(const struct seat_node *a, const struct seat_node *b)
{
    return a->fits == b->fits && a->longest == b->longest;
}

static void refresh_nodes(struct seat_tree *tree, uint32_t node, struct seat_node now)
{
    while (!same_node(&tree->nodes[node], &now)) {
        tree->nodes[node] = now;
        node /= 2;
        if (node == 0)
            break;
        now = node_above(tree->nodes, node);
    }
}

static void refresh_ranks(struct seat_tree *tree, uint32_t node, struct seat_ranks now)
{
    while (!seat_ranks_same(&tree->ranks[node], &now)) {
        tree->ranks[node] = now;
        node /= 2;
        if (node == 0)
            break;
        now = seat_ranks_above(tree->ranks, node);
    }
}

static void refresh_row(const struct pool *pool, const uint64_t *bits, struct seat_tree *tree,
                        const struct seat_row *row)
{
    const struct seat_set set = {pool, bits, tree};
    uint32_t leaf = tree->leaves + (uint32_t)(row - pool->seat_rows);
    refresh_nodes(tree, leaf, node_of(&set, row));
    if (tree->ranks)
        refresh_ranks(tree, leaf, seat_ranks_of(bits, row));
}

void seats_refresh(struct pool *pool, const int32_t *units, uint32_t count)
{
    assert(pool->seat_row_count > 0 && pool->seat_tree);
    const struct seat_row *last = NULL;
    for (uint32_t i = 0; pool->spared && i < count; i++)
        refresh_plain(pool, (uint32_t)units[i]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unit = (uint32_t)units[i];
        if (!last || unit < last->first_unit || unit - last->first_unit >= last->seats) {
            last = seats_row_of(pool, unit);
            refresh_row(pool, pool->units.open_bits[0], pool->seat_tree, last);
            if (pool->spared)
                refresh_row(pool, pool->plain, pool->plain_tree, last);
        }
    }
}

/* ---- finding rows ---- */

static inline bool may_hold(const struct seat_node *node, const struct seat_want *want)
{
    assert(want->quantity > 0);
    if (want->orphan || want->quantity > SEATS_SIZES)
        return node->longest >= want->quantity;
    return (node->fits >> (want->quantity - 1) & 1) != 0;
}

/* Whether a row has a place for more than the tree knows of: without an orphan. */
static bool fits_many(const struct seat_set *set, const struct seat_row *row, uint32_t quantity)
{
    struct seat_run run = seat_runs_next(set->bits, row, row->first_unit);
    while (run.length > 0) {
        if (run.length >= quantity && run.length - quantity != 1)
            return true;
        run = seat_runs_next(set->bits, row, run.first + run.length);
    }
    return false;
}

bool seats_may_hold(const struct seat_set *set, uint32_t node, const struct seat_want *want)
{
    assert(node > 0 && node < 2 * set->tree->leaves);
    const struct seat_tree *tree = set->tree;
    if (!may_hold(&tree->nodes[node], want))
        return false;
    if (node < tree->leaves || want->orphan || want->quantity <= SEATS_SIZES)
        return true;
    return fits_many(set, &set->pool->seat_rows[node - tree->leaves], want->quantity);
}

/* The lowest leaf from `leaf` on that may hold, or 0. */
static uint32_t next_leaf(const struct seat_tree *tree, uint32_t leaf, const struct seat_want *want)
{
    assert(leaf >= tree->leaves && leaf < 2 * tree->leaves);
    uint32_t node = leaf;
    while (!may_hold(&tree->nodes[node], want)) {
        while (node % 2 == 1)
            node /= 2;
        if (node == 0)
            return 0;
        node++;
    }
    while (node < tree->leaves)
        node = may_hold(&tree->nodes[2 * node], want) ? 2 * node : 2 * node + 1;
    return node;
}

uint32_t seats_next_row(const struct seat_set *set, uint32_t from, const struct seat_want *want)
{
    const struct seat_tree *tree = set->tree;
    for (; from < set->pool->seat_row_count; from++) {
        uint32_t leaf = next_leaf(tree, tree->leaves + from, want);
        if (leaf == 0)
            break;
        from = leaf - tree->leaves;
        if (seats_may_hold(set, leaf, want))
            return from;
    }
    return set->pool->seat_row_count;
}

uint32_t seats_previous_row(const struct seat_set *set, uint32_t end, uint32_t quantity)
{
    const struct seat_tree *tree = set->tree;
    if (end == 0)
        return UINT32_MAX;
    uint32_t node = tree->leaves + end - 1;
    while (tree->nodes[node].longest < quantity) {
        while (node % 2 == 0)
            node /= 2;
        if (node == 1)
            return UINT32_MAX;
        node--;
    }
    while (node < tree->leaves)
        node = tree->nodes[2 * node + 1].longest >= quantity ? 2 * node + 1 : 2 * node;
    return node - tree->leaves;
}

/*
 * Rows that have only places with an orphan have those among the sums. Where orphans are not
 * allowed a node may thus promise too much; where they are no row has another place.
 */
int64_t seats_least_rank(const struct seat_tree *tree, uint32_t node, const struct seat_want *want)
{
    assert(want->quantity > 0);
    if (!tree->ranks)
        return INT64_MIN;
    const struct seat_ranks *ranks = &tree->ranks[node];
    if (want->quantity <= SEAT_RANKS_SUMS)
        return ranks->sums[want->quantity - 1];
    return ranks->least == INT64_MAX ? INT64_MAX : ranks->least * want->quantity;
}

/* ---- for others ---- */

uint32_t seats_hash(const struct pool *pool, const int32_t *units, uint32_t count)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct seat_row *row = seats_row_of(pool, (uint32_t)units[i]);
        uint32_t place = (uint32_t)units[i] - row->first_unit;
        if (row->names)
            hash = table_hash_text(row->names[place], hash);
        else
            hash = table_hash_number(table_hash_text(row->name, hash) ^ (row->first + place));
    }
    return (uint32_t)(hash >> 33) + 1;
}

static bool check_set(const struct seat_set *set)
{
    const struct pool *pool = set->pool;
    const struct seat_tree *tree = set->tree;
    uint32_t unit = 0;
    for (uint32_t i = 0; i < tree->leaves; i++) {
        const struct seat_row *row = i < pool->seat_row_count ? &pool->seat_rows[i] : NULL;
        const struct seat_node node = row ? node_of(set, row) : (struct seat_node){0};
        const struct seat_ranks ranks = row ? seat_ranks_of(set->bits, row) : seat_ranks_none();
        if (!same_node(&tree->nodes[tree->leaves + i], &node) || (row && row->first_unit != unit) ||
            (tree->ranks && !seat_ranks_same(&tree->ranks[tree->leaves + i], &ranks)))
            return false;
        unit += row ? row->seats : 0;
    }
    for (uint32_t i = 1; i < tree->leaves; i++) {
        const struct seat_node node = node_above(tree->nodes, i);
        if (!same_node(&tree->nodes[i], &node))
            return false;
        if (tree->ranks) {
            const struct seat_ranks ranks = seat_ranks_above(tree->ranks, i);
            if (!seat_ranks_same(&tree->ranks[i], &ranks))
                return false;
        }
    }
    return unit == pool->units.count;
}

bool seats_check(const struct pool *pool)
{
    const struct seat_set all = seats_free(pool);
    if (!pool->spared)
        return check_set(&all);
    const struct seat_set plain = seats_plain(pool);
    bool good = true;
    for (uint32_t unit = 0; good && unit < pool->units.count; unit++)
        good = bits_has(pool->plain, unit) ==
               (units_is_free(&pool->units, unit) && !bits_has(pool->spared, unit));
    return good && check_set(&all) && check_set(&plain);
}
