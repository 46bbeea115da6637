/* Builds requests out of flags: fields, items, and the check that a worker would take them. */
#include "request_build.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "command.h"
#include "option_value.h"

enum {
    REQUEST_ID_SIZE = 40,
    NIGHT_ABSENT = INT32_MIN /* of an item whose flags are not all read yet */
};

/* Writes a random UUID (version 4). */
static void request_id_random(char id[REQUEST_ID_SIZE])
{
    unsigned char b[16];
    ssize_t size = getrandom(b, sizeof b, 0);
    assert(size == (ssize_t)sizeof b);
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(id, REQUEST_ID_SIZE,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
}

/* ---- values ---- */

enum usher_status flag_number(const char *what, const char *text, int64_t max, int64_t *number,
                              struct usher_error *err)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && value <= max) {
        *number = value;
        return USHER_OK;
    }
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read %s: \"%s\" is not a whole number up to %" PRId64, what, text,
                    max);
    return USHER_FATAL;
}

enum usher_status flag_night(const char *what, const char *text, int32_t *night,
                             struct usher_error *err)
{
    if (usher_night_parse(text, night))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read %s: \"%s\" is not a date such as 2026-12-24", what, text);
    return USHER_FATAL;
}

/* An instant, or a time from now on. */
static enum usher_status read_deadline(const char *text, int64_t *ms, struct usher_error *err)
{
    static const struct option_spec duration = {.name = "deadline", .type = OPTION_DURATION_MS};
    struct option_value value = {.spec = &duration};
    struct timespec now;
    if (usher_instant_parse(text, ms))
        return USHER_OK;
    if (option_value_set(&value, text, OPTION_FLAG, "--deadline", NULL) != USHER_OK) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not read --deadline: \"%s\" is neither an instant such as "
                        "2026-12-24T19:30:00Z nor a time such as 5s",
                        text);
        return USHER_FATAL;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    *ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + value.number;
    return USHER_OK;
}

/* ---- items ---- */

static void split_seats(struct options *options, const char *text, struct usher_item *item)
{
    size_t count = 1;
    for (const char *at = text; *at != '\0'; at++)
        count += *at == ',';
    const char **seats = usher_arena_alloc(&options->arena, count * sizeof *seats);
    for (size_t i = 0; i < count; i++) {
        size_t size = strcspn(text, ",");
        seats[i] = usher_arena_text(&options->arena, text, size);
        text += size + (text[size] == ',');
    }
    item->seats = seats;
    item->seat_count = item->quantity = (uint32_t)count;
}

/* Begins an item where the flag does so. */
static bool begin_item(struct options *options, const char *flag, const char *text,
                       struct usher_item *item)
{
    static const struct {
        const char *flag;
        enum usher_kind kind;
    } starts[] = {{"section", USHER_SECTION},
                  {"room", USHER_ROOM},
                  {"product", USHER_PRODUCT},
                  {"seats", USHER_SEATS}};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (strcmp(starts[i].flag, flag) != 0)
            continue;
        *item = (struct usher_item){.kind = starts[i].kind, .quantity = 1};
        if (item->kind == USHER_ROOM)
            item->from = item->to = NIGHT_ABSENT;
        if (item->kind == USHER_SEATS)
            split_seats(options, text, item);
        else
            item->pool = text;
        return true;
    }
    return false;
}

static bool belongs_to_item(const char *flag)
{
    static const char *const flags[] = {"from", "to", "quantity", "together"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(flags[i], flag) == 0)
            return true;
    return false;
}

static enum usher_status add_to_item(const char *flag, const char *text, struct usher_item *item,
                                     struct usher_error *err)
{
    int64_t number = 0;
    enum usher_status status = USHER_OK;
    if (strcmp(flag, "quantity") == 0 && item->kind != USHER_SEATS) {
        status = flag_number("--quantity", text, USHER_UNITS_MAX, &number, err);
        item->quantity = (uint32_t)number;
    } else if (strcmp(flag, "from") == 0 && item->kind == USHER_ROOM) {
        status = flag_night("--from", text, &item->from, err);
    } else if (strcmp(flag, "to") == 0 && item->kind == USHER_ROOM) {
        status = flag_night("--to", text, &item->to, err);
    } else if (strcmp(flag, "together") == 0 && item->kind == USHER_SECTION) {
        item->together = true;
    } else {
        usher_error_set(err, USHER_EXIT_USAGE, "could not use --%s: the item before has none",
                        flag);
        status = USHER_FATAL;
    }
    return status;
}

static enum usher_status check_nights(const struct usher_item *items, uint32_t count,
                                      struct usher_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct usher_item *item = &items[i];
        if (item->kind != USHER_ROOM)
            continue;
        if (item->from == NIGHT_ABSENT || item->to == NIGHT_ABSENT) {
            usher_error_set(err, USHER_EXIT_USAGE, "%s: missing, room \"%s\" needs its nights",
                            item->from == NIGHT_ABSENT ? "--from" : "--to", item->pool);
            return USHER_FATAL;
        }
        if (item->from >= item->to) {
            usher_error_set(err, USHER_EXIT_USAGE, "--from: not before --to of room \"%s\"",
                            item->pool);
            return USHER_FATAL;
        }
    }
    return USHER_OK;
}

enum usher_status request_items(struct options *options, const struct usher_item **items,
                                uint32_t *count, struct usher_error *err)
{
    struct usher_item *list =
        usher_arena_alloc(&options->arena, (options->given_count + 1) * sizeof *list);
    enum usher_status status = USHER_OK;
    *items = list;
    *count = 0;
    for (size_t i = 0; status == USHER_OK && i < options->given_count; i++) {
        const char *flag = options->given[i].spec->name, *text = options->given[i].text;
        if (begin_item(options, flag, text, &list[*count])) {
            (*count)++;
        } else if (belongs_to_item(flag) && *count == 0) {
            usher_error_set(err, USHER_EXIT_USAGE,
                            "could not use --%s: no --section, --room or --product comes before it",
                            flag);
            status = USHER_FATAL;
        } else if (belongs_to_item(flag)) {
            status = add_to_item(flag, text, &list[*count - 1], err);
        }
    }
    return status == USHER_OK ? check_nights(list, *count, err) : status;
}

/* ---- the request ---- */

static enum usher_status set_fields(struct options *options, struct usher_request *request,
                                    struct usher_error *err)
{
    const char *deadline = option_if_any(options, "deadline");
    request->client = option_if_any(options, "client");
    request->customer = option_if_any(options, "customer");
    request->booking = option_if_any(options, "booking");
    request->cart = option_if_any(options, "cart");
    request->payment = option_if_any(options, "payment");
    request->note = option_if_any(options, "note");
    request->meta = option_if_any(options, "meta");
    request->force = option_if_any(options, "force") != NULL && options_bool(options, "force");
    if (option_if_any(options, "ttl") != NULL && request->op != USHER_OP_DEFINE)
        request->ttl_s = options_integer(options, "ttl");
    return deadline == NULL ? USHER_OK : read_deadline(deadline, &request->deadline_ms, err);
}

/* What the decoder would find missing, too, but by the names of fields, not of flags. */
static const char *missing_flag(const struct usher_request *request)
{
    bool takes = request->op == USHER_OP_HOLD || request->op == USHER_OP_BOOK;
    bool refers = request->op == USHER_OP_CONFIRM || request->op == USHER_OP_RELEASE ||
                  request->op == USHER_OP_CANCEL;
    if (refers && request->booking == NULL && request->cart == NULL)
        return "--booking is needed";
    if ((takes || refers) && request->customer == NULL && !request->force)
        return "--customer is needed";
    if (takes && request->item_count == 0)
        return "name what to hold: --seats, --section, --room or --product";
    return NULL;
}

/* What the worker would call malformed is told before it is sent. */
static enum usher_status check(struct options *options, const struct usher_buffer *json,
                               struct usher_request *request, struct usher_error *err)
{
    bool by_file = option_if_any(options, "file") != NULL;
    struct usher_error reason = {.text = ""};
    if (usher_request_decode(json->at, json->size, &options->arena, request, &reason) == USHER_OK)
        return USHER_OK;
    usher_error_set(err, by_file ? USHER_EXIT_BAD_INPUT : USHER_EXIT_USAGE,
                    "could not build the request: %s", reason.text);
    return USHER_FATAL;
}

enum usher_status request_build(struct options *options, enum usher_op op,
                                struct usher_request *request, struct usher_buffer *out,
                                struct usher_error *err)
{
    char *id = usher_arena_alloc(&options->arena, REQUEST_ID_SIZE);
    struct usher_definition *definition = usher_arena_alloc(&options->arena, sizeof *definition);
    enum usher_status status;
    request_id_random(id);
    *request = (struct usher_request){
        .request_id = options_has(options, "request-id") ? options_text(options, "request-id") : id,
        .op = op,
        .resource = options->argument_count > 0 ? options->arguments[0] : NULL,
        .ttl_s = USHER_ABSENT,
        .deadline_ms = USHER_ABSENT,
        .wait_until_ms = USHER_ABSENT,
        .return_at_ms = USHER_ABSENT,
    };
    if (option_if_any(options, "file") != NULL) {
        status = definition_from_file(options, request->request_id, out, err);
        return status == USHER_OK ? check(options, out, request, err) : status;
    }
    if (request->resource == NULL) {
        usher_error_set(err, USHER_EXIT_USAGE, "no resource was given");
        return USHER_FATAL;
    }
    status = set_fields(options, request, err);
    if (status == USHER_OK && op == USHER_OP_DEFINE) {
        status = definition_build(options, definition, err);
        request->definition = definition;
    } else if (status == USHER_OK) {
        status = request_items(options, &request->items, &request->item_count, err);
    }
    if (status != USHER_OK)
        return status;
    const char *missing = missing_flag(request);
    if (missing != NULL) {
        usher_error_set(err, USHER_EXIT_USAGE, "%s", missing);
        return USHER_FATAL;
    }
    usher_request_encode(request, out);
    return check(options, out, request, err);
}
