/* Runs the usher-producer that was built beside a test, as a shell would. */
#ifndef TESTS_SUPPORT_RUN_PRODUCER_H
#define TESTS_SUPPORT_RUN_PRODUCER_H

#include <stddef.h>

/* Finds the program and forgets USHER_* settings; for cmocka's group setup. Not 0: it is not there.
 */
int run_producer_setup(void **state);

/*
 * Runs it with words for the shell, both outputs into `text` with a NUL (what does not fit is
 * dropped); returns its exit code, -1 where it was killed.
 */
int run_producer(const char *words, char *text, size_t size);

/* The same, with what the command `input` prints as its standard input. */
int run_producer_fed(const char *input, const char *words, char *text, size_t size);

#endif
