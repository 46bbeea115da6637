/*
 * Binary arrays byte for byte as array_recv and record_recv of PostgreSQL read them.
 */
#include "tests/unit/unit.h"
#include "worker/postgres/pg_value.h"

/* Compares with bytes written as a string literal. */
#define assert_bytes(array, literal)                                          \
    do {                                                                      \
        assert_int_equal(sizeof(literal) - 1, (array)->bytes.size);           \
        assert_memory_equal(literal, (array)->bytes.at, sizeof(literal) - 1); \
    } while (0)

static void scalars_have_their_length_before_them(void **state)
{
    (void)state;
    struct pg_array array = {0};
    pg_array_begin(&array, PG_TYPE_INT8);
    pg_array_int8(&array, PG_TYPE_INT8, 258);
    pg_array_int8(&array, PG_TYPE_INT8, -1);
    pg_array_finish(&array);
    assert_bytes(&array, "\0\0\0\1" /* dimensions */ "\0\0\0\0" /* no nulls */ "\0\0\0\24" /* 20 */
                         "\0\0\0\2" /* elements */ "\0\0\0\1" /* from 1 */
                         "\0\0\0\10"
                         "\0\0\0\0\0\0\1\2"
                         "\0\0\0\10"
                         "\377\377\377\377\377\377\377\377");
    pg_array_deinit(&array);
}

static void a_null_among_scalars_is_said_in_the_header(void **state)
{
    (void)state;
    struct pg_array array = {0};
    pg_array_begin(&array, PG_TYPE_TEXT);
    pg_array_text(&array, "ab");
    pg_array_text(&array, NULL);
    pg_array_text(&array, "");
    pg_array_finish(&array);
    assert_bytes(&array, "\0\0\0\1"
                         "\0\0\0\1" /* has nulls */ "\0\0\0\31" /* 25 */ "\0\0\0\3"
                         "\0\0\0\1"
                         "\0\0\0\2"
                         "ab"
                         "\377\377\377\377"
                         "\0\0\0\0");
    pg_array_deinit(&array);
}

static void rows_name_the_type_of_each_column(void **state)
{
    (void)state;
    struct pg_array array = {0};
    pg_array_begin(&array, 70000);
    pg_array_row(&array);
    pg_array_int4(&array, PG_TYPE_INT4, 7);
    pg_array_text(&array, NULL);
    pg_array_row(&array);
    pg_array_int4(&array, PG_TYPE_INT4, -1);
    pg_array_text(&array, "x");
    pg_array_finish(&array);
    assert_bytes(&array, "\0\0\0\1"
                         "\0\0\0\0" /* rows are never null */ "\0\1\21\160" /* 70000 */ "\0\0\0\2"
                         "\0\0\0\1"
                         "\0\0\0\30" /* 24 bytes */ "\0\0\0\2" /* columns */
                         "\0\0\0\27"
                         "\0\0\0\4"
                         "\0\0\0\7"
                         "\0\0\0\31"
                         "\377\377\377\377"
                         "\0\0\0\31" /* 25 bytes */ "\0\0\0\2"
                         "\0\0\0\27"
                         "\0\0\0\4"
                         "\377\377\377\377"
                         "\0\0\0\31"
                         "\0\0\0\1"
                         "x");
    pg_array_deinit(&array);
}

static void its_memory_is_used_again(void **state)
{
    (void)state;
    struct pg_array array = {0};
    const char *before = NULL;
    for (int round = 0; round < 3; round++) {
        pg_array_begin(&array, PG_TYPE_INT4);
        for (int32_t i = 0; i < 10000; i++)
            pg_array_int4(&array, PG_TYPE_INT4, i);
        pg_array_finish(&array);
        assert_int_equal(20 + 10000 * 8, array.bytes.size);
        assert_true(round == 0 || array.bytes.at == before);
        before = array.bytes.at;
    }
    pg_array_begin(&array, PG_TYPE_INT4);
    pg_array_finish(&array);
    assert_int_equal(20, array.bytes.size);
    assert_memory_equal("\0\0\0\0", array.bytes.at + 12, 4);
    pg_array_deinit(&array);
}

static void parameters_are_binary_and_null_where_absent(void **state)
{
    (void)state;
    struct pg_params params = {0};
    struct pg_array array = {0};
    pg_array_begin(&array, PG_TYPE_INT4);
    pg_params_int4(&params, 258);
    pg_params_int8_or_null(&params, -1, -1);
    pg_params_text(&params, "ab");
    pg_params_text(&params, NULL);
    pg_params_timestamp(&params, 0, 0);
    pg_params_array(&params, &array);
    assert_int_equal(6, params.count);
    assert_memory_equal("\0\0\1\2", params.values[0], 4);
    assert_int_equal(4, params.sizes[0]);
    assert_null(params.values[1]);
    assert_memory_equal("ab", params.values[2], 2);
    assert_int_equal(2, params.sizes[2]);
    assert_null(params.values[3]);
    assert_null(params.values[4]);
    assert_int_equal(20, params.sizes[5]);
    for (int i = 0; i < params.count; i++)
        assert_int_equal(1, params.formats[i]);
    pg_array_deinit(&array);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(scalars_have_their_length_before_them),
    cmocka_unit_test(a_null_among_scalars_is_said_in_the_header),
    cmocka_unit_test(rows_name_the_type_of_each_column),
    cmocka_unit_test(its_memory_is_used_again),
    cmocka_unit_test(parameters_are_binary_and_null_where_absent),
};
UNIT_TESTS(test_pg_array, tests, NULL, NULL)
