/*
 * What partitions may keep and take as the process's memory fills up, and where its maximum is
 * read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/unit.h"
#include "worker/observe/memory_limit.h"
#include "worker/partition/memory_budget.h"

#define MB INT64_C(1000000)

/* ---- shares ---- */

/* Notes that so much is used, of 1,000 MB, while each partition keeps what is given. */
static struct memory_share note(struct memory_share share, int64_t used_mb, int64_t a, int64_t b,
                                int64_t c)
{
    int64_t kept[] = {a * MB, b * MB, c * MB};
    memory_share_note(&share, used_mb * MB, 0, kept, 3);
    return share;
}

static struct memory_share new_share(void)
{
    struct memory_share share;
    memory_share_init(&share, 1000 * MB);
    return share;
}

static void nothing_is_limited_while_there_is_enough(void **state)
{
    (void)state;
    struct memory_share share = note(new_share(), 800, 500, 100, 100);
    assert_int_equal(share.level, INT64_MAX);
    assert_int_equal(share.portion, MEMORY_PARTS);
    assert_int_equal(share.reference, 0);
    assert_false(share.slow);
}

/* The more is used, the less is kept and taken; an eighth stays, and a record. */
static void less_is_kept_and_taken_the_more_is_used(void **state)
{
    (void)state;
    static const struct {
        int64_t used, level;
        uint32_t portion, records;
    } rows[] = {
        {860, 100, 500, 46}, {890, 50, 250, 5}, {915, 25, 41, 1}, {920, 25, 0, 1}, {990, 25, 0, 1},
    };
    struct memory_share share = note(new_share(), 801, 200, 200, 200);
    assert_int_equal(share.reference, 600 * MB);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        share = note(share, rows[i].used, 200, 200, 200);
        assert_int_equal(share.level, rows[i].level * MB);
        assert_int_equal(share.portion, rows[i].portion);
        assert_int_equal(share.slow, rows[i].used > 960);
        assert_int_equal(memory_portion(share.portion, 3000, 0), rows[i].records);
        assert_int_equal(share.reference, 600 * MB);
    }
}

/* Else it would keep less and less because of memory that is not its own. */
static void what_others_use_leaves_partitions_something(void **state)
{
    (void)state;
    struct memory_share share = note(new_share(), 950, 1, 1, 1);
    assert_int_equal(share.reference, 3 * MB);
    assert_int_equal(share.level, 58 * MB); /* 60 for all, of which two need only one */
}

/* It is not over as soon as a little is free: what was evicted would be loaded again at once. */
static void it_is_tight_until_there_is_enough_again(void **state)
{
    (void)state;
    struct memory_share share = note(new_share(), 850, 300, 100, 100);
    share = note(share, 790, 200, 100, 100);
    assert_int_equal(share.portion, MEMORY_PARTS);
    assert_int_equal(share.reference, 500 * MB);
    assert_int_equal(share.level, 300 * MB);
    share = note(share, 699, 200, 100, 100);
    assert_int_equal(share.reference, 0);
    assert_int_equal(share.level, INT64_MAX);
}

/* What somebody waits for is not yet used: no less is taken, but what is kept gives way. */
static void what_is_kept_gives_way_to_what_is_waited_for(void **state)
{
    (void)state;
    struct memory_share share = new_share();
    int64_t kept[] = {100 * MB, 100 * MB, 200 * MB};
    memory_share_note(&share, 600 * MB, 100 * MB, kept, 3);
    assert_int_equal(share.level, INT64_MAX);
    memory_share_note(&share, 600 * MB, 260 * MB, kept, 3);
    assert_int_equal(share.level, 200 * MB / 3);
    assert_int_equal(share.portion, MEMORY_PARTS);
    memory_share_note(&share, 600 * MB, 0, kept, 3);
    assert_int_equal(share.level, INT64_MAX);
}

static void those_that_keep_most_give_way_first(void **state)
{
    (void)state;
    /* Half of 600: 20 and 80 stay, the large one keeps what they leave. */
    struct memory_share share = note(new_share(), 860, 20, 500, 80);
    assert_int_equal(share.level, 200 * MB);
    /* One that was just taken over may grow as large. */
    share = note(share, 860, 0, 200, 100);
    assert_int_equal(share.level, 200 * MB);
    int64_t nothing[1];
    memory_share_note(&share, 860 * MB, 0, nothing, 0);
    assert_int_equal(share.level, 300 * MB);
}

static void a_portion_is_never_nothing_for_ever(void **state)
{
    (void)state;
    assert_int_equal(memory_portion(MEMORY_PARTS, 7, 100), 7);
    assert_int_equal(memory_portion(500, 3000, 0), 46);
    assert_int_equal(memory_portion(500, 2960, 40), 6);
    assert_int_equal(memory_portion(500, 2900, 100), 0);
    assert_int_equal(memory_portion(0, 3000, 0), 1);
    assert_int_equal(memory_portion(0, 2999, 1), 0);
    assert_int_equal(memory_portion(500, 0, 0), 0);
    assert_int_equal(memory_portion(0, 0, 0), 0);
}

static void limits_are_lowered_in_proportion(void **state)
{
    (void)state;
    const struct inventory_limits limits = {
        .bookings = 1000, .resources = 2000, .units = 5, .ids = 100000};
    const struct inventory_size size = {
        .bookings = 800, .resources = 100, .units = 1000, .ids = 5000};
    int64_t kept = memory_kept_bytes(&size);
    struct inventory_limits within = memory_limits_within(&limits, &size, kept);
    assert_memory_equal(&within, &limits, sizeof limits);
    within = memory_limits_within(&limits, &size, kept / 2);
    assert_in_range(within.bookings, 399, 400);
    assert_in_range(within.resources, 49, 50);
    assert_in_range(within.ids, 2499, 2500);
    assert_int_equal(within.units, 5);
    const struct inventory_size nothing = {0};
    within = memory_limits_within(&limits, &nothing, 0);
    assert_memory_equal(&within, &limits, sizeof limits);
}

/* ---- the maximum ---- */

/* A tree of files in the place of the system's. */
struct tree {
    char root[64];
};

static int make_tree(void **state)
{
    static struct tree tree;
    snprintf(tree.root, sizeof tree.root, "/tmp/usher-memory-XXXXXX");
    assert_non_null(mkdtemp(tree.root));
    *state = &tree;
    return 0;
}

static int remove_tree(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", ((struct tree *)*state)->root);
    return system(command);
}

static void write_file(const struct tree *tree, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", tree->root, path);
    for (char *slash = full + strlen(tree->root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_limit(const struct tree *tree, int64_t bytes, bool of_a_group)
{
    struct memory_limit limit = memory_limit_read(tree->root);
    assert_int_equal(limit.bytes, bytes);
    assert_int_equal(limit.of_a_group, of_a_group);
}

static void a_machine_without_groups_has_its_memory(void **state)
{
    const struct tree *tree = *state;
    assert_limit(tree, 0, false);
    write_file(tree, "/proc/meminfo", "MemFree: 1 kB\nMemTotal:       2048 kB\nCached: 9 kB\n");
    assert_limit(tree, 2048 * 1024, false);
    write_file(tree, "/proc/self/cgroup", "0::/\n");
    write_file(tree, "/sys/fs/cgroup/memory.max", "max\n");
    assert_limit(tree, 2048 * 1024, false);
}

static void the_lowest_limit_of_nested_groups_counts(void **state)
{
    const struct tree *tree = *state;
    write_file(tree, "/proc/meminfo", "MemTotal: 8192 kB\n");
    write_file(tree, "/proc/self/cgroup", "0::/pods/pod-1/worker\n");
    write_file(tree, "/sys/fs/cgroup/pods/pod-1/worker/memory.max", "max\n");
    assert_limit(tree, 8192 * 1024, false);
    write_file(tree, "/sys/fs/cgroup/pods/memory.max", "4000000\n");
    assert_limit(tree, 4000000, true);
    write_file(tree, "/sys/fs/cgroup/pods/pod-1/memory.max", "3000000\n");
    assert_limit(tree, 3000000, true);
    write_file(tree, "/sys/fs/cgroup/pods/pod-1/worker/memory.max", "5000000\n");
    assert_limit(tree, 3000000, true);
}

/* In a container the path is often that of the host, and what is mounted is its own group. */
static void version_1_and_paths_that_are_not_there(void **state)
{
    const struct tree *tree = *state;
    write_file(tree, "/proc/meminfo", "MemTotal: 8192 kB\n");
    write_file(tree, "/proc/self/cgroup",
               "9:name=systemd:/\n5:cpu,memory,pids:/docker/abc\n4:hugememory:/no\n");
    write_file(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_limit(tree, 8192 * 1024, false);
    write_file(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "6000000\n");
    assert_limit(tree, 6000000, true);
    write_file(tree, "/sys/fs/cgroup/memory/no/memory.limit_in_bytes", "1\n");
    assert_limit(tree, 6000000, true);
    write_file(tree, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "2000000\n");
    assert_limit(tree, 2000000, true);
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_is_limited_while_there_is_enough),
    cmocka_unit_test(less_is_kept_and_taken_the_more_is_used),
    cmocka_unit_test(what_others_use_leaves_partitions_something),
    cmocka_unit_test(it_is_tight_until_there_is_enough_again),
    cmocka_unit_test(what_is_kept_gives_way_to_what_is_waited_for),
    cmocka_unit_test(those_that_keep_most_give_way_first),
    cmocka_unit_test(a_portion_is_never_nothing_for_ever),
    cmocka_unit_test(limits_are_lowered_in_proportion),
    TREE_TEST(a_machine_without_groups_has_its_memory),
    TREE_TEST(the_lowest_limit_of_nested_groups_counts),
    TREE_TEST(version_1_and_paths_that_are_not_there),
};
UNIT_TESTS(test_memory_share, tests, NULL, NULL)
