/*
 * Amounts for people: "GBP 90.00". On the wire, in the database and in programs they are whole
 * minor units.
 */
#ifndef USHER_PRODUCER_TERMINAL_MONEY_H
#define USHER_PRODUCER_TERMINAL_MONEY_H

#include <stdint.h>
#include <stdio.h>

/* How many decimals amounts of the currency have, by ISO 4217: 2 for GBP, 0 for JPY, 3 for KWD. */
int money_exponent(const char *currency);

/* Prints "90.00", or "9000" where there is no currency (NULL). */
void money_print(int64_t minor, const char *currency, FILE *out);

/* Prints "GBP 90.00", or "9000" where there is no currency (NULL). */
void money_print_total(int64_t minor, const char *currency, FILE *out);

#endif
