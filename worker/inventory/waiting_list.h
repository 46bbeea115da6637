/*
 * The waiting list of a resource. Parties that want the same form a class, a queue in order
 * of their numbers: where one of them cannot be served for want of units, none of its class can.
 * PURE: who fits is not known here.
 *
 * The list is served in rounds. A round begins when something changed that can make a party
 * fit, and asks each class that it can concern for its next party, the oldest of all first, until
 * none is left to try. A class is concerned if units of a pool came back that it wants, and enough
 * of everything it wants is free: so a return costs a look at each class, not a plan. Taking
 * units begins no round, although it can make a party with several items fit, as usher may choose
 * other seats then: such a party waits for the next return.
 *     waiting_begin; while ((party = waiting_next(resource))) served: its state changes (waiting_
 *     remove); wants units that are not there: waiting_pass_class; limited: waiting_pass_party.
 * A round may be interrupted and resumed at any time.
 */
#ifndef USHER_WORKER_INVENTORY_WAITING_LIST_H
#define USHER_WORKER_INVENTORY_WAITING_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/base/list.h"
#include "usher/memory.h"
#include "usher/message.h"
#include "worker/base/table.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

/* The least a class wants of a pool; not given if any of several pools will do. */
struct waiting_need {
    uint32_t pool;     /* index */
    uint32_t unit;     /* this exact unit; UINT32_MAX: any */
    uint32_t quantity; /* 0: not given */
};

struct waiting_class {
    struct waiting_need *needs; /* by the names that pools and seats have now */
    uint32_t need_count, need_limit;
    bool unknown;              /* it names something that does not exist: no return can serve it */
    bool judged;               /* since a define; then: */
    enum usher_reason refusal; /* why its parties wait in vain, or NONE */
    int64_t until_ms;          /* when time ends their wait, whatever they asked for; INT64_MAX */
    struct table_node by_wants;
    const char *wants;            /* as in booking.wants, before wait_until */
    struct usher_request request; /* decoded by wants_decode: items, shortage, ttl_s */
    struct list parties;          /* booking.party, by number */
    struct list_node *next;       /* the party to try next in this round; NULL: the class is done */
    uint32_t round_index;         /* place in the round, unless it is done */
    struct usher_arena arena;
};

/*
 * Adds a booking in state WAITING, which is in no list by use, by its number. It is not tried in a
 * round under way, unless it was there when the round began. False: its wants cannot be read.
 */
bool waiting_add(struct resource *resource, struct booking *booking);

/* Takes it off the list. */
void waiting_remove(struct resource *resource, struct booking *booking);

void waiting_begin(struct resource *resource);

/* Notes that units of a pool came back: the next round is about those who want some. */
void waiting_note_return(struct resource *resource, uint32_t pool);

/* Marks every class as concerned until the round is over: limits changed. */
void waiting_mark_all_classes(struct resource *resource);

/*
 * Resolves the requests of the classes again, as what is sold was changed: pools or seats were
 * renamed. All parties are to be judged again.
 */
void waiting_rename(struct resource *resource);

/*
 * Begins to judge all parties: whether each may be served some day. Returns the oldest that is not
 * judged, or NULL; whose turn it is from now on is the next one.
 */
void waiting_judge_all(struct resource *resource);
struct booking *waiting_unjudged(struct resource *resource);
bool waiting_is_judged(const struct resource *resource);

/* Returns the oldest party that was not tried yet in this round, or NULL: the round is over. */
struct booking *waiting_next(struct resource *resource);
void waiting_pass_party(struct resource *resource, struct booking *booking);
void waiting_pass_class(struct resource *resource, struct booking *booking);

/* Calls for each party, by number; `visit` may remove the party it is given. */
void waiting_each(struct resource *resource, void (*visit)(struct booking *booking, void *self),
                  void *self);

/* Returns the party with the lowest number, or NULL. */
struct booking *waiting_oldest(const struct resource *resource);

/*
 * Returns the place of a party on the list, 1 is the oldest; 0: more than `max` parties are before
 * it or it. Counts so many at most.
 */
uint32_t waiting_position(const struct booking *booking, uint32_t max);

/* Frees the classes; the bookings are not its own. */
void waiting_deinit(struct waiting_list *list);

#endif
