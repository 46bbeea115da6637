/*
 * Writes and reads the terms and rates that the database keeps. They are merged from all defines:
 * a quota that leaves its limit as it was, or goes, is an error here.
 */
#include "producer/codec/stored_terms.h"

#include "producer/codec/message_append.h"
#include "producer/codec/message_fields.h"
#include "producer/codec/message_parse.h"
#include "producer/codec/message_text.h"
#include "producer/codec/terms_decode.h"
#include "producer/codec/terms_encode.h"

/* ---- writing ---- */

void stored_terms_encode(const struct stored_terms *terms, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "{");
    if (terms->limits) {
        MESSAGE_LITERAL(out, "\"limits\":");
        terms_encode_limits(terms->limits, out);
    }
    if (terms->quota_count > 0) {
        message_append_comma(out, terms->limits ? 1 : 0);
        MESSAGE_LITERAL(out, "\"quotas\":");
        terms_encode_quotas(terms->quotas, terms->quota_count, out);
    }
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

struct raw_terms {
    yyjson_val *limits, *quotas;
};

static const struct message_field terms_fields[] = {
    {"limits", MESSAGE_MAP, offsetof(struct raw_terms, limits), 0, 0},
    {"quotas", MESSAGE_LIST, offsetof(struct raw_terms, quotas), 0, USHER_QUOTAS_MAX},
};
static const struct message_table terms_table = MESSAGE_TABLE(terms_fields);

static enum usher_status quotas_check(const struct message_reader *reader,
                                      const struct stored_terms *terms)
{
    for (uint32_t i = 0; i < terms->quota_count; i++) {
        const struct message_place place = {NULL, "quotas", i};
        if (terms->quotas[i].pool_count == 0)
            return message_empty(reader, &place, "pools");
        if (!terms->quotas[i].limit_given)
            return message_missing(reader, &place, "limit");
    }
    return USHER_OK;
}

static enum usher_status terms_read(const struct message_reader *reader, yyjson_val *root,
                                    struct stored_terms *terms)
{
    struct raw_terms raw = {NULL, NULL};
    enum usher_status status = message_read_fields(reader, NULL, root, &terms_table, &raw);
    if (status == USHER_OK && raw.limits)
        status = terms_decode_limits(reader, raw.limits, &terms->limits);
    if (status == USHER_OK && raw.quotas)
        status = terms_decode_quotas(reader, raw.quotas, &terms->quotas, &terms->quota_count);
    return status == USHER_OK ? quotas_check(reader, terms) : status;
}

enum usher_status stored_terms_decode(const char *json, size_t size, struct usher_arena *arena,
                                      struct stored_terms *terms, struct usher_error *err)
{
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = arena, .fault = &fault};
    *terms = (struct stored_terms){NULL, NULL, 0};
    struct message_tree tree;
    enum usher_status status = message_parse(&reader, json, size, &tree);
    if (status == USHER_OK)
        status = terms_read(&reader, tree.root, terms);
    message_tree_close(&tree);
    return message_fault_report(arena, &fault, status, err);
}

static enum usher_status pair_read(const struct message_reader *reader,
                                   const struct message_place *place, yyjson_val *pair,
                                   struct usher_rate *rate)
{
    if (yyjson_arr_size(pair) != 2)
        return message_fail(reader, place, NULL, "not a name and a price");
    enum usher_status status =
        message_read_text(reader, place, &terms_rate_name, yyjson_arr_get_first(pair), &rate->rate);
    return status == USHER_OK ? terms_decode_price(reader, place, rate->rate,
                                                   yyjson_arr_get_last(pair), &rate->price)
                              : status;
}

static enum usher_status pairs_read(const struct message_reader *reader, yyjson_val *list,
                                    const struct usher_rate **rates, uint32_t *count)
{
    size_t at, size = yyjson_arr_size(list);
    yyjson_val *pair;
    enum usher_status status = terms_check_rate_count(reader, NULL, size);
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
    const char *twice = terms_find_duplicate(reader->arena, names, size);
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
    struct message_fault fault = {0};
    const struct message_reader reader = {.arena = arena, .fault = &fault};
    *rates = NULL;
    *count = 0;
    struct message_tree tree;
    enum usher_status status = message_parse_array(&reader, json, size, &tree);
    if (status == USHER_OK)
        status = pairs_read(&reader, tree.root, rates, count);
    message_tree_close(&tree);
    return message_fault_report(arena, &fault, status, err);
}
