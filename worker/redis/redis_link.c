/*
 * One connection to Redis, from its address to the meaning of its errors.
 */
#include "worker/redis/redis_link.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if USHER_REDIS_TLS
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#endif

#include "producer/base/certificate.h"
#include "producer/base/options.h"
#include "usher/memory.h"

/*
 * ==== TLS ====
 *
 * By hiredis_ssl, with an SSL object of our own: hiredis' would not compare the name in the
 * certificate with the one that was connected to, nor say why it refuses one. Certificates are
 * always verified, and their names.
 */

#if USHER_REDIS_TLS

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

/*
 * Whether the server refused our certificate, or that there was none: with TLS 1.3 it says so only
 * after the handshake, where a first reply is expected. On the thread of tls_begin.
 */
static bool tls_denied(struct usher_error *err)
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
    if (tls_denied(err))
        return USHER_FATAL;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not connect to %s: TLS failed: %s", server,
                    SSL_want_read(ssl) ? "no answer; does it speak TLS?" : connection->errstr);
    return USHER_RETRY;
}

/*
 * Begins TLS on a connection that has its deadlines. The files are read each time: renewed ones
 * need no restart. RETRY (69): the server's certificate is refused, or it does not speak TLS.
 * FATAL: a file cannot be used (78), the server refuses our certificate (77).
 */
static enum usher_status tls_begin(redisContext *connection, const struct redis_settings *settings,
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

/* Never called: no address asks for TLS where there is none. */
static enum usher_status tls_begin(redisContext *connection, const struct redis_settings *settings,
                                   const struct redis_address *address, struct usher_error *err)
{
    (void)connection;
    (void)settings;
    (void)err;
    assert(!address->tls);
    return USHER_FATAL;
}

static bool tls_denied(struct usher_error *err)
{
    (void)err;
    return false;
}

#endif

/* ==== Connection ==== */

/* ---- opening ---- */

static struct timeval timeout(int64_t ms)
{
    return (struct timeval){.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
}

static enum usher_status connect_to(struct redis_link *link, const struct redis_settings *settings,
                                    const struct redis_address *address, struct usher_error *err)
{
    link->context =
        address->path
            ? redisConnectUnixWithTimeout(address->path, timeout(REDIS_TIMEOUT_MS))
            : redisConnectWithTimeout(address->host, address->port, timeout(REDIS_TIMEOUT_MS));
    if (!link->context || link->context->err != 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not connect to Redis: %s",
                        !link->context ? "out of memory" : link->context->errstr);
        return USHER_RETRY;
    }
    link->timeout_ms = REDIS_TIMEOUT_MS;
    if (redisSetTimeout(link->context, timeout(link->timeout_ms)) != REDIS_OK) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not connect to Redis: %s",
                        link->context->errstr);
        return USHER_RETRY;
    }
    return address->tls ? tls_begin(link->context, settings, address, err) : USHER_OK;
}

/* Takes the reply of a command that has nothing to say but that it went well. */
static enum usher_status expect_done(redisReply *reply, const char *doing, struct usher_error *err)
{
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = USHER_OK;
    if (reply->type == REDIS_REPLY_ERROR)
        status = redis_reply_status(reply, doing, err);
    freeReplyObject(reply);
    return status;
}

static enum usher_status log_in(struct redis_link *link, const struct redis_address *address,
                                struct usher_error *err)
{
    if (!address->password)
        return USHER_OK;
    redisReply *reply =
        !address->user ? redis_link_call(link, err, "AUTH %s", address->password)
                       : redis_link_call(link, err, "AUTH %s %s", address->user, address->password);
    return expect_done(reply, "log in to Redis", err);
}

static enum usher_status greet(struct redis_link *link, const struct redis_address *address,
                               struct usher_error *err)
{
    enum usher_status status = log_in(link, address, err);
    if (status == USHER_OK && address->database != 0) {
        status = expect_done(redis_link_call(link, err, "SELECT %d", address->database),
                             "choose the database of Redis", err);
    }
    if (status == USHER_OK)
        status = expect_done(redis_link_call(link, err, "PING"), "use Redis", err);
    return status;
}

/* Other servers close a connection that begins with words that they do not understand. */
static enum usher_status doubt_redis(const struct redis_link *link,
                                     const struct redis_address *address, enum usher_status status,
                                     struct usher_error *err)
{
    int why = link->context->err;
    if (address->tls && why != 0 && tls_denied(err))
        return USHER_FATAL;
    /* What was sent meanwhile may have cost us the server's last word. */
    if (address->tls && (why == REDIS_ERR_EOF ||
                         (why == REDIS_ERR_IO && (errno == ECONNRESET || errno == EPIPE)))) {
        usher_error_set(err, USHER_EXIT_DENIED,
                        "could not log in to Redis: \"%s:%d\" ends connections behind the "
                        "handshake of TLS: check USHER_REDIS_CERTIFICATE_FILE",
                        address->host, address->port);
        return USHER_FATAL;
    }
    if (why != REDIS_ERR_EOF && why != REDIS_ERR_PROTOCOL)
        return status;
    if (address->path)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not use Redis: the server at \"%s\" does not answer as Redis does; "
                        "check USHER_REDIS",
                        address->path);
    else
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not use Redis: the server at \"%s:%d\" does not answer as Redis "
                        "does; check USHER_REDIS",
                        address->host, address->port);
    return status;
}

enum usher_status redis_link_open(struct redis_link *link, const struct redis_settings *settings,
                                  struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct redis_address address;
    *link = (struct redis_link){0};
    enum usher_status status = redis_settings_read(settings, &arena, &address, err);
    if (status == USHER_OK)
        status = connect_to(link, settings, &address, err);
    if (status == USHER_OK) {
        status = greet(link, &address, err);
        if (status != USHER_OK)
            status = doubt_redis(link, &address, status, err);
    }
    if (status != USHER_OK) {
        secret_name_file("USHER_REDIS", settings->uri_file, err);
        redis_link_close(link);
    }
    usher_arena_deinit(&arena);
    return status;
}

void redis_link_close(struct redis_link *link)
{
    if (link->context)
        redisFree(link->context);
    *link = (struct redis_link){0};
}

/* ---- commands and replies ---- */

/* A blocking read or write that runs into its deadline comes back as EAGAIN. */
static const char *context_text(const redisContext *context, int error_number)
{
    bool timed_out =
        context->err == REDIS_ERR_IO && (error_number == EAGAIN || error_number == EWOULDBLOCK);
    return timed_out ? "no reply in time" : context->errstr;
}

redisReply *redis_link_reply(struct redis_link *link, struct usher_error *err)
{
    void *reply = NULL;
    if (redisGetReply(link->context, &reply) != REDIS_OK) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "lost the connection to Redis: %s",
                        context_text(link->context, errno));
        return NULL;
    }
    return reply;
}

void redis_link_expect(struct redis_link *link, size_t bytes)
{
    int64_t ms = REDIS_TIMEOUT_MS + (int64_t)(bytes / REDIS_BYTES_PER_MS);
    if (ms == link->timeout_ms || redisSetTimeout(link->context, timeout(ms)) != REDIS_OK)
        return; /* without it, it may be too slow, and is tried again */
    link->timeout_ms = ms;
}

redisReply *redis_link_call(struct redis_link *link, struct usher_error *err, const char *format,
                            ...)
{
    va_list arguments;
    va_start(arguments, format);
    int appended = redisvAppendCommand(link->context, format, arguments);
    va_end(arguments);
    if (appended != REDIS_OK) {
        usher_error_set(err, USHER_EXIT_BUG, "could not write a command for Redis: %s",
                        link->context->errstr);
        return NULL;
    }
    return redis_link_reply(link, err);
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool redis_reply_is_wrong_type(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_ERROR && begins_with(reply->str, "WRONGTYPE");
}

enum usher_status redis_reply_status(const redisReply *reply, const char *doing,
                                     struct usher_error *err)
{
    static const char *const denied[] = {"NOAUTH", "WRONGPASS", "NOPERM", "ERR AUTH",
                                         "ERR invalid password"};
    for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
        if (begins_with(reply->str, denied[i])) {
            usher_error_set(err, USHER_EXIT_DENIED, "could not %s: %s: check %s in USHER_REDIS",
                            doing, reply->str,
                            begins_with(reply->str, "NOPERM") ? "the permissions of the user"
                                                              : "user and password");
            return USHER_FATAL;
        }
    }
    if (begins_with(reply->str, "ERR DB index") || begins_with(reply->str, "ERR invalid DB")) {
        usher_error_set(err, USHER_EXIT_CONFIG, "could not %s: %s: check USHER_REDIS", doing,
                        reply->str);
        return USHER_FATAL;
    }
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not %s: %s", doing, reply->str);
    return USHER_RETRY;
}
