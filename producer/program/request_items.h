/* Reads the items of a request from options, in the order in which they were given. */
#ifndef USHER_PRODUCER_PROGRAM_REQUEST_ITEMS_H
#define USHER_PRODUCER_PROGRAM_REQUEST_ITEMS_H

#include "producer/base/options.h"
#include "usher/message.h"

/*
 * --section, --sections, --room, --product and --seats begin an item, the others belong to the one
 * begun last. They live in the options' arena. FATAL with exit code 64: a flag without its item, a
 * number or date that cannot be read, a room without dates.
 */
USHER_MUST_CHECK enum usher_status request_items(struct options *options,
                                                 const struct usher_item **items, uint32_t *count,
                                                 struct usher_error *err);

/* The flag that began the item: "--sections". Static storage. */
const char *request_item_flag(const struct usher_item *item);

#endif
