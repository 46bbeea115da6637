/* Dates as days since 1970-01-01, from that day on. PURE. */
#include "producer/base/calendar.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "usher/message.h"

/* ==== Instants and nights ==== */

/* Digits of `text` as a number, -1 where one of them is none. */
static int digits_parse(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

static void digits_format(char *text, int32_t value, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        text[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

static void date_format(int32_t day, char text[10])
{
    struct calendar_date date = calendar_date(day);
    digits_format(text, date.year, 4);
    text[4] = '-';
    digits_format(text + 5, date.month, 2);
    text[7] = '-';
    digits_format(text + 8, date.day, 2);
}

/* Reads the ten characters of a date; what follows is the caller's. */
static bool date_parse(const char *text, int32_t *day)
{
    if (strnlen(text, 10) < 10 || text[4] != '-' || text[7] != '-')
        return false;
    int32_t year = digits_parse(text, 4);
    int32_t month = digits_parse(text + 5, 2);
    int32_t day_of_month = digits_parse(text + 8, 2);
    if (year < 1970 || month < 1 || month > 12 || day_of_month < 1 ||
        day_of_month > calendar_month_days(year, month))
        return false;
    *day = calendar_day(year, month, day_of_month);
    return true;
}

void usher_night_format(int32_t day, char text[USHER_NIGHT_SIZE])
{
    assert(day >= 0 && day <= CALENDAR_LAST_DAY);
    date_format(day, text);
    text[10] = '\0';
}

bool usher_night_parse(const char *text, int32_t *day)
{
    return date_parse(text, day) && text[10] == '\0';
}

void usher_instant_format(int64_t ms, char text[USHER_INSTANT_SIZE])
{
    assert(ms >= 0 && ms / CALENDAR_MS_A_DAY <= CALENDAR_LAST_DAY);
    int32_t ms_of_day = (int32_t)(ms % CALENDAR_MS_A_DAY);

    date_format((int32_t)(ms / CALENDAR_MS_A_DAY), text);
    memcpy(text + 10, "T00:00:00.000Z", 15);
    digits_format(text + 11, ms_of_day / 3600000, 2);
    digits_format(text + 14, ms_of_day / 60000 % 60, 2);
    digits_format(text + 17, ms_of_day / 1000 % 60, 2);
    digits_format(text + 20, ms_of_day % 1000, 3);
}

/* Reads "." and digits, if there, and says where they end; NULL where no digit follows the dot. */
static const char *fraction_parse(const char *text, int32_t *ms)
{
    *ms = 0;
    if (*text != '.')
        return text;
    const char *at = text + 1;
    for (int32_t weight = 100; *at >= '0' && *at <= '9'; at++, weight /= 10)
        *ms += (*at - '0') * weight;
    return at == text + 1 ? NULL : at;
}

bool usher_instant_parse(const char *text, int64_t *ms)
{
    int32_t day = 0;
    int32_t fraction = 0;
    if (!date_parse(text, &day) || strnlen(text, 19) < 19 || text[10] != 'T' || text[13] != ':' ||
        text[16] != ':')
        return false;
    int hours = digits_parse(text + 11, 2);
    int minutes = digits_parse(text + 14, 2);
    int seconds = digits_parse(text + 17, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59)
        return false;
    const char *end = fraction_parse(text + 19, &fraction);
    if (!end || strcmp(end, "Z") != 0)
        return false;
    *ms = day * CALENDAR_MS_A_DAY + hours * INT64_C(3600000) + minutes * INT64_C(60000) +
          seconds * INT64_C(1000) + fraction;
    return true;
}

/* ==== Dates ==== */

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
