/*
 * Rules of time zones, applied.
 */
#include "producer/codec/timezone.h"

#include <string.h>

#include "producer/codec/calendar.h"
#include "producer/codec/timezone_rules.h"

enum {
    MINUTES_A_DAY = 1440,
    MS_A_MINUTE = 60000,
    WEEKDAY_1970 = 4,   /* the first day of 1970 was a Thursday */
    LAST_OF_ALL = -720, /* minutes: where a day begins last */
};

static bool has_name(const char *names, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = strstr(names, name); at; at = strstr(at + 1, name))
        if ((at == names || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

static const struct timezone_rule *find_rule(const char *name)
{
    for (uint32_t i = 0; name && i < timezone_rule_count; i++)
        if (has_name(timezone_rules[i].names, name))
            return &timezone_rules[i];
    return NULL;
}

/* Days and minutes before 1970 are below 0: division must not round towards 0. */
static int64_t floor_divide(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

/* Returns the minute since 1970 at which clocks change in a year, as the clock shows it. */
static int64_t minute_of(const struct timezone_change *change, int32_t year)
{
    int32_t first = calendar_day(year, change->month, 1);
    int32_t weekday = (first + WEEKDAY_1970) % 7;
    int32_t day = first + (change->weekday - weekday + 7) % 7 + (change->week - 1) * 7;
    while (day >= first + calendar_month_days(year, change->month))
        day -= 7;
    return (int64_t)day * MINUTES_A_DAY + change->minute;
}

/* South of the equator summer lasts over the end of the year. */
static bool is_summer(const struct timezone_rule *rule, int64_t minute)
{
    if (rule->begins.month == 0)
        return false;
    int64_t day = floor_divide(minute + rule->standard, MINUTES_A_DAY);
    int32_t year = calendar_date((int32_t)day).year;
    int64_t begins = minute_of(&rule->begins, year) - rule->standard;
    int64_t ends = minute_of(&rule->ends, year) - rule->summer;
    return begins < ends ? minute >= begins && minute < ends : minute >= begins || minute < ends;
}

bool timezone_is_known(const char *name)
{
    return name[0] != '\0' && !strchr(name, ' ') && find_rule(name);
}

int32_t timezone_date(const char *name, int64_t ms)
{
    int64_t minute = floor_divide(ms, MS_A_MINUTE);
    const struct timezone_rule *rule = find_rule(name);
    int32_t ahead = !rule ? LAST_OF_ALL : is_summer(rule, minute) ? rule->summer : rule->standard;
    return (int32_t)floor_divide(minute + ahead, MINUTES_A_DAY);
}
