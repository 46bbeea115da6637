/*
 * The pools of a resource for people: sections and products as a table, rooms as a calendar of what
 * is free, a line a type and a column a night.
 */
#ifndef USHER_PRODUCER_TERMINAL_POOL_TABLE_H
#define USHER_PRODUCER_TERMINAL_POOL_TABLE_H

#include <stdint.h>

#include "producer/terminal/terminal.h"
#include "usher/message.h"

struct pool_list {
    const struct usher_pool_status *pools;
    uint32_t count;
    const char *currency; /* NULL: amounts are in minor units */
};

/* Prints them; nothing where there are none. */
void pool_table_print(const struct pool_list *list, const struct terminal *terminal);

#endif
