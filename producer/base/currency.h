/*
 * Currencies of ISO 4217. PURE.
 */
#ifndef USHER_PRODUCER_BASE_CURRENCY_H
#define USHER_PRODUCER_BASE_CURRENCY_H

/* Returns how many decimals amounts of a currency have: 2 for GBP, 0 for JPY; -1: there is none of
 * that code. */
int currency_exponent(const char *currency);

#endif
