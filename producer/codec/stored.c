/*
 * Writes and reads what the database stores as JSON or as a hash. Terms are merged from all
 * defines: a quota that leaves its limit as it was, or goes, is an error here.
 */
#include "producer/codec/stored.h"

#include <assert.h>
#include <string.h>

#include "producer/base/digest.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/message_append.h"
#include "producer/codec/message_parse.h"
#include "producer/codec/request_fields.h"

/* ==== Terms ==== */

static const struct message_field terms_fields[] = {
    {"limits", MESSAGE_PART, offsetof(struct stored_terms, limits), .of = &limits_table},
    {"quotas", MESSAGE_PARTS, offsetof(struct stored_terms, quotas),
     offsetof(struct stored_terms, quota_count), .max = USHER_QUOTAS_MAX, .of = &quota_table},
};

static const struct message_table terms_table = MESSAGE_TABLE(terms_fields);

/* ---- writing ---- */

void stored_terms_encode(const struct stored_terms *terms, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "{");
    message_append_fields(out, &terms_table, terms);
    MESSAGE_LITERAL(out, "}");
}

void stored_rates_encode(const struct usher_rate *rates, uint32_t count, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        MESSAGE_LITERAL(out, "[");
        usher_buffer_json_string(out, rates[i].rate);
        MESSAGE_LITERAL(out, ",");
        usher_buffer_number(out, rates[i].price);
        MESSAGE_LITERAL(out, "]");
    }
    MESSAGE_LITERAL(out, "]");
}

/* ---- reading ---- */

static enum usher_status quotas_check(const struct message_reader *reader,
                                      const struct stored_terms *terms)
{
    for (uint32_t i = 0; i < terms->quota_count; i++) {
        const struct message_place place = {NULL, "quotas", i};
        if (terms->quotas[i].pool_count == 0)
            return message_empty(reader, &place, "pools");
        bool ends = terms->quotas[i].rate && terms->quotas[i].closes_ms > 0;
        if (!terms->quotas[i].limit_given && !ends)
            return message_missing(reader, &place, "limit");
    }
    return USHER_OK;
}

static enum usher_status terms_read(const struct message_reader *reader, yyjson_val *root,
                                    struct stored_terms *terms)
{
    enum usher_status status = message_read_fields(reader, NULL, root, &terms_table, terms);
    if (status == USHER_OK)
        status = definition_check_quotas(reader, terms->quotas, terms->quota_count);
    return status == USHER_OK ? quotas_check(reader, terms) : status;
}

enum usher_status stored_terms_decode(const char *json, size_t size, struct usher_arena *arena,
                                      struct stored_terms *terms, struct usher_error *err)
{
    struct message_document document;
    *terms = (struct stored_terms){NULL, NULL, 0};
    enum usher_status status = message_document_open(&document, message_parse, json, size, arena);
    if (status == USHER_OK)
        status = terms_read(&document.reader, document.tree.root, terms);
    return message_document_close(&document, status, err);
}

static enum usher_status pair_read(const struct message_reader *reader,
                                   const struct message_place *place, yyjson_val *pair,
                                   struct usher_rate *rate)
{
    if (yyjson_arr_size(pair) != 2)
        return message_fail(reader, place, NULL, "not a name and a price");
    enum usher_status status = message_read_text(reader, place, &message_rate_name,
                                                 yyjson_arr_get_first(pair), &rate->rate);
    return status == USHER_OK ? message_read_price(reader, place, rate->rate,
                                                   yyjson_arr_get_last(pair), &rate->price)
                              : status;
}

static enum usher_status pairs_read(const struct message_reader *reader, yyjson_val *list,
                                    const struct usher_rate **rates, uint32_t *count)
{
    size_t at, size = yyjson_arr_size(list);
    yyjson_val *pair;
    enum usher_status status = message_check_rate_count(reader, NULL, size);
    if (status != USHER_OK)
        return status;
    struct usher_rate *array = usher_arena_alloc(reader->arena, size * sizeof *array);
    const char **names = usher_arena_alloc(reader->arena, size * sizeof *names);
    yyjson_arr_foreach(list, at, size, pair) {
        const struct message_place place = {NULL, "rates", (uint32_t)at};
        status = pair_read(reader, &place, pair, &array[at]);
        if (status != USHER_OK)
            return status;
        names[at] = array[at].rate;
    }
    const char *twice = definition_find_duplicate(reader->arena, names, size);
    if (twice)
        return message_duplicate(reader, NULL, "rates", "rate", twice);
    *rates = array;
    *count = (uint32_t)size;
    return USHER_OK;
}

enum usher_status stored_rates_decode(const char *json, size_t size, struct usher_arena *arena,
                                      const struct usher_rate **rates, uint32_t *count,
                                      struct usher_error *err)
{
    struct message_document document;
    *rates = NULL;
    *count = 0;
    enum usher_status status =
        message_document_open(&document, message_parse_array, json, size, arena);
    if (status == USHER_OK)
        status = pairs_read(&document.reader, document.tree.root, rates, count);
    return message_document_close(&document, status, err);
}

/* ==== Restrictions ==== */

void stored_restrictions_encode(const struct usher_restriction *restrictions, uint32_t count,
                                struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        MESSAGE_LITERAL(out, "{");
        message_append_fields(out, &restriction_rules_table, &restrictions[i]);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]");
}

static enum usher_status restrictions_read(const struct message_reader *reader, yyjson_val *list,
                                           const struct usher_restriction **restrictions,
                                           uint32_t *count)
{
    size_t at, size = yyjson_arr_size(list);
    yyjson_val *object;
    struct usher_restriction *array = usher_arena_alloc(reader->arena, size * sizeof *array);
    yyjson_arr_foreach(list, at, size, object) {
        const struct message_place place = {NULL, "restrictions", (uint32_t)at};
        if (!yyjson_is_obj(object))
            return message_wrong(reader, &place, NULL, object, "is not an object");
        enum usher_status status =
            message_read_object(reader, &place, object, &restriction_rules_table, &array[at]);
        if (status != USHER_OK)
            return status;
    }
    *restrictions = array;
    *count = (uint32_t)size;
    return USHER_OK;
}

enum usher_status stored_restrictions_decode(const char *json, size_t size,
                                             struct usher_arena *arena,
                                             const struct usher_restriction **restrictions,
                                             uint32_t *count, struct usher_error *err)
{
    struct message_document document;
    *restrictions = NULL;
    *count = 0;
    enum usher_status status =
        message_document_open(&document, message_parse_array, json, size, arena);
    if (status == USHER_OK)
        status = restrictions_read(&document.reader, document.tree.root, restrictions, count);
    return message_document_close(&document, status, err);
}

/* ---- units at rates ---- */

static size_t count_uses(yyjson_val *root)
{
    size_t at, size, count = yyjson_obj_size(root);
    yyjson_val *pool, *rates;
    yyjson_obj_foreach(root, at, size, pool, rates)
        count += yyjson_obj_size(rates);
    return count;
}

static enum usher_status uses_read(const struct message_reader *reader, yyjson_val *root,
                                   const struct stored_use **uses, uint32_t *count)
{
    size_t at, size, each, rate_count;
    yyjson_val *pool, *rates, *rate, *units;
    struct stored_use *array = usher_arena_alloc(reader->arena, count_uses(root) * sizeof *array);
    *uses = array;
    yyjson_obj_foreach(root, at, size, pool, rates) {
        if (!yyjson_is_obj(rates))
            return message_wrong(reader, NULL, yyjson_get_str(pool), rates, "is not an object");
        array[(*count)++] = (struct stored_use){.pool = yyjson_get_str(pool)};
        yyjson_obj_foreach(rates, each, rate_count, rate, units) {
            if (!yyjson_is_int(units))
                return message_wrong(reader, NULL, yyjson_get_str(rate), units,
                                     "is not an integer");
            array[(*count)++] = (struct stored_use){yyjson_get_str(pool), yyjson_get_str(rate),
                                                    yyjson_get_sint(units)};
        }
    }
    return USHER_OK;
}

enum usher_status stored_uses_decode(const char *json, size_t size, struct usher_arena *arena,
                                     const struct stored_use **uses, uint32_t *count,
                                     struct usher_error *err)
{
    struct message_document document;
    *uses = NULL;
    *count = 0;
    enum usher_status status = message_document_open(&document, message_parse, json, size, arena);
    if (status == USHER_OK)
        status = uses_read(&document.reader, document.tree.root, uses, count);
    return message_document_close(&document, status, err);
}

/* ==== Hashes ==== */

enum {
    ENCODED_SIZE = 1000, /* most requests are shorter; of this size malloc is fastest */
};

static void hash_bytes(const void *bytes, size_t size, uint8_t hash[USHER_HASH_SIZE])
{
    unsigned char digest[DIGEST_SIZE];
    static_assert(USHER_HASH_SIZE <= sizeof digest, "the kept part of a digest");
    digest_sha256(&(struct digest_part){bytes, size}, 1, digest);
    memcpy(hash, digest, USHER_HASH_SIZE);
}

void request_content_hash(const struct usher_request *request, uint8_t hash[USHER_HASH_SIZE])
{
    struct usher_request content = *request;
    content.request_id = NULL;
    content.client = NULL;
    content.deadline_ms = 0;

    struct usher_buffer encoded = {NULL, 0, 0};
    (void)usher_buffer_reserve(&encoded, ENCODED_SIZE);
    usher_request_encode(&content, &encoded);
    hash_bytes(encoded.at, encoded.size, hash);
    usher_buffer_deinit(&encoded);
}

void request_id_hash(const char *id, uint8_t hash[USHER_HASH_SIZE])
{
    hash_bytes(id, strlen(id), hash);
}

/* ==== Waiting holds ==== */

/* What follows the shared part, but for the instant and its end. */
static const char until_name[] = ",\"wait_until\":\"";

enum {
    UNTIL_INSTANT_SIZE = 24,
    UNTIL_SIZE = sizeof until_name - 1 + UNTIL_INSTANT_SIZE + 2 /* with "} */
};

void wants_encode(const struct usher_request *request, struct usher_buffer *out)
{
    const struct usher_request wants = {
        .op = USHER_OP_HOLD,
        .items = request->items,
        .item_count = request->item_count,
        .ttl_s = request->ttl_s,
        .shortage = request->shortage,
    };
    usher_request_encode(&wants, out);
    if (request->wait_until_ms <= 0)
        return;
    assert(out->at[out->size - 1] == '}');
    out->size--;
    message_append_instant(out, ",\"wait_until\"", request->wait_until_ms);
    MESSAGE_LITERAL(out, "}");
}

size_t wants_shared_size(const char *json)
{
    size_t size = strlen(json);
    bool has_until = size > UNTIL_SIZE &&
                     strncmp(json + size - UNTIL_SIZE, until_name, sizeof until_name - 1) == 0;
    return has_until ? size - UNTIL_SIZE : size;
}

int64_t wants_until_ms(const char *json)
{
    const char *until = json + wants_shared_size(json);
    char instant[UNTIL_INSTANT_SIZE + 1] = "";
    int64_t ms;
    if (*until != '\0')
        memcpy(instant, until + sizeof until_name - 1, UNTIL_INSTANT_SIZE);
    return usher_instant_parse(instant, &ms) ? ms : INT64_MAX;
}

static enum usher_status wants_read(const struct message_reader *reader, yyjson_val *root,
                                    struct usher_request *request)
{
    enum usher_status status = message_read_fields(reader, NULL, root, &request_table, request);
    if (status != USHER_OK)
        return status;
    if (request->op != USHER_OP_HOLD)
        return message_fail(reader, NULL, "op", "not hold");
    if (request->item_count > 0)
        return request_check_items(reader, request);
    return request->items ? message_empty(reader, NULL, "items")
                          : message_missing(reader, NULL, "items");
}

enum usher_status wants_decode(const char *json, size_t size, struct usher_arena *arena,
                               struct usher_request *request, struct usher_error *err)
{
    struct message_document document;
    *request = (struct usher_request){.op = USHER_OP_NONE};
    enum usher_status status = message_document_open(&document, message_parse, json, size, arena);
    if (status == USHER_OK)
        status = wants_read(&document.reader, document.tree.root, request);
    return message_document_close(&document, status, err);
}
