/* Builds requests from options: fields, items, and the check that a worker would accept them. */
#include "producer/program/request_build.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "producer/base/utf8.h"
#include "producer/codec/message_fault.h"
#include "producer/codec/op_rules.h"
#include "producer/codec/request_decode.h"
#include "producer/program/definition_build.h"
#include "producer/program/definition_file.h"
#include "producer/program/flag_values.h"
#include "producer/program/request_fault.h"
#include "producer/program/request_items.h"
#include "yyjson.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void request_id_random(char id[REQUEST_ID_SIZE])
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

/* ---- fields ---- */

#define IN_REQUEST(member) offsetof(struct usher_request, member)

static const struct {
    const char *flag;
    size_t offset; /* of a const char * */
} text_fields[] = {
    {"client", IN_REQUEST(client)},   {"customer", IN_REQUEST(customer)},
    {"booking", IN_REQUEST(booking)}, {"cart", IN_REQUEST(cart)},
    {"payment", IN_REQUEST(payment)}, {"note", IN_REQUEST(note)},
    {"meta", IN_REQUEST(meta)},       {"from-block", IN_REQUEST(from_block)},
};

static const struct {
    const char *flag, *what;
    size_t offset; /* of an int64_t */
    enum usher_status (*read)(const char *what, const char *text, int64_t *ms,
                              struct usher_error *err);
} instant_fields[] = {
    {"deadline", "--deadline", IN_REQUEST(deadline_ms), flag_deadline},
    {"wait-until", "--wait-until", IN_REQUEST(wait_until_ms), flag_instant},
    {"return-at", "--return-at", IN_REQUEST(return_at_ms), flag_instant},
};

static bool flag_is_set(const struct options *options, const char *flag)
{
    return options_text_if_any(options, flag) && options_bool(options, flag);
}

static enum usher_status set_instants(const struct options *options, struct usher_request *request,
                                      struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (size_t i = 0; status == USHER_OK && i < COUNT(instant_fields); i++) {
        const char *text = options_text_if_any(options, instant_fields[i].flag);
        int64_t *ms = (int64_t *)(void *)((char *)request + instant_fields[i].offset);
        if (text)
            status = instant_fields[i].read(instant_fields[i].what, text, ms, err);
    }
    return status;
}

/* As it stands in the request, where nobody could count the bytes of a fault. */
static enum usher_status check_meta(const char *meta, struct usher_error *err)
{
    yyjson_read_err fault;
    char text[USHER_META_MAX + 1];
    size_t size = meta ? strnlen(meta, sizeof text) : 0;
    if (!meta || size == sizeof text)
        return USHER_OK; /* too long: the decoder says so */
    memcpy(text, meta, size);
    yyjson_doc *document = yyjson_read_opts(text, size, 0, NULL, &fault);
    if (!document)
        usher_error_set(err, USHER_EXIT_USAGE, "could not use --meta: not JSON: %s (byte %zu)",
                        fault.msg, fault.pos);
    bool good = document;
    yyjson_doc_free(document);
    return good ? USHER_OK : USHER_FATAL;
}

static enum usher_status set_fields(const struct options *options, struct usher_request *request,
                                    struct usher_error *err)
{
    const char *shortage = options_text_if_any(options, "shortage");
    for (size_t i = 0; i < COUNT(text_fields); i++) {
        const char *text = options_text_if_any(options, text_fields[i].flag);
        memcpy((char *)request + text_fields[i].offset, &text, sizeof text);
    }
    if (request->op == USHER_OP_TRANSFER)
        request->to_customer = options_text(options, "to");
    request->force = flag_is_set(options, "force");
    request->cancel_bookings = flag_is_set(options, "cancel-bookings");
    if (shortage && strcmp(shortage, "partial") == 0)
        request->shortage = USHER_SHORTAGE_PARTIAL;
    if (options_text_if_any(options, "ttl") && request->op != USHER_OP_DEFINE)
        request->ttl_s = options_integer(options, "ttl");
    enum usher_status status = check_meta(request->meta, err);
    return status == USHER_OK ? set_instants(options, request, err) : status;
}

/* ---- what an operation requires ---- */

/* The option that is missing; the decoder would refuse it, too, by the name of its field. */
static const char *missing_flag(const struct usher_request *request)
{
    const struct op_rules *rules = op_rules(request->op);
    if (rules->needs_booking && !request->booking && !(rules->or_cart && request->cart))
        return rules->or_cart ? "--booking or --cart is required" : "--booking is required";
    if (rules->needs_customer && !request->customer && !(rules->house_may && request->force))
        return "--customer is required";
    if (rules->needs_recipient && !request->to_customer)
        return "--to is required";
    if (rules->needs_ttl && request->ttl_s == 0)
        return "--ttl is required";
    if (rules->needs_items && request->item_count == 0)
        return request->op == USHER_OP_BLOCK
                   ? "name what to block: --seats, --section, --room or --product"
               : request->op == USHER_OP_EXCHANGE
                   ? "name all units that the booking is to have: --seats, --section, --room or "
                     "--product"
                   : "name what to hold: --seats, --section, --room or --product";
    return NULL;
}

enum usher_status request_check_text(const struct options *options, struct usher_error *err)
{
    const char *bad = NULL;
    for (size_t i = 0; !bad && i < options->argument_count + options->given_count; i++) {
        size_t flag = i - options->argument_count;
        bool is_flag = i >= options->argument_count;
        const char *text = is_flag ? options->given[flag].text : options->arguments[i];
        if (!utf8_is_valid(text, strlen(text)))
            bad = is_flag ? options->given[flag].spec->name : "";
    }
    if (!bad)
        return USHER_OK;
    if (*bad == '\0')
        usher_error_set(err, USHER_EXIT_USAGE, "could not read an argument: it is not UTF-8");
    else
        usher_error_set(err, USHER_EXIT_USAGE, "could not read --%s: it is not UTF-8", bad);
    return USHER_FATAL;
}

/* ---- the request ---- */

static enum usher_status of_file(struct options *options, struct usher_request *request,
                                 struct usher_buffer *out, struct usher_error *err)
{
    struct usher_error reason = {.text = ""};
    enum usher_status status = definition_from_file(options, request->request_id, out, err);
    if (status != USHER_OK)
        return status;
    if (usher_request_decode(out->at, out->size, &options->arena, request, &reason) == USHER_OK)
        return definition_check_chart(request->definition, err);
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not build the request: %s", reason.text);
    return USHER_FATAL;
}

/* Reports what the worker would refuse as malformed before it is sent. */
static enum usher_status check(struct options *options, const struct definition_flags *flags,
                               const struct usher_buffer *json, struct usher_request *request,
                               struct usher_error *err)
{
    struct message_fault fault = {0};
    struct usher_request decoded;
    struct request_origin origin = {.options = options, .request = request, .definition = flags};
    if (request_decode(json->at, json->size, &options->arena, &decoded, &fault) != USHER_OK) {
        request_fault_report(&origin, &fault, err);
        return USHER_FATAL;
    }
    *request = decoded;
    return request->definition ? definition_check_chart(request->definition, err) : USHER_OK;
}

static enum usher_status of_flags(struct options *options, struct usher_request *request,
                                  struct usher_buffer *out, struct usher_error *err)
{
    struct definition_flags *flags = usher_arena_alloc(&options->arena, sizeof *flags);
    enum usher_status status = set_fields(options, request, err);
    if (status == USHER_OK && request->op == USHER_OP_DEFINE) {
        status = definition_build(options, flags, err);
        request->definition = &flags->definition;
    } else if (status == USHER_OK && op_rules(request->op)->takes_items) {
        status = request_items(options, &request->items, &request->item_count, err);
    }
    if (status != USHER_OK)
        return status;
    const char *missing = missing_flag(request);
    if (missing) {
        usher_error_set(err, USHER_EXIT_USAGE, "%s", missing);
        return USHER_FATAL;
    }
    usher_request_encode(request, out);
    status = check(options, flags, out, request, err);
    if (status == USHER_OK && request->op == USHER_OP_DEFINE)
        definition_warn_unpriced(flags);
    return status;
}

enum usher_status request_build(struct options *options, enum usher_op op,
                                struct usher_request *request, struct usher_buffer *out,
                                struct usher_error *err)
{
    char *id = usher_arena_alloc(&options->arena, REQUEST_ID_SIZE);
    request_id_random(id);
    *request = (struct usher_request){
        .request_id = options_has(options, "request-id") ? options_text(options, "request-id") : id,
        .op = op,
        .resource = options->argument_count > 0 ? options->arguments[0] : NULL,
    };
    enum usher_status status = request_check_text(options, err);
    if (status != USHER_OK)
        return status;
    if (options_text_if_any(options, "file"))
        return of_file(options, request, out, err);
    if (!request->resource) {
        usher_error_set(err, USHER_EXIT_USAGE, "no resource was given");
        return USHER_FATAL;
    }
    return of_flags(options, request, out, err);
}
