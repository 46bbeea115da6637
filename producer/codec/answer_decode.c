/* Reads answers, leniently: see answer_decode.h. */
#include "producer/codec/answer_decode.h"

#include <ctype.h>
#include <string.h>

#include "producer/codec/message_fields.h"
#include "producer/codec/message_parse.h"

/*
 * ==== Lists ====
 *
 * Reads the lists of an answer; as lenient as usher_answer_decode.
 */

enum {
    NO_NIGHT = INT32_MIN /* of a raw struct: it was not there */
};

#define ANY_INTEGER .min = INT64_MIN, .max = INT64_MAX

#define ANY_SIZE .max = INT64_MAX

static const struct message_field seat_element = {"seats", MESSAGE_TEXT, 0, ANY_SIZE};

static const struct message_field place_element = {"places", MESSAGE_TEXT, 0, ANY_SIZE};

static const struct message_field taken_element = {"taken", MESSAGE_TEXT, 0, ANY_SIZE};

static const struct message_field known_element = {"known", MESSAGE_TEXT, 0, ANY_SIZE};

static const struct message_field token_element = {"tokens", MESSAGE_INTEGER, 0, .max = INT32_MAX};

/* ---- arrays of plain values ---- */

static enum usher_status tokens_read(const struct message_reader *reader,
                                     const struct message_place *place, yyjson_val *list,
                                     const int32_t **tokens)
{
    size_t at, count = yyjson_arr_size(list);
    yyjson_val *value;
    int32_t *array = usher_arena_alloc(reader->arena, count * sizeof *array);
    yyjson_arr_foreach(list, at, count, value) {
        int64_t token = yyjson_get_sint(value);
        if (!yyjson_is_int(value) || token < token_element.min || token > token_element.max)
            return message_fail(reader, place, token_element.name, "not an array of tokens");
        array[at] = (int32_t)token;
    }
    *tokens = array;
    return USHER_OK;
}

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

/* ---- units[] and returned[] ---- */

struct raw_units {
    const char *section, *room, *product, *rate, *booking;
    int64_t item, price, quantity;
    int32_t night;
    yyjson_val *seats, *places, *tokens;
};

static const struct message_field units_fields[] = {
    {"item", MESSAGE_INTEGER, offsetof(struct raw_units, item), .max = USHER_ITEMS_MAX - 1},
    {"section", MESSAGE_TEXT, offsetof(struct raw_units, section), ANY_SIZE},
    {"room", MESSAGE_TEXT, offsetof(struct raw_units, room), ANY_SIZE},
    {"product", MESSAGE_TEXT, offsetof(struct raw_units, product), ANY_SIZE},
    {"seats", MESSAGE_LIST, offsetof(struct raw_units, seats), .max = USHER_UNITS_MAX},
    {"tokens", MESSAGE_LIST, offsetof(struct raw_units, tokens), .max = USHER_UNITS_MAX},
    {"places", MESSAGE_LIST, offsetof(struct raw_units, places), .max = USHER_UNITS_MAX},
    {"night", MESSAGE_NIGHT, offsetof(struct raw_units, night), .max = 0},
    {"quantity", MESSAGE_INTEGER, offsetof(struct raw_units, quantity), .max = USHER_UNITS_MAX},
    {"price", MESSAGE_INTEGER, offsetof(struct raw_units, price), ANY_INTEGER},
    {"rate", MESSAGE_TEXT, offsetof(struct raw_units, rate), ANY_SIZE},
    {"booking", MESSAGE_TEXT, offsetof(struct raw_units, booking), ANY_SIZE},
};

static const struct message_table units_table = MESSAGE_TABLE(units_fields);

static enum usher_status units_from_raw(const struct message_reader *reader,
                                        const struct message_place *place,
                                        const struct raw_units *raw, struct usher_units *units)
{
    units->item = (uint32_t)raw->item;
    units->price = raw->price;
    units->rate = raw->rate;
    units->booking = raw->booking;
    units->quantity = (uint32_t)raw->quantity;
    if (raw->section && raw->seats) {
        units->kind = USHER_SEATS;
        units->pool = raw->section;
        units->quantity = (uint32_t)yyjson_arr_size(raw->seats);
        enum usher_status status =
            message_read_texts(reader, place, &seat_element, raw->seats, &units->seats);
        bool placed = raw->places && yyjson_arr_size(raw->places) == units->quantity;
        return status == USHER_OK && placed
                   ? message_read_texts(reader, place, &place_element, raw->places, &units->places)
                   : status;
    }
    if (raw->room && raw->tokens && raw->night != NO_NIGHT) {
        units->kind = USHER_ROOM;
        units->pool = raw->room;
        units->night = raw->night;
        units->quantity = (uint32_t)yyjson_arr_size(raw->tokens);
        return tokens_read(reader, place, raw->tokens, &units->tokens);
    }
    units->kind = raw->product ? USHER_PRODUCT : USHER_SECTION;
    units->pool = raw->product ? raw->product : raw->section;
    return USHER_OK; /* without a pool: of a kind that is not known here, dropped below */
}

static enum usher_status units_read(const struct message_reader *reader,
                                    const struct message_place *place, yyjson_val *object,
                                    void *element)
{
    struct raw_units raw = {.night = NO_NIGHT, .price = USHER_ABSENT};
    enum usher_status status = message_read_fields(reader, place, object, &units_table, &raw);
    yyjson_val *together = yyjson_obj_get(object, "together");
    struct usher_units *units = element;
    if (yyjson_is_bool(together))
        units->together = yyjson_is_true(together) ? 1 : -1;
    return status == USHER_OK ? units_from_raw(reader, place, &raw, units) : status;
}

/* Reads units[] or returned[], as `name` says. */
static enum usher_status answer_decode_units(const struct message_reader *reader, const char *name,
                                             yyjson_val *list, const struct usher_units **units,
                                             uint32_t *count)
{
    const struct message_list rules = {name, sizeof(struct usher_units), units_read};
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &rules, list, &elements);
    if (status != USHER_OK)
        return status;
    struct usher_units *all = elements;
    uint32_t known = 0;
    for (size_t i = 0; i < yyjson_arr_size(list); i++)
        if (all[i].pool)
            all[known++] = all[i];
    *units = all;
    *count = known;
    return USHER_OK;
}

/* ---- items[] ---- */

struct raw_shortfall {
    int64_t item, asked, given, free;
    const char *reason;
    yyjson_val *taken, *places;
    const char *unknown;
    yyjson_val *known;
};

static const struct message_field shortfall_fields[] = {
    {"item", MESSAGE_INTEGER, offsetof(struct raw_shortfall, item), .max = USHER_ITEMS_MAX - 1},
    {"asked", MESSAGE_INTEGER, offsetof(struct raw_shortfall, asked), .max = USHER_UNITS_MAX},
    {"given", MESSAGE_INTEGER, offsetof(struct raw_shortfall, given), .max = USHER_UNITS_MAX},
    {"reason", MESSAGE_TEXT, offsetof(struct raw_shortfall, reason), ANY_SIZE},
    {"free", MESSAGE_INTEGER, offsetof(struct raw_shortfall, free), ANY_INTEGER},
    {"taken", MESSAGE_LIST, offsetof(struct raw_shortfall, taken), .max = USHER_UNITS_MAX},
    {"places", MESSAGE_LIST, offsetof(struct raw_shortfall, places), .max = USHER_UNITS_MAX},
    {"unknown", MESSAGE_TEXT, offsetof(struct raw_shortfall, unknown), ANY_SIZE},
    {"known", MESSAGE_LIST, offsetof(struct raw_shortfall, known), .max = USHER_UNITS_MAX},
};

static const struct message_table shortfall_table = MESSAGE_TABLE(shortfall_fields);

static enum usher_status shortfall_read(const struct message_reader *reader,
                                        const struct message_place *place, yyjson_val *object,
                                        void *element)
{
    struct raw_shortfall raw = {.free = USHER_ABSENT};
    enum usher_status status = message_read_fields(reader, place, object, &shortfall_table, &raw);
    if (status != USHER_OK)
        return status;
    struct usher_shortfall *line = element;
    line->item = (uint32_t)raw.item;
    line->asked = (uint32_t)raw.asked;
    line->given = (uint32_t)raw.given;
    line->reason = usher_reason_named(raw.reason);
    line->free = raw.free;
    line->taken_count = (uint32_t)yyjson_arr_size(raw.taken);
    line->unknown = raw.unknown;
    line->known_count = (uint32_t)yyjson_arr_size(raw.known);
    if (raw.taken)
        status = message_read_texts(reader, place, &taken_element, raw.taken, &line->taken);
    if (status == USHER_OK && raw.places && yyjson_arr_size(raw.places) == line->taken_count)
        status = message_read_texts(reader, place, &place_element, raw.places, &line->places);
    if (status == USHER_OK && raw.known)
        status = message_read_texts(reader, place, &known_element, raw.known, &line->known);
    return status;
}

static const struct message_list shortfall_list = {"items", sizeof(struct usher_shortfall),
                                                   shortfall_read};

/* Reads items[] into the answer. */
static enum usher_status answer_decode_items(const struct message_reader *reader, yyjson_val *list,
                                             struct usher_answer *answer)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &shortfall_list, list, &elements);
    answer->items = elements;
    answer->items_count = status == USHER_OK ? (uint32_t)yyjson_arr_size(list) : 0;
    return status;
}

/* ---- pools[] ---- */

struct raw_pool {
    const char *section, *room, *product;
    yyjson_val *free, *total, *price, *rates;
    int64_t held, sold, blocked, overbook;
    int32_t from;
};

/* `free` and `total` are a number or, of rooms, a list: taken as they are. */
static const struct message_field pool_fields[] = {
    {"section", MESSAGE_TEXT, offsetof(struct raw_pool, section), ANY_SIZE},
    {"room", MESSAGE_TEXT, offsetof(struct raw_pool, room), ANY_SIZE},
    {"product", MESSAGE_TEXT, offsetof(struct raw_pool, product), ANY_SIZE},
    {"from", MESSAGE_NIGHT, offsetof(struct raw_pool, from), .max = 0},
    {"held", MESSAGE_INTEGER, offsetof(struct raw_pool, held), ANY_INTEGER},
    {"sold", MESSAGE_INTEGER, offsetof(struct raw_pool, sold), ANY_INTEGER},
    {"blocked", MESSAGE_INTEGER, offsetof(struct raw_pool, blocked), ANY_INTEGER},
    {"overbook", MESSAGE_INTEGER, offsetof(struct raw_pool, overbook), ANY_INTEGER},
    {"rates", MESSAGE_MAP, offsetof(struct raw_pool, rates), .max = 0},
};

static const struct message_table pool_table = MESSAGE_TABLE(pool_fields);

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

static enum usher_status room_pool_read(const struct message_reader *reader,
                                        const struct message_place *place,
                                        const struct raw_pool *raw, struct usher_pool_status *pool)
{
    if (raw->from == NO_NIGHT)
        return message_missing(reader, place, "from");
    pool->kind = USHER_ROOM;
    pool->pool = raw->room;
    pool->from = raw->from;
    uint32_t count = (uint32_t)yyjson_arr_size(raw->free);
    pool->night_count = count;
    enum usher_status status = nights_read(reader, place, raw->free, count, &pool->night_free);
    if (status == USHER_OK)
        status = nights_read(reader, place, raw->total, count, &pool->night_total);
    if (status == USHER_OK)
        status = nights_read(reader, place, raw->price, count, &pool->night_price);
    return status == USHER_OK ? night_rates_read(reader, place, raw->rates, pool) : status;
}

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
    pool->price = standard ? yyjson_get_sint(standard) : count > 0 ? array[0].price : USHER_ABSENT;
    if (count > 1 || !standard) {
        pool->rates = array;
        pool->rate_count = (uint32_t)count;
    }
    return USHER_OK;
}

static int64_t integer_or_absent(yyjson_val *value)
{
    return yyjson_is_int(value) ? yyjson_get_sint(value) : USHER_ABSENT;
}

static enum usher_status pool_read(const struct message_reader *reader,
                                   const struct message_place *place, yyjson_val *object,
                                   void *element)
{
    struct usher_pool_status *pool = element;
    struct raw_pool raw = {
        .held = USHER_ABSENT, .sold = USHER_ABSENT, .blocked = USHER_ABSENT, .from = NO_NIGHT};
    enum usher_status status = message_read_fields(reader, place, object, &pool_table, &raw);
    if (status != USHER_OK)
        return status;
    raw.free = yyjson_obj_get(object, "free");
    raw.total = yyjson_obj_get(object, "total");
    raw.price = yyjson_obj_get(object, "price");
    if (raw.room)
        return room_pool_read(reader, place, &raw, pool);
    pool->kind = raw.product ? USHER_PRODUCT : USHER_SECTION;
    pool->pool = raw.product ? raw.product : raw.section;
    pool->held = raw.held;
    pool->sold = raw.sold;
    pool->blocked = raw.blocked;
    pool->free = integer_or_absent(raw.free);
    pool->total = integer_or_absent(raw.total);
    pool->overbook = raw.overbook;
    return rates_read(reader, place, raw.rates, pool);
}

static const struct message_list pool_list = {"pools", sizeof(struct usher_pool_status), pool_read};

/* Reads pools[] into the answer. */
static enum usher_status answer_decode_pools(const struct message_reader *reader, yyjson_val *list,
                                             struct usher_answer *answer)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &pool_list, list, &elements);
    if (status != USHER_OK)
        return status;
    struct usher_pool_status *all = elements;
    for (size_t i = 0; i < yyjson_arr_size(list); i++)
        if (all[i].pool)
            all[answer->pools_count++] = all[i];
    answer->pools = all;
    return USHER_OK;
}

/* ---- bookings[] ---- */

#define IN_BOOKING(member) offsetof(struct usher_booking_status, member)

static const struct message_field booking_fields[] = {
    {"booking", MESSAGE_TEXT, IN_BOOKING(booking), ANY_SIZE},
    {"state", MESSAGE_TEXT, IN_BOOKING(state), ANY_SIZE},
    {"customer", MESSAGE_TEXT, IN_BOOKING(customer), ANY_SIZE},
    {"cart", MESSAGE_TEXT, IN_BOOKING(cart), ANY_SIZE},
    {"payment", MESSAGE_TEXT, IN_BOOKING(payment), ANY_SIZE},
    {"units", MESSAGE_INTEGER, IN_BOOKING(units), ANY_INTEGER},
    {"total", MESSAGE_INTEGER, IN_BOOKING(total), ANY_INTEGER},
    {"expires_at", MESSAGE_INSTANT, IN_BOOKING(expires_ms), .max = 0},
    {"position", MESSAGE_INTEGER, IN_BOOKING(position), ANY_INTEGER},
};

static const struct message_table booking_table = MESSAGE_TABLE(booking_fields);

static enum usher_status booking_read(const struct message_reader *reader,
                                      const struct message_place *place, yyjson_val *object,
                                      void *element)
{
    struct usher_booking_status *booking = element;
    *booking = (struct usher_booking_status){
        .total = USHER_ABSENT, .expires_ms = USHER_ABSENT, .position = USHER_ABSENT};
    enum usher_status status = message_read_fields(reader, place, object, &booking_table, booking);
    return status == USHER_OK && !booking->booking ? message_missing(reader, place, "booking")
                                                   : status;
}

static const struct message_list booking_list = {"bookings", sizeof(struct usher_booking_status),
                                                 booking_read};

/* Reads bookings[] into the answer. */
static enum usher_status answer_decode_bookings(const struct message_reader *reader,
                                                yyjson_val *list, struct usher_answer *answer)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &booking_list, list, &elements);
    answer->bookings = elements;
    answer->bookings_count = status == USHER_OK ? (uint32_t)yyjson_arr_size(list) : 0;
    return status;
}

/* ==== Answers ==== */

struct raw_answer {
    struct usher_answer answer;
    const char *op, *outcome, *change, *reason, *state;
    int64_t partition, offset;
    bool together;
    yyjson_val *ignored, *units, *returned, *items, *pools, *bookings, *source;
};

#define IN_ANSWER(member) offsetof(struct raw_answer, answer.member)

#define OF_RAW(member) offsetof(struct raw_answer, member)

static const struct message_field answer_fields[] = {
    {"request_id", MESSAGE_TEXT, IN_ANSWER(request_id), ANY_SIZE},
    {"op", MESSAGE_TEXT, OF_RAW(op), ANY_SIZE},
    {"resource", MESSAGE_TEXT, IN_ANSWER(resource), ANY_SIZE},
    {"client", MESSAGE_TEXT, IN_ANSWER(client), ANY_SIZE},
    {"outcome", MESSAGE_TEXT, OF_RAW(outcome), ANY_SIZE},
    {"change", MESSAGE_TEXT, OF_RAW(change), ANY_SIZE},
    {"reason", MESSAGE_TEXT, OF_RAW(reason), ANY_SIZE},
    {"detail", MESSAGE_TEXT, IN_ANSWER(detail), ANY_SIZE},
    {"ignored", MESSAGE_LIST, OF_RAW(ignored), ANY_SIZE},
    {"cause", MESSAGE_TEXT, IN_ANSWER(cause), ANY_SIZE},
    {"booking", MESSAGE_TEXT, IN_ANSWER(booking), ANY_SIZE},
    {"own_hold", MESSAGE_TEXT, IN_ANSWER(own_hold), ANY_SIZE},
    {"customer", MESSAGE_TEXT, IN_ANSWER(customer), ANY_SIZE},
    {"cart", MESSAGE_TEXT, IN_ANSWER(cart), ANY_SIZE},
    {"payment", MESSAGE_TEXT, IN_ANSWER(payment), ANY_SIZE},
    {"currency", MESSAGE_TEXT, IN_ANSWER(currency), ANY_SIZE},
    {"timezone", MESSAGE_TEXT, IN_ANSWER(timezone), ANY_SIZE},
    {"next", MESSAGE_TEXT, IN_ANSWER(next), ANY_SIZE},
    {"chart", MESSAGE_TEXT, IN_ANSWER(chart), ANY_SIZE},
    {"units", MESSAGE_LIST, OF_RAW(units), ANY_SIZE},
    {"returned", MESSAGE_LIST, OF_RAW(returned), ANY_SIZE},
    {"items", MESSAGE_LIST, OF_RAW(items), ANY_SIZE},
    {"pools", MESSAGE_LIST, OF_RAW(pools), ANY_SIZE},
    {"bookings", MESSAGE_LIST, OF_RAW(bookings), ANY_SIZE},
    {"source", MESSAGE_MAP, OF_RAW(source), .max = 0},
    {"total", MESSAGE_INTEGER, IN_ANSWER(total), ANY_INTEGER},
    {"expires_at", MESSAGE_INSTANT, IN_ANSWER(expires_ms), .max = 0},
    {"decided_at", MESSAGE_INSTANT, IN_ANSWER(decided_ms), .max = 0},
    {"rev", MESSAGE_INTEGER, IN_ANSWER(rev), ANY_INTEGER},
    {"free", MESSAGE_INTEGER, IN_ANSWER(free), ANY_INTEGER},
    {"replayed", MESSAGE_FLAG, IN_ANSWER(replayed), .max = 0},
    {"retryable", MESSAGE_FLAG, IN_ANSWER(retryable), .max = 0},
    {"seq", MESSAGE_INTEGER, IN_ANSWER(seq), ANY_INTEGER},
    {"epoch", MESSAGE_INTEGER, IN_ANSWER(epoch), ANY_INTEGER},
    {"together", MESSAGE_FLAG, OF_RAW(together), .max = 0},
    {"overbooked", MESSAGE_INTEGER, IN_ANSWER(overbooked), ANY_INTEGER},
    {"difference", MESSAGE_INTEGER, IN_ANSWER(difference), ANY_INTEGER},
    {"position", MESSAGE_INTEGER, IN_ANSWER(position), ANY_INTEGER},
    {"state", MESSAGE_TEXT, OF_RAW(state), ANY_SIZE},
    {"opens_at", MESSAGE_INSTANT, IN_ANSWER(opens_ms), .max = 0},
    {"closes_at", MESSAGE_INSTANT, IN_ANSWER(closes_ms), .max = 0},
    {"ends_at", MESSAGE_INSTANT, IN_ANSWER(ends_ms), .max = 0},
    {"waiting", MESSAGE_INTEGER, IN_ANSWER(waiting), ANY_INTEGER},
};

static const struct message_table answer_table = MESSAGE_TABLE(answer_fields);

static const struct message_field source_fields[] = {
    {"partition", MESSAGE_INTEGER, OF_RAW(partition), .max = INT32_MAX},
    {"offset", MESSAGE_INTEGER, OF_RAW(offset), .max = INT64_MAX},
};

static const struct message_table source_table = MESSAGE_TABLE(source_fields);

static enum usher_status lists_read(const struct message_reader *reader,
                                    const struct raw_answer *raw, struct usher_answer *answer)
{
    static const struct message_field ignored = {"ignored", MESSAGE_TEXT, 0, ANY_SIZE};
    enum usher_status status = USHER_OK;
    if (raw->ignored) {
        answer->ignored_count = (uint32_t)yyjson_arr_size(raw->ignored);
        status = message_read_texts(reader, NULL, &ignored, raw->ignored, &answer->ignored);
    }
    if (status == USHER_OK && raw->units) {
        status =
            answer_decode_units(reader, "units", raw->units, &answer->units, &answer->units_count);
    }
    if (status == USHER_OK && raw->returned) {
        status = answer_decode_units(reader, "returned", raw->returned, &answer->returned,
                                     &answer->returned_count);
    }
    if (status == USHER_OK && raw->items)
        status = answer_decode_items(reader, raw->items, answer);
    if (status == USHER_OK && raw->pools)
        status = answer_decode_pools(reader, raw->pools, answer);
    if (status == USHER_OK && raw->bookings)
        status = answer_decode_bookings(reader, raw->bookings, answer);
    return status;
}

static enum usher_status source_read(const struct message_reader *reader, struct raw_answer *raw)
{
    if (!raw->source)
        return USHER_OK;
    enum usher_status status = message_read_fields(reader, NULL, raw->source, &source_table, raw);
    raw->answer.source_partition = (int32_t)raw->partition;
    raw->answer.source_offset = raw->offset;
    return status;
}

static enum usher_status answer_read(const struct message_reader *reader, yyjson_val *root,
                                     struct usher_answer *answer)
{
    struct raw_answer raw;
    memset(&raw, 0, sizeof raw);
    usher_answer_init(&raw.answer);
    raw.offset = USHER_ABSENT;
    enum usher_status status = message_read_fields(reader, NULL, root, &answer_table, &raw);
    if (status == USHER_OK && !raw.outcome)
        status = message_missing(reader, NULL, "outcome");
    if (status == USHER_OK)
        status = source_read(reader, &raw);
    if (status != USHER_OK)
        return status;
    *answer = raw.answer;
    answer->op = usher_op_named(raw.op);
    answer->outcome = usher_outcome_named(raw.outcome);
    answer->change = usher_change_named(raw.change);
    answer->reason = usher_reason_named(raw.reason);
    answer->state = usher_sale_state_named(raw.state);
    if (yyjson_is_bool(yyjson_obj_get(root, "together")))
        answer->together = (int8_t)raw.together;
    return lists_read(reader, &raw, answer);
}

enum usher_status usher_answer_decode(const void *data, size_t size, struct usher_arena *arena,
                                      struct usher_answer *answer, struct usher_error *err)
{
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = arena, .fault = &fault};
    usher_answer_init(answer);
    struct message_tree tree;
    enum usher_status status = message_parse(&reader, data, size, &tree);
    if (status == USHER_OK)
        status = answer_read(&reader, tree.root, answer);
    message_tree_close(&tree);
    return message_fault_report(arena, &fault, status, err);
}

/* ==== Scanning without parsing ==== */

bool answer_scan_id(const char *data, size_t size, const char **id, size_t *id_size)
{
    static const char start[] = "{\"request_id\":\"";
    size_t skipped = sizeof start - 1;
    if (size < skipped || memcmp(data, start, skipped) != 0)
        return false;
    const char *end = memchr(data + skipped, '"', size - skipped);
    if (!end)
        return false;
    *id = data + skipped;
    *id_size = (size_t)(end - *id);
    return true;
}

/* Reads digits that something else follows; 18 of them cannot overflow. */
static bool read_digits(const char *at, const char *end, int64_t *number)
{
    int64_t value = 0;
    int count = 0;
    for (; at < end && isdigit((unsigned char)*at); at++, count++) {
        if (count == 18)
            return false;
        value = value * 10 + (*at - '0');
    }
    *number = value;
    return count > 0 && at < end;
}

bool answer_scan_seq(const char *data, size_t size, int64_t *seq)
{
    static const char name[] = ",\"seq\":";
    enum {
        NEAR_END = 160
    }; /* where it is, but for long sources */
    size_t skipped = size > NEAR_END ? size - NEAR_END : 0;
    const char *at = memmem(data + skipped, size - skipped, name, sizeof name - 1);
    if (!at)
        at = memmem(data, size, name, sizeof name - 1);
    return at && read_digits(at + sizeof name - 1, data + size, seq);
}

bool answer_scan_unrequested(const char *data, size_t size)
{
    static const char field[] = "\"unasked\":true";
    return memmem(data, size, field, sizeof field - 1);
}

/* Copies the text of the first field of that name, ,"name":" and all, as far as it fits. */
static void copy_field(const char *data, size_t size, const char *name, char text[32])
{
    const char *end = data + size;
    const char *at = memmem(data, size, name, strlen(name));
    size_t used = 0;
    for (at = at ? at + strlen(name) : end; at < end && *at != '"' && used < 31; at++)
        text[used++] = *at;
    text[used] = '\0';
}

enum usher_outcome answer_scan_outcome(const char *data, size_t size)
{
    char name[32];
    copy_field(data, size, ",\"outcome\":\"", name);
    return usher_outcome_named(name);
}

enum usher_reason answer_scan_reason(const char *data, size_t size)
{
    char name[32];
    copy_field(data, size, ",\"reason\":\"", name);
    return usher_reason_named(name);
}
