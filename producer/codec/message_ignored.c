/* Notes unknown fields by their path: items[0].togehter. */
#include "producer/codec/message_ignored.h"

#include <string.h>

/* Cuts between characters. */
static const char *cut(struct usher_arena *arena, const char *path)
{
    size_t size = strlen(path);
    if (size <= USHER_IGNORED_SIZE_MAX)
        return usher_arena_text(arena, path, size);
    size = USHER_IGNORED_SIZE_MAX;
    while (((unsigned char)path[size] & 0xC0U) == 0x80U)
        size--;
    return usher_arena_text(arena, path, size);
}

void message_ignore(const struct message_reader *reader, const struct message_place *place,
                    const char *name)
{
    struct message_ignored *ignored = reader->ignored;
    if (!ignored || ignored->count == USHER_IGNORED_MAX)
        return;
    const struct message_fault at = {.place = place, .field = name};
    ignored->names[ignored->count++] =
        cut(reader->arena, message_fault_path(reader->arena, &at, NULL));
}
