/* The requests of the load generator. */
#include "producer/program/load_requests.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "producer/base/allocate.h"
#include "producer/codec/answer_scan.h"

enum {
    PLACES_MAX = 3 /* of the number: in the id, the customer, the booking */
};

/* A request with places for its number, all of them counted from the start of the text. */
struct load_text {
    size_t at, size;
    size_t places[PLACES_MAX];
    size_t place_count;
};

/* Sending and following up are two threads, each with its own texts. */
struct load_template {
    const char *resource;
    struct load_text first, then;
};

/* ---- encoding ---- */

/* An id as every template has it, of number 0. */
struct ids {
    char first[LOAD_PREFIX_SIZE + LOAD_DIGITS + 1];
    char then[LOAD_PREFIX_SIZE + LOAD_DIGITS + 1];
    char customer[LOAD_DIGITS + 3];
};

/* Encodes the request, and finds the places of its number. */
static void make_text(struct load_requests *requests, const struct usher_request *request,
                      struct load_text *text)
{
    const char *const ids[PLACES_MAX] = {request->request_id, request->customer, request->booking};
    struct usher_buffer *all = &requests->text;
    text->at = all->size;
    usher_request_encode(request, all);
    text->size = all->size - text->at;
    for (size_t i = 0; i < PLACES_MAX && ids[i]; i++) {
        const char *found = memmem(all->at + text->at, text->size, ids[i], strlen(ids[i]));
        assert(found);
        text->places[i] = (size_t)(found - all->at) + strlen(ids[i]) - LOAD_DIGITS;
        text->place_count = i + 1;
    }
}

static void make_template(struct load_requests *requests, const struct ids *ids,
                          const struct usher_request *request, enum usher_op then,
                          struct load_template *template)
{
    struct usher_request first = *request;
    const struct usher_request following = {
        .request_id = ids->then,
        .op = then,
        .resource = request->resource,
        .customer = ids->customer,
        .booking = ids->first,
    };
    first.request_id = ids->first;
    first.customer = ids->customer;
    first.booking = NULL;
    template->resource = request->resource;
    make_text(requests, &first, &template->first);
    if (then != USHER_OP_NONE)
        make_text(requests, &following, &template->then);
}

static void make_prefixes(struct load_requests *requests)
{
    uint32_t run;
    ssize_t size = getrandom(&run, sizeof run, 0);
    assert(size == (ssize_t)sizeof run);
    snprintf(requests->first, sizeof requests->first, "load-%08x", run);
    snprintf(requests->then, sizeof requests->then, "then-%08x", run);
}

void load_requests_init(struct load_requests *requests, const struct load_settings *settings)
{
    struct ids ids;
    make_prefixes(requests);
    snprintf(ids.first, sizeof ids.first, "%s%0*d", requests->first, LOAD_DIGITS, 0);
    snprintf(ids.then, sizeof ids.then, "%s%0*d", requests->then, LOAD_DIGITS, 0);
    snprintf(ids.customer, sizeof ids.customer, "c-%0*d", LOAD_DIGITS, 0);
    requests->count = settings->request_count;
    requests->templates = memory_calloc(requests->count, sizeof *requests->templates);
    for (size_t i = 0; i < requests->count; i++)
        make_template(requests, &ids, &settings->requests[i], settings->then,
                      &requests->templates[i]);
}

void load_requests_deinit(struct load_requests *requests)
{
    usher_buffer_deinit(&requests->text);
    free(requests->templates);
    *requests = (struct load_requests){0};
}

/* ---- numbers ---- */

static void write_number(char *at, int64_t number)
{
    for (int i = LOAD_DIGITS - 1; i >= 0; i--, number /= 10)
        at[i] = (char)('0' + number % 10);
}

static void fill_in(struct load_requests *requests, const char *resource,
                    const struct load_text *text, int64_t number, struct usher_message *message)
{
    for (size_t i = 0; i < text->place_count; i++)
        write_number(requests->text.at + text->places[i], number);
    *message = (struct usher_message){
        .resource = resource,
        .data = requests->text.at + text->at,
        .size = text->size,
    };
}

void load_request(struct load_requests *requests, int64_t number, struct usher_message *message)
{
    const struct load_template *template = &requests->templates[(size_t)number % requests->count];
    fill_in(requests, template->resource, &template->first, number, message);
}

void load_request_then(struct load_requests *requests, int64_t number,
                       struct usher_message *message)
{
    const struct load_template *template = &requests->templates[(size_t)number % requests->count];
    fill_in(requests, template->resource, &template->then, number, message);
}

int64_t load_number_of(const struct load_requests *requests, const struct usher_reply *answer,
                       bool *is_then)
{
    const char *id;
    size_t size;
    int64_t number = 0;
    if (!answer_scan_id(answer->data, answer->size, &id, &size) ||
        size != LOAD_PREFIX_SIZE + LOAD_DIGITS)
        return -1;
    *is_then = memcmp(id, requests->then, LOAD_PREFIX_SIZE) == 0;
    if (!*is_then && memcmp(id, requests->first, LOAD_PREFIX_SIZE) != 0)
        return -1;
    for (size_t i = LOAD_PREFIX_SIZE; i < size; i++) {
        if (id[i] < '0' || id[i] > '9')
            return -1;
        number = number * 10 + (id[i] - '0');
    }
    return number;
}
