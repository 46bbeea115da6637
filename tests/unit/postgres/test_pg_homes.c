/* What several databases say together of where partitions live, and how it is told. */
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/postgres/pg_homes.h"

/* What is told of the answers; "": each lives in exactly one. */
static char told[512];

static int32_t judge(const char *const *answers, int32_t partition_count)
{
    struct usher_arena arena = {0};
    struct pg_homes homes = {0};
    struct usher_error err = {0};
    int32_t home;
    for (int32_t i = 0; answers[i]; i++)
        pg_homes_add(&homes, i, answers[i], &arena);
    const enum usher_status status = pg_homes_judge(&homes, partition_count, &home, &arena, &err);
    assert_int_equal(status, home == 0                 ? USHER_OK
                             : home == PG_HOME_SEVERAL ? USHER_FATAL
                                                       : USHER_RETRY);
    memcpy(told, err.text, sizeof told);
    usher_arena_deinit(&arena);
    return home;
}

#define JUDGE(count, ...) judge((const char *const[]){__VA_ARGS__, NULL}, count)

static void each_lives_in_one(void **state)
{
    (void)state;
    assert_int_equal(0, JUDGE(0, "4 a 0,1!b,2", "4 b 1,2!a,3"));
    assert_int_equal(0, JUDGE(4, "4 - 0,1"));
    assert_int_equal(0, JUDGE(0, "0 a "));
}

static void a_shard_that_is_not_named_is_told(void **state)
{
    (void)state;
    assert_int_equal(PG_HOME_NOT_NAMED, JUDGE(0, "4 a 0,1!b,2,3!b"));
    assert_string_equal("partitions 1 and 3 live in shard b, which USHER_POSTGRES does not name",
                        told);
    assert_int_equal(PG_HOME_NOT_NAMED, JUDGE(0, "9 a 0,1!b,2!c,3!b,4!b,5!b,6,7!c,8!b"));
    assert_string_equal("partitions 1, 3-5 and 8 live in shard b, which USHER_POSTGRES does not "
                        "name; partitions 2 and 7 live in shard c, which USHER_POSTGRES does not "
                        "name",
                        told);
    assert_int_equal(PG_HOME_NOT_NAMED, JUDGE(0, "3 a 0!b,1", "3 b 0!c"));
    assert_string_equal("partition 0 lives in shard c, which USHER_POSTGRES does not name; no "
                        "database of USHER_POSTGRES has partition 2",
                        told);
}

static void what_a_move_may_explain_is_told(void **state)
{
    (void)state;
    assert_int_equal(PG_HOME_LEFT, JUDGE(0, "2 a 0!b,1", "2 b "));
    assert_non_null(strstr(told, "has partition 0: its rows were left in one of them"));
    assert_int_equal(PG_HOME_UNDERWAY, JUDGE(0, "2 a 0?,1", "2 b 0!a"));
    assert_non_null(strstr(told, "has partition 0: it stands still on its way"));
    assert_int_equal(PG_HOME_SEVERAL, JUDGE(0, "2 a 0,1", "2 b 0"));
    assert_non_null(strstr(told, "more than one database of USHER_POSTGRES has partition 0: "));
    assert_int_equal(PG_HOME_UNKNOWN, JUDGE(5, "2 a 0,1"));
    assert_non_null(strstr(told, "has partition 2-4: perhaps the URI of one is missing"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_lives_in_one),
    cmocka_unit_test(a_shard_that_is_not_named_is_told),
    cmocka_unit_test(what_a_move_may_explain_is_told),
};
UNIT_TESTS(test_pg_homes, tests, NULL, NULL)
