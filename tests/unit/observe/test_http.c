/* The HTTP server over a real socket: its paths, its methods, and addresses that it refuses. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <yyjson.h>

#include "tests/unit/unit.h"
#include "worker/observe/http.h"

struct fake {
    bool alive, ready;
};

static bool fake_alive(void *self, char *why, size_t size)
{
    snprintf(why, size, "partition 3 has not moved for 40 s");
    return ((struct fake *)self)->alive;
}

static bool fake_ready(void *self, char *why, size_t size)
{
    snprintf(why, size, "partition 3 is catching up");
    return ((struct fake *)self)->ready;
}

static void fake_metrics(void *self, struct usher_buffer *out)
{
    (void)self;
    usher_buffer_text(out, "usher_fenced_total 0\n");
}

static uint32_t fake_partitions(void *self, struct partition_view *partitions, uint32_t max)
{
    (void)self;
    assert_true(max >= 2);
    partitions[0] = (struct partition_view){.partition = 3,
                                            .epoch = 7,
                                            .state = "active",
                                            .next_offset = 88,
                                            .next_seq = 91,
                                            .published_seq = 90,
                                            .open_transaction_ms = 12000,
                                            .append_ahead_ms = -40,
                                            .clock_ahead_ms = 5000,
                                            .lag = 2};
    partitions[1] = (struct partition_view){.partition = 4, .state = "retrying", .retries = 3};
    usher_error_set(&partitions[1].error, USHER_EXIT_UNAVAILABLE, "could not connect: \"no\"");
    return 2;
}

static void fake_refused(void *self, int32_t partition, struct usher_buffer *out)
{
    (void)self;
    usher_buffer_text(out, partition == 3 ? "[{\"requests\":7}]" : "[]");
}

static uint32_t fake_dependencies(void *self, struct http_dependency *dependencies, uint32_t max)
{
    (void)self;
    assert_true(max >= 2);
    dependencies[0] = (struct http_dependency){"kafka", "up", true};
    dependencies[1] = (struct http_dependency){"redis", "down", false};
    return 2;
}

static int setup(void **state)
{
    static struct fake fake;
    fake = (struct fake){.alive = true, .ready = true};
    signal(SIGPIPE, SIG_IGN);
    *state = &fake;
    return 0;
}

static struct http_server *open_server(struct fake *fake)
{
    const struct http_settings settings = {.listen = "127.0.0.1:0",
                                           .worker = "worker-<1>",
                                           .version = "1.2.3 (<&>)",
                                           .configuration = "0123456789abcdef",
                                           .source = {.self = fake,
                                                      .alive = fake_alive,
                                                      .ready = fake_ready,
                                                      .metrics = fake_metrics,
                                                      .partitions = fake_partitions,
                                                      .refused = fake_refused,
                                                      .dependencies = fake_dependencies}};
    struct http_server *server;
    struct usher_error err;
    if (http_open(&settings, &server, &err) != USHER_OK)
        fail_msg("%s", err.text);
    assert_int_not_equal(http_number(server), 0);
    return server;
}

static int open_connection(const struct http_server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(http_number(server)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return descriptor;
}

/* Sends the request and returns all that comes back. */
static const char *ask(const struct http_server *server, const char *method, const char *path)
{
    static char text[8192];
    int descriptor = open_connection(server);
    int size = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                        method, path);
    assert_int_equal(write(descriptor, text, (size_t)size), size);
    size_t used = 0;
    for (ssize_t got; (got = read(descriptor, text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(descriptor);
    return text;
}

static void assert_answer(const struct http_server *server, const char *request, const char *start,
                          const char *body)
{
    char method[16];
    char path[64];
    assert_int_equal(sscanf(request, "%15s %63s", method, path), 2);
    const char *text = ask(server, method, path);
    if (strncmp(text, start, strlen(start)) != 0)
        fail_msg("%s: %s", request, text);
    const char *found = strstr(text, "\r\n\r\n");
    assert_non_null(found);
    if (body)
        assert_string_equal(found + 4, body);
}

static void probes_say_why_not(void **state)
{
    struct fake *fake = *state;
    struct http_server *server = open_server(fake);
    assert_answer(server, "GET /livez", "HTTP/1.1 200", "ok\n");
    assert_answer(server, "GET /readyz", "HTTP/1.1 200", "ok\n");
    fake->alive = fake->ready = false;
    assert_answer(server, "GET /livez", "HTTP/1.1 503", "partition 3 has not moved for 40 s\n");
    assert_answer(server, "GET /readyz", "HTTP/1.1 503", "partition 3 is catching up\n");
    http_close(server);
}

static void only_what_is_there_is_served(void **state)
{
    struct http_server *server = open_server(*state);
    assert_answer(server, "GET /metrics", "HTTP/1.1 200", "usher_fenced_total 0\n");
    assert_answer(server, "HEAD /metrics", "HTTP/1.1 200", "");
    assert_answer(server, "GET /nothing", "HTTP/1.1 404",
                  "not found: there are /, /livez, /readyz, /metrics, /status\n");
    assert_answer(server, "GET //", "HTTP/1.1 404", NULL);
    assert_answer(server, "GET /livez/", "HTTP/1.1 404", NULL);
    assert_answer(server, "POST /livez", "HTTP/1.1 405", "only GET and HEAD\n");
    assert_answer(server, "DELETE /status", "HTTP/1.1 405", "only GET and HEAD\n");
    http_close(server);
}

/* Whether the server has closed it: it sent nothing, and will not. */
static bool is_closed(int descriptor)
{
    char byte;
    ssize_t got = recv(descriptor, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

/* Requests that never end: the oldest give way, and the latest ones are still there afterwards. */
static void slow_clients_keep_nobody_out(void **state)
{
    enum {
        SLOW = 400
    };
    int slow[SLOW];
    struct http_server *server = open_server(*state);
    for (int i = 0; i < SLOW; i++) {
        slow[i] = open_connection(server);
        assert_int_equal(send(slow[i], "GET /li", 7, MSG_NOSIGNAL), 7);
    }
    assert_answer(server, "GET /livez", "HTTP/1.1 200", "ok\n");
    assert_true(is_closed(slow[0]));
    for (int i = SLOW - 50; i < SLOW; i++)
        assert_false(is_closed(slow[i]));
    assert_answer(server, "GET /metrics", "HTTP/1.1 200", NULL);
    http_close(server);
    for (int i = 0; i < SLOW; i++)
        close(slow[i]);
}

/* A byte at a time does not prolong a request: it has its time as a whole. */
static void a_request_has_a_deadline(void **state)
{
    enum {
        BYTES = 30
    };
    static const char request[] = "GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: 123456789";
    struct http_server *server = open_server(*state);
    int slow = open_connection(server), silent = open_connection(server), sent = 0;
    while (sent < BYTES && send(slow, request + sent, 1, MSG_NOSIGNAL) == 1) {
        if (sent < 8)
            assert_false(is_closed(slow));
        sent++;
        sleep(1);
    }
    assert_in_range(sent, 10, 15);
    assert_true(is_closed(silent));
    assert_answer(server, "GET /livez", "HTTP/1.1 200", "ok\n");
    close(slow);
    close(silent);
    http_close(server);
}

/* As much as an operator sees who tries the address. */
static void the_first_page_says_what_there_is(void **state)
{
    static const char version[] = "<p>Version 1.2.3 (&lt;&amp;&gt;)</p>";
    static const char *const pieces[] = {
        "Content-Type: text/html; charset=utf-8\r\n",
        "Content-Security-Policy: default-src 'none'",
        "X-Content-Type-Options: nosniff",
        "\r\n\r\n<!doctype html>\n",
        "usher-worker worker-&lt;1&gt;</h1>",
        version,
        "<dt><a href=\"/readyz\">/readyz</a></dt><dd>Readiness: whether requests can be processed",
        "<a href=\"/status\">",
        "</html>\n",
    };
    struct http_server *server = open_server(*state);
    const char *text = ask(server, "GET", "/");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        if (!strstr(text, pieces[i]))
            fail_msg("no \"%s\" in %s", pieces[i], text);
    http_close(server);
}

static void readiness_is_told_part_by_part(void **state)
{
    struct fake *fake = *state;
    struct http_server *server = open_server(fake);
    static const char parts[] = "kafka up\nredis down (does not count)\npartition 3 active\n"
                                "partition 4 retrying: could not connect: \"no\"\n";
    char body[300];
    snprintf(body, sizeof body, "%sok\n", parts);
    assert_answer(server, "GET /readyz?verbose", "HTTP/1.1 200", body);
    assert_answer(server, "GET /readyz?verbose=1", "HTTP/1.1 200", body);
    assert_answer(server, "GET /readyz?x", "HTTP/1.1 200", "ok\n");
    fake->ready = false;
    snprintf(body, sizeof body, "%spartition 3 is catching up\n", parts);
    assert_answer(server, "GET /readyz?verbose", "HTTP/1.1 503", body);
    http_close(server);
}

static void the_status_is_json(void **state)
{
    struct http_server *server = open_server(*state);
    const char *body = strstr(ask(server, "GET", "/status"), "\r\n\r\n");
    assert_non_null(body);
    yyjson_doc *document = yyjson_read(body, strlen(body), YYJSON_READ_NOFLAG);
    assert_non_null(document);
    yyjson_val *status = yyjson_doc_get_root(document);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(status, "version")), "1.2.3 (<&>)");
    assert_string_equal(yyjson_get_str(yyjson_obj_get(status, "worker")), "worker-<1>");
    assert_string_equal(yyjson_get_str(yyjson_obj_get(status, "configuration")),
                        "0123456789abcdef");
    yyjson_val *dependencies = yyjson_obj_get(status, "dependencies");
    assert_string_equal(yyjson_get_str(yyjson_obj_get(dependencies, "kafka")), "up");
    assert_string_equal(yyjson_get_str(yyjson_obj_get(dependencies, "redis")), "down");
    yyjson_val *partitions = yyjson_obj_get(status, "partitions");
    assert_int_equal(yyjson_arr_size(partitions), 2);
    yyjson_val *first = yyjson_arr_get(partitions, 0);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(first, "state")), "active");
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(first, "published_seq")), 90);
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(first, "open_transaction_ms")), 12000);
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(first, "append_ahead_ms")), -40);
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(first, "clock_ahead_ms")), 5000);
    assert_true(yyjson_is_null(yyjson_obj_get(first, "error")));
    yyjson_val *refused = yyjson_arr_get_first(yyjson_obj_get(first, "refused"));
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(refused, "requests")), 7);
    yyjson_val *second = yyjson_arr_get(partitions, 1);
    assert_int_equal(yyjson_get_sint(yyjson_obj_get(second, "retries")), 3);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(second, "error")),
                        "could not connect: \"no\"");
    yyjson_doc_free(document);
    http_close(server);
}

static void bad_addresses_are_refused(void **state)
{
    static const struct {
        const char *listen;
        enum usher_exit exit_code;
    } rows[] = {
        {"8080", USHER_EXIT_CONFIG},
        {"127.0.0.1", USHER_EXIT_CONFIG},
        {"127.0.0.1:", USHER_EXIT_CONFIG},
        {"127.0.0.1:http", USHER_EXIT_CONFIG},
        {"127.0.0.1:65536", USHER_EXIT_CONFIG},
        {"::1:8080", USHER_EXIT_CONFIG},
        {"[::1:8080", USHER_EXIT_CONFIG},
        {"192.0.2.1:8080", USHER_EXIT_UNAVAILABLE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_server *server;
        struct usher_error err = {0};
        const struct http_settings settings = {.listen = rows[i].listen,
                                               .worker = "w",
                                               .version = "",
                                               .configuration = "",
                                               .source.self = *state};
        assert_int_equal(http_open(&settings, &server, &err), USHER_FATAL);
        assert_int_equal(err.exit_code, rows[i].exit_code);
        assert_non_null(strstr(err.text, rows[i].listen));
        assert_null(server);
    }
}

static void a_taken_port_is_refused(void **state)
{
    struct http_server *server = open_server(*state);
    struct http_server *second;
    struct usher_error err;
    char listen[32];
    const struct http_settings settings = {
        .listen = listen, .worker = "w", .version = "", .configuration = "", .source.self = *state};
    snprintf(listen, sizeof listen, "127.0.0.1:%u", (unsigned)http_number(server));
    assert_int_equal(http_open(&settings, &second, &err), USHER_FATAL);
    assert_int_equal(err.exit_code, USHER_EXIT_UNAVAILABLE);
    http_close(server);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(probes_say_why_not, setup),
    cmocka_unit_test_setup(only_what_is_there_is_served, setup),
    cmocka_unit_test_setup(slow_clients_keep_nobody_out, setup),
    cmocka_unit_test_setup(a_request_has_a_deadline, setup),
    cmocka_unit_test_setup(the_first_page_says_what_there_is, setup),
    cmocka_unit_test_setup(readiness_is_told_part_by_part, setup),
    cmocka_unit_test_setup(the_status_is_json, setup),
    cmocka_unit_test_setup(bad_addresses_are_refused, setup),
    cmocka_unit_test_setup(a_taken_port_is_refused, setup),
};
UNIT_TESTS(test_http, tests, NULL, NULL)
