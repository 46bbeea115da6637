/*
 * Each story of tests/stories is a case of this program, by its title, and each file of them a
 * group.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "story.h"
#include "tests/unit/unit.h"

enum {
    MAX_FILES = 100
};

static void is_told_by_the_core(void **state)
{
    assert_true(story_play(*state));
}

static void join_file(const char *path)
{
    static struct story_file files[MAX_FILES];
    static struct unit_group groups[MAX_FILES];
    static size_t count;
    assert_in_range(count, 0, MAX_FILES - 1);
    struct story_file *file = &files[count];
    struct unit_group *group = &groups[count++];
    story_read(file, path);
    struct CMUnitTest *tests = usher_arena_alloc(&file->arena, file->count * sizeof *tests);
    for (size_t i = 0; i < file->count; i++)
        tests[i] = (struct CMUnitTest){.name = file->stories[i].title,
                                       .test_func = is_told_by_the_core,
                                       .initial_state = &file->stories[i]};
    const char *name = strrchr(path, '/') + 1;
    *group = (struct unit_group){
        .name = usher_arena_text(&file->arena, name, strcspn(name, ".")),
        .tests = tests,
        .count = file->count,
    };
    unit_join(group);
}

/* Nothing is freed: the groups stay as long as the program runs. */
__attribute__((constructor)) static void join_stories(void)
{
    glob_t found;
    if (glob("tests/stories/*.story", 0, NULL, &found) != 0) {
        (void)fprintf(stderr, "no story is found: run this from the root of the project\n");
        exit(1);
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        join_file(found.gl_pathv[i]);
    globfree(&found);
}
