/*
 * Reads one flag of a define, stalls:price=4500,rows=A:20+B:22 and the like, or a whole define
 * as JSON from a file. All that comes out lives in the arena of the source; every function is
 * FATAL with exit code 64 where the text cannot be read.
 */
#ifndef USHER_PRODUCER_PROGRAM_DEFINITION_SPEC_H
#define USHER_PRODUCER_PROGRAM_DEFINITION_SPEC_H

#include <yyjson.h>

#include "producer/base/options.h"
#include "producer/program/flag_values.h"
#include "usher/memory.h"
#include "usher/message.h"

/* NAME:price=4500,rates=adult:4500+child:2500,capacity=300,overbook=5,rows=A:20+C-F:18:1 */
USHER_MUST_CHECK enum usher_status spec_section(const struct flag_source *source,
                                                struct usher_section *section,
                                                struct usher_error *err);

/* NAME:from=2026-01-01,to=2027-01-01,capacity=20,overbook=2,price=… or rates=… */
USHER_MUST_CHECK enum usher_status spec_room(const struct flag_source *source,
                                             struct usher_room *room, struct usher_error *err);

/* NAME:from=2026-12-19,to=2027-04-04,days=sat+sun,rate=ski,min_stay_arrival=7,stop_sell=true */
USHER_MUST_CHECK enum usher_status spec_restriction(const struct flag_source *source,
                                                    struct usher_restriction *restriction,
                                                    struct usher_error *err);

/* NAME:capacity=500,overbook=5,name=Programme,price=… or rates=… */
USHER_MUST_CHECK enum usher_status spec_product(const struct flag_source *source,
                                                struct usher_product *product,
                                                struct usher_error *err);

/* NAME:pools=stalls+balcony,limit=500; pools= with nothing behind it removes the quota. */
USHER_MUST_CHECK enum usher_status spec_quota(const struct flag_source *source,
                                              struct usher_quota *quota, struct usher_error *err);

/* units_min=1,units_per_request=8,units_per_customer=10,holds_per_customer=2,
 * hold_total_s=1800,house_hold_total_s=2592000; or none.
 */
USHER_MUST_CHECK enum usher_status
spec_limits(const struct flag_source *source, struct usher_limits *limits, struct usher_error *err);

/* stalls+balcony=4 */
USHER_MUST_CHECK enum usher_status spec_limit_group(const struct flag_source *source,
                                                    struct usher_limit_group *group,
                                                    struct usher_error *err);

/* NAME=adult:4500,child:2500, or NAME=4500. */
struct spec_rates {
    const char *pool;
    int64_t price;
    bool price_given; /* in place of rates */
    const struct usher_rate *rates;
    uint32_t rate_count;
};

USHER_MUST_CHECK enum usher_status spec_rates(const struct flag_source *source,
                                              struct spec_rates *rates, struct usher_error *err);

/* What stands behind the equals sign of the above. */
USHER_MUST_CHECK enum usher_status spec_rates_value(const struct flag_source *source,
                                                    struct spec_rates *rates,
                                                    struct usher_error *err);

/*
 * ==== Files ====
 *
 * Reads a define as JSON from a file: define --file.
 */

/*
 * Reads a define from the file of --file and appends it with request id, op, resource and `only` of
 * the request put in where they are missing. FATAL with exit code 65 where it cannot be read, is of
 * another resource or has no field of a define; 64 where flags say what the file says.
 */
USHER_MUST_CHECK enum usher_status definition_from_file(struct options *options,
                                                        const struct usher_request *request,
                                                        struct usher_buffer *out,
                                                        struct usher_error *err);

/*
 * Appends the object of such a file as a request: with op define, and with the request id, the
 * resource and `only` where `request` has them. False: it has no field of a define, and nothing is
 * appended.
 */
bool definition_file_complete(yyjson_val *root, const struct usher_request *request,
                              struct usher_arena *arena, struct usher_buffer *out);

#endif
