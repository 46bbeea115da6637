/*
 * Proofs about the units of a resource, as the database has them: each is taken once, lies inside
 * its section, and is counted in its pool. Knows neither Redis nor terms.
 */
#include "worker/reconcile/reconcile_units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/codec/stored.h"

struct units_proof {
    const struct loaded_resource *loaded;
    const struct reconcile_report *report;
    struct usher_arena arena;
    struct reconcile_sums *pools; /* by pool */
    uint64_t differences;
};

static void differ(struct units_proof *proof, const char *text)
{
    proof->report->line(proof->report->context, proof->loaded->row.id, text);
    proof->differences++;
}

/* ---- units ---- */

static int compare_units(const void *left, const void *right)
{
    const struct loaded_unit *a = left;
    const struct loaded_unit *b = right;
    if (a->pool != b->pool)
        return a->pool < b->pool ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static struct loaded_unit *sorted(struct units_proof *proof)
{
    size_t size = proof->loaded->unit_count * sizeof(struct loaded_unit);
    struct loaded_unit *units = usher_arena_alloc(&proof->arena, size);
    if (size > 0) {
        memcpy(units, proof->loaded->units, size);
        qsort(units, proof->loaded->unit_count, sizeof *units, compare_units);
    }
    return units;
}

/* A seat's number is its place; any other unit may have any number, even above the capacity. */
static bool is_inside(const struct units_proof *proof, const struct loaded_unit *unit)
{
    const struct loaded_resource *loaded = proof->loaded;
    if (unit->pool >= loaded->pool_count || unit->unit < 0)
        return false;
    const struct pool_row *pool = &loaded->pools[unit->pool];
    return pool->kind != USHER_SEATS || (uint32_t)unit->unit < pool->capacity;
}

static bool is_counted(const struct units_proof *proof, uint32_t pool)
{
    return pool < proof->loaded->pool_count && kind_is_counted(proof->loaded->pools[pool].kind);
}

static void prove_unit(struct units_proof *proof, const struct loaded_unit *unit, bool again)
{
    if (is_counted(proof, unit->pool)) {
        differ(proof, usher_arena_format(&proof->arena,
                                         "\"%s\" is counted, but unit %" PRId32 " is allocated",
                                         proof->loaded->pools[unit->pool].name, unit->unit));
        return;
    }
    if (!is_inside(proof, unit)) {
        differ(proof,
               usher_arena_format(&proof->arena, "unit %" PRId32 " is outside of pool %" PRIu32,
                                  unit->unit, unit->pool));
        return;
    }
    const char *pool = proof->loaded->pools[unit->pool].name;
    struct reconcile_sums *sums = &proof->pools[unit->pool];
    bool taken = unit->state == BOOKING_HELD || unit->state == BOOKING_CONFIRMED ||
                 unit->state == BOOKING_BLOCKED;
    if (again) {
        differ(proof, usher_arena_format(&proof->arena, "unit %" PRId32 " of \"%s\" is taken twice",
                                         unit->unit, pool));
    }
    if (!taken) {
        differ(proof, usher_arena_format(&proof->arena,
                                         "unit %" PRId32
                                         " of \"%s\" is taken, but neither held, sold nor blocked",
                                         unit->unit, pool));
    }
    sums->held += unit->state == BOOKING_HELD;
    sums->sold += unit->state == BOOKING_CONFIRMED;
    sums->blocked += unit->state == BOOKING_BLOCKED;
}

static void prove_units(struct units_proof *proof)
{
    const struct loaded_unit *units = sorted(proof);
    for (uint32_t i = 0; i < proof->loaded->unit_count; i++)
        prove_unit(proof, &units[i], i > 0 && compare_units(&units[i - 1], &units[i]) == 0);
}

/* ---- pools ---- */

static void prove_capacity(struct units_proof *proof, const struct pool_row *pool,
                           const struct reconcile_sums *taken)
{
    int64_t over = taken->held + taken->sold + taken->blocked - pool->capacity;
    if ((over > 0 ? over : 0) != pool->over) {
        differ(proof, usher_arena_format(&proof->arena,
                                         "\"%s\" has %" PRIu32 " unit%s and %" PRIu32
                                         " taken beyond them, but %" PRId64 " held, %" PRId64
                                         " sold and %" PRId64 " blocked",
                                         pool->name, pool->capacity, PLURAL(pool->capacity),
                                         pool->over, taken->held, taken->sold, taken->blocked));
    }
    if (pool->overbook > pool->capacity || (pool->overbook > 0 && pool->kind == USHER_SEATS)) {
        differ(proof,
               usher_arena_format(
                   &proof->arena, "\"%s\" is overbooked by %" PRIu32 " of %" PRIu32 " unit%s%s",
                   pool->name, pool->overbook, pool->capacity, PLURAL(pool->capacity),
                   pool->kind == USHER_SEATS ? ", but has seats" : ""));
    }
}

/* The price of a unit if the buyer names no rate. */
static int64_t price_of(const struct usher_rate *rates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rates[i].rate, "standard") == 0)
            return rates[i].price;
    return rates[0].price;
}

static void prove_rates(struct units_proof *proof, const struct pool_row *pool)
{
    const struct usher_rate *rates;
    uint32_t count;
    struct usher_error err;
    if (!pool->rates)
        return;
    if (stored_rates_decode(pool->rates, strlen(pool->rates), &proof->arena, &rates, &count,
                            &err) != USHER_OK ||
        count == 0) {
        differ(proof, usher_arena_format(&proof->arena, "the rates of \"%s\" cannot be read: %s",
                                         pool->name, pool->rates));
    } else if (price_of(rates, count) != pool->price) {
        differ(proof, usher_arena_format(&proof->arena,
                                         "\"%s\" costs %" PRId64 ", but by its rates %" PRId64,
                                         pool->name, pool->price, price_of(rates, count)));
    }
}

static void prove_restrictions(struct units_proof *proof, const struct pool_row *pool)
{
    const struct usher_restriction *restrictions;
    uint32_t count;
    struct usher_error err;
    if (pool->restrictions &&
        (stored_restrictions_decode(pool->restrictions, strlen(pool->restrictions), &proof->arena,
                                    &restrictions, &count, &err) != USHER_OK ||
         count == 0))
        differ(proof,
               usher_arena_format(&proof->arena, "the restrictions of \"%s\" cannot be read: %s",
                                  pool->name, pool->restrictions));
}

static void prove_pools(struct units_proof *proof, struct reconcile_sums *sums)
{
    for (uint32_t i = 0; i < proof->loaded->pool_count; i++) {
        const struct pool_row *pool = &proof->loaded->pools[i];
        struct reconcile_sums *taken = &proof->pools[i];
        taken->held += pool->taken.held;
        taken->sold += pool->taken.sold;
        taken->blocked += pool->taken.blocked;
        prove_capacity(proof, pool, taken);
        prove_rates(proof, pool);
        prove_restrictions(proof, pool);
        sums->total += pool->capacity;
        sums->held += taken->held;
        sums->sold += taken->sold;
        sums->blocked += taken->blocked;
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

static void prove_section(struct units_proof *proof, const struct usher_section *section)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        seats += section->rows[i].seats;
    int64_t capacity = seats_of_pool(proof->loaded, section->section);
    if (seats != capacity) {
        differ(proof, usher_arena_format(
                          &proof->arena,
                          "\"%s\" has %" PRId64 " seat%s in the chart, but %" PRId64 " unit%s",
                          section->section, seats, PLURAL(seats), capacity, PLURAL(capacity)));
    }
}

static void prove_chart(struct units_proof *proof)
{
    const struct chart_row *chart = &proof->loaded->chart;
    const struct usher_section *sections;
    uint32_t count;
    struct usher_error err;
    if (!chart->content)
        return;
    if (usher_chart_decode(chart->content, chart->content_size, &proof->arena, &sections, &count,
                           &err) != USHER_OK) {
        differ(proof, usher_arena_format(&proof->arena, "its chart cannot be read: %s", err.text));
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        prove_section(proof, &sections[i]);
}

/* ---- the waiting list ---- */

static bool can_be_read(struct units_proof *proof, const char *wants)
{
    struct usher_request request;
    struct usher_error err;
    return wants && wants_decode(wants, strlen(wants), &proof->arena, &request, &err) == USHER_OK;
}

static void prove_waiting(struct units_proof *proof)
{
    const struct loaded_resource *loaded = proof->loaded;
    for (uint32_t i = 0; i < loaded->waiting_count; i++) {
        const struct booking_row *party = &loaded->waiting[i];
        if (!can_be_read(proof, party->wants)) {
            differ(proof, usher_arena_format(&proof->arena,
                                             "the wanted items of booking \"%s\" cannot be read",
                                             party->request_id));
        }
        if (party->state != BOOKING_WAITING || (i > 0 && party->no <= loaded->waiting[i - 1].no)) {
            differ(proof,
                   usher_arena_format(&proof->arena, "booking \"%s\" has no place in the list",
                                      party->request_id));
        }
    }
}

uint64_t reconcile_units(const struct loaded_resource *loaded, struct reconcile_sums *sums,
                         const struct reconcile_report *report)
{
    struct units_proof proof = {.loaded = loaded, .report = report};
    struct reconcile_sums own = {0};
    proof.pools = usher_arena_alloc(&proof.arena, loaded->pool_count * sizeof *proof.pools);
    prove_units(&proof);
    prove_pools(&proof, &own);
    prove_chart(&proof);
    prove_waiting(&proof);
    if (proof.differences == 0) {
        sums->total += own.total;
        sums->held += own.held;
        sums->sold += own.sold;
        sums->blocked += own.blocked;
    }
    usher_arena_deinit(&proof.arena);
    return proof.differences;
}
