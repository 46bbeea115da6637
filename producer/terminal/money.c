/* Amounts for people: see money.h. */
#include "producer/terminal/money.h"

#include <inttypes.h>

#include "producer/base/currency.h"

enum {
    EXPONENT_USUAL = 2
};

int money_exponent(const char *currency)
{
    int exponent = currency_exponent(currency);
    return exponent < 0 ? EXPONENT_USUAL : exponent;
}

void money_print(int64_t minor, const char *currency, FILE *out)
{
    int exponent = currency ? money_exponent(currency) : 0;
    uint64_t unit = 1;
    for (int i = 0; i < exponent; i++)
        unit *= 10;
    uint64_t amount = minor < 0 ? 0 - (uint64_t)minor : (uint64_t)minor;
    fprintf(out, "%s%" PRIu64, minor < 0 ? "-" : "", amount / unit);
    if (exponent > 0)
        fprintf(out, ".%0*" PRIu64, exponent, amount % unit);
}

void money_print_total(int64_t minor, const char *currency, FILE *out)
{
    if (currency)
        fprintf(out, "%s ", currency);
    money_print(minor, currency, out);
}
