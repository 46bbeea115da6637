/*
 * The requests of the load generator: each is encoded once, then only its number is rewritten, by
 * which its answer is found.
 */
#ifndef USHER_PRODUCER_PROGRAM_LOAD_REQUESTS_H
#define USHER_PRODUCER_PROGRAM_LOAD_REQUESTS_H

#include "producer/program/load_settings.h"

enum {
    LOAD_PREFIX_SIZE = 13, /* load- or then-, and 8 hexadecimal digits that differ per run */
    LOAD_DIGITS = 10,      /* of the number, in ids and the customer */
};

struct load_template;

struct load_requests {
    char first[LOAD_PREFIX_SIZE + 1], then[LOAD_PREFIX_SIZE + 1]; /* what ids begin with */
    struct load_template *templates;
    size_t count;
    struct usher_buffer text; /* of all templates */
};

/* Borrows the settings. Freed with load_requests_deinit. */
void load_requests_init(struct load_requests *requests, const struct load_settings *settings);
void load_requests_deinit(struct load_requests *requests);

/* The request with that number, and what follows it; valid until the next call of the same. */
void load_request(struct load_requests *requests, int64_t number, struct usher_message *message);
void load_request_then(struct load_requests *requests, int64_t number,
                       struct usher_message *message);

/* The number of the request that the answer is to, and whether to what followed; -1: to another's.
 */
int64_t load_number_of(const struct load_requests *requests, const struct usher_reply *answer,
                       bool *is_then);

#endif
