/* Requests of all kinds to a few resources, at random: in JSON with single quotes, for core_rig. */
#ifndef TESTS_RANDOM_REQUESTS_H
#define TESTS_RANDOM_REQUESTS_H

#include <stdint.h>

#include "usher/message.h"

/* The same seed gives the same throws and the same requests. */
void random_begin(uint32_t seed);

/* 0 to sides - 1. */
uint32_t dice(uint32_t sides);

/* A request about one of the resources `r0` … `r3`; in the arena. */
const char *random_request(struct usher_arena *arena, int64_t now_ms);

const char *random_define(struct usher_arena *arena);

/*
 * One that is better decided while nothing is in flight: customers are counted from then on, or all
 * bookings are cancelled.
 */
const char *random_upheaval(struct usher_arena *arena);

#endif
