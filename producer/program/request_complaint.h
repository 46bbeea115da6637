/* Tells what the library complains of by the flags that it came from, not by fields. */
#ifndef USHER_PRODUCER_PROGRAM_REQUEST_COMPLAINT_H
#define USHER_PRODUCER_PROGRAM_REQUEST_COMPLAINT_H

#include "producer/base/options.h"
#include "producer/program/definition_build.h"
#include "usher/message.h"

/* What a request was made of. */
struct request_origin {
    const struct options *options;
    const struct usher_request *request;       /* as it was encoded */
    const struct definition_flags *definition; /* of a define */
};

/* A complaint of the library in its parts: "items[2].rate: why" is items, 2, rate, why. */
struct complaint {
    char field[64]; /* empty: it names none */
    bool has_index;
    uint32_t index;
    char rest[64]; /* what stands below field[index]; empty */
    const char *why;
};

/* Takes a complaint apart. `why` points into `text`. */
void complaint_read(struct complaint *complaint, const char *text);

/*
 * Sets `err`, exit code 64, to the complaint `text` about the request, with the flag that its field
 * came from; as it is where it names no field that came from a flag.
 */
void request_complain(const struct request_origin *origin, const char *text,
                      struct usher_error *err);

/* The flag of a field of a define without dashes: "starts-at" of starts_at. */
void complaint_flag_name(const char *field, char flag[64]);

#endif
