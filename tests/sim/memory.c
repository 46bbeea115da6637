/* See memory.h. The linker puts the function below in the place of the inventory's (Makefile). */
#include "memory.h"

#include "postgres.h"
#include "reloaded.h"
#include "run.h"
#include "worker/inventory/inventory_state.h"

bool memory_is_compared;

extern void __real_inventory_committed(struct inventory *inventory, uint64_t number);
void __wrap_inventory_committed(struct inventory *inventory, uint64_t number);

/* The record may have the batches of a successor, too. */
void __wrap_inventory_committed(struct inventory *inventory, uint64_t number)
{
    struct postgres_partition *stored = &postgres.partitions[inventory->partition];
    __real_inventory_committed(inventory, number);
    if (!memory_is_compared || stored->told != sim_machine() ||
        stored->told_seq != stored->row.next_seq || !reloaded_can_be(inventory))
        return;
    reloaded_check(inventory, &stored->tables);
    run_counts.reloaded++;
}
