/* The worker's HTTP server: its requests, and the pages, which are a table of paths. */
#include "worker/observe/http.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"
#include "producer/http/http_port.h"
#include "usher/message.h"

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
    CONNECTIONS_MAX = 128,
    SILENCE_S = 10,
    MEMORY_MAX = 32 * 1024
};

struct http_server {
    struct http_port *port;
    struct http_content content;
};

/* ---- requests ---- */

static enum MHD_Result respond_unknown(const struct http_request *request)
{
    struct usher_buffer text = {0};
    usher_buffer_text(&text, "not found: there are ");
    http_list_paths(&text);
    usher_buffer_text(&text, "\n");
    return http_respond(request, MHD_HTTP_NOT_FOUND, "text/plain; charset=utf-8", &text);
}

static enum MHD_Result serve(void *context, struct http_request *request)
{
    const struct http_server *server = context;
    const struct http_page *page = http_page(request->path);
    struct usher_buffer body = {0};
    if (!page)
        return respond_unknown(request);
    bool verbose =
        MHD_lookup_connection_value_n(request->connection, MHD_GET_ARGUMENT_KIND, "verbose",
                                      strlen("verbose"), NULL, NULL) == MHD_YES;
    unsigned status = page->write(&server->content, verbose, &body);
    return http_respond(request, status, page->type, &body);
}

/* ---- life ---- */

static const char listen_key[] = "USHER_HTTP_LISTEN";

enum usher_status http_check(const char *listen, struct usher_error *err)
{
    return http_port_check(listen_key, listen, err);
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
    struct http_server *opened = memory_calloc(1, sizeof *opened);
    set_content(&opened->content, settings);
    const struct http_port_settings port = {
        .key = listen_key,
        .listen = settings->listen,
        .connections_max = CONNECTIONS_MAX,
        .silence_s = SILENCE_S,
        .memory_max = MEMORY_MAX,
        .closes = true,
        .security = "default-src 'none'", /* they have nothing from elsewhere */
        .request_size = sizeof(struct http_request),
        .serve = serve,
        .context = opened,
    };
    enum usher_status status = http_port_open(&port, &opened->port, err);
    if (status != USHER_OK) {
        free(opened);
        opened = NULL;
    }
    *server = opened;
    return status;
}

uint16_t http_number(const struct http_server *server)
{
    return http_port_number(server->port);
}

void http_close(struct http_server *server)
{
    if (!server)
        return;
    http_port_close(server->port);
    free(server);
}
