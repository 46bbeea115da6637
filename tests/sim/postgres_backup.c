/* A backup of a simulated PostgreSQL: what a partition's tables have at a moment, put back later.
 */
#include "postgres.h"

#include <string.h>

#include "producer/base/allocate.h"

static void *copy_rows(const void *from, size_t count, size_t size)
{
    void *rows = memory_calloc(count + 1, size);
    return count > 0 ? memcpy(rows, from, count * size) : rows;
}

/* Texts stay where they are: no row is changed in its place but for numbers. */
static struct postgres_partition copy_partition(const struct postgres_partition *from)
{
    struct postgres_partition to = *from;
    struct fake_database *tables = &to.tables;
    tables->resources =
        copy_rows(tables->resources, tables->resource_limit, sizeof *tables->resources);
    for (uint32_t i = 0; i < tables->resource_count; i++)
        tables->resources[i].pools =
            copy_rows(tables->resources[i].pools, tables->resources[i].pool_limit,
                      sizeof *tables->resources[i].pools);
    tables->charts = copy_rows(tables->charts, tables->chart_limit, sizeof *tables->charts);
    tables->bookings = copy_rows(tables->bookings, tables->booking_limit, sizeof *tables->bookings);
    tables->allocations =
        copy_rows(tables->allocations, tables->allocation_limit, sizeof *tables->allocations);
    tables->decisions =
        copy_rows(tables->decisions, tables->decision_limit, sizeof *tables->decisions);
    tables->arena = (struct usher_arena){0};
    to.letters = copy_rows(to.letters, to.letter_limit, sizeof *to.letters);
    to.locked_by = NULL;
    return to;
}

void postgres_save(int32_t partition)
{
    postgres.saved[partition] = copy_partition(&postgres.partitions[partition]);
}

void postgres_restore(int32_t partition)
{
    struct postgres_backend *holder = postgres.partitions[partition].locked_by;
    uint32_t restored = postgres.partitions[partition].restored;
    postgres.partitions[partition] = copy_partition(&postgres.saved[partition]);
    postgres.partitions[partition].locked_by = holder;
    postgres.partitions[partition].restored = restored + 1;
}
