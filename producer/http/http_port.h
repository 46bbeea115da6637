/*
 * The port of a server of HTTP: its address, connections that keep nobody out, requests, and
 * answers with the headers that all have. A request has 10 s to come whole, and of too many
 * connections the oldest is closed. GET and HEAD only. Knows no path and no body.
 *
 * The process must ignore SIGPIPE, and block its signals before it opens the port.
 */
#ifndef USHER_PRODUCER_HTTP_HTTP_PORT_H
#define USHER_PRODUCER_HTTP_HTTP_PORT_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"

struct http_port;

/* ==== Requests ==== */

/* A request that has come whole. The first member of a struct of the program's own. */
struct http_request {
    struct http_port *port;
    struct MHD_Connection *connection;
    const char *path;
};

/* A header. NULL: it is not given. */
const char *http_header(const struct http_request *request, const char *name);

/* A parameter of the address. NULL: it is not given, or is empty. */
const char *http_argument(const struct http_request *request, const char *name);

/*
 * Whether a request came under a name that no other site can give itself: none, an address, one for
 * this machine (localhost), that of the port's address, or one of `names`, which have blanks
 * between them; `*` is any. A web page that makes its own name point here (DNS rebinding) is told
 * apart by it.
 */
bool http_is_named(const struct http_request *request, const char *names);

/* ==== Answers ==== */

/* Each returns what `serve` returns. */

/*
 * Answers with a body, which may not be stored, and takes its bytes. A 401 asks for a password, a
 * 503 to try again in 10 s, on another connection.
 */
enum MHD_Result http_respond(const struct http_request *request, unsigned status, const char *type,
                             struct usher_buffer *body);

/* The same with a line of text. */
enum MHD_Result http_respond_text(const struct http_request *request, unsigned status,
                                  const char *text);

/* Answers with a response of the caller's making, and its headers. NULL: it could not be made. */
enum MHD_Result http_respond_with(const struct http_request *request, unsigned status,
                                  const char *type, struct MHD_Response *response);

/* The connection is a stream from now on, whose number the program bounds itself. */
void http_stream(const struct http_request *request);

/* ==== Port ==== */

struct http_port_settings {
    const char *key;    /* the option, named in errors */
    const char *listen; /* host:port, [v6]:port or :port (all addresses); port 0 picks a free one */
    unsigned connections_max; /* beside streams: the next one closes the oldest */
    unsigned streams_max;     /* connections that the program takes with http_stream */
    unsigned silence_s;       /* a connection that neither takes nor sends a byte is closed */
    size_t memory_max;        /* bytes of a connection, for its request */
    bool closes;              /* each answer ends its connection */
    const char *security;     /* the header Content-Security-Policy */
    size_t request_size;      /* bytes of the struct that a http_request begins; zeroed */
    /* Called on the thread of the port: it must not wait. Again after MHD_suspend_connection. */
    enum MHD_Result (*serve)(void *context, struct http_request *request);
    void (*ended)(void *context, struct http_request *request); /* before it is freed; NULL */
    void *context;
};

/* Whether `listen` can be read and resolved; `key` names the option in errors. FATAL: 78. */
USHER_MUST_CHECK enum usher_status http_port_check(const char *key, const char *listen,
                                                   struct usher_error *err);

/*
 * Starts to serve, and logs the address with the actual port. Texts of the settings are borrowed.
 * FATAL: 78 if the address cannot be read, 69 if it is in use or not of this machine. Closed with
 * http_port_close.
 */
USHER_MUST_CHECK enum usher_status http_port_open(const struct http_port_settings *settings,
                                                  struct http_port **port, struct usher_error *err);

/* Returns the number of the port. */
uint16_t http_port_number(const struct http_port *port);

/* Stops serving and waits for its thread. NULL is legal. */
void http_port_close(struct http_port *port);

#endif
