/*
 * JSON in tests, readable: written with single quotes.
 */
#ifndef QUOTES_H
#define QUOTES_H

#include "usher/memory.h"

/* A copy of `text` in the arena with every ' turned into ". */
char *quotes_double(struct usher_arena *arena, const char *text);

#endif
