/*
 * A hall with six seats, a pit for nine and nine rooms of a night, and batches of it that were
 * sealed: for tests of what is written. Names of bookings are also the ids of the requests that
 * made them.
 */
#ifndef SEALED_HALL_H
#define SEALED_HALL_H

#include "core_rig.h"

#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"
#define SEATS(id, op, seats) ASK(id, op, ",'customer':'c','items':[{'seats':[" seats "]}]")
#define OF(booking) ",'customer':'c','booking':'" booking "'"
#define PIT(quantity) "'items':[{'section':'pit','quantity':" quantity "}]"
#define ROOMS(quantity) \
    "'items':[{'room':'double','from':'2026-12-24','to':'2026-12-25','quantity':" quantity "}]"

/* cmocka's set-up and tear-down, with the rig as state; the latter commits and checks it all. */
int open_sealed_hall(void **state);
int close_sealed_hall(void **state);

/* Seals the batch at hand, which is in flight then. */
const struct batch *sealed(struct rig *rig);

/* The number of a pool: 0 is the stalls, 1 the pit, 2 the rooms. */
int64_t sealed_pool_no(struct rig *rig, uint32_t index);

/* Fails the test where the batch does not move the pit, as the only pool, from there to there. */
void sealed_move(struct rig *rig, const struct batch *batch, struct unit_counts was,
                 struct unit_counts taken);

/* Fails the test where the seal noted other seats for readers, or other pools: a bit each. */
void sealed_notes(struct rig *rig, uint64_t seats, uint64_t pools);

/* Fail the test where it is another one. The mark is the only one. */
void sealed_mark(const struct batch *batch, int64_t rev, bool unserved);
void sealed_row(const struct allocation_row *row, int64_t pool, int32_t unit, int64_t booking);

#endif
