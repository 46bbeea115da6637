/* The usage of this process as the operating system counts it, for the process_* metrics. */
#ifndef USHER_WORKER_OBSERVE_METRICS_PROCESS_H
#define USHER_WORKER_OBSERVE_METRICS_PROCESS_H

#include <stdint.h>

struct process_usage {
    double cpu_seconds, start_seconds; /* start: since 1970 */
    double resident_bytes, virtual_bytes;
    double open_descriptors, max_descriptors;
};

/* Reads /proc and the limits; what cannot be read is 0. */
void process_usage_read(struct process_usage *usage);

/* Reads only the resident memory, quickly; 0: it could not be read. */
int64_t process_resident_bytes(void);

#endif
