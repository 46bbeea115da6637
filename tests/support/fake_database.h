/*
 * The record in memory, for tests of the core: applies sealed batches as strictly as the real
 * tables do, and answers loads from what was applied.
 */
#ifndef TESTS_FAKE_DATABASE_H
#define TESTS_FAKE_DATABASE_H

#include <stdbool.h>

#include "worker/model/batch.h"
#include "worker/model/loads.h"

struct fake_resource {
    struct resource_row row;
    struct pool_row *pools;
    uint32_t pool_count, pool_limit;
};

struct fake_database {
    struct fake_resource *resources;
    uint32_t resource_count, resource_limit;
    struct chart_row *charts;
    uint32_t chart_count, chart_limit;
    struct booking_row *bookings;
    uint32_t booking_count, booking_limit;
    struct allocation_row *allocations;
    uint32_t allocation_count, allocation_limit;
    struct decision_row *decisions; /* by seq, from 1 */
    uint32_t decision_count, decision_limit;
    uint32_t loads; /* round trips */
    uint64_t
        leaves; /* not 0: a load leaves some of what is asked for to the next one, by this seed */
    int64_t last_pool;
    struct usher_arena arena;
};

void fake_database_close(struct fake_database *database);

/* Applies a batch, asserting what the database would raise: counts, states, keys, the seq chain. */
void fake_database_apply(struct fake_database *database, const struct batch *batch);

/*
 * The decisions up to that seq are lost, and nothing is known of them: their rows have no outcome.
 */
void fake_database_lose(struct fake_database *database, int64_t until_seq);

/*
 * Deletes a closed resource with its bookings; of the decisions about it seq and times stay. False:
 * something about it may still change, or is not published by that seq.
 */
bool fake_database_prune(struct fake_database *database, int64_t no, int64_t published_seq);

/*
 * Answers a load; rows are copied into the arena. Of each list it may leave the end, never the
 * first member, nor the second booking: one request may name two.
 */
void fake_database_load(struct fake_database *database, const struct load_request *request,
                        struct usher_arena *arena, struct load_result *result);

/*
 * Of a first resource, or of the customers of the first one, leaves the first page in the result:
 * so many rows of each list. Then load_has_more() until each further page, of what is there by
 * then, was added.
 */
void fake_database_cut(const struct fake_database *database, const struct load_request *request,
                       uint32_t rows, struct usher_arena *arena, struct load_result *result);
void fake_database_add_page(const struct fake_database *database,
                            const struct load_request *request, uint32_t rows,
                            struct usher_arena *arena, struct load_result *result);

/*
 * Asserts that exactly the bookings that have their units are allocated them, or counted with them,
 * within capacity.
 */
void fake_database_check(const struct fake_database *database);

/* Rows by their keys, NULL where there is none. */
struct fake_resource *fake_resource(const struct fake_database *database, int64_t no);
struct booking_row *fake_booking(const struct fake_database *database, int64_t no);
struct chart_row *fake_chart(const struct fake_database *database, const char *name);

#endif
