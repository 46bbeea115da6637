/* Amounts for people: see money.h. */
#include "producer/terminal/money.h"

#include <inttypes.h>
#include <string.h>

enum {
    EXPONENT_USUAL = 2
};

/* The currencies of ISO 4217 whose exponent is not 2. */
static const struct {
    const char *currency;
    int exponent;
} exponents[] = {
    {"BHD", 3}, {"BIF", 0}, {"CLF", 4}, {"CLP", 0}, {"DJF", 0}, {"GNF", 0}, {"IQD", 3},
    {"ISK", 0}, {"JOD", 3}, {"JPY", 0}, {"KMF", 0}, {"KRW", 0}, {"KWD", 3}, {"LYD", 3},
    {"OMR", 3}, {"PYG", 0}, {"RWF", 0}, {"TND", 3}, {"UGX", 0}, {"UYI", 0}, {"UYW", 4},
    {"VND", 0}, {"VUV", 0}, {"XAF", 0}, {"XOF", 0}, {"XPF", 0},
};

int money_exponent(const char *currency)
{
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        if (strcmp(exponents[i].currency, currency) == 0)
            return exponents[i].exponent;
    return EXPONENT_USUAL;
}

void money_print(int64_t minor, const char *currency, FILE *out)
{
    int exponent = currency ? money_exponent(currency) : 0;
    int64_t unit = 1;
    for (int i = 0; i < exponent; i++)
        unit *= 10;
    int64_t amount = minor < 0 ? -minor : minor;
    fprintf(out, "%s%" PRId64, minor < 0 ? "-" : "", amount / unit);
    if (exponent > 0)
        fprintf(out, ".%0*" PRId64, exponent, amount % unit);
}

void money_print_total(int64_t minor, const char *currency, FILE *out)
{
    if (currency)
        fprintf(out, "%s ", currency);
    money_print(minor, currency, out);
}
