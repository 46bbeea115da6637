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

enum usher_exit command_migrate(int argc, char *const *argv)
{
    struct options options;
    struct worker_settings settings;
    enum usher_exit code;
    if (worker_begin(&options, &settings, "migrate up|list|print", argc, argv, &code)) {
        struct usher_error err = {0};
        code = worker_end(migrate(&settings.postgres, options.arguments[0], &err), &err);
    }
    options_deinit(&options);
    return code;
}
