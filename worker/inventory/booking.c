/*
 * One booking in memory: who it belongs to, what it has (or had, once it is released, cancelled
 * or expired), its state, and what of that is stored. PURE: no booking rules, no clock, no I/O.
 */
#include "worker/inventory/booking.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "worker/base/array.h"

/* ==== Booking ==== */

bool booking_state_may_become(enum booking_state from, enum booking_state to)
{
    assert(from < BOOKING_STATE_COUNT && to < BOOKING_STATE_COUNT);
    static const bool legal[BOOKING_STATE_COUNT][BOOKING_STATE_COUNT] = {
        [BOOKING_NONE] = {[BOOKING_HELD] = true,
                          [BOOKING_CONFIRMED] = true,
                          [BOOKING_BLOCKED] = true,
                          [BOOKING_WAITING] = true},
        [BOOKING_HELD] = {[BOOKING_HELD] = true,
                          [BOOKING_CONFIRMED] = true,
                          [BOOKING_RELEASED] = true,
                          [BOOKING_EXPIRED] = true},
        [BOOKING_CONFIRMED] = {[BOOKING_CONFIRMED] = true, [BOOKING_CANCELLED] = true},
        [BOOKING_BLOCKED] = {[BOOKING_BLOCKED] = true, [BOOKING_RELEASED] = true},
        [BOOKING_WAITING] =
            {[BOOKING_HELD] = true, [BOOKING_LEFT] = true, [BOOKING_WAITING] = true},
        [BOOKING_EXPIRED] = {[BOOKING_CONFIRMED] = true, [BOOKING_RELEASED] = true},
    };
    return legal[from][to];
}

bool booking_state_owns_units(enum booking_state state)
{
    static const bool owns[BOOKING_STATE_COUNT] = {
#define USHER_STATE_ROW(enumerator, name, owns_units, seat) [enumerator] = (owns_units),
#include "usher/words.def"
    };
    return owns[state];
}

uint32_t booking_owned_lines(const struct booking *booking)
{
    return booking_state_owns_units(booking->row.state) ? booking->content->line_count : 0;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *text_put(char **at, const char *text)
{
    size_t size = text_size(text);
    if (size == 0)
        return NULL;
    char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

/* ---- content ---- */

static uint32_t number_count(const struct line *line)
{
    return line->units ? line->unit_count : 0;
}

static size_t content_size(const struct line *lines, uint32_t line_count)
{
    size_t size = sizeof(struct content) + line_count * sizeof *lines;
    for (uint32_t i = 0; i < line_count; i++)
        size += number_count(&lines[i]) * sizeof *lines->units + text_size(lines[i].rate);
    return size;
}

struct content *content_create(const struct line *lines, uint32_t line_count)
{
    assert(lines || line_count == 0);
    struct content *content = memory_alloc(content_size(lines, line_count));
    content->line_count = line_count;
    content->unit_count = content->number_count = 0;
    int32_t *units = (int32_t *)(void *)&content->lines[line_count];
    for (uint32_t i = 0; i < line_count; i++) {
        content->lines[i] = lines[i];
        content->unit_count += lines[i].unit_count;
        if (!lines[i].units)
            continue;
        content->lines[i].units = units;
        memcpy(units, lines[i].units, lines[i].unit_count * sizeof *units);
        units += lines[i].unit_count;
        content->number_count += lines[i].unit_count;
    }
    assert(content->number_count <= content->unit_count);
    char *texts = (char *)units;
    for (uint32_t i = 0; i < line_count; i++)
        content->lines[i].rate = text_put(&texts, lines[i].rate);
    return content;
}

static bool rate_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool line_equal(const struct line *a, const struct line *b)
{
    return a->item == b->item && a->pool == b->pool && a->seat_hash == b->seat_hash &&
           a->price == b->price && a->unit_count == b->unit_count && rate_equal(a->rate, b->rate) &&
           !a->units == !b->units &&
           (!a->units || memcmp(a->units, b->units, a->unit_count * sizeof *a->units) == 0);
}

bool content_equal(const struct content *a, const struct content *b)
{
    bool equal = a == b || a->line_count == b->line_count;
    for (uint32_t i = 0; equal && a != b && i < a->line_count; i++)
        equal = line_equal(&a->lines[i], &b->lines[i]);
    return equal;
}

uint32_t lines_units_of(const struct line *lines, uint32_t count, uint32_t pool)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < count; i++)
        units += lines[i].pool == pool ? lines[i].unit_count : 0;
    return units;
}

/* ---- units with numbers ---- */

static uint64_t unit_key(uint32_t pool, int32_t unit)
{
    return (uint64_t)pool << 32 | (uint32_t)unit;
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

struct unit_set unit_set_of(const struct line *lines, uint32_t line_count,
                            struct usher_arena *arena)
{
    size_t limit = 0;
    for (uint32_t i = 0; i < line_count; i++)
        limit += number_count(&lines[i]);
    struct unit_set set = {usher_arena_alloc(arena, limit * sizeof *set.at), 0};
    for (uint32_t i = 0; i < line_count; i++)
        for (uint32_t j = 0; j < number_count(&lines[i]); j++)
            set.at[set.count++] = unit_key(lines[i].pool, lines[i].units[j]);
    assert(set.count == limit);
    if (set.count > 0)
        qsort(set.at, set.count, sizeof *set.at, compare_keys);
    return set;
}

bool unit_set_has(const struct unit_set *set, uint32_t pool, int32_t unit)
{
    uint64_t key = unit_key(pool, unit);
    return set->count > 0 && bsearch(&key, set->at, set->count, sizeof key, compare_keys);
}

bool unit_set_has_twice(const struct unit_set *set)
{
    bool twice = false;
    for (uint32_t i = 1; i < set->count; i++)
        twice = twice || set->at[i] == set->at[i - 1];
    return twice;
}

/* ---- the row ---- */

/* All texts of a row but its lines. */
#define EACH_TEXT(DO) \
    DO(request_id) DO(client) DO(customer) DO(cart) DO(payment) DO(note) DO(meta) DO(wants)

size_t booking_texts_size(const struct booking_row *row)
{
    size_t size = 0;
#define ADD(text) size += text_size(row->text);
    EACH_TEXT(ADD)
#undef ADD
    return size;
}

void booking_move_texts(struct booking_row *row, char *to)
{
#define MOVE(text) row->text = text_put(&to, row->text);
    EACH_TEXT(MOVE)
#undef MOVE
}

void booking_deinit(struct booking *booking)
{
    if (booking->stored_content != booking->content)
        free(booking->stored_content);
    free(booking->content);
    free(booking->texts);
}

/* ==== Holds by time of expiry ==== */

void due_deinit(struct due *due)
{
    free(due->heap);
    *due = (struct due){NULL, 0, 0};
}

static void put(struct due *due, uint32_t at, struct due_entry entry)
{
    assert(at < due->limit);
    due->heap[at] = entry;
    entry.booking->due_index = at;
}

/* Moves `entry` from the free place `at` towards the front, to where it belongs. */
static void rise(struct due *due, uint32_t at, struct due_entry entry)
{
    while (at > 0 && due_key_less(entry.key, due->heap[(at - 1) / 2].key)) {
        put(due, at, due->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(due, at, entry);
}

/* Moves `entry` from the free place `at` towards the back, to where it belongs. */
static void sink(struct due *due, uint32_t at, struct due_entry entry)
{
    for (uint32_t child; (child = 2 * at + 1) < due->count; at = child) {
        if (child + 1 < due->count && due_key_less(due->heap[child + 1].key, due->heap[child].key))
            child++;
        if (!due_key_less(due->heap[child].key, entry.key))
            break;
        put(due, at, due->heap[child]);
    }
    put(due, at, entry);
}

void due_add(struct due *due, struct booking *booking)
{
    assert(booking->due_index == DUE_NONE);
    due->heap = array_room(due->heap, due->count, &due->limit, sizeof *due->heap);
    struct due_entry entry = {{booking->row.expires_ms, booking->row.no}, booking};
    rise(due, due->count++, entry);
}

void due_remove(struct due *due, struct booking *booking)
{
    uint32_t at = booking->due_index;
    if (at == DUE_NONE)
        return;
    assert(at < due->count && due->heap[at].booking == booking);
    booking->due_index = DUE_NONE;
    struct due_entry last = due->heap[--due->count];
    if (at == due->count)
        return;
    if (at > 0 && due_key_less(last.key, due->heap[(at - 1) / 2].key))
        rise(due, at, last);
    else
        sink(due, at, last);
}

struct booking *due_first(const struct due *due)
{
    return due->count > 0 ? due->heap[0].booking : NULL;
}

/*
 * Nodes are numbered from 1 here: n has the children 2n and 2n + 1. Returns the node that follows
 * all descendants of n.
 */
static uint32_t node_beside(uint32_t node)
{
    while (node % 2 == 1)
        node /= 2;
    return node == 0 ? 0 : node + 1;
}

/* Nodes in pre-order, without the descendants of one that expires later: they do, too. */
struct booking *due_each(const struct due *due, int64_t until_ms, uint32_t *at)
{
    uint32_t node = *at == 0 ? 1 : 2 * *at;
    while (node != 0 && (node > due->count || due->heap[node - 1].key.expires_ms > until_ms))
        node = node_beside(node);
    *at = node;
    return node == 0 ? NULL : due->heap[node - 1].booking;
}
