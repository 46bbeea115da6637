/* Memory that a worker keeps, against memory that is loaded again from the rows of the record. */
#ifndef TESTS_SIM_MEMORY_H
#define TESTS_SIM_MEMORY_H

#include <stdbool.h>

/*
 * Whether it is compared with each commit that leaves nothing in flight: some ten times the time of
 * a run.
 */
extern bool memory_is_compared;

#endif
