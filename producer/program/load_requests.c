/* The requests of the load generator. */
#include "load_requests.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "answer_scan.h"

/* A request with places for its number. */
struct load_template {
    const char *resource;
    struct usher_buffer json;
    char *numbers[2]; /* inside json */
};

static void write_number(char *at, int64_t number)
{
    for (int i = LOAD_DIGITS - 1; i >= 0; i--, number /= 10)
        at[i] = (char)('0' + number % 10);
}

/* Encodes the request, and finds the places of its number. */
static void make_template(struct load_template *template, const char *prefix, const char *resource,
                          const struct load_settings *settings)
{
    char id[LOAD_PREFIX_SIZE + LOAD_DIGITS + 1], customer[LOAD_DIGITS + 3];
    const char *const texts[] = {id, customer};
    snprintf(id, sizeof id, "%s%0*d", prefix, LOAD_DIGITS, 0);
    snprintf(customer, sizeof customer, "c-%0*d", LOAD_DIGITS, 0);
    struct usher_request request = {
        .request_id = id,
        .op = USHER_OP_HOLD,
        .resource = resource,
        .customer = customer,
        .items = settings->items,
        .item_count = settings->item_count,
        .ttl_s = USHER_ABSENT,
        .deadline_ms = USHER_ABSENT,
        .wait_until_ms = USHER_ABSENT,
        .return_at_ms = USHER_ABSENT,
    };
    *template = (struct load_template){.resource = resource};
    usher_request_encode(&request, &template->json);
    for (size_t i = 0; i < 2; i++) {
        size_t size = strlen(texts[i]);
        char *at = memmem(template->json.at, template->json.size, texts[i], size);
        assert(at != NULL);
        template->numbers[i] = at + size - LOAD_DIGITS;
    }
}

void load_requests_init(struct load_requests *requests, const struct load_settings *settings)
{
    unsigned char random[4];
    ssize_t size = getrandom(random, sizeof random, 0);
    assert(size == (ssize_t)sizeof random);
    snprintf(requests->prefix, sizeof requests->prefix, "load-%02x%02x%02x%02x", random[0],
             random[1], random[2], random[3]);
    requests->count = settings->resource_count;
    requests->templates = calloc(requests->count, sizeof *requests->templates);
    if (requests->templates == NULL)
        abort();
    for (size_t i = 0; i < requests->count; i++)
        make_template(&requests->templates[i], requests->prefix, settings->resources[i], settings);
}

void load_requests_deinit(struct load_requests *requests)
{
    for (size_t i = 0; i < requests->count; i++)
        usher_buffer_deinit(&requests->templates[i].json);
    free(requests->templates);
    *requests = (struct load_requests){0};
}

void load_request(struct load_requests *requests, int64_t number, struct usher_message *message)
{
    struct load_template *template = &requests->templates[(size_t)number % requests->count];
    for (size_t i = 0; i < 2; i++)
        write_number(template->numbers[i], number);
    *message = (struct usher_message){
        .resource = template->resource,
        .data = template->json.at,
        .size = template->json.size,
    };
}

int64_t load_number_of(const struct load_requests *requests, const struct usher_reply *answer)
{
    const char *id;
    size_t size;
    int64_t number = 0;
    if (!answer_scan_id(answer->data, answer->size, &id, &size) ||
        size != LOAD_PREFIX_SIZE + LOAD_DIGITS ||
        memcmp(id, requests->prefix, LOAD_PREFIX_SIZE) != 0)
        return -1;
    for (size_t i = LOAD_PREFIX_SIZE; i < size; i++) {
        if (id[i] < '0' || id[i] > '9')
            return -1;
        number = number * 10 + (id[i] - '0');
    }
    return number;
}
