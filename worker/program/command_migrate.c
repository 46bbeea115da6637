/* `usher-worker migrate up|list|print`: the schema, with a role that may change it. */
#include "worker/program/command_migrate.h"

#include <stdio.h>
#include <string.h>

#include "worker/postgres/pg_migrate.h"
#include "worker/program/worker_options.h"

static enum usher_status print_all(const struct pg_settings *settings, FILE *out,
                                   struct usher_error *err)
{
    (void)settings;
    return pg_migrate_print(NULL, out, err);
}

static const struct {
    const char *name;
    enum usher_status (*run)(const struct pg_settings *, FILE *, struct usher_error *);
} actions[] = {
    {"up", pg_migrate_up},
    {"list", pg_migrate_list},
    {"print", print_all},
};

static enum usher_status migrate(const struct pg_settings *settings, const char *action,
                                 struct usher_error *err)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, action) == 0)
            return actions[i].run(settings, stdout, err);
    usher_error_set(err, USHER_EXIT_USAGE, "unknown action \"%s\": use migrate up, list or print",
                    action);
    return USHER_FATAL;
}

static enum usher_exit run_migrate(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, &migrate_command, argc, argv, &code)) {
        struct usher_error err = {0};
        code = worker_end(migrate(&settings.postgres, options.arguments[0], &err), &err);
    }
    options_deinit(&options);
    return code;
}

static const struct option_group *const migrate_groups[] = {&postgres_options, &common_options};

const struct worker_command migrate_command = {
    .name = "migrate",
    .arguments = "up|list|print",
    .help = "Brings the database to the schema of this version, or shows what is missing.",
    .details = "up applies the migrations that are missing, each in a transaction, and prints "
               "their names; with a role\n"
               "that may create roles and the schema. list prints all, with when each was applied. "
               "print writes\n"
               "their SQL for somebody else to run; it needs no database.\n",
    .example = "migrate up",
    .table = WORKER_TABLE(migrate_groups),
    .run = run_migrate,
};
