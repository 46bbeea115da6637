/*
 * `usher-worker reconcile` and `rebuild-cache`: PostgreSQL against itself and against Redis.
 */
#include <stdio.h>

#include "commands.h"
#include "rebuild.h"
#include "reconcile.h"
#include "worker_options.h"

enum usher_exit command_reconcile(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, "reconcile", argc, argv, &code)) {
        struct usher_error err = {0};
        const struct reconcile_settings reconcile = {
            .postgres = &settings.postgres,
            .redis = settings.redis,
            .redis_prefix = settings.redis_prefix,
            .out = stdout,
        };
        code = worker_end(reconcile_run(&reconcile, &err), &err);
    }
    options_deinit(&options);
    return code;
}

enum usher_exit command_rebuild_cache(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, "rebuild-cache", argc, argv, &code)) {
        struct usher_error err = {0};
        const struct rebuild_settings rebuild = {
            .postgres = &settings.postgres,
            .redis = settings.redis,
            .redis_prefix = settings.redis_prefix,
            .out = stdout,
        };
        code = worker_end(rebuild_run(&rebuild, &err), &err);
    }
    options_deinit(&options);
    return code;
}
