/*
 * The time zones of the system beside those of the program: a release that is newer may know of
 * changes by which hotels would sell other nights.
 */
#ifndef USHER_WORKER_PROGRAM_SYSTEM_TIMEZONES_H
#define USHER_WORKER_PROGRAM_SYSTEM_TIMEZONES_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/codec/timezone.h"

enum {
    TIMEZONES_RELEASE_SIZE = 16
};

/* Finds out the release that is installed, such as 2026f. False: none that says so. */
bool system_timezones_release(const char *folder, char release[TIMEZONES_RELEASE_SIZE]);

/*
 * Counts the time zones of the program in which, within two years from a day since 1970 on, a day
 * begins at another moment than by the system; `first` is the first of them, if any.
 * Those that the system does not have are left out. Changes TZ meanwhile: no other thread may be
 * formatting local times.
 */
uint32_t system_timezones_compare(const char *folder, int32_t day, char first[TIMEZONE_NAME_SIZE]);

#endif
