/*
 * A table of options of each kind, loaded from flags, an environment without other options, and a
 * file.
 */
#ifndef OPTIONS_FIXTURE_H
#define OPTIONS_FIXTURE_H

#include "producer/base/options.h"

struct options_fixture {
    struct options options;
    struct usher_error err;
    char path[64]; /* of a file, empty at first */
};

extern const struct option_table options_fixture_table;

/* For cmocka: a fixture as the state of a test, and its end. */
int options_fixture_setup(void **state);
int options_fixture_teardown(void **state);

/* Unsets every option in the environment. */
void options_fixture_clear_environment(void);

/* Writes the file. */
void options_fixture_write(const struct options_fixture *fixture, const char *text);

/* Loads the words, which a NULL ends. */
enum usher_status options_fixture_load(struct options_fixture *fixture, const char *const *words);

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_WORDS ((const char *const[]){NULL})

/* Loading them fails with that code and message; for a refusal it is 64. */
void options_fixture_assert_ends(struct options_fixture *fixture, const char *const *words,
                                 enum usher_exit code, const char *message);
void options_fixture_assert_refused(struct options_fixture *fixture, const char *const *words,
                                    const char *message);

#endif
