/* Instants by the clocks of a place: see local_time.h. */
#include "producer/terminal/local_time.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    ZONE_SIZE = 80
};

/* The entry of the environment itself: what is written here is what the C library reads. */
static char entry[ZONE_SIZE + 4] = "TZ=UTC0";
static bool is_ours;
static char own[ZONE_SIZE]; /* where it is ours: the zone that stamps go by */

static void use(const char *zone)
{
    snprintf(entry, sizeof entry, "TZ=%s", zone);
    tzset();
}

static void choose(const char *zone)
{
    snprintf(own, sizeof own, "%s", zone);
    int failed = putenv(entry);
    assert(failed == 0);
    is_ours = true;
}

void local_time_init(void)
{
    const char *zone = getenv("TZ");
    choose(zone ? zone : ":/etc/localtime");
}

/* An unknown zone would be taken for UTC. */
static bool is_known(const char *zone)
{
    char path[ZONE_SIZE + 32];
    if (strlen(zone) >= ZONE_SIZE || strstr(zone, ".."))
        return false;
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", zone);
    return access(path, R_OK) == 0;
}

bool local_time_format(int64_t ms, const char *zone, char text[LOCAL_TIME_SIZE])
{
    struct tm local;
    time_t seconds = (time_t)(ms / 1000);
    if (!is_ours || !is_known(zone))
        return false;
    use(zone);
    return localtime_r(&seconds, &local) &&
           strftime(text, LOCAL_TIME_SIZE, "%Y-%m-%d %H:%M %Z", &local) > 0;
}

bool local_time_choose(const char *zone)
{
    if (zone && strcmp(zone, "UTC") != 0 && !is_known(zone))
        return false;
    if (zone)
        choose(zone);
    else
        local_time_init();
    return true;
}

void local_time_stamp(int64_t ms, char text[LOCAL_TIME_SIZE])
{
    struct tm local;
    time_t seconds = (time_t)(ms / 1000);
    *text = '\0';
    if (is_ours)
        use(own);
    if (!localtime_r(&seconds, &local))
        return;
    size_t size = strftime(text, LOCAL_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &local);
    long minutes = local.tm_gmtoff / 60;
    if (minutes == 0)
        snprintf(text + size, LOCAL_TIME_SIZE - size, "Z");
    else
        snprintf(text + size, LOCAL_TIME_SIZE - size,
                 minutes % 60 == 0 ? "%c%02ld" : "%c%02ld:%02ld", minutes < 0 ? '-' : '+',
                 labs(minutes) / 60, labs(minutes) % 60);
}
