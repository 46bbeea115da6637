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
    bool closes;         /* often */
    uint32_t cuts;       /* one request in so many is cut off, which makes a dead letter */
    uint32_t late;       /* confirms to be sent at the last moment */
    uint32_t sent, open; /* counted: requests, and what is under way of the others */
    uint64_t repeats, last_moments, ended;
};

extern struct workload workload;

/* Sends them, as many as there are to be: a thread of the world. */
void *workload_send(void *argument);

/* Sends something that is no request to a partition. */
void workload_disturb(int32_t partition);

/* Confirms holds just before they end: a thread of the world. */
void *workload_confirm_late(void *argument);

#endif
