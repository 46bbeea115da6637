/*
 * Reads and writes what a resource is sold under: limits on customers, quotas over pools, rates.
 * Equal terms are equal bytes. Whether the pools that they name exist is not known here.
 */
#include "producer/codec/definition_terms.h"

#include <stdlib.h>
#include <string.h>

#include "producer/codec/message_append.h"

/* ==== Decoding ==== */

static const struct message_field pool_element = {"pools", MESSAGE_POOL, 0, 0, USHER_NAME_MAX};

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Returns a name that is listed more than once; NULL: there is none. */
const char *terms_find_duplicate(struct usher_arena *arena, const char *const *names, size_t count)
{
    if (count < 2)
        return NULL;
    const char **sorted = usher_arena_alloc(arena, count * sizeof *sorted);
    memcpy(sorted, names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return sorted[i];
    return NULL;
}

/* A pool that was named twice would be counted twice. */
static enum usher_status pools_read(const struct message_reader *reader,
                                    const struct message_place *place, yyjson_val *list,
                                    const char *const **pools, uint32_t *count)
{
    if (!list)
        return message_missing(reader, place, "pools");
    enum usher_status status = message_read_texts(reader, place, &pool_element, list, pools);
    if (status != USHER_OK)
        return status;
    *count = (uint32_t)yyjson_arr_size(list);
    const char *twice = terms_find_duplicate(reader->arena, *pools, *count);
    return twice ? message_duplicate(reader, place, "pools", "pool", twice) : USHER_OK;
}

/* ---- limits ---- */

struct raw_group {
    yyjson_val *pools;
    int64_t limit;
};

static const struct message_field group_fields[] = {
    {"pools", MESSAGE_LIST, offsetof(struct raw_group, pools), 1, USHER_POOLS_MAX},
    {"limit", MESSAGE_INTEGER, offsetof(struct raw_group, limit), 0, USHER_RESOURCE_UNITS_MAX},
};

static const struct message_table group_table = MESSAGE_TABLE(group_fields);

static enum usher_status group_read(const struct message_reader *reader,
                                    const struct message_place *place, yyjson_val *object,
                                    void *element)
{
    struct raw_group raw = {.limit = USHER_ABSENT};
    struct usher_limit_group *group = element;
    enum usher_status status = message_read_fields(reader, place, object, &group_table, &raw);
    if (status == USHER_OK && raw.limit == USHER_ABSENT)
        return message_missing(reader, place, "limit");
    group->limit = raw.limit;
    return status == USHER_OK
               ? pools_read(reader, place, raw.pools, &group->pools, &group->pool_count)
               : status;
}

static const struct message_list group_list = {"groups", sizeof(struct usher_limit_group),
                                               group_read};

struct raw_limits {
    struct usher_limits limits;
    yyjson_val *groups;
};

#define IN_LIMITS(member) offsetof(struct raw_limits, limits.member)

static const struct message_field limits_fields[] = {
    {"units_min", MESSAGE_INTEGER, IN_LIMITS(units_min), 1, USHER_UNITS_MAX},
    {"units_per_request", MESSAGE_INTEGER, IN_LIMITS(units_per_request), 1,
     USHER_RESOURCE_UNITS_MAX},
    {"units_per_customer", MESSAGE_INTEGER, IN_LIMITS(units_per_customer), 1,
     USHER_RESOURCE_UNITS_MAX},
    {"holds_per_customer", MESSAGE_INTEGER, IN_LIMITS(holds_per_customer), 1,
     USHER_RESOURCE_UNITS_MAX},
    {"groups", MESSAGE_LIST, offsetof(struct raw_limits, groups), 0, USHER_GROUPS_MAX},
};

static const struct message_table limits_table = MESSAGE_TABLE(limits_fields);

enum usher_status terms_decode_limits(const struct message_reader *reader, yyjson_val *object,
                                      const struct usher_limits **limits)
{
    const struct message_place place = {NULL, "limits", MESSAGE_NO_INDEX};
    struct raw_limits raw;
    memset(&raw, 0, sizeof raw);
    enum usher_status status = message_read_fields(reader, &place, object, &limits_table, &raw);
    if (status != USHER_OK)
        return status;
    if (raw.limits.units_per_request != 0 && raw.limits.units_per_request < raw.limits.units_min) {
        return message_fail(reader, &place, "units_per_request", "%lld is below units_min, %lld",
                            (long long)raw.limits.units_per_request,
                            (long long)raw.limits.units_min);
    }
    struct usher_limits *read = usher_arena_alloc(reader->arena, sizeof *read);
    *read = raw.limits;
    *limits = read;
    if (yyjson_arr_size(raw.groups) == 0)
        return USHER_OK;
    void *elements = NULL;
    status = message_read_list(reader, &place, &group_list, raw.groups, &elements);
    read->groups = elements;
    read->group_count = (uint32_t)yyjson_arr_size(raw.groups);
    return status;
}

/* ---- quotas ---- */

struct raw_quota {
    const char *quota;
    yyjson_val *pools;
    int64_t limit;
};

static const struct message_field quota_fields[] = {
    {"quota", MESSAGE_NAME, offsetof(struct raw_quota, quota), 0, USHER_NAME_MAX},
    {"pools", MESSAGE_LIST, offsetof(struct raw_quota, pools), 0, USHER_POOLS_MAX},
    {"limit", MESSAGE_INTEGER, offsetof(struct raw_quota, limit), 0, USHER_RESOURCE_UNITS_MAX},
};

static const struct message_table quota_table = MESSAGE_TABLE(quota_fields);

static enum usher_status quota_read(const struct message_reader *reader,
                                    const struct message_place *place, yyjson_val *object,
                                    void *element)
{
    struct raw_quota raw = {.limit = USHER_ABSENT};
    struct usher_quota *quota = element;
    enum usher_status status = message_read_fields(reader, place, object, &quota_table, &raw);
    if (status == USHER_OK && !raw.quota)
        return message_missing(reader, place, "quota");
    quota->quota = raw.quota;
    quota->limit_given = raw.limit != USHER_ABSENT;
    quota->limit = quota->limit_given ? raw.limit : 0;
    return status == USHER_OK
               ? pools_read(reader, place, raw.pools, &quota->pools, &quota->pool_count)
               : status;
}

static const struct message_list quota_list = {"quotas", sizeof(struct usher_quota), quota_read};

enum usher_status terms_decode_quotas(const struct message_reader *reader, yyjson_val *list,
                                      const struct usher_quota **quotas, uint32_t *count)
{
    void *elements = NULL;
    enum usher_status status = message_read_list(reader, NULL, &quota_list, list, &elements);
    if (status != USHER_OK)
        return status;
    *quotas = elements;
    *count = (uint32_t)yyjson_arr_size(list);
    const char **names = usher_arena_alloc(reader->arena, *count * sizeof *names);
    for (uint32_t i = 0; i < *count; i++)
        names[i] = (*quotas)[i].quota;
    const char *twice = terms_find_duplicate(reader->arena, names, *count);
    return twice ? message_duplicate(reader, NULL, "quotas", "quota", twice) : USHER_OK;
}

/* ---- rates ---- */

const struct message_field terms_rate_name = {"rates", MESSAGE_NAME, 0, 0, USHER_NAME_MAX};

enum usher_status terms_decode_price(const struct message_reader *reader,
                                     const struct message_place *rates, const char *rate,
                                     yyjson_val *value, int64_t *price)
{
    if (!yyjson_is_int(value))
        return message_wrong(reader, rates, rate, value, "is not an integer");
    *price = yyjson_get_sint(value);
    if (*price >= 0 && *price <= USHER_PRICE_MAX)
        return USHER_OK;
    return message_fail(reader, rates, rate, "%lld is not in 0 … %lld", (long long)*price,
                        (long long)USHER_PRICE_MAX);
}

enum usher_status terms_check_rate_count(const struct message_reader *reader,
                                         const struct message_place *place, size_t count)
{
    if (count == 0)
        return message_empty(reader, place, "rates");
    if (count <= USHER_RATES_MAX)
        return USHER_OK;
    return message_too_many(reader, place, "rates",
                            (struct message_count){(int64_t)count, "values", USHER_RATES_MAX});
}

enum usher_status terms_decode_rates(const struct message_reader *reader,
                                     const struct message_place *place, yyjson_val *object,
                                     const struct usher_rate **rates, uint32_t *count)
{
    const struct message_place inside = {place, "rates", MESSAGE_NO_INDEX};
    enum usher_status status = terms_check_rate_count(reader, place, yyjson_obj_size(object));
    if (status != USHER_OK)
        return status;
    struct usher_rate *array =
        usher_arena_alloc(reader->arena, yyjson_obj_size(object) * sizeof *array);
    size_t at, size;
    yyjson_val *key, *price;
    yyjson_obj_foreach(object, at, size, key, price) {
        struct usher_rate *rate = &array[at];
        status = message_read_key(reader, place, &terms_rate_name, key, &rate->rate);
        if (status == USHER_OK)
            status = terms_decode_price(reader, &inside, rate->rate, price, &rate->price);
        if (status != USHER_OK)
            return status;
    }
    *rates = array;
    *count = (uint32_t)size;
    return USHER_OK;
}

/* ==== Encoding ==== */

static void append_groups(struct usher_buffer *out, const struct usher_limits *limits)
{
    message_append_name(out, ",\"groups\"");
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < limits->group_count; i++) {
        const struct usher_limit_group *group = &limits->groups[i];
        message_append_comma(out, i);
        message_append_texts(out, "{\"pools\"", group->pools, group->pool_count);
        message_append_number(out, ",\"limit\"", group->limit);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]");
}

void terms_encode_limits(const struct usher_limits *limits, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "{");
    message_append_given(out, ",\"units_min\"", limits->units_min, false);
    message_append_given(out, ",\"units_per_request\"", limits->units_per_request, false);
    message_append_given(out, ",\"units_per_customer\"", limits->units_per_customer, false);
    message_append_given(out, ",\"holds_per_customer\"", limits->holds_per_customer, false);
    if (limits->group_count > 0)
        append_groups(out, limits);
    MESSAGE_LITERAL(out, "}");
}

void terms_encode_quotas(const struct usher_quota *quotas, uint32_t count, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        MESSAGE_LITERAL(out, "{");
        message_append_text(out, ",\"quota\"", quotas[i].quota);
        if (quotas[i].pools)
            message_append_texts(out, ",\"pools\"", quotas[i].pools, quotas[i].pool_count);
        message_append_given(out, ",\"limit\"", quotas[i].limit, quotas[i].limit_given);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]");
}

void terms_encode_rates(const struct usher_rate *rates, uint32_t count, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "{");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        usher_buffer_json_string(out, rates[i].rate);
        MESSAGE_LITERAL(out, ":");
        usher_buffer_number(out, rates[i].price);
    }
    MESSAGE_LITERAL(out, "}");
}
