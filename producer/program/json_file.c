/* Reads files, and a JSON object out of one. */
#include "producer/program/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "producer/codec/message_fault.h"
#include "producer/codec/message_parse.h"

enum {
    CHUNK_SIZE = 65536,
    FILE_SIZE_MAX = 256 * 1024 * 1024,
};

void json_file_bad(const char *path, const char *reason, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\": %s", path, reason);
}

static enum usher_status fail(const char *path, const char *reason, struct usher_error *err)
{
    json_file_bad(path, reason, err);
    return USHER_FATAL;
}

enum usher_status json_file_bytes(const char *path, struct usher_buffer *bytes,
                                  struct usher_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : 1;
    while (size > 0 && bytes->size < FILE_SIZE_MAX) {
        size = read(fd, usher_buffer_reserve(bytes, CHUNK_SIZE), CHUNK_SIZE);
        bytes->size += size > 0 ? (size_t)size : 0;
    }
    int reason = errno;
    if (fd >= 0 && !is_stdin)
        close(fd);
    if (size < 0)
        return fail(path, strerror(reason), err);
    return size == 0 ? USHER_OK : fail(path, "it is larger than 256 MiB", err);
}

/* What is wrong with the file, and in which line. */
static void complain(const char *path, const struct usher_buffer *bytes, size_t fault_at,
                     const char *what, struct usher_error *err)
{
    size_t line = 1;
    if (fault_at > bytes->size) {
        json_file_bad(path, what, err);
        return;
    }
    for (size_t i = 0; i < fault_at; i++)
        line += bytes->at[i] == '\n';
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\" line %zu: %s", path, line,
                    what);
}

enum usher_status json_file_read(const char *path, struct usher_arena *arena,
                                 struct message_tree *tree, struct usher_error *err)
{
    struct usher_buffer bytes = {0};
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = arena, .fault = &fault};
    *tree = (struct message_tree){.root = NULL};
    enum usher_status status = json_file_bytes(path, &bytes, err);
    if (status == USHER_OK && message_parse(&reader, bytes.at, bytes.size, tree) != USHER_OK) {
        complain(path, &bytes, fault.offset, message_fault_text(arena, &fault), err);
        status = USHER_FATAL;
    }
    usher_buffer_deinit(&bytes);
    return status;
}
