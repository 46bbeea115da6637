/*
 * Writes what a resource is sold under, in a fixed order: for a define and its content hash, and as
 * the database keeps it. Equal terms are equal bytes.
 */
#include "producer/codec/terms_encode.h"

#include "producer/codec/message_append.h"

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
