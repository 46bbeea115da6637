/* Asks OpenSSL when it frees a connection, the last moment at which it knows. */
#include "worker/postgres/pg_certificate.h"

#include <openssl/ssl.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Thread_local long last_problem;

/* The signature is OpenSSL's. */
static void note_result(void *ssl, void *data, CRYPTO_EX_DATA *all, int index, long number,
                        void *pointer)
{
    (void)data;
    (void)all;
    (void)index;
    (void)number;
    (void)pointer;
    last_problem = SSL_get_verify_result(ssl);
}

static void ask_for_room(void)
{
    (void)SSL_get_ex_new_index(0, NULL, NULL, NULL, note_result);
}

void pg_certificate_watch(void)
{
    (void)pthread_once(&once, ask_for_room);
    last_problem = X509_V_OK;
}

long pg_certificate_problem(void)
{
    return last_problem;
}
