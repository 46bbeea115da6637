/*
 * Proofs about one resource as the database has it.
 */
#include "reconcile_units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is known of one pool while its units are gone through. */
struct tally {
    uint64_t *taken; /* a bit a unit */
    int64_t held, sold;
};

struct proof {
    const struct loaded_resource *loaded;
    const struct reconcile_report *report;
    struct usher_arena arena;
    struct tally *tallies; /* by pool */
    uint64_t differences;
};

static void differ(struct proof *proof, const char *text)
{
    proof->report->line(proof->report->context, proof->loaded->row.id, text);
    proof->differences++;
}

/* ---- units ---- */

static void open_tallies(struct proof *proof)
{
    const struct loaded_resource *loaded = proof->loaded;
    proof->tallies = usher_arena_alloc(&proof->arena, loaded->pool_count * sizeof *proof->tallies);
    for (uint32_t i = 0; i < loaded->pool_count; i++) {
        size_t words = (loaded->pools[i].capacity + 63) / 64;
        proof->tallies[i].taken = usher_arena_alloc(&proof->arena, words * sizeof(uint64_t));
    }
}

static void prove_unit(struct proof *proof, const struct loaded_unit *unit)
{
    const struct loaded_resource *loaded = proof->loaded;
    if (unit->pool >= loaded->pool_count || unit->unit < 0 ||
        (uint32_t)unit->unit >= loaded->pools[unit->pool].capacity) {
        differ(proof,
               usher_arena_format(&proof->arena, "unit %" PRId32 " is outside of pool %" PRIu32,
                                  unit->unit, unit->pool));
        return;
    }
    struct tally *tally = &proof->tallies[unit->pool];
    const char *pool = loaded->pools[unit->pool].name;
    uint64_t bit = UINT64_C(1) << unit->unit % 64;
    if (tally->taken[unit->unit / 64] & bit) {
        differ(proof, usher_arena_format(&proof->arena, "unit %" PRId32 " of \"%s\" is taken twice",
                                         unit->unit, pool));
    }
    tally->taken[unit->unit / 64] |= bit;
    if (unit->state != BOOKING_HELD && unit->state != BOOKING_CONFIRMED) {
        differ(proof,
               usher_arena_format(&proof->arena,
                                  "unit %" PRId32 " of \"%s\" is taken, but neither held nor sold",
                                  unit->unit, pool));
    }
    tally->held += unit->state == BOOKING_HELD;
    tally->sold += unit->state == BOOKING_CONFIRMED;
}

static void prove_capacity(struct proof *proof, struct reconcile_sums *sums)
{
    for (uint32_t i = 0; i < proof->loaded->pool_count; i++) {
        const struct pool_row *pool = &proof->loaded->pools[i];
        const struct tally *tally = &proof->tallies[i];
        int64_t available = (int64_t)pool->capacity - tally->held - tally->sold;
        if (available < 0) {
            differ(proof, usher_arena_format(&proof->arena,
                                             "\"%s\" has %" PRIu32 " units, but %" PRId64
                                             " held and %" PRId64 " sold",
                                             pool->name, pool->capacity, tally->held, tally->sold));
        }
        sums->total += pool->capacity;
        sums->held += tally->held;
        sums->sold += tally->sold;
    }
}

/* ---- the chart ---- */

static int64_t seats_of_pool(const struct loaded_resource *loaded, const char *section)
{
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (loaded->pools[i].kind == USHER_SEATS && strcmp(loaded->pools[i].name, section) == 0)
            return loaded->pools[i].capacity;
    return 0;
}

static void prove_section(struct proof *proof, const struct usher_section *section)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        seats += section->rows[i].seats;
    int64_t capacity = seats_of_pool(proof->loaded, section->section);
    if (seats != capacity) {
        differ(proof, usher_arena_format(&proof->arena,
                                         "\"%s\" has %" PRId64 " seats in the chart, but %" PRId64
                                         " units",
                                         section->section, seats, capacity));
    }
}

static void prove_chart(struct proof *proof)
{
    const struct chart_row *chart = &proof->loaded->chart;
    const struct usher_section *sections;
    uint32_t count;
    struct usher_error err;
    if (chart->content == NULL)
        return;
    if (usher_chart_decode(chart->content, chart->content_size, &proof->arena, &sections, &count,
                           &err) != USHER_OK) {
        differ(proof, usher_arena_format(&proof->arena, "its chart cannot be read: %s", err.text));
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        prove_section(proof, &sections[i]);
}

uint64_t reconcile_units(const struct loaded_resource *loaded, struct reconcile_sums *sums,
                         const struct reconcile_report *report)
{
    struct proof proof = {.loaded = loaded, .report = report};
    struct reconcile_sums own = {0};
    open_tallies(&proof);
    for (uint32_t i = 0; i < loaded->unit_count; i++)
        prove_unit(&proof, &loaded->units[i]);
    prove_capacity(&proof, &own);
    prove_chart(&proof);
    if (proof.differences == 0) {
        sums->total += own.total;
        sums->held += own.held;
        sums->sold += own.sold;
    }
    usher_arena_deinit(&proof.arena);
    return proof.differences;
}
