/* Options: what is secret is read from files and shown nowhere; help, digest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options_fixture.h"
#include "producer/base/options.h"
#include "tests/unit/unit.h"

/* A password that was not filled in; nothing is a list of properties, too. */
static void test_an_empty_secret_file(void **state)
{
    struct options_fixture *fixture = *state;
    char message[200];
    static const char *const keys[] = {"USHER_KAFKA_PASSWORD_FILE", "USHER_REDIS_FILE"};
    static const char *const texts[] = {"", "\n", "\r\n"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        setenv(keys[i], fixture->path, 1);
        snprintf(message, sizeof message,
                 "could not read %s in the environment: \"%s\": it is empty", keys[i],
                 fixture->path);
        for (size_t text = 0; text < sizeof texts / sizeof texts[0]; text++) {
            options_fixture_write(fixture, texts[text]);
            options_fixture_assert_ends(fixture, NO_WORDS, USHER_EXIT_CONFIG, message);
        }
        unsetenv(keys[i]);
    }
    setenv("USHER_KAFKA_PROPERTIES_FILE", fixture->path, 1);
    assert_int_equal(options_fixture_load(fixture, NO_WORDS), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_PROPERTIES"), "");
}

/* What stands behind a NUL would be missing without a word. */
static void test_a_secret_file_that_is_no_text(void **state)
{
    struct options_fixture *fixture = *state;
    char message[200];
    static const struct {
        const char *text;
        size_t size;
        const char *why;
    } rows[] = {
        {"se\0cret\n", 8, "line 1 has a control character"},
        {"secret\0", 7, "line 1 has a control character"},
        {"\0", 1, "line 1 has a control character"},
        {"a=b\nc=\x1b[2J\n", 12, "line 2 has a control character"},
        {"secret\x7f", 7, "line 1 has a control character"},
    };
    static const char *const keys[] = {"USHER_KAFKA_PASSWORD_FILE", "USHER_KAFKA_PROPERTIES_FILE"};
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof rows[0]); i++) {
        FILE *file = fopen(fixture->path, "w");
        fwrite(rows[i / 2].text, 1, rows[i / 2].size, file);
        fclose(file);
        setenv(keys[i % 2], fixture->path, 1);
        snprintf(message, sizeof message, "could not read %s in the environment: \"%s\": %s",
                 keys[i % 2], fixture->path, rows[i / 2].why);
        options_fixture_assert_ends(fixture, NO_WORDS, USHER_EXIT_CONFIG, message);
        unsetenv(keys[i % 2]);
    }
    setenv("USHER_KAFKA_PASSWORD_FILE", fixture->path, 1);
    FILE *file = fopen(fixture->path, "w");
    fprintf(file, "%65537s", "x");
    fclose(file);
    snprintf(
        message, sizeof message,
        "could not read USHER_KAFKA_PASSWORD_FILE in the environment: \"%s\": it has more than "
        "65536 bytes",
        fixture->path);
    options_fixture_assert_ends(fixture, NO_WORDS, USHER_EXIT_CONFIG, message);
}

static void test_secret_files(void **state)
{
    struct options_fixture *fixture = *state;
    options_fixture_write(fixture, "s3cret\n");
    setenv("USHER_KAFKA_PASSWORD_FILE", fixture->path, 1);
    assert_int_equal(options_fixture_load(fixture, NO_WORDS), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_PASSWORD"), "s3cret");
    assert_int_equal(options_fixture_load(fixture, WORDS("--kafka-password=stronger")), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_PASSWORD"), "stronger");
    setenv("USHER_KAFKA_PASSWORD", "both", 1);
    options_fixture_assert_refused(
        fixture, NO_WORDS,
        "USHER_KAFKA_PASSWORD and USHER_KAFKA_PASSWORD_FILE are both given in the "
        "environment: remove one of the two");
    options_fixture_clear_environment();
    options_fixture_assert_refused(
        fixture, WORDS("--postgres-file", fixture->path, "--postgres=x"),
        "--postgres and --postgres-file are both given: remove one of the two");
    options_fixture_assert_refused(
        fixture, WORDS("--postgres=x", "--postgres-file", fixture->path),
        "--postgres and --postgres-file are both given: remove one of the two");
    assert_int_equal(options_fixture_load(fixture, WORDS("--postgres-file", fixture->path)),
                     USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_POSTGRES"), "s3cret");
    options_fixture_assert_ends(
        fixture, WORDS("--postgres-file=/nonexistent"), USHER_EXIT_CONFIG,
        "could not read --postgres-file: \"/nonexistent\": No such file or directory");
}

static char *print_config(const struct options_fixture *fixture)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    options_print_config(&fixture->options, out);
    fclose(out);
    return text;
}

static void test_masking(void **state)
{
    struct options_fixture *fixture = *state;
    static const struct {
        const char *postgres, *shown;
    } rows[] = {
        {"postgresql://u:s3cret@h/db", "USHER_POSTGRES=postgresql://u:****@h/db  # flag\n"},
        {"postgresql://u:s3/c@ret@h/db", "USHER_POSTGRES=postgresql://u:****@h/db  # flag\n"},
        {"postgresql://u@h:5432/db", "USHER_POSTGRES=postgresql://u@h:5432/db  # flag\n"},
        {"postgresql://h/db?password=s3cret&x=1",
         "USHER_POSTGRES=postgresql://h/db?password=****&x=1  # flag\n"},
        {"postgresql://u:s3cret@h/db\n  postgres://u:s3@cret@i/db ",
         "USHER_POSTGRES=postgresql://u:****@h/db postgres://u:****@i/db  # flag\n"},
        {"postgresql://u:s3 cret@h/db", "USHER_POSTGRES=postgresql://u:****@h/db  # flag\n"},
        {"host=h password=s3cret user=u", "USHER_POSTGRES=host=h password=**** user=u  # flag\n"},
        {"host=h password = 's3 c\\'ret' user=u",
         "USHER_POSTGRES=host=h password = **** user=u  # flag\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(
            options_fixture_load(fixture, WORDS("--postgres", rows[i].postgres, "--redis",
                                                "redis://:hush@r:1", "--kafka-password=quiet",
                                                "-Xssl.key.password=psst", "-Xclient.rack=a")),
            USHER_OK);
        char *text = print_config(fixture);
        assert_non_null(strstr(text, rows[i].shown));
        assert_non_null(strstr(text, "USHER_REDIS=redis://:****@r:1  # flag\n"));
        assert_non_null(strstr(text, "USHER_KAFKA_PASSWORD=****  # flag\n"));
        assert_non_null(strstr(text, "-X ssl.key.password=****  # flag\n"));
        assert_non_null(strstr(text, "-X client.rack=a  # flag\n"));
        assert_non_null(strstr(text, "USHER_HOLD_TTL=15m  # default\n"));
        assert_non_null(strstr(text, "USHER_CONFIG=  # not set\n"));
        assert_null(strstr(text, "s3"));
        free(text);
    }
}

/* Equal values give equal digests, wherever they come from; secrets and what is left out do not
 * count. */
static void test_digest(void **state)
{
    static const char *const except[] = {"USHER_REDIS", NULL};
    struct options_fixture *fixture = *state;
    char first[OPTIONS_DIGEST_SIZE], other[OPTIONS_DIGEST_SIZE];
    static const struct {
        const char *words[2];
        bool same;
    } rows[] = {
        {{"--hold-ttl=15m", "--redis=redis://h"}, true},   /* the default, and left out */
        {{"--kafka-password=a", "--hold-ttl=15m"}, false}, /* that there is one */
        {{"--hold-ttl=16m", "--redis=redis://h"}, false},
        {{"--hold-ttl=15m", "-Xlinger.ms=1"}, false},
    };
    assert_int_equal(options_fixture_load(fixture, WORDS("place")), USHER_OK);
    options_digest(&fixture->options, except, first);
    assert_int_equal(strspn(first, "0123456789abcdef"), 16);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(options_fixture_load(fixture, WORDS(rows[i].words[0], rows[i].words[1])),
                         USHER_OK);
        options_digest(&fixture->options, except, other);
        assert_int_equal(strcmp(first, other) == 0, rows[i].same);
    }
    assert_int_equal(options_fixture_load(fixture, WORDS("--kafka-password=a")), USHER_OK);
    options_digest(&fixture->options, except, first);
    assert_int_equal(options_fixture_load(fixture, WORDS("--kafka-password=b")), USHER_OK);
    options_digest(&fixture->options, except, other);
    assert_string_equal(first, other);
}

/* Where a secret is not expected, too. */
static void test_masking_of_other_places(void **state)
{
    struct options_fixture *fixture = *state;
    static const struct {
        const char *flag, *shown;
    } rows[] = {
        {"--redis=redis://s3cret@h:1", "USHER_REDIS=redis://****@h:1  # flag\n"},
        {"--redis=redis://:s3cret", "USHER_REDIS=redis://:****  # flag\n"},
        {"--redis=redis://h:6379/1", "USHER_REDIS=redis://h:6379/1  # flag\n"},
        {"--redis=unix://:s3@cret@/run/r", "USHER_REDIS=unix://:****@/run/r  # flag\n"},
        {"--redis=unix:///run/a:b", "USHER_REDIS=unix:///run/a:b  # flag\n"},
        {"--postgres=postgresql://a:1,b:2/d", "USHER_POSTGRES=postgresql://a:1,b:2/d  # flag\n"},
        {"-Xsasl.kerberos.kinit.cmd=s3cret", "-X sasl.kerberos.kinit.cmd=****  # flag\n"},
        {"-Xsasl.oauthbearer.client.id=s3", "-X sasl.oauthbearer.client.id=****  # flag\n"},
        {"-Xssl.key.pem=s3cret", "-X ssl.key.pem=****  # flag\n"},
        {"-Xssl.keystore.password=s3cret", "-X ssl.keystore.password=****  # flag\n"},
        {"-Xclient.rack=http://u:s3cret@h/p", "-X client.rack=http://u:****@h/p  # flag\n"},
        {"-Xclient.rack=a password=s3cret", "-X client.rack=a password=****  # flag\n"},
        {"--kafka-properties=linger.ms=5; ssl.keystore.password=s3cret\n# a "
         "note\n\nsasl.x=s3;b=c\n",
         "USHER_KAFKA_PROPERTIES=linger.ms=5;ssl.keystore.password=****;sasl.x=****;b=c  # flag\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(options_fixture_load(fixture, WORDS(rows[i].flag)), USHER_OK);
        char *text = print_config(fixture);
        assert_non_null(strstr(text, rows[i].shown));
        assert_null(strstr(text, "s3"));
        free(text);
    }
}

/* To be freed. */
static char *help_of(const struct option_table *table)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    options_print_help(table, out);
    fclose(out);
    return text;
}

static void test_help_names_every_option(void **state)
{
    (void)state;
    char *text = help_of(&options_fixture_table);
    assert_non_null(strstr(text, "--hold-ttl TIME"));
    assert_non_null(strstr(text, "hold time (default: 15m) [USHER_HOLD_TTL]"));
    assert_non_null(strstr(text, "[USHER_KAFKA_PASSWORD, or _FILE]"));
    assert_non_null(strstr(text, "-X, --kafka-property"));
    assert_non_null(strstr(text, "--wait[=TIME]"));
    free(text);
}

static void test_help_has_no_empty_default(void **state)
{
    (void)state;
    static const struct option_spec names[] = {
        {.name = "names", .fallback = "", .value_name = "NAMES", .help = "names"}};
    static const struct option_group group = {.title = "Names", .specs = names, .count = 1};
    static const struct option_group *const groups[] = {&group};
    static const struct option_table table = {.groups = groups, .group_count = 1};
    char *text = help_of(&table);
    assert_non_null(strstr(text, "--names NAMES"));
    assert_null(strstr(text, "default"));
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_an_empty_secret_file, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_a_secret_file_that_is_no_text, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_secret_files, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_masking, options_fixture_setup, options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_digest, options_fixture_setup, options_fixture_teardown),
    cmocka_unit_test_setup_teardown(test_masking_of_other_places, options_fixture_setup,
                                    options_fixture_teardown),
    cmocka_unit_test(test_help_names_every_option),
    cmocka_unit_test(test_help_has_no_empty_default),
};
UNIT_TESTS(test_options_secrets, tests, NULL, NULL)
