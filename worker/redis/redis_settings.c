/*
 * How to reach Redis, and under which names its keys are: what every redis_ module is opened with.
 * Names no type of hiredis.
 */
#include "worker/redis/redis_settings.h"

#include <stdlib.h>
#include <string.h>

/* ==== Settings ==== */

static const struct option_spec redis_specs[] = {
    {.name = "USHER_REDIS",
     .secrecy = OPTION_URI,
     .fallback = "redis://localhost:6379",
     .value_name = "URI",
     .help = "where availability is published: redis://, rediss:// (by TLS) or unix://; empty: "
             "nowhere, for all workers or for none"},
    {.name = "USHER_REDIS_CA_FILE",
     .value_name = "FILE",
     .help = "CA certificates to verify Redis with by TLS; default: the system's"},
    {.name = "USHER_REDIS_CERTIFICATE_FILE",
     .value_name = "FILE",
     .help = "client certificate to log in with, and the certificates that signed it, in PEM"},
    {.name = "USHER_REDIS_KEY_FILE",
     .value_name = "FILE",
     .help = "its private key, in PEM, without a password"},
    {.name = "USHER_REDIS_PREFIX",
     .fallback = "usher",
     .value_name = "NAME",
     .help = "prefix of all keys, as in NAME:{resource}"},
};

const struct option_group redis_options = {
    .title = "Redis",
    .specs = redis_specs,
    .count = sizeof redis_specs / sizeof *redis_specs,
};

struct redis_settings redis_settings_of(const struct options *options)
{
    const char *uri = options_text(options, "USHER_REDIS");
    return (struct redis_settings){
        .uri = uri && *uri != '\0' ? uri : NULL,
        .uri_file = options_secret_file(options, "USHER_REDIS"),
        .ca_file = options_text(options, "USHER_REDIS_CA_FILE"),
        .certificate_file = options_text(options, "USHER_REDIS_CERTIFICATE_FILE"),
        .key_file = options_text(options, "USHER_REDIS_KEY_FILE"),
        .prefix = options_text(options, "USHER_REDIS_PREFIX"),
    };
}

/* Files that are given and mean nothing would be a connection that is less than what was meant. */
static enum usher_status check_files(const struct redis_settings *settings,
                                     const struct redis_address *address, struct usher_error *err)
{
    bool any = settings->ca_file || settings->certificate_file || settings->key_file;
    if (any && !address->tls) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not use USHER_REDIS_%s: USHER_REDIS does not begin with rediss://",
                        settings->ca_file            ? "CA_FILE"
                        : settings->certificate_file ? "CERTIFICATE_FILE"
                                                     : "KEY_FILE");
        return USHER_FATAL;
    }
    if (!settings->certificate_file != !settings->key_file) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not log in to Redis: USHER_REDIS_%s is not "
                        "set",
                        settings->key_file ? "CERTIFICATE_FILE" : "KEY_FILE");
        return USHER_FATAL;
    }
    return USHER_OK;
}

enum usher_status redis_settings_read(const struct redis_settings *settings,
                                      struct usher_arena *arena, struct redis_address *address,
                                      struct usher_error *err)
{
    const char *uri = secret_now(settings->uri, settings->uri_file, arena);
    enum usher_status status = redis_address_read(uri, arena, address, err);
    return status == USHER_OK ? check_files(settings, address, err) : status;
}

enum usher_status redis_settings_check(const struct redis_settings *settings,
                                       struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct redis_address address;
    enum usher_status status = redis_settings_read(settings, &arena, &address, err);
    usher_arena_deinit(&arena);
    return status;
}

/* ==== URIs ==== */

enum {
    DEFAULT_PORT = 6379,
    DATABASE_MAX = 100000
};

static enum usher_status refuse(struct usher_error *err, const char *why)
{
    usher_error_set(err, USHER_EXIT_CONFIG, "could not read USHER_REDIS: %s", why);
    return USHER_FATAL;
}

static int hexadecimal(char digit)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = digit == '\0' ? NULL : strchr(digits, digit);
    return !at ? -1 : (int)((at - digits) % 16);
}

/* Copies and decodes %40 and the like; what is no such code stays as it is. */
static char *decoded(struct usher_arena *arena, const char *text, size_t size)
{
    char *copy = usher_arena_text(arena, text, size);
    char *to = copy;
    for (const char *from = copy; *from != '\0'; from++) {
        int high = *from == '%' ? hexadecimal(from[1]) : -1;
        int low = high >= 0 ? hexadecimal(from[2]) : -1;
        if (low >= 0) {
            *to++ = (char)(high * 16 + low);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return copy;
}

/* Takes `user:password@` off the front of `*rest`, which ends at `end`. */
static void take_login(const char **rest, const char *end, struct usher_arena *arena,
                       struct redis_address *address)
{
    const char *at = NULL;
    for (const char *here = *rest; here < end; here++)
        at = *here == '@' ? here : at;
    if (!at)
        return;
    const char *colon = memchr(*rest, ':', (size_t)(at - *rest));
    const char *user_end = !colon ? at : colon;
    if (user_end > *rest)
        address->user = decoded(arena, *rest, (size_t)(user_end - *rest));
    if (colon)
        address->password = decoded(arena, colon + 1, (size_t)(at - colon - 1));
    *rest = at + 1;
}

/* Reads all of [text, text + size) as a number from `min` to `max`. */
static bool read_number(const char *text, size_t size, long min, long max, int *number)
{
    char copy[16];
    if (size == 0 || size >= sizeof copy)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (strspn(copy, "0123456789") != size)
        return false;
    long value = strtol(copy, NULL, 10);
    *number = (int)value;
    return value >= min && value <= max;
}

/* host, host:port, [v6] or [v6]:port up to `end`. */
static enum usher_status read_host(const char *text, const char *end, struct usher_arena *arena,
                                   struct redis_address *address, struct usher_error *err)
{
    const char *host_end = end;
    const char *colon = NULL;
    if (*text == '[') {
        const char *bracket = memchr(text, ']', (size_t)(end - text));
        if (!bracket || (bracket + 1 < end && bracket[1] != ':'))
            return refuse(err, "a bracket of its address is not closed, as in redis://[::1]:6379");
        colon = bracket + 1 < end ? bracket + 1 : NULL;
        text++;
        host_end = bracket;
    } else if ((colon = memchr(text, ':', (size_t)(end - text)))) {
        host_end = colon;
    }
    address->host =
        host_end == text ? "127.0.0.1" : usher_arena_text(arena, text, (size_t)(host_end - text));
    address->port = DEFAULT_PORT;
    if (colon && !read_number(colon + 1, (size_t)(end - colon - 1), 1, 65535, &address->port))
        return refuse(err, "its port is not a number from 1 to 65535");
    return USHER_OK;
}

static enum usher_status read_tcp(const char *rest, struct usher_arena *arena,
                                  struct redis_address *address, struct usher_error *err)
{
    /* A password may hold a slash: the authority ends at the first one after the last @. */
    const char *at = strrchr(rest, '@');
    const char *slash = strchr(!at ? rest : at, '/');
    const char *end = !slash ? rest + strlen(rest) : slash;
    take_login(&rest, end, arena, address);
    if (slash && slash[1] != '\0' &&
        !read_number(slash + 1, strlen(slash + 1), 0, DATABASE_MAX, &address->database))
        return refuse(err, "the path behind the host is not the number of a database");
    return read_host(rest, end, arena, address, err);
}

static enum usher_status read_unix(const char *rest, struct usher_arena *arena,
                                   struct redis_address *address, struct usher_error *err)
{
    const char *query = strstr(rest, "?db=");
    const char *end = !query ? rest + strlen(rest) : query;
    if (*rest != '/')
        take_login(&rest, end, arena, address);
    if (*rest != '/')
        return refuse(err, "a socket's path must begin with a slash, as in unix:///run/redis.sock");
    if (query && !read_number(query + 4, strlen(query + 4), 0, DATABASE_MAX, &address->database))
        return refuse(err, "the value of ?db= is not the number of a database");
    address->path = usher_arena_text(arena, rest, (size_t)(end - rest));
    return USHER_OK;
}

enum usher_status redis_address_read(const char *uri, struct usher_arena *arena,
                                     struct redis_address *address, struct usher_error *err)
{
    static const char tcp[] = "redis://";
    static const char tls[] = "rediss://";
    static const char local[] = "unix://";
    enum usher_status status;
    *address = (struct redis_address){0};
    address->tls = strncmp(uri, tls, strlen(tls)) == 0;
    if (address->tls && !USHER_REDIS_TLS) {
        return refuse(err, "rediss:// needs TLS, which this build lacks: use redis:// within a "
                           "trusted network, a unix:// socket, or a TLS proxy beside the worker");
    }
    if (address->tls)
        status = read_tcp(uri + strlen(tls), arena, address, err);
    else if (strncmp(uri, tcp, strlen(tcp)) == 0)
        status = read_tcp(uri + strlen(tcp), arena, address, err);
    else if (strncmp(uri, local, strlen(local)) == 0)
        status = read_unix(uri + strlen(local), arena, address, err);
    else
        return refuse(err, "it must begin with redis://, rediss:// or unix://");
    if (status == USHER_OK && address->user && !address->password)
        return refuse(err, "a user needs a password, as in redis://user:password@host");
    return status;
}
