/*
 * What each SQLSTATE comes to: of a function that a commit calls, of the commit itself, of a read.
 */
#include "tests/unit/unit.h"
#include "worker/postgres/pg_status.h"

static const struct row {
    const char *sqlstate;
    enum usher_status called, commit, read;
    enum usher_exit read_exit;
} rows[] = {
    /* the guard's own */
    {"US001", USHER_FENCED, USHER_FENCED, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
    {"US002", USHER_FENCED, USHER_FENCED, USHER_FENCED, USHER_EXIT_UNAVAILABLE},
    {"US003", USHER_HALT, USHER_HALT, USHER_HALT, USHER_EXIT_BUG},
    {"US004", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_CONFIG},
    /* data: only a commit can do without it */
    {"22003", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_BUG},
    {"22021", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_USAGE},
    {"23505", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_BUG},
    {"23514", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_BUG},
    {"54001", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_BUG},
    {"54011", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_BUG},
    {"54023", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_BUG},
    {"57014", USHER_REJECT, USHER_REJECT, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    /* the other side is away or busy */
    {NULL, USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"08006", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"25006", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"25P03", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"25P04", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"40001", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"40P01", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"53100", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"53200", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"53300", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"53400", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"54000", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"55000", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"55006", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"55P03", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"57P01", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"57P02", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"57P03", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"57P05", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"58030", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"58P01", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"72000", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"F0000", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"HV00N", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    /* access and set-up: of all batches, but a function may say so of one */
    {"28000", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_DENIED},
    {"28P01", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_DENIED},
    {"42501", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_DENIED},
    {"3D000", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_CONFIG},
    {"3F000", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_CONFIG},
    {"42P01", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_CONFIG},
    {"42804", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_CONFIG}, /* a type that grew */
    {"26000", USHER_REJECT, USHER_RETRY, USHER_FATAL, USHER_EXIT_CONFIG},
    /* a rule or a trigger of somebody else */
    {"0A000", USHER_HALT, USHER_HALT, USHER_HALT, USHER_EXIT_CONFIG},
    {"27000", USHER_HALT, USHER_HALT, USHER_HALT, USHER_EXIT_CONFIG},
    {"42P17", USHER_HALT, USHER_HALT, USHER_HALT, USHER_EXIT_CONFIG},
    /* damage, and what nobody thought of */
    {"XX001", USHER_HALT, USHER_HALT, USHER_HALT, USHER_EXIT_UNAVAILABLE},
    {"XX000", USHER_RETRY, USHER_RETRY, USHER_RETRY, USHER_EXIT_UNAVAILABLE},
    {"P0001", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_BUG},
    {"42601", USHER_REJECT, USHER_REJECT, USHER_FATAL, USHER_EXIT_BUG},
};

static void each_sqlstate_has_its_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct pg_meaning read = pg_status_meaning(row->sqlstate, PG_READ);
        print_message("%s\n", row->sqlstate ? row->sqlstate : "(lost)");
        assert_int_equal(row->called, pg_status_meaning(row->sqlstate, PG_COMMIT_CALLED).status);
        assert_int_equal(row->commit, pg_status_meaning(row->sqlstate, PG_COMMIT).status);
        assert_int_equal(row->read, read.status);
        assert_int_equal(row->read_exit, read.exit_code);
    }
}

/* Records of which any number may be set aside, and those of which only a few in a row may be. */
static void what_is_of_the_data_by_its_kind_is_told_apart(void **state)
{
    (void)state;
    assert_int_equal(pg_status_meaning("23514", PG_COMMIT_CALLED).exit_code, USHER_EXIT_BAD_INPUT);
    assert_int_equal(pg_status_meaning("57014", PG_COMMIT).exit_code, USHER_EXIT_BAD_INPUT);
    assert_int_equal(pg_status_meaning("P0001", PG_COMMIT_CALLED).exit_code, USHER_EXIT_BUG);
    assert_int_equal(pg_status_meaning("42501", PG_COMMIT_CALLED).exit_code, USHER_EXIT_BUG);
}

static void a_missing_schema_says_how_to_make_it(void **state)
{
    (void)state;
    assert_string_equal("run `usher-worker migrate up`",
                        pg_status_meaning("42P01", PG_READ).advice);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_sqlstate_has_its_meaning),
    cmocka_unit_test(what_is_of_the_data_by_its_kind_is_told_apart),
    cmocka_unit_test(a_missing_schema_says_how_to_make_it),
};
UNIT_TESTS(test_pg_status, tests, NULL, NULL)
