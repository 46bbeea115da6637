/* The port of a server of HTTP: address, connections, the names that it accepts, answers. */
#include "producer/http/http_port.h"

#include <arpa/inet.h>
#include <assert.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/list.h"
#include "producer/base/log.h"
#include "producer/base/thread.h"

enum {
    REQUEST_MS = 10000, /* for all of a request, since the connection or the last answer */
    WATCH_MS = 1000,
    CLOSING = 32, /* connections which the library still has; it accepts ten at a time */
    HOST_SIZE = 256
};

#define RETRY_AFTER_S "10"

struct http_connection {
    struct list_node node;
    struct http_port *port;
    int descriptor;
    int64_t since_ms; /* CLOCK_MONOTONIC; when it was accepted, or its last answer ended */
    bool heard, listed, shut;
};

struct http_port {
    struct http_port_settings settings;
    struct MHD_Daemon *daemon;
    uint16_t number;
    pthread_mutex_t lock;    /* of what follows but the thread */
    struct list connections; /* by `since_ms`; neither streams nor those that are being closed */
    pthread_cond_t wake;
    bool stopping;
    pthread_t watcher;
};

/* ==== Address ==== */

/* Splits host:port, [v6]:port or :port; `host` is empty for all addresses. */
static bool split_address(const char *listen, char *host, size_t host_size, const char **port)
{
    const char *colon = strrchr(listen, ':');
    const char *begin = listen;
    const char *end = colon;
    if (!colon || strspn(colon + 1, "0123456789") != strlen(colon + 1) || colon[1] == '\0' ||
        strlen(colon + 1) > 5 || strtol(colon + 1, NULL, 10) > 65535)
        return false;
    if (*listen == '[') {
        begin = listen + 1;
        end = colon - 1;
        if (end < begin || *end != ']')
            return false;
    } else if (memchr(listen, ':', (size_t)(colon - listen))) {
        return false;
    }
    size_t size = (size_t)(end - begin);
    if (size >= host_size)
        return false;
    memcpy(host, begin, size);
    host[size] = '\0';
    *port = colon + 1;
    return true;
}

/* To be freed with freeaddrinfo. FATAL: 78. */
static enum usher_status resolve(const char *key, const char *listen, struct addrinfo **address,
                                 struct usher_error *err)
{
    char host[HOST_SIZE];
    const char *port;
    if (!split_address(listen, host, sizeof host, &port)) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not read %s \"%s\": expected host:port, as in 127.0.0.1:8080", key,
                        listen);
        return USHER_FATAL;
    }
    struct addrinfo hints = {.ai_family = host[0] == '\0' ? AF_INET6 : AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    int failed = getaddrinfo(host[0] == '\0' ? NULL : host, port, &hints, address);
    if (failed) {
        usher_error_set(err, USHER_EXIT_CONFIG, "could not find the address of \"%s\": %s", listen,
                        gai_strerror(failed));
        return USHER_FATAL;
    }
    return USHER_OK;
}

enum usher_status http_port_check(const char *key, const char *listen, struct usher_error *err)
{
    struct addrinfo *address = NULL;
    enum usher_status status = resolve(key, listen, &address, err);
    if (status == USHER_OK)
        freeaddrinfo(address);
    return status;
}

/* An IPv6 socket for all addresses accepts IPv4, too. */
static unsigned flags_of(const struct addrinfo *address)
{
    unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    if (address->ai_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address->ai_addr;
        bool all = memcmp(&v6->sin6_addr, &in6addr_any, sizeof v6->sin6_addr) == 0;
        flags |= all ? MHD_USE_DUAL_STACK : MHD_USE_IPv6;
    }
    return flags;
}

static void log_listening(const struct http_port *port)
{
    const char *listen = port->settings.listen;
    char text[300];
    snprintf(text, sizeof text, "%.*s:%" PRIu16, (int)(strrchr(listen, ':') - listen), listen,
             port->number);
    struct log_context context = log_context_text(NULL, "listen", text);
    log_info(&context, "serving HTTP");
}

/* ==== Connections ==== */

/* With the lock held, as the next two. It is the newest. */
static void enlist(struct http_connection *connection)
{
    if (connection->listed || connection->shut)
        return;
    connection->since_ms = clock_ms();
    connection->heard = false;
    connection->listed = true;
    list_add(&connection->port->connections, &connection->node);
}

static void unlist(struct http_connection *connection)
{
    if (connection->listed)
        list_remove(&connection->port->connections, &connection->node);
    connection->listed = false;
}

/* The library closes what it finds shut down. */
static void shut_down(struct http_connection *connection)
{
    unlist(connection);
    connection->shut = true;
    shutdown(connection->descriptor, SHUT_RDWR);
}

static struct http_connection *connection_of(struct list_node *node)
{
    return ENTRY_OF(node, struct http_connection, node);
}

static void notice(void *context, struct MHD_Connection *connection, void **socket_context,
                   enum MHD_ConnectionNotificationCode what)
{
    struct http_port *port = context;
    pthread_mutex_lock(&port->lock);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        unlist(*socket_context);
        free(*socket_context);
    } else {
        struct http_connection *begun = memory_calloc(1, sizeof *begun);
        begun->port = port;
        begun->descriptor =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        enlist(begun);
        *socket_context = begun;
        if (port->connections.count > port->settings.connections_max)
            shut_down(connection_of(port->connections.oldest));
    }
    pthread_mutex_unlock(&port->lock);
}

static struct http_connection *find(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* The request of the connection has come whole. May be called again. */
static void note_heard(struct MHD_Connection *connection)
{
    struct http_connection *found = find(connection);
    pthread_mutex_lock(&found->port->lock);
    found->heard = true;
    pthread_mutex_unlock(&found->port->lock);
}

void http_stream(const struct http_request *request)
{
    struct http_connection *found = find(request->connection);
    pthread_mutex_lock(&found->port->lock);
    unlist(found);
    pthread_mutex_unlock(&found->port->lock);
}

/* The next request may come on the same connection. */
static void complete(void *context, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode code)
{
    struct http_port *port = context;
    (void)code;
    if (*state && port->settings.ended)
        port->settings.ended(port->settings.context, *state);
    free(*state);
    *state = NULL;
    struct http_connection *found = find(connection);
    pthread_mutex_lock(&port->lock);
    unlist(found);
    enlist(found);
    pthread_mutex_unlock(&port->lock);
}

/* Closes the connections whose request is late. */
static void *watch(void *context)
{
    struct http_port *port = context;
    pthread_mutex_lock(&port->lock);
    while (!port->stopping) {
        struct list_node *node = port->connections.oldest, *newer;
        for (; node && connection_of(node)->since_ms < clock_ms() - REQUEST_MS; node = newer) {
            newer = node->newer;
            if (!connection_of(node)->heard)
                shut_down(connection_of(node));
        }
        thread_wait(&port->wake, &port->lock, clock_ms() + WATCH_MS);
    }
    pthread_mutex_unlock(&port->lock);
    return NULL;
}

/* ==== Names ==== */

/* The name of a Host header, without port, brackets and final dot. False: it is none. */
static bool read_host(const char *header, char *host)
{
    size_t size = strcspn(header, ":");
    if (*header == '[') {
        header++;
        size = strcspn(header, "]");
    }
    if (size > 0 && header[size - 1] == '.')
        size--;
    if (size == 0 || size >= HOST_SIZE)
        return false;
    memcpy(host, header, size);
    host[size] = '\0';
    return true;
}

/* Whether the host is this one, or one below it. */
static bool is_local(const char *host)
{
    static const char local[] = "localhost";
    size_t size = strlen(host), tail = strlen(local);
    return size >= tail && strcasecmp(host + size - tail, local) == 0 &&
           (size == tail || host[size - tail - 1] == '.');
}

static bool is_address(const char *host)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

static bool is_among(const char *host, const char *names)
{
    while (*(names += strspn(names, " ")) != '\0') {
        size_t size = strcspn(names, " ");
        if ((size == 1 && *names == '*') ||
            (size == strlen(host) && strncasecmp(host, names, size) == 0))
            return true;
        names += size;
    }
    return false;
}

bool http_is_named(const struct http_request *request, const char *names)
{
    char host[HOST_SIZE], own[HOST_SIZE];
    const char *port, *listen = request->port->settings.listen;
    const char *header = http_header(request, MHD_HTTP_HEADER_HOST);
    if (!header || is_among("*", names))
        return true;
    if (!read_host(header, host))
        return false;
    bool is_own =
        split_address(listen, own, sizeof own, &port) && own[0] != '\0' && is_among(host, own);
    return is_own || is_local(host) || is_address(host) || is_among(host, names);
}

/* ==== Answers ==== */

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    (void)MHD_add_response_header(response, name, value); /* fails without memory alone */
}

enum MHD_Result http_respond_with(const struct http_request *request, unsigned status,
                                  const char *type, struct MHD_Response *response)
{
    const struct http_port_settings *settings = &request->port->settings;
    if (!response)
        return MHD_NO;
    add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "Referrer-Policy", "no-referrer");
    add_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    add_header(response, "Content-Security-Policy", settings->security);
    if (settings->closes)
        add_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result result = MHD_queue_response(request->connection, status, response);
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result http_respond(const struct http_request *request, unsigned status, const char *type,
                             struct usher_buffer *body)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body->size, body->at, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        usher_buffer_deinit(body);
        return MHD_NO;
    }
    add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        add_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    if (status == MHD_HTTP_UNAUTHORIZED)
        add_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
                   "Basic realm=\"usher\", charset=\"UTF-8\"");
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
        add_header(response, MHD_HTTP_HEADER_RETRY_AFTER, RETRY_AFTER_S);
    /* Its place is for the next one. */
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE && !request->port->settings.closes)
        add_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    return http_respond_with(request, status, type, response);
}

enum MHD_Result http_respond_text(const struct http_request *request, unsigned status,
                                  const char *text)
{
    struct usher_buffer body = {0};
    usher_buffer_text(&body, text);
    usher_buffer_text(&body, "\n");
    return http_respond(request, status, "text/plain; charset=utf-8", &body);
}

/* ==== Requests ==== */

const char *http_header(const struct http_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *http_argument(const struct http_request *request, const char *name)
{
    const char *value =
        MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
    return value && *value != '\0' ? value : NULL;
}

/* Called for the headers, for each piece of a body, which is discarded, and after each sleep. */

/* NOLINTNEXTLINE(readability-function-size): the library's signature */
static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *path,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **state)
{
    struct http_port *port = context;
    struct http_request *request = *state;
    (void)version;
    (void)upload;
    if (!request) {
        request = memory_calloc(1, port->settings.request_size);
        *request = (struct http_request){.port = port, .connection = connection};
        *state = request;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    note_heard(connection);
    request->path = path;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return http_respond_text(request, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD");
    return port->settings.serve(port->settings.context, request);
}

/* ==== Life ==== */

static enum usher_status start(struct http_port *port, struct usher_error *err)
{
    struct addrinfo *address = NULL;
    const struct http_port_settings *settings = &port->settings;
    enum usher_status status = resolve(settings->key, settings->listen, &address, err);
    if (status != USHER_OK)
        return status;
    port->daemon =
        MHD_start_daemon(flags_of(address), 0, NULL, NULL, serve, port, MHD_OPTION_SOCK_ADDR,
                         address->ai_addr, MHD_OPTION_NOTIFY_CONNECTION, notice, port,
                         MHD_OPTION_NOTIFY_COMPLETED, complete, port, MHD_OPTION_CONNECTION_LIMIT,
                         settings->connections_max + settings->streams_max + (unsigned)CLOSING,
                         MHD_OPTION_CONNECTION_TIMEOUT, settings->silence_s,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->memory_max, MHD_OPTION_END);
    freeaddrinfo(address);
    if (port->daemon)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "could not listen on \"%s\": the port is in use, or the address is not one of "
                    "this machine",
                    settings->listen);
    return USHER_FATAL;
}

enum usher_status http_port_open(const struct http_port_settings *settings, struct http_port **port,
                                 struct usher_error *err)
{
    struct http_port *opened = memory_calloc(1, sizeof *opened);
    opened->settings = *settings;
    pthread_mutex_init(&opened->lock, NULL);
    thread_condition_init(&opened->wake);
    int failed = pthread_create(&opened->watcher, NULL, watch, opened);
    assert(!failed);
    enum usher_status status = start(opened, err);
    if (status != USHER_OK) {
        http_port_close(opened);
        opened = NULL;
    } else {
        const union MHD_DaemonInfo *info =
            MHD_get_daemon_info(opened->daemon, MHD_DAEMON_INFO_BIND_PORT);
        opened->number = info ? info->port : 0;
        log_listening(opened);
    }
    *port = opened;
    return status;
}

uint16_t http_port_number(const struct http_port *port)
{
    return port->number;
}

void http_port_close(struct http_port *port)
{
    if (!port)
        return;
    if (port->daemon)
        MHD_stop_daemon(port->daemon);
    pthread_mutex_lock(&port->lock);
    port->stopping = true;
    pthread_cond_signal(&port->wake);
    pthread_mutex_unlock(&port->lock);
    pthread_join(port->watcher, NULL);
    pthread_cond_destroy(&port->wake);
    pthread_mutex_destroy(&port->lock);
    free(port);
}
