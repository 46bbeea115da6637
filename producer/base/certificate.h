/*
 * What is wrong with the certificate of a server, in words: the same for Kafka, PostgreSQL and
 * Redis, whose clients say of each that it could not be verified.
 */
#ifndef USHER_PRODUCER_BASE_CERTIFICATE_H
#define USHER_PRODUCER_BASE_CERTIFICATE_H

#include "usher/status.h"

/*
 * Sets "could not connect to <server>: its certificate …": expired, for another name, or from a CA
 * that is not trusted, with what to do; `ca` is the option that names the CA. `problem` is an
 * X509_V_ERR_… of OpenSSL. Exit code 69: the server is at fault, or who is in its place.
 */
void certificate_refuse(struct usher_error *err, long problem, const char *server, const char *ca);

#endif
