/*
 * The requests of the load generator: encoded once for each resource, then only their number is
 * written anew, which an answer's request id leads back to.
 */
#ifndef USHER_PRODUCER_LOAD_REQUESTS_H
#define USHER_PRODUCER_LOAD_REQUESTS_H

#include "load.h"

enum {
    LOAD_PREFIX_SIZE = 13, /* load- and 8 hexadecimal digits, anew for each run */
    LOAD_DIGITS = 10,      /* of the number, in the id and the customer */
};

struct load_template;

struct load_requests {
    char prefix[LOAD_PREFIX_SIZE + 1];
    struct load_template *templates; /* by resource */
    size_t count;
};

/* Borrows the settings. Freed with load_requests_deinit. */
void load_requests_init(struct load_requests *requests, const struct load_settings *settings);
void load_requests_deinit(struct load_requests *requests);

/* Fills `message` with the request of that number; valid until the next call. */
void load_request(struct load_requests *requests, int64_t number, struct usher_message *message);

/* The number of the request that the answer is for; -1: it is none of ours. */
int64_t load_number_of(const struct load_requests *requests, const struct usher_reply *answer);

#endif
