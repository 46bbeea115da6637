/*
 * What the contract of usher is printed from: the rows of words.def, of the operations and of the
 * fields of messages.
 */
#ifndef USHER_CONTRACT_CONTRACT_H
#define USHER_CONTRACT_CONTRACT_H

#include <stdint.h>

#include "producer/codec/message_fields.h"
#include "usher/memory.h"

/* A table of fields by its name in the contract. */
struct contract_table {
    const char *name;
    const struct message_table *table;
};

/* The tables, ended by one without a name. */
const struct contract_table *contract_tables(void);

/* Returns the table of that name; aborts if there is none. */
const struct contract_table *contract_table_named(const char *name);

/* Returns the name of a table; NULL: it is printed nowhere. */
const char *contract_table_name(const struct message_table *table);

/* printf behind what is there. */
void contract_put(struct usher_buffer *out, const char *format, ...) USHER_PRINTF(2, 3);

/* Appends the names of these operations as a list of JSON. */
void contract_put_ops(struct usher_buffer *out, uint32_t ops);

/* Appends the names as a list of JSON, but for the values that have none. */
void contract_put_words(struct usher_buffer *out, const struct message_words *words);

/* Prints contract.json. */
void contract_json(struct usher_buffer *out);

#endif
