/*
 * The requests of a load: read from a file and encoded once. For each that is sent only its number
 * is rewritten, by which its answer is found: no table, no parsing.
 */
#ifndef USHER_TESTS_LOAD_REQUESTS_H
#define USHER_TESTS_LOAD_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/client.h"
#include "usher/memory.h"
#include "usher/message.h"

struct load_template;

enum {
    LOAD_PREFIX_SIZE = 13, /* load- or then-, and 8 hexadecimal digits that differ per run */
    LOAD_DIGITS = 10,      /* of the number, in ids and the customer */
};

struct load_requests {
    char first[LOAD_PREFIX_SIZE + 1], then[LOAD_PREFIX_SIZE + 1]; /* what ids begin with */
    struct load_template *templates;
    size_t count;
    struct usher_buffer text; /* of all templates */
};

/*
 * Reads requests as JSON lines, each a hold or a book, into the arena; "-" is standard input. FATAL
 * with exit code 65: the file cannot be read, a line is no such request, or there is none.
 */
USHER_MUST_CHECK enum usher_status load_requests_read(const char *path, struct usher_arena *arena,
                                                      const struct usher_request **requests,
                                                      size_t *count, struct usher_error *err);

/* Encodes them, and what follows each that is held (NONE: nothing). Borrows their resources. */
void load_requests_init(struct load_requests *requests, const struct usher_request *from,
                        size_t count, enum usher_op then);

void load_requests_deinit(struct load_requests *requests);

/* The request with that number; valid until the next call of the same function. */
void load_request(struct load_requests *requests, int64_t number, struct usher_message *message);

/* What follows it; likewise. */
void load_request_then(struct load_requests *requests, int64_t number,
                       struct usher_message *message);

/* The number of the request that the answer is to, and whether to what followed; -1: another's. */
int64_t load_number_of(const struct load_requests *requests, const struct usher_reply *answer,
                       bool *is_then);

#endif
