/*
 * The port of a server of HTTP: its address, and connections that keep nobody out. A request has
 * 10 s to come whole, and of too many connections the oldest is closed. Knows no path and no body.
 */
#ifndef USHER_WORKER_OBSERVE_HTTP_PORT_H
#define USHER_WORKER_OBSERVE_HTTP_PORT_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"

/* Whether `listen` can be read and resolved; `key` names the option in errors. FATAL: 78. */
USHER_MUST_CHECK enum usher_status http_port_check(const char *key, const char *listen,
                                                   struct usher_error *err);

struct http_port;

struct http_port_settings {
    const char *key;    /* the option, named in errors */
    const char *listen; /* host:port, [v6]:port or :port (all addresses); port 0 picks a free one */
    unsigned connections_max; /* beside streams: the next one closes the oldest */
    unsigned streams_max;     /* connections that the server takes with http_port_stream */
    unsigned silence_s;       /* a connection that neither takes nor sends a byte is closed */
    size_t memory_max;        /* bytes of a connection, for its request */
    /* The functions of libmicrohttpd, with their argument. */
    MHD_AccessHandlerCallback serve;
    MHD_RequestCompletedCallback completed; /* NULL: none */
    void *context;
};

/*
 * Starts to serve, and logs the address with the actual port. FATAL: 78 if the address cannot be
 * read, 69 if it is in use or not of this machine. Closed with http_port_close.
 */
USHER_MUST_CHECK enum usher_status http_port_open(const struct http_port_settings *settings,
                                                  struct http_port **port, struct usher_error *err);

/* Returns the number of the port. */
uint16_t http_port_number(const struct http_port *port);

/* Stops serving and waits for its thread. NULL is legal. */
void http_port_close(struct http_port *port);

/* ==== By `serve` ==== */

/* The request of the connection has come whole. May be called again. */
void http_port_heard(struct MHD_Connection *connection);

/* It is a stream from now on, whose number the server bounds itself. */
void http_port_stream(struct MHD_Connection *connection);

/*
 * Whether a request came under a name that no other site can give itself: none, an address, or one
 * for this machine (localhost); else under that of `listen`, or one of `names`, which have blanks
 * between them; `*` is any. A web page that makes its own name point here (DNS rebinding) is told
 * apart by it.
 */
bool http_port_is_named(struct MHD_Connection *connection, const char *listen, const char *names);

#endif
