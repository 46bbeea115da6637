/* The table of messages under way, and the first look at an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/client/client.h"
#include "producer/codec/answer_scan.h"
#include "tests/unit/unit.h"

static struct pending_entry *await(struct pending *pending, const char *id, const char *resource)
{
    struct pending_entry *entry = pending_add(pending);
    pending_await(pending, entry, id, resource);
    return entry;
}

static struct pending_entry *find(const struct pending *pending, const char *id,
                                  const char *resource)
{
    return pending_find(pending, id, strlen(id), resource, strlen(resource));
}

static void test_found_by_id_and_resource(void **state)
{
    struct pending pending = {0};
    (void)state;
    assert_null(find(&pending, "a", "x"));
    struct pending_entry *ax = await(&pending, "a", "x"), *ay = await(&pending, "a", "y");
    assert_ptr_equal(find(&pending, "a", "x"), ax);
    assert_ptr_equal(find(&pending, "a", "y"), ay);
    assert_null(find(&pending, "b", "x"));
    pending_settle(&pending, ax);
    assert_null(find(&pending, "a", "x"));
    assert_int_equal(pending.count, 2);
    pending_remove(&pending, ax);
    assert_int_equal(pending.count, 1);
    pending_deinit(&pending);
}

static void test_equal_ids_are_found_oldest_first(void **state)
{
    struct pending pending = {0};
    (void)state;
    struct pending_entry *first = await(&pending, "a", "x"), *second = await(&pending, "a", "x");
    assert_ptr_equal(find(&pending, "a", "x"), first);
    pending_settle(&pending, first);
    assert_ptr_equal(find(&pending, "a", "x"), second);
    pending_deinit(&pending);
}

static void test_many_keep_age_order_and_are_all_found(void **state)
{
    enum {
        COUNT = 20000
    };
    static struct pending_entry *entries[COUNT];
    struct pending pending = {0};
    char id[32];
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        snprintf(id, sizeof id, "web-%d", i);
        entries[i] = await(&pending, id, "show:x");
    }
    for (int i = 0; i < COUNT; i += 2) {
        snprintf(id, sizeof id, "web-%d", i);
        assert_ptr_equal(find(&pending, id, "show:x"), entries[i]);
        pending_settle(&pending, entries[i]);
        pending_remove(&pending, entries[i]);
    }
    assert_int_equal(pending.waiting_count, COUNT / 2);
    for (int i = 1; i < COUNT; i += 2) {
        assert_ptr_equal(pending.oldest, entries[i]);
        pending_settle(&pending, pending.oldest);
    }
    assert_null(pending.oldest);
    assert_null(pending.newest);
    pending_deinit(&pending);
}

static const char answer[] =
    "{\"request_id\":\"web-3\",\"op\":\"hold\",\"resource\":\"show:x\",\"outcome\":\"expired\","
    "\"unasked\":true,\"cause\":\"expiry\",\"detail\":\"a \\\"seq\\\":9\",\"rev\":4,\"seq\":812,"
    "\"epoch\":7}";

static void test_scan(void **state)
{
    static const char no_id[] = "{\"request_id\":null,\"outcome\":\"invalid\",\"seq\":5}";
    const char *id;
    size_t id_size;
    int64_t seq;
    (void)state;
    assert_true(answer_scan_id(answer, sizeof answer - 1, &id, &id_size));
    assert_int_equal(id_size, 5);
    assert_memory_equal(id, "web-3", 5);
    assert_true(answer_scan_seq(answer, sizeof answer - 1, &seq));
    assert_int_equal(seq, 812);
    assert_true(answer_scan_unrequested(answer, sizeof answer - 1));
    assert_false(answer_scan_id(no_id, sizeof no_id - 1, &id, &id_size));
    assert_true(answer_scan_seq(no_id, sizeof no_id - 1, &seq));
    assert_int_equal(seq, 5);
    assert_false(answer_scan_unrequested(no_id, sizeof no_id - 1));
}

static void test_scan_of_what_is_no_answer(void **state)
{
    const char *id;
    size_t id_size;
    int64_t seq;
    (void)state;
    size_t seq_end = (size_t)(strstr(answer, ",\"epoch\"") - answer);
    /* Cut anywhere, nothing beyond the end is read (the sanitizer looks on). */
    for (size_t size = 0; size < sizeof answer - 1; size++) {
        char *copy = strndup(answer, size);
        assert_int_equal(answer_scan_id(copy, size, &id, &id_size), size > 20);
        assert_int_equal(answer_scan_seq(copy, size, &seq), size > seq_end);
        free(copy);
    }
    static const char huge[] = "{\"a\":1,\"seq\":99999999999999999999}";
    assert_false(answer_scan_seq(huge, sizeof huge - 1, &seq));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_found_by_id_and_resource),
    cmocka_unit_test(test_equal_ids_are_found_oldest_first),
    cmocka_unit_test(test_many_keep_age_order_and_are_all_found),
    cmocka_unit_test(test_scan),
    cmocka_unit_test(test_scan_of_what_is_no_answer),
};
UNIT_TESTS(test_pending, tests, NULL, NULL)
