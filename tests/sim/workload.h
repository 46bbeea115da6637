/* Requests of all kinds, repeats and hostile ones among them, by chance and in virtual time. */
#ifndef TESTS_SIM_WORKLOAD_H
#define TESTS_SIM_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct workload {
    uint32_t requests; /* to be sent */
    uint32_t resources;
    int64_t pause_us; /* between two, at most */
    bool transactions;
    uint32_t sent, open; /* counted: requests, and transactions under way */
};

extern struct workload workload;

/* Sends them, then ends: a thread of the world. */
void *workload_send(void *argument);

#endif
