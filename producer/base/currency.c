/*
 * The currencies of ISO 4217, as of 2025, and those that were replaced since 2024. Not metals, nor
 * units of account.
 */
#include "producer/base/currency.h"

#include <stdbool.h>
#include <string.h>

/* By their exponent: how many decimals amounts have. */
static const char *const currencies[] = {
    [0] = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    [1] = "",
    [2] = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN "
          "BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB "
          "EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS "
          "KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN "
          "MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD "
          "SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS "
          "UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG",
    [3] = "BHD IQD JOD KWD LYD OMR TND",
    [4] = "CLF UYW",
};

enum {
    CODE_SIZE = 3
};

static bool has_code(const char *codes, const char *code)
{
    for (; *codes != '\0'; codes += CODE_SIZE + (codes[CODE_SIZE] != '\0'))
        if (memcmp(codes, code, CODE_SIZE) == 0)
            return true;
    return false;
}

int currency_exponent(const char *currency)
{
    if (strlen(currency) != CODE_SIZE)
        return -1;
    for (int i = 0; i < (int)(sizeof currencies / sizeof *currencies); i++)
        if (has_code(currencies[i], currency))
            return i;
    return -1;
}
