/*
 * Why a server's certificate was refused: libpq says of every reason that verification failed, and
 * frees what knows more. Knows OpenSSL, no connection.
 */
#ifndef USHER_WORKER_POSTGRES_PG_CERTIFICATE_H
#define USHER_WORKER_POSTGRES_PG_CERTIFICATE_H

/* To be called before a connection is begun, on the thread that waits for it. */
void pg_certificate_watch(void);

/* The X509_V_ERR_… of the last certificate since then on this thread; 0: it was good, or none. */
long pg_certificate_problem(void);

#endif
