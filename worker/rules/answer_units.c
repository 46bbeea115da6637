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

int64_t answer_overbooked(const struct resource *resource, const struct line *lines, uint32_t count)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pool_row *row = &resource->pools[lines[i].pool].row;
        for (uint32_t j = 0; row->overbook > 0 && j < lines[i].unit_count; j++)
            units += (uint32_t)lines[i].units[j] >= row->capacity - row->overbook;
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
    answer->overbooked = answer_overbooked(decision->resource, lines, count);
}
