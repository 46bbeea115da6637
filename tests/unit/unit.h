/*
 * A file of unit tests is a group of cases, and all groups of a folder are one program.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct unit_group {
    const char *name; /* of the file */
    const struct CMUnitTest *tests;
    size_t count;
    CMFixtureFunction setup, teardown; /* of the whole group; NULL: none */
    struct unit_group *next;
};

/* Adds a group to the program. */
void unit_join(struct unit_group *group);

/* The last line of a file: its cases join the program before main() begins. */
#define UNIT_TESTS(name, tests, setup, teardown)                                            \
    __attribute__((constructor)) static void join_##name(void)                              \
    {                                                                                       \
        static struct unit_group group = {#name, tests,    sizeof(tests) / sizeof *(tests), \
                                          setup, teardown, NULL};                           \
        unit_join(&group);                                                                  \
    }

#endif
