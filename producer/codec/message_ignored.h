/*
 * The fields of a message that its reader does not know: accepted, since a later version may know
 * them, and named, since most of them are mistyped. Inside of the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_IGNORED_H
#define USHER_PRODUCER_CODEC_MESSAGE_IGNORED_H

#include <stdint.h>
#include <yyjson.h>

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* Zero-initialise. The names live in the arena of the reader. */
struct message_ignored {
    const char *names[USHER_IGNORED_MAX];
    uint32_t count;
};

/*
 * Notes the field of that name in the object at `place`, cut to USHER_IGNORED_SIZE_MAX bytes; of
 * more than USHER_IGNORED_MAX the first ones. Nothing where the reader does not ask for them.
 */
void message_ignore(const struct message_reader *reader, const struct message_place *place,
                    const char *name);

#endif
