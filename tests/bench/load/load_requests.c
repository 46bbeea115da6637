/* Templates of requests, with places for their number; and the file that they come from. */
#include "load_requests.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "producer/base/allocate.h"
#include "producer/codec/answer_scan.h"

/* ==== The file ==== */

struct reading {
    const char *path;
    long number; /* of the line */
    struct usher_arena *arena;
    struct usher_buffer all; /* struct usher_request */
};

static enum usher_status complain(const struct reading *reading, const char *what,
                                  struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s line %ld: %s", reading->path, reading->number,
                    what);
    return USHER_FATAL;
}

static enum usher_status read_line(struct reading *reading, const char *line, size_t size,
                                   struct usher_error *err)
{
    struct usher_request request;
    struct usher_error why;
    if (size == 0)
        return USHER_OK;
    if (usher_request_decode(line, size, reading->arena, &request, &why) != USHER_OK)
        return complain(reading, why.text, err);
    if (request.op != USHER_OP_HOLD && request.op != USHER_OP_BOOK)
        return complain(reading, "a load is made of hold and book", err);
    usher_buffer_append(&reading->all, &request, sizeof request);
    return USHER_OK;
}

static enum usher_status unreadable(const char *path, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\": %s", path, strerror(errno));
    return USHER_FATAL;
}

static enum usher_status read_lines(struct reading *reading, FILE *file, struct usher_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && (size = getline(&line, &room, file)) > 0) {
        reading->number++;
        status = read_line(reading, line, (size_t)size - (line[size - 1] == '\n'), err);
    }
    if (status == USHER_OK && ferror(file))
        status = unreadable(reading->path, err);
    free(line);
    return status;
}

enum usher_status load_requests_read(const char *path, struct usher_arena *arena,
                                     const struct usher_request **requests, size_t *count,
                                     struct usher_error *err)
{
    struct reading reading = {.path = path, .arena = arena};
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (!file)
        return unreadable(path, err);
    enum usher_status status = read_lines(&reading, file, err);
    if (status == USHER_OK && reading.all.size == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s: there is no request in it", path);
        status = USHER_FATAL;
    }
    if (status == USHER_OK) {
        struct usher_request *kept = usher_arena_alloc(arena, reading.all.size);
        memcpy(kept, reading.all.at, reading.all.size);
        *requests = kept;
        *count = reading.all.size / sizeof *kept;
    }
    usher_buffer_deinit(&reading.all);
    if (file != stdin)
        fclose(file);
    return status;
}

/* ==== Templates ==== */

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

void load_requests_init(struct load_requests *requests, const struct usher_request *from,
                        size_t count, enum usher_op then)
{
    struct ids ids;
    make_prefixes(requests);
    snprintf(ids.first, sizeof ids.first, "%s%0*d", requests->first, LOAD_DIGITS, 0);
    snprintf(ids.then, sizeof ids.then, "%s%0*d", requests->then, LOAD_DIGITS, 0);
    snprintf(ids.customer, sizeof ids.customer, "c-%0*d", LOAD_DIGITS, 0);
    requests->count = count;
    requests->templates = memory_calloc(requests->count, sizeof *requests->templates);
    for (size_t i = 0; i < requests->count; i++)
        make_template(requests, &ids, &from[i], then, &requests->templates[i]);
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
