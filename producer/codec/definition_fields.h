/*
 * The fields of a define and of its parts, one row each. Inside of the codec; usher-producer makes
 * its options of them.
 */
#ifndef USHER_PRODUCER_CODEC_DEFINITION_FIELDS_H
#define USHER_PRODUCER_CODEC_DEFINITION_FIELDS_H

#include "producer/codec/message_fields.h"
#include "usher/message.h"

/* Of a struct usher_definition, and of what its lists hold. */
extern const struct message_table definition_table, section_table, room_table, product_table,
    limits_table, quota_table, restriction_table;

/* Of a struct usher_restriction, what is stored of a date: the rate and the rules. */
extern const struct message_table restriction_rules_table;

/* Reads the fields of a define. REJECT as usher_request_decode does. */
USHER_MUST_CHECK enum usher_status definition_read(const struct message_reader *reader,
                                                   yyjson_val *object,
                                                   struct usher_definition *definition);

/* The days of the week of a restriction, a bit each; all where it names none. */
uint32_t restriction_days(const struct usher_restriction *restriction);

/* Whether a date is on one of these days. */
bool restriction_has(uint32_t days, int32_t date);

/* REJECT where a name is that of two quotas. */
USHER_MUST_CHECK enum usher_status definition_check_quotas(const struct message_reader *reader,
                                                           const struct usher_quota *quotas,
                                                           uint32_t count);

/* Returns a name that is listed more than once; NULL if there is none. */
const char *definition_find_duplicate(struct usher_arena *arena, const char *const *names,
                                      size_t count);

#endif
