/*
 * The tree of longest runs: node 1 is the root, below node n are 2n and 2n + 1, the leaves are the
 * rows from `longest_leaves` on; each node has the maximum of what is below it. PURE.
 */
#include "inventory_seats.h"

#include <assert.h>

static struct seat_run next_run(const struct pool *pool, const struct seat_row *row, uint32_t from)
{
    uint32_t end = row->first_unit + row->seats;
    uint32_t first = units_next_free(&pool->units, from);
    if (first >= end)
        return (struct seat_run){end, 0};
    return (struct seat_run){first, units_next_taken(&pool->units, first, end) - first};
}

static uint32_t longest_in(const struct pool *pool, const struct seat_row *row)
{
    uint32_t longest = 0;
    struct seat_run run = next_run(pool, row, row->first_unit);
    while (run.length > 0) {
        longest = run.length > longest ? run.length : longest;
        run = next_run(pool, row, run.first + run.length);
    }
    return longest;
}

static uint32_t larger_below(const struct pool *pool, uint32_t node)
{
    uint32_t left = pool->longest[2 * node], right = pool->longest[2 * node + 1];
    return left > right ? left : right;
}

void seats_arrange(struct pool *pool, struct usher_arena *arena)
{
    uint32_t leaves = 1;
    while (leaves < pool->seat_row_count)
        leaves *= 2;
    pool->longest_leaves = leaves;
    pool->longest = usher_arena_alloc(arena, 2 * (size_t)leaves * sizeof(*pool->longest));
    for (uint32_t i = 0; i < pool->seat_row_count; i++)
        pool->longest[leaves + i] = longest_in(pool, &pool->seat_rows[i]);
    for (uint32_t node = leaves; node-- > 1;)
        pool->longest[node] = larger_below(pool, node);
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

static void refresh_row(struct pool *pool, const struct seat_row *row)
{
    uint32_t node = pool->longest_leaves + (uint32_t)(row - pool->seat_rows);
    uint32_t longest = longest_in(pool, row);
    while (pool->longest[node] != longest) {
        pool->longest[node] = longest;
        node /= 2;
        if (node == 0)
            break;
        longest = larger_below(pool, node);
    }
}

void seats_refresh(struct pool *pool, const int32_t *units, uint32_t count)
{
    const struct seat_row *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unit = (uint32_t)units[i];
        if (!last || unit < last->first_unit || unit - last->first_unit >= last->seats) {
            last = seats_row_of(pool, unit);
            refresh_row(pool, last);
        }
    }
}

bool seats_first_run(const struct pool *pool, uint32_t length, struct seat_run *run)
{
    if (pool->longest[1] < length)
        return false;
    uint32_t node = 1;
    while (node < pool->longest_leaves)
        node = pool->longest[2 * node] >= length ? 2 * node : 2 * node + 1;
    const struct seat_row *row = &pool->seat_rows[node - pool->longest_leaves];
    *run = next_run(pool, row, row->first_unit);
    while (run->length < length)
        *run = next_run(pool, row, run->first + run->length);
    return true;
}

struct seat_run seats_longest_run(const struct pool *pool)
{
    struct seat_run run = {0, 0};
    if (pool->longest[1] > 0)
        (void)seats_first_run(pool, pool->longest[1], &run);
    return run;
}

uint32_t seats_layout(const struct seat_row *rows, uint32_t count)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        hash = table_hash_text(rows[i].name, hash);
        hash = table_hash_number(hash ^ ((uint64_t)rows[i].first << 32 | rows[i].seats));
    }
    return (uint32_t)(hash >> 33) + 1;
}

bool seats_check(const struct pool *pool)
{
    uint32_t unit = 0;
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        if (row->first_unit != unit ||
            pool->longest[pool->longest_leaves + i] != longest_in(pool, row))
            return false;
        unit += row->seats;
    }
    for (uint32_t node = 1; node < pool->longest_leaves; node++)
        if (pool->longest[node] != larger_below(pool, node))
            return false;
    return unit == pool->units.count;
}
