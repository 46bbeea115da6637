/*
 * The pages of the HTTP server: a table of paths, each with a function that writes the body. Knows
 * nothing of sockets.
 */
#ifndef USHER_WORKER_OBSERVE_HTTP_PAGES_H
#define USHER_WORKER_OBSERVE_HTTP_PAGES_H

#include "worker/observe/http_source.h"

/* What the bodies are made of. */
struct http_content {
    struct http_source source;
    char worker[128], configuration[64];
    int64_t started_ms, started_clock_ms; /* since 1970; CLOCK_MONOTONIC */
};

/* A path. `write` appends its body and returns its HTTP status; `verbose` as the query says. */
struct http_page {
    const char *path, *type;
    const char *help; /* a sentence, without full stop */
    unsigned (*write)(const struct http_content *content, bool verbose, struct usher_buffer *out);
};

/* Returns the page of a path, or NULL. */
const struct http_page *http_page(const char *path);

/* Appends all paths, with commas between them. */
void http_list_paths(struct usher_buffer *out);

#endif
