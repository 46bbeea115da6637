/*
 * The Gregorian calendar, from 1970 on.
 */
#include "producer/codec/calendar.h"

#include <stdbool.h>

static bool is_leap_year(int32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int32_t calendar_month_days(int32_t year, int32_t month)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap_year(year) ? 29 : days[month - 1];
}

/*
 * Years are counted from March, so that the leap day
 * is the last of its year and 400 such years always have 146,097 days.
 */
int32_t calendar_day(int32_t year, int32_t month, int32_t day)
{
    int32_t march_year = month > 2 ? year : year - 1;
    int32_t march_month = (month + 9) % 12;
    int32_t era = march_year / 400;
    int32_t year_of_era = march_year % 400;
    int32_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
    int32_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

struct calendar_date calendar_date(int32_t day)
{
    int32_t shifted = day + 719468;
    int32_t era = shifted / 146097;
    int32_t day_of_era = shifted % 146097;
    int32_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int32_t march_month = (5 * day_of_year + 2) / 153;
    int32_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    return (struct calendar_date){
        .year = era * 400 + year_of_era + (month <= 2 ? 1 : 0),
        .month = month,
        .day = day_of_year - (153 * march_month + 2) / 5 + 1,
    };
}
