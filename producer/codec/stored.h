/*
 * What the database stores of requests and resources beside plain columns: terms and rates as
 * JSON, what a waiting hold wants, and the hashes that tell whether two requests are the same.
 * Not installed: only the worker stores it.
 */
#ifndef USHER_PRODUCER_CODEC_STORED_H
#define USHER_PRODUCER_CODEC_STORED_H

#include "usher/message.h"

/* The limits and quotas that apply to a resource. */
struct stored_terms {
    const struct usher_limits *limits; /* NULL: none */
    const struct usher_quota *quotas;  /* in the order of definition; limits given */
    uint32_t quota_count;
};

/* Appends {"limits":{…},"quotas":[…]} in canonical form; an absent part is left out. */
void stored_terms_encode(const struct stored_terms *terms, struct usher_buffer *out);

/* Reads it back into the arena. REJECT if it is malformed. */
USHER_MUST_CHECK enum usher_status stored_terms_decode(const char *json, size_t size,
                                                       struct usher_arena *arena,
                                                       struct stored_terms *terms,
                                                       struct usher_error *err);

/* Appends [["adult",4500],["child",2500]]: rates in the order listed. */
void stored_rates_encode(const struct usher_rate *rates, uint32_t count, struct usher_buffer *out);

/* Reads it back into the arena. REJECT if it is malformed. */
USHER_MUST_CHECK enum usher_status stored_rates_decode(const char *json, size_t size,
                                                       struct usher_arena *arena,
                                                       const struct usher_rate **rates,
                                                       uint32_t *count, struct usher_error *err);

/* Units at a rate of a pool, by its index as text. */
struct stored_use {
    const char *pool;
    const char *rate; /* NULL: the pool comes here, and its rates follow */
    int64_t units;
};

/* Reads {"0":{"early":12},"3":{}} into the arena. REJECT if it is something else. */
USHER_MUST_CHECK enum usher_status stored_uses_decode(const char *json, size_t size,
                                                      struct usher_arena *arena,
                                                      const struct stored_use **uses,
                                                      uint32_t *count, struct usher_error *err);

/*
 * Appends [{"min_stay_arrival":7},{"rate":"ski","closed_to_arrival":true}]: the stay restrictions
 * of a date, first those of all rates, then those of each rate. Room, dates and removed rules are
 * left out.
 */
void stored_restrictions_encode(const struct usher_restriction *restrictions, uint32_t count,
                                struct usher_buffer *out);

/* Reads it back into the arena. REJECT if it is malformed. */
USHER_MUST_CHECK enum usher_status
stored_restrictions_decode(const char *json, size_t size, struct usher_arena *arena,
                           const struct usher_restriction **restrictions, uint32_t *count,
                           struct usher_error *err);

/*
 * ==== Hashes ====
 *
 * Hashes that tell whether two requests are the same. Not installed: only the worker stores them.
 */

/*
 * First 16 bytes of the SHA-256 over the decoded known fields in canonical order, defaults left
 * out, without request_id, deadline and client: two requests with one id and one hash are repeats
 * of each other. What could be asked before must hash as before: new fields are left out where they
 * are absent. Any other change of what goes in here needs a new USHER_CODEC_VERSION.
 */
void request_content_hash(const struct usher_request *request, uint8_t hash[USHER_HASH_SIZE]);

/* First 16 bytes of the SHA-256 of an id: the index key of request ids. */
void request_id_hash(const char *id, uint8_t hash[USHER_HASH_SIZE]);

/*
 * ==== Waiting holds ====
 *
 * The part of a waiting hold that is decided again whenever units come free, as JSON. Not
 * installed: only the worker stores it.
 */

/*
 * Appends the part of a waiting hold that is stored:
 * {"op":"hold","items":[…],"ttl_s":…,"shortage":…,"wait_until":"…"}, as in requests. Before
 * wait_until equal requests have equal text.
 */
void wants_encode(const struct usher_request *request, struct usher_buffer *out);

/* Returns how many bytes of it are before wait_until: parties that wait for the same share them. */
size_t wants_shared_size(const char *json);

/* Returns until when the party asked to wait; INT64_MAX: it is not said. */
int64_t wants_until_ms(const char *json);

/*
 * Reads it back: op HOLD, items, shortage, ttl_s, wait_until; all else is absent. REJECT where it
 * is not such.
 */
USHER_MUST_CHECK enum usher_status wants_decode(const char *json, size_t size,
                                                struct usher_arena *arena,
                                                struct usher_request *request,
                                                struct usher_error *err);

#endif
