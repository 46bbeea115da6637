/* Words for OpenSSL's errors of certificates: see certificate.h. */
#include "producer/base/certificate.h"

#include <openssl/x509_vfy.h>

void certificate_refuse(struct usher_error *err, long problem, const char *server, const char *ca)
{
    const char *why, *advice;
    switch (problem) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        why = "has expired";
        advice = "it must be renewed";
        break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        why = "is not valid yet";
        advice = "compare the clocks";
        break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        why = "is for another name";
        advice = "connect by a name that it has";
        break;
    default:
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not connect to %s: its certificate is not from a CA that is "
                        "trusted (%s): check %s",
                        server, X509_verify_cert_error_string(problem), ca);
        return;
    }
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not connect to %s: its certificate %s: %s",
                    server, why, advice);
}
