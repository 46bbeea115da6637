/* Options: precedence, names that nobody knows, bad values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options_fixture.h"
#include "producer/base/nearest.h"
#include "producer/base/options.h"
#include "tests/unit/unit.h"

/* ---- precedence ---- */

static void test_precedence(void **state)
{
    static const struct {
        bool flag, environment, file;
        int64_t expected;
        enum option_source source;
    } rows[] = {
        {false, false, false, 900, OPTION_DEFAULT},   {false, false, true, 30, OPTION_FILE},
        {false, true, false, 20, OPTION_ENVIRONMENT}, {false, true, true, 20, OPTION_ENVIRONMENT},
        {true, false, false, 10, OPTION_FLAG},        {true, false, true, 10, OPTION_FLAG},
        {true, true, false, 10, OPTION_FLAG},         {true, true, true, 10, OPTION_FLAG},
    };
    struct options_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        options_fixture_clear_environment();
        options_fixture_write(fixture,
                              rows[i].file ? "# a comment\n\n  USHER_HOLD_TTL = 30s \r\n" : "");
        if (rows[i].environment)
            setenv("USHER_HOLD_TTL", "20", 1);
        assert_int_equal(
            options_fixture_load(fixture, WORDS("--config", fixture->path,
                                                rows[i].flag ? "--hold-ttl=10" : "place")),
            USHER_OK);
        assert_int_equal(options_integer(&fixture->options, "USHER_HOLD_TTL"), rows[i].expected);
        assert_int_equal(fixture->options.values[4].source, rows[i].source);
        assert_int_equal(options_was_given(&fixture->options, "USHER_HOLD_TTL"),
                         rows[i].source != OPTION_DEFAULT);
    }
}

static void test_a_file_with_control_characters(void **state)
{
    struct options_fixture *fixture = *state;
    static const struct {
        const char *text;
        size_t size;
        int line;
    } rows[] = {
        {"# a\nUSHER_LOG_LEVEL=debug\0x\n", 28, 2},
        {"\0", 1, 1},
        {"# a note\0\n", 10, 1},
        {"USHER_LOG_LEVEL=\x1b"
         "debug\n",
         23, 1},
        {"\n\nUSHER_LOG\x7f_LEVEL=debug", 24, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[200];
        FILE *file = fopen(fixture->path, "w");
        fwrite(rows[i].text, 1, rows[i].size, file);
        fclose(file);
        setenv("USHER_CONFIG", fixture->path, 1);
        snprintf(message, sizeof message,
                 "could not read \"%s\" line %d: it has a control character", fixture->path,
                 rows[i].line);
        options_fixture_assert_refused(fixture, NO_WORDS, message);
    }
    options_fixture_write(fixture, "\tUSHER_LOG_LEVEL = debug \r\n");
    assert_int_equal(options_fixture_load(fixture, NO_WORDS), USHER_OK);
}

static void test_file_by_environment_and_quotes(void **state)
{
    struct options_fixture *fixture = *state;
    options_fixture_write(fixture, "USHER_KAFKA_BROKERS=\"a:1,b:2\"\nUSHER_POSTGRES='host=x #1'\n");
    setenv("USHER_CONFIG", fixture->path, 1);
    assert_int_equal(options_fixture_load(fixture, NO_WORDS), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_BROKERS"), "a:1,b:2");
    assert_string_equal(options_text(&fixture->options, "USHER_POSTGRES"), "host=x #1");
}

static void test_absent(void **state)
{
    struct options_fixture *fixture = *state;
    assert_int_equal(options_fixture_load(fixture, NO_WORDS), USHER_OK);
    assert_false(options_has(&fixture->options, "quantity"));
    assert_int_equal(options_integer(&fixture->options, "quantity"), 0);
    assert_null(options_text(&fixture->options, "USHER_POSTGRES"));
    assert_false(options_bool(&fixture->options, "together"));
    assert_true(options_has(&fixture->options, "size"));
    assert_false(options_was_given(&fixture->options, "size"));
}

static void test_keys_of_other_programs_are_known(void **state)
{
    struct options_fixture *fixture = *state;
    setenv("USHER_HTTP_LISTEN", "127.0.0.1:0", 1);
    setenv("USHER_TOPIC_PREFIX", "x", 1);
    options_fixture_write(fixture, "USHER_REDIS_PREFIX=y\n");
    assert_int_equal(options_fixture_load(fixture, WORDS("--config", fixture->path)), USHER_OK);
}

/* ---- flags ---- */

static void test_flags_in_order(void **state)
{
    struct options_fixture *fixture = *state;
    assert_int_equal(options_fixture_load(fixture, WORDS("show:x", "--section", "a", "--quantity=2",
                                                         "--together", "--section=b", "-X", "p=1",
                                                         "-Xq=2", "--", "--rest")),
                     USHER_OK);
    const struct options *options = &fixture->options;
    static const char *const expected[] = {"a", "2", "true", "b", "p=1", "q=2"};
    assert_int_equal(options->given_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(options->given[i].text, expected[i]);
    assert_int_equal(options->argument_count, 2);
    assert_string_equal(options->arguments[0], "show:x");
    assert_string_equal(options->arguments[1], "--rest");
    assert_true(options_bool(options, "together"));
}

/* An empty argument is a variable that was not set; of two values neither counts. */
static void test_what_cannot_be_meant(void **state)
{
    struct options_fixture *fixture = *state;
    options_fixture_assert_refused(fixture, WORDS("show:x", ""), "an argument is empty");
    options_fixture_assert_refused(fixture, WORDS("--", ""), "an argument is empty");
    options_fixture_assert_refused(fixture, WORDS("--quantity=2", "--quantity", "3"),
                                   "--quantity is given twice");
    options_fixture_assert_refused(fixture, WORDS("--color=red", "x", "--color=red"),
                                   "--color is given twice");
    options_fixture_assert_refused(fixture, WORDS("--wait", "--wait=2s"), "--wait is given twice");
    options_fixture_write(fixture, "uri");
    options_fixture_assert_refused(
        fixture, WORDS("--postgres-file", fixture->path, "--postgres=x"),
        "--postgres and --postgres-file are both given: remove one of the two");
    setenv("USHER_HOLD_TTL", "5m", 1); /* a flag wins over it, as always */
    assert_int_equal(options_fixture_load(fixture, WORDS("--section=a", "--together", "--section=b",
                                                         "--together=no", "--hold-ttl=7m")),
                     USHER_OK);
}

static void test_implied_value(void **state)
{
    struct options_fixture *fixture = *state;
    assert_int_equal(options_fixture_load(fixture, WORDS("--wait", "word")), USHER_OK);
    assert_int_equal(options_integer(&fixture->options, "wait"), 5000);
    assert_string_equal(fixture->options.arguments[0], "word");
    assert_int_equal(options_fixture_load(fixture, WORDS("--wait", "2s")), USHER_FATAL);
    assert_string_equal(fixture->err.text,
                        "--wait takes its value by an equals sign: say --wait=2s");
    assert_int_equal(options_fixture_load(fixture, WORDS("--wait", "./2s")), USHER_OK);
    assert_int_equal(options_fixture_load(fixture, WORDS("--wait=250ms", "--together=no")),
                     USHER_OK);
    assert_int_equal(options_integer(&fixture->options, "wait"), 250);
    assert_false(options_bool(&fixture->options, "together"));
}

static void test_help_and_version(void **state)
{
    struct options_fixture *fixture = *state;
    setenv("USHER_HOLD_TTL", "nonsense", 1);
    assert_int_equal(options_fixture_load(fixture, WORDS("-h", "--nonsense")), USHER_OK);
    assert_int_equal(fixture->options.mode, OPTIONS_HELP);
    assert_int_equal(options_fixture_load(fixture, WORDS("--version")), USHER_OK);
    assert_int_equal(fixture->options.mode, OPTIONS_VERSION);
}

static void test_unknown_flags(void **state)
{
    struct options_fixture *fixture = *state;
    options_fixture_assert_refused(
        fixture, WORDS("--kafka-brokres", "x"),
        "unknown flag \"--kafka-brokres\"; did you mean \"--kafka-brokers\"?");
    options_fixture_assert_refused(
        fixture, WORDS("--kafka-brok=x"),
        "unknown flag \"--kafka-brok\"; did you mean \"--kafka-brokers\"?");
    options_fixture_assert_refused(fixture, WORDS("--elephant"), "unknown flag \"--elephant\"");
    options_fixture_assert_refused(fixture, WORDS("-z"), "unknown flag \"-z\"");
    options_fixture_assert_refused(fixture, WORDS("--together", "--quantitty=1"),
                                   "unknown flag \"--quantitty\"; did you mean \"--quantity\"?");
}

/* A flag whose value was forgotten must not swallow the next one. */
static void test_missing_values(void **state)
{
    struct options_fixture *fixture = *state;
    options_fixture_assert_refused(fixture, WORDS("--quantity"), "--quantity needs a value");
    options_fixture_assert_refused(fixture, WORDS("--kafka-brokers", "--together"),
                                   "--kafka-brokers needs a value");
    options_fixture_assert_refused(fixture, WORDS("-X", "--together"), "-X needs a value");
    assert_int_equal(
        options_fixture_load(fixture, WORDS("--kafka-brokers=--together", "--section", "-")),
        USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_BROKERS"), "--together");
}

/* Nobody has written these: a service named "usher" or "usher-worker" is enough. */
static void test_keys_that_kubernetes_makes(void **state)
{
    static const char *const links[][2] = {
        {"USHER_SERVICE_HOST", "10.0.0.1"},
        {"USHER_SERVICE_PORT", "8080"},
        {"USHER_SERVICE_PORT_HTTP", "8080"},
        {"USHER_PORT", "tcp://10.0.0.1:8080"},
        {"USHER_WORKER_PORT_8080_TCP", "tcp://10.0.0.1:8080"},
        {"USHER_WORKER_PORT_8080_TCP_ADDR", "10.0.0.1"},
    };
    struct options_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        setenv(links[i][0], links[i][1], 1);
    assert_int_equal(options_fixture_load(fixture, NO_WORDS), USHER_OK);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        unsetenv(links[i][0]);
    setenv("USHER_XYZZY_PORT", "8080", 1);
    options_fixture_assert_refused(fixture, NO_WORDS,
                                   "unknown key \"USHER_XYZZY_PORT\" in the environment");
    unsetenv("USHER_XYZZY_PORT");
}

static void test_unknown_keys(void **state)
{
    struct options_fixture *fixture = *state;
    char message[160];
    setenv("USHER_HOLD_TLT", "1", 1);
    options_fixture_assert_refused(
        fixture, NO_WORDS,
        "unknown key \"USHER_HOLD_TLT\" in the environment; did you mean "
        "\"USHER_HOLD_TTL\"?");
    options_fixture_clear_environment();
    setenv("USHER_XYZZY_FILE", "1", 1);
    options_fixture_assert_refused(fixture, NO_WORDS,
                                   "unknown key \"USHER_XYZZY_FILE\" in the environment");
    options_fixture_clear_environment();
    setenv("USHER_HOLD_TTL_FILE", "/x", 1); /* only secrets have one */
    options_fixture_assert_refused(
        fixture, NO_WORDS,
        "unknown key \"USHER_HOLD_TTL_FILE\" in the environment; did you mean "
        "\"USHER_HOLD_TTL_MAX\"?");
    options_fixture_clear_environment();
    options_fixture_write(fixture, "\nUSHER_POSTGRE=x\n");
    snprintf(message, sizeof message,
             "unknown key \"USHER_POSTGRE\" in \"%s\" line 2; did you mean \"USHER_POSTGRES\"?",
             fixture->path);
    options_fixture_assert_refused(fixture, WORDS("--config", fixture->path), message);
    options_fixture_write(fixture, "just words\n");
    snprintf(message, sizeof message, "could not read \"%s\" line 1: it is not KEY=VALUE",
             fixture->path);
    options_fixture_assert_refused(fixture, WORDS("--config", fixture->path), message);
    options_fixture_write(fixture, "USHER_HOLD_TTL=1m\n# a comment\nUSHER_HOLD_TTL=2m\n");
    snprintf(message, sizeof message,
             "could not use \"%s\" line 3: USHER_HOLD_TTL is on line 1 already", fixture->path);
    options_fixture_assert_refused(fixture, WORDS("--config", fixture->path), message);
    options_fixture_assert_ends(
        fixture, WORDS("--config", "/nonexistent"), USHER_EXIT_CONFIG,
        "could not read configuration \"/nonexistent\": No such file or directory");
}

/* ---- values ---- */

static void test_numbers(void **state)
{
    static const struct {
        const char *name, *word;
        int64_t expected;
    } rows[] = {
        {"USHER_HOLD_TTL", "--hold-ttl=900", 900},
        {"USHER_HOLD_TTL", "--hold-ttl=15m", 900},
        {"USHER_HOLD_TTL", "--hold-ttl=2h", 7200},
        {"USHER_HOLD_TTL", "--hold-ttl=1d", 86400},
        {"USHER_HOLD_TTL", "--hold-ttl=9s", 9},
        {"wait", "--wait=2", 2000},
        {"wait", "--wait=1m", 60000},
        {"size", "--size=1000", 1000},
        {"size", "--size=2k", 2048},
        {"size", "--size=3M", 3145728},
        {"size", "--size=512MB", 536870912},
        {"size", "--size=2gb", INT64_C(2147483648)},
        {"quantity", "--quantity=4000", 4000},
        {"together", "--together=ON", 1},
    };
    struct options_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(options_fixture_load(fixture, WORDS(rows[i].word)), USHER_OK);
        assert_int_equal(options_integer(&fixture->options, rows[i].name), rows[i].expected);
    }
}

static void test_bad_values(void **state)
{
    static const struct {
        const char *word, *message;
    } rows[] = {
        {"--hold-ttl=15x",
         "could not read --hold-ttl: \"15x\" is not a duration such as 900, 15m, 2h"},
        {"--hold-ttl=5ms",
         "could not read --hold-ttl: \"5ms\" is not a duration such as 900, 15m, 2h"},
        {"--hold-ttl=", "could not read --hold-ttl: \"\" is not a duration such as 900, 15m, 2h"},
        {"--hold-ttl=0",
         "could not read --hold-ttl: \"0\" is not within 1s and 1d; 0 means seconds"},
        {"--hold-ttl=25h", "could not read --hold-ttl: \"25h\" is not within 1s and 1d"},
        {"--pause=20ms", "could not read --pause: \"20ms\" is not within 50ms and 5m"},
        {"--pause=1000",
         "could not read --pause: \"1000\" is not within 50ms and 5m; 1000 means seconds"},
        {"--room=63", "could not read --room: \"63\" is not within 64KB and 3GB; 63 means bytes"},
        {"--quantity=4001", "could not read --quantity: \"4001\" is not within 1 and 4000"},
        {"--quantity=two", "could not read --quantity: \"two\" is not a whole number"},
        {"--quantity=99999999999999999999",
         "could not read --quantity: \"99999999999999999999\" is not a whole number"},
        {"--wait=99999999999999999d",
         "could not read --wait: \"99999999999999999d\" is not a duration such as 250ms, 5s, 2m"},
        {"--wait=-1s", "could not read --wait: \"-1s\" is negative"},
        {"--size=1T", "could not read --size: \"1T\" is not a size such as 65536, 64K, 512MB"},
        {"--together=maybe", "could not read --together: \"maybe\" is not true or false"},
        {"--color=gree", "could not read --color: \"gree\" is none of red|green|blue"},
        {"--log-level=loud",
         "could not read --log-level: \"loud\" is none of error|warning|info|debug"},
    };
    struct options_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        options_fixture_assert_refused(fixture, WORDS(rows[i].word), rows[i].message);
    setenv("USHER_HOLD_TTL", "soon", 1);
    options_fixture_assert_refused(
        fixture, WORDS("--hold-ttl=1"),
        "could not read USHER_HOLD_TTL in the environment: \"soon\" is not a duration "
        "such as 900, 15m, 2h");
}

/* ---- the nearest name ---- */

static void test_nearest(void **state)
{
    static const struct {
        const char *name, *expected;
    } rows[] = {
        {"hodl", "hold"},  {"comfirm", "confirm"}, {"canel", "cancel"}, {"boook", "book"},
        {"can", "cancel"}, {"xyzzy", NULL},        {"", NULL},          {"oppen", "open"},
    };
    static const char *const names[] = {"hold", "book", "confirm", "cancel", "open"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct nearest nearest = {.name = rows[i].name};
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            nearest_offer(&nearest, names[k]);
        if (rows[i].expected == NULL)
            assert_null(nearest.best);
        else
            assert_string_equal(nearest.best, rows[i].expected);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_precedence, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_a_file_with_control_characters, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_file_by_environment_and_quotes, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_absent, options_fixture_setup, options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_keys_of_other_programs_are_known, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_flags_in_order, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_what_cannot_be_meant, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_implied_value, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_help_and_version, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_unknown_flags, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_missing_values, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_keys_that_kubernetes_makes, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_unknown_keys, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_numbers, options_fixture_setup, options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_bad_values, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test(test_nearest),
};
UNIT_TESTS(test_options, tests, NULL, NULL)
