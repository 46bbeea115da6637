/*
 * Two places that tests of the core begin with: a shop with 500 mugs, and a small hall with a
 * booking in each state. JSON is written with single quotes (quotes.h).
 */
#ifndef CORE_PLACES_H
#define CORE_PLACES_H

#include "core_rig.h"

/* A request to the place, "r". */
#define ASK(id, op, rest) "{'request_id':'" id "','op':'" op "','resource':'r'" rest "}"

/* cmocka's set-up and tear-down, with the rig as state. */

int open_shop(void **state);

/* The same with as good as no memory: what may go goes. */
int open_forgetful_shop(void **state);

/* Commits what is in flight and checks what the database holds. */
int close_shop(void **state);

#define HALL                                                                      \
    "'sections':[{'section':'stalls','price':4500,'rows':[{'row':'A','seats':4}," \
    "{'row':'B','seats':3}]},{'section':'standing','capacity':5,'price':1000}]"

/* A hall with rows of 4 and 3, A-1 held, A-2 sold, and a booking in each of the other states. */
int open_hall(void **state);
int close_hall(void **state);

#endif
