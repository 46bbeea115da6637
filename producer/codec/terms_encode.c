/*
 * Writes what a resource is sold under, in a fixed order: for a define and its content hash, and as
 * the database keeps it. Equal terms are equal bytes.
 */
#include "producer/codec/terms_encode.h"

#include "producer/codec/message_append.h"

static void append_limit(struct usher_buffer *out, uint32_t *written, const char *name,
                         int64_t limit)
{
    if (limit == USHER_ABSENT)
        return;
    message_append_comma(out, (*written)++);
    message_append_number(out, name, limit);
}

static void append_groups(struct usher_buffer *out, const struct usher_limits *limits)
{
    MESSAGE_LITERAL(out, "\"groups\":[");
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
    uint32_t written = 0;
    MESSAGE_LITERAL(out, "{");
    append_limit(out, &written, "\"units_min\"", limits->units_min);
    append_limit(out, &written, "\"units_per_request\"", limits->units_per_request);
    append_limit(out, &written, "\"units_per_customer\"", limits->units_per_customer);
    append_limit(out, &written, "\"holds_per_customer\"", limits->holds_per_customer);
    if (limits->group_count > 0) {
        message_append_comma(out, written);
        append_groups(out, limits);
    }
    MESSAGE_LITERAL(out, "}");
}

void terms_encode_quotas(const struct usher_quota *quotas, uint32_t count, struct usher_buffer *out)
{
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        message_append_text(out, "{\"quota\"", quotas[i].quota);
        message_append_texts(out, ",\"pools\"", quotas[i].pools, quotas[i].pool_count);
        message_append_number(out, ",\"limit\"", quotas[i].limit);
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
