/*
 * usher-producer from outside: exit codes, suggestions, and the requests that flags build. Runs the
 * program that was built beside this test; no Kafka.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "usher/status.h"

static char program[4200];

/* Runs the program with words for the shell, both outputs into `text`; returns its exit code. */
static int run(const char *words, char *text, size_t size)
{
    char command[5200];
    snprintf(command, sizeof command, "%s %s 2>&1", program, words);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t used = fread(text, 1, size - 1, pipe);
    text[used] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int setup(void **state)
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)state;
    if (size < 0)
        return -1;
    self[size] = '\0';
    snprintf(program, sizeof program, "%s/../../usher-producer", dirname(self));
    for (const char *const *key = option_known_keys; *key != NULL; key++)
        unsetenv(*key);
    return access(program, X_OK);
}

static void test_exit_codes_and_messages(void **state)
{
    static const struct {
        const char *words;
        int exit_code;
        const char *message;
    } rows[] = {
        {"", USHER_EXIT_USAGE, "no command was given"},
        {"hodl", USHER_EXIT_USAGE, "unknown command \"hodl\"; did you mean \"hold\"?"},
        {"help hodl", USHER_EXIT_USAGE, "did you mean \"hold\"?"},
        {"help", USHER_EXIT_DONE, "usage: usher-producer COMMAND"},
        {"version", USHER_EXIT_DONE, "usher-producer " USHER_VERSION},
        {"hold", USHER_EXIT_USAGE, "usage: usher-producer hold RESOURCE [FLAGS]"},
        {"hold a b", USHER_EXIT_USAGE, "unexpected argument \"b\""},
        {"hold a --custmer c", USHER_EXIT_USAGE, "did you mean \"--customer\"?"},
        {"hold a --section s", USHER_EXIT_USAGE, "usher-producer: --customer is needed"},
        {"hold a --customer c", USHER_EXIT_USAGE,
         "usher-producer: name what to hold: --seats, --section, --room or --product"},
        {"hold a --customer --wait --seats B-1", USHER_EXIT_USAGE, "--customer needs a value"},
        {"cancel a --customer c", USHER_EXIT_USAGE, "usher-producer: --booking is needed"},
        {"cancel a --booking b", USHER_EXIT_USAGE, "usher-producer: --customer is needed"},
        {"hold a --customer c --room double --wait", USHER_EXIT_USAGE, "--from: missing"},
        {"probe a --room double --from 2026-01-02 --wait", USHER_EXIT_USAGE, "--to: missing"},
        {"hold a --customer c --room double --from 2026-01-02 --to 2026-01-02", USHER_EXIT_USAGE,
         "--from: not before --to"},
        {"hold a --customer c --quantity 2", USHER_EXIT_USAGE,
         "could not use --quantity: no --section, --room or --product comes before it"},
        {"hold a --customer c --seats A-1 --quantity 2", USHER_EXIT_USAGE,
         "could not use --quantity: the item before has none"},
        {"hold a --customer c --product p --from 2026-01-01", USHER_EXIT_USAGE,
         "could not use --from: the item before has none"},
        {"hold a --customer c --room r --from 2026-02-30", USHER_EXIT_USAGE,
         "\"2026-02-30\" is not a date"},
        {"hold a --customer c --section s --deadline soon", USHER_EXIT_USAGE,
         "could not read --deadline: \"soon\""},
        {"hold a --customer c --section s -Xacks=1", USHER_EXIT_CONFIG,
         "could not set librdkafka property \"acks\": the protocol depends on it"},
        {"define a --section stalls", USHER_EXIT_USAGE, "\"stalls\" is not NAME:KEY=VALUE,..."},
        {"define a --section stalls:rows=A", USHER_EXIT_USAGE, "ROW:SEATS"},
        {"define a --section stalls:prize=1", USHER_EXIT_USAGE,
         "unknown \"prize\", known are price, capacity, rows"},
        {"define a --section stalls:price=-1", USHER_EXIT_USAGE, "\"-1\" is not a whole number"},
        {"define a --room double:capacity=3", USHER_EXIT_USAGE,
         "--room double: from=DATE is missing"},
        {"define a --room double:to=2026-01-01,from=2026-01-01,capacity=3", USHER_EXIT_USAGE,
         "--room double: from= is not before to="},
        {"define a --file /nonexistent", USHER_EXIT_BAD_INPUT,
         "could not read \"/nonexistent\": No such file or directory"},
        {"define a --file /dev/null", USHER_EXIT_BAD_INPUT, "/dev/null"},
        {"define a --file /dev/null --name x", USHER_EXIT_USAGE, "--file says it all"},
        {"bench a", USHER_EXIT_USAGE, "no item was given"},
        {"bench a --section s --count 1 --seconds 1", USHER_EXIT_USAGE, "either"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[16384];
        int exit_code = run(rows[i].words, text, sizeof text);
        if (exit_code != rows[i].exit_code || strstr(text, rows[i].message) == NULL)
            fail_msg("usher-producer %s: exit code %d, said: %s", rows[i].words, exit_code, text);
    }
}

static void test_requests_out_of_flags(void **state)
{
    static const struct {
        const char *words, *json;
    } rows[] = {
        {"hold show:x --customer c1 --seats B-5,B-6 --ttl 15m",
         "{\"request_id\":\"r\",\"op\":\"hold\",\"resource\":\"show:x\",\"customer\":\"c1\","
         "\"items\":[{\"seats\":[\"B-5\",\"B-6\"]}],\"ttl_s\":900}"},
        {"book show:x --customer c1 --section stalls --quantity 2 --together --room double "
         "--from 2026-12-24 --to 2026-12-27 --product sku --quantity 3 --payment pi",
         "{\"request_id\":\"r\",\"op\":\"book\",\"resource\":\"show:x\",\"customer\":\"c1\","
         "\"items\":[{\"section\":\"stalls\",\"quantity\":2,\"together\":true},{\"room\":"
         "\"double\",\"from\":\"2026-12-24\",\"to\":\"2026-12-27\",\"quantity\":1},{\"product\":"
         "\"sku\",\"quantity\":3}],\"payment\":\"pi\"}"},
        {"confirm show:x --booking b --customer c --deadline 2026-12-24T19:30:00Z",
         "{\"request_id\":\"r\",\"op\":\"confirm\",\"resource\":\"show:x\",\"customer\":\"c\","
         "\"booking\":\"b\",\"deadline\":\"2026-12-24T19:30:00.000Z\"}"},
        {"cancel show:x --booking b --force",
         "{\"request_id\":\"r\",\"op\":\"cancel\",\"resource\":\"show:x\",\"booking\":\"b\","
         "\"force\":true}"},
        {"close show:x", "{\"request_id\":\"r\",\"op\":\"close\",\"resource\":\"show:x\"}"},
        {"define show:x --section stalls:price=4500,rows=A:20+C-D:22:5+9-10:3 "
         "--section standing:capacity=300,price=1 --state open",
         "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"show:x\",\"state\":\"open\","
         "\"sections\":[{\"section\":\"stalls\",\"price\":4500,\"rows\":[{\"row\":\"A\",\"seats\":"
         "20},{\"row\":\"C\",\"seats\":22,\"first\":5},{\"row\":\"D\",\"seats\":22,\"first\":5},"
         "{\"row\":\"9\",\"seats\":3},{\"row\":\"10\",\"seats\":3}]},{\"section\":\"standing\","
         "\"price\":1,\"capacity\":300}]}"},
        {"define hotel:x --room double:from=2026-01-01,to=2026-02-01,capacity=20,price=12900 "
         "--product fuel:capacity=5,price=800,name=Programme --currency GBP",
         "{\"request_id\":\"r\",\"op\":\"define\",\"resource\":\"hotel:x\",\"currency\":\"GBP\","
         "\"rooms\":[{\"room\":\"double\",\"from\":\"2026-01-01\",\"to\":\"2026-02-01\","
         "\"capacity\":20,\"price\":12900}],\"products\":[{\"product\":\"fuel\",\"name\":"
         "\"Programme\",\"capacity\":5,\"price\":800}]}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char words[1000], text[4096], expected[4096];
        snprintf(words, sizeof words, "%s --request-id r --dry-run", rows[i].words);
        snprintf(expected, sizeof expected, "%s\n", rows[i].json);
        assert_int_equal(run(words, text, sizeof text), USHER_EXIT_DONE);
        assert_string_equal(text, expected);
    }
}

static void test_request_ids_are_new_uuids(void **state)
{
    char first[512], second[512];
    (void)state;
    assert_int_equal(run("open a --dry-run", first, sizeof first), USHER_EXIT_DONE);
    assert_int_equal(run("open a --dry-run", second, sizeof second), USHER_EXIT_DONE);
    assert_string_not_equal(first, second);
    assert_int_equal(first[strlen("{\"request_id\":\"") + 14], '4');
}

static void test_define_from_a_file(void **state)
{
    char text[1024];
    (void)state;
    assert_int_equal(run("define show:y --request-id r --dry-run --file - <<'END'\n"
                         "{\"name\":\"X\",\"sections\":[{\"section\":\"s\",\"capacity\":3}]}\n"
                         "END\n",
                         text, sizeof text),
                     USHER_EXIT_DONE);
    assert_string_equal(text, "{\"name\":\"X\",\"sections\":[{\"section\":\"s\",\"capacity\":3}],"
                              "\"request_id\":\"r\",\"resource\":\"show:y\",\"op\":\"define\"}\n");
}

static void test_every_command_has_help(void **state)
{
    static const char *const commands[] = {"send",    "define",  "hold",   "book",
                                           "confirm", "release", "cancel", "probe",
                                           "open",    "close",   "watch",  "bench"};
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char words[64], usage[64], text[16384];
        snprintf(words, sizeof words, "%s --help", commands[i]);
        snprintf(usage, sizeof usage, "usage: usher-producer %s ", commands[i]);
        assert_int_equal(run(words, text, sizeof text), USHER_EXIT_DONE);
        assert_memory_equal(text, usage, strlen(usage));
        assert_non_null(strstr(text, "--kafka-brokers"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_codes_and_messages),
        cmocka_unit_test(test_requests_out_of_flags),
        cmocka_unit_test(test_request_ids_are_new_uuids),
        cmocka_unit_test(test_define_from_a_file),
        cmocka_unit_test(test_every_command_has_help),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
