/*
 * The catalogue part of a define, from options, the file of --plan and halls in files. Knows no
 * Kafka, and of CSV only that fields may be set one by one.
 */
#ifndef USHER_PRODUCER_PROGRAM_DEFINITION_H
#define USHER_PRODUCER_PROGRAM_DEFINITION_H

#include "producer/base/options.h"
#include "producer/codec/message_fields.h"
#include "producer/program/definition_spec.h"
#include "usher/message.h"

/*
 * ==== Text fields ====
 *
 * The fields of a define that are one text each: of flags, and of the columns of a CSV file.
 */

/* The next such field behind another, NULL for the first; NULL: there are no more. */
const struct message_field *definition_text_after(const struct message_field *field);

/* What its column is called: starts_at, ttl. */
const char *definition_column(const struct message_field *field);

/* The field with that column; NULL: there is none. */
const struct message_field *definition_field(const char *column);

/*
 * ==== Halls ====
 *
 * Reads a hall from a file: a pretix seating plan, or sections with rows in the short form of a
 * define. Knows neither options nor Kafka.
 */

struct chart_file {
    const char *path;
    const char *plan;                     /* canonical JSON; NULL: the short form */
    size_t plan_size;                     /* 0: the short form */
    const struct usher_section *sections; /* of the short form some may have no rows */
    uint32_t section_count;
    char name[72]; /* of the layout: sha256:… */
};

/*
 * Reads the file ("-" is standard input). All lives in `arena`, but the path, which is borrowed.
 * FATAL with exit code 65: it cannot be read, is neither of the two, or breaks a rule of charts:
 * `err` names zone, row and seat.
 */
USHER_MUST_CHECK enum usher_status chart_file_read(const char *path, struct usher_arena *arena,
                                                   struct chart_file *chart,
                                                   struct usher_error *err);

/* ==== Building ==== */

/* A definition, and what each entry of its lists was given as: "--section stalls". */
struct definition_flags {
    struct usher_definition definition;
    struct usher_section *sections; /* those of the definition, with room for one a flag */
    struct usher_product *products; /* those of the definition */
    const char **section_origins, **room_origins, **product_origins, **quota_origins,
        **restriction_origins;
    struct usher_limits limits;
    const struct chart_file *chart; /* of --plan; NULL */
};

/*
 * Builds the definition out of all flags of define. All lives in the options' arena. FATAL with
 * exit code 64, or 65 where the plan is wrong.
 */
USHER_MUST_CHECK enum usher_status
definition_build(struct options *options, struct definition_flags *flags, struct usher_error *err);

/* Whether the section of the definition came with the plan, in the short form. */
bool definition_is_of_plan(const struct definition_flags *flags,
                           const struct usher_section *section);

/* Warns on stderr of pools that have no price, and may be new. */
void definition_warn_unpriced(const struct definition_flags *flags);

/*
 * Sets the price or rates of a section, adding it where only the plan or the catalogue has it.
 * FATAL with exit code 64: it is neither in the plan nor among the flags (`what` names the place).
 * `flags->sections` needs room for one more.
 */
USHER_MUST_CHECK enum usher_status definition_set_rates(struct definition_flags *flags,
                                                        const struct spec_rates *rates,
                                                        const char *what, struct usher_error *err);

/* FATAL with exit code 65 where the rows break a rule of charts. */
USHER_MUST_CHECK enum usher_status definition_check_chart(const struct usher_definition *definition,
                                                          struct usher_error *err);

#endif
