/*
 * Dates as days since 1970-01-01, from that day on: the calendar beneath the instants and nights
 * of usher/message.h. PURE.
 */
#ifndef USHER_PRODUCER_BASE_CALENDAR_H
#define USHER_PRODUCER_BASE_CALENDAR_H

#include <stdint.h>

enum {
    CALENDAR_LAST_DAY = 2932896 /* 9999-12-31 */
};

#define CALENDAR_MS_A_DAY INT64_C(86400000)

struct calendar_date {
    int32_t year, month, day; /* month and day from 1 */
};

int32_t calendar_day(int32_t year, int32_t month, int32_t day);

struct calendar_date calendar_date(int32_t day);

/* Returns how many days a month has. */
int32_t calendar_month_days(int32_t year, int32_t month);

#endif
