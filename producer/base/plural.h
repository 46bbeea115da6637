/* The ending of a noun behind its number. */
#ifndef USHER_PRODUCER_BASE_PLURAL_H
#define USHER_PRODUCER_BASE_PLURAL_H

/* Of a count of any integer type: "1 seat", but "0 seats" and "2 seats". */
#define PLURAL(count) ((count) == 1 ? "" : "s")

#endif
