/* `usher-worker reconcile` and `rebuild-cache`: PostgreSQL against itself and against Redis. */
#include "worker/program/command_reconcile.h"

#include <stdio.h>

#include "worker/program/worker_options.h"
#include "worker/reconcile/rebuild.h"
#include "worker/reconcile/reconcile.h"

/* A flag only: it must not be on by default. */
static const struct option_spec reconcile_specs[] = {
    {.name = "heal",
     .type = OPTION_BOOL,
     .help = "rewrite wrong keys in Redis; PostgreSQL is never changed"},
};

static const struct option_group reconcile_options = {
    .title = "Reconcile",
    .specs = reconcile_specs,
    .count = sizeof reconcile_specs / sizeof *reconcile_specs,
};

enum usher_exit command_reconcile(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_options_load(&options, &reconcile_options, "reconcile", argc, argv, &code) &&
        worker_settings_read(&options, &settings, &code)) {
        struct usher_error err = {0};
        const struct reconcile_settings reconcile = {
            .postgres = &settings.postgres,
            .redis = settings.redis,
            .redis_prefix = settings.redis_prefix,
            .repair = options_bool(&options, "heal"),
            .out = stdout,
        };
        code = worker_end(reconcile_run(&reconcile, &err), &err);
    }
    options_deinit(&options);
    return code;
}

static enum usher_status rebuild(const struct worker_settings *settings, struct usher_error *err)
{
    const struct rebuild_settings rebuild = {
        .postgres = &settings->postgres,
        .redis = settings->redis,
        .redis_prefix = settings->redis_prefix,
        .out = stdout,
    };
    if (!settings->redis) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not rebuild the cache: USHER_REDIS is empty");
        return USHER_FATAL;
    }
    return rebuild_run(&rebuild, err);
}

enum usher_exit command_rebuild_cache(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, "rebuild-cache", argc, argv, &code)) {
        struct usher_error err = {0};
        code = worker_end(rebuild(&settings, &err), &err);
    }
    options_deinit(&options);
    return code;
}
