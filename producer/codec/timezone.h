/*
 * Time zones by name: whether there is one, and which date it is there. From a table that comes
 * with the program, so that all that decide by it decide the same, whatever is installed beside
 * them. PURE. The table is in here, too.
 */
#ifndef USHER_PRODUCER_CODEC_TIMEZONE_H
#define USHER_PRODUCER_CODEC_TIMEZONE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TIMEZONE_NAME_SIZE = 64
};

/* The release of the IANA database that it is made of, by tests/data/timezones.py. */
extern const char timezone_release[];

/* Whether the IANA database has a time zone of that name. */
bool timezone_is_known(const char *name);

/* Returns a time zone by its place in the table, which is nothing's number; NULL: no more. */
const char *timezone_name(uint32_t index, char name[TIMEZONE_NAME_SIZE]);

/*
 * Returns the date in a time zone at an instant from 2026 on, in days since 1970-01-01, by the
 * rules of that release; NULL or an unknown zone: the earliest date that it is anywhere.
 */
int32_t timezone_date(const char *name, int64_t ms);

/* Returns the instant at which a date begins there, by the same rules. */
int64_t timezone_midnight(const char *name, int32_t date);

#endif
