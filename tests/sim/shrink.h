/* A run that fails, made smaller as long as it fails. */
#ifndef TESTS_SIM_SHRINK_H
#define TESTS_SIM_SHRINK_H

#include <stdint.h>

/*
 * Tries the run with fewer requests and without some kinds of faults, each in a process of its own,
 * and says on standard error by which command the smallest one is repeated, also under gdb.
 */
void shrink(uint64_t seed, uint64_t crash_at);

#endif
