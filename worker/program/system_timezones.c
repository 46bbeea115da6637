/* The time zones of the system beside those of the program: see system_timezones.h. */
#include "worker/program/system_timezones.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "producer/codec/timezone.h"
#include "usher/memory.h"

enum {
    DAYS = 731,
    DAY_S = 86400,
    PATH_SIZE = 512
};

bool system_timezones_release(const char *folder, char release[TIMEZONES_RELEASE_SIZE])
{
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/tzdata.zi", folder) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool found = fscanf(file, "# version %15s", release) == 1;
    fclose(file);
    return found;
}

/* Whether a moment is of the same day by both; TZ is the zone. */
static bool is_same_day(const char *zone, time_t at)
{
    struct tm local;
    if (!localtime_r(&at, &local))
        return true;
    int64_t seconds = (int64_t)at + local.tm_gmtoff;
    int64_t day = seconds / DAY_S - (seconds % DAY_S < 0);
    return timezone_date(zone, (int64_t)at * 1000) == day;
}

/* Looked at are the moments at which a day begins by the system, and those just before. */
static bool is_same(const char *zone, int32_t first)
{
    for (int64_t day = first; day < first + DAYS; day++) {
        time_t at = (time_t)(day * DAY_S);
        struct tm local;
        if (localtime_r(&at, &local))
            at -= local.tm_gmtoff;
        if (!is_same_day(zone, at) || !is_same_day(zone, at - 1))
            return false;
    }
    return true;
}

static bool use_zone(const char *folder, const char *zone)
{
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, ":%s/%s", folder, zone) >= (int)sizeof path ||
        access(path + 1, R_OK) != 0)
        return false;
    setenv("TZ", path, 1);
    tzset();
    return true;
}

uint32_t system_timezones_compare(const char *folder, int32_t day, char first[TIMEZONE_NAME_SIZE])
{
    struct usher_arena arena = {0};
    char zone[TIMEZONE_NAME_SIZE];
    const char *was = getenv("TZ");
    uint32_t count = 0;
    was = was ? usher_arena_text(&arena, was, strlen(was)) : NULL;
    for (uint32_t i = 0; timezone_name(i, zone); i++)
        if (use_zone(folder, zone) && !is_same(zone, day) && count++ == 0)
            memcpy(first, zone, sizeof zone);
    if (was)
        setenv("TZ", was, 1);
    else
        unsetenv("TZ");
    tzset();
    usher_arena_deinit(&arena);
    return count;
}
