/* The bodies of the pages: see http_pages.h. */
#include "worker/observe/http_pages.h"

#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"
#include "usher/message.h"

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
static struct http_partition *read_partitions(const struct http_content *content, uint32_t *count)
{
    struct http_partition *partitions = memory_calloc(PARTITIONS_MAX, sizeof *partitions);
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
    struct http_partition *partitions = read_partitions(content, &count);
    for (uint32_t i = 0; i < count; i++) {
        usher_buffer_text(out, "partition ");
        usher_buffer_number(out, partitions[i].partition);
        write_words(out, (const char *const[]){" ", partitions[i].state,
                                               partitions[i].error[0] == '\0' ? "" : ": ",
                                               partitions[i].error, "\n", NULL});
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

static void append_partition(struct usher_buffer *out, const struct http_partition *partition)
{
    json_number(out, "{\"partition\":", partition->partition);
    json_text(out, ",\"state\":", partition->state);
    json_number(out, ",\"epoch\":", partition->epoch);
    json_number(out, ",\"next_offset\":", partition->next_offset);
    json_number(out, ",\"next_seq\":", partition->next_seq);
    json_number(out, ",\"published_seq\":", partition->published_seq);
    json_number(out, ",\"lag\":", partition->lag);
    json_number(out, ",\"retries\":", partition->retries);
    json_number(out, ",\"clock_ahead_ms\":", partition->clock_ahead_ms);
    json_text(out, ",\"error\":", partition->error[0] == '\0' ? NULL : partition->error);
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
    json_text(out, "{\"version\":", USHER_VERSION);
    json_text(out, ",\"worker\":", content->worker);
    json_text(out, ",\"started_at\":", started);
    json_number(out, ",\"uptime_s\":", (clock_ms() - content->started_clock_ms) / 1000);
    json_text(out, ",\"configuration\":", content->configuration);
    append_dependencies(content, out);
    usher_buffer_text(out, ",\"partitions\":[");
    uint32_t count;
    struct http_partition *partitions = read_partitions(content, &count);
    for (uint32_t i = 0; i < count; i++) {
        usher_buffer_text(out, i == 0 ? "" : ",");
        append_partition(out, &partitions[i]);
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
    {"/livez", "text/plain; charset=utf-8",
     "Whether the worker moves: where this fails it is to be started again", write_livez},
    {"/readyz", "text/plain; charset=utf-8",
     "Whether it can process requests, and if not, why; with ?verbose part by part", write_readyz},
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", "Metrics, for Prometheus",
     write_metrics},
    {"/status", "application/json",
     "Partitions with their positions and last errors, dependencies, and a digest of the options, "
     "which workers of one installation have in common",
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
    usher_buffer_text(out, "</h1>\n<p>Version " USHER_VERSION "</p>\n<dl>\n");
    for (size_t i = 0; i < PAGE_COUNT; i++)
        write_words(out,
                    (const char *const[]){"<dt><a href=\"", pages[i].path, "\">", pages[i].path,
                                          "</a></dt><dd>", pages[i].help, ".</dd>\n", NULL});
    usher_buffer_text(out, "</dl>\n</body>\n</html>\n");
    return MHD_HTTP_OK;
}

/* ---- the table ---- */

const struct http_page *http_page(const char *path)
{
    for (size_t i = 0; i < PAGE_COUNT; i++)
        if (strcmp(pages[i].path, path) == 0)
            return &pages[i];
    return NULL;
}

void http_list_paths(struct usher_buffer *out)
{
    for (size_t i = 0; i < PAGE_COUNT; i++)
        write_words(out, (const char *const[]){i == 0 ? "" : ", ", pages[i].path, NULL});
}
