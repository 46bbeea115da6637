/* Reads a secret out of its file: see secret_file.h. */
#include "producer/base/secret_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    SECRET_FILE_SIZE_MAX = 65536
};

const char *secret_file_read(const char *path, struct usher_arena *arena)
{
    char *text = usher_arena_alloc(arena, SECRET_FILE_SIZE_MAX + 1);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, SECRET_FILE_SIZE_MAX, file) : 0;
    bool failed = !file || ferror(file);
    int why = errno;
    if (file)
        fclose(file);
    errno = why;
    if (failed)
        return NULL;
    if (size > 0 && text[size - 1] == '\n')
        size--;
    if (size > 0 && text[size - 1] == '\r')
        size--;
    text[size] = '\0';
    return text;
}

const char *secret_now(const char *text, const char *path, struct usher_arena *arena)
{
    const char *fresh = path ? secret_file_read(path, arena) : NULL;
    return fresh && fresh[0] ? fresh : text;
}
