/*
 * Binary arrays byte for byte as array_recv and record_recv of PostgreSQL read them.
 */
#include "tests/unit/unit.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_value.h"

static const uint8_t uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

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
    pg_array_int8(&array, 258);
    pg_array_int8_or_null(&array, -1, 0);
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
    pg_array_int4(&array, 7);
    pg_array_text(&array, NULL);
    pg_array_row(&array);
    pg_array_int4(&array, -1);
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

static void every_type_has_its_size_and_oid(void **state)
{
    (void)state;
    struct pg_array array = {0};
    pg_array_begin(&array, 1);
    pg_array_row(&array);
    pg_array_bool(&array, true);
    pg_array_int2(&array, 258);
    pg_array_uuid(&array, uuid);
    pg_array_bytes(&array, "\0\1", 2);
    pg_array_bytes(&array, NULL, 2);
    pg_array_date(&array, 10957, NIGHT_NONE);
    pg_array_date(&array, NIGHT_NONE, NIGHT_NONE);
    pg_array_int4_or_null(&array, 258, USHER_ABSENT);
    pg_array_int4_or_null(&array, USHER_ABSENT, USHER_ABSENT);
    pg_array_timestamp(&array, INT64_C(946684800001), INT64_MIN);
    pg_array_finish(&array);
    assert_memory_equal("\0\0\0\12" /* columns */
                        "\0\0\0\20\0\0\0\1\1"
                        "\0\0\0\25\0\0\0\2\1\2",
                        array.bytes.at + 24, 4 + 9 + 10);
    const char *at = array.bytes.at + 24 + 4 + 9 + 10;
    assert_memory_equal("\0\0\13\206\0\0\0\20\1\2\3\4\5\6\7\10", at, 16);
    assert_memory_equal("\0\0\0\21\0\0\0\2\0\1"
                        "\0\0\0\21\377\377\377\377"
                        "\0\0\4\72\0\0\0\4\0\0\0\0" /* 2000-01-01 */
                        "\0\0\4\72\377\377\377\377"
                        "\0\0\0\27\0\0\0\4\0\0\1\2"
                        "\0\0\0\27\377\377\377\377"
                        "\0\0\4\240\0\0\0\10\0\0\0\0\0\0\3\350", /* a millisecond of 2000 */
                        at + 24, 10 + 8 + 12 + 8 + 12 + 8 + 16);
    pg_array_deinit(&array);
}

static void a_column_may_be_an_array_itself(void **state)
{
    (void)state;
    const int64_t values[] = {258, -1};
    struct pg_array array = {0};
    pg_array_begin(&array, 1);
    pg_array_row(&array);
    pg_array_int8s(&array, values, 2);
    pg_array_int8s(&array, NULL, 0);
    pg_array_int4(&array, 7);
    pg_array_finish(&array);
    assert_memory_equal("\0\0\0\3"                  /* columns */
                        "\0\0\3\370\0\0\0\54"       /* 1016: 44 bytes */
                        "\0\0\0\1\0\0\0\0\0\0\0\24" /* one dimension, no nulls, of 20 */
                        "\0\0\0\2\0\0\0\1"          /* two elements, from 1 */
                        "\0\0\0\10\0\0\0\0\0\0\1\2"
                        "\0\0\0\10\377\377\377\377\377\377\377\377"
                        "\0\0\3\370\377\377\377\377"
                        "\0\0\0\27\0\0\0\4\0\0\0\7",
                        array.bytes.at + 24, 4 + 8 + 44 + 8 + 12);
    assert_int_equal(24 + 4 + 8 + 44 + 8 + 12, array.bytes.size);
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
            pg_array_int4(&array, i);
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
    cmocka_unit_test(every_type_has_its_size_and_oid),
    cmocka_unit_test(a_column_may_be_an_array_itself),
    cmocka_unit_test(its_memory_is_used_again),
    cmocka_unit_test(parameters_are_binary_and_null_where_absent),
};
UNIT_TESTS(test_pg_array, tests, NULL, NULL)
