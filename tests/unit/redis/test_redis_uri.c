/* URIs of Redis: what they mean, and what is refused without showing a password. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "worker/redis/redis_settings.h"

static void good_ones_are_read(void **state)
{
    static const struct {
        const char *uri;
        struct redis_address is;
    } rows[] = {
        {"redis://localhost", {.host = "localhost", .port = 6379}},
        {"redis://", {.host = "127.0.0.1", .port = 6379}},
        {"redis://127.0.0.1:6380/", {.host = "127.0.0.1", .port = 6380}},
        {"redis://10.0.0.1:6380/3", {.host = "10.0.0.1", .port = 6380, .database = 3}},
        {"redis://[::1]:7000/1", {.host = "::1", .port = 7000, .database = 1}},
        {"redis://[fe80::2]", {.host = "fe80::2", .port = 6379}},
        {"redis://:secret@r", {.host = "r", .port = 6379, .password = "secret"}},
        {"redis://app:a%40b%2Fc@r:1/2",
         {.host = "r", .port = 1, .user = "app", .password = "a@b/c", .database = 2}},
        {"redis://app:p@ss/w@r", {.host = "r", .port = 6379, .user = "app", .password = "p@ss/w"}},
        {"unix:///run/redis.sock", {.path = "/run/redis.sock"}},
        {"unix://app:x@/run/r.sock?db=4",
         {.path = "/run/r.sock", .user = "app", .password = "x", .database = 4}},
#if USHER_REDIS_TLS
        {"rediss://app:x@r/2",
         {.host = "r", .port = 6379, .tls = true, .user = "app", .password = "x", .database = 2}},
#endif
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct usher_arena arena = {0};
        struct redis_address found;
        struct usher_error err = {0};
        const struct redis_address *is = &rows[i].is;
        if (redis_address_read(rows[i].uri, &arena, &found, &err) != USHER_OK)
            fail_msg("%s: %s", rows[i].uri, err.text);
        const char *const pairs[][2] = {{is->path, found.path},
                                        {is->host, found.host},
                                        {is->user, found.user},
                                        {is->password, found.password}};
        for (size_t j = 0; j < sizeof pairs / sizeof *pairs; j++)
            if ((pairs[j][0] == NULL) != (pairs[j][1] == NULL) ||
                (pairs[j][0] != NULL && strcmp(pairs[j][0], pairs[j][1]) != 0))
                fail_msg("%s: part %zu is %s", rows[i].uri, j, pairs[j][1]);
        assert_int_equal(found.port, is->port);
        assert_int_equal(found.database, is->database);
        assert_int_equal(found.tls, is->tls);
        usher_arena_deinit(&arena);
    }
}

static void bad_ones_are_refused(void **state)
{
    static const char *const uris[] = {
#if !USHER_REDIS_TLS
        "rediss://app:topsecret@r",
#endif
        "rediss://app@topsecret",
        "localhost:6379",
        "http://r",
        "redis://r:topsecret",
        "redis://r:0",
        "redis://r:65536",
        "redis://r/topsecret",
        "redis://[::1",
        "redis://[::1]6379",
        "redis://topsecret@r",
        "unix://run/redis.sock",
        "unix:///r?db=topsecret",
        "redis://a:topsecret@r/100001",
    };
    (void)state;
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        struct usher_error err = {0};
        const struct redis_settings settings = {.uri = uris[i]};
        if (redis_settings_check(&settings, &err) != USHER_FATAL)
            fail_msg("%s was taken", uris[i]);
        assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
        assert_non_null(strstr(err.text, "USHER_REDIS"));
        assert_null(strstr(err.text, "topsecret"));
    }
}

/* What is given and means nothing would be less than what was meant. */
static void files_go_with_tls_and_in_pairs(void **state)
{
    static const struct {
        struct redis_settings settings;
        const char *named;
    } rows[] = {
        {{.uri = "redis://r", .ca_file = "ca"}, "USHER_REDIS_CA_FILE"},
        {{.uri = "unix:///r", .certificate_file = "c"}, "USHER_REDIS_CERTIFICATE_FILE"},
        {{.uri = "redis://r", .key_file = "k"}, "USHER_REDIS_KEY_FILE"},
#if USHER_REDIS_TLS
        {{.uri = "rediss://r", .certificate_file = "c"}, "USHER_REDIS_KEY_FILE"},
        {{.uri = "rediss://r", .key_file = "k"}, "USHER_REDIS_CERTIFICATE_FILE"},
#endif
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct usher_error err = {0};
        assert_int_equal(redis_settings_check(&rows[i].settings, &err), USHER_FATAL);
        assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
        assert_non_null(strstr(err.text, rows[i].named));
    }
}

/* A file that is gone for a moment, as while it is replaced, leaves what was there at the start. */
static void the_uri_is_read_again(void **state)
{
    char path[] = "/tmp/usher-uri-XXXXXX";
    int file = mkstemp(path);
    const struct redis_settings settings = {.uri = "redis://:old@r", .uri_file = path};
    struct redis_address address;
    struct usher_arena arena = {0};
    (void)state;
    assert_int_equal(write(file, "redis://:new@r\n", 15), 15);
    close(file);
    assert_int_equal(redis_settings_read(&settings, &arena, &address, NULL), USHER_OK);
    assert_string_equal(address.password, "new");
    assert_int_equal(truncate(path, 0), 0); /* it is being written anew */
    assert_int_equal(redis_settings_read(&settings, &arena, &address, NULL), USHER_OK);
    assert_string_equal(address.password, "old");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(redis_settings_read(&settings, &arena, &address, NULL), USHER_OK);
    assert_string_equal(address.password, "old");
    usher_arena_deinit(&arena);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(good_ones_are_read),
    cmocka_unit_test(bad_ones_are_refused),
    cmocka_unit_test(files_go_with_tls_and_in_pairs),
    cmocka_unit_test(the_uri_is_read_again),
};
UNIT_TESTS(test_redis_uri, tests, NULL, NULL)
