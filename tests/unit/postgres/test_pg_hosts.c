/* Which hosts of a connection string are left when one of them does not answer. */
#include "tests/unit/unit.h"
#include "worker/postgres/pg_hosts.h"

static const struct {
    struct pg_hosts hosts;
    const char *name, *port;
    struct pg_hosts left; /* all NULL: none */
} cases[] = {
    {{"a,b,c", NULL, "1,2,3"}, "a", "1", {"b,c", NULL, "2,3"}},
    {{"a,b,c", NULL, "1,2,3"}, "b", "2", {"c", NULL, "3"}},
    {{"a,b,c", NULL, "1,2,3"}, "c", "3", {NULL, NULL, NULL}},
    /* One port for all, and none at all. */
    {{"a,b", NULL, "6432"}, "a", "6432", {"b", NULL, "6432"}},
    {{"a,b", NULL, NULL}, "a", "5432", {"b", NULL, NULL}},
    {{"a,b", NULL, ",6432"}, "a", "5432", {"b", NULL, "6432"}},
    /* The same machine twice. */
    {{"a,a", NULL, "1,2"}, "a", "2", {NULL, NULL, NULL}},
    {{"a,a,b", NULL, "1,2,3"}, "a", "2", {"b", NULL, "3"}},
    /* Addresses, with names and without. */
    {{NULL, "10.0.0.1,10.0.0.2", NULL}, "10.0.0.1", "5432", {NULL, "10.0.0.2", NULL}},
    {{"a,b", "10.0.0.1,10.0.0.2", NULL}, "a", "5432", {"b", "10.0.0.2", NULL}},
    /* One alone, and one that is none of them. */
    {{"a", NULL, "1"}, "a", "1", {NULL, NULL, NULL}},
    {{"ab,b", NULL, "1,2"}, "a", "1", {NULL, NULL, NULL}},
    {{NULL, NULL, NULL}, "/var/run/postgresql", "5432", {NULL, NULL, NULL}},
};

static void assert_same(const char *expected, const char *found)
{
    if (expected)
        assert_string_equal(expected, found);
    else
        assert_null(found);
}

static void passes_what_does_not_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pg_hosts hosts = cases[i].hosts;
        bool any = cases[i].left.names || cases[i].left.addresses;
        const struct pg_hosts *expected = any ? &cases[i].left : &cases[i].hosts;
        assert_int_equal(pg_hosts_pass(&hosts, cases[i].name, cases[i].port), any);
        assert_same(expected->names, hosts.names);
        assert_same(expected->addresses, hosts.addresses);
        assert_same(expected->ports, hosts.ports);
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(passes_what_does_not_answer)};
UNIT_TESTS(test_pg_hosts, tests, NULL, NULL)
