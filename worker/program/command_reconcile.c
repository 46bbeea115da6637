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

static const struct option_group reconcile_options = WORKER_GROUP("Reconcile", reconcile_specs);

static enum usher_exit run_reconcile(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &reconcile_command, argc, argv, &code)) {
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

static const struct option_group *const reconcile_groups[] = {&reconcile_options, &postgres_options,
                                                              &redis_options, &common_options};

const struct worker_command reconcile_command = {
    .name = "reconcile",
    .arguments = "",
    .help = "Verifies that PostgreSQL is consistent and that Redis shows what it has.",
    .details = "Prints the differences, and ends with exit code 4 where there is one. Workers may "
               "go on meanwhile.\n",
    .example = "reconcile --heal",
    .table = WORKER_TABLE(reconcile_groups),
    .run = run_reconcile,
};

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

static enum usher_exit run_rebuild_cache(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &rebuild_cache_command, argc, argv, &code)) {
        struct usher_error err = {0};
        code = worker_end(rebuild(&settings, &err), &err);
    }
    options_deinit(&options);
    return code;
}

static const struct option_group *const rebuild_cache_groups[] = {&postgres_options, &redis_options,
                                                                  &common_options};

const struct worker_command rebuild_cache_command = {
    .name = "rebuild-cache",
    .arguments = "",
    .help = "Deletes the keys of usher in Redis and writes them again from PostgreSQL.",
    .details =
        "Workers may go on meanwhile; readers see nothing of a resource until it is written.\n",
    .example = "rebuild-cache",
    .table = WORKER_TABLE(rebuild_cache_groups),
    .run = run_rebuild_cache,
};
