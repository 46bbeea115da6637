/* The hall, and the comparing of rows. */
#include "sealed_hall.h"
#include "worker/inventory/bookings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct rig_step opening[] = {
    {ASK("d", "define",
         ",'state':'open','sections':[{'section':'stalls','rows':[{'row':'A',"
         "'seats':6}]},{'section':'pit','capacity':9}],'rooms':[{'room':'double','from':"
         "'2026-12-24','to':'2026-12-25','capacity':9}]"),
     "'outcome':'defined'"},
};

int open_sealed_hall(void **state)
{
    static struct rig rig;
    rig_open(&rig, &rig_no_limits);
    *state = &rig;
    return RIG_PLAY(&rig, opening) ? 0 : -1;
}

int close_sealed_hall(void **state)
{
    struct rig *rig = *state;
    while (rig->in_flight > 0)
        rig_commit(rig);
    resource_check(rig_resource(rig, "r"));
    fake_database_check(rig->database);
    rig_close(rig);
    return 0;
}

const struct batch *sealed(struct rig *rig)
{
    resource_note_snapshot(rig_resource(rig, "r"));
    rig_seal(rig);
    return &rig->batches[rig->in_flight - 1];
}

int64_t sealed_pool_no(struct rig *rig, uint32_t index)
{
    return rig_resource(rig, "r")->pools[index].row.no;
}

static void same_counts(struct unit_counts expected, struct unit_counts found)
{
    assert_int_equal(expected.held, found.held);
    assert_int_equal(expected.sold, found.sold);
    assert_int_equal(expected.blocked, found.blocked);
}

void sealed_move(struct rig *rig, const struct batch *batch, struct unit_counts was,
                 struct unit_counts taken)
{
    assert_int_equal(1, batch->pool_move_count);
    const struct pool_move *move = &batch->pool_moves[0];
    assert_int_equal(sealed_pool_no(rig, 1), move->no);
    assert_int_equal(rig_resource(rig, "r")->row.no, move->resource_no);
    assert_int_equal(1, move->index);
    same_counts(was, move->was);
    same_counts(taken, move->taken);
}

void sealed_mark(const struct batch *batch, int64_t rev, bool unserved)
{
    assert_int_equal(1, batch->resource_mark_count);
    assert_int_equal(rev, batch->resource_marks[0].rev);
    assert_int_equal(unserved, batch->resource_marks[0].unserved);
}

void sealed_row(const struct allocation_row *row, int64_t pool, int32_t unit, int64_t booking)
{
    assert_int_equal(pool, row->pool);
    assert_int_equal(unit, row->unit);
    assert_int_equal(booking, row->booking);
}

void sealed_notes(struct rig *rig, uint64_t seats, uint64_t pools)
{
    const struct resource *resource = rig_resource(rig, "r");
    const uint64_t *noted_seats = resource->pools[0].noted_seats;
    uint64_t noted = 0;
    for (uint32_t i = 0; i < resource->noted_count; i++)
        noted |= UINT64_C(1) << resource->noted[i];
    assert_int_equal(pools, noted);
    assert_int_equal(seats, noted_seats ? *noted_seats : 0);
}
