/* Reads the settings of Redis and what contradicts itself in them: see redis_settings.h. */
#include "worker/redis/redis_settings.h"

#include "producer/base/secret_file.h"

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
