/*
 * Keys go where Java's default partitioner puts them.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "usher/message.h"

/* The first five are the contract's; the last ones are Kafka's own vectors of murmur2 itself. */
static void keys_go_where_java_puts_them(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        int32_t count, partition;
    } rows[] = {
        {"show:hamlet", 12, 1}, /* the top bit of its hash is set, as of the next one's */
        {"show:lear", 12, 5},
        {"show:hamlet-2026-12-24", 12, 7},
        {"hotel:milton-keynes", 12, 3},
        {"shop:main", 12, 11},
        {"shop:main", 1, 0},
        /* murmur2 of these: -973932308, -790332482, -985981536, -1486304829 */
        {"21", INT32_MAX, (int32_t)((-973932308 & INT32_MAX) % INT32_MAX)},
        {"foobar", INT32_MAX, (int32_t)((-790332482 & INT32_MAX) % INT32_MAX)},
        {"a-little-bit-long-string", INT32_MAX, (int32_t)((-985981536 & INT32_MAX) % INT32_MAX)},
        {"a-little-bit-longer-string", INT32_MAX, (int32_t)((-1486304829 & INT32_MAX) % INT32_MAX)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(usher_partition_of(rows[i].key, strlen(rows[i].key), rows[i].count),
                         rows[i].partition);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(keys_go_where_java_puts_them),
};
UNIT_TESTS(test_partition, tests, NULL, NULL)
