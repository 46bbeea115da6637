/*
 * The pool is put together by hand: units, rows and the tree over them.
 */
#include "seat_hall.h"

void seat_hall_open(struct seat_hall *hall, const uint32_t *seats, uint32_t row_count)
{
    *hall = (struct seat_hall){0};
    struct pool *pool = &hall->pool;
    pool->seat_row_count = row_count;
    pool->seat_rows = usher_arena_alloc(&hall->arena, row_count * sizeof(*pool->seat_rows));
    uint32_t unit = 0;
    for (uint32_t i = 0; i < row_count; i++) {
        pool->seat_rows[i] = (struct seat_row){
            .name = usher_arena_format(&hall->arena, "R%u", i + 1),
            .first = 1,
            .seats = seats[i],
            .first_unit = unit,
        };
        unit += seats[i];
    }
    pool->row.kind = USHER_SEATS;
    pool->row.capacity = unit;
    units_init(&pool->units, unit, &hall->arena);
    seat_hall_arrange(hall);
}

void seat_hall_arrange(struct seat_hall *hall)
{
    seats_arrange(&hall->pool, &hall->arena);
}

void seat_hall_close(struct seat_hall *hall)
{
    usher_arena_deinit(&hall->arena);
    usher_arena_deinit(&hall->scratch);
}

void seat_hall_take(struct seat_hall *hall, const int32_t *units, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        units_take(&hall->pool.units, (uint32_t)units[i], BOOKING_HELD);
    hall->pool.taken.held += count;
    seats_refresh(&hall->pool, units, count);
}

void seat_hall_give(struct seat_hall *hall, const int32_t *units, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        units_give(&hall->pool.units, (uint32_t)units[i]);
    hall->pool.taken.held -= count;
    seats_refresh(&hall->pool, units, count);
}

struct seating seat_hall_seat(struct seat_hall *hall, const struct party *party, int32_t *units)
{
    struct seating seating = seating_choose(&hall->pool, party, &hall->scratch, units);
    usher_arena_reset(&hall->scratch);
    if (seating.pieces > 0)
        seat_hall_take(hall, units, party->quantity);
    return seating;
}

uint32_t seat_hall_dice(struct seat_hall *hall, uint32_t sides)
{
    hall->dice = hall->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((hall->dice >> 32) * sides >> 32);
}

uint32_t seat_hall_fill_up(struct seat_hall *hall, enum usher_strategy strategy, uint64_t seed)
{
    hall->dice = seed;
    for (uint64_t number = 0;; number++) {
        int32_t units[6];
        const struct party party = {.quantity = 1 + seat_hall_dice(hall, 6),
                                    .together = true,
                                    .strategy = strategy,
                                    .seed = number};
        if (seat_hall_seat(hall, &party, units).pieces == 0 && party.quantity == 2)
            return hall->pool.taken.held;
    }
}
