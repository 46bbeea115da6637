/*
 * The fields of a request and of its items, one row each: what reads them, writes them and checks
 * what an operation takes of them, all by these rows.
 *
 * The content hash rests on the bytes that are written: what could be asked before must be written
 * as before, else USHER_CODEC_VERSION must change. A new field stands behind the old ones and is
 * left out where it is absent, so that it changes no old bytes.
 */
#include "producer/codec/request_fields.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/definition_fields.h"
#include "producer/codec/message_append.h"
#include "producer/codec/message_parse.h"

/* ==== Tables ==== */

#define OP(name) MESSAGE_OP(name)
#define KIND(name) MESSAGE_KIND(name)

/* The flag of an option, what its value is called, and its help by operation. */
#define OPTION(flag_, value_, ...)                                  \
    .option = &(const struct message_option)                        \
    {                                                               \
        .flag = (flag_), .value = (value_), .help = { __VA_ARGS__ } \
    }

/* The operations that begin a booking; those on one; those of them that take all of a cart. */
#define BEGIN (OP(HOLD) | OP(BOOK))
#define ON_SOLD (OP(RELEASE) | OP(CANCEL) | OP(EXCHANGE) | OP(TRANSFER))
#define ON_HELD (OP(CONFIRM) | OP(EXTEND))
#define OF_CARTS (OP(RELEASE) | OP(CANCEL) | ON_HELD)

/* Those that may name some of the units of a booking. */
#define PICK (OP(CONFIRM) | OP(TRANSFER))

/* Those that may go beyond what is left, and leave less than is taken. */
#define OVERBOOK (BEGIN | OP(BLOCK) | OP(EXCHANGE) | OP(CONFIRM) | OP(DEFINE))

#define IN_REQUEST(member) offsetof(struct usher_request, member)

/* clang-format off */
static const struct message_field request_fields[] = {
    {"request_id", MESSAGE_ID, IN_REQUEST(request_id), .max = USHER_ID_MAX,
     .needed_by = MESSAGE_ANY,
     OPTION("request-id", "ID", {MESSAGE_ANY, "idempotency key (default: a new UUID)"})},
    {"op", MESSAGE_WORD, IN_REQUEST(op), .words = &op_words},
    {"resource", MESSAGE_ID, IN_REQUEST(resource), .max = USHER_ID_MAX, .needed_by = MESSAGE_ANY},
    {"client", MESSAGE_NAME, IN_REQUEST(client), .max = USHER_ID_MAX,
     OPTION("client", "NAME", {MESSAGE_ANY, "the sending service, echoed in the answer"})},
    {"customer", MESSAGE_NAME, IN_REQUEST(customer), .max = USHER_ID_MAX,
     .needed_by = BEGIN | ON_HELD | ON_SOLD | OP(LEAVE), .or_else = ON_SOLD,
     OPTION("customer", "ID",
            {BEGIN, "who the booking belongs to"},
            {ON_HELD | ON_SOLD | OP(LEAVE), "the owner"},
            {OP(PROBE), "the owner of the booking or cart that is asked about"})},
    {"booking", MESSAGE_ID, IN_REQUEST(booking), .max = USHER_ID_MAX,
     .needed_by = ON_HELD | ON_SOLD | OP(LEAVE) | OP(UNBLOCK), .or_else = OF_CARTS,
     OPTION("booking", "ID",
            {ON_HELD, "request id of the hold"},
            {ON_SOLD, "request id of the hold or book"},
            {OP(LEAVE), "request id of the hold that waits"},
            {OP(UNBLOCK), "request id of the block"},
            {OP(PROBE), "instead of what is free: this booking, by the request id that made it"})},
    {"items", MESSAGE_PARTS, IN_REQUEST(items), IN_REQUEST(item_count), .max = USHER_ITEMS_MAX,
     .of = &item_table, .needed_by = BEGIN | OP(EXCHANGE) | OP(BLOCK),
     .only = BEGIN | OP(EXCHANGE) | OP(BLOCK) | PICK | OP(PROBE)},
    {"ttl_s", MESSAGE_SECONDS, IN_REQUEST(ttl_s), .min = 1, .max = USHER_TTL_MAX,
     .needed_by = OP(EXTEND),
     OPTION("ttl", NULL,
            {OP(HOLD), "how long to hold, such as 15m (default: that of the resource)"},
            {OP(EXTEND), "how long from now, such as 15m; a hold never becomes shorter"})},
    {"deadline", MESSAGE_INSTANT, IN_REQUEST(deadline_ms), .min = 1,
     OPTION("deadline", "INSTANT|TIME",
            {MESSAGE_ANY, "the request is refused if it is decided later: an instant, or 5s from now"})},
    {"cart", MESSAGE_NAME, IN_REQUEST(cart), .max = USHER_ID_MAX,
     OPTION("cart", "NAME",
            {BEGIN, "cart that the booking belongs to"},
            {ON_HELD, "in place of --booking: all holds of this cart"},
            {OF_CARTS & ~ON_HELD, "in place of --booking: all of this cart"},
            {OP(PROBE), "in place of --booking: all of this cart; restarts its holds"})},
    {"payment", MESSAGE_LABEL, IN_REQUEST(payment), .min = 1, .max = USHER_PAYMENT_MAX,
     OPTION("payment", "TEXT", {OP(BOOK) | OP(CONFIRM), "reference kept with the booking"})},
    {"force", MESSAGE_FLAG, IN_REQUEST(force),
     OPTION("force", NULL,
            {BEGIN, "the house sells units that are over (after closes_at or ends_at, nights before today) and "
             "stays that are restricted, and holds up to house_hold_total_s of the limits"},
            {OP(EXTEND), "the house extends, up to house_hold_total_s of the limits"},
            {ON_SOLD, "the house acts: no customer needed"},
            {OP(CONFIRM) | OP(BLOCK) | OP(DEFINE), "the house acts: needed by --overbook"})},
    {"note", MESSAGE_TEXT, IN_REQUEST(note), .max = USHER_TEXT_MAX,
     OPTION("note", "TEXT",
            {OP(RELEASE) | OP(CANCEL) | OP(LEAVE) | OP(UNBLOCK), "why: the answer repeats it"},
            {BEGIN, "kept with the booking, for the house to read"},
            {OP(BLOCK) | OP(OPEN) | OP(CLOSE), "why"})},
    {"meta", MESSAGE_OBJECT, IN_REQUEST(meta), .max = USHER_META_MAX,
     OPTION("meta", "JSON", {BEGIN, "an object kept with the booking"})},
    {"shortage", MESSAGE_WORD, IN_REQUEST(shortage), .words = &shortage_words,
     .only = BEGIN | OP(BLOCK),
     OPTION("shortage", NULL,
            {BEGIN | OP(BLOCK), "if not enough are left: all or nothing (all, the default), or as many as possible (partial)"})},
    {"wait_until", MESSAGE_INSTANT, IN_REQUEST(wait_until_ms), .min = 1, .only = OP(HOLD),
     OPTION("wait-until", "INSTANT",
            {OP(HOLD), "if not enough are left: join the waiting list until then, such as "
             "2026-12-24T12:00:00Z or +2h"})},
    {"return_at", MESSAGE_INSTANT, IN_REQUEST(return_at_ms), .min = 1, .only = OP(BLOCK),
     OPTION("return-at", "INSTANT",
            {OP(BLOCK), "when unsold units go back on sale by themselves, as 2026-12-24T12:00:00Z or "
             "+2d"})},
    {"from_block", MESSAGE_ID, IN_REQUEST(from_block), .max = USHER_ID_MAX, .only = BEGIN,
     OPTION("from-block", "ID",
            {BEGIN, "take the units out of this block, to which they do not go back"})},
    {"to_customer", MESSAGE_NAME, IN_REQUEST(to_customer), .max = USHER_ID_MAX,
     .needed_by = OP(TRANSFER), .only = OP(TRANSFER),
     OPTION("to", "ID", {OP(TRANSFER), "the new owner"})},
    {"cancel_bookings", MESSAGE_FLAG, IN_REQUEST(cancel_bookings), .only = OP(CLOSE),
     OPTION("cancel-bookings", NULL,
            {OP(CLOSE), "also cancel every booking; each gets an answer with the note"})},
    {"only", MESSAGE_WORD, IN_REQUEST(only), .words = &only_words, .only = OP(DEFINE)},
    {"from_hold", MESSAGE_ID, IN_REQUEST(from_hold), .max = USHER_ID_MAX, .only = OP(EXCHANGE),
     OPTION("from-hold", "ID",
            {OP(EXCHANGE), "take the new units out of this hold of the customer, and release it"})},
    {"overbook", MESSAGE_FLAG, IN_REQUEST(overbook), .only = OVERBOOK,
     OPTION("overbook", NULL,
            {BEGIN | OP(BLOCK) | OP(EXCHANGE), "with --force: take rooms, places or pieces though too few are left"},
            {OP(CONFIRM), "with --force: sell what expired though too few are left"},
            {OP(DEFINE), "with --force: leave fewer than are taken"})},
};
/* clang-format on */

enum {
    FRAME_SIZE = 5,      /* of a schema registry */
    IDENTITY_FIELDS = 4, /* the first of request_fields: what an `invalid` answer echoes */
};

/*
 * The operations that leave the choice of seats to usher; those whose items name units; those of
 * them that have options for nights: transfer has another --to.
 */
#define CHOOSE (BEGIN | OP(EXCHANGE) | OP(BLOCK))
#define TAKE (CHOOSE | PICK)
#define TAKE_NIGHTS (TAKE & ~OP(TRANSFER))

#define IN_ITEM(member) offsetof(struct usher_item, member)

/* The same with the heading that the option stands under. */
#define ITEM_OPTION(flag_, heading_, value_, ...)                                          \
    .option = &(const struct message_option)                                               \
    {                                                                                      \
        .flag = (flag_), .heading = (heading_), .value = (value_), .help = { __VA_ARGS__ } \
    }

static const char of_items[] = "Items", of_price[] = "Price", of_choice[] = "Choice of seats";

#define IN_MEMBER(member) offsetof(struct usher_member, member)

/* clang-format off */
static const struct message_field member_fields[] = {
    {"quantity", MESSAGE_COUNT, IN_MEMBER(quantity), .min = 1, .max = USHER_UNITS_MAX,
     .needed = true},
    {"rate", MESSAGE_NAME, IN_MEMBER(rate), .max = USHER_NAME_MAX},
    {"features", MESSAGE_TEXTS, IN_MEMBER(features), IN_MEMBER(feature_count),
     .max = USHER_CHOICES_MAX, .each = MESSAGE_NAME},
};
/* clang-format on */

const struct message_table member_table = {
    .fields = member_fields,
    .count = MESSAGE_COUNT_OF(member_fields),
    .size = sizeof(struct usher_member),
};

/* clang-format off */
static const struct message_field item_fields[] = {
    {"seats", MESSAGE_TEXTS, IN_ITEM(seats), IN_ITEM(seat_count), .min = 1, .max = USHER_UNITS_MAX,
     .each = MESSAGE_NAME, .kinds = KIND(SEATS), .only = TAKE,
     ITEM_OPTION("seats", of_items, "NAME,...",
            {TAKE, "begins an item: these seats, as B-5,B-6 or B-5..B-8; not beside --section, "
             "which begins another"})},
    {"section", MESSAGE_POOL, IN_ITEM(pool), .max = USHER_NAME_MAX, .kinds = KIND(SECTION),
     ITEM_OPTION("section", of_items, "NAME",
            {TAKE, "begins an item: units of this section, as many as --quantity says"},
            {OP(PROBE), "this section"})},
    {"sections", MESSAGE_TEXTS, IN_ITEM(sections), IN_ITEM(section_count), .max = USHER_CHOICES_MAX,
     .each = MESSAGE_POOL, .kinds = KIND(SECTION), .only = CHOOSE,
     ITEM_OPTION("sections", of_choice, "NAME,...",
            {CHOOSE, "begins an item: seats of one of these sections, the first that can serve "
             "it"})},
    {"product", MESSAGE_POOL, IN_ITEM(pool), .max = USHER_NAME_MAX, .kinds = KIND(PRODUCT),
     ITEM_OPTION("product", of_items, "NAME",
            {TAKE, "begins an item: a product"},
            {OP(PROBE), "this product"})},
    {"room", MESSAGE_POOL, IN_ITEM(pool), .max = USHER_NAME_MAX, .kinds = KIND(ROOM),
     ITEM_OPTION("room", of_items, "TYPE",
            {TAKE_NIGHTS, "begins an item: rooms of this type, with --from and --to"},
            {OP(PROBE), "rooms of this type, with --from and --to"})},
    {"from", MESSAGE_NIGHT, IN_ITEM(from), IN_ITEM(to), .kinds = KIND(ROOM),
     ITEM_OPTION("from", of_items, "DATE",
            {TAKE_NIGHTS | OP(PROBE), "first night of the room before, as 2026-12-24"})},
    {"to", MESSAGE_NIGHT, IN_ITEM(to), IN_ITEM(to), .kinds = KIND(ROOM),
     ITEM_OPTION("to", of_items, "DATE",
            {TAKE_NIGHTS, "day of departure of the room before"},
            {OP(PROBE), "day after the last night of the room before"})},
    {"quantity", MESSAGE_COUNT, IN_ITEM(quantity), .min = 1, .max = USHER_UNITS_MAX,
     .kinds = KIND(SECTION) | KIND(ROOM) | KIND(PRODUCT),
     ITEM_OPTION("quantity", of_items, "N", {TAKE, "quantity of the preceding item (default: 1)"})},
    {"together", MESSAGE_FLAG, IN_ITEM(together), .kinds = KIND(SECTION),
     ITEM_OPTION("together", of_choice, NULL,
            {CHOOSE, "of the section before: side by side or not at all"})},
    {"rate", MESSAGE_NAME, IN_ITEM(rate), .max = USHER_NAME_MAX,
     ITEM_OPTION("rate", of_price, "NAME",
            {TAKE & ~OP(BLOCK), "rate of the preceding item, such as adult (default: standard, "
             "else the first that is on sale and has room)"},
            {OP(PROBE), "rate of the stay before: its restrictions apply"})},
    {"features", MESSAGE_TEXTS, IN_ITEM(features), IN_ITEM(feature_count), .max = USHER_CHOICES_MAX,
     .each = MESSAGE_NAME, .only = CHOOSE,
     ITEM_OPTION("features", of_choice, "NAME,...",
            {CHOOSE, "of the section before: seats that have all of these, as accessible"})},
    {"avoid", MESSAGE_TEXTS, IN_ITEM(avoid), IN_ITEM(avoid_count), .max = USHER_CHOICES_MAX,
     .each = MESSAGE_NAME, .only = CHOOSE,
     ITEM_OPTION("avoid", of_choice, "NAME,...",
            {CHOOSE, "of the section before: no seat that has one of these, as restricted_view"})},
    {"members", MESSAGE_PARTS, IN_ITEM(members), IN_ITEM(member_count), .min = 1,
     .max = USHER_MEMBERS_MAX, .of = &member_table, .kinds = KIND(SECTION) | KIND(PRODUCT),
     .only = CHOOSE,
     ITEM_OPTION("party", of_items, "MEMBERS",
            {CHOOSE, "of the section or product before, in place of --quantity, --rate and "
             "--features: how many people at which rate, and the features that they need, as "
             "adult:2+child:1+adult:1@accessible"})},
};
/* clang-format on */

/* Rows of item_fields, as bits of what was given. */
enum {
    AT_SEATS,
    AT_SECTION,
    AT_SECTIONS,
    AT_PRODUCT,
    AT_ROOM,
    AT_FROM,
    AT_TO,
    AT_QUANTITY,
};

/* ==== Items ==== */

static const char of_sections_only[] = "only allowed with a quantity of a section";

/* What the item is of, by the one field that says so. */
static enum usher_status kind_of(const struct message_reader *reader,
                                 const struct message_object *object, struct usher_item *item)
{
    static const struct {
        int row;
        enum usher_kind kind;
    } kinds[] = {{AT_SEATS, USHER_SEATS},
                 {AT_SECTION, USHER_SECTION},
                 {AT_ROOM, USHER_ROOM},
                 {AT_PRODUCT, USHER_PRODUCT},
                 {AT_SECTIONS, USHER_SECTION}};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *name = item_fields[kinds[i].row].name;
        bool is_named = message_value(object, kinds[i].row) &&
                        (kinds[i].row != AT_SECTIONS || item->section_count > 0);
        if (is_named && found)
            return message_fail(reader, object->place, NULL, "has both \"%s\" and \"%s\"", found,
                                name);
        if (!is_named)
            continue;
        found = name;
        item->kind = kinds[i].kind;
    }
    if (!found)
        return message_fail(reader, object->place, NULL, "has no seats, section, room or product");
    return USHER_OK;
}

static enum usher_status nights_check(const struct message_reader *reader,
                                      const struct message_object *object,
                                      const struct usher_item *item)
{
    const struct message_place *place = object->place;
    int64_t nights = (int64_t)item->to - item->from;
    if (item->kind != USHER_ROOM) {
        if (!message_value(object, AT_FROM) && !message_value(object, AT_TO))
            return USHER_OK;
        return message_fail(reader, place, message_value(object, AT_FROM) ? "from" : "to",
                            "only allowed with a room");
    }
    if (!message_value(object, AT_FROM) || !message_value(object, AT_TO))
        return message_missing(reader, place, message_value(object, AT_FROM) ? "to" : "from");
    if (nights <= 0)
        return message_clash(reader, place, MESSAGE_NOT_BEFORE, "from", "to");
    if (nights > USHER_NIGHTS_MAX)
        return message_too_many(reader, place, "to",
                                (struct message_count){nights, "nights", USHER_NIGHTS_MAX});
    return USHER_OK;
}

static enum usher_status seats_check(const struct message_reader *reader,
                                     const struct message_object *object, struct usher_item *item)
{
    if (message_value(object, AT_QUANTITY) && item->quantity != item->seat_count) {
        return message_fail(reader, object->place, "quantity",
                            "%u is not the number of seats named, %u", item->quantity,
                            item->seat_count);
    }
    item->quantity = item->seat_count;
    return USHER_OK;
}

/* Those that a party lists say what the item would say of all of it. */
static enum usher_status members_check(const struct message_reader *reader,
                                       const struct message_object *object, struct usher_item *item)
{
    const struct message_place *place = object->place;
    uint32_t quantity = 0;
    if (item->member_count == 0)
        return USHER_OK;
    if (item->kind != USHER_SECTION && item->kind != USHER_PRODUCT)
        return message_fail(reader, place, "members",
                            "only allowed with a quantity of a section or product");
    if (item->rate || item->feature_count > 0)
        return message_clash(reader, place, MESSAGE_CONFLICT, item->rate ? "rate" : "features",
                             "members");
    for (uint32_t i = 0; i < item->member_count; i++) {
        const struct message_place at = {place, "members", i};
        quantity += item->members[i].quantity;
        if (item->kind != USHER_SECTION && item->members[i].feature_count > 0)
            return message_fail(reader, &at, "features", of_sections_only);
    }
    if (quantity > USHER_UNITS_MAX)
        return message_too_many(reader, place, "members",
                                (struct message_count){quantity, "units", USHER_UNITS_MAX});
    if (message_value(object, AT_QUANTITY) && item->quantity != quantity)
        return message_fail(reader, place, "quantity", "%u is not the sum of the members, %u",
                            item->quantity, quantity);
    item->quantity = quantity;
    return USHER_OK;
}

/* By itself: what its request does with it is checked when the operation is known. */
static enum usher_status item_check(const struct message_reader *reader,
                                    const struct message_object *object, void *out)
{
    struct usher_item *item = out;
    enum usher_status status = kind_of(reader, object, item);
    if (status != USHER_OK)
        return status;
    if (item->kind != USHER_SECTION && item->feature_count + item->avoid_count > 0)
        return message_fail(reader, object->place, item->feature_count > 0 ? "features" : "avoid",
                            of_sections_only);
    item->together = item->together && item->kind == USHER_SECTION;
    status = members_check(reader, object, item);
    if (status == USHER_OK)
        status = nights_check(reader, object, item);
    return status == USHER_OK && item->kind == USHER_SEATS ? seats_check(reader, object, item)
                                                           : status;
}

static uint32_t item_kinds(const void *object)
{
    const struct usher_item *item = object;
    return item->kind <= USHER_PRODUCT ? 1U << item->kind : 0; /* no kind is refused */
}

const struct message_table item_table = {
    .fields = item_fields,
    .count = MESSAGE_COUNT_OF(item_fields),
    .size = sizeof(struct usher_item),
    .kinds = item_kinds,
    .check = item_check,
};

/* ---- all items ---- */

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static enum usher_status names_check(const struct message_reader *reader,
                                     const struct usher_request *request, size_t seat_count)
{
    const char **seats = usher_arena_alloc(reader->arena, seat_count * sizeof *seats);
    size_t count = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct usher_item *item = &request->items[i];
        for (uint32_t seat = 0; seat < item->seat_count; seat++)
            seats[count++] = item->seats[seat];
    }
    qsort(seats, count, sizeof *seats, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(seats[i - 1], seats[i]) == 0)
            return message_duplicate(reader, NULL, "items", "seat", seats[i]);
    return USHER_OK;
}

static enum usher_status totals_check(const struct message_reader *reader,
                                      const struct usher_request *request)
{
    int64_t units = 0;
    size_t seats = 0;
    uint32_t needs = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct usher_item *item = &request->items[i];
        int64_t nights = item->kind == USHER_ROOM ? item->to - item->from : 1;
        units += (int64_t)item->quantity * nights;
        seats += item->seat_count;
        for (uint32_t member = 0; member < item->member_count; member++)
            needs += item->members[member].feature_count > 0;
    }
    if (needs > USHER_NEEDS_MAX)
        return message_too_many(
            reader, NULL, "items",
            (struct message_count){needs, "members with features", USHER_NEEDS_MAX});
    if (units > USHER_UNITS_MAX) {
        return message_too_many(reader, NULL, "items",
                                (struct message_count){units, "units", USHER_UNITS_MAX});
    }
    return seats > 1 ? names_check(reader, request, seats) : USHER_OK;
}

/* Some ops select units that the booking already has, a probe takes none: no choice is left. */
static enum usher_status choice_check(const struct message_reader *reader,
                                      const struct message_place *place, enum usher_op op,
                                      const struct usher_item *item)
{
    for (size_t i = 0; i < MESSAGE_COUNT_OF(item_fields); i++) {
        const struct message_field *field = &item_fields[i];
        if (field->only == 0 || (field->only >> op & 1U) != 0 ||
            !message_field_is_given(field, item))
            continue;
        return op == USHER_OP_PROBE ? message_fail(reader, place, field->name,
                                                   "a probe names a section, room or product")
                                    : message_fail(reader, place, field->name,
                                                   "not allowed: a %s selects units of its booking",
                                                   usher_op_name(op));
    }
    return item->quantity == 0 ? message_missing(reader, place, "quantity") : USHER_OK;
}

enum usher_status request_check_items(const struct message_reader *reader,
                                      const struct usher_request *request)
{
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct message_place place = {NULL, "items", i};
        enum usher_status status = choice_check(reader, &place, request->op, &request->items[i]);
        if (status != USHER_OK)
            return status;
    }
    return totals_check(reader, request);
}

/* ==== Requests ==== */

/* ---- what an operation needs and refuses ---- */

static bool is_of(uint32_t ops, const struct usher_request *request)
{
    assert(request->op < USHER_OP_COUNT);
    return (ops >> request->op & 1U) != 0;
}

static bool is_missing(const struct message_field *field, const struct usher_request *request)
{
    if (!is_of(field->needed_by, request) || message_field_is_given(field, request))
        return false;
    if (!is_of(field->or_else, request))
        return true;
    return field->offset == IN_REQUEST(booking) ? !request->cart : !request->force;
}

const struct message_field *request_missing(const struct usher_request *request)
{
    for (size_t i = 0; i < MESSAGE_COUNT_OF(request_fields); i++)
        if (is_missing(&request_fields[i], request))
            return &request_fields[i];
    return NULL;
}

static enum usher_status missing_fail(const struct message_reader *reader,
                                      const struct message_field *field,
                                      const struct usher_request *request)
{
    const char *op = usher_op_name(request->op);
    if (field->offset == IN_REQUEST(booking) && is_of(field->or_else, request))
        return message_fail(reader, NULL, "booking",
                            "missing, required by op \"%s\" unless a \"cart\" is given", op);
    bool is_empty = field->offset == IN_REQUEST(items) && request->items;
    return message_op_fault(reader, is_empty ? MESSAGE_EMPTY : MESSAGE_MISSING, field->name, op);
}

/* An op refuses what it would not carry out: ignoring a condition would sell wrongly. */
static enum usher_status fields_check(const struct message_reader *reader, uint64_t given,
                                      const struct usher_request *request)
{
    for (size_t i = 0; i < MESSAGE_COUNT_OF(request_fields); i++, given >>= 1) {
        const struct message_field *field = &request_fields[i];
        if (is_of(field->needed_by, request) && is_missing(field, request))
            return missing_fail(reader, field, request);
        if ((given & 1U) != 0 && field->only != 0 && !is_of(field->only, request) &&
            message_field_is_given(field, request))
            return message_op_fault(reader, MESSAGE_NOT_ALLOWED, field->name,
                                    usher_op_name(request->op));
    }
    return USHER_OK;
}

/* What fields do to each other. */
static enum usher_status pairs_check(const struct message_reader *reader,
                                     const struct usher_request *request)
{
    bool is_probe = is_of(OP(PROBE), request);
    bool is_of_cart =
        !request->booking && (is_of(OF_CARTS, request) || (is_probe && request->cart));
    if (is_of_cart && !request->customer)
        return message_fail(reader, NULL, "customer", "missing, required by \"cart\"");
    if (is_probe && request->item_count > 0 && (request->booking || request->cart))
        return message_clash(reader, NULL, MESSAGE_CONFLICT, "items",
                             request->booking ? "booking" : "cart");
    if (is_of_cart && request->item_count > 0)
        return message_fail(reader, NULL, "items", "only allowed with a \"booking\"");
    if (request->from_hold && request->booking && strcmp(request->from_hold, request->booking) == 0)
        return message_fail(reader, NULL, "from_hold", "is the booking itself");
    if (request->wait_until_ms != 0 && request->from_block)
        return message_clash(reader, NULL, MESSAGE_CONFLICT, "wait_until", "from_block");
    if (request->overbook && !request->force)
        return message_fail(reader, NULL, "overbook", "only allowed with \"force\"");
    return USHER_OK;
}

/* ---- all of it ---- */

/* A probe takes nothing: it names one of each. */
static void probe_items(struct usher_request *request)
{
    struct usher_item *items = (struct usher_item *)(uintptr_t)request->items;
    for (uint32_t i = 0; i < request->item_count; i++)
        if (items[i].quantity == 0)
            items[i].quantity = 1;
}

/* The root of a define is read by two tables: what neither knows is ignored. */
static enum usher_status define_read(const struct message_reader *reader, yyjson_val *root,
                                     struct usher_request *request)
{
    const struct message_reader of_define = {reader->arena, reader->fault, reader->ignored,
                                             &request_table};
    struct usher_definition *definition = usher_arena_alloc(reader->arena, sizeof *definition);
    request->definition = definition;
    reader->ignored->count = 0;
    return definition_read(&of_define, root, definition);
}

static enum usher_status request_check(const struct message_reader *reader,
                                       const struct message_object *object, void *out)
{
    struct usher_request *request = out;
    if (request->op == USHER_OP_NONE)
        return message_missing(reader, NULL, "op");
    enum usher_status status = fields_check(reader, object->given, request);
    if (status == USHER_OK)
        status = pairs_check(reader, request);
    if (status == USHER_OK && request->op == USHER_OP_PROBE)
        probe_items(request);
    if (status == USHER_OK && request->item_count > 0)
        status = request_check_items(reader, request);
    if (status == USHER_OK && request->op == USHER_OP_DEFINE)
        status = define_read(reader, object->value, request);
    return status;
}

const struct message_table request_table = {
    .fields = request_fields,
    .count = MESSAGE_COUNT_OF(request_fields),
    .size = sizeof(struct usher_request),
    .check = request_check,
};

static void ignored_put(const struct message_reader *reader, struct usher_request *request)
{
    const struct message_ignored *ignored = reader->ignored;
    if (ignored->count == 0)
        return;
    const char **names = usher_arena_alloc(reader->arena, ignored->count * sizeof *names);
    memcpy(names, ignored->names, ignored->count * sizeof *names);
    request->ignored = names;
    request->ignored_count = ignored->count;
}

static enum usher_status root_read(const struct message_reader *reader, yyjson_val *root,
                                   size_t size, struct usher_request *request)
{
    enum usher_status status = message_read_object(reader, NULL, root, &request_table, request);
    if (status == USHER_OK && size > USHER_REQUEST_SIZE_MAX && request->op != USHER_OP_DEFINE) {
        status = message_too_many(
            reader, NULL, NULL,
            (struct message_count){(int64_t)size, "bytes", USHER_REQUEST_SIZE_MAX});
    }
    if (status == USHER_OK)
        ignored_put(reader, request);
    return status;
}

/* Whether the object has a text of that name, once. Others cannot be told apart from no text. */
static bool is_there_once(yyjson_val *root, const char *name)
{
    size_t at, count, found = 0;
    yyjson_val *key, *value;
    yyjson_obj_foreach(root, at, count, key, value) {
        if (!yyjson_equals_str(key, name))
            continue;
        found++;
        if (!yyjson_is_str(value) || memchr(yyjson_get_str(value), '\0', yyjson_get_len(value)))
            return false;
    }
    return found == 1;
}

/* What an `invalid` answer says of its request: each field by itself, the bad ones left out. */
static void salvage(struct usher_arena *arena, yyjson_val *root, struct usher_request *request)
{
    const struct message_reader silent = {.arena = arena};
    memset(request, 0, sizeof *request);
    for (size_t i = 0; i < IDENTITY_FIELDS; i++) {
        const struct message_table one = {.fields = &request_fields[i], .count = 1};
        if (!is_there_once(root, request_fields[i].name) ||
            message_read_fields(&silent, NULL, root, &one, request) != USHER_OK)
            continue; /* a bad value leaves NULL behind */
    }
}

/* The same of text that is no JSON. */
static void salvage_text(const char *data, size_t size, struct usher_arena *arena,
                         struct usher_request *request)
{
    const struct message_reader silent = {.arena = arena};
    const char *names[IDENTITY_FIELDS + 1] = {NULL};
    struct usher_buffer json = {0};
    struct message_tree tree;
    for (size_t i = 0; i < IDENTITY_FIELDS; i++)
        names[i] = request_fields[i].name;
    message_mend(data, size, names, &json);
    (void)!message_parse(&silent, json.at, json.size, &tree); /* a name may be there twice */
    salvage(arena, tree.root, request);
    message_tree_close(&tree);
    usher_buffer_deinit(&json);
}

/* ---- the framing of a schema registry: a zero, 4 bytes for the schema's number, the value ---- */

static bool is_framed(const char *data, size_t size)
{
    return size > FRAME_SIZE && data[0] == '\0';
}

/* A serializer of JSON Schema writes an object behind it; one of Avro or Protobuf does not. */
static bool is_framed_json(const char *data, size_t size)
{
    size_t at = FRAME_SIZE;
    while (at < size && strchr(" \t\r\n", data[at]) && data[at] != '\0')
        at++;
    return at < size && data[at] == '{';
}

/* ---- the request ---- */

enum usher_status request_decode(const void *data, size_t size, struct usher_arena *arena,
                                 struct usher_request *request, struct message_fault *fault)
{
    struct message_ignored ignored;
    const struct message_reader reader = {arena, fault, &ignored, NULL};
    ignored.count = 0;
    memset(request, 0, sizeof *request);
    if (size > USHER_DEFINE_SIZE_MAX) {
        salvage_text(data, USHER_DEFINE_SIZE_MAX, arena, request);
        return message_too_many(
            &reader, NULL, NULL,
            (struct message_count){(int64_t)size, "bytes", USHER_DEFINE_SIZE_MAX});
    }
    if (is_framed(data, size)) {
        if (!is_framed_json(data, size))
            return message_fail(&reader, NULL, NULL,
                                "looks like Schema Registry framing: publish "
                                "plain JSON");
        data = (const char *)data + FRAME_SIZE;
        size -= FRAME_SIZE;
    }
    struct message_tree tree;
    enum usher_status status = message_parse(&reader, data, size, &tree);
    if (status == USHER_OK) {
        status = root_read(&reader, tree.root, size, request);
        if (status != USHER_OK)
            salvage(arena, tree.root, request);
    } else if (tree.root) {
        salvage(arena, tree.root, request);
    } else {
        salvage_text(data, size, arena, request);
    }
    message_tree_close(&tree);
    return status;
}

enum usher_status usher_request_decode(const void *data, size_t size, struct usher_arena *arena,
                                       struct usher_request *request, struct usher_error *err)
{
    struct message_fault fault = {0};
    enum usher_status status = request_decode(data, size, arena, request, &fault);
    return message_fault_report(arena, &fault, status, err);
}

void usher_request_encode(const struct usher_request *request, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "{");
    message_append_fields(out, &request_table, request);
    if (request->definition)
        message_append_fields(out, &definition_table, request->definition);
    MESSAGE_LITERAL(out, "}");
}
