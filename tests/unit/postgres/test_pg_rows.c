/*
 * Rows byte for byte as record_recv of PostgreSQL reads them: which columns, in which order, and
 * each kind of column with its oid and size.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_rows.h"

enum {
    ROW_AT = 24, /* behind the array's header, and the size of its only row */
};

/* Lets a type have these columns, with a space behind each, and writes a row of it. */
static struct pg_array row_of(enum pg_row_type type, const char *names, const void *row)
{
    const struct pg_row_columns *known = &pg_row_columns[type];
    struct pg_row_types types = {0};
    struct pg_array array = {0};
    for (const char *name = names; *name; name = strchr(name, ' ') + 1)
        for (uint32_t i = 0; i < known->count; i++)
            if (strlen(known->columns[i].name) == strcspn(name, " ") &&
                strncmp(known->columns[i].name, name, strcspn(name, " ")) == 0)
                types.columns[type][types.counts[type]++] = &known->columns[i];
    pg_rows_begin(&array, &types, type);
    pg_rows_add(&array, &types, type, row, 5);
    pg_array_finish(&array);
    return array;
}

/* The columns as a string literal: how many, and each with its oid, size and bytes. */
#define assert_row(type, names, row, literal)                                       \
    do {                                                                            \
        struct pg_array array = row_of(type, names, row);                           \
        assert_int_equal(ROW_AT + sizeof(literal) - 1, array.bytes.size);           \
        assert_memory_equal(literal, array.bytes.at + ROW_AT, sizeof(literal) - 1); \
        pg_array_deinit(&array);                                                    \
    } while (0)

static void a_row_has_the_columns_of_its_type_in_their_order(void **state)
{
    (void)state;
    const struct booking_row row = {
        .no = 258, .state = BOOKING_HELD, .from = BOOKING_WAITING, .customer = "c"};
    assert_row(PG_ROW_BOOKING_CHANGE, "was customer no ", &row,
               "\0\0\0\3"
               "\0\0\0\31\0\0\0\7waiting"
               "\0\0\0\31\0\0\0\1c"
               "\0\0\0\24\0\0\0\10\0\0\0\0\0\0\1\2");
    assert_row(PG_ROW_BOOKING, "partition state ", &row,
               "\0\0\0\2"
               "\0\0\0\27\0\0\0\4\0\0\0\5"
               "\0\0\0\31\0\0\0\4held");
}

static void every_kind_has_its_size_and_oid(void **state)
{
    (void)state;
    const struct decision_row row = {
        .first = true,
        .codec = 258,
        .epoch = -1,
        .id_hash = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
        .key = "\0\1",
        .key_size = 2,
        .body = "abc",
        .body_size = 2,
        .decided_ms = INT64_C(946684800001), /* a millisecond of 2000 */
    };
    assert_row(PG_ROW_DECISION, "first codec epoch id_hash key body decided_at ", &row,
               "\0\0\0\7"
               "\0\0\0\20\0\0\0\1\1"
               "\0\0\0\25\0\0\0\2\1\2"
               "\0\0\0\27\0\0\0\4\377\377\377\377"
               "\0\0\13\206\0\0\0\20\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20"
               "\0\0\0\21\0\0\0\2\0\1"
               "\0\0\0\31\0\0\0\2ab"
               "\0\0\4\240\0\0\0\10\0\0\0\0\0\0\3\350");
    assert_row(PG_ROW_POOL, "night capacity ",
               (&(struct pool_row){.night = 10958, .capacity = 258}),
               "\0\0\0\2"
               "\0\0\4\72\0\0\0\4\0\0\0\1" /* 2000-01-02 */
               "\0\0\0\27\0\0\0\4\0\0\1\2");
    assert_row(PG_ROW_BOOKING, "ttl_s ", (&(struct booking_row){.ttl_s = 258}),
               "\0\0\0\1"
               "\0\0\0\27\0\0\0\4\0\0\1\2");
}

static void what_stands_for_null_is_null(void **state)
{
    (void)state;
    const struct decision_row row = {
        .source_offset = OFFSET_NONE, .appended_ms = USHER_ABSENT, .key_size = 2};
    assert_row(PG_ROW_DECISION, "source_offset appended_at op client key body booking_nos ", &row,
               "\0\0\0\7"
               "\0\0\0\24\377\377\377\377"
               "\0\0\4\240\377\377\377\377"
               "\0\0\0\31\377\377\377\377"
               "\0\0\0\31\377\377\377\377"
               "\0\0\0\21\377\377\377\377"
               "\0\0\0\31\377\377\377\377"
               "\0\0\3\370\377\377\377\377");
    assert_row(PG_ROW_POOL, "night ", (&(struct pool_row){.night = NIGHT_NONE}),
               "\0\0\0\1"
               "\0\0\4\72\377\377\377\377");
    assert_row(PG_ROW_BOOKING, "ttl_s ", (&(struct booking_row){.ttl_s = USHER_ABSENT}),
               "\0\0\0\1"
               "\0\0\0\27\377\377\377\377");
}

static void a_column_may_be_an_array_itself(void **state)
{
    (void)state;
    const int64_t values[] = {258, -1};
    const struct decision_row row = {.booking_nos = values, .booking_no_count = 2};
    assert_row(PG_ROW_DECISION, "booking_nos ", &row,
               "\0\0\0\1"
               "\0\0\3\370\0\0\0\54"       /* 1016: 44 bytes */
               "\0\0\0\1\0\0\0\0\0\0\0\24" /* one dimension, no nulls, of 20 */
               "\0\0\0\2\0\0\0\1"          /* two elements, from 1 */
               "\0\0\0\10\0\0\0\0\0\0\1\2"
               "\0\0\0\10\377\377\377\377\377\377\377\377");
}

/* ---- the tables ---- */

/* Else a field would be written twice, and another one not at all. */
static void no_field_has_two_columns(void **state)
{
    (void)state;
    for (int type = 0; type < PG_ROW_TYPE_COUNT; type++) {
        const struct pg_row_columns *known = &pg_row_columns[type];
        assert_in_range(known->count, 1, PG_COLUMNS_MAX);
        for (uint32_t i = 0; i < known->count; i++)
            for (uint32_t j = 0; j < i; j++)
                assert_true(known->columns[i].kind == PG_COLUMN_PARTITION ||
                            known->columns[j].kind == PG_COLUMN_PARTITION ||
                            known->columns[i].at != known->columns[j].at);
    }
}

/* They are looked for up to the first value without one. */
static void names_have_no_gap(void **state)
{
    (void)state;
    for (int type = 0; type < PG_ROW_TYPE_COUNT; type++) {
        for (uint32_t i = 0; i < pg_row_columns[type].count; i++) {
            const struct pg_column *column = &pg_row_columns[type].columns[i];
            bool ended = column->kind != PG_COLUMN_NAME;
            assert_true(ended || column->name_of(1));
            for (unsigned value = 1; column->name_of && value < 100; value++) {
                ended = ended || !column->name_of(value);
                assert_true(ended == !column->name_of(value));
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_row_has_the_columns_of_its_type_in_their_order),
    cmocka_unit_test(every_kind_has_its_size_and_oid),
    cmocka_unit_test(what_stands_for_null_is_null),
    cmocka_unit_test(a_column_may_be_an_array_itself),
    cmocka_unit_test(no_field_has_two_columns),
    cmocka_unit_test(names_have_no_gap),
};
UNIT_TESTS(test_pg_rows, tests, NULL, NULL)
