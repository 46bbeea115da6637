/*
 * TLS by hiredis_ssl, with an SSL object of our own: hiredis' would not compare the name in the
 * certificate with the one that was connected to, nor say why it refuses one.
 */
#include "worker/redis/redis_tls.h"

#if USHER_REDIS_TLS

#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/certificate.h"

/* ---- files ---- */

static enum usher_status file_failed(const char *option, const char *path, struct usher_error *err)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    usher_error_set(err, USHER_EXIT_CONFIG, "could not use the file of %s, \"%s\": %s", option,
                    path, reason ? reason : "it cannot be read");
    return USHER_FATAL;
}

/* Nobody is there to be asked for the password of a key. */
static int no_password(char *password, int size, int writing, void *context)
{
    (void)password;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

static enum usher_status use_files(SSL_CTX *context, const struct redis_settings *settings,
                                   struct usher_error *err)
{
    const char *ca = settings->ca_file, *certificate = settings->certificate_file;
    if (!ca && SSL_CTX_set_default_verify_paths(context) != 1) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not use the system's CA certificates: set USHER_REDIS_CA_FILE");
        return USHER_FATAL;
    }
    if (ca && SSL_CTX_load_verify_locations(context, ca, NULL) != 1)
        return file_failed("USHER_REDIS_CA_FILE", ca, err);
    if (!certificate)
        return USHER_OK;
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
        return file_failed("USHER_REDIS_CERTIFICATE_FILE", certificate, err);
    if (SSL_CTX_use_PrivateKey_file(context, settings->key_file, SSL_FILETYPE_PEM) != 1)
        return file_failed("USHER_REDIS_KEY_FILE", settings->key_file, err);
    return USHER_OK;
}

/* ---- the handshake ---- */

/* A name is told to the server as well, which may have certificates for several. */
static bool expect_name(SSL *ssl, const char *host)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1)
        return true;
    /* OpenSSL only copies it, though its macro drops the const. */
    void *name;
    memcpy(&name, &host, sizeof name);
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

/* Owned by the caller: SSL_free. */
static enum usher_status prepare(const struct redis_settings *settings, const char *host, SSL **ssl,
                                 struct usher_error *err)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    enum usher_status status = USHER_OK;
    bool made = context && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1;
    if (made) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_default_passwd_cb(context, no_password);
        status = use_files(context, settings, err);
    }
    *ssl = made && status == USHER_OK ? SSL_new(context) : NULL;
    SSL_CTX_free(context);
    made = made && (status != USHER_OK || (*ssl && expect_name(*ssl, host)));
    if (!made) {
        usher_error_set(err, USHER_EXIT_CONFIG, "could not prepare TLS for Redis: %s",
                        ERR_reason_error_string(ERR_peek_last_error()));
        status = USHER_FATAL;
    }
    if (status != USHER_OK) {
        SSL_free(*ssl);
        *ssl = NULL;
    }
    return status;
}

bool redis_tls_denied(struct usher_error *err)
{
    unsigned long code = ERR_peek_last_error();
    /* What a peer says in an alert stands behind what OpenSSL finds by itself. */
    if (ERR_GET_LIB(code) != ERR_LIB_SSL || ERR_GET_REASON(code) < SSL_AD_REASON_OFFSET)
        return false;
    usher_error_set(err, USHER_EXIT_DENIED,
                    "could not log in to Redis: %s: check USHER_REDIS_CERTIFICATE_FILE",
                    ERR_reason_error_string(code));
    return true;
}

static enum usher_status explain(const SSL *ssl, const redisContext *connection,
                                 const struct redis_address *address, struct usher_error *err)
{
    char server[160];
    long problem = SSL_get_verify_result(ssl);
    snprintf(server, sizeof server, "Redis at \"%s:%d\"", address->host, address->port);
    if (problem != X509_V_OK) {
        certificate_refuse(err, problem, server, "USHER_REDIS_CA_FILE");
        return USHER_RETRY;
    }
    if (redis_tls_denied(err))
        return USHER_FATAL;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not connect to %s: TLS failed: %s", server,
                    SSL_want_read(ssl) ? "no answer; does it speak TLS?" : connection->errstr);
    return USHER_RETRY;
}

enum usher_status redis_tls_begin(redisContext *connection, const struct redis_settings *settings,
                                  const struct redis_address *address, struct usher_error *err)
{
    SSL *ssl;
    ERR_clear_error();
    enum usher_status status = prepare(settings, address->host, &ssl, err);
    if (status != USHER_OK || redisInitiateSSL(connection, ssl) == REDIS_OK)
        return status;
    status = explain(ssl, connection, address, err);
    SSL_free(ssl);
    return status;
}

#else

#include <assert.h>

/* Never called: no address asks for TLS where there is none. */
enum usher_status redis_tls_begin(redisContext *connection, const struct redis_settings *settings,
                                  const struct redis_address *address, struct usher_error *err)
{
    (void)connection;
    (void)settings;
    (void)err;
    assert(!address->tls);
    return USHER_FATAL;
}

bool redis_tls_denied(struct usher_error *err)
{
    (void)err;
    return false;
}

#endif
