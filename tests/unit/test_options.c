/* Options: precedence, names that nobody knows, bad values, secrets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/known_keys.h"
#include "producer/base/nearest.h"
#include "producer/base/options.h"
#include "producer/base/options_print.h"

static const struct option_spec specs[] = {
    {.name = "USHER_KAFKA_BROKERS", .fallback = "localhost:9092", .help = "brokers"},
    {.name = "USHER_KAFKA_PASSWORD", .secrecy = OPTION_SECRET, .help = "password"},
    {.name = "USHER_POSTGRES", .secrecy = OPTION_URI, .help = "database"},
    {.name = "USHER_REDIS", .secrecy = OPTION_URI, .help = "cache"},
    {.name = "USHER_HOLD_TTL",
     .type = OPTION_DURATION,
     .fallback = "15m",
     .min = 1,
     .max = 86400,
     .help = "hold time"},
    {.name = "quantity", .type = OPTION_INTEGER, .min = 1, .max = 4000, .help = "how many"},
    {.name = "size", .type = OPTION_SIZE, .fallback = "64K", .help = "bytes"},
    {.name = "room",
     .type = OPTION_SIZE,
     .min = 65536,
     .max = INT64_C(3) << 30,
     .help = "bytes within bounds"},
    {.name = "pause", .type = OPTION_DURATION_MS, .min = 50, .max = 300000, .help = "in between"},
    {.name = "together", .type = OPTION_BOOL, .help = "side by side"},
    {.name = "wait", .type = OPTION_DURATION_MS, .implied = "5s", .help = "for the answer"},
    {.name = "color", .choices = "red|green|blue", .help = "a choice"},
    {.name = "section", .type = OPTION_LIST, .help = "of the house"},
    {.name = "kafka-property",
     .short_flag = 'X',
     .type = OPTION_LIST,
     .secrecy = OPTION_PROPERTY,
     .help = "anything"},
    {.name = "USHER_KAFKA_PROPERTIES", .secrecy = OPTION_PROPERTIES, .help = "anything"},
};

static const struct option_group group = {"Test", specs, sizeof specs / sizeof specs[0]};
static const struct option_group *const groups[] = {&group, &common_options};
static const struct option_table table = {groups, 2};

struct fixture {
    struct options options;
    struct usher_error err;
    char path[64];
};

static void clear_environment(void)
{
    for (const char *const *key = option_known_keys; *key != NULL; key++)
        unsetenv(*key);
    unsetenv("USHER_HOLD_TTL_FILE");
    unsetenv("USHER_HOLD_TLT");
    unsetenv("USHER_XYZZY_FILE");
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    clear_environment();
    snprintf(fixture->path, sizeof fixture->path, "/tmp/usher-test-XXXXXX");
    int fd = mkstemp(fixture->path);
    if (fd < 0)
        return -1;
    close(fd);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    options_deinit(&fixture->options);
    unlink(fixture->path);
    clear_environment();
    free(fixture);
    return 0;
}

static void write_file(const struct fixture *fixture, const char *text)
{
    FILE *file = fopen(fixture->path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Loads the words, which a NULL ends. */
static enum usher_status load(struct fixture *fixture, const char *const *words)
{
    char *argv[32] = {(char[]){"test"}};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++)
        argv[argc] = strdup(words[argc - 1]);
    options_deinit(&fixture->options);
    enum usher_status status = options_load(&fixture->options, &table, argc, argv, &fixture->err);
    for (int i = 1; i < argc; i++)
        free(argv[i]);
    return status;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_WORDS ((const char *const[]){NULL})

static void assert_ends(struct fixture *fixture, const char *const *words, enum usher_exit code,
                        const char *message)
{
    assert_int_equal(load(fixture, words), USHER_FATAL);
    assert_int_equal(fixture->err.exit_code, code);
    assert_string_equal(fixture->err.text, message);
}

static void assert_refused(struct fixture *fixture, const char *const *words, const char *message)
{
    assert_ends(fixture, words, USHER_EXIT_USAGE, message);
}

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
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        clear_environment();
        write_file(fixture, rows[i].file ? "# a comment\n\n  USHER_HOLD_TTL = 30s \r\n" : "");
        if (rows[i].environment)
            setenv("USHER_HOLD_TTL", "20", 1);
        assert_int_equal(load(fixture, WORDS("--config", fixture->path,
                                             rows[i].flag ? "--hold-ttl=10" : "place")),
                         USHER_OK);
        assert_int_equal(options_integer(&fixture->options, "USHER_HOLD_TTL"), rows[i].expected);
        assert_int_equal(fixture->options.values[4].source, rows[i].source);
        assert_int_equal(options_was_given(&fixture->options, "USHER_HOLD_TTL"),
                         rows[i].source != OPTION_DEFAULT);
    }
}

static void test_file_by_environment_and_quotes(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "USHER_KAFKA_BROKERS=\"a:1,b:2\"\nUSHER_POSTGRES='host=x #1'\n");
    setenv("USHER_CONFIG", fixture->path, 1);
    assert_int_equal(load(fixture, NO_WORDS), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_BROKERS"), "a:1,b:2");
    assert_string_equal(options_text(&fixture->options, "USHER_POSTGRES"), "host=x #1");
}

static void test_absent(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(load(fixture, NO_WORDS), USHER_OK);
    assert_false(options_has(&fixture->options, "quantity"));
    assert_int_equal(options_integer(&fixture->options, "quantity"), 0);
    assert_null(options_text(&fixture->options, "USHER_POSTGRES"));
    assert_false(options_bool(&fixture->options, "together"));
    assert_true(options_has(&fixture->options, "size"));
    assert_false(options_was_given(&fixture->options, "size"));
}

static void test_keys_of_other_programs_are_known(void **state)
{
    struct fixture *fixture = *state;
    setenv("USHER_HTTP_LISTEN", "127.0.0.1:0", 1);
    setenv("USHER_TOPIC_PREFIX", "x", 1);
    write_file(fixture, "USHER_REDIS_PREFIX=y\n");
    assert_int_equal(load(fixture, WORDS("--config", fixture->path)), USHER_OK);
}

/* ---- flags ---- */

static void test_flags_in_order(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(load(fixture, WORDS("show:x", "--section", "a", "--quantity=2", "--together",
                                         "--section=b", "-X", "p=1", "-Xq=2", "--", "--rest")),
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
    struct fixture *fixture = *state;
    assert_refused(fixture, WORDS("show:x", ""), "an argument is empty");
    assert_refused(fixture, WORDS("--", ""), "an argument is empty");
    assert_refused(fixture, WORDS("--quantity=2", "--quantity", "3"), "--quantity is given twice");
    assert_refused(fixture, WORDS("--color=red", "x", "--color=red"), "--color is given twice");
    assert_refused(fixture, WORDS("--wait", "--wait=2s"), "--wait is given twice");
    write_file(fixture, "uri");
    assert_refused(fixture, WORDS("--postgres-file", fixture->path, "--postgres=x"),
                   "--postgres and --postgres-file are both given: remove one of the two");
    setenv("USHER_HOLD_TTL", "5m", 1); /* a flag wins over it, as always */
    assert_int_equal(load(fixture, WORDS("--section=a", "--together", "--section=b",
                                         "--together=no", "--hold-ttl=7m")),
                     USHER_OK);
}

static void test_implied_value(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(load(fixture, WORDS("--wait", "word")), USHER_OK);
    assert_int_equal(options_integer(&fixture->options, "wait"), 5000);
    assert_string_equal(fixture->options.arguments[0], "word");
    assert_int_equal(load(fixture, WORDS("--wait", "2s")), USHER_FATAL);
    assert_string_equal(fixture->err.text,
                        "--wait takes its value by an equals sign: say --wait=2s");
    assert_int_equal(load(fixture, WORDS("--wait", "./2s")), USHER_OK);
    assert_int_equal(load(fixture, WORDS("--wait=250ms", "--together=no")), USHER_OK);
    assert_int_equal(options_integer(&fixture->options, "wait"), 250);
    assert_false(options_bool(&fixture->options, "together"));
}

static void test_help_and_version(void **state)
{
    struct fixture *fixture = *state;
    setenv("USHER_HOLD_TTL", "nonsense", 1);
    assert_int_equal(load(fixture, WORDS("-h", "--nonsense")), USHER_OK);
    assert_int_equal(fixture->options.mode, OPTIONS_HELP);
    assert_int_equal(load(fixture, WORDS("--version")), USHER_OK);
    assert_int_equal(fixture->options.mode, OPTIONS_VERSION);
}

static void test_unknown_flags(void **state)
{
    struct fixture *fixture = *state;
    assert_refused(fixture, WORDS("--kafka-brokres", "x"),
                   "unknown flag \"--kafka-brokres\"; did you mean \"--kafka-brokers\"?");
    assert_refused(fixture, WORDS("--kafka-brok=x"),
                   "unknown flag \"--kafka-brok\"; did you mean \"--kafka-brokers\"?");
    assert_refused(fixture, WORDS("--elephant"), "unknown flag \"--elephant\"");
    assert_refused(fixture, WORDS("-z"), "unknown flag \"-z\"");
    assert_refused(fixture, WORDS("--together", "--quantitty=1"),
                   "unknown flag \"--quantitty\"; did you mean \"--quantity\"?");
}

/* A flag whose value was forgotten must not swallow the next one. */
static void test_missing_values(void **state)
{
    struct fixture *fixture = *state;
    assert_refused(fixture, WORDS("--quantity"), "--quantity needs a value");
    assert_refused(fixture, WORDS("--kafka-brokers", "--together"),
                   "--kafka-brokers needs a value");
    assert_refused(fixture, WORDS("-X", "--together"), "-X needs a value");
    assert_int_equal(load(fixture, WORDS("--kafka-brokers=--together", "--section", "-")),
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
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        setenv(links[i][0], links[i][1], 1);
    assert_int_equal(load(fixture, NO_WORDS), USHER_OK);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        unsetenv(links[i][0]);
    setenv("USHER_XYZZY_PORT", "8080", 1);
    assert_refused(fixture, NO_WORDS, "unknown key \"USHER_XYZZY_PORT\" in the environment");
    unsetenv("USHER_XYZZY_PORT");
}

static void test_unknown_keys(void **state)
{
    struct fixture *fixture = *state;
    char message[160];
    setenv("USHER_HOLD_TLT", "1", 1);
    assert_refused(fixture, NO_WORDS,
                   "unknown key \"USHER_HOLD_TLT\" in the environment; did you mean "
                   "\"USHER_HOLD_TTL\"?");
    clear_environment();
    setenv("USHER_XYZZY_FILE", "1", 1);
    assert_refused(fixture, NO_WORDS, "unknown key \"USHER_XYZZY_FILE\" in the environment");
    clear_environment();
    setenv("USHER_HOLD_TTL_FILE", "/x", 1); /* only secrets have one */
    assert_refused(fixture, NO_WORDS,
                   "unknown key \"USHER_HOLD_TTL_FILE\" in the environment; did you mean "
                   "\"USHER_HOLD_TTL_MAX\"?");
    clear_environment();
    write_file(fixture, "\nUSHER_POSTGRE=x\n");
    snprintf(message, sizeof message,
             "unknown key \"USHER_POSTGRE\" in \"%s\" line 2; did you mean \"USHER_POSTGRES\"?",
             fixture->path);
    assert_refused(fixture, WORDS("--config", fixture->path), message);
    write_file(fixture, "just words\n");
    snprintf(message, sizeof message, "could not read \"%s\" line 1: it is not KEY=VALUE",
             fixture->path);
    assert_refused(fixture, WORDS("--config", fixture->path), message);
    write_file(fixture, "USHER_HOLD_TTL=1m\n# a comment\nUSHER_HOLD_TTL=2m\n");
    snprintf(message, sizeof message,
             "could not use \"%s\" line 3: USHER_HOLD_TTL is on line 1 already", fixture->path);
    assert_refused(fixture, WORDS("--config", fixture->path), message);
    assert_ends(fixture, WORDS("--config", "/nonexistent"), USHER_EXIT_CONFIG,
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
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(load(fixture, WORDS(rows[i].word)), USHER_OK);
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
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused(fixture, WORDS(rows[i].word), rows[i].message);
    setenv("USHER_HOLD_TTL", "soon", 1);
    assert_refused(fixture, WORDS("--hold-ttl=1"),
                   "could not read USHER_HOLD_TTL in the environment: \"soon\" is not a duration "
                   "such as 900, 15m, 2h");
}

/* ---- secrets ---- */

/* A password that was not filled in; nothing is a list of properties, too. */
static void test_an_empty_secret_file(void **state)
{
    struct fixture *fixture = *state;
    char message[200];
    static const char *const keys[] = {"USHER_KAFKA_PASSWORD_FILE", "USHER_REDIS_FILE"};
    static const char *const texts[] = {"", "\n", "\r\n"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        setenv(keys[i], fixture->path, 1);
        snprintf(message, sizeof message,
                 "could not read %s in the environment: \"%s\": it is empty", keys[i],
                 fixture->path);
        for (size_t text = 0; text < sizeof texts / sizeof texts[0]; text++) {
            write_file(fixture, texts[text]);
            assert_ends(fixture, NO_WORDS, USHER_EXIT_CONFIG, message);
        }
        unsetenv(keys[i]);
    }
    setenv("USHER_KAFKA_PROPERTIES_FILE", fixture->path, 1);
    assert_int_equal(load(fixture, NO_WORDS), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_PROPERTIES"), "");
}

static void test_secret_files(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "s3cret\n");
    setenv("USHER_KAFKA_PASSWORD_FILE", fixture->path, 1);
    assert_int_equal(load(fixture, NO_WORDS), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_PASSWORD"), "s3cret");
    assert_int_equal(load(fixture, WORDS("--kafka-password=stronger")), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_KAFKA_PASSWORD"), "stronger");
    setenv("USHER_KAFKA_PASSWORD", "both", 1);
    assert_refused(fixture, NO_WORDS,
                   "USHER_KAFKA_PASSWORD and USHER_KAFKA_PASSWORD_FILE are both given in the "
                   "environment: remove one of the two");
    clear_environment();
    assert_refused(fixture, WORDS("--postgres-file", fixture->path, "--postgres=x"),
                   "--postgres and --postgres-file are both given: remove one of the two");
    assert_refused(fixture, WORDS("--postgres=x", "--postgres-file", fixture->path),
                   "--postgres and --postgres-file are both given: remove one of the two");
    assert_int_equal(load(fixture, WORDS("--postgres-file", fixture->path)), USHER_OK);
    assert_string_equal(options_text(&fixture->options, "USHER_POSTGRES"), "s3cret");
    assert_ends(fixture, WORDS("--postgres-file=/nonexistent"), USHER_EXIT_CONFIG,
                "could not read --postgres-file: \"/nonexistent\": No such file or directory");
}

static char *print_config(const struct fixture *fixture)
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
    struct fixture *fixture = *state;
    static const struct {
        const char *postgres, *shown;
    } rows[] = {
        {"postgresql://u:s3cret@h/db", "USHER_POSTGRES=postgresql://u:****@h/db  # flag\n"},
        {"postgresql://u:s3/c@ret@h/db", "USHER_POSTGRES=postgresql://u:****@h/db  # flag\n"},
        {"postgresql://u@h:5432/db", "USHER_POSTGRES=postgresql://u@h:5432/db  # flag\n"},
        {"postgresql://h/db?password=s3cret&x=1",
         "USHER_POSTGRES=postgresql://h/db?password=****&x=1  # flag\n"},
        {"host=h password=s3cret user=u", "USHER_POSTGRES=host=h password=**** user=u  # flag\n"},
        {"host=h password = 's3 c\\'ret' user=u",
         "USHER_POSTGRES=host=h password = **** user=u  # flag\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(load(fixture, WORDS("--postgres", rows[i].postgres, "--redis",
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
    struct fixture *fixture = *state;
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
    assert_int_equal(load(fixture, WORDS("place")), USHER_OK);
    options_digest(&fixture->options, except, first);
    assert_int_equal(strspn(first, "0123456789abcdef"), 16);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(load(fixture, WORDS(rows[i].words[0], rows[i].words[1])), USHER_OK);
        options_digest(&fixture->options, except, other);
        assert_int_equal(strcmp(first, other) == 0, rows[i].same);
    }
    assert_int_equal(load(fixture, WORDS("--kafka-password=a")), USHER_OK);
    options_digest(&fixture->options, except, first);
    assert_int_equal(load(fixture, WORDS("--kafka-password=b")), USHER_OK);
    options_digest(&fixture->options, except, other);
    assert_string_equal(first, other);
}

/* Where a secret is not expected, too. */
static void test_masking_of_other_places(void **state)
{
    struct fixture *fixture = *state;
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
        assert_int_equal(load(fixture, WORDS(rows[i].flag)), USHER_OK);
        char *text = print_config(fixture);
        assert_non_null(strstr(text, rows[i].shown));
        assert_null(strstr(text, "s3"));
        free(text);
    }
}

static void test_help_names_every_option(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    options_print_help(&table, out);
    fclose(out);
    assert_non_null(strstr(text, "--hold-ttl TIME"));
    assert_non_null(strstr(text, "hold time (default: 15m) [USHER_HOLD_TTL]"));
    assert_non_null(strstr(text, "[USHER_KAFKA_PASSWORD, or _FILE]"));
    assert_non_null(strstr(text, "-X, --kafka-property"));
    assert_non_null(strstr(text, "--wait[=TIME]"));
    free(text);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_precedence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_by_environment_and_quotes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_absent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_keys_of_other_programs_are_known, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flags_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_meant, setup, teardown),
        cmocka_unit_test_setup_teardown(test_implied_value, setup, teardown),
        cmocka_unit_test_setup_teardown(test_help_and_version, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_flags, setup, teardown),
        cmocka_unit_test_setup_teardown(test_missing_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_keys_that_kubernetes_makes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_empty_secret_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_secret_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_masking, setup, teardown),
        cmocka_unit_test_setup_teardown(test_digest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_masking_of_other_places, setup, teardown),
        cmocka_unit_test(test_help_names_every_option),
        cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
