/* Reads the requests of a load from a file. */
#include "producer/program/load_file.h"

#include <string.h>

#include "producer/program/lines.h"

enum {
    WAIT_MS = 1000 /* for the next line of a pipe, before trying again */
};

static enum usher_status complain(const struct lines *lines, const char *what,
                                  struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s line %ld: %s", lines->name, lines->number, what);
    return USHER_FATAL;
}

static enum usher_status read_line(const struct lines *lines, const char *line, size_t size,
                                   struct usher_arena *arena, struct usher_buffer *all,
                                   struct usher_error *err)
{
    struct usher_request request;
    struct usher_error why;
    if (size == 0)
        return USHER_OK;
    if (usher_request_decode(line, size, arena, &request, &why) != USHER_OK)
        return complain(lines, why.text, err);
    if (request.op != USHER_OP_HOLD && request.op != USHER_OP_BOOK)
        return complain(lines, "a load is made of hold and book", err);
    usher_buffer_append(all, &request, sizeof request);
    return USHER_OK;
}

enum usher_status load_file_read(const char *path, struct usher_arena *arena,
                                 const struct usher_request **requests, size_t *count,
                                 struct usher_error *err)
{
    struct lines lines = {.paths = &path, .path_count = 1};
    struct usher_buffer all = {0};
    enum usher_status status = USHER_OK;
    while (status == USHER_OK || status == USHER_RETRY) {
        const char *line;
        size_t size;
        status = lines_next(&lines, WAIT_MS, &line, &size, err);
        if (status == USHER_OK)
            status = read_line(&lines, line, size, arena, &all, err);
    }
    if (status == USHER_HALT && all.size == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s: there is no request in it", lines.name);
        status = USHER_FATAL;
    }
    if (status == USHER_HALT) {
        struct usher_request *kept = usher_arena_alloc(arena, all.size);
        memcpy(kept, all.at, all.size);
        *requests = kept;
        *count = all.size / sizeof *kept;
        status = USHER_OK;
    }
    lines_deinit(&lines);
    usher_buffer_deinit(&all);
    return status;
}
