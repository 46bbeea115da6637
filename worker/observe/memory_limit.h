/*
 * The memory limit of this process, by the operating system: the limits of its control groups,
 * version 2 or 1, or the memory of the machine.
 */
#ifndef USHER_WORKER_OBSERVE_MEMORY_LIMIT_H
#define USHER_WORKER_OBSERVE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct memory_limit {
    int64_t bytes;   /* 0: it could not be read */
    bool of_a_group; /* else of the machine */
};

/*
 * Reads the lowest limit of the group of this process and of those around it, or the machine's
 * memory if that is lower. `root` stands before all paths: "" but in tests.
 */
struct memory_limit memory_limit_read(const char *root);

#endif
