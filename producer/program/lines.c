/*
 * Reads lines of standard input or files without waiting, so that answers can be served between.
 */
#include "producer/program/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* The size of the mark that programs of Windows put before a text in UTF-8; 0: there is none. */
static size_t mark_size(const char *text, size_t size)
{
    static const char mark[] = {'\xEF', '\xBB', '\xBF'};
    return size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

/* ==== Lines ==== */

enum {
    CHUNK_SIZE = 65536,
    LINE_SIZE_MAX = USHER_DEFINE_SIZE_MAX + 1
};

static enum usher_status fail(const struct lines *lines, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\": %s", lines->name,
                    strerror(errno));
    return USHER_FATAL;
}

static enum usher_status open_next(struct lines *lines, struct usher_error *err)
{
    size_t count = lines->path_count == 0 ? 1 : lines->path_count;
    if (lines->path_index == count)
        return USHER_HALT;
    lines->name = lines->path_count == 0 ? "-" : lines->paths[lines->path_index];
    lines->path_index++;
    lines->number = 0;
    lines->ended = false;
    lines->fd = STDIN_FILENO;
    if (strcmp(lines->name, "-") == 0)
        lines->name = "standard input";
    else
        lines->fd = open(lines->name, O_RDONLY | O_CLOEXEC);
    lines->opened = lines->fd >= 0;
    return lines->opened ? USHER_OK : fail(lines, err);
}

static void close_file(struct lines *lines)
{
    if (lines->opened && lines->fd != STDIN_FILENO)
        close(lines->fd);
    lines->opened = false;
}

/* Appends what can be read now. RETRY: nothing within the time. */
static enum usher_status read_more(struct lines *lines, int timeout_ms, struct usher_error *err)
{
    struct pollfd poll_fd = {.fd = lines->fd, .events = POLLIN};
    if (poll(&poll_fd, 1, timeout_ms) <= 0)
        return USHER_RETRY;
    size_t left = lines->buffer.size - lines->start;
    if (left > 0)
        memmove(lines->buffer.at, lines->buffer.at + lines->start, left);
    lines->buffer.size = left;
    lines->start = 0;
    char *room = usher_buffer_reserve(&lines->buffer, CHUNK_SIZE);
    ssize_t size = read(lines->fd, room, CHUNK_SIZE);
    if (size < 0)
        return errno == EINTR || errno == EAGAIN ? USHER_RETRY : fail(lines, err);
    lines->buffer.size += (size_t)size;
    lines->ended = size == 0;
    return USHER_OK;
}

/* Takes a line out of the buffer; the last one may lack its end. */
static bool take_line(struct lines *lines, const char **line, size_t *size)
{
    size_t left = lines->buffer.size - lines->start;
    if (left == 0)
        return false;
    const char *from = lines->buffer.at + lines->start;
    const char *end = memchr(from, '\n', left);
    if (!end && !lines->ended)
        return false;
    *line = from;
    *size = end ? (size_t)(end - from) : left;
    lines->start += *size + (end ? 1 : 0);
    if (*size > 0 && from[*size - 1] == '\r')
        (*size)--;
    if (lines->number++ == 0) {
        size_t mark = mark_size(*line, *size);
        *line += mark;
        *size -= mark;
    }
    return true;
}

enum usher_status lines_next(struct lines *lines, int timeout_ms, const char **line, size_t *size,
                             struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    while (status == USHER_OK) {
        if (lines->opened && take_line(lines, line, size))
            return USHER_OK;
        if (lines->opened && lines->ended)
            close_file(lines);
        if (!lines->opened) {
            status = open_next(lines, err);
        } else if (lines->buffer.size - lines->start > LINE_SIZE_MAX) {
            usher_error_set(err, USHER_EXIT_BAD_INPUT,
                            "could not read \"%s\" line %ld: it is longer than a request may be",
                            lines->name, lines->number + 1);
            status = USHER_FATAL;
        } else {
            status = read_more(lines, timeout_ms, err);
        }
    }
    return status;
}

void lines_deinit(struct lines *lines)
{
    close_file(lines);
    usher_buffer_deinit(&lines->buffer);
}

/* ==== JSON files ==== */

enum {
    FILE_CHUNK_SIZE = 65536,
    FILE_SIZE_MAX = 256 * 1024 * 1024,
};

enum usher_status json_file_bad(const char *path, const char *reason, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\": %s", path, reason);
    return USHER_FATAL;
}

enum usher_status json_file_bytes(const char *path, struct usher_buffer *bytes,
                                  struct usher_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : 1;
    while (size > 0 && bytes->size < FILE_SIZE_MAX) {
        size = read(fd, usher_buffer_reserve(bytes, FILE_CHUNK_SIZE), FILE_CHUNK_SIZE);
        bytes->size += size > 0 ? (size_t)size : 0;
    }
    int reason = errno;
    if (fd >= 0 && !is_stdin)
        close(fd);
    if (size < 0)
        return json_file_bad(path, strerror(reason), err);
    size_t mark = mark_size(bytes->at, bytes->size);
    if (mark > 0) {
        bytes->size -= mark;
        memmove(bytes->at, bytes->at + mark, bytes->size);
    }
    return size == 0 ? USHER_OK : json_file_bad(path, "it is larger than 256 MiB", err);
}

/* What is wrong with the file, and in which line. */
static enum usher_status complain(const char *path, const struct usher_buffer *bytes,
                                  size_t fault_at, const char *what, struct usher_error *err)
{
    size_t line = 1;
    if (fault_at > bytes->size)
        return json_file_bad(path, what, err);
    for (size_t i = 0; i < fault_at; i++)
        line += bytes->at[i] == '\n';
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\" line %zu: %s", path, line,
                    what);
    return USHER_FATAL;
}

enum usher_status json_file_read(const char *path, struct usher_arena *arena,
                                 struct message_tree *tree, struct usher_error *err)
{
    struct usher_buffer bytes = {0};
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = arena, .fault = &fault};
    *tree = (struct message_tree){.root = NULL};
    enum usher_status status = json_file_bytes(path, &bytes, err);
    if (status == USHER_OK && message_parse(&reader, bytes.at, bytes.size, tree) != USHER_OK)
        status = complain(path, &bytes, fault.offset, message_fault_text(arena, &fault), err);
    usher_buffer_deinit(&bytes);
    return status;
}
