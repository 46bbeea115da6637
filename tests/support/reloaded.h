/* Memory that was kept, against memory that is loaded again from the rows of the record. */
#ifndef TESTS_RELOADED_H
#define TESTS_RELOADED_H

#include "fake_database.h"
#include "worker/inventory/inventory.h"

/* Whether all that is in memory is sealed, and known to be committed. */
bool reloaded_can_be(const struct inventory *kept);

/*
 * Asserts that an inventory that can be reloaded would be what it is: all that it has, and every
 * index of it, is what loading the same rows into an empty one makes; and where it says that it has
 * all rows of a kind, it has. The inventory's order of last use stays as it is.
 */
void reloaded_check(struct inventory *kept, struct fake_database *database);

#endif
