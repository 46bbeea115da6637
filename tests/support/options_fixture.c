/* A table of options of each kind: see options_fixture.h. */
#include "options_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/options.h"

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
const struct option_table options_fixture_table = {groups, 2};

void options_fixture_clear_environment(void)
{
    for (const char *const *key = option_known_keys; *key != NULL; key++)
        unsetenv(*key);
    unsetenv("USHER_HOLD_TTL_FILE");
    unsetenv("USHER_HOLD_TLT");
    unsetenv("USHER_XYZZY_FILE");
}

int options_fixture_setup(void **state)
{
    struct options_fixture *fixture = calloc(1, sizeof *fixture);
    options_fixture_clear_environment();
    snprintf(fixture->path, sizeof fixture->path, "/tmp/usher-test-XXXXXX");
    int fd = mkstemp(fixture->path);
    if (fd < 0)
        return -1;
    close(fd);
    *state = fixture;
    return 0;
}

int options_fixture_teardown(void **state)
{
    struct options_fixture *fixture = *state;
    options_deinit(&fixture->options);
    unlink(fixture->path);
    options_fixture_clear_environment();
    free(fixture);
    return 0;
}

void options_fixture_write(const struct options_fixture *fixture, const char *text)
{
    FILE *file = fopen(fixture->path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

enum usher_status options_fixture_load(struct options_fixture *fixture, const char *const *words)
{
    char *argv[32] = {(char[]){"test"}};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++)
        argv[argc] = strdup(words[argc - 1]);
    options_deinit(&fixture->options);
    enum usher_status status =
        options_load(&fixture->options, &options_fixture_table, argc, argv, &fixture->err);
    for (int i = 1; i < argc; i++)
        free(argv[i]);
    return status;
}

void options_fixture_assert_ends(struct options_fixture *fixture, const char *const *words,
                                 enum usher_exit code, const char *message)
{
    assert_int_equal(options_fixture_load(fixture, words), USHER_FATAL);
    assert_int_equal(fixture->err.exit_code, code);
    assert_string_equal(fixture->err.text, message);
}

void options_fixture_assert_refused(struct options_fixture *fixture, const char *const *words,
                                    const char *message)
{
    options_fixture_assert_ends(fixture, words, USHER_EXIT_USAGE, message);
}
