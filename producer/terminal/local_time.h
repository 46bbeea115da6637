/*
 * Instants by the clocks of a place, for people. The C library knows one time zone at a time, that
 * of the variable TZ: it is set to the one that is asked for, and nothing else of a program may
 * depend on it.
 */
#ifndef USHER_PRODUCER_TERMINAL_LOCAL_TIME_H
#define USHER_PRODUCER_TERMINAL_LOCAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LOCAL_TIME_SIZE = 64
};

/*
 * Takes possession of TZ. local_time_stamp goes by the zone that was there. Before any thread is
 * started, since the environment has no lock.
 */
void local_time_init(void);

/*
 * Writes "2026-12-24 20:30 CET" and a NUL: an instant, in milliseconds since 1970, in a time zone
 * such as Europe/Paris. False where this machine does not know the zone, or the program did not
 * call local_time_init.
 */
bool local_time_format(int64_t ms, const char *zone, char text[LOCAL_TIME_SIZE]);

/*
 * Has local_time_stamp go by a time zone, such as Europe/Paris, or NULL: that of the environment
 * (TZ), else of the machine. False where this machine does not know the zone. Before any thread is
 * started.
 */
bool local_time_choose(const char *zone);

/*
 * Writes "2026-12-24 20:30:05+01" and a NUL, as PostgreSQL does, but with Z where it is UTC: an
 * instant, in milliseconds since 1970, by the clocks that were chosen.
 */
void local_time_stamp(int64_t ms, char text[LOCAL_TIME_SIZE]);

#endif
