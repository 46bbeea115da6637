/*
 * The program of a folder of unit tests. Each argument is a pattern, as of a shell: a group runs if
 * its name matches one, a case if its own name does. Without arguments all run. --list prints the
 * names of the groups, --cases of the cases.
 */
#include "tests/unit/unit.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_CASES = 200 /* of a group */
};

static struct unit_group *groups;

void unit_join(struct unit_group *group)
{
    struct unit_group **place = &groups;
    while (*place && strcmp((*place)->name, group->name) < 0)
        place = &(*place)->next;
    group->next = *place;
    *place = group;
}

static bool matches(const char *name, char *const *patterns)
{
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0)
            return true;
    return false;
}

/* Adds to `ran` how many cases match; returns how many failed. */
static int run(const struct unit_group *group, char *const *patterns, size_t *ran)
{
    static struct CMUnitTest chosen[MAX_CASES];
    size_t count = 0;
    bool all = !*patterns || matches(group->name, patterns);
    assert_in_range(group->count, 1, MAX_CASES);
    for (size_t i = 0; i < group->count; i++)
        if (all || matches(group->tests[i].name, patterns))
            chosen[count++] = group->tests[i];
    if (count == 0)
        return 0;
    *ran += count;
    return _cmocka_run_group_tests(group->name, chosen, count, group->setup, group->teardown);
}

static int list(bool cases)
{
    for (const struct unit_group *group = groups; group; group = group->next) {
        if (!cases)
            puts(group->name);
        for (size_t i = 0; cases && i < group->count; i++)
            printf("%s %s\n", group->name, group->tests[i].name);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--list") == 0 || strcmp(argv[1], "--cases") == 0))
        return list(strcmp(argv[1], "--cases") == 0);
    int failed = 0;
    size_t ran = 0;
    for (const struct unit_group *group = groups; group; group = group->next)
        failed += run(group, argv + 1, &ran);
    if (ran > 0)
        return failed > 0;
    fprintf(stderr, "%s: no test has such a name\n", argv[0]);
    return 64;
}
