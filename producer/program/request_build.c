/* Builds requests from options. Does not know Kafka. */
#include "producer/program/request_build.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "producer/base/calendar.h"
#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/base/utf8.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/request_fields.h"
#include "producer/program/definition_spec.h"
#include "producer/program/flag_values.h"
#include "producer/terminal/chart_draw.h"
#include "producer/terminal/terminal.h"
#include "yyjson.h"

/* ==== Building ==== */

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

static enum usher_status set_fields(struct options *options, struct usher_request *request,
                                    struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (size_t i = 0; status == USHER_OK && i < request_table.count; i++) {
        const struct message_field *field = &request_table.fields[i];
        if (!message_field_help(field, request->op))
            continue;
        const struct flag_source source = {
            .arena = &options->arena,
            .what = usher_arena_format(&options->arena, "--%s", field->option->flag),
            .text = options_text(options, field->option->flag),
        };
        if (source.text)
            status = flag_field(&source, field, request, err);
    }
    return status == USHER_OK ? check_meta(request->meta, err) : status;
}

/* ---- what an operation requires ---- */

/* Names the option that is missing; the decoder would name the field. */
static enum usher_status check_missing(const struct usher_request *request, struct usher_error *err)
{
    const struct message_field *field = request_missing(request);
    if (request->op == USHER_OP_PROBE && request->customer && !request->booking && !request->cart) {
        usher_error_set(
            err, USHER_EXIT_USAGE,
            "--customer needs --booking or --cart; usher-worker bookings lists all that "
            "a customer has");
        return USHER_FATAL;
    }
    if (!field)
        return USHER_OK;
    if (strcmp(field->name, "items") == 0)
        usher_error_set(err, USHER_EXIT_USAGE, "name %s: --seats, --section, --room or --product",
                        request->op == USHER_OP_BLOCK      ? "what to block"
                        : request->op == USHER_OP_EXCHANGE ? "all units that the booking is to have"
                                                           : "what to hold");
    else
        usher_error_set(err, USHER_EXIT_USAGE, "--%s%s is required", field->option->flag,
                        strcmp(field->name, "booking") == 0 &&
                                (field->or_else >> request->op & 1U) != 0
                            ? " or --cart"
                            : "");
    return USHER_FATAL;
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
    enum usher_status status = definition_from_file(options, request, out, err);
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
    } else if (status == USHER_OK) {
        status = request_items(options, 0, options->given_count, &request->items,
                               &request->item_count, err);
    }
    if (status == USHER_OK)
        status = check_missing(request, err);
    if (status != USHER_OK)
        return status;
    usher_request_encode(request, out);
    status = check(options, flags, out, request, err);
    if (status == USHER_OK && request->op == USHER_OP_DEFINE)
        definition_warn_unpriced(flags);
    return status;
}

/* ---- what is over ---- */

static void warn(const char *text)
{
    terminal_complain("usher-producer", "warning: %s", text);
}

/* Everywhere: yesterday's date in UTC is the earliest. `to` is the morning after the last night. */
static bool rooms_are_over(const struct usher_definition *definition, int64_t now_ms)
{
    int32_t last = INT32_MIN;
    for (uint32_t i = 0; i < definition->room_count; i++)
        if (definition->rooms[i].to > last)
            last = definition->rooms[i].to;
    return definition->room_count > 0 && last < now_ms / CALENDAR_MS_A_DAY;
}

/* Warns on stderr of what is over already. */
static void warn_of_past(const struct usher_definition *definition)
{
    int64_t now_ms = clock_wall_ms();
    if (definition->state == USHER_CLOSED)
        return;
    if (definition->ends_ms > 0 && definition->ends_ms <= now_ms)
        warn("it has ended: nothing is sold");
    else if (definition->closes_ms > 0 && definition->closes_ms <= now_ms)
        warn("its sale has closed: nothing is sold");
    else if (definition->ends_ms == 0 && definition->starts_ms > 0 &&
             definition->starts_ms <= now_ms)
        warn("it has started, which stops no sale: --ends-at does, or --closes-at");
    if (rooms_are_over(definition, now_ms))
        warn(definition->timezone ? "all nights are over: none is sold"
                                  : "all nights are over; without a --timezone they are sold");
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
    if (status == USHER_OK && op == USHER_OP_DEFINE)
        status = flag_only(options, &request->only, err);
    if (status != USHER_OK)
        return status;
    bool is_file = options_text_if_any(options, "file");
    if (!is_file && !request->resource) {
        usher_error_set(err, USHER_EXIT_USAGE, "no resource was given");
        return USHER_FATAL;
    }
    status = is_file ? of_file(options, request, out, err) : of_flags(options, request, out, err);
    if (status == USHER_OK && request->definition)
        warn_of_past(request->definition);
    return status;
}

/* ==== Items ==== */

enum {
    NIGHT_ABSENT = INT32_MIN /* of an item whose flags are not all read yet */
};

/* Whether the option of the field begins an item, which is of one kind then. */
static bool begins_item(const struct message_field *field)
{
    return field->type == MESSAGE_POOL || (field->type == MESSAGE_TEXTS && field->kinds != 0);
}

/* The field whose option began the item, --sections. */
static const struct message_field *beginning_of(const struct usher_item *item)
{
    for (size_t i = 0; i < item_table.count; i++) {
        const struct message_field *field = &item_table.fields[i];
        if (begins_item(field) && (field->kinds >> item->kind & 1U) != 0 &&
            message_field_is_given(field, item))
            return field;
    }
    return message_field_of(&item_table, "section"); /* --section ''; the decoder says so */
}

/* "A-3..A-6" as the seats that it means. FATAL: more than a request may have. */
static enum usher_status expand_seats(const struct flag_source *source, struct usher_item *item,
                                      struct usher_error *err)
{
    const char **seats =
        usher_arena_alloc(source->arena, (USHER_UNITS_MAX + 1) * sizeof(const char *));
    uint32_t count = 0;
    for (uint32_t i = 0; i < item->seat_count; i++) {
        struct seat_range range;
        bool is_range = seat_range_read(item->seats[i], &range);
        uint32_t more = is_range ? range.last - range.first + 1 : 1;
        if (more > USHER_UNITS_MAX - count) {
            usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: more than %d seats",
                            source->what, USHER_UNITS_MAX);
            return USHER_FATAL;
        }
        for (uint32_t k = 0; k < more; k++) {
            char label[SEAT_LABEL_SIZE];
            if (is_range)
                seat_range_label(&range, range.first + k, label);
            seats[count++] =
                is_range ? usher_arena_text(source->arena, label, strlen(label)) : item->seats[i];
        }
    }
    item->seats = seats;
    item->seat_count = item->quantity = count;
    return USHER_OK;
}

static enum usher_status begin_item(const struct flag_source *source,
                                    const struct message_field *field, struct usher_item *item,
                                    struct usher_error *err)
{
    *item = (struct usher_item){.quantity = 1};
    while ((field->kinds >> item->kind & 1U) == 0)
        item->kind++;
    if (item->kind == USHER_ROOM)
        item->from = item->to = NIGHT_ABSENT;
    enum usher_status status = flag_field(source, field, item, err);
    return status == USHER_OK && item->kind == USHER_SEATS ? expand_seats(source, item, err)
                                                           : status;
}

/* A party counts itself, but for a --quantity behind it. */
static enum usher_status set_part(const struct flag_source *source,
                                  const struct message_field *field, struct usher_item *item,
                                  struct usher_error *err)
{
    enum usher_status status = flag_field(source, field, item, err);
    if (status == USHER_OK && field->of == &member_table)
        item->quantity = 0;
    return status;
}

static enum usher_status add_part(const struct flag_source *source,
                                  const struct message_field *field, struct usher_item *item,
                                  struct usher_error *err)
{
    if (!item)
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not use %s: no --section, --room or --product comes before it",
                        source->what);
    else if (field->kinds != 0 && (field->kinds >> item->kind & 1U) == 0)
        usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: the item before has none",
                        source->what);
    else
        return set_part(source, field, item, err);
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

/* The field of an item that the flag gives; NULL: it is of something else. */
static const struct message_field *item_field(const struct option_given *given)
{
    /* Flags of items may be repeated; transfer has another --to. */
    if (given->spec->type != OPTION_LIST && given->spec->type != OPTION_BOOL)
        return NULL;
    for (size_t i = 0; i < item_table.count; i++)
        if (strcmp(item_table.fields[i].option->flag, given->spec->name) == 0)
            return &item_table.fields[i];
    return NULL;
}

enum usher_status request_items(struct options *options, size_t from, size_t to,
                                const struct usher_item **items, uint32_t *count,
                                struct usher_error *err)
{
    struct usher_item *list = usher_arena_alloc(&options->arena, (to - from + 1) * sizeof *list);
    enum usher_status status = USHER_OK;
    *items = list;
    *count = 0;
    for (size_t i = from; status == USHER_OK && i < to; i++) {
        const struct option_given *given = &options->given[i];
        const struct message_field *field = item_field(given);
        const struct flag_source source = {
            .arena = &options->arena,
            .what = usher_arena_format(&options->arena, "--%s", given->spec->name),
            .text = given->text,
            .separator = ',',
        };
        if (field && begins_item(field))
            status = begin_item(&source, field, &list[(*count)++], err);
        else if (field)
            status = add_part(&source, field, *count == 0 ? NULL : &list[*count - 1], err);
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

/* The flag of the option of a field; the name, where none gives it. */
static const char *flag_of(const char *name)
{
    const struct message_field *field = message_field_of(&request_table, name);
    if (!field)
        field = message_field_of(&definition_table, name);
    return field && field->option ? field->option->flag : name;
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
    if (!has_option(origin->options, flag_of(field)))
        return false;
    snprintf(blame->option, BLAME_SIZE, "--%s", flag_of(field));
    return true;
}

/* The options that began items, each once. */
static bool blame_all_items(const struct usher_request *request, struct blame *blame)
{
    size_t size = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct message_field *field = beginning_of(&request->items[i]);
        bool known = false;
        for (uint32_t k = 0; k < i && !known; k++)
            known = beginning_of(&request->items[k]) == field;
        if (!known && size < BLAME_SIZE)
            size += (size_t)snprintf(blame->option + size, BLAME_SIZE - size, "%s--%s",
                                     size == 0 ? "" : ", ", field->option->flag);
    }
    return size > 0;
}

/* A field of an item has its own option, as --rate; else it is the option that began the item. */
static bool blame_item(const struct request_origin *origin, const struct message_fault *fault,
                       const struct message_place *item, struct blame *blame)
{
    const struct message_place *inner = below(fault, item);
    const char *name = inner ? inner->list : fault->field;
    if (item->index >= origin->request->item_count)
        return false;
    const struct message_field *field = name ? message_field_of(&item_table, name) : NULL;
    if (!field || !has_option(origin->options, field->option->flag))
        field = beginning_of(&origin->request->items[item->index]);
    snprintf(blame->option, BLAME_SIZE, "--%s", field->option->flag);
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
        {"restrictions", flags->restriction_origins, definition->restriction_count},
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
                                const struct message_fault *fault)
{
    const char *flag = fault->other ? flag_of(fault->other) : NULL;
    return flag && has_option(origin->options, flag)
               ? usher_arena_format(&origin->options->arena, "--%s", flag)
               : NULL;
}

void request_fault_report(const struct request_origin *origin, const struct message_fault *fault,
                          struct usher_error *err)
{
    struct usher_arena *arena = &origin->options->arena;
    struct blame blame = {.path = ""};
    if (!find_blame(origin, fault, &blame)) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not build the request: %s",
                        message_fault_text(arena, fault));
        return;
    }
    usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: %s%s%s", blame.option, blame.path,
                    *blame.path == '\0' ? "" : ": ",
                    message_fault_reason(arena, fault, other_option(origin, fault)));
}
