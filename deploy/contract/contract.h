/*
 * What the contract of usher is printed from: the rows of words.def, of the operations and of the
 * fields of messages.
 */
#ifndef USHER_CONTRACT_CONTRACT_H
#define USHER_CONTRACT_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/codec/message_fields.h"
#include "usher/memory.h"

/* A table of fields by its name in the contract, with those that objects of some kinds have. */
struct contract_table {
    const char *name;
    const struct message_table *table;
    const char *texts; /* the table of fields.def; NULL: the same name */
    uint32_t kinds;    /* 0: all */
};

/* The tables, ended by one without a name. */
const struct contract_table *contract_tables(void);

/* Returns the table of that name; aborts if there is none. */
const struct contract_table *contract_table_named(const char *name);

/* Returns the name of a table; NULL: it is printed nowhere. */
const char *contract_table_name(const struct message_table *table);

/* Returns whether the objects of that table have the field. */
bool contract_table_has(const struct contract_table *table, const struct message_field *field);

/* printf behind what is there. */
void contract_put(struct usher_buffer *out, const char *format, ...) USHER_PRINTF(2, 3);

/* Appends the names of these operations as a list of JSON. */
void contract_put_ops(struct usher_buffer *out, uint32_t ops);

/* Appends the names as a list of JSON, but for the values that have none. */
void contract_put_words(struct usher_buffer *out, const struct message_words *words);

/*
 * The same without brackets of a list of words: "states" of bookings, "refused" (reasons in a
 * refusal), "retryable" and "always" (reasons that are retryable often or always, and always).
 * Aborts at other names.
 */
void contract_put_words_named(struct usher_buffer *out, const char *name);

/* Prints contract.json. */
void contract_json(struct usher_buffer *out);

/*
 * Prints a file again: `text` with all marked parts as the rows are. contract_regions.c describes
 * the marks. Aborts at a mark of which nothing is known.
 */
void contract_renew(struct usher_buffer *out, const char *text);

/* Prints the fields of a table as the properties of a JSON Schema, with those that are required. */
void contract_fields(struct usher_buffer *out, const char *name, int indent);

/* Prints the reasons as a table of Markdown. */
void contract_reasons(struct usher_buffer *out);

/* Prints the fields of a table of requests as a table of Markdown. */
void contract_table_of_fields(struct usher_buffer *out, const char *name);

/* Print what staff read of states, of the units in a state, and of outcomes. */
void contract_staff_states(struct usher_buffer *out);
void contract_staff_units(struct usher_buffer *out);
void contract_staff_outcomes(struct usher_buffer *out);

/* Prints which operations need or refuse a field, as conditions of a JSON Schema. */
void contract_rules(struct usher_buffer *out, int indent);

#endif
