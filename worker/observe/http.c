/* The HTTP server: its socket, its requests, and the pages, which are a table of paths. */
#include "worker/observe/http.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"
#include "producer/base/log.h"
#include "usher/message.h"
#include "worker/base/list.h"

/*
 * ==== Pages ====
 *
 * The pages of the HTTP server: a table of paths, each with a function that writes the body.
 * Knows nothing of sockets.
 */

/* What the bodies are made of. */
struct http_content {
    struct http_source source;
    char worker[128], version[64], configuration[64];
    int64_t started_ms, started_clock_ms; /* since 1970; CLOCK_MONOTONIC */
};

static const struct http_page *http_page(const char *path);

/* A path. `write` appends its body and returns its HTTP status; `verbose` as the query says. */
struct http_page {
    const char *path, *type;
    const char *help; /* a sentence, without full stop */
    unsigned (*write)(const struct http_content *content, bool verbose, struct usher_buffer *out);
};

enum {
    PARTITIONS_MAX = 1024,
    DEPENDENCIES_MAX = 8,
    WHY_SIZE = 256
};

/* ---- for probes ---- */

static unsigned write_check(struct usher_buffer *out, bool good, const char *why)
{
    usher_buffer_text(out, good ? "ok" : why);
    usher_buffer_text(out, "\n");
    return good ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
}

static unsigned write_livez(const struct http_content *content, bool verbose,
                            struct usher_buffer *out)
{
    char why[WHY_SIZE] = "";
    (void)verbose;
    bool alive = content->source.alive(content->source.self, why, sizeof why);
    return write_check(out, alive, why);
}

/* Of which memory is to be freed. */
static struct partition_view *read_partitions(const struct http_content *content, uint32_t *count)
{
    struct partition_view *partitions = memory_calloc(PARTITIONS_MAX, sizeof *partitions);
    *count = content->source.partitions(content->source.self, partitions, PARTITIONS_MAX);
    *count = *count < PARTITIONS_MAX ? *count : PARTITIONS_MAX;
    return partitions;
}

static void write_words(struct usher_buffer *out, const char *const *words)
{
    for (; *words; words++)
        usher_buffer_text(out, *words);
}

/* A line for each of what readiness depends on, and of what it does not. */
static void list_parts(const struct http_content *content, struct usher_buffer *out)
{
    struct http_dependency dependencies[DEPENDENCIES_MAX];
    uint32_t count =
        content->source.dependencies(content->source.self, dependencies, DEPENDENCIES_MAX);
    for (uint32_t i = 0; i < count; i++)
        write_words(out, (const char *const[]){dependencies[i].name, " ", dependencies[i].state,
                                               dependencies[i].counts ? "" : " (does not count)",
                                               "\n", NULL});
    struct partition_view *partitions = read_partitions(content, &count);
    for (uint32_t i = 0; i < count; i++) {
        usher_buffer_text(out, "partition ");
        usher_buffer_number(out, partitions[i].partition);
        write_words(out, (const char *const[]){" ", partitions[i].state,
                                               partitions[i].error.text[0] == '\0' ? "" : ": ",
                                               partitions[i].error.text, "\n", NULL});
    }
    free(partitions);
}

static unsigned write_readyz(const struct http_content *content, bool verbose,
                             struct usher_buffer *out)
{
    char why[WHY_SIZE] = "";
    if (verbose)
        list_parts(content, out);
    bool ready = content->source.ready(content->source.self, why, sizeof why);
    return write_check(out, ready, why);
}

static unsigned write_metrics(const struct http_content *content, bool verbose,
                              struct usher_buffer *out)
{
    (void)verbose;
    content->source.metrics(content->source.self, out);
    return MHD_HTTP_OK;
}

/* ---- the status ---- */

static void append_partition(struct usher_buffer *out, const struct http_source *source,
                             const struct partition_view *partition)
{
    json_number(out, "{\"partition\":", partition->partition);
    json_text(out, ",\"state\":", partition->state);
    json_number(out, ",\"epoch\":", partition->epoch);
    json_number(out, ",\"next_offset\":", partition->next_offset);
    json_number(out, ",\"next_seq\":", partition->next_seq);
    json_number(out, ",\"published_seq\":", partition->published_seq);
    json_number(out, ",\"lag\":", partition->lag);
    json_number(out, ",\"retries\":", partition->retries);
    json_number(out, ",\"open_transaction_ms\":", partition->open_transaction_ms);
    json_number(out, ",\"append_ahead_ms\":", partition->append_ahead_ms);
    json_number(out, ",\"clock_ahead_ms\":", partition->clock_ahead_ms);
    json_text(out, ",\"error\":", partition->error.text[0] == '\0' ? NULL : partition->error.text);
    usher_buffer_text(out, ",\"refused\":");
    source->refused(source->self, partition->partition, out);
    usher_buffer_text(out, "}");
}

static void append_dependencies(const struct http_content *content, struct usher_buffer *out)
{
    struct http_dependency dependencies[DEPENDENCIES_MAX];
    uint32_t count =
        content->source.dependencies(content->source.self, dependencies, DEPENDENCIES_MAX);
    usher_buffer_text(out, ",\"dependencies\":{");
    for (uint32_t i = 0; i < count; i++) {
        json_text(out, i == 0 ? "" : ",", dependencies[i].name);
        json_text(out, ":", dependencies[i].state);
    }
    usher_buffer_text(out, "}");
}

static unsigned write_status(const struct http_content *content, bool verbose,
                             struct usher_buffer *out)
{
    char started[USHER_INSTANT_SIZE];
    (void)verbose;
    usher_instant_format(content->started_ms, started);
    json_text(out, "{\"version\":", content->version);
    json_text(out, ",\"worker\":", content->worker);
    json_text(out, ",\"started_at\":", started);
    json_number(out, ",\"uptime_s\":", (clock_ms() - content->started_clock_ms) / 1000);
    json_text(out, ",\"configuration\":", content->configuration);
    append_dependencies(content, out);
    usher_buffer_text(out, ",\"partitions\":[");
    uint32_t count;
    struct partition_view *partitions = read_partitions(content, &count);
    for (uint32_t i = 0; i < count; i++) {
        usher_buffer_text(out, i == 0 ? "" : ",");
        append_partition(out, &content->source, &partitions[i]);
    }
    free(partitions);
    usher_buffer_text(out, "]}\n");
    return MHD_HTTP_OK;
}

/* ---- the first page ---- */

/* Of a name that an operator chose. */
static void append_html(struct usher_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char one[] = {*text, '\0'};
        usher_buffer_text(out, *text == '<'   ? "&lt;"
                               : *text == '>' ? "&gt;"
                               : *text == '&' ? "&amp;"
                                              : one);
    }
}

static unsigned write_index(const struct http_content *content, bool verbose,
                            struct usher_buffer *out);

static const struct http_page pages[] = {
    {"/", "text/html; charset=utf-8", "This page", write_index},
    {"/livez", "text/plain; charset=utf-8", "Liveness: restart the worker if this fails",
     write_livez},
    {"/readyz", "text/plain; charset=utf-8",
     "Readiness: whether requests can be processed, and if not, why; with ?verbose each dependency "
     "and partition",
     write_readyz},
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", "Metrics, for Prometheus",
     write_metrics},
    {"/status", "application/json",
     "Partitions with their positions, last errors and refused demand, dependencies, and a digest "
     "of the options that workers of one installation share",
     write_status},
};

enum {
    PAGE_COUNT = sizeof pages / sizeof pages[0]
};

static unsigned write_index(const struct http_content *content, bool verbose,
                            struct usher_buffer *out)
{
    (void)verbose;
    usher_buffer_text(out, "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
                           "<title>usher-worker</title></head>\n<body>\n<h1>usher-worker ");
    append_html(out, content->worker);
    usher_buffer_text(out, "</h1>\n<p>Version ");
    append_html(out, content->version);
    usher_buffer_text(out, "</p>\n<dl>\n");
    for (size_t i = 0; i < PAGE_COUNT; i++)
        write_words(out,
                    (const char *const[]){"<dt><a href=\"", pages[i].path, "\">", pages[i].path,
                                          "</a></dt><dd>", pages[i].help, ".</dd>\n", NULL});
    usher_buffer_text(out, "</dl>\n</body>\n</html>\n");
    return MHD_HTTP_OK;
}

/* ---- the table ---- */

/* Returns the page of a path, or NULL. */
static const struct http_page *http_page(const char *path)
{
    for (size_t i = 0; i < PAGE_COUNT; i++)
        if (strcmp(pages[i].path, path) == 0)
            return &pages[i];
    return NULL;
}

/* Appends all paths, with commas between them. */
static void http_list_paths(struct usher_buffer *out)
{
    for (size_t i = 0; i < PAGE_COUNT; i++)
        write_words(out, (const char *const[]){i == 0 ? "" : ", ", pages[i].path, NULL});
}

/* ==== Server ==== */

enum {
    CONNECTIONS_MAX = 128,    /* the next one closes the oldest */
    CONNECTIONS_CLOSING = 32, /* which the library still has; it accepts ten at a time */
    CONNECTION_TIMEOUT_S = 10,
    MEMORY_MAX = 32 * 1024 /* per connection, for its request */
};

struct http_connection {
    struct list_node node;
    int descriptor;
    bool listed;
};

struct http_server {
    struct MHD_Daemon *daemon;
    struct list connections; /* that are not being closed; only the library's thread sees them */
    struct http_content content;
    uint16_t port;
};

/* ---- connections ---- */

static void unlist(struct http_server *server, struct http_connection *connection)
{
    if (connection->listed)
        list_remove(&server->connections, &connection->node);
    connection->listed = false;
}

/* The library closes what it finds shut down. */
static void close_oldest(struct http_server *server)
{
    struct http_connection *oldest =
        ENTRY_OF(server->connections.oldest, struct http_connection, node);
    unlist(server, oldest);
    shutdown(oldest->descriptor, SHUT_RDWR);
}

static void notice(void *context, struct MHD_Connection *connection, void **socket_context,
                   enum MHD_ConnectionNotificationCode what)
{
    struct http_server *server = context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        unlist(server, *socket_context);
        free(*socket_context);
        return;
    }
    struct http_connection *begun = memory_calloc(1, sizeof *begun);
    begun->descriptor =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    begun->listed = true;
    list_add(&server->connections, &begun->node);
    *socket_context = begun;
    if (server->connections.count > CONNECTIONS_MAX)
        close_oldest(server);
}

/* ---- requests ---- */

static const char plain_text[] = "text/plain; charset=utf-8";

/* The pages have neither scripts nor anything else from elsewhere. */
static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status, const char *type,
                               const struct usher_buffer *body)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body->size, body->at, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Content-Security-Policy", "default-src 'none'");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static unsigned write_body(const struct http_content *content, const struct http_page *page,
                           const char *method, bool verbose, struct usher_buffer *body)
{
    if (!page) {
        usher_buffer_text(body, "not found: there are ");
        http_list_paths(body);
        usher_buffer_text(body, "\n");
        return MHD_HTTP_NOT_FOUND;
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        usher_buffer_text(body, "only GET and HEAD\n");
        return MHD_HTTP_METHOD_NOT_ALLOWED;
    }
    return page->write(content, verbose, body);
}

/* Called once for the headers, then for each piece of a body, which is discarded. */

/* NOLINTNEXTLINE(readability-function-size): the library's signature */
static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *path,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **request)
{
    (void)version;
    (void)upload;
    if (!*request) {
        *request = context;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    struct usher_buffer body = {0};
    const struct http_server *server = context;
    const struct http_page *page = http_page(path);
    bool verbose = MHD_lookup_connection_value_n(connection, MHD_GET_ARGUMENT_KIND, "verbose",
                                                 strlen("verbose"), NULL, NULL) == MHD_YES;
    unsigned status = write_body(&server->content, page, method, verbose, &body);
    enum MHD_Result result =
        respond(connection, status,
                page && status != MHD_HTTP_METHOD_NOT_ALLOWED ? page->type : plain_text, &body);
    usher_buffer_deinit(&body);
    return result;
}

/* ---- listening ---- */

static const char listen_key[] = "USHER_HTTP_LISTEN";

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

enum usher_status http_resolve(const char *key, const char *listen, struct addrinfo **address,
                               struct usher_error *err)
{
    char host[256];
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

enum usher_status http_check(const char *listen, struct usher_error *err)
{
    struct addrinfo *address = NULL;
    enum usher_status status = http_resolve(listen_key, listen, &address, err);
    if (status == USHER_OK)
        freeaddrinfo(address);
    return status;
}

/* An IPv6 socket for all addresses accepts IPv4, too. */
unsigned http_flags(const struct addrinfo *address)
{
    unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD;
    if (address->ai_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address->ai_addr;
        bool all = memcmp(&v6->sin6_addr, &in6addr_any, sizeof v6->sin6_addr) == 0;
        flags |= all ? MHD_USE_DUAL_STACK : MHD_USE_IPv6;
    }
    return flags;
}

static enum usher_status start(struct http_server *server, const char *listen,
                               const struct addrinfo *address, struct usher_error *err)
{
    server->daemon = MHD_start_daemon(
        http_flags(address), 0, NULL, NULL, serve, server, MHD_OPTION_SOCK_ADDR, address->ai_addr,
        MHD_OPTION_NOTIFY_CONNECTION, notice, server, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MAX + (unsigned)CONNECTIONS_CLOSING, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)CONNECTION_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_MAX,
        MHD_OPTION_END);
    if (!server->daemon) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not listen on \"%s\": the port is in use, or the address is not "
                        "one of this machine",
                        listen);
        return USHER_FATAL;
    }
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    server->port = info ? info->port : 0;
    return USHER_OK;
}

void http_log_listening(const char *listen, uint16_t port)
{
    size_t host_size = (size_t)(strrchr(listen, ':') - listen);
    char text[300];
    snprintf(text, sizeof text, "%.*s:%" PRIu16, (int)host_size, listen, port);
    struct log_context context = log_context_text(NULL, "listen", text);
    log_info(&context, "serving HTTP");
}

static void set_content(struct http_content *content, const struct http_settings *settings)
{
    content->source = settings->source;
    content->started_ms = clock_wall_ms();
    content->started_clock_ms = clock_ms();
    snprintf(content->worker, sizeof content->worker, "%s", settings->worker);
    snprintf(content->version, sizeof content->version, "%s", settings->version);
    snprintf(content->configuration, sizeof content->configuration, "%s", settings->configuration);
}

enum usher_status http_open(const struct http_settings *settings, struct http_server **server,
                            struct usher_error *err)
{
    struct addrinfo *address = NULL;
    *server = NULL;
    enum usher_status status = http_resolve(listen_key, settings->listen, &address, err);
    if (status != USHER_OK)
        return status;
    struct http_server *opened = memory_calloc(1, sizeof *opened);
    set_content(&opened->content, settings);
    status = start(opened, settings->listen, address, err);
    freeaddrinfo(address);
    if (status != USHER_OK) {
        free(opened);
        return status;
    }
    http_log_listening(settings->listen, opened->port);
    *server = opened;
    return USHER_OK;
}

uint16_t http_port(const struct http_server *server)
{
    return server->port;
}

void http_close(struct http_server *server)
{
    if (server) {
        MHD_stop_daemon(server->daemon);
        free(server);
    }
}
