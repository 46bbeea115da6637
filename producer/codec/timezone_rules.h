/*
 * The table of time zones. PURE.
 */
#ifndef USHER_PRODUCER_CODEC_TIMEZONE_RULES_H
#define USHER_PRODUCER_CODEC_TIMEZONE_RULES_H

#include <stdint.h>

/* When clocks change: at so many minutes of a weekday (0: Sunday) of a month's week (5: last). */
struct timezone_change {
    int8_t month, week, weekday; /* month 0: they do not */
    int16_t minute;              /* of the day by the clock until then; may be on another day */
};

struct timezone_rule {
    int16_t standard, summer;            /* minutes ahead of UTC */
    struct timezone_change begins, ends; /* of summer time */
    const char *names;                   /* with a space between them */
};

extern const struct timezone_rule timezone_rules[];
extern const uint32_t timezone_rule_count;

#endif
