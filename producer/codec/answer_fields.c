/*
 * The fields of an answer and of the objects in it, one row each: what reads them and writes them.
 * Absent fields are left out, and the order is fixed: equal answers are equal bytes. The reader is
 * lenient, as the contract asks of clients.
 *
 * A decision stores the body. The envelope is put around the body each time that the answer is
 * sent. A new field of the body has its row where its bytes should be.
 */
#include "producer/codec/answer_fields.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/message_append.h"
#include "producer/codec/message_parse.h"

#define KIND(name) MESSAGE_KIND(name)
#define COUNTED (KIND(SECTION) | KIND(PRODUCT))
#define ALWAYS MESSAGE_ALWAYS

#define ANY_SIZE .max = INT64_MAX
#define ANY_INTEGER .min = INT64_MIN, .max = INT64_MAX

/* Of an integer or an instant that may be missing. */
#define OR_ABSENT .absent = USHER_ABSENT

/* ==== Units ==== */

static enum usher_status tokens_read(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *list, void *out)
{
    struct usher_units *units = out;
    size_t at, count;
    yyjson_val *value;
    int32_t *tokens = usher_arena_alloc(reader->arena, yyjson_arr_size(list) * sizeof *tokens);
    yyjson_arr_foreach(list, at, count, value) {
        int64_t token = yyjson_get_sint(value);
        if (!yyjson_is_int(value) || token < 0 || token > INT32_MAX)
            return message_fail(reader, place, field->name, "not an array of tokens");
        tokens[at] = (int32_t)token;
    }
    units->tokens = tokens;
    units->quantity = (uint32_t)yyjson_arr_size(list);
    return USHER_OK;
}

static void tokens_append(struct usher_buffer *out, const struct message_field *field,
                          const void *object)
{
    const struct usher_units *units = object;
    (void)field;
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < units->quantity; i++) {
        message_append_comma(out, i);
        usher_buffer_number(out, units->tokens[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

static const struct message_own own_tokens = {.read = tokens_read, .append = tokens_append};

/* Rows of units_fields that say what the units are. */
enum {
    UNITS_SECTION = 1,
    UNITS_ROOM,
    UNITS_PRODUCT,
    UNITS_SEATS,
    UNITS_NIGHT = 6,
    UNITS_TOKENS,
};

#define IN_UNITS(member) offsetof(struct usher_units, member)

/* clang-format off */
static const struct message_field units_fields[] = {
    {"item", MESSAGE_COUNT, IN_UNITS(item), .max = USHER_ITEMS_MAX - 1, .kinds = ALWAYS},
    [UNITS_SECTION] = {"section", MESSAGE_TEXT, IN_UNITS(pool), ANY_SIZE,
     .kinds = KIND(SEATS) | KIND(SECTION)},
    [UNITS_ROOM] = {"room", MESSAGE_TEXT, IN_UNITS(pool), ANY_SIZE, .kinds = KIND(ROOM)},
    [UNITS_PRODUCT] = {"product", MESSAGE_TEXT, IN_UNITS(pool), ANY_SIZE, .kinds = KIND(PRODUCT)},
    [UNITS_SEATS] = {"seats", MESSAGE_TEXTS, IN_UNITS(seats), IN_UNITS(quantity),
     .max = USHER_UNITS_MAX, .each = MESSAGE_TEXT, .kinds = KIND(SEATS) | ALWAYS},
    {"places", MESSAGE_TEXTS, IN_UNITS(places), IN_UNITS(quantity), .max = USHER_UNITS_MAX,
     .each = MESSAGE_TEXT, .kinds = KIND(SEATS), .parallel = true},
    [UNITS_NIGHT] = {"night", MESSAGE_NIGHT, IN_UNITS(night), .kinds = KIND(ROOM) | ALWAYS},
    [UNITS_TOKENS] = {"tokens", MESSAGE_OWN, IN_UNITS(tokens), .max = USHER_UNITS_MAX,
     .own = &own_tokens, .kinds = KIND(ROOM) | ALWAYS},
    {"quantity", MESSAGE_COUNT, IN_UNITS(quantity), .max = USHER_UNITS_MAX,
     .kinds = COUNTED | ALWAYS},
    {"price", MESSAGE_INTEGER, IN_UNITS(price), ANY_INTEGER, OR_ABSENT},
    {"rate", MESSAGE_TEXT, IN_UNITS(rate), ANY_SIZE},
    {"booking", MESSAGE_TEXT, IN_UNITS(booking), ANY_SIZE},
    {"together", MESSAGE_WHETHER, IN_UNITS(together), .loose = true},
    {"member", MESSAGE_INTEGER, IN_UNITS(member), .max = USHER_MEMBERS_MAX - 1, OR_ABSENT},
};
/* clang-format on */

static uint32_t units_kinds(const void *object)
{
    return 1U << ((const struct usher_units *)object)->kind;
}

/* Units without a pool are of a kind that is not known here. */
static enum usher_status units_check(const struct message_reader *reader,
                                     const struct message_object *object, void *out)
{
    struct usher_units *units = out;
    yyjson_val *section = message_value(object, UNITS_SECTION);
    yyjson_val *room = message_value(object, UNITS_ROOM);
    yyjson_val *product = message_value(object, UNITS_PRODUCT);
    if (section && message_value(object, UNITS_SEATS))
        units->kind = USHER_SEATS;
    else if (room && message_value(object, UNITS_NIGHT) && message_value(object, UNITS_TOKENS))
        units->kind = USHER_ROOM;
    else
        units->kind = product ? USHER_PRODUCT : USHER_SECTION;
    units->pool = yyjson_get_str(units->kind == USHER_ROOM      ? room
                                 : units->kind == USHER_PRODUCT ? product
                                                                : section);
    return message_read_lists(reader, object, units_kinds(units), out);
}

static const struct message_table units_table = {
    .fields = units_fields,
    .count = MESSAGE_COUNT_OF(units_fields),
    .size = sizeof(struct usher_units),
    .kinds = units_kinds,
    .lenient = true,
    .named_by = IN_UNITS(pool),
    .check = units_check,
};

/* ==== Restricted stays ==== */

#define IN_RESTRICTED(member) offsetof(struct usher_restricted, member)

/* clang-format off */
static const struct message_field restricted_fields[] = {
    {"rule", MESSAGE_WORD, IN_RESTRICTED(rule), .words = &stay_rule_words, .loose = true},
    {"date", MESSAGE_NIGHT, IN_RESTRICTED(date), .beside = IN_RESTRICTED(date)},
    {"nights", MESSAGE_COUNT, IN_RESTRICTED(nights), .max = USHER_NIGHTS_MAX},
    {"next", MESSAGE_NIGHT, IN_RESTRICTED(next), .beside = IN_RESTRICTED(next)},
};
/* clang-format on */

static const struct message_table restricted_table = {
    .fields = restricted_fields,
    .count = MESSAGE_COUNT_OF(restricted_fields),
    .size = sizeof(struct usher_restricted),
    .lenient = true,
};

/* ==== Items that fell short ==== */

#define IN_SHORTFALL(member) offsetof(struct usher_shortfall, member)

/* clang-format off */
static const struct message_field shortfall_fields[] = {
    {"item", MESSAGE_COUNT, IN_SHORTFALL(item), .max = USHER_ITEMS_MAX - 1, .kinds = ALWAYS},
    {"asked", MESSAGE_COUNT, IN_SHORTFALL(asked), .max = USHER_UNITS_MAX, .kinds = ALWAYS},
    {"given", MESSAGE_COUNT, IN_SHORTFALL(given), .max = USHER_UNITS_MAX, .kinds = ALWAYS},
    {"reason", MESSAGE_WORD, IN_SHORTFALL(reason), .words = &reason_words, .loose = true},
    {"free", MESSAGE_INTEGER, IN_SHORTFALL(free), ANY_INTEGER, OR_ABSENT},
    {"taken", MESSAGE_TEXTS, IN_SHORTFALL(taken), IN_SHORTFALL(taken_count),
     .max = USHER_UNITS_MAX, .each = MESSAGE_TEXT},
    {"places", MESSAGE_TEXTS, IN_SHORTFALL(places), IN_SHORTFALL(taken_count),
     .max = USHER_UNITS_MAX, .each = MESSAGE_TEXT, .parallel = true},
    {"unknown", MESSAGE_TEXT, IN_SHORTFALL(unknown), ANY_SIZE},
    {"known", MESSAGE_TEXTS, IN_SHORTFALL(known), IN_SHORTFALL(known_count),
     .max = USHER_UNITS_MAX, .each = MESSAGE_TEXT},
    {"restricted", MESSAGE_PART, IN_SHORTFALL(restricted), .of = &restricted_table},
    {"rate", MESSAGE_TEXT, IN_SHORTFALL(rate), ANY_SIZE},
};
/* clang-format on */

static const struct message_table shortfall_table = {
    .fields = shortfall_fields,
    .count = MESSAGE_COUNT_OF(shortfall_fields),
    .size = sizeof(struct usher_shortfall),
    .lenient = true,
};

/* ==== Pools ==== */

/* ---- a value per night ---- */

/* Numbers and nulls, `count` of them. */
static enum usher_status nights_read(const struct message_reader *reader,
                                     const struct message_place *place, yyjson_val *list,
                                     uint32_t count, const int64_t **values)
{
    if (yyjson_arr_size(list) != count)
        return message_fail(reader, place, NULL, "per-night arrays have different lengths");
    size_t at, size;
    yyjson_val *value;
    int64_t *array = usher_arena_alloc(reader->arena, count * sizeof *array);
    yyjson_arr_foreach(list, at, size, value) {
        if (!yyjson_is_int(value) && !yyjson_is_null(value))
            return message_fail(reader, place, NULL, "a per-night value is not an integer");
        array[at] = yyjson_is_null(value) ? USHER_ABSENT : yyjson_get_sint(value);
    }
    *values = array;
    return USHER_OK;
}

static void append_nights(struct usher_buffer *out, const int64_t *values, uint32_t count)
{
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        if (values[i] == USHER_ABSENT)
            MESSAGE_LITERAL(out, "null");
        else
            usher_buffer_number(out, values[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

static void nights_append(struct usher_buffer *out, const struct message_field *field,
                          const void *object)
{
    const struct usher_pool_status *pool = object;
    append_nights(out, MESSAGE_VALUE(const int64_t *, pool, field->offset), pool->night_count);
}

static const struct message_own own_nights = {.append = nights_append};

/* One price per night for each rate. */
static enum usher_status night_rates_read(const struct message_reader *reader,
                                          const struct message_place *place, yyjson_val *rates,
                                          struct usher_pool_status *pool)
{
    if (yyjson_obj_size(rates) == 0)
        return USHER_OK;
    struct usher_night_rate *array =
        usher_arena_alloc(reader->arena, yyjson_obj_size(rates) * sizeof *array);
    pool->night_rates = array;
    size_t at, count;
    yyjson_val *name, *prices;
    yyjson_obj_foreach(rates, at, count, name, prices) {
        struct usher_night_rate *rate = &array[pool->night_rate_count++];
        rate->rate = yyjson_get_str(name);
        enum usher_status status =
            nights_read(reader, place, prices, pool->night_count, &rate->prices);
        if (status != USHER_OK)
            return status;
    }
    return USHER_OK;
}

static void night_rates_append(struct usher_buffer *out, const struct message_field *field,
                               const void *object)
{
    const struct usher_pool_status *pool = object;
    (void)field;
    MESSAGE_LITERAL(out, "{");
    for (uint32_t i = 0; i < pool->night_rate_count; i++) {
        message_append_comma(out, i);
        usher_buffer_json_string(out, pool->night_rates[i].rate);
        MESSAGE_LITERAL(out, ":");
        append_nights(out, pool->night_rates[i].prices, pool->night_count);
    }
    MESSAGE_LITERAL(out, "}");
}

static const struct message_own own_night_rates = {.is_object = true, .append = night_rates_append};

/* ---- prices by rate ---- */

/* The price is that of `standard`, else of the first; that one alone needs no names. */
static enum usher_status rates_read(const struct message_reader *reader,
                                    const struct message_place *place, yyjson_val *rates,
                                    struct usher_pool_status *pool)
{
    pool->price = USHER_ABSENT;
    if (yyjson_obj_size(rates) == 0)
        return USHER_OK;
    struct usher_rate *array =
        usher_arena_alloc(reader->arena, yyjson_obj_size(rates) * sizeof *array);
    size_t at, count;
    yyjson_val *name, *price;
    yyjson_obj_foreach(rates, at, count, name, price) {
        if (!yyjson_is_int(price))
            return message_wrong(reader, place, "rates", price, "is not an integer");
        array[at] = (struct usher_rate){yyjson_get_str(name), yyjson_get_sint(price)};
    }
    yyjson_val *standard = yyjson_obj_get(rates, "standard");
    pool->price = standard ? yyjson_get_sint(standard) : array[0].price;
    if (count > 1 || !standard) {
        pool->rates = array;
        pool->rate_count = (uint32_t)count;
    }
    return USHER_OK;
}

static void rates_append(struct usher_buffer *out, const struct message_field *field,
                         const void *object)
{
    const struct usher_pool_status *pool = object;
    const struct usher_rate standard = {"standard", pool->price};
    (void)field;
    if (pool->rate_count > 0)
        message_append_rates(out, pool->rates, pool->rate_count);
    else
        message_append_rates(out, &standard, 1);
}

static const struct message_own own_rates = {.is_object = true, .append = rates_append};

/* ---- what is left at rates ---- */

static enum usher_status left_read(const struct message_reader *reader,
                                   const struct message_place *place, yyjson_val *left,
                                   struct usher_pool_status *pool)
{
    size_t at, count;
    yyjson_val *name, *units;
    struct usher_rate_left *array =
        usher_arena_alloc(reader->arena, yyjson_obj_size(left) * sizeof *array);
    yyjson_obj_foreach(left, at, count, name, units) {
        if (!yyjson_is_int(units))
            return message_wrong(reader, place, "left_at_rates", units, "is not an integer");
        array[pool->left_count++] =
            (struct usher_rate_left){yyjson_get_str(name), yyjson_get_sint(units)};
    }
    pool->left = array;
    return USHER_OK;
}

static void left_append(struct usher_buffer *out, const struct message_field *field,
                        const void *object)
{
    const struct usher_pool_status *pool = object;
    (void)field;
    MESSAGE_LITERAL(out, "{");
    for (uint32_t i = 0; i < pool->left_count; i++) {
        message_append_comma(out, i);
        usher_buffer_json_string(out, pool->left[i].rate);
        MESSAGE_LITERAL(out, ":");
        usher_buffer_number(out, pool->left[i].units);
    }
    MESSAGE_LITERAL(out, "}");
}

static const struct message_own own_left = {.is_object = true, .append = left_append};

/* ---- pools ---- */

/* Kinds of pools beside that of their units. */
enum {
    OVERBOOKED = 1 << 4,
    PRICED = 1 << 5,
    OVER = 1 << 6,
};

/* Rows of pool_fields that its check reads. */
enum {
    POOL_SECTION,
    POOL_PRODUCT,
    POOL_ROOM,
    POOL_FROM,
    POOL_FREE,
    POOL_TOTAL = 9,
    POOL_PRICE = 11,
    POOL_OVER = 13,
    POOL_RATES = 15,
    POOL_LEFT = 18,
};

#define IN_POOL(member) offsetof(struct usher_pool_status, member)

/*
 * A name that rooms have in another shape has a second row behind its first. Only the first is
 * found by a reader. The check reads what rooms have.
 */
/* clang-format off */
static const struct message_field pool_fields[] = {
    [POOL_SECTION] = {"section", MESSAGE_TEXT, IN_POOL(pool), ANY_SIZE, .kinds = KIND(SECTION)},
    [POOL_PRODUCT] = {"product", MESSAGE_TEXT, IN_POOL(pool), ANY_SIZE, .kinds = KIND(PRODUCT)},
    [POOL_ROOM] = {"room", MESSAGE_TEXT, IN_POOL(pool), ANY_SIZE, .kinds = KIND(ROOM)},
    [POOL_FROM] = {"from", MESSAGE_NIGHT, IN_POOL(from), .kinds = KIND(ROOM) | ALWAYS},
    [POOL_FREE] = {"free", MESSAGE_INTEGER, IN_POOL(free), ANY_INTEGER, OR_ABSENT, .kinds = COUNTED,
     .loose = true},
    {"free", MESSAGE_OWN, IN_POOL(night_free), .own = &own_nights,
     .kinds = KIND(ROOM) | ALWAYS},
    {"held", MESSAGE_INTEGER, IN_POOL(held), ANY_INTEGER, OR_ABSENT, .kinds = COUNTED},
    {"sold", MESSAGE_INTEGER, IN_POOL(sold), ANY_INTEGER, OR_ABSENT, .kinds = COUNTED},
    {"blocked", MESSAGE_INTEGER, IN_POOL(blocked), ANY_INTEGER, OR_ABSENT, .kinds = COUNTED},
    [POOL_TOTAL] = {"total", MESSAGE_INTEGER, IN_POOL(total), ANY_INTEGER, OR_ABSENT,
     .kinds = COUNTED, .loose = true},
    {"total", MESSAGE_OWN, IN_POOL(night_total), .own = &own_nights,
     .kinds = KIND(ROOM) | ALWAYS},
    [POOL_PRICE] = {"price", MESSAGE_OWN, IN_POOL(night_price), .own = &own_nights,
     .kinds = KIND(ROOM) | ALWAYS, .loose = true},
    {"overbook", MESSAGE_INTEGER, IN_POOL(overbook), ANY_INTEGER, .kinds = OVERBOOKED},
    [POOL_OVER] = {"over", MESSAGE_INTEGER, IN_POOL(over), ANY_INTEGER, .kinds = OVER,
     .loose = true},
    {"over", MESSAGE_OWN, IN_POOL(night_over), IN_POOL(night_over_count), .own = &own_nights,
     .kinds = KIND(ROOM)},
    [POOL_RATES] = {"rates", MESSAGE_OWN, IN_POOL(rates), .own = &own_rates,
     .kinds = PRICED | ALWAYS},
    {"rates", MESSAGE_OWN, IN_POOL(night_rates), IN_POOL(night_rate_count),
     .own = &own_night_rates, .kinds = KIND(ROOM)},
    {"restricted", MESSAGE_PART, IN_POOL(restricted), .of = &restricted_table, .kinds = KIND(ROOM)},
    [POOL_LEFT] = {"left_at_rates", MESSAGE_OWN, IN_POOL(left), IN_POOL(left_count),
     .own = &own_left, .kinds = COUNTED},
};
/* clang-format on */

static uint32_t pool_kinds(const void *object)
{
    const struct usher_pool_status *pool = object;
    if (pool->kind == USHER_ROOM)
        return KIND(ROOM);
    return 1U << pool->kind | (pool->overbook > 0 ? OVERBOOKED : 0) | (pool->over > 0 ? OVER : 0) |
           (pool->rate_count > 0 || pool->price != USHER_ABSENT ? PRICED : 0);
}

static enum usher_status room_check(const struct message_reader *reader,
                                    const struct message_object *object,
                                    struct usher_pool_status *pool)
{
    const struct message_place *place = object->place;
    yyjson_val *free = message_value(object, POOL_FREE);
    uint32_t count = pool->night_count = (uint32_t)yyjson_arr_size(free);
    if (!message_value(object, POOL_FROM))
        return message_missing(reader, place, "from");
    enum usher_status status = nights_read(reader, place, free, count, &pool->night_free);
    if (status == USHER_OK)
        status = nights_read(reader, place, message_value(object, POOL_TOTAL), count,
                             &pool->night_total);
    if (status == USHER_OK)
        status = nights_read(reader, place, message_value(object, POOL_PRICE), count,
                             &pool->night_price);
    yyjson_val *over = message_value(object, POOL_OVER);
    if (status == USHER_OK && over)
        status = nights_read(reader, place, over, count, &pool->night_over);
    pool->night_over_count = over ? count : 0;
    return status == USHER_OK
               ? night_rates_read(reader, place, message_value(object, POOL_RATES), pool)
               : status;
}

/* As units_check. */
static enum usher_status pool_check(const struct message_reader *reader,
                                    const struct message_object *object, void *out)
{
    struct usher_pool_status *pool = out;
    yyjson_val *room = message_value(object, POOL_ROOM);
    yyjson_val *product = message_value(object, POOL_PRODUCT);
    pool->kind = room ? USHER_ROOM : product ? USHER_PRODUCT : USHER_SECTION;
    pool->pool = yyjson_get_str(room      ? room
                                : product ? product
                                          : message_value(object, POOL_SECTION));
    enum usher_status status =
        room ? room_check(reader, object, pool)
             : rates_read(reader, object->place, message_value(object, POOL_RATES), pool);
    if (status == USHER_OK && !room)
        status = left_read(reader, object->place, message_value(object, POOL_LEFT), pool);
    return status == USHER_OK && room ? message_read_lists(reader, object, KIND(ROOM), out)
                                      : status;
}

static const struct message_table pool_table = {
    .fields = pool_fields,
    .count = MESSAGE_COUNT_OF(pool_fields),
    .size = sizeof(struct usher_pool_status),
    .kinds = pool_kinds,
    .lenient = true,
    .named_by = IN_POOL(pool),
    .check = pool_check,
};

/* ==== Bookings ==== */

#define IN_BOOKING(member) offsetof(struct usher_booking_status, member)

static const struct message_field booking_fields[] = {
    {"booking", MESSAGE_TEXT, IN_BOOKING(booking), ANY_SIZE, .needed = true},
    {"state", MESSAGE_TEXT, IN_BOOKING(state), ANY_SIZE},
    {"customer", MESSAGE_TEXT, IN_BOOKING(customer), ANY_SIZE},
    {"cart", MESSAGE_TEXT, IN_BOOKING(cart), ANY_SIZE},
    {"payment", MESSAGE_TEXT, IN_BOOKING(payment), ANY_SIZE},
    {"units", MESSAGE_INTEGER, IN_BOOKING(units), ANY_INTEGER, .kinds = ALWAYS},
    {"total", MESSAGE_INTEGER, IN_BOOKING(total), ANY_INTEGER, OR_ABSENT},
    {"expires_at", MESSAGE_INSTANT, IN_BOOKING(expires_ms), OR_ABSENT},
    {"position", MESSAGE_INTEGER, IN_BOOKING(position), ANY_INTEGER, OR_ABSENT},
};

static const struct message_table booking_table = {
    .fields = booking_fields,
    .count = MESSAGE_COUNT_OF(booking_fields),
    .size = sizeof(struct usher_booking_status),
    .lenient = true,
};

/* ==== Answers ==== */

#define IN_ANSWER(member) offsetof(struct usher_answer, member)

/* ---- fields of shapes of their own ---- */

static void true_append(struct usher_buffer *out, const struct message_field *field,
                        const void *object)
{
    (void)field;
    (void)object;
    MESSAGE_LITERAL(out, "true");
}

static const struct message_own own_true = {.append = true_append};

static const struct message_field source_fields[] = {
    {"partition", MESSAGE_COUNT, IN_ANSWER(source_partition), .max = INT32_MAX, .kinds = ALWAYS},
    {"offset", MESSAGE_INTEGER, IN_ANSWER(source_offset), ANY_SIZE, OR_ABSENT},
};

static const struct message_table source_table = MESSAGE_TABLE(source_fields);

static enum usher_status source_read(const struct message_reader *reader,
                                     const struct message_place *place,
                                     const struct message_field *field, yyjson_val *object,
                                     void *out)
{
    return message_read_fields(reader, place, object, field->of, out);
}

static void source_append(struct usher_buffer *out, const struct message_field *field,
                          const void *object)
{
    MESSAGE_LITERAL(out, "{");
    message_append_fields(out, field->of, object);
    MESSAGE_LITERAL(out, "}");
}

static const struct message_own own_source = {true, source_read, source_append};

/* ---- all fields ---- */

/* Kinds of answers. */
enum {
    OF_REQUEST = 1 << 0,
    UNASKED = 1 << 1,
    REFUSAL = 1 << 2,
    OF_POOLS = 1 << 3,
};

static uint32_t answer_kinds(const void *object)
{
    const struct usher_answer *answer = object;
    return (answer->source_offset != USHER_ABSENT ? OF_REQUEST : 0) |
           (answer->cause ? UNASKED : 0) | (answer->reason != USHER_REASON_NONE ? REFUSAL : 0) |
           (answer->outcome == USHER_ALIVE && answer->bookings_count == 0 ? OF_POOLS : 0);
}

/* Where the rows begin. Those of the envelope come first, so that a new row can be the last. */
enum {
    BEHIND_BODY = 0,
    BEFORE_BODY = 4,
    OF_BODY = 8,
};

/* clang-format off */
static const struct message_field answer_fields[] = {
    {"replayed", MESSAGE_FLAG, IN_ANSWER(replayed), .absent = false},
    {"seq", MESSAGE_INTEGER, IN_ANSWER(seq), ANY_INTEGER, .kinds = ALWAYS},
    {"epoch", MESSAGE_INTEGER, IN_ANSWER(epoch), ANY_INTEGER, .kinds = ALWAYS},
    {"source", MESSAGE_OWN, IN_ANSWER(source_offset), OR_ABSENT, .of = &source_table,
     .own = &own_source, .kinds = OF_REQUEST | ALWAYS},

    [BEFORE_BODY] = {"request_id", MESSAGE_TEXT, IN_ANSWER(request_id), ANY_SIZE, .kinds = ALWAYS},
    {"op", MESSAGE_WORD, IN_ANSWER(op), .words = &op_words, .loose = true},
    {"resource", MESSAGE_TEXT, IN_ANSWER(resource), ANY_SIZE},
    {"client", MESSAGE_TEXT, IN_ANSWER(client), ANY_SIZE},

    [OF_BODY] = {"outcome", MESSAGE_WORD, IN_ANSWER(outcome), .words = &outcome_words,
     .loose = true, .kinds = ALWAYS},
    {"change", MESSAGE_WORD, IN_ANSWER(change), .words = &change_words, .loose = true},
    {"reason", MESSAGE_WORD, IN_ANSWER(reason), .words = &reason_words, .loose = true},
    {"retryable", MESSAGE_FLAG, IN_ANSWER(retryable), .kinds = REFUSAL | ALWAYS},
    {"detail", MESSAGE_TEXT, IN_ANSWER(detail), ANY_SIZE},
    {"ignored", MESSAGE_TEXTS, IN_ANSWER(ignored), IN_ANSWER(ignored_count), ANY_SIZE,
     .each = MESSAGE_TEXT},
    {"unasked", MESSAGE_OWN, IN_ANSWER(cause), .own = &own_true, .kinds = UNASKED | ALWAYS,
     .loose = true},
    {"cause", MESSAGE_TEXT, IN_ANSWER(cause), ANY_SIZE},
    {"booking", MESSAGE_TEXT, IN_ANSWER(booking), ANY_SIZE},
    {"customer", MESSAGE_TEXT, IN_ANSWER(customer), ANY_SIZE},
    {"cart", MESSAGE_TEXT, IN_ANSWER(cart), ANY_SIZE},
    {"payment", MESSAGE_TEXT, IN_ANSWER(payment), ANY_SIZE},
    {"units", MESSAGE_PARTS, IN_ANSWER(units), IN_ANSWER(units_count), ANY_SIZE,
     .of = &units_table},
    {"returned", MESSAGE_PARTS, IN_ANSWER(returned), IN_ANSWER(returned_count), ANY_SIZE,
     .of = &units_table},
    {"items", MESSAGE_PARTS, IN_ANSWER(items), IN_ANSWER(items_count), ANY_SIZE,
     .of = &shortfall_table},
    {"own_hold", MESSAGE_TEXT, IN_ANSWER(own_hold), ANY_SIZE},
    {"together", MESSAGE_WHETHER, IN_ANSWER(together), .absent = -1},
    {"overbooked", MESSAGE_INTEGER, IN_ANSWER(overbooked), ANY_INTEGER, OR_ABSENT},
    {"total", MESSAGE_INTEGER, IN_ANSWER(total), ANY_INTEGER, OR_ABSENT},
    {"difference", MESSAGE_INTEGER, IN_ANSWER(difference), ANY_INTEGER, OR_ABSENT},
    {"currency", MESSAGE_TEXT, IN_ANSWER(currency), ANY_SIZE},
    {"expires_at", MESSAGE_INSTANT, IN_ANSWER(expires_ms), OR_ABSENT},
    {"position", MESSAGE_INTEGER, IN_ANSWER(position), ANY_INTEGER, OR_ABSENT},
    {"pools", MESSAGE_PARTS, IN_ANSWER(pools), IN_ANSWER(pools_count), ANY_SIZE,
     .of = &pool_table, .kinds = OF_POOLS | ALWAYS}, /* none is an answer too */
    {"bookings", MESSAGE_PARTS, IN_ANSWER(bookings), IN_ANSWER(bookings_count), ANY_SIZE,
     .of = &booking_table},
    {"next", MESSAGE_TEXT, IN_ANSWER(next), ANY_SIZE},
    {"state", MESSAGE_WORD, IN_ANSWER(state), .words = &sale_state_words, .loose = true},
    {"opens_at", MESSAGE_INSTANT, IN_ANSWER(opens_ms), OR_ABSENT},
    {"closes_at", MESSAGE_INSTANT, IN_ANSWER(closes_ms), OR_ABSENT},
    {"ends_at", MESSAGE_INSTANT, IN_ANSWER(ends_ms), OR_ABSENT},
    {"timezone", MESSAGE_TEXT, IN_ANSWER(timezone), ANY_SIZE},
    {"waiting", MESSAGE_INTEGER, IN_ANSWER(waiting), ANY_INTEGER, OR_ABSENT},
    {"chart", MESSAGE_TEXT, IN_ANSWER(chart), ANY_SIZE},
    {"decided_at", MESSAGE_INSTANT, IN_ANSWER(decided_ms), .kinds = ALWAYS},
    {"rev", MESSAGE_INTEGER, IN_ANSWER(rev), ANY_INTEGER, OR_ABSENT},
    {"free", MESSAGE_INTEGER, IN_ANSWER(free), ANY_INTEGER, OR_ABSENT},
};
/* clang-format on */

static enum usher_status answer_check(const struct message_reader *reader,
                                      const struct message_object *object, void *out)
{
    return message_value(object, OF_BODY) ? message_read_lists(reader, object, MESSAGE_ANY, out)
                                          : message_missing(reader, NULL, "outcome");
}

const struct message_table answer_table = {
    .fields = answer_fields,
    .count = MESSAGE_COUNT_OF(answer_fields),
    .size = sizeof(struct usher_answer),
    .kinds = answer_kinds,
    .lenient = true,
    .check = answer_check,
};

/* Each decision pays for this. The rows are constant, so the compiler unrolls them to some stores.
 */
void usher_answer_init(struct usher_answer *answer)
{
    memset(answer, 0, sizeof *answer);
#pragma GCC unroll 64
    for (size_t i = 0; i < MESSAGE_COUNT_OF(answer_fields); i++)
        message_set_absent(&answer_fields[i], answer);
}

enum usher_status usher_answer_decode(const void *data, size_t size, struct usher_arena *arena,
                                      struct usher_answer *answer, struct usher_error *err)
{
    struct message_document document;
    usher_answer_init(answer);
    enum usher_status status = message_document_open(&document, message_parse, data, size, arena);
    if (status == USHER_OK)
        status =
            message_read_object(&document.reader, NULL, document.tree.root, &answer_table, answer);
    if (status != USHER_OK)
        usher_answer_init(answer);
    return message_document_close(&document, status, err);
}

/* Appends the rows from `row` to before `end`, unrolled as those of usher_answer_init. */
MESSAGE_INLINE void append_rows(struct usher_buffer *out, const struct usher_answer *answer,
                                size_t row, size_t end)
{
    uint32_t kinds = answer_kinds(answer);
#pragma GCC unroll 64
    for (size_t i = row; i < end; i++)
        message_append_field(out, &answer_fields[i], kinds, answer);
}

void answer_body_encode(const struct usher_answer *answer, struct usher_buffer *out)
{
    bool negative = answer->outcome == USHER_REFUSED || answer->outcome == USHER_INVALID;
    assert(answer->outcome != USHER_OUTCOME_NONE && out->size == 0);
    assert(negative == (answer->reason != USHER_REASON_NONE));
    append_rows(out, answer, OF_BODY, MESSAGE_COUNT_OF(answer_fields));
}

void answer_wrap(const struct usher_answer *answer, const char *body, size_t body_size,
                 struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "{");
    append_rows(out, answer, BEFORE_BODY, OF_BODY);
    MESSAGE_LITERAL(out, ",");
    usher_buffer_append(out, body, body_size);
    append_rows(out, answer, BEHIND_BODY, BEFORE_BODY);
    MESSAGE_LITERAL(out, "}");
}
