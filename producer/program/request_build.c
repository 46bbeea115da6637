/* Builds requests from options. Does not know Kafka. */
#include "producer/program/request_build.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "producer/base/option_value.h"
#include "producer/base/plural.h"
#include "producer/base/utf8.h"
#include "producer/codec/message_names.h"
#include "producer/codec/request_decode.h"
#include "producer/program/definition_spec.h"
#include "producer/program/flag_values.h"
#include "producer/terminal/chart_draw.h"
#include "yyjson.h"

/* ==== Building ==== */

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

/* ==== Items ==== */

enum {
    NIGHT_ABSENT = INT32_MIN /* of an item whose flags are not all read yet */
};

/* The flags that begin an item. */
static const struct start {
    const char *flag; /* without dashes */
    enum usher_kind kind;
    bool names_list;
} starts[] = {{"section", USHER_SECTION, false},
              {"sections", USHER_SECTION, true},
              {"room", USHER_ROOM, false},
              {"product", USHER_PRODUCT, false},
              {"seats", USHER_SEATS, true}};

/* The flag that began the item: "--sections". Static storage. */
static const char *request_item_flag(const struct usher_item *item)
{
    switch (item->kind) {
    case USHER_SEATS:
        return "--seats";
    case USHER_ROOM:
        return "--room";
    case USHER_PRODUCT:
        return "--product";
    case USHER_SECTION:
        break;
    }
    return item->section_count > 0 ? "--sections" : "--section";
}

/* One flag of the command line, and where its values are kept. */
struct reading {
    struct usher_arena *arena;
    const struct option_given *given;
    const char *what; /* "--rate" */
};

static enum usher_status read_names(const struct reading *reading, struct flag_names *names,
                                    struct usher_error *err)
{
    return flag_names(reading->arena, reading->what, reading->given->text, ',', names, err);
}

/* "A-3..A-6" as the seats that it means. FATAL: more than a request may have. */
static enum usher_status expand_seats(const struct reading *reading, struct flag_names *names,
                                      struct usher_error *err)
{
    const char **seats =
        usher_arena_alloc(reading->arena, (USHER_UNITS_MAX + 1) * sizeof(const char *));
    uint32_t count = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        struct seat_range range;
        bool is_range = seat_range_read(names->names[i], &range);
        uint32_t more = is_range ? range.last - range.first + 1 : 1;
        if (more > USHER_UNITS_MAX - count) {
            usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: more than %d seats",
                            reading->what, USHER_UNITS_MAX);
            return USHER_FATAL;
        }
        for (uint32_t k = 0; k < more; k++) {
            char label[SEAT_LABEL_SIZE];
            if (is_range)
                seat_range_label(&range, range.first + k, label);
            seats[count++] =
                is_range ? usher_arena_text(reading->arena, label, strlen(label)) : names->names[i];
        }
    }
    *names = (struct flag_names){.names = seats, .count = count};
    return USHER_OK;
}

static enum usher_status begin_item(const struct reading *reading, const struct start *start,
                                    struct usher_item *item, struct usher_error *err)
{
    struct flag_names names = {0};
    enum usher_status status = USHER_OK;
    *item = (struct usher_item){.kind = start->kind, .quantity = 1};
    if (start->kind == USHER_ROOM)
        item->from = item->to = NIGHT_ABSENT;
    if (start->names_list)
        status = read_names(reading, &names, err);
    else
        item->pool = reading->given->text;
    if (start->kind == USHER_SEATS && status == USHER_OK)
        status = expand_seats(reading, &names, err);
    if (start->kind == USHER_SEATS) {
        item->seats = names.names;
        item->seat_count = item->quantity = names.count;
    } else {
        item->sections = names.names;
        item->section_count = names.count;
    }
    return status;
}

/* ---- what belongs to an item ---- */

static enum usher_status add_quantity(const struct reading *reading, struct usher_item *item,
                                      struct usher_error *err)
{
    int64_t number = 0;
    enum usher_status status =
        flag_count(reading->what, reading->given->text, USHER_UNITS_MAX, &number, err);
    item->quantity = (uint32_t)number;
    return status;
}

static enum usher_status add_from(const struct reading *reading, struct usher_item *item,
                                  struct usher_error *err)
{
    return flag_night(reading->what, reading->given->text, &item->from, err);
}

static enum usher_status add_to(const struct reading *reading, struct usher_item *item,
                                struct usher_error *err)
{
    return flag_night(reading->what, reading->given->text, &item->to, err);
}

static enum usher_status add_together(const struct reading *reading, struct usher_item *item,
                                      struct usher_error *err)
{
    struct option_value value = {.spec = reading->given->spec};
    enum usher_status status =
        option_value_set(&value, reading->given->text, OPTION_FLAG, reading->what, err);
    item->together = value.number != 0;
    return status;
}

static enum usher_status add_rate(const struct reading *reading, struct usher_item *item,
                                  struct usher_error *err)
{
    (void)err;
    item->rate = reading->given->text;
    return USHER_OK;
}

static enum usher_status add_features(const struct reading *reading, struct usher_item *item,
                                      struct usher_error *err)
{
    struct flag_names names = {0};
    enum usher_status status = read_names(reading, &names, err);
    item->features = names.names;
    item->feature_count = names.count;
    return status;
}

static enum usher_status add_avoid(const struct reading *reading, struct usher_item *item,
                                   struct usher_error *err)
{
    struct flag_names names = {0};
    enum usher_status status = read_names(reading, &names, err);
    item->avoid = names.names;
    item->avoid_count = names.count;
    return status;
}

#define OF(kind) (1U << (kind))

/* The flags that belong to the item before them, and the kinds of items that have them. */
static const struct part {
    const char *flag;
    unsigned kinds;
    enum usher_status (*add)(const struct reading *reading, struct usher_item *item,
                             struct usher_error *err);
} parts[] = {
    {"quantity", OF(USHER_SECTION) | OF(USHER_ROOM) | OF(USHER_PRODUCT), add_quantity},
    {"from", OF(USHER_ROOM), add_from},
    {"to", OF(USHER_ROOM), add_to},
    {"rate", OF(USHER_SEATS) | OF(USHER_SECTION) | OF(USHER_ROOM) | OF(USHER_PRODUCT), add_rate},
    {"together", OF(USHER_SECTION), add_together},
    {"features", OF(USHER_SECTION), add_features},
    {"avoid", OF(USHER_SECTION), add_avoid},
};

static enum usher_status add_part(const struct reading *reading, const struct part *part,
                                  struct usher_item *item, struct usher_error *err)
{
    if (!item)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use %s: no --section, --room or --product comes before it",
                        reading->what);
    else if ((part->kinds & OF(item->kind)) == 0)
        usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: the item before has none",
                        reading->what);
    else
        return part->add(reading, item, err);
    return USHER_FATAL;
}

/* ---- all items ---- */

static enum usher_status check_nights(const struct usher_item *items, uint32_t count,
                                      struct usher_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct usher_item *item = &items[i];
        if (item->kind != USHER_ROOM)
            continue;
        if (item->from == NIGHT_ABSENT || item->to == NIGHT_ABSENT) {
            usher_error_set(err, USHER_EXIT_USAGE, "%s: missing, required by room \"%s\"",
                            item->from == NIGHT_ABSENT ? "--from" : "--to", item->pool);
            return USHER_FATAL;
        }
        if (item->from >= item->to) {
            usher_error_set(err, USHER_EXIT_USAGE, "--from: must be before --to of room \"%s\"",
                            item->pool);
            return USHER_FATAL;
        }
    }
    return USHER_OK;
}

/* Reads one flag, whatever it is. */
static enum usher_status read_given(const struct reading *reading, struct usher_item *list,
                                    uint32_t *count, struct usher_error *err)
{
    const char *flag = reading->given->spec->name;
    /* Flags of items may be repeated; transfer has another --to. */
    if (reading->given->spec->type != OPTION_LIST && reading->given->spec->type != OPTION_BOOL)
        return USHER_OK;
    for (size_t i = 0; i < COUNT(starts); i++)
        if (strcmp(starts[i].flag, flag) == 0)
            return begin_item(reading, &starts[i], &list[(*count)++], err);
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strcmp(parts[i].flag, flag) == 0)
            return add_part(reading, &parts[i], *count == 0 ? NULL : &list[*count - 1], err);
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
        struct reading reading = {
            .arena = &options->arena,
            .given = &options->given[i],
            .what = usher_arena_format(&options->arena, "--%s", options->given[i].spec->name),
        };
        status = read_given(&reading, list, count, err);
    }
    return status == USHER_OK ? check_nights(list, *count, err) : status;
}

/* ==== What a worker would ignore ==== */

enum usher_status request_check_strictly(const struct usher_request *request,
                                         struct usher_error *err)
{
    if (request->definition && request->definition->fault) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s", request->definition->fault);
        return USHER_REJECT;
    }
    if (request->ignored_count == 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "unknown field%s", PLURAL(request->ignored_count));
    for (uint32_t i = 0; i < request->ignored_count; i++) {
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, "%s \"%s\"", i == 0 ? "" : ",",
                 request->ignored[i]);
    }
    return USHER_REJECT;
}

/* ==== Faults by option ==== */

enum {
    BLAME_SIZE = 200
};

/* ---- places ---- */

/* The object of the message itself in which the fault is; NULL: it is in none. */
static const struct message_place *top_of(const struct message_fault *fault)
{
    const struct message_place *place = fault->place;
    while (place && place->up)
        place = place->up;
    return place;
}

/* The place next below `up` on the way to the fault; NULL: the fault is of `up` itself. */
static const struct message_place *below(const struct message_fault *fault,
                                         const struct message_place *up)
{
    const struct message_place *place = fault->place;
    if (place == up)
        return NULL;
    while (place->up != up)
        place = place->up;
    return place;
}

const char *request_fault_field(const struct message_fault *fault)
{
    const struct message_place *top = top_of(fault);
    return top ? top->list : fault->field;
}

/* ---- options ---- */

/* The name of the option of a field: "starts-at" of starts_at. */
static void option_of_field(const char *field, char name[64])
{
    static const char *const others[][2] = {
        {"ttl_s", "ttl"}, {"hold_ttl_s", "ttl"}, {"to_customer", "to"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i][0], field) == 0)
            field = others[i][1];
    snprintf(name, 64, "%s", field);
    for (char *at = name; *at != '\0'; at++)
        if (*at == '_')
            *at = '-';
}

static bool has_option(const struct options *options, const char *name)
{
    for (size_t i = 0; i < options->value_count; i++)
        if (strcmp(options->values[i].spec->name, name) == 0)
            return true;
    return false;
}

/* What a fault is of: an option, and the path below it that has no option of its own. */
struct blame {
    char option[BLAME_SIZE];
    const char *path; /* empty: the option itself */
};

static bool blame_field(const struct request_origin *origin, const char *field, struct blame *blame)
{
    char name[64];
    option_of_field(field, name);
    if (!has_option(origin->options, name))
        return false;
    snprintf(blame->option, BLAME_SIZE, "--%s", name);
    return true;
}

/* The options that began items, each once. */
static bool blame_all_items(const struct usher_request *request, struct blame *blame)
{
    size_t size = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const char *name = request_item_flag(&request->items[i]);
        bool known = false;
        for (uint32_t k = 0; k < i && !known; k++)
            known = request_item_flag(&request->items[k]) == name;
        if (!known && size < BLAME_SIZE)
            size += (size_t)snprintf(blame->option + size, BLAME_SIZE - size, "%s%s",
                                     size == 0 ? "" : ", ", name);
    }
    return size > 0;
}

/* A field of an item has its own option, as --rate; else it is the option that began the item. */
static bool blame_item(const struct request_origin *origin, const struct message_fault *fault,
                       const struct message_place *item, struct blame *blame)
{
    const struct message_place *inner = below(fault, item);
    const char *field = inner ? inner->list : fault->field;
    if (item->index >= origin->request->item_count)
        return false;
    if (field && has_option(origin->options, field))
        snprintf(blame->option, BLAME_SIZE, "--%s", field);
    else
        snprintf(blame->option, BLAME_SIZE, "%s",
                 request_item_flag(&origin->request->items[item->index]));
    return true;
}

/* A pool or a quota as it was given, "--section stalls"; false where it came from a file. */
static bool blame_definition(const struct request_origin *origin, const struct message_fault *fault,
                             const struct message_place *top, struct blame *blame)
{
    const struct definition_flags *flags = origin->definition;
    const struct usher_definition *definition = &flags->definition;
    const struct {
        const char *field;
        const char *const *origins;
        uint32_t count;
    } lists[] = {
        {"sections", flags->section_origins, definition->section_count},
        {"rooms", flags->room_origins, definition->room_count},
        {"products", flags->product_origins, definition->product_count},
        {"quotas", flags->quota_origins, definition->quota_count},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(lists[i].field, top->list) != 0 || top->index >= lists[i].count)
            continue;
        snprintf(blame->option, BLAME_SIZE, "%s", lists[i].origins[top->index]);
        blame->path = message_fault_path(&origin->options->arena, fault, top);
        return true;
    }
    return false;
}

/* Limits are given by two options: those of a group by --limit-group. */
static void blame_limits(const struct request_origin *origin, const struct message_fault *fault,
                         const struct message_place *limits, struct blame *blame)
{
    const struct message_place *group = below(fault, limits);
    bool is_group = group ? strcmp(group->list, "groups") == 0
                          : fault->field && strcmp(fault->field, "groups") == 0;
    snprintf(blame->option, BLAME_SIZE, "%s", is_group ? "--limit-group" : "--limits");
    if (group || !is_group)
        blame->path = message_fault_path(&origin->options->arena, fault, group ? group : limits);
}

static bool find_blame(const struct request_origin *origin, const struct message_fault *fault,
                       struct blame *blame)
{
    const struct message_place *top = top_of(fault);
    const char *field = request_fault_field(fault);
    if (!field)
        return false;
    if (strcmp(field, "resource") == 0)
        return snprintf(blame->option, BLAME_SIZE, "RESOURCE") > 0;
    if (strcmp(field, "items") == 0)
        return top ? blame_item(origin, fault, top, blame)
                   : blame_all_items(origin->request, blame);
    if (top && strcmp(field, "limits") == 0) {
        blame_limits(origin, fault, top, blame);
        return true;
    }
    if (top && origin->definition && blame_definition(origin, fault, top, blame))
        return true;
    if (top)
        blame->path = message_fault_path(&origin->options->arena, fault, top);
    return blame_field(origin, field, blame);
}

/* Another field of the message itself is named by its option, too; NULL: by its name. */
static const char *other_option(const struct request_origin *origin,
                                const struct message_fault *fault, char text[BLAME_SIZE])
{
    char name[64];
    if (!fault->other)
        return NULL;
    option_of_field(fault->other, name);
    if (!has_option(origin->options, name))
        return NULL;
    snprintf(text, BLAME_SIZE, "--%s", name);
    return text;
}

void request_fault_report(const struct request_origin *origin, const struct message_fault *fault,
                          struct usher_error *err)
{
    struct usher_arena *arena = &origin->options->arena;
    struct blame blame = {.path = ""};
    char other[BLAME_SIZE];
    if (!find_blame(origin, fault, &blame)) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not build the request: %s",
                        message_fault_text(arena, fault));
        return;
    }
    usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: %s%s%s", blame.option, blame.path,
                    *blame.path == '\0' ? "" : ": ",
                    message_fault_reason(arena, fault, other_option(origin, fault, other)));
}
