/* Limits and quotas of a resource in words for people. */
#ifndef USHER_WORKER_PROGRAM_LOOK_TERMS_H
#define USHER_WORKER_PROGRAM_LOOK_TERMS_H

#include <stdio.h>

/* Prints them as they are stored, a line each; NULL: none. */
void look_terms_print(const char *json, FILE *out);

#endif
