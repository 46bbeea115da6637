/*
 * Turns lines of units into the groups of an answer. PURE.
 */
#include "worker/rules/answer_units.h"

#include <string.h>

#include "worker/inventory/names.h"

const char *answer_night(int32_t night, struct usher_arena *arena)
{
    char text[USHER_NIGHT_SIZE];
    usher_night_format(night, text);
    return usher_arena_text(arena, text, strlen(text));
}

static const char *const *seat_names(const struct pool *pool, const struct line *line,
                                     struct usher_arena *arena)
{
    const char **seats = usher_arena_alloc(arena, line->unit_count * sizeof *seats);
    for (uint32_t i = 0; i < line->unit_count; i++)
        seats[i] = names_seat_name(pool, (uint32_t)line->units[i], arena);
    return seats;
}

struct usher_units *answer_units(const struct resource *resource, const struct line *lines,
                                 uint32_t line_count, struct usher_arena *arena)
{
    struct usher_units *groups = usher_arena_alloc(arena, line_count * sizeof *groups);
    for (uint32_t i = 0; i < line_count; i++) {
        const struct line *line = &lines[i];
        const struct pool *pool = &resource->pools[line->pool];
        groups[i] = (struct usher_units){
            .item = line->item,
            .kind = pool->row.kind,
            .pool = pool->row.name,
            .night = pool->row.night,
            .price = line->price,
            .rate = line->rate,
            .quantity = line->unit_count,
            .seats = pool->row.kind == USHER_SEATS ? seat_names(pool, line, arena) : NULL,
            .tokens = line->units,
        };
    }
    return groups;
}

struct answer_units_list answer_units_begin(const struct decision *decision, uint32_t line_count)
{
    struct usher_arena *arena = decision_arena(decision);
    return (struct answer_units_list){
        .at = usher_arena_alloc(arena, line_count * sizeof(struct usher_units))};
}

void answer_units_add(const struct decision *decision, const struct booking *booking,
                      const struct line *lines, uint32_t line_count,
                      struct answer_units_list *shown)
{
    struct usher_arena *arena = decision_arena(decision);
    const char *name =
        decision->request->booking ? NULL : decision_text(decision, booking->request_id);
    const struct usher_units *units = answer_units(decision->resource, lines, line_count, arena);
    for (uint32_t i = 0; i < line_count; i++) {
        shown->at[shown->count] = units[i];
        shown->at[shown->count++].booking = name;
    }
}

/* Sums up the units of the lines that are of a pool. */
static uint32_t units_of(const struct line *lines, uint32_t count, uint32_t pool)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < count; i++)
        units += lines[i].pool == pool ? lines[i].unit_count : 0;
    return units;
}

static bool is_first_of_pool(const struct line *lines, uint32_t at)
{
    return units_of(lines, at, lines[at].pool) == 0;
}

/* How many of them are beyond what there is, after the others were given back. */
static uint32_t overbooked_of_pool(const struct pool *pool, uint32_t units, uint32_t returned)
{
    uint32_t there = pool->row.capacity - pool->row.overbook;
    uint32_t taken = unit_counts_sum(pool->taken) - returned;
    uint32_t beyond = taken > there ? taken - there : 0;
    return beyond < units ? beyond : units;
}

static uint32_t overbooked_numbers(const struct pool_row *row, const struct line *line)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < line->unit_count; i++)
        units += (uint32_t)line->units[i] >= row->capacity - row->overbook;
    return units;
}

int64_t answer_overbooked(const struct resource *resource, const struct line *lines, uint32_t count,
                          const struct line *returned, uint32_t returned_count)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pool *pool = &resource->pools[lines[i].pool];
        uint32_t index = lines[i].pool;
        if (pool->row.overbook == 0)
            continue;
        if (!kind_is_counted(pool->row.kind))
            units += overbooked_numbers(&pool->row, &lines[i]);
        else if (is_first_of_pool(lines, i))
            units += overbooked_of_pool(pool, units_of(lines, count, index),
                                        units_of(returned, returned_count, index));
    }
    return units > 0 ? units : USHER_ABSENT;
}

/* Copies the texts: a later change of the booking may free them. */
void answer_set_booking(struct decision *decision, const struct booking *booking)
{
    struct usher_answer *answer = &decision->answer;
    answer->booking = decision_text(decision, booking->request_id);
    answer->customer = decision_text(decision, booking->customer);
    answer->cart = decision_text(decision, booking->cart);
    answer->total = booking->total;
    answer->currency = decision->resource->row.currency;
}

void answer_set_lines(struct decision *decision, const struct line *lines, uint32_t count)
{
    struct usher_answer *answer = &decision->answer;
    answer->units = answer_units(decision->resource, lines, count, decision_arena(decision));
    answer->units_count = count;
    answer->overbooked = answer_overbooked(decision->resource, lines, count, NULL, 0);
}
